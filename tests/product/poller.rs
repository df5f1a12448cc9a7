//! The poller over a real store and a Twilio that loses webhooks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use relevo::domain::message::{Address, Inbound, MessageSid, Origin};
use relevo::domain::outbound::{Delivery, NewOutbound, Purpose};
use relevo::net::Http;
use relevo::relay::outbox::Outbox;
use relevo::relay::poller::{PollError, Poller};
use relevo::relay::{Accepted, Ingest};
use relevo::store::{Page, Store, StoreLimits};
use relevo::telemetry::Metrics;
use relevo::twilio::Client;
use relevo::world::{World, WorldHandle};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::support::fake_twilio::{ACCOUNT, Call, FakeTwilio, Fault, File, SENDER};

const ANA: &str = "whatsapp:+56980000022";
const LUIS: &str = "whatsapp:+56980000033";

struct Rig {
    fake: FakeTwilio,
    store: Store,
    ingest: Arc<Ingest>,
    outbox: Arc<Outbox>,
    poller: Poller,
    dir: Arc<TempDir>,
}

impl Rig {
    /// Alone, without a public URL.
    async fn alone() -> Self {
        Self::over(FakeTwilio::start().await, Arc::new(tempfile::tempdir().unwrap()), false)
    }

    fn over(fake: FakeTwilio, dir: Arc<TempDir>, public: bool) -> Self {
        let config = Arc::new(fake.config(public, &[("RELEVO__TWILIO__TIMEOUT_SECS", "1")]));
        let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
        let now: Timestamp = "2026-11-30T15:00:00Z".parse().unwrap();
        let world = WorldHandle::new(World::demo(now, config.zone_times().unwrap()).unwrap());
        let metrics = Metrics::new();
        let client = Client::new(&config.twilio, Http::new().unwrap(), None).unwrap();
        let senders = config.twilio.senders();
        let ingest = Arc::new(Ingest::new(
            store.clone(),
            world,
            metrics.clone(),
            &config.relay,
            senders,
        ));
        let outbox = Arc::new(Outbox::new(
            store.clone(),
            Some(client.clone()),
            &config,
            metrics.clone(),
        ));
        let poller = Poller::new(store.clone(), client, ingest.clone(), outbox.clone(), &config, metrics);
        Self {
            fake,
            store,
            ingest,
            outbox,
            poller,
            dir,
        }
    }

    /// Stops and starts on the same data.
    fn restart(self, public: bool) -> Self {
        let (fake, dir) = (self.fake.clone(), Arc::clone(&self.dir));
        drop(self);
        Self::over(fake, dir, public)
    }

    async fn step(&mut self) -> u64 {
        self.poller.step().await.unwrap().taken
    }

    async fn inbox(&self) -> Vec<Inbound> {
        let mut messages = Vec::new();
        let mut page = Page::default();
        loop {
            let listed = self.store.inbox(&page).await.unwrap();
            messages.extend(listed.rows.into_iter().map(|entry| entry.message));
            match listed.next {
                Some(next) => page.after = Some(next),
                None => return messages,
            }
        }
    }

    async fn texts(&self) -> Vec<String> {
        self.inbox().await.into_iter().map(|m| m.body).collect()
    }

    fn received(&self, from: &str, body: &str, seconds_ago: i64) -> MessageSid {
        let at = Timestamp::now() - SignedDuration::from_secs(seconds_ago);
        self.fake.receive(from, &[("Body", body)], Vec::new(), at)
    }
}

#[tokio::test]
async fn a_message_that_no_webhook_brought_is_taken_once_and_ours_never() {
    let mut rig = Rig::alone().await;
    assert_eq!(rig.step().await, 0);
    rig.received(ANA, "estado sitio 2", 0);
    rig.fake.sent_before(ANA, "una respuesta nuestra");
    rig.received(SENDER, "un bucle", 0);
    assert_eq!(rig.step().await, 1);
    assert_eq!(rig.step().await, 0);
    let inbox = rig.inbox().await;
    assert_eq!(inbox.len(), 1);
    assert_eq!(
        (inbox[0].body.as_str(), inbox[0].origin),
        ("estado sitio 2", Origin::Poll)
    );
    assert!(inbox[0].sent_at.is_some());
    let query = rig.fake.asked(Call::List)[0].query();
    assert!(
        query
            .iter()
            .any(|(name, value)| name == "DateSent>" && value.len() == 10),
        "{query:?}"
    );
    assert!(query.contains(&("To".into(), SENDER.into())));
    rig.fake.end();
}

#[tokio::test]
async fn what_came_before_the_first_start_is_not_answered_and_what_came_during_a_stop_is() {
    let mut rig = Rig::alone().await;
    rig.received(ANA, "de ayer", 3600);
    assert_eq!(rig.step().await, 0);
    let mut rig = rig.restart(false);
    rig.received(ANA, "durante la parada", 0);
    assert_eq!(rig.step().await, 1);
    assert_eq!(rig.texts().await, ["durante la parada"]);
    rig.fake.end();
}

#[tokio::test]
async fn a_flood_is_read_page_by_page_in_order_and_afterwards_one_page_is_enough() {
    let mut rig = Rig::alone().await;
    rig.step().await;
    let texts: Vec<String> = (0..130).map(|n| format!("mensaje {n:03}")).collect();
    for text in &texts {
        rig.received(ANA, text, 0);
    }
    rig.fake.forget_asked();
    assert_eq!(rig.step().await, 130);
    assert_eq!(rig.fake.asked(Call::List).len(), 3);
    assert_eq!(rig.texts().await, texts);
    rig.fake.forget_asked();
    assert_eq!(rig.step().await, 0);
    assert_eq!(rig.fake.asked(Call::List).len(), 1);
    rig.fake.end();
}

#[tokio::test]
async fn a_list_that_names_itself_as_its_next_page_ends() {
    let mut rig = Rig::alone().await;
    rig.step().await;
    rig.received(ANA, "hola", 0);
    rig.fake.endless_pages();
    rig.fake.forget_asked();
    assert_eq!(rig.step().await, 1);
    assert!(rig.fake.asked(Call::List).len() <= 3);
}

#[tokio::test]
async fn a_round_that_fails_loses_nothing() {
    let mut rig = Rig::alone().await;
    rig.step().await;
    rig.received(ANA, "hola", 0);
    for fault in [Fault::Limited(7), Fault::Refuse(500, 20500), Fault::Reset, Fault::Hang] {
        rig.fake.next(Call::List, fault.clone());
        let error = rig.poller.step().await.unwrap_err();
        assert!(matches!(error, PollError::Twilio(_)), "{fault:?}");
    }
    assert_eq!(rig.step().await, 1);
    rig.fake.end();
}

#[tokio::test]
async fn with_a_public_url_the_young_ones_are_left_to_the_webhook() {
    let rig = Rig::alone().await;
    let mut rig = rig.restart(true);
    rig.store
        .meta_put("poller.since", "2020-01-01T00:00:00Z")
        .await
        .unwrap();
    rig.received(ANA, "vieja", 30);
    rig.received(ANA, "joven", 2);
    rig.received(LUIS, "también vieja", 20);
    let polled = rig.poller.step().await.unwrap();
    assert_eq!(polled.taken, 2);
    assert!(polled.young.unwrap() <= Duration::from_secs(9), "{polled:?}");
    assert_eq!(rig.texts().await, ["vieja", "también vieja"]);
    rig.fake.end();
}

#[tokio::test]
async fn the_webhooks_richer_copy_completes_a_polled_one_in_its_place() {
    let mut rig = Rig::alone().await;
    rig.step().await;
    let pin = rig.received(ANA, "", 0);
    rig.received(ANA, "después", 0);
    assert_eq!(rig.step().await, 2);
    let mut rich = rig.inbox().await.into_iter().find(|m| m.sid == pin).unwrap();
    rich.origin = Origin::Webhook;
    rich.pin = serde_json::from_value(serde_json::json!({
        "point": {"lat": -33.4, "lon": -70.6}, "address": "", "label": ""
    }))
    .unwrap();
    assert_eq!(rig.ingest.accept(rich.clone()).await.unwrap(), Accepted::Enriched);
    let inbox = rig.inbox().await;
    assert_eq!((inbox.len(), inbox[0].pin.is_some()), (2, true));
    assert_eq!(rig.ingest.accept(rich).await.unwrap(), Accepted::Duplicate);
    rig.fake.end();
}

#[tokio::test]
async fn a_polled_photo_brings_its_list_of_files_and_waits_for_it_in_order() {
    let mut rig = Rig::alone().await;
    rig.step().await;
    let at = Timestamp::now();
    rig.fake
        .receive(ANA, &[("Body", "tablero")], vec![File::new("image/jpeg", b"x")], at);
    rig.received(ANA, "¿qué dice?", -1);
    rig.received(LUIS, "otra persona", 0);
    rig.fake.next(Call::MediaList, Fault::Refuse(500, 20500));
    assert_eq!(rig.step().await, 1, "Ana's text does not overtake her photo");
    assert_eq!(rig.step().await, 2);
    let inbox = rig.inbox().await;
    let texts: Vec<&str> = inbox.iter().map(|m| m.body.as_str()).collect();
    assert_eq!(texts, ["otra persona", "tablero", "¿qué dice?"]);
    assert!(
        inbox[1].media[0]
            .url
            .contains(&format!("/Accounts/{ACCOUNT}/Messages/"))
    );

    for _ in 0..3 {
        rig.fake.next(Call::MediaList, Fault::Refuse(404, 20404));
    }
    rig.fake.receive(
        ANA,
        &[("Body", "sin lista")],
        vec![File::new("image/jpeg", b"x")],
        Timestamp::now(),
    );
    let mut taken = 0;
    for _ in 0..3 {
        taken += rig.step().await;
    }
    let last = rig.inbox().await.pop().unwrap();
    assert_eq!(
        (taken, last.media.len(), last.num_media),
        (1, 0, 1),
        "its words are taken in the end"
    );
    rig.fake.end();
}

#[tokio::test]
async fn a_sweep_finds_what_hides_behind_a_page_that_is_wholly_known() {
    let mut rig = Rig::alone().await;
    rig.store
        .meta_put("poller.since", "2020-01-01T00:00:00Z")
        .await
        .unwrap();
    for n in 0..60 {
        rig.received(ANA, &format!("{n}"), 60 - n);
    }
    assert_eq!(rig.step().await, 60, "the first round is a sweep");
    rig.received(LUIS, "tardía", 7200);
    assert_eq!(rig.step().await, 0);
    let mut rig = rig.restart(false);
    assert_eq!(rig.step().await, 1);
    rig.fake.end();
}

#[tokio::test]
async fn without_a_public_url_the_states_of_our_messages_are_polled() {
    let mut rig = Rig::alone().await;
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(Arc::clone(&rig.outbox).run(shutdown.clone()));
    rig.fake.fate(LUIS, "undelivered", Some("63016"));
    let message = |to: &str| NewOutbound {
        conversation: to.to_owned(),
        to: Address::parse(to).unwrap(),
        from: SENDER.to_owned(),
        body: "hola".to_owned(),
        purpose: Purpose::Reply,
        answers: Vec::new(),
        suggestions: Vec::new(),
        template: None,
        media: None,
    };
    rig.store.enqueue(vec![message(ANA), message(LUIS)]).await.unwrap();
    let start = Instant::now();
    while rig.store.depths().outbox > 0 {
        assert!(start.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for sent in rig.fake.sends() {
        assert_eq!(sent.callback, None, "nobody could be called back");
        rig.fake.becomes(
            &sent.sid,
            if sent.to == ANA { "delivered" } else { "undelivered" },
            sent.to == LUIS,
        );
    }
    rig.step().await;
    let sent = rig.store.sent(&Page::default()).await.unwrap().rows;
    assert_eq!((sent.len(), sent[0].delivery), (1, Delivery::Delivered));
    let waiting = rig.store.outbox(&Page::default()).await.unwrap().rows;
    assert!(
        waiting[0].reason.as_deref().unwrap().starts_with("63016"),
        "it waits for the window"
    );
    rig.fake.forget_asked();
    rig.step().await;
    let outbound = rig
        .fake
        .asked(Call::List)
        .into_iter()
        .filter(|a| a.target.contains("From="))
        .count();
    assert_eq!(outbound, 0, "nothing is left to ask about");
    shutdown.cancel();
    running.await.unwrap();
    rig.fake.end();
}
