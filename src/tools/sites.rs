//! Sites: the card, the search, who may enter.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "sites",
    tools: &[],
    disabled: &[],
};
