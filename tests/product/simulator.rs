//! The phone in the browser: who may hold it, and what it does with the real routes.

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::browser::Browser;

/// The smallest picture there is.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8,
    6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, b'I', b'D', b'A', b'T', 0x78, 0xda, 0x63, 0xfc, 0xcf, 0xc0,
    0x50, 0x0f, 0, 4, 0x85, 1, 0x80, 0x84, 0xa9, 0x8c, 0x21, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60,
    0x82,
];

/// The text of the last bubble from relevo, once there are `n` of them.
fn reply(n: usize) -> String {
    format!(
        "const all = document.querySelectorAll('.bubble.in .text'); return all.length >= {n} && all[all.length - 1].textContent"
    )
}

async fn cast(app: &TestApp) -> Value {
    app.http
        .get(app.url("/simulator/cast"))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

async fn send(app: &TestApp, message: Value) -> (u16, Value) {
    let answer = app
        .http
        .post(app.url("/simulator/send"))
        .json(&message)
        .send()
        .await
        .unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bare_address_leads_to_the_phone() {
    let app = TestApp::demo().await;
    let answer = app.http.get(app.url("/")).send().await.unwrap();
    assert_eq!(answer.url().path(), "/simulator");
    assert_eq!(answer.status(), 200);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_technician_asks_in_the_browser() {
    let Some(browser) = Browser::start().await else { return };
    let app = TestApp::demo().await;
    browser.window(1280, 960).await;
    browser.open(&app.url("/simulator")).await;
    browser
        .until("return document.querySelectorAll('#people button').length >= 5")
        .await;

    browser.keys("#text", "estado sitio SITE-002\u{e007}").await;
    let text = browser.until(&reply(1)).await.as_str().unwrap().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("SITE-002 "), "{text}");
    assert_eq!(&lines[1..3], ["3 tareas activas", "0 alarmas críticas"], "{text}");
    assert!(lines[3].starts_with("Acceso: autorizado"), "{text}");
    // His own message is answered, ours is read: the receipts have gone round by the real route.
    browser
        .until("return document.querySelector('.bubble.out .ticks.read')")
        .await;
    browser
        .until("return document.querySelector('.bubble.in .ticks.read')")
        .await;
    browser.screenshot("simulator-desktop").await;

    browser.click("#attach").await;
    browser.click("#pin").await;
    browser.click("[data-place='SITE-002']").await;
    browser.screenshot("simulator-pin").await;
    browser.click("#pin-send").await;
    let near = browser.until(&reply(2)).await;
    assert!(near.as_str().unwrap().contains("SITE-002"), "{near}");
    // What is answered is quoted as a phone shows it, not as it is written.
    let quoted = "[...document.querySelectorAll('.bubble.in .answer')].pop().click(); \
                  return document.querySelector('.quote-text').innerHTML";
    let quoted = browser.script(quoted).await;
    assert!(quoted.as_str().unwrap().starts_with("<strong>Los 5 sitios"), "{quoted}");
    browser.click("#unquote").await;

    let photo = app.dir.path().join("panel.png");
    std::fs::write(&photo, PIXEL).unwrap();
    browser.keys("#photo-input", photo.to_str().unwrap()).await;
    let thanks = browser.until(&reply(3)).await;
    assert!(thanks.as_str().unwrap().to_lowercase().contains("foto"), "{thanks}");

    browser.as_phone(390, 844).await;
    browser
        .keys("#text", "resumen de tareas críticas estancadas en zona norte\u{e007}")
        .await;
    let summary = browser.until(&reply(4)).await;
    assert!(summary.as_str().unwrap().contains("12"), "{summary}");
    browser.until("return document.querySelector('#typing').hidden").await;
    browser.screenshot("simulator-phone").await;

    assert_eq!(browser.console().await, Vec::<String>::new());
    browser.end().await;
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cast_has_technicians_others_and_a_stranger() {
    let app = TestApp::demo().await;
    let cast = cast(&app).await;
    let about: Vec<&str> = cast["people"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["about"].as_str().unwrap())
        .collect();
    assert!(
        about.iter().filter(|a| a.starts_with("Técnico")).count() >= 3,
        "{about:?}"
    );
    for role in ["Supervisor", "NOC", "Sin registro"] {
        assert!(about.iter().any(|a| a.starts_with(role)), "{role} in {about:?}");
    }
    assert!(cast["places"].as_array().unwrap().iter().any(|p| p["id"] == "SITE-002"));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_stands_for_its_payload_and_a_reply_for_its_message() {
    let app = TestApp::demo().await;
    let phone = cast(&app).await["people"][0]["phone"].clone();
    let (status, first) = send(&app, json!({ "phone": phone, "text": "estado sitio SITE-002" })).await;
    assert_eq!((status, &first["status"]), (200, &json!(200)), "{first}");
    let sid = relevo::domain::message::MessageSid::parse(first["sid"].as_str().unwrap()).unwrap();
    app.reply(&sid).await;
    let messages = app.url(&format!(
        "/simulator/messages?phone={}",
        phone.as_str().unwrap().replace('+', "%2B")
    ));
    let shown: Value = app.http.get(messages).send().await.unwrap().json().await.unwrap();
    let ours = &shown["messages"][0];
    assert_eq!(ours["answers"], json!([first["sid"]]));
    let pressed = json!({ "phone": phone, "text": "Ver", "payload": "estado sitio SITE-003", "reply_to": ours["sid"] });
    let (_, second) = send(&app, pressed).await;
    let sid = relevo::domain::message::MessageSid::parse(second["sid"].as_str().unwrap()).unwrap();
    assert!(app.reply(&sid).await.starts_with("SITE-003"));
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_behind_a_proxy_and_no_foreign_page_holds_the_phone() {
    let app = TestApp::demo().await;
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.9"),
        ("host", "relay.example.com"),
        ("origin", "https://evil.example"),
        ("cf-connecting-ip", "203.0.113.9"),
    ] {
        for path in [
            "/simulator",
            "/simulator/cast",
            "/simulator/messages?phone=1",
            "/simulator/app.js",
        ] {
            let answer = app.http.get(app.url(path)).header(name, value).send().await.unwrap();
            assert_eq!(answer.status(), 403, "{path} with {name}");
        }
        let posted = app
            .http
            .post(app.url("/simulator/send"))
            .header(name, value)
            .json(&json!({ "phone": "+1" }));
        assert_eq!(posted.send().await.unwrap().status(), 403, "send with {name}");
    }
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_off_when_switched_off() {
    let app = TestApp::with(&[("RELEVO__SERVER__SIMULATOR", "off")]).await;
    for path in ["/", "/simulator"] {
        let answer = app.http.get(app.url(path)).send().await.unwrap();
        assert_eq!(answer.status(), 404, "{path}");
    }
    app.abandon().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_phone_can_not_send_is_refused_in_words() {
    let app = TestApp::demo().await;
    let phone = cast(&app).await["people"][0]["phone"].clone();
    for (message, status) in [
        (json!({ "phone": "+10000000000", "text": "hola" }), 404),
        (json!({ "phone": phone, "pin": { "lat": 91.0, "lon": 0.0 } }), 400),
        (json!({ "phone": phone, "media": ["ME../../etc/passwd"] }), 404),
        (json!({ "text": "hola" }), 400),
    ] {
        assert_eq!(send(&app, message.clone()).await.0, status, "{message}");
    }
    let empty = app
        .http
        .post(app.url("/simulator/files"))
        .body("")
        .send()
        .await
        .unwrap();
    assert_eq!(empty.status(), 400);
    let path = "/simulator/files/ME..%2F..%2Frelevo.redb";
    assert_eq!(app.http.get(app.url(path)).send().await.unwrap().status(), 404);
    app.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_served_as_data_under_a_url_like_twilios() {
    let app = TestApp::demo().await;
    let posted = app
        .http
        .post(app.url("/simulator/files"))
        .header("content-type", "image/png")
        .body(PIXEL);
    let stored: Value = posted.send().await.unwrap().json().await.unwrap();
    let (account, _, _) = app.account();
    let id = stored["id"].as_str().unwrap();
    let path = format!(
        "/simulator/2010-04-01/Accounts/{account}/Messages/MM{:032}/Media/{id}",
        1
    );
    for path in [path.as_str(), stored["url"].as_str().unwrap()] {
        let served = app.http.get(app.url(path)).send().await.unwrap();
        assert_eq!(served.headers()["content-type"], "image/png");
        assert_eq!(
            served.headers()["content-security-policy"],
            "default-src 'none'; sandbox"
        );
        assert_eq!(served.bytes().await.unwrap(), PIXEL);
    }
    app.end().await;
}
