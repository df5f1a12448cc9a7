//! E-mail: its tools come with the connector.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "email",
    tools: &[],
    disabled: &[],
};
