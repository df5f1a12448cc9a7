//! What Twilio posts to the app: webhooks of messages, callbacks of their states; signed.

use std::time::Duration;

use jiff::Timestamp;
use relevo::domain::message::MessageSid;
use relevo::net::{Body, Method, Request};
use relevo::twilio::signature::{Algorithm, sign};

use super::{ACCOUNT, FakeTwilio, File, Kept, PUBLIC_URL, SENDER, TOKEN};

/// How status callbacks are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Callbacks {
    /// sent, delivered.
    #[default]
    InOrder,
    /// delivered, sent.
    Reversed,
    /// Each three times.
    Repeated,
    /// None at all.
    Lost,
}

/// A callback that nobody took: its URL, form and signature.
pub type Untaken = (String, Vec<(String, String)>, String);

/// What one webhook came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    /// The app's HTTP status.
    Status(u16),
    /// It never reached the app.
    Lost,
}

impl FakeTwilio {
    /// Somebody writes a text: Twilio has it, and posts the webhook.
    pub async fn say(&self, from: &str, body: &str) -> (MessageSid, Posted) {
        self.inbound(from, &[("Body", body)], Vec::new()).await
    }

    /// Somebody writes: fields beside those every message has, and files.
    pub async fn inbound(&self, from: &str, fields: &[(&str, &str)], files: Vec<File>) -> (MessageSid, Posted) {
        let sid = self.receive(from, fields, files, Timestamp::now());
        let posted = self.post_webhook(&sid, from, fields).await;
        (sid, posted)
    }

    /// Twilio gets a message without telling the app.
    pub fn receive(&self, from: &str, fields: &[(&str, &str)], files: Vec<File>, at: Timestamp) -> MessageSid {
        let sid = self.new_sid(if files.is_empty() { "SM" } else { "MM" });
        let files = files.into_iter().map(|file| {
            let id = self.new_sid("SM").as_str().replace("SM", "ME");
            File { sid: id, ..file }
        });
        let body = fields.iter().find(|(n, _)| *n == "Body").map_or("", |(_, v)| v);
        let kept = Kept {
            sid: sid.clone(),
            direction: "inbound",
            from: from.to_owned(),
            to: SENDER.to_owned(),
            body: body.to_owned(),
            status: "received".to_owned(),
            error_code: None,
            created: at,
            files: files.collect(),
            callback: None,
            hidden: false,
        };
        self.state().messages.push(kept);
        sid
    }

    /// Posts the webhook of a message that Twilio has.
    pub async fn post_webhook(&self, sid: &MessageSid, from: &str, fields: &[(&str, &str)]) -> Posted {
        if self.state().lose_webhooks {
            return Posted::Lost;
        }
        let files = {
            let state = self.state();
            state.messages.iter().find(|m| m.sid == *sid).unwrap().files.clone()
        };
        let mut form: Vec<(String, String)> = [
            ("MessageSid", sid.as_str()),
            ("SmsSid", sid.as_str()),
            ("SmsMessageSid", sid.as_str()),
            ("AccountSid", ACCOUNT),
            ("From", from),
            ("To", SENDER),
            ("NumMedia", &files.len().to_string()),
            ("NumSegments", "1"),
            ("SmsStatus", "received"),
            ("ApiVersion", "2010-04-01"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into();
        for (n, file) in files.iter().enumerate() {
            let url = format!(
                "{}/2010-04-01/Accounts/{ACCOUNT}/Messages/{sid}/Media/{}",
                self.base(),
                file.sid
            );
            form.push((format!("MediaUrl{n}"), url));
            form.push((format!("MediaContentType{n}"), file.content_type.clone()));
        }
        form.extend(fields.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
        if !form.iter().any(|(n, _)| n == "Body") {
            form.push(("Body".into(), String::new()));
        }
        if !form.iter().any(|(n, _)| n == "MessageType") {
            form.push(("MessageType".into(), "text".into()));
        }
        let url = format!("{PUBLIC_URL}/webhooks/twilio");
        // Twilio tries again once, and only when it can't connect.
        match self.post(&url, &form).await {
            Posted::Lost => self.post(&url, &form).await,
            posted => posted,
        }
    }

    /// Reports what becomes of a message of the app's, as told.
    pub(super) fn report(&self, kept: &Kept) {
        let Some(callback) = kept.callback.clone() else { return };
        let (mode, fate) = {
            let mut state = self.state();
            let at = state.fates.iter().position(|(to, ..)| *to == kept.to);
            (state.callbacks, at.map(|at| state.fates.remove(at)))
        };
        let last = fate.as_ref().map_or("delivered", |(_, status, _)| *status);
        let code = fate.and_then(|(_, _, code)| code);
        let failed = matches!(last, "failed" | "undelivered");
        let mut reports = vec![("sent", None), (last, code.clone())];
        if failed {
            reports.remove(0);
        }
        match mode {
            Callbacks::InOrder => {}
            Callbacks::Reversed => reports.reverse(),
            Callbacks::Repeated => reports = reports.into_iter().flat_map(|r| [r.clone(), r.clone(), r]).collect(),
            Callbacks::Lost => reports.clear(),
        }
        {
            let mut state = self.state();
            let kept = state.messages.iter_mut().find(|m| m.sid == kept.sid).unwrap();
            kept.status = last.to_owned();
            kept.error_code = code.and_then(|c| c.parse().ok());
        }
        let (fake, kept) = (self.clone(), kept.clone());
        tokio::spawn(async move {
            for (status, code) in reports {
                tokio::time::sleep(Duration::from_millis(3)).await;
                fake.post_status(&kept, &callback, status, code.as_deref()).await;
            }
        });
    }

    async fn post_status(&self, kept: &Kept, url: &str, status: &str, code: Option<&str>) {
        let mut form: Vec<(String, String)> = [
            ("MessageSid", kept.sid.as_str()),
            ("SmsSid", kept.sid.as_str()),
            ("AccountSid", ACCOUNT),
            ("From", SENDER),
            ("To", &kept.to),
            ("MessageStatus", status),
            ("SmsStatus", status),
            ("ApiVersion", "2010-04-01"),
            ("ChannelPrefix", "whatsapp"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into();
        form.extend(code.map(|code| ("ErrorCode".to_owned(), code.to_owned())));
        if self.post(url, &form).await == Posted::Lost {
            let signature = sign(Algorithm::Sha1, TOKEN, url, &form);
            self.state().untaken.push((url.to_owned(), form, signature));
        }
    }

    /// Callbacks that were posted while no app was there.
    pub fn untaken(&self) -> Vec<Untaken> {
        std::mem::take(&mut self.state().untaken)
    }

    /// Signs for the public URL and posts to where the app really is.
    async fn post(&self, url: &str, form: &[(String, String)]) -> Posted {
        let Some(app) = self.state().app.clone() else {
            return Posted::Lost;
        };
        let signature = sign(Algorithm::Sha1, TOKEN, url, form);
        let real = url.replacen(PUBLIC_URL, &app, 1);
        let request = Request {
            method: Method::Post,
            url: &real,
            basic: None,
            headers: &[("X-Twilio-Signature", signature.as_str())],
            body: Body::Form(
                form_urlencoded::Serializer::new(String::new())
                    .extend_pairs(form)
                    .finish(),
            ),
            timeout: Duration::from_secs(15),
            answer_max: 65_536,
        };
        match self.0.http.call(request).await {
            Ok(answer) => Posted::Status(answer.status),
            Err(_) => Posted::Lost,
        }
    }
}
