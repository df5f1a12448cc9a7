//! `send_whatsapp`: a message to people of the directory, a crew, or a number that the settings allow.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::change::{Change, Recipient, WhatsappContent};
use crate::domain::message::Address;
use crate::guardrails::write::Confirmed;
use crate::tools::contract::{Cx, Outcome, Refusal, ToolError};
use crate::tools::params::{MessageText, TemplateName, ToRef};
use crate::tools::recipients::By;
use crate::tools::rows::Named;
use crate::tools::templates;
use crate::tools::writing::{ConfirmationToken, DryRun, Preview};

use super::letters::{conversation_id, said};

/// WhatsApp takes free text for so long after the person's last message.
const WINDOW: SignedDuration = SignedDuration::from_hours(24);
/// Files of one message.
const FILES_MAX: usize = 10;

/// Sends a WhatsApp message to a person, a crew or a number. It previews, with whether each one's 24 hour window is open; only a person's yes sends it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendWhatsappArgs {
    /// to whom: phone like +56912345678, name, id like E-001, or crew; several separated by commas
    pub to: ToRef,
    /// the text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<MessageText>,
    /// an approved template in the place of the text, by its name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateName>,
    /// what the template's places stand for
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// files received that go with it, by their ids
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub media_ids: Vec<Uuid>,
    /// only a preview
    #[serde(default)]
    pub dry_run: DryRun,
    /// what came with the preview
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_token: Option<ConfirmationToken>,
}

/// How a message reaches somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Way {
    /// As free text: their 24 hours are open.
    Text,
    /// As an approved template: they are not.
    Template,
    /// Once they write again: they are not, and there is no approved template.
    Waits,
    /// Not at all: they want no messages.
    OptedOut,
}

/// Somebody a message goes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageTo {
    /// The person of the directory.
    pub person: Option<Named>,
    /// The number, where the asker may see it.
    pub phone: Option<String>,
    /// Whether their 24 hour window is open, by our clock.
    pub window_open: bool,
    /// Until when, while it is.
    #[schemars(with = "Option<String>")]
    pub window_until: Option<Timestamp>,
    /// How it reaches them.
    pub way: Way,
}

/// A message as it would leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessagePreview {
    /// To whom.
    pub to: Vec<MessageTo>,
    /// The text.
    pub text: String,
    /// How many files go with it.
    #[schemars(extend("labels" = ["archivos", "adjuntos"]))]
    pub files: u64,
    /// What it goes to: when that changes, a yes was to something else.
    #[serde(skip)]
    pub(super) addresses: Vec<String>,
}

impl Outcome for MessagePreview {
    fn count(&self) -> Option<u64> {
        Some(self.to.len() as u64)
    }
}

impl Preview for MessagePreview {
    fn basis(&self) -> Value {
        json!({ "to": self.addresses, "text": self.text })
    }
}

pub(super) fn preview(cx: &Cx<'_>, args: &mut SendWhatsappArgs) -> Result<MessagePreview, ToolError> {
    let (to, content) = resolved(cx, args)?;
    let desk = cx.desk.ok_or(ToolError::Refused {
        reason: Refusal::NoStore,
    })?;
    let (text, template) = said(&desk.whatsapp, &content);
    let rows: Vec<MessageTo> = to.iter().map(|r| cx.message_to(r, template.is_some())).collect();
    if rows.iter().all(|row| row.way == Way::OptedOut) {
        return Err(ToolError::Refused {
            reason: Refusal::NobodyReachable,
        });
    }
    Ok(MessagePreview {
        to: rows,
        text,
        files: args.media_ids.len() as u64,
        addresses: to.into_iter().map(|r| r.address).collect(),
    })
}

pub(super) fn commit(_: &Confirmed, cx: &Cx<'_>, args: &SendWhatsappArgs) -> Result<Change, ToolError> {
    let mut args = args.clone();
    let (to, content) = resolved(cx, &mut args)?;
    Ok(Change::SendWhatsapp {
        to,
        content,
        media: args.media_ids,
    })
}

fn resolved(cx: &Cx<'_>, args: &mut SendWhatsappArgs) -> Result<(Vec<Recipient>, WhatsappContent), ToolError> {
    let to = cx.recipients(&mut args.to, By::Whatsapp)?;
    let content = match (&args.text, &args.template) {
        (Some(text), None) => {
            let text: String = text
                .as_str()
                .chars()
                .filter(|c| !c.is_control() || *c == '\n')
                .collect();
            // What says an approved template word for word stays that.
            let whole = templates::whatsapps().iter().any(|t| t.says(&text).is_some());
            let by = cx.caller.person().map(|p| p.name.as_str());
            WhatsappContent::Text(if whole {
                text
            } else {
                templates::signed_whatsapp(&text, by)
            })
        }
        (None, Some(name)) => {
            let known = templates::whatsapps();
            let template = known.iter().find(|t| t.name == name.as_str()).ok_or_else(|| {
                let names: Vec<&str> = known.iter().map(|t| t.name).collect();
                ToolError::argument("template", names.join(", "))
            })?;
            let filled = template.filled(&args.values);
            filled.map_err(|e| ToolError::argument("values", e.to_string()))?;
            WhatsappContent::Template {
                name: template.name.to_owned(),
                values: args.values.clone(),
            }
        }
        (Some(_), Some(_)) => return Err(ToolError::argument("text", "text or template, not both")),
        (None, None) => return Err(ToolError::argument("text", "missing field `text`")),
    };
    if args.media_ids.len() > FILES_MAX {
        return Err(ToolError::argument("media_ids", format!("at most {FILES_MAX} files")));
    }
    if !args.media_ids.is_empty() {
        let desk = cx.desk;
        let public = desk
            .and_then(|d| d.links.as_ref())
            .is_some_and(|links| links.reaches_outside());
        if !public {
            return Err(ToolError::Refused {
                reason: Refusal::NoPublicUrl,
            });
        }
        for id in &args.media_ids {
            let found = desk.and_then(|d| d.read(|store| store.media(*id))).flatten();
            if found.is_none() {
                return Err(ToolError::NotFound {
                    kind: "record",
                    given: id.to_string(),
                    nearest: vec![],
                });
            }
        }
    }
    Ok((to, content))
}

impl Cx<'_> {
    fn message_to(&self, recipient: &Recipient, has_template: bool) -> MessageTo {
        let person = self.known(recipient.employee.as_ref());
        let may_see = person.is_none_or(|person| self.sees_phone_of(person));
        let phone = recipient.address.strip_prefix("whatsapp:").unwrap_or_default();
        let conversation = Address::parse(&recipient.address)
            .ok()
            .and_then(|address| self.desk?.conversation(&conversation_id(recipient, &address)));
        // The window is WhatsApp's: the machine's time counts, not business time.
        let last = conversation.as_ref().and_then(|c| c.last_inbound_at);
        let until = last.and_then(|at| at.checked_add(WINDOW).ok());
        let open = until.is_some_and(|until| Timestamp::now() < until);
        let way = match conversation.is_some_and(|c| c.opted_out) {
            true => Way::OptedOut,
            false if open => Way::Text,
            false if has_template => Way::Template,
            false => Way::Waits,
        };
        MessageTo {
            person: self.named(recipient.employee.as_ref()),
            phone: may_see.then(|| phone.to_owned()),
            window_open: open,
            window_until: until.filter(|_| open),
            way,
        }
    }
}
