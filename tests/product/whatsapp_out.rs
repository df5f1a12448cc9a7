//! Messages that we begin: the 24 hours, approved templates, files by link.

use std::time::Duration;

use jiff::Timestamp;
use relevo::domain::outbound::{ContentTemplate, Delivery, NewOutbound, Purpose};
use relevo::store::{Leasing, MediaRecord, TurnEffects};
use uuid::Uuid;

use crate::support::fake_twilio::{ACCOUNT, Call, Callbacks, Fault, SENDER};
use crate::support::outbox_rig::{ANA, Rig, message};
use crate::support::{NOBODY, TECHNICIAN, TestApp};

const CONTENT: &str = "HX0123456789abcdef0123456789abcdef";

fn with_template(body: &str) -> NewOutbound {
    NewOutbound {
        purpose: Purpose::Notice,
        template: Some(ContentTemplate {
            content_sid: CONTENT.to_owned(),
            variables: [("1".to_owned(), body.to_owned())].into(),
        }),
        ..message(ANA, body)
    }
}

fn fields(rig: &Rig, at: usize) -> Vec<(String, String)> {
    rig.fake.asked(Call::Send)[at].form()
}

/// The person has written just now, and their turn is over.
async fn wrote(rig: &Rig) {
    let inbound = serde_json::from_value(serde_json::json!({
        "sid": "SM000000000000000000000000000000ff", "account": ACCOUNT, "from": ANA, "to": SENDER, "body": "hola",
        "command": null, "pin": null, "media": [], "num_media": 0, "message_type": "text", "profile_name": null,
        "wa_id": null, "external_id": null, "reply_to": null, "forwarded": false, "extra": {}, "origin": "webhook",
        "sent_at": null, "received_at": Timestamp::now(),
    }))
    .unwrap();
    rig.store
        .ingest(inbound, &format!("c-{ANA}"), Duration::ZERO)
        .await
        .unwrap();
    let Leasing::Turn(turn) = rig.store.lease(Duration::from_secs(60)).await.unwrap() else {
        panic!("the turn is due")
    };
    rig.store.ack(turn.lease, TurnEffects::default()).await.unwrap();
}

fn field(form: &[(String, String)], name: &str) -> Option<String> {
    form.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone())
}

#[tokio::test]
async fn who_never_wrote_gets_the_approved_template_at_once() {
    let rig = Rig::start().await;
    rig.store.enqueue(vec![with_template("hay corte")]).await.unwrap();
    rig.delivered(1).await;
    let form = fields(&rig, 0);
    assert_eq!(field(&form, "ContentSid").as_deref(), Some(CONTENT));
    assert_eq!(
        field(&form, "ContentVariables").as_deref(),
        Some(r#"{"1":"hay corte"}"#)
    );
    assert_eq!(field(&form, "Body"), None, "a template's text in the body is free text");
    rig.end().await;
}

// PF005
#[tokio::test]
async fn twilios_clock_wins_free_text_that_is_refused_goes_as_its_template() {
    let rig = Rig::start().await;
    wrote(&rig).await;
    rig.fake.fate(ANA, "undelivered", Some("63016"));
    rig.store.enqueue(vec![with_template("hay corte")]).await.unwrap();
    rig.delivered(1).await;
    assert_eq!(field(&fields(&rig, 0), "Body").as_deref(), Some("hay corte"));
    assert_eq!(field(&fields(&rig, 1), "ContentSid").as_deref(), Some(CONTENT));
    assert_eq!(rig.fake.asked(Call::Send).len(), 2);
    let sent = rig.sent().await.remove(0);
    assert!(sent.templated && sent.delivery == Delivery::Delivered);
    rig.end().await;
}

#[tokio::test]
async fn a_template_with_an_unknown_outcome_is_looked_up_and_not_sent_twice() {
    let rig = Rig::start().await;
    rig.fake.callbacks(Callbacks::Lost);
    rig.fake.next(Call::Send, Fault::DoneThenHang);
    rig.store.enqueue(vec![with_template("hay corte")]).await.unwrap();
    rig.settled().await;
    assert_eq!(rig.fake.sends().len(), 1);
    rig.end().await;
}

#[tokio::test]
async fn a_preview_says_for_each_whether_their_window_is_open_and_names_who_wants_none() {
    let app = TestApp::demo().await;
    let say = async |from: &str, text: &str| {
        let sid = app.say(from, text).await;
        app.reply(&sid).await
    };
    say("whatsapp:+56980000023", "hola").await;
    say("whatsapp:+56980000024", "stop").await;
    let preview = say(
        TECHNICIAN,
        "avisale por whatsapp a la cuadrilla norte 1 que hay corte en SITE-002",
    )
    .await;
    for part in [
        "WhatsApp por enviar",
        "3 destinatarios",
        "(E-023): ventana de 24 h abierta",
        "(E-024): pidió no recibir mensajes",
        "Hay corte en SITE-002",
    ] {
        assert!(preview.contains(part), "{part} in {preview}");
    }
    let refused = say(NOBODY, "avisale por whatsapp a la cuadrilla norte 1 que hay corte").await;
    assert!(!refused.contains("por enviar"), "{refused}");
    app.end().await;
}

#[tokio::test]
async fn a_file_is_open_to_who_holds_its_link_for_a_while_and_to_nobody_else() {
    let app = TestApp::demo().await;
    let bytes = b"%PDF-1.7 acta".to_vec();
    let folder = app.dir.path().join("media/ab");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("abc.pdf"), &bytes).unwrap();
    let record = |id: Uuid, file: &str| MediaRecord {
        id,
        hash: "abcdef0123456789".to_owned(),
        content_type: "application/pdf".to_owned(),
        bytes: bytes.len() as u64,
        file: file.to_owned(),
        message: None,
        conversation: Some("wa:E-022".to_owned()),
        task_id: Some("T-10005".parse().unwrap()),
        site_id: None,
        caption: Some("acta firmada".to_owned()),
        stored_at: Timestamp::now(),
        found: serde_json::Value::Null,
    };
    let id = Uuid::from_u128(7);
    app.store().media_put(record(id, "ab/abc.pdf")).await.unwrap();
    let sid = app.say(TECHNICIAN, "fotos de la 10005").await;
    let reply = app.reply(&sid).await;
    assert!(reply.contains("acta firmada") && reply.contains("T-10005"), "{reply}");
    let link = reply.split_whitespace().find(|word| word.contains("/media/")).unwrap();
    let head = app.http.head(link).send().await.unwrap();
    assert_eq!(head.status(), 200);
    assert_eq!(head.headers()["content-type"], "application/pdf");
    assert_eq!(head.headers()["content-length"], bytes.len().to_string().as_str());
    let get = app.http.get(link).send().await.unwrap();
    assert_eq!(get.headers()["x-content-type-options"], "nosniff");
    assert_eq!(get.bytes().await.unwrap(), bytes);
    for spoiled in [
        link.replace("sig=", "sig=0"),
        link.replace("exp=", "exp=9"),
        link.replace(&id.to_string(), &Uuid::from_u128(8).to_string()),
        link.replace(&id.to_string(), "..%2f..%2fsecret"),
        link.split('?').next().unwrap().to_owned(),
    ] {
        assert_eq!(app.http.get(&spoiled).send().await.unwrap().status(), 404, "{spoiled}");
    }
    let sid = app.say(NOBODY, "fotos de la 10005").await;
    let reply = app.reply(&sid).await;
    assert!(!reply.contains("/media/") && !reply.contains("Paula"), "{reply}");
    app.end().await;
}

#[tokio::test]
async fn a_confirmed_message_goes_to_each_of_the_crew_who_wants_messages_once() {
    let app = TestApp::demo().await;
    let say = async |from: &str, text: &str| {
        let sid = app.say(from, text).await;
        app.reply(&sid).await
    };
    say("whatsapp:+56980000024", "stop").await;
    say(
        TECHNICIAN,
        "avisale por whatsapp a la cuadrilla norte 1 que hay corte en SITE-002",
    )
    .await;
    let done = say(TECHNICIAN, "sí").await;
    assert!(done.contains("en cola"), "{done}");
    let again = say(TECHNICIAN, "sí").await;
    assert!(!again.contains("en cola"), "{again}");
    let start = std::time::Instant::now();
    let arrived = loop {
        let sent = app.store().sent(&relevo::store::Page::first(200)).await.unwrap().rows;
        let arrived: Vec<String> = sent
            .iter()
            .filter(|o| o.message.body.ends_with("Hay corte en SITE-002") && o.message.answers.is_empty())
            .map(|o| o.message.to.as_str().to_owned())
            .collect();
        if arrived.len() >= 2 || start.elapsed() > Duration::from_secs(20) {
            break arrived;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    let mut arrived = arrived;
    arrived.sort();
    assert_eq!(arrived, [TECHNICIAN, "whatsapp:+56980000023"], "not to who wants none");
    app.end().await;
}
