//! Mails and messages as they would leave, templates, and files received.

use std::fmt::Display;

use crate::domain::answer::{Answer, Item, Severity};
use crate::format::phrases;
use crate::tools::Output;
use crate::tools::answers::{
    Draft, EmailTemplates, MailPreview, MailTo, MediaList, MediaRow, MessagePreview, MessageTo, Way, WhatsappTemplates,
};
use crate::tools::rows::Named;

use super::pen::{Pen, add, flat, item, list, plain_item, titled};

/// Recipients that are named one by one.
const NAMED_MAX: usize = 12;

fn say(key: &str, args: &[(&str, &dyn Display)]) -> String {
    phrases().say(&format!("messages.{key}"), args)
}

pub(super) fn mail(_: &Pen<'_>, answer: &MailPreview) -> Answer {
    let mut shown = titled(say("mail.preview", &[]));
    letter(&mut shown, answer);
    if !answer.can_send {
        shown.notes.push(say("mail.cannot_send", &[]));
    }
    shown
}

pub(super) fn draft(_: &Pen<'_>, answer: &Draft) -> Answer {
    let mut shown = titled(say("mail.draft", &[]));
    letter(&mut shown, &answer.mail);
    shown.notes.push(say("mail.draft_note", &[("id", &answer.id)]));
    shown
}

fn letter(shown: &mut Answer, mail: &MailPreview) {
    let names: Vec<String> = mail.to.iter().map(mail_to).collect();
    add(shown, say("mail.to", &[("list", &list(&names))]));
    add(shown, say("mail.subject", &[("subject", &flat(&mail.subject))]));
    for line in mail.body.lines() {
        add(shown, line.to_owned());
    }
}

fn mail_to(to: &MailTo) -> String {
    match (&to.person, &to.address) {
        (Some(person), Some(address)) => format!("{} <{address}>", flat(&person.name)),
        (Some(person), None) => named(person),
        (None, Some(address)) => address.clone(),
        (None, None) => String::new(),
    }
}

fn named(person: &Named) -> String {
    say("message.person", &[("name", &flat(&person.name)), ("id", &person.id)])
}

pub(super) fn email_templates(answer: &EmailTemplates) -> Answer {
    let n = answer.templates.len();
    let mut shown = titled(say("mail.templates", &[("n", &n)]));
    shown.items = answer
        .templates
        .iter()
        .map(|row| {
            let values = row.values.join(", ");
            let args: &[(&str, &dyn Display)] = &[("name", &row.name), ("title", &row.title), ("values", &values)];
            plain_item(say("mail.template", args), Severity::Normal, None)
        })
        .collect();
    shown
}

pub(super) fn message(pen: &Pen<'_>, answer: &MessagePreview) -> Answer {
    let mut shown = titled(say("message.preview", &[]));
    let n = answer.to.len();
    if n > 1 {
        add(&mut shown, say("message.summary", &[("n", &n)]));
    }
    for to in answer.to.iter().take(NAMED_MAX) {
        add(&mut shown, message_to(pen, to));
    }
    for line in answer.text.lines() {
        add(&mut shown, line.to_owned());
    }
    if answer.files > 0 {
        shown.notes.push(say("message.files", &[("n", &answer.files)]));
    }
    shown
}

fn message_to(pen: &Pen<'_>, to: &MessageTo) -> String {
    let who = match (&to.person, &to.phone) {
        (Some(person), _) => named(person),
        (None, Some(phone)) => phone.clone(),
        (None, None) => String::new(),
    };
    let until = to.window_until.map(|at| {
        let local = at.to_zoned_datetime(pen.tz().clone());
        local.strftime("%H:%M").to_string()
    });
    let how = match to.way {
        Way::Text => say("message.text", &[("time", &until.unwrap_or_default())]),
        Way::Template => say("message.template", &[]),
        Way::Waits => say("message.waits", &[]),
        Way::OptedOut => say("message.opted_out", &[]),
    };
    say("message.to", &[("who", &who), ("how", &how)])
}

pub(super) fn whatsapp_templates(answer: &WhatsappTemplates) -> Answer {
    let n = answer.templates.len();
    let mut shown = titled(say("message.templates", &[("n", &n)]));
    shown.items = answer
        .templates
        .iter()
        .map(|row| {
            let approved = if row.approved {
                "message.approved"
            } else {
                "message.not_approved"
            };
            let (approved, values) = (say(approved, &[]), row.values.join(", "));
            let args: &[(&str, &dyn Display)] = &[
                ("name", &row.name),
                ("approved", &approved),
                ("text", &row.text),
                ("values", &values),
            ];
            plain_item(say("message.row", args), Severity::Normal, None)
        })
        .collect();
    shown
}

pub(super) fn media(pen: &Pen<'_>, answer: &MediaList, output: &Output) -> Answer {
    let asked = |key: &str| output.params.get(key).and_then(serde_json::Value::as_str);
    let id = asked("task_id").or_else(|| asked("site_id"));
    let what = id.map(|id| say("media.of", &[("id", &id)])).unwrap_or_default();
    let mut shown = titled(say("media.title", &[("n", &answer.total), ("what", &what)]));
    shown.items = answer.files.iter().map(|row| file(pen, row)).collect();
    shown.beyond = answer.total.saturating_sub(answer.files.len() as u64);
    if answer.files.iter().any(|row| row.link.is_some()) {
        shown.notes.push(say("media.note", &[]));
    }
    shown
}

fn file(pen: &Pen<'_>, row: &MediaRow) -> Item {
    let kind = say(&format!("media.kind.{}", row.kind), &[]);
    let at = pen.at(row.at);
    let part = |key: &str, name: &str, value: Option<String>| {
        value.map_or_else(String::new, |value| say(key, &[(name, &value)]))
    };
    let from = part("media.from", "name", row.from.as_ref().map(|p| flat(&p.name)));
    let about = row
        .task_id
        .as_ref()
        .map(ToString::to_string)
        .or_else(|| row.site_id.as_ref().map(ToString::to_string));
    let place = part("media.place", "id", about.clone());
    let caption = part("media.caption", "text", row.caption.as_deref().map(flat));
    let args: &[(&str, &dyn Display)] = &[
        ("kind", &kind),
        ("at", &at),
        ("from", &from),
        ("place", &place),
        ("caption", &caption),
    ];
    let mut text = say("media.row", args);
    if let Some(link) = &row.link {
        text = say("media.link", &[("row", &text), ("link", link)]);
    }
    match about {
        Some(about) => item(text, Severity::Normal, about),
        None => Item {
            subject: None,
            ..item(text, Severity::Normal, "")
        },
    }
}
