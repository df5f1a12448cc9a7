//! WhatsApp: messages that we begin, the files people sent, and the approved templates.

mod letters;
mod media;
mod send;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::sets::System;

use super::contract::{Cx, Module, Outcome, ToolError, probe};
use super::templates;
use super::writing::write;

pub use letters::letters;
pub use media::{MediaArgs, MediaList, MediaRow};
pub use send::{MessagePreview, MessageTo, SendWhatsappArgs, Way};

pub(super) static MODULE: Module = Module {
    name: "whatsapp",
    tools: &[
        &write("send_whatsapp", System::Field, send::preview, send::commit),
        &probe("get_whatsapp_media", &[], media::get_whatsapp_media),
        &probe("list_whatsapp_templates", &[], list_whatsapp_templates),
    ],
    disabled: &[],
};

/// The templates of WhatsApp messages with the values each needs, and whether it can be used: outside the 24 hours after a person's last message only an approved template goes out.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWhatsappTemplatesArgs {}

/// The templates of WhatsApp messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhatsappTemplates {
    /// Each of them.
    pub templates: Vec<WhatsappTemplateRow>,
}

/// A template of WhatsApp messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhatsappTemplateRow {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub title: String,
    /// Its language at WhatsApp.
    pub language: String,
    /// Its category at WhatsApp.
    pub category: String,
    /// Its text, with its places.
    pub text: String,
    /// What has to be given for it.
    pub values: Vec<String>,
    /// Whether the settings name its approved content.
    pub approved: bool,
}

impl Outcome for WhatsappTemplates {
    fn count(&self) -> Option<u64> {
        Some(self.templates.len() as u64)
    }
}

fn list_whatsapp_templates(cx: &Cx<'_>, _: &mut ListWhatsappTemplatesArgs) -> Result<WhatsappTemplates, ToolError> {
    let rows = templates::whatsapps().iter().map(|template| WhatsappTemplateRow {
        name: template.name.to_owned(),
        title: template.title.clone(),
        language: template.language.clone(),
        category: template.category.clone(),
        text: template.body.clone(),
        values: template.values.clone(),
        approved: cx
            .desk
            .is_some_and(|desk| desk.whatsapp.templates.contains_key(template.name)),
    });
    Ok(WhatsappTemplates {
        templates: rows.collect(),
    })
}
