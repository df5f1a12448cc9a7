//! E-mail: what would be sent, drafts for a person to send, and the templates there are.

mod send;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::sets::System;

use super::contract::{Cx, Module, Outcome, ToolError, probe};
use super::writing::write;
use super::{disabled, templates};

pub use send::{Draft, DraftEmailArgs, MailPreview, MailTo, SendEmailArgs};

pub(super) static MODULE: Module = Module {
    name: "email",
    tools: &[
        &write("send_email", System::Field, send::preview, send::commit),
        &probe("list_email_templates", &[], list_email_templates),
        &probe("create_email_draft", &[System::Field], send::draft),
    ],
    disabled: disabled::EMAIL,
};

/// The templates of mails, with the values each needs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEmailTemplatesArgs {}

/// The templates of mails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EmailTemplates {
    /// Each of them.
    pub templates: Vec<EmailTemplateRow>,
}

/// A template of mails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EmailTemplateRow {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub title: String,
    /// What the mail is about.
    pub subject: String,
    /// What has to be given for it.
    pub values: Vec<String>,
}

impl Outcome for EmailTemplates {
    fn count(&self) -> Option<u64> {
        Some(self.templates.len() as u64)
    }
}

fn list_email_templates(_: &Cx<'_>, _: &mut ListEmailTemplatesArgs) -> Result<EmailTemplates, ToolError> {
    let rows = templates::emails().iter().map(|template| EmailTemplateRow {
        name: template.name.to_owned(),
        title: template.title.clone(),
        subject: template.subject.clone(),
        values: template.values(),
    });
    Ok(EmailTemplates {
        templates: rows.collect(),
    })
}
