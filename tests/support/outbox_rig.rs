//! The outbox worker over a real store and the misbehaving Twilio, without the rest of the app.

use std::sync::Arc;
use std::time::{Duration, Instant};

use relevo::domain::message::Address;
use relevo::domain::outbound::{Delivery, NewOutbound, Outbound, Purpose};
use relevo::net::Http;
use relevo::relay::outbox::{Outbox, Pauses};
use relevo::store::{DeadLetter, Page, Store, StoreLimits};
use relevo::telemetry::Metrics;
use relevo::twilio::signature::{PublicUrl, SIGNATURE_HEADER, Validator};
use relevo::twilio::{Client, inbound};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::fake_twilio::{ACCOUNT, FakeTwilio, PUBLIC_URL, SENDER, TOKEN};

pub const ANA: &str = "whatsapp:+56980000022";
pub const LUIS: &str = "whatsapp:+56980000033";
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Milliseconds where the product takes seconds.
const HURRIED: Pauses = Pauses {
    first: Duration::from_millis(10),
    max: Duration::from_millis(100),
    lookups: [Duration::from_millis(60), Duration::from_millis(60)],
    order: Duration::from_millis(400),
};

pub struct Rig {
    pub fake: FakeTwilio,
    pub store: Store,
    outbox: Arc<Outbox>,
    metrics: Arc<Metrics>,
    shutdown: CancellationToken,
    running: Option<tokio::task::JoinHandle<()>>,
    pub dir: Arc<TempDir>,
    pub settings: Vec<(&'static str, &'static str)>,
}

impl Rig {
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(settings: &[(&'static str, &'static str)]) -> Self {
        Self::over(
            FakeTwilio::start().await,
            Arc::new(tempfile::tempdir().unwrap()),
            settings,
        )
        .await
    }

    pub async fn over(fake: FakeTwilio, dir: Arc<TempDir>, settings: &[(&'static str, &'static str)]) -> Self {
        let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
        let settings = [&[("RELEVO__TWILIO__TIMEOUT_SECS", "1")], settings].concat();
        let config = Arc::new(fake.config(true, &settings));
        let metrics = Metrics::new();
        let client = Client::new(&config.twilio, Http::new().unwrap(), Some(Arc::clone(&metrics)));
        let outbox = Outbox::new(store.clone(), client, &config, Arc::clone(&metrics)).with_pauses(HURRIED);
        let mut rig = Self {
            fake,
            store,
            outbox: Arc::new(outbox),
            metrics,
            shutdown: CancellationToken::new(),
            running: None,
            dir,
            settings,
        };
        rig.run();
        rig
    }

    fn run(&mut self) {
        let worker = Arc::clone(&self.outbox).run(self.shutdown.clone());
        let (outbox, fake, stop) = (Arc::clone(&self.outbox), self.fake.clone(), self.shutdown.clone());
        self.running = Some(tokio::spawn(async move {
            tokio::join!(worker, callbacks(outbox, fake, stop));
        }));
    }

    pub async fn stop(&mut self) {
        self.shutdown.cancel();
        if let Some(running) = self.running.take() {
            running.await.unwrap();
        }
    }

    pub async fn say(&self, to: &str, body: &str) {
        self.store.enqueue(vec![message(to, body)]).await.unwrap();
    }

    pub async fn waiting(&self) -> Vec<Outbound> {
        self.store.outbox(&Page::default()).await.unwrap().rows
    }

    pub async fn sent(&self) -> Vec<Outbound> {
        let mut rows = self.store.sent(&Page::default()).await.unwrap().rows;
        rows.reverse();
        rows
    }

    pub async fn dead(&self) -> Vec<DeadLetter> {
        self.store.dead(&Page::default()).await.unwrap().rows
    }

    /// Waits until nothing is to be sent any more.
    pub async fn settled(&self) {
        self.until(|| self.store.depths().outbox == 0, "the outbox is empty")
            .await;
    }

    pub async fn delivered(&self, count: usize) {
        let start = Instant::now();
        loop {
            let sent = self.sent().await;
            if sent.iter().filter(|o| o.delivery == Delivery::Delivered).count() >= count {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{sent:#?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub async fn until(&self, met: impl Fn() -> bool, what: &str) {
        let start = Instant::now();
        while !met() {
            assert!(
                start.elapsed() < PATIENCE,
                "not so: {what}; waiting {:#?}",
                self.waiting().await
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub fn count(&self, metric: &str) -> f64 {
        let text = self.metrics.render();
        let line = text.lines().find(|line| line.starts_with(metric));
        line.map_or(0.0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
    }

    pub async fn end(mut self) {
        self.stop().await;
        self.fake.end();
    }
}

/// Takes the fake's callbacks as the web layer would: signature first.
async fn callbacks(outbox: Arc<Outbox>, fake: FakeTwilio, stop: CancellationToken) {
    let base = PublicUrl::parse(PUBLIC_URL).unwrap();
    let validator = Validator::new(Some(base)).with_account(ACCOUNT, TOKEN.into(), None);
    while !stop.is_cancelled() {
        for (url, form, signature) in fake.untaken() {
            let body = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(&form)
                .finish();
            let headers = [
                ("Content-Type", "application/x-www-form-urlencoded"),
                (SIGNATURE_HEADER, signature.as_str()),
            ];
            let target = url.strip_prefix(PUBLIC_URL).unwrap();
            let verified = validator.verify("POST", target, &headers, body.as_bytes()).unwrap();
            outbox.receipt(inbound::receipt(&verified).unwrap()).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub fn message(to: &str, body: &str) -> NewOutbound {
    NewOutbound {
        conversation: format!("c-{to}"),
        to: Address::parse(to).unwrap(),
        from: SENDER.to_owned(),
        body: body.to_owned(),
        purpose: Purpose::Reply,
        answers: Vec::new(),
        suggestions: Vec::new(),
        template: None,
        media: None,
    }
}
