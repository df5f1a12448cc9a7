//! The health of the systems behind: its tools come with the probes.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "health",
    tools: &[],
    disabled: &[],
};
