//! From a confirmed message to what the outbox sends: to each person by their own conversation, with
//! an approved template that says the same for when free text is no longer taken.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::config::Whatsapp;
use crate::domain::change::{Change, Recipient, WhatsappContent};
use crate::domain::conversation::{of_address, of_person};
use crate::domain::message::Address;
use crate::domain::outbound::{ContentTemplate, NewOutbound, Purpose};
use crate::store::Conversation;
use crate::tools::desk::Desk;
use crate::tools::templates::{self, GENERAL, GENERAL_VALUE, WHATSAPP_CHARS_MAX};

/// What the outbox sends for a change: empty for what is no message, and where we have no number to
/// send from. People who want no messages get none.
pub fn letters(desk: &Desk, change: &Change) -> Vec<NewOutbound> {
    let Change::SendWhatsapp { to, content, media } = change else {
        return Vec::new();
    };
    to.iter()
        .flat_map(|recipient| letters_to(desk, recipient, content, media))
        .collect()
}

fn letters_to(desk: &Desk, to: &Recipient, content: &WhatsappContent, media: &[Uuid]) -> Vec<NewOutbound> {
    let Ok(address) = Address::parse(&to.address) else {
        return Vec::new();
    };
    let id = conversation_id(to, &address);
    let conversation = desk.conversation(&id);
    if conversation.as_ref().is_some_and(|c| c.opted_out) {
        return Vec::new();
    }
    let (written, ours) = conversation.map_or((None, None), |c| (c.reply_to, c.our_number));
    let Some(from) = ours.or_else(|| desk.senders.first().cloned()) else {
        return Vec::new();
    };
    let (body, template) = said(&desk.whatsapp, content);
    let message = NewOutbound {
        conversation: id,
        to: written.unwrap_or(address),
        from,
        body,
        purpose: Purpose::Notice,
        answers: Vec::new(),
        suggestions: Vec::new(),
        template,
        media: None,
    };
    // WhatsApp has one file a message.
    let files = media.iter().skip(1).map(|file| NewOutbound {
        body: String::new(),
        template: None,
        media: Some(*file),
        ..message.clone()
    });
    let first = NewOutbound {
        media: media.first().copied(),
        ..message.clone()
    };
    std::iter::once(first).chain(files).collect()
}

/// The conversation of a recipient.
pub(super) fn conversation_id(to: &Recipient, address: &Address) -> String {
    to.employee.as_ref().map_or_else(|| of_address(address), of_person)
}

/// The text, and the approved template that says the same.
pub(super) fn said(settings: &Whatsapp, content: &WhatsappContent) -> (String, Option<ContentTemplate>) {
    match content {
        WhatsappContent::Template { name, values } => {
            let template = templates::whatsapps().iter().find(|t| t.name == name);
            let body = template.and_then(|t| t.filled(values).ok()).unwrap_or_default();
            (body, approved(settings, name, values))
        }
        WhatsappContent::Text(text) => (text.clone(), twin(settings, text)),
    }
}

/// A text that is word for word an approved template goes as that; any other short one as the
/// general template.
fn twin(settings: &Whatsapp, text: &str) -> Option<ContentTemplate> {
    let same = templates::whatsapps()
        .iter()
        .find_map(|t| Some((t.name, t.says(text)?)));
    if let Some(found) = same.and_then(|(name, values)| approved(settings, name, &values)) {
        return Some(found);
    }
    let values = BTreeMap::from([(GENERAL_VALUE.to_owned(), text.to_owned())]);
    approved(settings, GENERAL, &values)
}

fn approved(settings: &Whatsapp, name: &str, values: &BTreeMap<String, String>) -> Option<ContentTemplate> {
    let content_sid = settings.templates.get(name)?.clone();
    let template = templates::whatsapps().iter().find(|t| t.name == name)?;
    let filled = template.filled(values).ok()?;
    (filled.chars().count() <= WHATSAPP_CHARS_MAX).then(|| ContentTemplate {
        content_sid,
        variables: template.variables(values),
    })
}

impl Desk {
    /// What the store holds of a conversation.
    pub(super) fn conversation(&self, id: &str) -> Option<Conversation> {
        self.read(|store| store.conversation(id)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(names: &[&str]) -> Whatsapp {
        let sid = |n: usize| format!("HX{n:032x}");
        Whatsapp {
            outside: String::new(),
            templates: names
                .iter()
                .enumerate()
                .map(|(n, name)| ((*name).to_owned(), sid(n)))
                .collect(),
        }
    }

    #[test]
    fn a_text_goes_as_the_general_template_on_one_line() {
        let text = WhatsappContent::Text("Mensaje de Ana:\nvayan al sitio".to_owned());
        let (body, template) = said(&settings(&[GENERAL]), &text);
        assert_eq!(body, "Mensaje de Ana:\nvayan al sitio");
        assert_eq!(template.unwrap().variables["1"], "Mensaje de Ana: vayan al sitio");
        assert_eq!(said(&settings(&[]), &text).1, None);
    }

    // PF008
    #[test]
    fn a_text_that_is_an_approved_template_goes_by_its_id() {
        let text = "Hola Ana, hay un mensaje pendiente para ti. Responde a este mensaje para recibirlo.";
        let (_, template) = said(
            &settings(&[GENERAL, "reapertura"]),
            &WhatsappContent::Text(text.to_owned()),
        );
        let template = template.unwrap();
        assert!(template.content_sid.ends_with('1'), "{template:?}");
        assert_eq!(template.variables["1"], "Ana");
    }

    #[test]
    fn what_is_too_long_for_a_template_has_none() {
        let text = WhatsappContent::Text("palabra ".repeat(170));
        assert_eq!(said(&settings(&[GENERAL]), &text).1, None);
    }
}
