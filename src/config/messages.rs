//! Outgoing mail, and the messages that we begin on WhatsApp.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::{ConfigError, list, wrong};

/// Outgoing mail.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// Where mail is handed over, with user and password; empty when none is sent.
    pub url: SecretString,
    /// Who mails come from; empty means the URL's user.
    pub from: String,
    /// Where answers go; empty means to the sender.
    pub reply_to: String,
    /// Seconds of one mail, end to end.
    pub timeout_secs: u64,
    /// Addresses or domains outside the directory that may be written to.
    pub outside: String,
}

impl Mail {
    /// Can mail be sent?
    pub fn is_set(&self) -> bool {
        !self.url.expose_secret().is_empty()
    }

    /// Who mails come from.
    pub fn sender(&self) -> Option<String> {
        if !self.from.trim().is_empty() {
            return Some(self.from.trim().to_owned());
        }
        let url = self.url.expose_secret();
        let (user, _) = url.split_once("://")?.1.rsplit_once('@')?;
        let user = user.split(':').next().unwrap_or(user);
        let user = percent_encoding::percent_decode_str(user).decode_utf8().ok()?;
        user.contains('@').then(|| user.into_owned())
    }

    /// May this address outside the directory be written to?
    pub fn admits(&self, address: &str) -> bool {
        let address = address.to_lowercase();
        list(&self.outside).iter().any(|entry| {
            let entry = entry.to_lowercase();
            match entry.strip_prefix('@').unwrap_or(&entry) {
                domain if !domain.contains('@') => address.rsplit_once('@').is_some_and(|(_, d)| d == domain),
                whole => whole == address,
            }
        })
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !self.is_set() {
            return Ok(());
        }
        let url = self.url.expose_secret();
        if !url.starts_with("smtp://") && !url.starts_with("smtps://") {
            return Err(wrong(
                "SMTP_URL",
                "smtp://USER:PASSWORD@HOST:587?tls=required or smtps://… is needed",
            ));
        }
        let (target, options) = url.split_once('?').unwrap_or((url, ""));
        let host = target.rsplit_once('@').map(|(_, host)| host);
        let here = |host: &str| ["127.0.0.1", "localhost", "[::1]"].iter().any(|h| host.starts_with(h));
        let in_clear = url.starts_with("smtp://") && !options.split('&').any(|option| option == "tls=required");
        if in_clear && host.is_some_and(|host| !here(host)) {
            return Err(wrong(
                "SMTP_URL",
                "its password would travel in clear: add ?tls=required, or use smtps://",
            ));
        }
        if self.sender().is_none() {
            return Err(wrong(
                "mail.from",
                "is missing: the address that mails come from, since SMTP_URL's user is none",
            ));
        }
        if !(1..=300).contains(&self.timeout_secs) {
            return Err(wrong("mail.timeout_secs", "1 to 300 is needed"));
        }
        Ok(())
    }
}

/// Messages that we begin on WhatsApp.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Whatsapp {
    /// Numbers, or their beginnings with `*`, outside the directory that may be written to.
    pub outside: String,
    /// The ContentSid of each approved template, by its name.
    #[serde(default)]
    pub templates: BTreeMap<String, String>,
}

impl Whatsapp {
    /// May this number outside the directory be written to?
    pub fn admits(&self, phone: &str) -> bool {
        list(&self.outside).iter().any(|entry| match entry.strip_suffix('*') {
            Some(beginning) => beginning.starts_with('+') && phone.starts_with(beginning),
            None => entry == phone,
        })
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (name, sid) in &self.templates {
            let hex = sid
                .strip_prefix("HX")
                .is_some_and(|h| h.len() == 32 && h.bytes().all(|b| b.is_ascii_hexdigit()));
            if !hex {
                return Err(wrong(
                    &format!("whatsapp.templates.{name}"),
                    "HX and 32 hexadecimal digits are needed",
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(url: &str, from: &str, outside: &str) -> Mail {
        Mail {
            url: url.to_owned().into(),
            from: from.to_owned(),
            reply_to: String::new(),
            timeout_secs: 20,
            outside: outside.to_owned(),
        }
    }

    #[test]
    fn the_sender_is_the_one_set_else_the_user_of_the_url() {
        let url = "smtp://relevo%40example.com:p%40ss@mail.example.com:587?tls=required";
        assert_eq!(mail(url, "", "").sender().as_deref(), Some("relevo@example.com"));
        assert_eq!(
            mail(url, "noc@example.com", "").sender().as_deref(),
            Some("noc@example.com")
        );
        let error = mail("smtp://127.0.0.1:25", "", "").check().unwrap_err().to_string();
        assert!(error.starts_with("mail.from"), "{error}");
        assert!(mail("http://x", "a@b.c", "").check().is_err());
        let clear = mail(
            "smtp://ana:f00dface@mail.example.com:587?tls=opportunistic",
            "a@b.c",
            "",
        );
        let error = clear.check().unwrap_err().to_string();
        assert!(error.contains("in clear") && !error.contains("f00dface"), "{error}");
        assert!(mail(url, "", "").check().is_ok());
        assert!(!format!("{:?}", mail(url, "", "")).contains("p%40ss"));
    }

    #[test]
    fn outside_the_directory_only_what_is_listed_is_admitted() {
        let mail = mail("", "", "proveedor.example, ana@otro.example");
        assert!(mail.admits("Luis@Proveedor.example") && mail.admits("ana@otro.example"));
        assert!(!mail.admits("luis@otro.example") && !mail.admits("x@malproveedor.example"));
        let whatsapp = Whatsapp {
            outside: "+5622*, +56987654321".to_owned(),
            templates: BTreeMap::new(),
        };
        assert!(whatsapp.admits("+56221234567") && whatsapp.admits("+56987654321"));
        assert!(!whatsapp.admits("+56987654322") && !whatsapp.admits("+51987654321"));
    }

    #[test]
    fn a_template_is_named_by_a_content_id() {
        let with = |sid: &str| Whatsapp {
            outside: String::new(),
            templates: BTreeMap::from([("aviso".to_owned(), sid.to_owned())]),
        };
        assert!(with("HX0123456789abcdef0123456789abcdef").check().is_ok());
        assert!(with("HX1").check().is_err());
    }
}
