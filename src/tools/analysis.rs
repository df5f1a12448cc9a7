//! Answers drawn from several systems at once.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "analysis",
    tools: &[],
    disabled: &[],
};
