//! Mails that a person confirmed, over a mail server that misbehaves.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relevo::config::Mail;
use relevo::domain::change::{Change, Effect, Order, Recipient};
use relevo::domain::clock::ZoneTimes;
use relevo::systems::{Smtp, Systems, WriteFault};
use relevo::world::{World, WorldHandle};
use uuid::Uuid;

use crate::support::fake_smtp::{FakeSmtp, Meets};
use crate::support::{NOBODY, TECHNICIAN, TestApp};

fn systems(url: &str) -> Systems {
    relevo::net::install_crypto();
    let world = World::demo(Timestamp::UNIX_EPOCH, ZoneTimes::new(TimeZone::UTC, vec![])).unwrap();
    let systems = Systems::embedded(WorldHandle::new(world));
    let settings = Mail {
        url: url.to_owned().into(),
        from: "relevo@operador-demo.example".to_owned(),
        reply_to: "noc@operador-demo.example".to_owned(),
        timeout_secs: 1,
        outside: String::new(),
    };
    systems.mail_by(Smtp::new(&settings).unwrap().unwrap());
    systems
}

fn order(subject: &str) -> Order {
    Order {
        id: Uuid::now_v7(),
        change: Change::SendEmail {
            to: vec![Recipient {
                address: "e002@operador-demo.example".to_owned(),
                employee: None,
            }],
            subject: subject.to_owned(),
            body: "Sin energía desde las 10.\n\n--\nPaula Martínez".to_owned(),
        },
        by: None,
        at: Timestamp::UNIX_EPOCH,
    }
}

#[tokio::test]
async fn a_mail_arrives_with_its_sender_its_subject_and_where_answers_go() {
    let server = FakeSmtp::start().await;
    let order = order("Corte en SITE-002");
    let Effect { reference, records } = systems(&server.url()).perform(&order).await.unwrap();
    assert_eq!(reference, format!("{}@operador-demo.example", order.id));
    assert!(records.is_empty());
    let mail = server.mails().remove(0);
    for header in [
        "From: relevo@operador-demo.example",
        "Reply-To: noc@operador-demo.example",
        "To: e002@operador-demo.example",
        "Subject: Corte en SITE-002",
    ] {
        assert!(mail.lines().any(|line| line == header), "{header} in {mail}");
    }
    assert!(mail.contains(&format!("Message-ID: <{reference}>")), "{mail}");
}

#[tokio::test]
async fn what_follows_from_a_failure_is_what_the_server_left_known() {
    let server = FakeSmtp::start().await;
    let systems = systems(&server.url());
    for (meets, taken) in [
        (Meets::Refused, false),
        (Meets::Busy, false),
        (Meets::Silence, false),
        (Meets::TakenThenBreak, true),
        (Meets::TakenThenSilence, true),
    ] {
        let before = server.mails().len();
        server.next(&[meets]);
        let fault = systems.perform(&order("prueba")).await.unwrap_err();
        let fits = match meets {
            Meets::Refused => matches!(&fault, WriteFault::Refused { reason } if reason.contains("550")),
            Meets::Busy | Meets::Silence => fault == WriteFault::Unsent,
            // Whether it was taken nobody can say: it must never be sent again by itself.
            _ => fault == WriteFault::Unknown,
        };
        assert!(fits, "{meets:?}: {fault:?}");
        assert_eq!(server.mails().len() - before, usize::from(taken), "{meets:?}");
    }
    let standing = systems.board().standing("email").unwrap();
    assert_eq!(standing.reachable, Some(false));
    server.next(&[]);
    systems.perform(&order("prueba")).await.unwrap();
    assert_eq!(systems.board().standing("email").unwrap().reachable, Some(true));
}

#[tokio::test]
async fn a_subject_or_a_recipient_with_a_line_break_never_becomes_a_header() {
    let server = FakeSmtp::start().await;
    let systems = systems(&server.url());
    let _ = systems.perform(&order("hola\r\nBcc: espia@otro.example")).await;
    for mail in server.mails() {
        let head = mail.split("\n\n").next().unwrap();
        assert!(
            !head.lines().any(|line| line.to_lowercase().starts_with("bcc")),
            "{head}"
        );
    }
    let Change::SendEmail { subject, body, .. } = order("x").change else {
        panic!()
    };
    let broken = Order {
        change: Change::SendEmail {
            to: vec![Recipient {
                address: "a@b.example\r\nRCPT TO:<espia@otro.example>".to_owned(),
                employee: None,
            }],
            subject,
            body,
        },
        ..order("x")
    };
    assert!(matches!(
        systems.perform(&broken).await,
        Err(WriteFault::Refused { .. })
    ));
}

#[tokio::test]
async fn without_a_mail_server_nothing_is_pretended() {
    let world = World::demo(Timestamp::UNIX_EPOCH, ZoneTimes::new(TimeZone::UTC, vec![])).unwrap();
    let systems = Systems::embedded(WorldHandle::new(world));
    assert_eq!(systems.perform(&order("x")).await, Err(WriteFault::NotConfigured));
}

#[tokio::test]
async fn a_mail_is_asked_for_piece_by_piece_and_previewed() {
    let app = TestApp::demo().await;
    let say = async |text: &str| {
        let sid = app.say(TECHNICIAN, text).await;
        app.reply(&sid).await
    };
    assert!(say("manda un correo").await.contains("quién"));
    assert!(say("a ximena rojas").await.contains("asunto"));
    assert!(say("Corte en SITE-002").await.contains("Qué dice"));
    let preview = say("no hay energía desde las 10; avisa a la 10005").await;
    for part in [
        "Correo por enviar",
        "Ximena Rojas",
        "Asunto: Corte en SITE-002",
        "no hay energía desde las 10; avisa a la 10005",
        "SMTP_URL",
    ] {
        assert!(preview.contains(part), "{part} in {preview}");
    }
    assert!(
        !preview.contains("e002@"),
        "a technician does not read a manager's address: {preview}"
    );
    app.end().await;
}

async fn drafts(app: &TestApp) -> Vec<serde_json::Value> {
    let answer = app.http.get(app.url("/api/admin/drafts")).send().await.unwrap();
    let answer: serde_json::Value = answer.json().await.unwrap();
    answer["rows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_draft_is_kept_and_nothing_leaves_and_a_guest_keeps_none() {
    let app = TestApp::demo().await;
    let sid = app
        .say(
            TECHNICIAN,
            "redacta un correo para ximena rojas con asunto Acceso: pido acceso a SITE-002",
        )
        .await;
    let reply = app.reply(&sid).await;
    assert!(reply.contains("Borrador"), "{reply}");
    // The ops team sees it.
    let drafts = drafts(&app).await;
    assert_eq!(drafts.len(), 1);
    assert_eq!(drafts[0]["subject"], "Acceso");
    assert_eq!(drafts[0]["by"], "E-022");
    assert_eq!(drafts[0]["to"][0], "e002@operador-demo.example");
    let body = drafts[0]["body"].as_str().unwrap();
    assert!(body.starts_with("Pido acceso a SITE-002"), "{body}");
    let sid = app
        .say(
            NOBODY,
            "redacta un correo para ximena rojas con asunto Acceso: pido acceso",
        )
        .await;
    let reply = app.reply(&sid).await;
    assert!(!reply.contains("Rojas <") && !reply.contains("guardado"), "{reply}");
    assert_eq!(self::drafts(&app).await.len(), 1);
    app.end().await;
}

#[tokio::test]
async fn a_confirmed_mail_leaves_once_and_one_whose_outcome_is_unknown_is_never_repeated() {
    let server = FakeSmtp::start().await;
    let url = server.url();
    let app = TestApp::with(&[
        ("SMTP_URL", url.as_str()),
        ("RELEVO__MAIL__FROM", "relevo@operador-demo.example"),
        ("RELEVO__MAIL__TIMEOUT_SECS", "1"),
    ])
    .await;
    let say = async |text: &str| {
        let sid = app.say(TECHNICIAN, text).await;
        app.reply(&sid).await
    };
    say("manda un correo a ximena rojas con asunto Corte: sin energía").await;
    assert!(server.mails().is_empty(), "a preview sends nothing");
    let done = say("sí").await;
    assert!(done.contains("el correo salió"), "{done}");
    assert_eq!(server.mails().len(), 1);
    say("manda un correo a ximena rojas con asunto Otro: sigue igual").await;
    server.next(&[Meets::TakenThenBreak]);
    let unsure = say("sí").await;
    assert!(unsure.contains("No sé si"), "{unsure}");
    let still = say("confirmo").await;
    assert!(!still.contains("salió"), "{still}");
    assert_eq!(server.mails().len(), 2, "never a second time");
    app.end().await;
}
