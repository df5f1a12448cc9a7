//! What a crew needs in the field: the task with everything about it, sites by distance.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "field",
    tools: &[],
    disabled: &[],
};
