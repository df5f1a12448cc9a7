//! The outbox over a real store, against a Twilio that misbehaves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relevo::domain::message::Inbound;
use relevo::domain::outbound::Delivery;
use relevo::relay::outbox::Outbox;
use relevo::store::{Dead, Page, Store, StoreLimits};
use relevo::telemetry::Metrics;
use tokio_util::sync::CancellationToken;

use crate::support::fake_twilio::{ACCOUNT, Call, Callbacks, Fault, PUBLIC_URL, SENDER};
use crate::support::outbox_rig::{ANA, LUIS, PATIENCE, Rig, message};

#[tokio::test]
async fn a_message_carries_our_outbox_id_in_its_callback_and_rises_to_delivered() {
    let rig = Rig::start().await;
    rig.say(ANA, "hola").await;
    rig.delivered(1).await;
    let sent = rig.sent().await.remove(0);
    let kept = rig.fake.sends().remove(0);
    assert_eq!(sent.sid, Some(kept.sid));
    let callback = format!("{PUBLIC_URL}/webhooks/twilio/status?outbox={}", sent.id);
    assert_eq!(kept.callback, Some(callback));
    rig.end().await;
}

#[tokio::test]
async fn what_one_person_is_told_keeps_its_order_through_every_fault() {
    let rig = Rig::start().await;
    for fault in [
        Fault::Refuse(500, 20500),
        Fault::Limited(0),
        Fault::DoneThen(503),
        Fault::DoneThenReset,
        Fault::DoneThenHang,
        Fault::DoneThenBreakOff,
        Fault::Reset,
    ] {
        rig.fake.sometimes(7, Call::Send, fault, 25);
    }
    rig.fake.sometimes(7, Call::List, Fault::Refuse(500, 20500), 50);
    let people: Vec<String> = (0..6).map(|n| format!("whatsapp:+5698000010{n}")).collect();
    let texts: Vec<String> = (0..12).map(|n| format!("mensaje {n}")).collect();
    for text in &texts {
        for person in &people {
            rig.say(person, text).await;
        }
    }
    rig.settled().await;
    assert!(rig.dead().await.is_empty(), "{:#?}", rig.dead().await);
    for person in &people {
        assert_eq!(rig.fake.texts_to(person), texts, "order kept, none lost, none twice");
    }
    rig.end().await;
}

#[tokio::test]
async fn a_send_that_was_taken_without_an_answer_is_looked_up_and_not_repeated() {
    let rig = Rig::start().await;
    rig.fake.callbacks(Callbacks::Lost);
    let faults = [
        Fault::DoneThenHang,
        Fault::DoneThenReset,
        Fault::DoneThenBreakOff,
        Fault::DoneThen(500),
    ];
    for (n, fault) in faults.into_iter().enumerate() {
        rig.fake.next(Call::Send, fault);
        rig.say(ANA, &format!("mensaje {n}")).await;
        rig.settled().await;
    }
    assert_eq!(
        rig.fake.texts_to(ANA),
        ["mensaje 0", "mensaje 1", "mensaje 2", "mensaje 3"]
    );
    assert!(rig.sent().await.iter().all(|o| o.sid.is_some() && o.attempts == 1));
    assert_eq!(
        rig.count("relevo_outbox_unknown_outcomes_total"),
        4.0,
        "each is counted"
    );
    rig.end().await;
}

#[tokio::test]
async fn a_callback_settles_an_unknown_outcome_without_a_look_up() {
    let rig = Rig::start().await;
    rig.fake.next(Call::Send, Fault::DoneThenReset);
    rig.say(ANA, "hola").await;
    rig.delivered(1).await;
    assert!(rig.fake.asked(Call::List).is_empty());
    assert_eq!(rig.fake.texts_to(ANA), ["hola"]);
    rig.end().await;
}

#[tokio::test]
async fn a_send_that_was_not_taken_is_looked_up_and_then_repeated() {
    let rig = Rig::start().await;
    for fault in [Fault::Refuse(500, 20500), Fault::Reset] {
        rig.fake.next(Call::Send, fault);
    }
    rig.say(ANA, "hola").await;
    rig.settled().await;
    assert_eq!(rig.fake.texts_to(ANA), ["hola"]);
    assert!(rig.fake.asked(Call::List).len() >= 4, "two look-ups each");
    assert_eq!(rig.sent().await[0].attempts, 3);
    rig.end().await;
}

#[tokio::test]
async fn the_same_words_said_before_are_not_taken_for_the_lost_ones() {
    let rig = Rig::start().await;
    rig.fake.callbacks(Callbacks::Lost);
    rig.say(ANA, "estado").await;
    rig.settled().await;
    rig.fake.next(Call::Send, Fault::Refuse(500, 20500));
    rig.say(ANA, "estado").await;
    rig.settled().await;
    assert_eq!(rig.fake.texts_to(ANA), ["estado", "estado"]);
    let sids: Vec<_> = rig.sent().await.into_iter().map(|o| o.sid).collect();
    assert_ne!(sids[0], sids[1]);
    rig.end().await;
}

#[tokio::test]
async fn what_was_being_sent_when_the_process_died_is_looked_up_at_the_next_start() {
    let mut rig = Rig::start().await;
    rig.stop().await;
    for (to, body) in [(ANA, "llegó"), (LUIS, "no llegó")] {
        rig.say(to, body).await;
    }
    for outbound in rig.store.outbox_due(10).await.unwrap() {
        rig.store.outbox_start(outbound.id).await.unwrap();
    }
    rig.fake.sent_before(ANA, "llegó");
    let (fake, dir) = (rig.fake.clone(), Arc::clone(&rig.dir));
    let settings = rig.settings.clone();
    drop(rig);
    let rig = Rig::over(fake, dir, &settings).await;
    rig.settled().await;
    assert_eq!(rig.fake.texts_to(ANA), ["llegó"]);
    assert_eq!(rig.fake.texts_to(LUIS), ["no llegó"]);
    rig.end().await;
}

#[tokio::test]
async fn a_text_that_twilio_finds_too_long_is_shortened_once() {
    let rig = Rig::start().await;
    rig.fake.next(Call::Send, Fault::Refuse(400, 21617));
    rig.say(ANA, &"Sitio con alarma\n".repeat(80)).await;
    rig.settled().await;
    let texts = rig.fake.texts_to(ANA);
    assert_eq!(texts.len(), 1);
    assert!(texts[0].encode_utf16().count() <= 1000);
    assert!(rig.sent().await[0].shrunk);

    rig.fake.next(Call::Send, Fault::Refuse(400, 21617));
    rig.fake.next(Call::Send, Fault::Refuse(400, 21617));
    rig.say(ANA, &"Sitio con alarma\n".repeat(80)).await;
    rig.settled().await;
    let dead = rig.dead().await;
    assert_eq!((dead.len(), dead[0].code.as_deref()), (1, Some("21617")));
    rig.end().await;
}

#[tokio::test]
async fn outside_the_window_an_answer_waits_until_the_person_writes() {
    let rig = Rig::start().await;
    rig.fake.fate(ANA, "undelivered", Some("63016"));
    rig.say(ANA, "la respuesta").await;
    rig.until(|| rig.fake.sends().len() == 1, "it was tried").await;
    let start = Instant::now();
    while rig
        .waiting()
        .await
        .first()
        .is_none_or(|o| o.delivery != Delivery::Pending)
    {
        assert!(start.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(rig.fake.sends().len(), 1, "it is not tried again by itself");
    let reason = rig.waiting().await[0].reason.clone().unwrap();
    assert!(reason.starts_with("63016: Outside the messaging window"), "{reason}");

    rig.store
        .ingest(inbound_from(ANA), &format!("c-{ANA}"), Duration::ZERO)
        .await
        .unwrap();
    rig.delivered(1).await;
    assert_eq!(rig.fake.texts_to(ANA), ["la respuesta", "la respuesta"]);
    rig.end().await;
}

fn inbound_from(from: &str) -> Inbound {
    serde_json::from_value(serde_json::json!({
        "sid": "SM000000000000000000000000000000ff", "account": ACCOUNT, "from": from, "to": SENDER, "body": "sigo aquí",
        "command": null, "pin": null, "media": [], "num_media": 0, "message_type": "text", "profile_name": null,
        "wa_id": null, "external_id": null, "reply_to": null, "forwarded": false, "extra": {}, "origin": "webhook",
        "sent_at": null, "received_at": Timestamp::now(),
    }))
    .unwrap()
}

#[tokio::test]
async fn receipts_count_by_rank_in_any_order_and_before_the_id_is_known() {
    let rig = Rig::start().await;
    for callbacks in [Callbacks::Reversed, Callbacks::Repeated] {
        rig.fake.callbacks(callbacks);
        rig.fake.next(Call::Send, Fault::Late(Duration::from_millis(80)));
        rig.say(ANA, "hola").await;
        rig.settled().await;
    }
    rig.delivered(2).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(rig.sent().await.iter().all(|o| o.delivery == Delivery::Delivered));
    assert_eq!(rig.fake.sends().len(), 2);
    rig.end().await;
}

#[tokio::test]
async fn a_failure_reported_later_is_tried_again_or_buried_by_its_code() {
    let rig = Rig::start().await;
    rig.fake.fate(ANA, "failed", Some("63012"));
    rig.say(ANA, "otra vez").await;
    rig.delivered(1).await;
    assert_eq!(rig.fake.texts_to(ANA), ["otra vez", "otra vez"]);
    assert_eq!(rig.sent().await[0].attempts, 2);

    for code in ["InvalidSandboxRequest", "63014"] {
        rig.fake.fate(LUIS, "undelivered", Some(code));
        rig.say(LUIS, "nunca").await;
        rig.settled().await;
    }
    let start = Instant::now();
    while rig.dead().await.len() < 2 {
        assert!(start.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let reasons: Vec<String> = rig.dead().await.into_iter().map(|letter| letter.reason).collect();
    assert!(
        reasons.iter().any(|r| r.contains("not joined the sandbox")),
        "{reasons:?}"
    );
    assert!(reasons.iter().any(|r| r.contains("Blocked by user")), "{reasons:?}");
    assert_eq!(rig.fake.texts_to(LUIS).len(), 2, "neither is repeated");
    for (person, opted_out) in [(LUIS, true), (ANA, false)] {
        let conversation = rig.store.conversation(&format!("c-{person}")).await.unwrap();
        assert_eq!(
            conversation.is_some_and(|c| c.opted_out),
            opted_out,
            "who blocks our number has opted out"
        );
    }
    rig.end().await;
}

#[tokio::test]
async fn what_fails_every_time_becomes_a_dead_letter_and_can_be_sent_after_all() {
    let rig = Rig::with(&[("RELEVO__TWILIO__SEND_ATTEMPTS_MAX", "3")]).await;
    for _ in 0..3 {
        rig.fake.next(Call::Send, Fault::Refuse(500, 20500));
    }
    rig.say(ANA, "hola").await;
    rig.say(ANA, "y después").await;
    rig.settled().await;
    assert_eq!(
        rig.fake.texts_to(ANA),
        ["y después"],
        "the next one is not held up for ever"
    );
    let letter = rig.dead().await.remove(0);
    assert!(letter.reason.contains("after 3 tries"), "{}", letter.reason);
    assert!(matches!(letter.letter, Dead::Outbound { .. }));
    rig.store.dead_retry(letter.id).await.unwrap();
    rig.settled().await;
    assert_eq!(rig.fake.texts_to(ANA), ["y después", "hola"]);
    rig.end().await;
}

#[tokio::test]
async fn a_mistake_in_the_sender_is_not_repeated_and_names_what_to_mend() {
    let rig = Rig::start().await;
    rig.fake.next(Call::Send, Fault::Refuse(400, 63007));
    rig.say(ANA, "hola").await;
    rig.settled().await;
    let letter = rig.dead().await.remove(0);
    assert!(
        letter.reason.starts_with("63007: No Channel with this From"),
        "{}",
        letter.reason
    );
    assert_eq!(rig.fake.asked(Call::Send).len(), 1);
    rig.end().await;
}

#[tokio::test]
async fn refused_credentials_stop_sending_and_lose_nothing() {
    let rig = Rig::with(&[("TWILIO_AUTH_TOKEN", "revoked")]).await;
    for n in 0..5 {
        rig.say(ANA, &format!("a {n}")).await;
        rig.say(LUIS, &format!("l {n}")).await;
    }
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(rig.fake.asked(Call::Send).len() <= 2, "no loop");
    assert_eq!((rig.waiting().await.len(), rig.dead().await.len()), (10, 0));
    let mut rig = rig;
    rig.stop().await;
}

#[tokio::test]
async fn too_many_requests_are_answered_with_patience() {
    let rig = Rig::start().await;
    rig.fake.next(Call::Send, Fault::Limited(1));
    let start = Instant::now();
    rig.say(ANA, "hola").await;
    rig.settled().await;
    assert!(start.elapsed() >= Duration::from_secs(1), "Retry-After is kept");
    assert_eq!(rig.fake.texts_to(ANA), ["hola"]);
    rig.end().await;
}

#[tokio::test]
async fn a_persons_messages_keep_their_distance_and_nobody_waits_for_somebody_elses() {
    let rig = Rig::with(&[("RELEVO__TWILIO__RECIPIENT_GAP_MS", "300")]).await;
    for n in 0..3 {
        rig.say(ANA, &format!("a {n}")).await;
    }
    rig.say(LUIS, "l").await;
    rig.settled().await;
    let at = |to: &str| -> Vec<Timestamp> {
        rig.fake
            .sends()
            .into_iter()
            .filter(|m| m.to == to)
            .map(|m| m.created)
            .collect()
    };
    let (ana, luis) = (at(ANA), at(LUIS));
    for pair in ana.windows(2) {
        assert!(pair[1].duration_since(pair[0]).as_millis() >= 290, "{ana:?}");
    }
    assert!(luis[0] < ana[1]);
    rig.end().await;
}

#[tokio::test]
async fn the_next_message_waits_until_the_one_before_is_reported_as_sent() {
    let rig = Rig::start().await;
    rig.fake.callbacks(Callbacks::Lost);
    for text in ["primero", "segundo"] {
        rig.say(ANA, text).await;
    }
    rig.settled().await;
    let sends = rig.fake.sends();
    let apart = sends[1].created.duration_since(sends[0].created).as_millis();
    assert!(
        apart >= 390,
        "without a report the wait is bounded, but is there: {apart} ms"
    );

    rig.fake.callbacks(Callbacks::InOrder);
    for text in ["tercero", "cuarto"] {
        rig.say(LUIS, text).await;
    }
    rig.settled().await;
    let sends = rig.fake.sends();
    let apart = sends[3].created.duration_since(sends[2].created).as_millis();
    assert!(
        (3..300).contains(&apart),
        "it goes as soon as the report is there: {apart} ms"
    );
    rig.end().await;
}

#[tokio::test]
async fn people_who_have_to_wait_hide_nobody_who_need_not() {
    let rig = Rig::with(&[("RELEVO__TWILIO__RECIPIENT_GAP_MS", "60000")]).await;
    for person in 0..250 {
        let to = format!("whatsapp:+569900{person:05}");
        rig.say(&to, "uno").await;
        rig.say(&to, "dos").await;
    }
    let start = Instant::now();
    while rig.fake.sends().len() < 250 {
        assert!(
            start.elapsed() < PATIENCE,
            "{} of the first messages",
            rig.fake.sends().len()
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    rig.say(ANA, "ahora").await;
    let start = Instant::now();
    while rig.fake.texts_to(ANA).is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "250 people wait, and so does she"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(
        rig.fake.sends().len(),
        251,
        "the others' second messages keep their distance"
    );
    rig.end().await;
}

#[tokio::test]
async fn a_loop_of_two_programs_is_stopped_before_twilio_stops_it() {
    let rig = Rig::start().await;
    for n in 0..20 {
        rig.say(ANA, &format!("{n}")).await;
    }
    rig.until(|| rig.fake.sends().len() == 14, "fourteen went out").await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(rig.fake.sends().len(), 14);
    assert_eq!(rig.waiting().await.len(), 6, "the others wait, none is lost");
    rig.end().await;
}

#[tokio::test]
async fn without_an_account_the_simulator_has_it_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
    let config = Arc::new(relevo::config::Config::for_testing(dir.path().to_owned()).unwrap());
    let outbox = Arc::new(Outbox::new(store.clone(), None, &config, Metrics::new()));
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(Arc::clone(&outbox).run(shutdown.clone()));
    store.enqueue(vec![message(ANA, "hola")]).await.unwrap();
    let start = Instant::now();
    let sent = loop {
        let sent = store.sent(&Page::default()).await.unwrap().rows;
        if sent.first().is_some_and(|o| o.delivery == Delivery::Delivered) {
            break sent;
        }
        assert!(start.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(sent[0].message.body, "hola");
    shutdown.cancel();
    running.await.unwrap();
}
