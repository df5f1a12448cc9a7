//! Mails and messages as people ask for them: to whom, what about, what they say; what is missing
//! is asked for, one thing at a time.
//!
//! What somebody wants said is taken as it stands: it is data, and nothing in it is looked for.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::domain::answer::Answer;
use crate::tools;

use super::extract::pattern;
use super::flow::Flow;
use super::mapper::Missing;
use super::memory::Call;

/// The longest name of a recipient given on its own, words.
const RECIPIENT_WORDS_MAX: usize = 8;

/// A message somebody asks for, as far as they said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The tool that sends or keeps it.
    pub tool: &'static str,
    /// To whom.
    pub to: Option<String>,
    /// What about.
    pub subject: Option<String>,
    /// What it says.
    pub text: Option<String>,
}

static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:hola\W+)?(?:por favor\W+|porfa\W+|necesito\s+|quiero\s+|puedes\s+)?(?:m[aá]nd\w*|env[ií]\w*|escr[ií]b\w*|redact\w*|red[aá]ct\w*|prep[aá]r\w*|arma\w*|haz(?:me)?|crea\w*|guarda\w*|deja\w*|av[ií]s\w*|notif[ií]\w*|despach\w*|borrador|correo|mail|e-?mail|send|draft)\b.{0,30}?\b(?:correo|correito|mail|e-?mail)\b|^\W*(?:correo|mail|e-?mail)\s+(?:a|al|para)\s",
    )
});
static DRAFT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:borrador|redact\w*|red[aá]ct\w*|prep[aá]r\w*|arma\w*|draft|rascunho)\b"));
static WHATSAPP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:hola\W+)?(?:por favor\W+|porfa\W+|necesito\s+|quiero\s+|puedes\s+)?(?:(?:av[ií]sa(?:le|les|r|rle|rles)?|d[ií](?:le|les)|dec[ií]r(?:le|les)|notif[ií]ca(?:le|les|r)?|comun[ií]ca(?:le|les)|cu[eé]nta(?:le|les))\s+(?:por\s+\w+\s+)?(?:a|al|para)\s|(?:m[aá]nda(?:le|les|r|rle)?|env[ií]a(?:le|les|r|rle)?|escr[ií]b[ei](?:le|les)?|send)\b.{0,12}?\b(?:whatsapp|whats|wsp|wasap|wsap|mensaje|mensajito|msj|message)\b|escr[ií]bele\s+(?:a|al)\s|(?:mensaje|whatsapp|wsp|wasap)\s+(?:a|al|para)\s)",
    )
});
/// What ends the name of the recipient.
static TO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:^|\s)(?:a\s+la|a\s+el|al|a|para\s+la|para|to)\s+(.+?)\s*(?:$|[:\n]|,\s|\s(?:con\s*$|con\s+el\s*$|con\s+(?:el\s+)?asunto|asunto|diciendo|dici[eé]ndole\w*|que\s|avisando|informando|por\s|por$|y\s+dile|sin\s|saying|that\s))",
    )
});
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?is)\basunto\s*:?\s*[«\x22“]?([^:\n»\x22”]+?)[»\x22”]?\s*(?:$|[:\n]\s*(.*)|,?\s+(?:y\s+)?(?:cuerpo|texto|mensaje|que\s+diga|diciendo)\s*:?\s*(?:que\s+)?(.*))$",
    )
});
static SAYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?is)(?:\bdici[eé]ndo\w*\s+(?:que\s+)?|\bque\s+diga\s*:?\s*(?:que\s+)?|\bavisando\s+(?:que\s+)?|\binformando\s+(?:que\s+)?|\b(?:cuerpo|texto)\s*:\s*|\bque\s+|\bsaying\s+|:\s+|:\n)(.+)$",
    )
});
static BY_WHATSAPP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\s+(?:por|v[ií]a)\s+(?:whatsapp|whats|wsp|wasap|wsap|mensaje|interno|correo|mail|e-?mail)\b")
});

/// The message that a text plainly asks for.
pub fn spoken(text: &str) -> Option<Spoken> {
    let tool = if MAIL.is_match(text) {
        if DRAFT.is_match(text) {
            "create_email_draft"
        } else {
            "send_email"
        }
    } else if WHATSAPP.is_match(text) {
        "send_whatsapp"
    } else {
        return None;
    };
    Some(parts(tool, text))
}

/// The parts of a message that a text names.
fn parts(tool: &'static str, text: &str) -> Spoken {
    let text = BY_WHATSAPP.replace(text, "");
    let mut spoken = Spoken {
        tool,
        to: None,
        subject: None,
        text: None,
    };
    let mut head = text.as_ref();
    if tool != "send_whatsapp"
        && let Some(found) = SUBJECT.captures(&text)
    {
        spoken.subject = found
            .get(1)
            .map(|m| m.as_str().trim().to_owned())
            .filter(|s| !s.is_empty());
        spoken.text = found.get(2).or_else(|| found.get(3)).and_then(|m| sentence(m.as_str()));
        head = found.get(0).and_then(|m| text.get(..m.start())).unwrap_or(head);
    } else if let Some(found) = SAYS.captures(&text) {
        spoken.text = found.get(1).and_then(|m| sentence(m.as_str()));
        head = found.get(0).and_then(|m| text.get(..m.start())).unwrap_or(head);
    }
    let to = TO
        .captures(head.trim_end())
        .and_then(|found| Some(found.get(1)?.as_str().trim().to_owned()));
    spoken.to = to.filter(|to| !to.is_empty());
    spoken
}

/// Begins with a capital; None when nothing is left.
fn sentence(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '«', '»', '“', '”']).trim();
    let mut letters = text.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

impl Flow<'_> {
    /// A message that the text plainly asks for: its preview, or what is still missing.
    pub fn message_asked(&mut self, text: &str) -> Option<Answer> {
        spoken(text).map(|spoken| self.message(spoken))
    }

    /// The same for the tool that the words came nearest to.
    pub fn message_of(&mut self, tool: &str, text: &str) -> Option<Answer> {
        let tool = ["send_email", "create_email_draft", "send_whatsapp"]
            .into_iter()
            .find(|known| *known == tool)?;
        let said = spoken(text).unwrap_or_else(|| parts(tool, text));
        Some(self.message(said))
    }

    fn message(&mut self, spoken: Spoken) -> Answer {
        let text = if spoken.tool == "send_whatsapp" { "text" } else { "body" };
        let given = [("to", spoken.to), ("subject", spoken.subject), (text, spoken.text)];
        let args: Map<String, Value> = given
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), json!(value?))))
            .collect();
        self.next_of_message(Call {
            tool: spoken.tool.to_owned(),
            args,
        })
    }

    /// What was asked for last of a message; None when nothing was, or this is about something else.
    pub fn message_part(&mut self, text: &str) -> Option<Answer> {
        let asking = self.memory.asking.as_ref()?;
        let fits = match asking.entity.as_str() {
            "recipient" => text.split_whitespace().count() <= RECIPIENT_WORDS_MAX && spoken(text).is_none(),
            "subject" | "body" | "message" => true,
            _ => return None,
        };
        if !fits {
            return None;
        }
        let asking = self.memory.asking.take()?;
        let value = match asking.entity.as_str() {
            "recipient" => {
                let to = text.trim();
                let bare = ["a la ", "al ", "a "].iter().find_map(|word| to.strip_prefix(word));
                bare.unwrap_or(to).to_owned()
            }
            // A subject is one line.
            "subject" => tools::templates::one_line(text),
            _ => text.trim().to_owned(),
        };
        let mut call = asking.call;
        call.args.insert(asking.param, json!(value));
        Some(self.next_of_message(call))
    }

    /// Asks for the first part that is missing, else runs the call.
    fn next_of_message(&mut self, call: Call) -> Answer {
        let parts: &[(&str, &str)] = match call.tool.as_str() {
            "send_whatsapp" => &[("to", "recipient"), ("text", "message")],
            _ => &[("to", "recipient"), ("subject", "subject"), ("body", "body")],
        };
        // A template brings what it says.
        let by_template = call.args.contains_key("template");
        let missing = parts
            .iter()
            .find(|(name, _)| !call.args.contains_key(*name) && (*name == "to" || !by_template));
        match missing {
            None => self.run_or_ask(call),
            Some((param, entity)) => {
                let missing = Missing {
                    param: (*param).to_owned(),
                    entity: (*entity).to_owned(),
                };
                self.ask_for(call, &missing)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> (String, String, String, String) {
        let spoken = spoken(text).unwrap_or_else(|| panic!("{text}"));
        let or_empty = Option::unwrap_or_default;
        (
            spoken.tool.to_owned(),
            or_empty(spoken.to),
            or_empty(spoken.subject),
            or_empty(spoken.text),
        )
    }

    #[test]
    fn the_parts_of_a_message_are_found_where_they_stand() {
        for (text, tool, to, subject, body) in [
            (
                "manda un correo a ximena rojas con asunto Corte SITE-002: sin energía desde las 10",
                "send_email",
                "ximena rojas",
                "Corte SITE-002",
                "Sin energía desde las 10",
            ),
            (
                "Envía un mail a E-002 asunto acceso, cuerpo: pido acceso mañana",
                "send_email",
                "E-002",
                "acceso",
                "Pido acceso mañana",
            ),
            (
                "enviale un correo a ana@otro.example diciendo que voy atrasado",
                "send_email",
                "ana@otro.example",
                "",
                "Voy atrasado",
            ),
            ("mandale un correo a ximena rojas", "send_email", "ximena rojas", "", ""),
            (
                "redacta un correo para ximena rojas",
                "create_email_draft",
                "ximena rojas",
                "",
                "",
            ),
            (
                "avisale por whatsapp a la cuadrilla norte 1 que hay corte en SITE-002",
                "send_whatsapp",
                "cuadrilla norte 1",
                "",
                "Hay corte en SITE-002",
            ),
            (
                "avisale a ximena rojas que voy atrasado",
                "send_whatsapp",
                "ximena rojas",
                "",
                "Voy atrasado",
            ),
            ("dile a luis que me llame", "send_whatsapp", "luis", "", "Me llame"),
            (
                "manda un whatsapp a E-002: llegó el repuesto",
                "send_whatsapp",
                "E-002",
                "",
                "Llegó el repuesto",
            ),
            (
                "mandale un mensaje a la cuadrilla CU-AN-01",
                "send_whatsapp",
                "cuadrilla CU-AN-01",
                "",
                "",
            ),
            (
                "avísale por correo a ximena rojas que no hay acceso",
                "send_email",
                "ximena rojas",
                "",
                "No hay acceso",
            ),
        ] {
            let expected = (tool.to_owned(), to.to_owned(), subject.to_owned(), body.to_owned());
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn questions_and_orders_of_other_kinds_are_no_messages() {
        for text in [
            "plantillas de correo",
            "qué plantillas de whatsapp hay",
            "estado sitio 2",
            "fotos de la 10005",
            "avísame cuando llegue",
            "cierra la T-10001",
            "notas de la tarea 10001",
            "qué tareas tiene ximena rojas",
            "dime el estado del sitio 2",
            "agrega una nota a la T-10001: mandé un correo al proveedor",
        ] {
            assert_eq!(spoken(text), None, "{text}");
        }
    }
}
