//! The figures of the operation over a period.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "kpis",
    tools: &[],
    disabled: &[],
};
