//! The prioritisation sheet: what is escalated, ageing, without a manager.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "panel",
    tools: &[],
    disabled: &[],
};
