//! What a technician changes over WhatsApp: previewed, confirmed by the same person, done once.

use std::time::Duration;

use relevo::domain::change::{Change, Order, RecordKind};
use relevo::domain::ids::{EmployeeId, TaskId};
use relevo::domain::sets::TaskStatus;
use relevo::store::{Begun, Page, Store, StoreLimits};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::app::TECHNICIAN;
use crate::support::fake_twilio::{FakeTwilio, Posted};
use crate::support::process::Server;

/// Another technician of the demo operator (E-023).
const COLLEAGUE: &str = "whatsapp:+56980000023";

/// What became of writes, oldest first.
async fn audited(app: &TestApp) -> Vec<String> {
    let answer = app
        .http
        .get(app.url("/api/admin/audit?limit=100"))
        .send()
        .await
        .unwrap();
    let answer: serde_json::Value = answer.json().await.unwrap();
    let rows = answer["rows"].as_array().unwrap();
    let what = |row: &serde_json::Value| row["what"].as_str().unwrap().to_owned();
    rows.iter().rev().map(what).collect()
}

/// Events written with this text.
async fn events(store: &Store, text: &str) -> usize {
    let events = store.records(RecordKind::Events).await.unwrap();
    events.iter().filter(|(_, event)| event["text"] == text).count()
}

/// The write that waits in the only conversation.
async fn pending(app: &TestApp) -> serde_json::Value {
    let conversations = app.store().conversations(&Page::first(1)).await.unwrap().rows;
    let conversation = app.store().conversation(&conversations[0].id).await.unwrap().unwrap();
    conversation.memory["engine"]["pending"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_closed_by_a_yes_and_everybody_sees_it_at_once_and_after_a_restart() {
    let app = TestApp::demo().await;
    let preview = app.ask(TECHNICIAN, "cierra la T-10001 porque ya quedó").await;
    assert!(preview.contains("Estado: estancada → cerrada"), "{preview}");
    assert!(
        preview.contains("Motivo: ya quedó") && preview.contains("¿Confirmas?"),
        "{preview}"
    );
    let before = app.ask(COLLEAGUE, "estado de la T-10001").await;
    assert!(before.contains("estancada"), "a preview changes nothing: {before}");
    let done = app.ask(TECHNICIAN, "sí").await;
    assert!(done.starts_with("Hecho: la T-10001 quedó cerrada."), "{done}");
    let after = app.ask(COLLEAGUE, "estado de la T-10001").await;
    assert!(after.contains("cerrada"), "{after}");
    assert_eq!(audited(&app).await, ["previewed", "confirmed", "executed"]);
    let again = app.ask(TECHNICIAN, "sí").await;
    assert!(!again.contains("Hecho"), "{again}");
    let app = app.restart().await;
    let after = app.ask(COLLEAGUE, "estado de la T-10001").await;
    assert!(after.contains("cerrada"), "{after}");
    assert_eq!(events(app.store(), "ya quedó").await, 1);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_that_is_delivered_twice_is_one_yes() {
    let app = TestApp::demo().await;
    app.ask(TECHNICIAN, "nota para la T-10005: cambié rectificador").await;
    let (sid, form) = app.form(TECHNICIAN, &[("Body", "dale")]);
    for _ in 0..3 {
        assert_eq!(app.post("/webhooks/twilio", &form).await.status(), 200);
    }
    let sid = relevo::domain::message::MessageSid::parse(&sid).unwrap();
    assert!(app.reply(&sid).await.starts_with("Hecho: la nota quedó en la T-10005."));
    assert_eq!(events(app.store(), "cambié rectificador").await, 1);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_says_yes_and_no_drops_it() {
    let app = TestApp::demo().await;
    app.ask(TECHNICIAN, "escala la T-10005").await;
    let code = pending(&app).await["code"].as_str().unwrap().to_owned();
    for text in ["confirmo", "sí", &format!("confirmo {code}"), &code] {
        let answer = app.ask(COLLEAGUE, text).await;
        assert!(!answer.contains("Hecho"), "{text}: {answer}");
    }
    let dropped = app.ask(TECHNICIAN, "no").await;
    assert!(dropped.starts_with("De acuerdo, no cambio nada."), "{dropped}");
    let late = app.ask(TECHNICIAN, &format!("confirmo {code}")).await;
    assert!(!late.contains("Hecho"), "{late}");
    assert_eq!(audited(&app).await, ["previewed", "cancelled"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_another_question_a_plain_yes_is_asked_back_and_confirmo_is_enough() {
    let app = TestApp::demo().await;
    app.ask(TECHNICIAN, "escala la T-10005").await;
    let other = app.ask(TECHNICIAN, "estado sitio SITE-002").await;
    assert!(
        other.starts_with("SITE-002") && other.contains("Sigue por confirmar"),
        "{other}"
    );
    let stale = app.ask(TECHNICIAN, "sí").await;
    assert!(stale.contains("Entremedio") && stale.contains("¿Confirmas?"), "{stale}");
    app.ask(TECHNICIAN, "estado sitio SITE-003").await;
    let done = app.ask(TECHNICIAN, "confirmo").await;
    assert!(done.starts_with("Hecho: la T-10005 quedó escalada"), "{done}");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_write_takes_the_place_of_the_first_and_a_late_yes_does_nothing() {
    let app = TestApp::with(&[("RELEVO__RELAY__PENDING_SECS", "1")]).await;
    app.ask(TECHNICIAN, "escala la T-10005").await;
    let second = app.ask(TECHNICIAN, "nota para la T-10001: sin acceso").await;
    assert!(second.contains("reemplaza al que estaba por confirmar"), "{second}");
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let late = app.ask(TECHNICIAN, "confirmo").await;
    assert!(late.starts_with("Venció sin confirmar"), "{late}");
    assert_eq!(events(app.store(), "sin acceso").await, 0);
    assert_eq!(audited(&app).await, ["previewed", "cancelled", "previewed", "expired"]);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fourth_change_of_an_hour_is_refused_with_the_time_of_the_next() {
    let app = TestApp::demo().await;
    for n in 1..=3 {
        app.ask(TECHNICIAN, &format!("nota para la T-10005: prueba {n}")).await;
        let done = app.ask(TECHNICIAN, "sí").await;
        assert!(done.starts_with("Hecho"), "{done}");
    }
    app.ask(TECHNICIAN, "nota para la T-10005: prueba 4").await;
    let refused = app.ask(TECHNICIAN, "sí").await;
    assert!(
        refused.starts_with("Ya hiciste 3 cambios en la última hora."),
        "{refused}"
    );
    assert_eq!(events(app.store(), "prueba 4").await, 0);
    assert_eq!(audited(&app).await.last().unwrap(), "refused");
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_was_begun_when_the_program_died_is_made_once() {
    let app = TestApp::demo().await;
    app.ask(TECHNICIAN, "cierra la T-10001 porque ya quedó").await;
    let id: Uuid = serde_json::from_value(pending(&app).await["id"].clone()).unwrap();
    let order = Order {
        id,
        change: Change::UpdateTask {
            task_id: TaskId::parse("T-10001").unwrap(),
            status: Some(TaskStatus::Closed),
            action: None,
            reason: Some("ya quedó".to_owned()),
            at_point: None,
        },
        by: Some(EmployeeId::parse("E-022").unwrap()),
        at: "2026-11-30T15:00:00Z".parse().unwrap(),
    };
    // The order stands in the ledger without an outcome, as a kill between the two leaves it.
    assert_eq!(app.store().write_begin(order, 3).await.unwrap(), Begun::Fresh);
    let app = app.restart().await;
    let done = app.ask(TECHNICIAN, "sí").await;
    assert!(done.starts_with("Hecho: la T-10001 quedó cerrada."), "{done}");
    assert_eq!(events(app.store(), "ya quedó").await, 1);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_changes_nothing() {
    let app = TestApp::demo().await;
    let refused = app
        .ask(crate::support::app::NOBODY, "cierra la T-10001 porque ya quedó")
        .await;
    assert!(
        refused.contains("sólo para números registrados") || refused.contains("solo para números registrados"),
        "{refused}"
    );
    app.end().await;
}

/// Says something until it is taken: a server that is just starting refuses with 503.
async fn taken(twilio: &FakeTwilio, from: &str, text: &str) {
    let (sid, mut posted) = twilio.say(from, text).await;
    let start = std::time::Instant::now();
    while posted != Posted::Status(200) {
        assert!(start.elapsed() < Duration::from_secs(60), "never taken: {posted:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
        posted = twilio.post_webhook(&sid, from, &[("Body", text)]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_while_yeses_are_carried_out_lose_none_and_repeat_none() {
    const PEOPLE: usize = 6;
    let twilio = FakeTwilio::start().await;
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::new(dir.path(), &twilio.settings(true));
    twilio.app_is_at(&server.url());
    server.start();
    let from = |n: usize| format!("whatsapp:+569800000{}", 22 + n);
    let wait = async |n: usize, begins: &str| {
        let start = std::time::Instant::now();
        while !twilio.texts_to(&from(n)).iter().any(|text| text.contains(begins)) {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{n}: {:?}",
                twilio.texts_to(&from(n))
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    for n in 0..PEOPLE {
        taken(&twilio, &from(n), &format!("nota para la T-10005: caida numero {n}")).await;
        wait(n, "¿Confirmas?").await;
    }
    let mut chance = fastrand::Rng::with_seed(7);
    for n in 0..PEOPLE {
        taken(&twilio, &from(n), "confirmo").await;
        std::thread::sleep(Duration::from_millis(chance.u64(0..60)));
        server.kill();
        server.start();
    }
    for n in 0..PEOPLE {
        wait(n, "Hecho: la nota quedó").await;
    }
    server.terminate();
    let store = Store::open(&dir.path().join("data"), StoreLimits::default()).unwrap();
    for n in 0..PEOPLE {
        assert_eq!(events(&store, &format!("caida numero {n}")).await, 1, "{n}");
    }
    twilio.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_with_a_note_is_its_evidence() {
    let app = TestApp::demo().await;
    let post = async |path: &str, request: reqwest::RequestBuilder| -> serde_json::Value {
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.unwrap()
    };
    let photo = app
        .http
        .post(app.url("/simulator/files"))
        .header("content-type", "image/jpeg")
        .body(&b"\xff\xd8\xff\xe0\0\x10JFIF una foto"[..]);
    let photo = post("files", photo).await;
    let message = serde_json::json!({
        "phone": "+56980000022", "text": "nota para la T-10005: antes y después", "media": [photo["id"]],
    });
    let sent = post("send", app.http.post(app.url("/simulator/send")).json(&message)).await;
    let sid = sent["sid"].as_str().unwrap().to_owned();
    let preview = app
        .reply(&relevo::domain::message::MessageSid::parse(&sid).unwrap())
        .await;
    assert!(preview.contains("Adjunto: 1 archivo"), "{preview}");
    let done = app.ask(TECHNICIAN, "sí").await;
    assert!(done.contains("con 1 archivo"), "{done}");
    let kept = app.store().records(RecordKind::Events).await.unwrap();
    let note = kept
        .iter()
        .find(|(_, event)| event["text"] == "antes y después")
        .unwrap();
    assert_eq!(note.1["media"].as_array().unwrap().len(), 1);
    app.end().await;
}
