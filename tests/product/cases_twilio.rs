//! Cases from the field: what has gone wrong between Twilio and programs like this one, each by
//! its number in `tests/vectors/twilio_cases.jsonl`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relevo::domain::message::{Inbound, MessageSid};
use relevo::format;
use relevo::twilio::inbound;
use relevo::twilio::signature::{Algorithm, SIGNATURE_HEADER, sign};

use super::cases_signature::{ACCOUNT, BASE, FORM, TOKEN, load, validator};
use crate::support::fake_twilio::{FakeTwilio, File, Posted};
use crate::support::{TECHNICIAN, TestApp};

/// Where each case is tested: here under its number, or in the file whose subject it is.
const ELSEWHERE: &[(&str, &str)] = &[
    ("FC28", "signature: the published vectors"),
    ("FC35", "inbox: a turn has its own deadline"),
    (
        "FC38",
        "twilio_client: a fresh file is waited for and its redirect followed without credentials",
    ),
    ("FC40", "twilio_client: the fake refuses credentials on the second hop"),
    ("FC41", "media: a forged url gets no request at all"),
    ("FC43", "media: a fresh photo is waited for"),
    ("FC44", "relay::media::kind"),
    ("FC50", "outbox: a text that twilio finds too long is shortened once"),
    ("FC53", "format: properties of the pages"),
    ("FC55", "outbox: what one person is told keeps its order"),
    ("FC56", "outbox: what one person is told keeps its order"),
    ("FC61", "outbox: receipts count by rank in any order"),
    ("FC62", "outbox: receipts count by rank in any order"),
    ("FC64", "outbox: receipts count by rank in any order"),
    ("FC65", "store: error fields are overwritten, never erased"),
    (
        "FC67",
        "outbox: a failure reported later is tried again or buried by its code",
    ),
    ("FC70", "outbox: outside the window an answer waits"),
    ("FC91", "poller: the operator belongs to the key"),
    ("FC92", "poller: the operator belongs to the key"),
    ("FC94", "poller: a sweep finds what hides"),
    ("FC95", "poller: a list that names itself as its next page ends"),
    (
        "FC97",
        "poller: a message that no webhook brought is taken once and ours never",
    ),
    ("FC98", "support::fake_twilio"),
];

#[test]
fn every_case_is_tested_somewhere() {
    let here = [include_str!("cases_twilio.rs"), include_str!("cases_signature.rs")].concat();
    let missing: BTreeSet<String> = include_str!("../vectors/twilio_cases.jsonl")
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .filter(|id| !ELSEWHERE.iter().any(|(other, _)| other == id))
        .filter(|id| !here.contains(&format!("fn {}_", id.to_lowercase())))
        .collect();
    // These share a test with their neighbour.
    let shared = [
        "FC02", "FC05", "FC11", "FC13", "FC31", "FC32", "FC52", "FC59", "FC73", "FC74", "FC86",
    ];
    let missing: Vec<&String> = missing.iter().filter(|id| !shared.contains(&id.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[tokio::test]
async fn fc29_a_second_delivery_does_nothing_whatever_its_token_and_whenever_it_comes() {
    let app = TestApp::demo().await;
    let (sid, form) = app.form(TECHNICIAN, &[("Body", "estado sitio SITE-002")]);
    let (_, token, _) = app.account();
    let signature = sign(Algorithm::Sha1, &token, &app.url("/webhooks/twilio"), &form);
    let sid = MessageSid::parse(&sid).unwrap();
    for n in 0..4 {
        let response = app
            .http
            .post(app.url("/webhooks/twilio"))
            .header(SIGNATURE_HEADER, &signature)
            .header("I-Twilio-Idempotency-Token", format!("delivery-{n}"))
            .form(&form)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
        if n == 2 {
            app.reply(&sid).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(app.answers(&sid).await.len(), 1);
    app.end().await;
}

#[tokio::test]
async fn fc34_the_answer_to_a_webhook_waits_for_nothing_but_the_disk() {
    let app = TestApp::demo().await;
    let start = Instant::now();
    let sid = app
        .say(TECHNICIAN, "resumen de tareas críticas estancadas en zona norte")
        .await;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    app.reply(&sid).await;
    app.end().await;
}

/// The app beside the fake, each knowing where the other is.
async fn beside_twilio() -> (TestApp, FakeTwilio) {
    let fake = FakeTwilio::start().await;
    let settings = fake.settings(true);
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let app = TestApp::with(&settings).await;
    fake.app_is_at(&app.url(""));
    (app, fake)
}

#[tokio::test]
async fn fc37_a_photo_is_fetched_with_credentials_and_acknowledged_in_words() {
    let (app, fake) = beside_twilio().await;
    let photo = File::new("image/jpeg", b"\xff\xd8\xff\xe0JFIF");
    let (sid, posted) = fake.inbound(TECHNICIAN, &[("MessageType", "image")], vec![photo]).await;
    assert_eq!(posted, Posted::Status(200));
    let reply = app.reply(&sid).await;
    assert!(reply.to_lowercase().contains("foto"), "{reply}");
    fake.end();
    app.end().await;
}

#[tokio::test]
async fn fc47_an_album_is_one_turn_with_all_its_photos() {
    let (app, fake) = beside_twilio().await;
    let mut sids = Vec::new();
    for n in 0..4_u8 {
        let photo = File::new("image/jpeg", &[0xff, 0xd8, 0xff, 0xe0, n]);
        let caption = if n == 1 { "fotos del tablero" } else { "" };
        let fields = [("MessageType", "image"), ("Body", caption)];
        sids.push(fake.inbound(TECHNICIAN, &fields, vec![photo]).await.0);
    }
    let reply = app.reply(&sids[3]).await;
    for sid in &sids {
        assert_eq!(app.reply(sid).await, reply, "one reply answers the four");
    }
    assert_eq!(fake.texts_to(TECHNICIAN).len(), 1);
    fake.end();
    app.end().await;
}

#[tokio::test]
async fn fc46_a_failed_attachment_is_shown_to_the_ops_team_with_its_reason() {
    let rig = crate::support::outbox_rig::Rig::start().await;
    rig.fake.fate(TECHNICIAN, "failed", Some("63019"));
    rig.say(TECHNICIAN, "con adjunto").await;
    let start = Instant::now();
    while rig.dead().await.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(
        rig.dead().await[0]
            .reason
            .starts_with("63019: Media failed to download")
    );
    rig.end().await;
}

#[tokio::test]
async fn fc49_no_reply_is_longer_than_twilio_takes_however_it_counts() {
    let app = TestApp::demo().await;
    let long = app.ask(TECHNICIAN, "tareas de todas las zonas").await;
    let emoji = format::whatsapp::shorten(&"👷🏽 ".repeat(900), 1500);
    for text in [long, emoji] {
        assert!(text.chars().count() <= 1500 && text.encode_utf16().count() <= 1500);
    }
    app.end().await;
}

#[test]
fn fc58_markdown_from_elsewhere_becomes_plain_text() {
    let plain = format::plain(
        "```markdown\n## Estado\n[mapa](https://a.cl/x)\n\n| Sitio | Alarmas |\n|---|---|\n| 2 | 0 |\n```",
    );
    for mark in ["##", "](", "|", "```"] {
        assert!(!plain.contains(mark), "{plain}");
    }
    assert!(plain.contains("mapa: https://a.cl/x"), "{plain}");
    assert_eq!(format::plain("a | b"), "a | b", "a lone bar is no table");
}

#[test]
fn fc68_a_sender_without_its_prefix_is_refused_at_the_start() {
    let settings = [
        ("TWILIO_ACCOUNT_SID", ACCOUNT),
        ("TWILIO_AUTH_TOKEN", TOKEN),
        ("TWILIO_WHATSAPP_FROM", "+14155238886"),
    ];
    assert!(load(&settings).unwrap_err().contains("TWILIO_WHATSAPP_FROM"));
}

#[tokio::test]
async fn fc71_a_mexican_and_a_brazilian_variant_are_found_and_answered_as_they_wrote() {
    let app = TestApp::demo().await;
    for from in [
        "whatsapp:+5215512345678",
        "whatsapp:+5547900000525",
        "whatsapp:+554732782153",
    ] {
        let sid = app.say(from, "estado sitio SITE-002").await;
        app.reply(&sid).await;
        assert_eq!(
            app.answers(&sid).await[0].message.to.as_str(),
            from,
            "exactly as it was received"
        );
    }
    app.end().await;
}

#[tokio::test]
async fn fc76_somebody_without_a_phone_number_is_answered() {
    let app = TestApp::demo().await;
    let from = "whatsapp:BR.1A2B3C4D5E6F";
    let sid = app.say(from, "estado sitio SITE-002").await;
    app.reply(&sid).await;
    assert_eq!(app.answers(&sid).await[0].message.to.as_str(), from);
    app.end().await;
}

fn read(fields: &[(&str, &str)]) -> Inbound {
    let always = [
        ("MessageSid", "SM00000000000000000000000000000001"),
        ("AccountSid", ACCOUNT),
        ("From", "whatsapp:+56980000022"),
        ("To", "whatsapp:+14155238886"),
    ];
    let all: Vec<(&str, &str)> = always.iter().chain(fields).copied().collect();
    let signature = sign(Algorithm::Sha1, TOKEN, &format!("{BASE}/w"), &all);
    let body = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&all)
        .finish();
    let headers = [FORM, (SIGNATURE_HEADER, signature.as_str())];
    let verified = validator(Some(BASE))
        .verify("POST", "/w", &headers, body.as_bytes())
        .unwrap();
    inbound::parse(&verified, Timestamp::UNIX_EPOCH).unwrap()
}

#[test]
fn fc77_the_business_scoped_id_is_read_under_either_name() {
    for name in ["ExternalUserId", "ExternalUserIdentifier"] {
        let message = read(&[(name, "whatsapp:US.ABC123XYZ"), ("BrandNewField", "x")]);
        assert_eq!(message.external_id.unwrap().as_str(), "whatsapp:US.ABC123XYZ");
        assert_eq!(message.extra["BrandNewField"], "x");
    }
}

#[test]
fn fc79_a_location_is_read_within_its_range() {
    assert!(read(&[("Latitude", "-33.4"), ("Longitude", "-70.6")]).pin.is_some());
    for (lat, lon) in [("91", "0"), ("0", "-181"), ("nan", "0"), ("norte", "0")] {
        assert!(
            read(&[("Latitude", lat), ("Longitude", lon)]).pin.is_none(),
            "{lat} {lon}"
        );
    }
}

#[test]
fn fc80_a_forwarded_pin_keeps_its_mark() {
    assert!(read(&[("Forwarded", "true")]).forwarded);
    assert!(read(&[("FrequentlyForwarded", "true")]).forwarded);
    assert!(!read(&[("Forwarded", "false")]).forwarded);
}

#[tokio::test]
async fn fc82_an_unknown_kind_of_message_gets_an_answer() {
    let app = TestApp::demo().await;
    let sid = app.send(TECHNICIAN, &[("MessageType", "hologram")]).await;
    assert!(!app.reply(&sid).await.is_empty());
    app.end().await;
}

#[test]
fn fc83_a_buttons_payload_is_the_command_and_its_text_what_was_shown() {
    let message = read(&[
        ("MessageType", "interactive"),
        ("Body", "Confirmar"),
        ("ButtonText", "Confirmar"),
        ("ButtonPayload", "{\"action\":\"confirm\"}"),
        ("OriginalRepliedMessageSid", "MM00000000000000000000000000000008"),
    ]);
    assert_eq!(message.command.as_deref(), Some("{\"action\":\"confirm\"}"));
    assert_eq!((message.body.as_str(), message.reply_to.is_some()), ("Confirmar", true));
}

#[tokio::test]
async fn fc85_replies_go_by_rest_so_that_nothing_is_ever_escaped() {
    let (app, fake) = beside_twilio().await;
    let (sid, _) = fake.say(TECHNICIAN, "<b>estado</b> &amp; sitio SITE-002").await;
    let reply = app.reply(&sid).await;
    assert_eq!(
        fake.texts_to(TECHNICIAN),
        [reply.as_str()],
        "what was composed is what was sent"
    );
    assert!(!reply.contains("&lt;") && !reply.contains("&amp;amp;"), "{reply}");
    fake.end();
    app.end().await;
}

#[tokio::test]
async fn fc88_every_answer_to_twilio_is_tiny() {
    let app = TestApp::demo().await;
    for path in ["/webhooks/twilio", "/webhooks/twilio/status"] {
        let (_, form) = app.form(TECHNICIAN, &[("Body", "hola"), ("MessageStatus", "sent")]);
        let accepted = app.post(path, &form).await;
        assert!(accepted.status().is_success());
        assert!(accepted.text().await.unwrap().len() < 200);
        let refused = app
            .http
            .post(app.url(path))
            .body("x".repeat(70_000))
            .send()
            .await
            .unwrap();
        assert!(refused.status().is_client_error());
        assert!(refused.text().await.unwrap().len() < 500);
    }
    app.end().await;
}

#[tokio::test]
async fn fc89_the_webhooks_path_is_never_redirected() {
    let app = TestApp::demo().await;
    for path in [
        "/webhooks/twilio",
        "/webhooks/twilio/",
        "//webhooks/twilio",
        "/webhooks/twilio/status",
    ] {
        let status = app.http.post(app.url(path)).body("a=1").send().await.unwrap().status();
        assert!(!status.is_redirection(), "{path}: {status}");
    }
    app.end().await;
}

#[test]
fn fc100_no_openssl_and_one_tls() {
    let lock = include_str!("../../Cargo.lock");
    for name in ["openssl-sys", "native-tls", "hyper-tls", "aws-lc-sys"] {
        assert!(!lock.contains(&format!("name = \"{name}\"")), "{name}");
    }
    let rustls: Vec<&str> = lock
        .split("[[package]]")
        .filter(|p| p.contains("name = \"rustls\"\n"))
        .collect();
    assert_eq!(rustls.len(), 1);
}

#[tokio::test]
async fn fc101_a_message_from_our_own_number_is_taken_and_dropped() {
    let app = TestApp::demo().await;
    let (_, _, own) = app.account();
    let sid = app.say(&own, "estado sitio SITE-002").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(app.answers(&sid).await.is_empty());
    app.end().await;
}
