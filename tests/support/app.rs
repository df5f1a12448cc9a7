//! The application under test, in this process: signed webhooks in, replies out, and a check at
//! the end that nothing was left behind.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use relevo::app::{self, Running};
use relevo::config::Config;
use relevo::domain::message::MessageSid;
use relevo::domain::outbound::{Delivery, Outbound};
use relevo::store::Page;
use relevo::telemetry::{Redactor, logs};
use relevo::twilio::signature::{Algorithm, sign};
use secrecy::ExposeSecret;
use tempfile::TempDir;

/// The instant that tests freeze business time at.
pub const NOW: &str = "2026-11-30T15:00:00Z";
/// A technician of the demo operator (E-022), a supervisor, and nobody.
pub const TECHNICIAN: &str = "whatsapp:+56980000022";
pub const NOBODY: &str = "whatsapp:+56911112222";
/// How long a test waits for what should take milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// What all tests of this process logged; searched for people and secrets at every end.
static LOGGED: LazyLock<(Arc<Redactor>, Logged)> = LazyLock::new(|| {
    let redactor = Arc::new(Redactor::new(Vec::<String>::new()));
    let logged = Logged::default();
    let subscriber = logs::subscriber("debug", &redactor, logged.clone()).unwrap();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    (redactor, logged)
});

#[derive(Clone, Default)]
pub struct Logged(Arc<Mutex<Vec<u8>>>);

impl Logged {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> tracing_subscriber::fmt::MakeWriter<'w> for Logged {
    type Writer = Self;
    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

pub struct TestApp {
    pub dir: Arc<TempDir>,
    pub http: reqwest::Client,
    env: BTreeMap<String, String>,
    running: Option<Running>,
    ended: bool,
}

impl TestApp {
    /// The demo operator with the simulator, business time frozen.
    pub async fn demo() -> Self {
        Self::with(&[]).await
    }

    /// The same with settings of its own; a setting given here wins.
    pub async fn with(settings: &[(&str, &str)]) -> Self {
        let dir = Arc::new(tempfile::tempdir().unwrap());
        let mut env: BTreeMap<String, String> = [
            ("RELEVO_DATA_DIR", dir.path().to_str().unwrap()),
            ("RELEVO_BIND", "127.0.0.1:0"),
            ("RELEVO_NOW", NOW),
            ("RELEVO_CONFIG", "deploy/relevo.toml"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into();
        env.extend(settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
        Self::start(dir, env).await
    }

    async fn start(dir: Arc<TempDir>, env: BTreeMap<String, String>) -> Self {
        let (redactor, _) = &*LOGGED;
        let running = app::start(Config::load(&env).unwrap(), redactor).await.unwrap();
        relevo::net::install_crypto();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self {
            dir,
            http,
            env,
            running: Some(running),
            ended: false,
        }
    }

    pub fn running(&self) -> &Running {
        self.running.as_ref().unwrap()
    }

    pub fn store(&self) -> &relevo::store::Store {
        &self.running().state.parts().unwrap().store
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running().addr)
    }

    /// The account, token and number that this app's webhooks are signed for.
    pub fn account(&self) -> (String, String, String) {
        match &self.running().state.parts().unwrap().simulator {
            Some(s) => (
                s.account_sid.clone(),
                s.auth_token.expose_secret().to_owned(),
                s.sender.clone(),
            ),
            None => {
                let twilio = &self.running().state.config.twilio;
                let sender = twilio.senders().first().cloned().unwrap();
                (
                    twilio.account_sid.clone(),
                    twilio.auth_token.expose_secret().to_owned(),
                    sender,
                )
            }
        }
    }

    /// The fields every message has, then those given.
    pub fn form(&self, from: &str, fields: &[(&str, &str)]) -> (String, Vec<(String, String)>) {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let (account, _, sender) = self.account();
        let sid = format!("SM{:032x}", COUNT.fetch_add(1, Ordering::Relaxed));
        let mut form: Vec<(String, String)> = [
            ("MessageSid", sid.as_str()),
            ("SmsMessageSid", &sid),
            ("AccountSid", &account),
            ("From", from),
            ("To", &sender),
            ("NumMedia", "0"),
            ("NumSegments", "1"),
            ("MessageType", "text"),
            ("ApiVersion", "2010-04-01"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into();
        for (name, value) in fields {
            form.retain(|(n, _)| n != name);
            form.push(((*name).to_owned(), (*value).to_owned()));
        }
        if !form.iter().any(|(n, _)| n == "Body") {
            form.push(("Body".to_owned(), String::new()));
        }
        let sid = form
            .iter()
            .find(|(n, _)| n == "MessageSid")
            .map_or(sid, |(_, v)| v.clone());
        (sid, form)
    }

    /// Posts a signed form to a route.
    pub async fn post(&self, path: &str, form: &[(String, String)]) -> reqwest::Response {
        let (_, token, _) = self.account();
        let public = &self.running().state.config.server.public_url;
        let signed_url = if public.is_empty() {
            self.url(path)
        } else {
            format!("{public}{path}")
        };
        let signature = sign(Algorithm::Sha1, &token, &signed_url, form);
        self.http
            .post(self.url(path))
            .header("X-Twilio-Signature", signature)
            .form(form)
            .send()
            .await
            .unwrap()
    }

    /// A signed message that must be accepted; its id.
    pub async fn send(&self, from: &str, fields: &[(&str, &str)]) -> MessageSid {
        let (sid, form) = self.form(from, fields);
        let response = self.post("/webhooks/twilio", &form).await;
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
        MessageSid::parse(&sid).unwrap()
    }

    /// A signed text that must be accepted; its id.
    pub async fn say(&self, from: &str, text: &str) -> MessageSid {
        self.send(from, &[("Body", text)]).await
    }

    /// Every message of the outbox that answers `sid`, oldest first, as they stand now.
    pub async fn answers(&self, sid: &MessageSid) -> Vec<Outbound> {
        let waiting = self.store().outbox(&Page::first(200)).await.unwrap().rows;
        let sent = self.store().sent(&Page::first(200)).await.unwrap().rows;
        let all = waiting.into_iter().chain(sent);
        let mut ours: Vec<_> = all.filter(|o| o.message.answers.contains(sid)).collect();
        // One that left the outbox between the two reads stands in both.
        ours.sort_by_key(|o| (o.id, std::cmp::Reverse(o.delivery)));
        ours.dedup_by_key(|o| o.id);
        ours
    }

    /// Waits for the one delivered reply to `sid`.
    pub async fn reply(&self, sid: &MessageSid) -> String {
        let start = Instant::now();
        loop {
            let answers = self.answers(sid).await;
            if let Some(done) = answers.iter().find(|o| o.delivery >= Delivery::Accepted) {
                assert_eq!(answers.len(), 1, "one reply to one message: {answers:?}");
                return done.message.body.clone();
            }
            assert!(start.elapsed() < PATIENCE, "no reply to {sid}: {answers:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Says something and waits for the reply.
    pub async fn ask(&self, from: &str, text: &str) -> String {
        let sid = self.say(from, text).await;
        self.reply(&sid).await
    }

    /// Stops as SIGTERM would and starts again on the same data.
    pub async fn restart(self) -> Self {
        self.pause().await.resume().await
    }

    /// Stops; the data stays for the test to work on.
    pub async fn pause(mut self) -> Paused {
        self.running.take().unwrap().stop().await;
        self.ended = true;
        Paused {
            dir: Arc::clone(&self.dir),
            env: self.env.clone(),
        }
    }

    /// Stops without a look at what is left, where the test means to leave something.
    pub async fn abandon(self) {
        self.pause().await;
    }

    pub fn logged() -> String {
        LOGGED.1.text()
    }

    /// Stops, and checks that nothing was left behind: no message undone, none dead, no person
    /// or secret in a log or metric.
    pub async fn end(self) {
        let depths = self.store().depths();
        assert_eq!(depths.dead, 0, "dead letters were left behind");
        self.end_with_dead_letters().await;
    }

    /// The same, where the test means to have dead letters.
    pub async fn end_with_dead_letters(mut self) {
        let start = Instant::now();
        while self.store().depths().inbox + self.store().depths().outbox > 0 {
            assert!(
                start.elapsed() < PATIENCE,
                "messages were left undone: {:?}",
                self.store().depths()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let metrics = self.running().state.metrics.render();
        let (_, token, _) = self.account();
        self.running.take().unwrap().stop().await;
        self.ended = true;
        for (place, text) in [("logs", Self::logged()), ("metrics", metrics)] {
            for private in ["+5698", "+5691", "+5255", "99.100.", "@operador-demo", token.as_str()] {
                assert!(!text.contains(private), "{place} hold {private}");
            }
            for name in ["Jorge Martínez", "Ximena Rojas", "Hernán Araya"] {
                assert!(!text.contains(name), "{place} hold a full name");
            }
        }
    }
}

/// A stopped app.
pub struct Paused {
    dir: Arc<TempDir>,
    env: BTreeMap<String, String>,
}

impl Paused {
    pub async fn resume(self) -> TestApp {
        TestApp::start(self.dir, self.env).await
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if !self.ended && !std::thread::panicking() {
            panic!("a test must close its app with end()");
        }
    }
}
