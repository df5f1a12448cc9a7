//! WhatsApp: its tools come with confirmed writes.

use super::contract::Module;

pub(super) static MODULE: Module = Module {
    name: "whatsapp",
    tools: &[],
    disabled: &[],
};
