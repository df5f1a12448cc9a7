//! Monitors: its tools come with the metrics.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "monitors",
    tools: &[],
    disabled: &[],
};
