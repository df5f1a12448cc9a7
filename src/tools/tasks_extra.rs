//! Tasks that need somebody: stalled, ageing, unassigned, in breach.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "tasks_extra",
    tools: &[],
    disabled: &[],
};
