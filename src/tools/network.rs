//! Alarms and the health of the network.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "network",
    tools: &[],
    disabled: &[],
};
