//! Templates of mails and of WhatsApp messages: `templates/email` and `templates/whatsapp`,
//! embedded and checked once.
//!
//! A value is put in where its place stands and nowhere else: what a value holds is never read
//! as a place again.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The embedded files of mails, in the order they are listed.
const EMAIL: [(&str, &str); 5] = [
    ("escalamiento", include_str!("../../templates/email/escalamiento.toml")),
    ("acceso", include_str!("../../templates/email/acceso.toml")),
    ("cierre", include_str!("../../templates/email/cierre.toml")),
    ("corte", include_str!("../../templates/email/corte.toml")),
    ("turno", include_str!("../../templates/email/turno.toml")),
];

/// Those of WhatsApp.
const WHATSAPP: [(&str, &str); 4] = [
    (GENERAL, include_str!("../../templates/whatsapp/aviso_general.toml")),
    ("aviso_tarea", include_str!("../../templates/whatsapp/aviso_tarea.toml")),
    (
        "convocatoria",
        include_str!("../../templates/whatsapp/convocatoria.toml"),
    ),
    ("reapertura", include_str!("../../templates/whatsapp/reapertura.toml")),
];

/// The template that carries any short text, with one value.
pub const GENERAL: &str = "aviso_general";
/// The name of that value.
pub const GENERAL_VALUE: &str = "mensaje";
/// Characters of a WhatsApp template, filled (Twilio's 63021).
pub const WHATSAPP_CHARS_MAX: usize = 1_024;

/// A mail to fill in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmailTemplate {
    /// Its name.
    #[serde(skip)]
    pub name: &'static str,
    /// What it is for.
    pub title: String,
    /// What the mail is about.
    pub subject: String,
    /// Its text.
    pub body: String,
}

/// A message that WhatsApp has approved, to fill in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhatsappTemplate {
    /// Its name, by which the settings give its ContentSid.
    #[serde(skip)]
    pub name: &'static str,
    /// What it is for.
    pub title: String,
    /// Its language at WhatsApp.
    pub language: String,
    /// Its category at WhatsApp.
    pub category: String,
    /// Its values in the order of Twilio's variables.
    pub values: Vec<String>,
    /// Its text.
    pub body: String,
}

static EMAILS: LazyLock<Vec<EmailTemplate>> = LazyLock::new(|| {
    let read = |(name, text): &(&'static str, &str)| EmailTemplate {
        name,
        ..parsed(name, text)
    };
    EMAIL.iter().map(read).collect()
});

static WHATSAPPS: LazyLock<Vec<WhatsappTemplate>> = LazyLock::new(|| {
    let read = |(name, text): &(&'static str, &str)| WhatsappTemplate {
        name,
        ..parsed(name, text)
    };
    WHATSAPP.iter().map(read).collect()
});

fn parsed<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> T {
    match toml::from_str(text) {
        Ok(template) => template,
        // The files are embedded, so a test finds this long before anybody runs it.
        Err(error) => panic!("the embedded template {name} is broken: {error}"),
    }
}

/// The templates of mails.
pub fn emails() -> &'static [EmailTemplate] {
    &EMAILS
}

/// The templates of WhatsApp.
pub fn whatsapps() -> &'static [WhatsappTemplate] {
    &WHATSAPPS
}

/// Values that a template needs and were not given, or given and not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.0.join(", "))]
pub struct Unfilled(pub Vec<String>);

impl EmailTemplate {
    /// The places to fill, in the order they are read.
    pub fn values(&self) -> Vec<String> {
        let mut names = places(&self.subject);
        for name in places(&self.body) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Subject and text with the values in their places.
    pub fn filled(&self, values: &BTreeMap<String, String>) -> Result<(String, String), Unfilled> {
        complete(&self.values(), values)?;
        let subject = one_line(&fill(&self.subject, values));
        Ok((subject, fill(&self.body, values).trim().to_owned()))
    }
}

impl WhatsappTemplate {
    /// The text with the values in their places.
    pub fn filled(&self, values: &BTreeMap<String, String>) -> Result<String, Unfilled> {
        complete(&self.values, values)?;
        let flat = values.iter().map(|(k, v)| (k.clone(), one_line(v))).collect();
        Ok(fill(&self.body, &flat))
    }

    /// The values as Twilio's variables: by number, on one line as WhatsApp wants them.
    pub fn variables(&self, values: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let numbered = self.values.iter().enumerate();
        numbered
            .filter_map(|(at, name)| Some(((at + 1).to_string(), one_line(values.get(name)?))))
            .collect()
    }

    /// The values by which this template says exactly `text`; None when it does not.
    pub fn says(&self, text: &str) -> Option<BTreeMap<String, String>> {
        let mut rest = text.trim();
        let mut values = BTreeMap::new();
        let mut pieces = pieces(&self.body).into_iter().peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Text(text) => rest = rest.strip_prefix(text)?,
                Piece::Place(name) => {
                    let end = match pieces.peek() {
                        Some(Piece::Text(next)) => rest.find(next)?,
                        _ => rest.len(),
                    };
                    let (value, after) = rest.split_at_checked(end)?;
                    if value.trim().is_empty() || value.contains('\n') {
                        return None;
                    }
                    values.insert(name.to_owned(), value.to_owned());
                    rest = after;
                }
            }
        }
        rest.trim().is_empty().then_some(values)
    }
}

/// How a message of a person goes out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    whatsapp: String,
    email: String,
    nobody: String,
}

static SIGNATURE: LazyLock<Signature> = LazyLock::new(|| parsed("firma", include_str!("../../templates/firma.toml")));

/// A text for WhatsApp with who sends it; None is the control room.
pub fn signed_whatsapp(text: &str, by: Option<&str>) -> String {
    signed(&SIGNATURE.whatsapp, text, by)
}

/// The same for a mail.
pub fn signed_email(text: &str, by: Option<&str>) -> String {
    signed(&SIGNATURE.email, text, by)
}

fn signed(pattern: &str, text: &str, by: Option<&str>) -> String {
    let name = by.unwrap_or(&SIGNATURE.nobody).to_owned();
    let values = BTreeMap::from([("nombre".to_owned(), name), ("mensaje".to_owned(), text.to_owned())]);
    fill(pattern, &values)
}

/// White space runs, line breaks too, become one space.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn complete(wanted: &[String], values: &BTreeMap<String, String>) -> Result<(), Unfilled> {
    let missing = wanted
        .iter()
        .filter(|name| values.get(*name).is_none_or(|v| v.trim().is_empty()));
    let unknown = values.keys().filter(|name| !wanted.contains(name));
    let faults: Vec<String> = missing.chain(unknown).cloned().collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Unfilled(faults))
    }
}

enum Piece<'t> {
    Text(&'t str),
    Place(&'t str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        pieces.push(Piece::Place(name));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

fn places(text: &str) -> Vec<String> {
    let names = pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Place(name) => Some(name.to_owned()),
        Piece::Text(_) => None,
    });
    names.collect()
}

fn fill(text: &str, values: &BTreeMap<String, String>) -> String {
    let filled = pieces(text).into_iter().map(|piece| match piece {
        Piece::Text(text) => text,
        Piece::Place(name) => values.get(name).map_or("", String::as_str),
    });
    filled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn a_mail_is_filled_once_and_a_missing_or_unknown_value_is_named() {
        let template = emails().iter().find(|t| t.name == "escalamiento").unwrap();
        assert_eq!(template.values(), ["tarea", "sitio", "motivo"]);
        let given = values(&[("tarea", "T-10001"), ("sitio", "{motivo}"), ("motivo", "sin\nenergía")]);
        let (subject, body) = template.filled(&given).unwrap();
        assert_eq!(subject, "Escalamiento T-10001: {motivo}", "a value is no template");
        assert!(body.contains("Motivo: sin\nenergía"));
        let error = template
            .filled(&values(&[("tarea", "T-10001"), ("sitioo", "x")]))
            .unwrap_err();
        assert_eq!(error.to_string(), "sitio, motivo, sitioo");
    }

    #[test]
    fn a_subject_stays_on_one_line_whatever_a_value_holds() {
        let template = emails().iter().find(|t| t.name == "turno").unwrap();
        let given = values(&[("zona", "norte\r\nBcc: x@y.example"), ("resumen", "nada")]);
        assert_eq!(
            template.filled(&given).unwrap().0,
            "Entrega de turno: norte Bcc: x@y.example"
        );
    }

    #[test]
    fn every_whatsapp_template_names_its_places_and_fits() {
        for template in whatsapps() {
            let mut named = places(&template.body);
            named.sort();
            let mut values = template.values.clone();
            values.sort();
            assert_eq!(named, values, "{}", template.name);
            assert!(template.body.chars().count() < WHATSAPP_CHARS_MAX / 2);
            assert_eq!(
                (template.language.as_str(), template.category.as_str()),
                ("es", "UTILITY")
            );
        }
        assert_eq!(whatsapps()[0].values, [GENERAL_VALUE]);
    }

    #[test]
    fn a_text_that_says_what_a_template_says_is_known_as_it() {
        let template = whatsapps().iter().find(|t| t.name == "convocatoria").unwrap();
        let given = values(&[("sitio", "SITE-002"), ("hora", "15:00"), ("motivo", "sin energía.")]);
        let text = template.filled(&given).unwrap();
        assert_eq!(template.says(&text), Some(given.clone()));
        assert_eq!(template.says("hola"), None);
        let variables = template.variables(&given);
        assert_eq!(variables.get("2").map(String::as_str), Some("15:00"));
    }
}
