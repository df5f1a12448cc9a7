//! The ops team's JSON: who may ask, what it shows, and dead letters tried again or dropped.

use std::time::Duration;

use relevo::store::{Leasing, Page, Store, StoreLimits};
use relevo::twilio::signature::{Algorithm, sign};
use reqwest::StatusCode;
use serde_json::Value;

use crate::support::{NOBODY, TECHNICIAN, TestApp};

const KEY: &str = "an-admin-key-of-the-test";

/// A GET with headers; its status and its JSON (null when it is none).
async fn get(app: &TestApp, path: &str, headers: &[(&str, &str)]) -> (StatusCode, Value) {
    let request = headers
        .iter()
        .fold(app.http.get(app.url(path)), |r, (name, value)| r.header(*name, *value));
    let response = request.send().await.unwrap();
    (response.status(), response.json().await.unwrap_or_default())
}

async fn rows(app: &TestApp, path: &str) -> Vec<Value> {
    let (status, json) = get(app, path, &[]).await;
    assert_eq!(status, 200, "{json}");
    json["rows"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn without_a_key_only_a_person_at_this_machine_may_ask() {
    let app = TestApp::demo().await;
    assert_eq!(get(&app, "/api/admin", &[]).await.0, 200);
    for header in [
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Forwarded-Host", "localhost"),
        ("Forwarded", "for=127.0.0.1"),
        ("Via", "1.1 Caddy"),
        ("CF-Connecting-IP", "127.0.0.1"),
        ("Host", "relay.example.com"),
        ("Origin", "https://evil.example"),
        ("Sec-Fetch-Site", "cross-site"),
    ] {
        let (status, json) = get(&app, "/api/admin/conversations", &[header]).await;
        assert_eq!(status, 403, "{header:?}");
        assert_eq!(json["error"]["code"], "forbidden");
    }
    app.end().await;
}

#[actix_web::test]
async fn with_a_key_only_the_key_counts() {
    let app = TestApp::with(&[("RELEVO_ADMIN_KEY", KEY)]).await;
    let bearer = format!("Bearer {KEY}");
    for refused in [
        &[][..],
        &[("Authorization", "Bearer an-admin-key-of-the-tesT")],
        &[("Authorization", "Bearer ")],
        &[("Authorization", KEY)],
        &[("X-API-Key", "an-admin-key")],
    ] {
        let (status, json) = get(&app, "/api/admin", refused).await;
        assert_eq!(status, 401, "{refused:?}");
        assert_eq!(json["error"]["code"], "unauthorized");
        assert!(!json.to_string().contains(KEY));
    }
    for admitted in [
        &[("Authorization", bearer.as_str())][..],
        &[("X-API-Key", KEY)],
        &[
            ("X-API-Key", KEY),
            ("X-Forwarded-For", "203.0.113.7"),
            ("Host", "relay.example.com"),
        ],
    ] {
        assert_eq!(get(&app, "/api/admin", admitted).await.0, 200, "{admitted:?}");
    }
    app.end().await;
}

#[actix_web::test]
async fn with_a_public_url_and_no_key_the_admin_is_closed() {
    let app = TestApp::with(&[("PUBLIC_URL", "https://relay.example.com")]).await;
    assert_eq!(get(&app, "/api/admin", &[]).await.0, 403);
    assert_eq!(get(&app, "/metrics", &[]).await.0, 403);
    app.end().await;
}

#[actix_web::test]
async fn a_conversation_is_shown_with_its_turns() {
    let app = TestApp::demo().await;
    let reply = app.ask(TECHNICIAN, "estado sitio SITE-002").await;
    let found = rows(&app, "/api/admin/conversations").await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["person"], "E-022");
    let id = found[0]["id"].as_str().unwrap();
    let (status, one) = get(&app, &format!("/api/admin/conversations/{id}"), &[]).await;
    assert_eq!(status, 200);
    assert_eq!(one["turns"][0]["asked"][0]["text"], "estado sitio SITE-002");
    assert_eq!(one["turns"][0]["reply"], reply);
    assert_eq!(one["turns"][0]["tool_calls"][0]["tool"], "quick_site_status", "{one}");
    assert_eq!(
        rows(&app, &format!("/api/admin/conversations/{id}/turns")).await.len(),
        1
    );
    let sent = rows(&app, "/api/admin/sent").await;
    assert_eq!(sent[0]["text"], reply);
    app.end().await;
}

#[actix_web::test]
async fn lists_come_in_pages_and_what_is_asked_wrongly_is_said() {
    let app = TestApp::demo().await;
    for n in 0..5 {
        app.ask(&format!("whatsapp:+5698000002{n}"), "ayuda").await;
    }
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let (_, page) = get(&app, &format!("/api/admin/conversations?limit=2&after={after}"), &[]).await;
        let rows = page["rows"].as_array().unwrap();
        assert!(rows.len() <= 2);
        seen.extend(rows.iter().map(|r| r["id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);
    for (path, expected) in [
        ("/api/admin/conversations?limit=0", 400),
        ("/api/admin/conversations?limit=201", 400),
        ("/api/admin/conversations?limit=many", 400),
        ("/api/admin/conversations?person=E-022", 400),
        ("/api/admin/technicians?after=E-999", 400),
        ("/api/admin/conversations/wa:E-777", 404),
        ("/api/admin/conversations/wa:E-777/turns", 404),
        ("/api/admin/dead/x/retry", 404),
        ("/api/admin/nothing", 404),
    ] {
        let (status, json) = get(&app, path, &[]).await;
        let method_first = path.ends_with("/retry") && status == 405;
        assert!(status == expected || method_first, "{path}: {status} {json}");
        assert!(method_first || json["error"]["message"].is_string(), "{path}: {json}");
    }
    app.end().await;
}

#[actix_web::test]
async fn technicians_have_their_addresses_and_their_window() {
    let app = TestApp::demo().await;
    let of = |rows: Vec<Value>, id: &str| rows.into_iter().find(|r| r["id"] == id).unwrap();
    let before = of(rows(&app, "/api/admin/technicians?limit=200").await, "E-022");
    assert_eq!(before["window"]["state"], "never");
    let fields = [("Body", "ayuda"), ("ExternalUserId", "whatsapp:CL.4566546130240823")];
    let sid = app.send(TECHNICIAN, &fields).await;
    app.reply(&sid).await;
    let after = of(rows(&app, "/api/admin/technicians?limit=200").await, "E-022");
    assert_eq!(after["window"]["state"], "open", "{after}");
    assert!(after["window"]["expires_at"].is_string());
    let addresses = after["addresses"].to_string();
    assert!(
        addresses.contains("CL.4566546130240823") && addresses.contains("+56980000022"),
        "{after}"
    );
    assert!(after.get("rut").is_none() && after.get("email").is_none());
    let all = rows(&app, "/api/admin/technicians?limit=200").await.len();
    let (_, page) = get(&app, "/api/admin/technicians?limit=10", &[]).await;
    assert!(all > 10 && page["rows"].as_array().unwrap().len() == 10 && page["next"].is_string());
    app.end().await;
}

#[actix_web::test]
async fn systems_say_how_old_what_is_known_of_them_is() {
    let app = TestApp::demo().await;
    let systems = rows(&app, "/api/admin/systems").await;
    assert_eq!(systems.len(), 6);
    for system in &systems {
        assert!(system["as_of"].is_string() && system["live"].is_boolean(), "{system}");
    }
    let (_, queues) = get(&app, "/api/admin/queues", &[]).await;
    assert_eq!(queues["dead"], 0);
    app.end().await;
}

/// The store of a stopped app, once its last handle is gone.
async fn reopened(directory: &std::path::Path) -> Store {
    for _ in 0..200 {
        if let Ok(store) = Store::open(directory, StoreLimits::default()) {
            return store;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the store is still held");
}

/// Gives up the first waiting turn, as after its fifth failure.
async fn bury(store: &Store, reason: &str) {
    let Leasing::Turn(turn) = store.lease(Duration::from_secs(30)).await.unwrap() else {
        panic!("no turn")
    };
    store.bury(turn.lease, reason, Vec::new()).await.unwrap();
}

#[actix_web::test]
async fn a_dead_letter_is_tried_again_or_dropped() {
    let app = TestApp::demo().await;
    app.ask(TECHNICIAN, "hola").await;
    let template = app.store().sent(&Page::first(1)).await.unwrap();
    assert_eq!(template.rows.len(), 1);
    let directory = app.dir.clone();
    let inbound = {
        let (account, token, sender) = app.account();
        let form = |sid: &str, from: &str, text: &str| {
            [
                ("MessageSid", sid),
                ("AccountSid", account.as_str()),
                ("From", from),
                ("To", sender.as_str()),
                ("Body", text),
                ("NumMedia", "0"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        let url = app.url("/webhooks/twilio");
        [
            form(
                "SMdead0000000000000000000000000001",
                TECHNICIAN,
                "estado sitio SITE-002",
            ),
            form("SMdead0000000000000000000000000002", NOBODY, "ayuda"),
        ]
        .map(|form| {
            let body = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(&form)
                .finish();
            let signature = sign(Algorithm::Sha1, &token, &url, &form);
            let host = app.running().addr.to_string();
            let headers = [
                ("Host", host.as_str()),
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("X-Twilio-Signature", signature.as_str()),
            ];
            let validator = &app.running().state.parts().unwrap().validator;
            let verified = validator
                .verify("POST", "/webhooks/twilio", &headers, body.as_bytes())
                .unwrap();
            relevo::twilio::inbound::parse(&verified, jiff::Timestamp::now()).unwrap()
        })
    };
    let paused = app.pause().await;
    let store = reopened(directory.path()).await;
    for (message, conversation) in inbound.into_iter().zip(["wa:E-022", "wa:xsomebody"]) {
        store.ingest(message, conversation, Duration::ZERO).await.unwrap();
        bury(&store, "the engine failed five times").await;
    }
    store.flush().await.unwrap();
    drop(store);
    let app = paused.resume().await;

    let dead = rows(&app, "/api/admin/dead").await;
    assert_eq!(dead.len(), 2, "{dead:?}");
    assert!(
        dead.iter()
            .all(|d| d["queue"] == "inbox" && d["reason"] == "the engine failed five times")
    );
    let id = |text: &str| {
        let letter = dead
            .iter()
            .find(|d| d["letter"]["messages"][0]["text"] == text)
            .unwrap();
        letter["id"].as_u64().unwrap()
    };
    let retry = app.url(&format!("/api/admin/dead/{}/retry", id("estado sitio SITE-002")));
    assert_eq!(app.http.post(&retry).send().await.unwrap().status(), 200);
    let sid = relevo::domain::message::MessageSid::parse("SMdead0000000000000000000000000001").unwrap();
    assert!(app.reply(&sid).await.contains("SITE-002"));
    assert_eq!(
        app.http.post(&retry).send().await.unwrap().status(),
        404,
        "a second time there is none"
    );

    let drop_it = app.url(&format!("/api/admin/dead/{}", id("ayuda")));
    assert_eq!(app.http.delete(&drop_it).send().await.unwrap().status(), 200);
    assert_eq!(app.http.delete(&drop_it).send().await.unwrap().status(), 404);
    assert!(rows(&app, "/api/admin/dead").await.is_empty());
    app.end().await;
}

#[actix_web::test]
async fn no_answer_of_the_admin_holds_a_secret_and_none_is_cached() {
    let app = TestApp::with(&[
        ("RELEVO_ADMIN_KEY", KEY),
        ("RELEVO_SECRET", "an-instance-secret-of-32-characters"),
    ])
    .await;
    app.ask(TECHNICIAN, "estado sitio SITE-002").await;
    let (_, token, _) = app.account();
    for path in [
        "",
        "/conversations",
        "/inbox",
        "/outbox",
        "/sent",
        "/dead",
        "/technicians",
        "/systems",
        "/queues",
    ] {
        let url = app.url(&format!("/api/admin{path}"));
        let response = app.http.get(url).header("X-API-Key", KEY).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["cache-control"], "no-store", "{path}");
        let text = response.text().await.unwrap();
        for secret in [token.as_str(), KEY, "an-instance-secret", "99.100."] {
            assert!(!text.contains(secret), "{path} holds {secret}");
        }
    }
    app.end().await;
}
