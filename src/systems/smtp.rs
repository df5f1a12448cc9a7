//! Outgoing mail by SMTP: one mail at a time, and what can be concluded when it fails.
//!
//! A mail server knows no idempotency key. Before anything is handed over the connection, TLS and
//! sign-in are tried: what fails there surely was not sent. From then on only the server's own *no*
//! says that; a connection that breaks leaves an unknown outcome, and the mail is not sent again.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::Error;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use secrecy::ExposeSecret;
use tokio::time::timeout;

use super::{Board, WriteFault};
use crate::config::Mail;
use crate::domain::change::{Change, Effect, Order};

/// The name of the mail server on the board.
pub const NAME: &str = "email";

/// The settings name no mail server that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadMail {
    /// The URL is none of SMTP.
    #[error("SMTP_URL: smtp://USER:PASSWORD@HOST:587?tls=required is needed")]
    Url,
    /// An address is none.
    #[error("mail.from, mail.reply_to: an address like relevo@example.com is needed")]
    Address,
}

/// A mail server; clones share nothing but the settings.
#[derive(Clone)]
pub struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Address,
    reply_to: Option<Address>,
    time: Duration,
}

impl Smtp {
    /// The mail server of the settings; None when none is set.
    pub fn new(settings: &Mail) -> Result<Option<Self>, BadMail> {
        if !settings.is_set() {
            return Ok(None);
        }
        let time = Duration::from_secs(settings.timeout_secs.max(1));
        // The library's own words may hold the URL, and that holds the password.
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(settings.url.expose_secret());
        let transport = builder.map_err(|_| BadMail::Url)?.timeout(Some(time)).build();
        let address = |text: &str| text.trim().parse::<Address>().map_err(|_| BadMail::Address);
        let reply_to = Some(settings.reply_to.trim()).filter(|text| !text.is_empty());
        Ok(Some(Self {
            transport,
            from: address(&settings.sender().unwrap_or_default())?,
            reply_to: reply_to.map(address).transpose()?,
            time,
        }))
    }

    /// Sends the mail of an order, once, and says on the board how it went.
    pub(super) async fn perform(&self, order: &Order, board: &Board) -> Result<Effect, WriteFault> {
        let Change::SendEmail { to, subject, body } = &order.change else {
            return Err(WriteFault::NotConfigured);
        };
        let id = format!("{}@{}", order.id, self.from.domain());
        let refused = |reason: &str| WriteFault::Refused {
            reason: reason.to_owned(),
        };
        let mut message = Message::builder()
            .from(Mailbox::new(None, self.from.clone()))
            .subject(subject.as_str())
            .message_id(Some(format!("<{id}>")))
            .header(ContentType::TEXT_PLAIN);
        if let Some(reply_to) = &self.reply_to {
            message = message.reply_to(Mailbox::new(None, reply_to.clone()));
        }
        for recipient in to {
            let address = recipient.address.parse::<Address>();
            let address = address.map_err(|_| refused("a recipient is no mail address"))?;
            message = message.to(Mailbox::new(None, address));
        }
        let message = message
            .body(body.clone())
            .map_err(|_| refused("the mail could not be written"))?;
        let started = Instant::now();
        let sent = self.hand_over(message).await;
        let told = sent.as_ref().map_err(ToString::to_string);
        board.called(
            NAME,
            Timestamp::now(),
            started.elapsed(),
            told.as_ref().map(|_| ()).map_err(String::as_str),
        );
        sent.map(|()| Effect {
            reference: id,
            records: Vec::new(),
        })
    }

    /// Whether the server answers, with TLS where it is wanted, and lets us sign in.
    pub async fn reach(&self) -> Result<(), WriteFault> {
        match timeout(self.time, self.transport.test_connection()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Err(error)) if error.is_permanent() => Err(said_no(&error)),
            Ok(Ok(false) | Err(_)) | Err(_) => Err(WriteFault::Unsent),
        }
    }

    async fn hand_over(&self, message: Message) -> Result<(), WriteFault> {
        self.reach().await?;
        match timeout(self.time, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.is_permanent() => Err(said_no(&error)),
            Ok(Err(error)) if error.is_transient() => Err(WriteFault::Unsent),
            // It broke off or was silent, perhaps after the last line of the mail.
            Ok(Err(_)) | Err(_) => Err(WriteFault::Unknown),
        }
    }
}

/// The server's no: its code alone, since its words may quote the recipients.
fn said_no(error: &Error) -> WriteFault {
    let code = error.status().map(|code| code.to_string()).unwrap_or_default();
    WriteFault::Refused {
        reason: format!("the mail server said {code}"),
    }
}

impl std::fmt::Debug for Smtp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Smtp").field("time", &self.time).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str, reply_to: &str) -> Mail {
        Mail {
            url: url.to_owned().into(),
            from: "relevo@example.com".to_owned(),
            reply_to: reply_to.to_owned(),
            timeout_secs: 1,
            outside: String::new(),
        }
    }

    #[test]
    fn a_url_that_cannot_be_used_is_refused_without_its_password() {
        assert!(Smtp::new(&settings("", "")).unwrap().is_none());
        assert!(
            Smtp::new(&settings("smtp://127.0.0.1:25", "noc@example.com"))
                .unwrap()
                .is_some()
        );
        let error = Smtp::new(&settings("imap://ana:f00dface@127.0.0.1", "")).unwrap_err();
        assert!(!format!("{error:?} {error}").contains("f00dface"));
        assert_eq!(
            Smtp::new(&settings("smtp://127.0.0.1", "nobody")).unwrap_err(),
            BadMail::Address
        );
    }
}
