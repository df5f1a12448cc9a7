//! The whole path with an account at Twilio: webhook or poller in, REST out, receipts back.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use relevo::domain::outbound::Delivery;
use relevo::store::{Store, StoreLimits};

use crate::support::fake_twilio::{Call, FakeTwilio, Fault, File, Posted};
use crate::support::{TECHNICIAN, TestApp};

const PATIENCE: Duration = Duration::from_secs(20);

async fn app(twilio: &FakeTwilio, public: bool) -> TestApp {
    let settings = twilio.settings(public);
    let mut settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    settings.extend([
        ("RELEVO__RELAY__POLL_SECS", "1"),
        ("RELEVO__RELAY__POLL_MIN_AGE_SECS", "1"),
    ]);
    let app = TestApp::with(&settings).await;
    twilio.app_is_at(&app.url(""));
    app
}

/// Waits for what was sent to the technician.
async fn texts(twilio: &FakeTwilio, count: usize) -> Vec<String> {
    let start = Instant::now();
    loop {
        let texts = twilio.texts_to(TECHNICIAN);
        if texts.len() >= count {
            return texts;
        }
        assert!(start.elapsed() < PATIENCE, "{texts:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_question_by_webhook_is_answered_by_rest_and_its_receipts_are_kept() {
    let twilio = FakeTwilio::start().await;
    let app = app(&twilio, true).await;
    let (sid, posted) = twilio.say(TECHNICIAN, "estado sitio SITE-002").await;
    assert_eq!(posted, Posted::Status(200));
    let said = texts(&twilio, 1).await;
    assert!(
        said[0].starts_with("SITE-002") && said[0].contains("3 tareas activas"),
        "{said:?}"
    );
    let start = Instant::now();
    while app.answers(&sid).await[0].delivery < Delivery::Delivered {
        assert!(start.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    app.end().await;
    twilio.end();
}

#[tokio::test]
async fn a_photo_that_takes_long_to_fetch_shows_typing_and_is_acknowledged_for_what_it_is() {
    let twilio = FakeTwilio::start().await;
    let app = app(&twilio, true).await;
    twilio.next(Call::Media, Fault::Slow(Duration::from_millis(2_600)));
    let photo = File::new("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF una foto");
    let (sid, _) = twilio
        .inbound(TECHNICIAN, &[("MessageType", "image")], vec![photo])
        .await;
    let said = texts(&twilio, 1).await;
    assert!(said[0].to_lowercase().contains("foto"), "{said:?}");
    assert_eq!(twilio.typing(), [sid.as_str()]);
    app.end().await;
    twilio.end();
}

#[tokio::test]
async fn without_a_public_url_the_poller_answers_and_says_what_it_cannot_read() {
    let twilio = FakeTwilio::start().await;
    let app = app(&twilio, false).await;
    twilio.receive(
        TECHNICIAN,
        &[("Body", "estado sitio SITE-002")],
        Vec::new(),
        Timestamp::now(),
    );
    let said = texts(&twilio, 1).await;
    assert!(said[0].starts_with("SITE-002"), "{said:?}");
    // A pin: the list shows neither text nor position.
    twilio.receive(
        TECHNICIAN,
        &[("Latitude", "-18.5"), ("Longitude", "-70.2")],
        Vec::new(),
        Timestamp::now(),
    );
    let said = texts(&twilio, 2).await;
    assert!(said[1].contains("ubicación"), "{said:?}");
    app.end().await;
    twilio.end();
}

#[tokio::test]
async fn after_a_long_stop_late_messages_get_one_apology_that_lists_them() {
    let twilio = FakeTwilio::start().await;
    let app = app(&twilio, true).await;
    let dir = app.dir.clone();
    let paused = app.pause().await;
    let hours_ago = |hours| Timestamp::now() - SignedDuration::from_hours(hours);
    {
        // As if the first start had been yesterday.
        let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
        store
            .meta_put("poller.since", &hours_ago(24).to_string())
            .await
            .unwrap();
    }
    twilio.receive(
        TECHNICIAN,
        &[("Body", "estado sitio SITE-005")],
        Vec::new(),
        hours_ago(3),
    );
    twilio.receive(TECHNICIAN, &[("Body", "mis tareas")], Vec::new(), hours_ago(2));
    twilio.receive(
        TECHNICIAN,
        &[("Body", "estado sitio SITE-002")],
        Vec::new(),
        Timestamp::now(),
    );
    let app = paused.resume().await;
    let said = texts(&twilio, 2).await;
    assert!(
        said[0].contains("estado sitio SITE-005") && said[0].contains("mis tareas"),
        "{said:?}"
    );
    assert!(said[1].starts_with("SITE-002"), "{said:?}");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(twilio.texts_to(TECHNICIAN).len(), 2, "one apology and one answer");
    app.end().await;
    twilio.end();
}
