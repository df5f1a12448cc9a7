//! `send_email` and `create_email_draft`: one mail, resolved and shown before it leaves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::change::{Change, Recipient};
use crate::domain::mail::is_subject;
use crate::guardrails::write::Confirmed;
use crate::store::MailDraft;
use crate::tools::contract::{Cx, Outcome, Refusal, ToolError};
use crate::tools::params::{MailBody, SubjectText, TemplateName, ToRef};
use crate::tools::recipients::By;
use crate::tools::rows::Named;
use crate::tools::templates;
use crate::tools::writing::{ConfirmationToken, DryRun, Preview};

/// Sends a mail to people of the directory, or where the settings allow it outside. It previews; only a person's yes sends it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendEmailArgs {
    /// to whom: mail address, name or id like E-001; several separated by commas
    pub to: ToRef,
    /// what the mail is about; a template brings its own
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<SubjectText>,
    /// the text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<MailBody>,
    /// a template in the place of the text, by its name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateName>,
    /// what the template's places stand for
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// only a preview
    #[serde(default)]
    pub dry_run: DryRun,
    /// what came with the preview
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_token: Option<ConfirmationToken>,
}

/// Keeps the draft of a mail for a person to send; nothing leaves.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftEmailArgs {
    /// to whom: mail address, name or id like E-001; several separated by commas
    pub to: ToRef,
    /// what the mail is about; a template brings its own
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<SubjectText>,
    /// the text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<MailBody>,
    /// a template in the place of the text, by its name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateName>,
    /// what the template's places stand for
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
}

/// Somebody a mail goes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MailTo {
    /// The person of the directory.
    pub person: Option<Named>,
    /// The address, where the asker may see it.
    pub address: Option<String>,
}

/// A mail as it would leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MailPreview {
    /// To whom.
    pub to: Vec<MailTo>,
    /// What about.
    pub subject: String,
    /// The text.
    pub body: String,
    /// Whether mail can be sent at all.
    pub can_send: bool,
    /// What it goes to: when that changes, a yes was to something else.
    #[serde(skip)]
    pub(super) addresses: Vec<String>,
}

impl Outcome for MailPreview {}

impl Preview for MailPreview {
    fn basis(&self) -> Value {
        json!({ "to": self.addresses, "subject": self.subject, "body": self.body })
    }
}

/// A draft that was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// Its id.
    pub id: String,
    /// The mail.
    #[serde(flatten)]
    pub mail: MailPreview,
}

impl Outcome for Draft {}

/// A mail, resolved.
struct Mail {
    to: Vec<Recipient>,
    subject: String,
    body: String,
}

/// What both tools are given.
struct Given<'g> {
    to: &'g mut ToRef,
    subject: Option<&'g SubjectText>,
    body: Option<&'g MailBody>,
    template: Option<&'g TemplateName>,
    values: &'g BTreeMap<String, String>,
}

impl Given<'_> {
    fn mail(self, cx: &Cx<'_>) -> Result<Mail, ToolError> {
        let (own_subject, text) = self.text()?;
        let subject = match (self.subject, own_subject) {
            (Some(given), _) => given.as_str().to_owned(),
            (None, Some(own)) => own,
            (None, None) => return Err(ToolError::argument("subject", "missing field `subject`")),
        };
        if !is_subject(&subject) {
            return Err(ToolError::argument("subject", "a subject on one line is needed"));
        }
        let to = cx.recipients(self.to, By::Mail)?;
        let text: String = text
            .chars()
            .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
            .collect();
        Ok(Mail {
            to,
            subject,
            body: templates::signed_email(text.trim(), cx.caller.person().map(|p| p.name.as_str())),
        })
    }

    /// The subject that a template brings, and the text.
    fn text(&self) -> Result<(Option<String>, String), ToolError> {
        match (self.body, self.template) {
            (Some(body), None) => Ok((None, body.as_str().to_owned())),
            (None, Some(name)) => {
                let known = templates::emails();
                let template = known.iter().find(|t| t.name == name.as_str()).ok_or_else(|| {
                    let names: Vec<&str> = known.iter().map(|t| t.name).collect();
                    ToolError::argument("template", names.join(", "))
                })?;
                let filled = template.filled(self.values);
                let (subject, body) = filled.map_err(|e| ToolError::argument("values", e.to_string()))?;
                Ok((Some(subject), body))
            }
            (Some(_), Some(_)) => Err(ToolError::argument("body", "body or template, not both")),
            (None, None) => Err(ToolError::argument("body", "missing field `body`")),
        }
    }
}

impl SendEmailArgs {
    fn given(&mut self) -> Given<'_> {
        Given {
            to: &mut self.to,
            subject: self.subject.as_ref(),
            body: self.body.as_ref(),
            template: self.template.as_ref(),
            values: &self.values,
        }
    }
}

pub(super) fn preview(cx: &Cx<'_>, args: &mut SendEmailArgs) -> Result<MailPreview, ToolError> {
    let mail = args.given().mail(cx)?;
    Ok(cx.mail_shown(mail))
}

pub(super) fn commit(_: &Confirmed, cx: &Cx<'_>, args: &SendEmailArgs) -> Result<Change, ToolError> {
    let mail = args.clone().given().mail(cx)?;
    Ok(Change::SendEmail {
        to: mail.to,
        subject: mail.subject,
        body: mail.body,
    })
}

pub(super) fn draft(cx: &Cx<'_>, args: &mut DraftEmailArgs) -> Result<Draft, ToolError> {
    if cx.caller.is_guest() {
        return Err(ToolError::Refused {
            reason: Refusal::ReadOnly,
        });
    }
    let given = Given {
        to: &mut args.to,
        subject: args.subject.as_ref(),
        body: args.body.as_ref(),
        template: args.template.as_ref(),
        values: &args.values,
    };
    let mail = given.mail(cx)?;
    let shown = cx.mail_shown(mail);
    let no_store = ToolError::Refused {
        reason: Refusal::NoStore,
    };
    let draft = MailDraft {
        id: Uuid::now_v7(),
        at: cx.now,
        by: cx.caller.person().map(|p| p.id.clone()),
        to: shown.addresses.clone(),
        subject: shown.subject.clone(),
        body: shown.body.clone(),
    };
    let id = cx.desk.and_then(|desk| desk.keep_draft(draft)).ok_or(no_store)?;
    Ok(Draft {
        id: id.to_string(),
        mail: shown,
    })
}

impl Cx<'_> {
    /// A mail with what the asker may see of its addresses.
    fn mail_shown(&self, mail: Mail) -> MailPreview {
        let to = mail.to.iter().map(|recipient| {
            let person = self.known(recipient.employee.as_ref());
            let may_see = person.is_none_or(|person| self.sees_phone_of(person));
            MailTo {
                person: self.named(recipient.employee.as_ref()),
                address: may_see.then(|| recipient.address.clone()),
            }
        });
        MailPreview {
            to: to.collect(),
            subject: mail.subject,
            body: mail.body,
            can_send: self.desk.is_some_and(|desk| desk.mail.is_set()),
            addresses: mail.to.into_iter().map(|r| r.address).collect(),
        }
    }
}
