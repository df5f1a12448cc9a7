//! The inbox: order within a conversation, bursts as one turn, one reply whatever happens.

use std::time::Duration;

use jiff::Timestamp;
use relevo::domain::message::{Address, Inbound, MessageSid, Origin};
use relevo::store::{Leasing, Store, StoreLimits};

use crate::support::{NOBODY, TECHNICIAN, TestApp};

const OTHER: &str = "whatsapp:+56980000023";

#[tokio::test]
async fn messages_of_one_person_are_answered_in_the_order_they_came() {
    let app = TestApp::demo().await;
    let mut sids = Vec::new();
    for n in 1..=8 {
        sids.push(app.say(TECHNICIAN, &format!("estado sitio {n}")).await);
    }
    for (n, sid) in sids.iter().enumerate() {
        let reply = app.reply(sid).await;
        assert!(reply.starts_with(&format!("SITE-00{}", n + 1)), "{reply}");
    }
    let mut order = Vec::new();
    for sid in &sids {
        order.push(app.answers(sid).await[0].id);
    }
    assert!(order.is_sorted(), "replies are enqueued in the order of the questions");
    app.end().await;
}

#[tokio::test]
async fn unfinished_text_waits_for_its_end_and_becomes_one_question() {
    let app = TestApp::demo().await;
    let first = app.say(TECHNICIAN, "estado sitio").await;
    let second = app.say(TECHNICIAN, "2").await;
    let reply = app.reply(&second).await;
    assert!(reply.starts_with("SITE-002"), "{reply}");
    assert_eq!(app.reply(&first).await, reply, "one reply answers both");
    app.end().await;
}

#[tokio::test]
async fn two_people_never_see_each_others_context() {
    let app = TestApp::demo().await;
    app.ask(TECHNICIAN, "estado sitio SITE-002").await;
    app.ask(OTHER, "estado sitio SITE-005").await;
    let reply = app.ask(TECHNICIAN, "y las alarmas?").await;
    assert!(!reply.contains("SITE-005"), "{reply}");
    app.end().await;
}

#[tokio::test]
async fn an_empty_message_is_asked_for_its_question() {
    let app = TestApp::demo().await;
    let reply = app.ask(TECHNICIAN, "").await;
    assert!(
        reply.contains('?') || reply.to_lowercase().contains("escribe"),
        "{reply}"
    );
    app.end().await;
}

#[tokio::test]
async fn stop_words_leave_and_inicio_comes_back() {
    let app = TestApp::demo().await;
    let asked_back = app.ask(TECHNICIAN, "BAJA").await;
    assert!(asked_back.contains("dejar de recibir"), "{asked_back}");
    assert!(app.ask(TECHNICIAN, "sí").await.contains("INICIO"));
    assert!(app.ask(TECHNICIAN, "estado sitio 2").await.contains("INICIO"));
    assert!(app.ask(TECHNICIAN, "inicio").await.contains("De vuelta"));
    assert!(app.ask(TECHNICIAN, "estado sitio 2").await.starts_with("SITE-002"));
    let menu = app.ask(TECHNICIAN, "INICIO").await;
    assert!(
        menu.contains("mis tareas"),
        "who has not left is shown what can be asked: {menu}"
    );
    assert!(app.ask(OTHER, "STOP").await.contains("INICIO"));
    app.end().await;
}

#[tokio::test]
async fn an_unknown_number_is_a_guest_on_the_demo_and_refused_where_the_setting_says_so() {
    let app = TestApp::demo().await;
    let reply = app.ask(NOBODY, "estado sitio 2").await;
    assert!(reply.starts_with("SITE-002") && !reply.contains("Martínez"), "{reply}");
    app.end().await;
    let app = TestApp::with(&[("RELEVO__OPERATOR__UNKNOWN_NUMBERS", "refuse")]).await;
    assert!(app.ask(NOBODY, "estado sitio 2").await.contains("no está registrado"));
    assert!(app.ask(TECHNICIAN, "estado sitio 2").await.starts_with("SITE-002"));
    app.end().await;
}

#[tokio::test]
async fn a_username_without_a_number_leads_to_the_person_it_was_seen_with() {
    let app = TestApp::demo().await;
    let both = [
        ("Body", "mis tareas"),
        ("ExternalUserId", "whatsapp:CL.4566546130240823"),
    ];
    let sid = app.send(TECHNICIAN, &both).await;
    let known = app.reply(&sid).await;
    let by_username = app.ask("whatsapp:CL.4566546130240823", "mis tareas").await;
    assert_eq!(by_username, known);
    let answer = &app.answers(&sid).await[0];
    assert_eq!(
        answer.message.to.as_str(),
        TECHNICIAN,
        "the reply goes to the exact From"
    );
    app.end().await;
}

#[tokio::test]
async fn who_writes_too_fast_is_told_once_and_nothing_is_lost() {
    let app = TestApp::with(&[("RELEVO__RELAY__SENDER_MESSAGES_MAX", "2")]).await;
    let mut sids = Vec::new();
    for n in 1..=5 {
        sids.push(app.say(TECHNICIAN, &format!("estado sitio {n}")).await);
        if n <= 2 {
            app.reply(&sids[n - 1]).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let page = app.store().sent(&relevo::store::Page::first(50)).await.unwrap().rows;
    let notices = page.iter().filter(|o| o.message.body.contains("seguidos")).count();
    assert_eq!(notices, 1, "told once");
    assert_eq!(app.store().depths().inbox, 3, "all three wait for their turn");
    app.abandon().await;
}

#[tokio::test]
async fn a_message_that_ends_the_process_five_times_is_buried_and_its_sender_told() {
    let app = TestApp::demo().await;
    let dir = app.dir.clone();
    let (account, _, sender) = app.account();
    let app = app.pause().await;
    let sid = MessageSid::parse("SM0000000000000000000000000000dead").unwrap();
    let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
    let poison = Inbound {
        sid: sid.clone(),
        account,
        from: Address::parse(TECHNICIAN).unwrap(),
        to: sender,
        body: "estado sitio 2".to_owned(),
        command: None,
        pin: None,
        media: Vec::new(),
        num_media: 0,
        message_type: "text".to_owned(),
        profile_name: None,
        wa_id: None,
        external_id: None,
        reply_to: None,
        forwarded: false,
        extra: Default::default(),
        origin: Origin::Webhook,
        sent_at: None,
        received_at: jiff::Timestamp::now(),
    };
    store.ingest(poison, "wa:E-022", Duration::ZERO).await.unwrap();
    drop(store);
    for _ in 0..5 {
        // A process that leased the turn and died before its end.
        let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
        let leased = store.lease(Duration::from_secs(60)).await.unwrap();
        assert!(matches!(leased, Leasing::Turn(_)));
        drop(store);
    }
    let app = app.resume().await;
    assert!(app.reply(&sid).await.contains("No pude responder"));
    assert_eq!(app.store().depths().dead, 1);
    app.end_with_dead_letters().await;
}

#[tokio::test]
async fn a_restart_in_the_middle_loses_nothing_and_repeats_nothing() {
    let mut app = TestApp::demo().await;
    let mut sids = Vec::new();
    for round in 0..4 {
        for n in 1..=5 {
            sids.push(app.say(TECHNICIAN, &format!("estado sitio {}", round * 5 + n)).await);
        }
        app = app.restart().await;
    }
    for (n, sid) in sids.iter().enumerate() {
        let reply = app.reply(sid).await;
        assert!(reply.starts_with(&format!("SITE-{:03}", n + 1)), "{reply}");
    }
    app.end().await;
}

#[tokio::test]
async fn a_location_whose_position_is_none_is_said_to_be_unreadable() {
    let app = TestApp::demo().await;
    for (latitude, longitude) in [
        ("NaN", "inf"),
        ("91", "0"),
        ("1e400", "-1e400"),
        ("-33,4", "-70,6"),
        ("", ""),
    ] {
        let fields = [
            ("MessageType", "location"),
            ("Latitude", latitude),
            ("Longitude", longitude),
        ];
        let sid = app.send(TECHNICIAN, &fields).await;
        let reply = app.reply(&sid).await;
        assert!(reply.contains("no puedo leer sus coordenadas"), "{latitude}: {reply}");
    }
    app.end().await;
}

/// A message as the poller finds it, three hours after it was sent.
fn found_late(app: &TestApp, n: u8, body: &str) -> Inbound {
    let (account, _, sender) = app.account();
    let at = Timestamp::now() - jiff::SignedDuration::from_hours(3);
    Inbound {
        sid: MessageSid::parse(&format!("SM0000000000000000000000000001a7{n:02}")).unwrap(),
        account,
        from: Address::parse(TECHNICIAN).unwrap(),
        to: sender,
        body: body.to_owned(),
        command: None,
        media: Vec::new(),
        num_media: 0,
        message_type: "text".to_owned(),
        profile_name: None,
        wa_id: None,
        external_id: None,
        reply_to: None,
        forwarded: false,
        extra: Default::default(),
        pin: None,
        origin: Origin::Poll,
        sent_at: Some(at),
        received_at: Timestamp::now(),
    }
}

#[tokio::test]
async fn a_stop_word_found_late_still_stops_and_who_left_gets_no_list_and_no_notice() {
    let app = TestApp::with(&[("RELEVO__RELAY__SENDER_MESSAGES_MAX", "3")]).await;
    let ingest = app.running().state.parts().unwrap().ingest.clone();
    let stop = found_late(&app, 1, "STOP");
    let sid = stop.sid.clone();
    ingest.accept(stop).await.unwrap();
    assert!(app.reply(&sid).await.contains("INICIO"));
    let missed = found_late(&app, 2, "estado sitio 2");
    let sid = missed.sid.clone();
    ingest.accept(missed).await.unwrap();
    let reply = app.reply(&sid).await;
    assert!(reply.contains("INICIO") && !reply.contains("estado sitio"), "{reply}");
    for n in 0..6 {
        app.say(TECHNICIAN, &format!("estado sitio {}", n + 1)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let page = app.store().sent(&relevo::store::Page::first(50)).await.unwrap().rows;
    assert!(page.iter().all(|o| !o.message.body.contains("seguidos")));
    app.abandon().await;
}
