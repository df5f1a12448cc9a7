//! A Twilio that remembers, checks what it is asked, and misbehaves when told to.
//!
//! It answers the message calls of the REST API on a port of this machine, stores files behind a
//! redirect, posts signed webhooks and status callbacks to the app, and keeps a log of everything.
//! Requests are held against Twilio's OpenAPI description; a test ends with `end()`, which fails
//! when a request broke it.

mod contract;
mod deliver;
mod faults;
mod rest;
pub mod wire;

use std::sync::{Arc, Mutex, MutexGuard};

use jiff::Timestamp;
use relevo::config::Config;
use relevo::domain::message::MessageSid;
use relevo::net::Http;

pub use deliver::{Callbacks, Posted};
pub use faults::{Call, Fault, Faults};
pub use wire::Asked;

pub const ACCOUNT: &str = "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub const SENDER: &str = "whatsapp:+56229990000";

/// Where Twilio believes the app to be.
pub const PUBLIC_URL: &str = "https://relay.example.com";

/// A message that this Twilio has.
#[derive(Debug, Clone)]
pub struct Kept {
    pub sid: MessageSid,
    pub direction: &'static str,
    pub from: String,
    pub to: String,
    pub body: String,
    pub status: String,
    pub error_code: Option<i64>,
    pub created: Timestamp,
    pub files: Vec<File>,
    pub callback: Option<String>,
    /// The caller never learned that it was taken.
    pub hidden: bool,
}

/// A file of a message.
#[derive(Debug, Clone)]
pub struct File {
    pub sid: String,
    pub content_type: String,
    pub bytes: Vec<u8>,
    /// How often it is still unknown.
    pub absent: u32,
    /// Where the redirect leads instead of to the file.
    pub astray: Option<String>,
}

impl File {
    pub fn new(content_type: &str, bytes: &[u8]) -> Self {
        Self {
            sid: String::new(),
            content_type: content_type.to_owned(),
            bytes: bytes.to_vec(),
            absent: 0,
            astray: None,
        }
    }
}

#[derive(Default)]
struct State {
    messages: Vec<Kept>,
    faults: Faults,
    callbacks: Callbacks,
    /// What the status callbacks of messages to somebody report: status and error code.
    fates: Vec<(String, &'static str, Option<String>)>,
    /// Callbacks that nobody took, since no app is there.
    untaken: Vec<deliver::Untaken>,
    app: Option<String>,
    asked: Vec<(Call, Asked)>,
    typing: Vec<String>,
    broken: Vec<String>,
    endless_pages: bool,
    lose_webhooks: bool,
    sids: u64,
}

struct Shared {
    state: Mutex<State>,
    contract: contract::Contract,
    base: String,
    http: Http,
    server: Mutex<Option<tokio::task::JoinHandle<()>>>,
}

/// The fake; clones are the same one.
#[derive(Clone)]
pub struct FakeTwilio(Arc<Shared>);

impl FakeTwilio {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self(Arc::new(Shared {
            state: Mutex::default(),
            contract: contract::Contract::load(),
            base: format!("http://{}", listener.local_addr().unwrap()),
            http: Http::new().unwrap(),
            server: Mutex::default(),
        }));
        let answering = fake.clone();
        let server = tokio::spawn(wire::serve(listener, move |asked| {
            let fake = answering.clone();
            async move { fake.answer(asked).await }
        }));
        *fake.0.server.lock().unwrap() = Some(server);
        fake
    }

    /// Settings that make the app use this Twilio; without `public` it has only the poller.
    pub fn settings(&self, public: bool) -> Vec<(String, String)> {
        let base = self.0.base.as_str();
        let mut settings = vec![
            ("TWILIO_ACCOUNT_SID", ACCOUNT),
            ("TWILIO_AUTH_TOKEN", TOKEN),
            ("TWILIO_WHATSAPP_FROM", SENDER),
            ("TWILIO_API_BASE", base),
            ("TWILIO_MESSAGING_BASE", base),
            ("TWILIO_CONTENT_BASE", base),
        ];
        if public {
            settings.push(("PUBLIC_URL", PUBLIC_URL));
        }
        settings
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    /// The same as a configuration, with further settings.
    pub fn config(&self, public: bool, more: &[(&str, &str)]) -> Config {
        let mut env: std::collections::BTreeMap<String, String> = self.settings(public).into_iter().collect();
        env.extend(more.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
        env.insert("RELEVO_CONFIG".into(), "deploy/relevo.toml".into());
        Config::load(&env).unwrap()
    }

    pub fn base(&self) -> &str {
        &self.0.base
    }

    /// Where the app really listens (`http://127.0.0.1:port`).
    pub fn app_is_at(&self, url: &str) {
        self.state().app = Some(url.to_owned());
    }

    /// Scripts the next faults.
    pub fn next(&self, call: Call, fault: Fault) {
        self.state().faults.next(call, fault);
    }

    /// Faults by chance.
    pub fn sometimes(&self, seed: u64, call: Call, fault: Fault, permille: u32) {
        self.state().faults.sometimes(seed, call, fault, permille);
    }

    /// From now on everything works.
    pub fn mend(&self) {
        self.state().faults.clear();
    }

    /// How status callbacks are treated from now on.
    pub fn callbacks(&self, callbacks: Callbacks) {
        self.state().callbacks = callbacks;
    }

    /// The next message to somebody ends so, with an error code in the callback.
    pub fn fate(&self, to: &str, status: &'static str, code: Option<&str>) {
        self.state()
            .fates
            .push((to.to_owned(), status, code.map(str::to_owned)));
    }

    /// A message of the app's now stands so; outside the window, if that is why.
    pub fn becomes(&self, sid: &MessageSid, status: &str, outside_window: bool) {
        let mut state = self.state();
        let kept = state.messages.iter_mut().find(|m| m.sid == *sid).unwrap();
        kept.status = status.to_owned();
        kept.error_code = outside_window.then_some(63016);
    }

    /// Pages name a next page for ever.
    pub fn endless_pages(&self) {
        self.state().endless_pages = true;
    }

    /// Webhooks are lost from now on, or no longer.
    pub fn lose_webhooks(&self, lose: bool) {
        self.state().lose_webhooks = lose;
    }

    /// Every message that was taken for sending, oldest first.
    pub fn sends(&self) -> Vec<Kept> {
        let state = self.state();
        state
            .messages
            .iter()
            .filter(|m| m.direction != "inbound")
            .cloned()
            .collect()
    }

    /// The texts sent to somebody, oldest first.
    pub fn texts_to(&self, to: &str) -> Vec<String> {
        self.sends()
            .into_iter()
            .filter(|m| m.to == to)
            .map(|m| m.body)
            .collect()
    }

    /// How many sends were taken without the caller learning of it.
    pub fn hidden(&self) -> usize {
        self.sends().iter().filter(|m| m.hidden).count()
    }

    /// Requests of one kind so far.
    pub fn asked(&self, call: Call) -> Vec<Asked> {
        let state = self.state();
        state
            .asked
            .iter()
            .filter(|(c, _)| *c == call)
            .map(|(_, a)| a.clone())
            .collect()
    }

    /// Messages that a typing indicator was shown for.
    pub fn typing(&self) -> Vec<String> {
        self.state().typing.clone()
    }

    /// Deletes the log of requests.
    pub fn forget_asked(&self) {
        self.state().asked.clear();
    }

    /// A message of ours that only the list knows, as if an earlier process had sent it.
    pub fn sent_before(&self, to: &str, body: &str) -> MessageSid {
        let mut kept = Kept {
            sid: self.new_sid("SM"),
            direction: "outbound-api",
            from: SENDER.to_owned(),
            to: to.to_owned(),
            body: body.to_owned(),
            status: "delivered".to_owned(),
            error_code: None,
            created: Timestamp::now(),
            files: Vec::new(),
            callback: None,
            hidden: true,
        };
        kept.created = Timestamp::now();
        let sid = kept.sid.clone();
        self.state().messages.push(kept);
        sid
    }

    /// Fails when a request broke the contract.
    pub fn end(&self) {
        let broken = std::mem::take(&mut self.state().broken);
        assert!(broken.is_empty(), "requests that Twilio would not take: {broken:#?}");
    }

    fn new_sid(&self, kind: &str) -> MessageSid {
        let mut state = self.state();
        state.sids += 1;
        let id = state.sids;
        MessageSid::parse(&format!("{kind}{:08x}{id:024x}", std::process::id())).unwrap()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }
}

impl Drop for FakeTwilio {
    fn drop(&mut self) {
        // The server's task holds a clone of its own.
        if Arc::strong_count(&self.0) <= 2
            && let Ok(mut server) = self.0.server.lock()
            && let Some(server) = server.take()
        {
            server.abort();
        }
    }
}
