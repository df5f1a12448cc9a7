//! E-mail: its tools come with the connector.

use super::contract::Module;
use super::disabled;

pub(super) static MODULE: Module = Module {
    name: "email",
    tools: &[],
    disabled: disabled::EMAIL,
};
