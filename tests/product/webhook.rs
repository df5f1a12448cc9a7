//! The webhook: durable before the 200, once per MessageSid, and a clear 4xx for the rest.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use relevo::twilio::signature::{Algorithm, sign};

use crate::support::{TECHNICIAN, TestApp};

#[tokio::test]
async fn a_signed_message_is_acknowledged_with_empty_twiml_and_answered() {
    let app = TestApp::demo().await;
    let (sid, form) = app.form(TECHNICIAN, &[("Body", "estado sitio SITE-002")]);
    let response = app.post("/webhooks/twilio", &form).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/xml; charset=utf-8");
    assert!(response.text().await.unwrap().ends_with("<Response/>"));
    let reply = app.reply(&sid.parse_sid()).await;
    let lines: Vec<_> = reply.lines().collect();
    assert!(lines[0].starts_with("SITE-002"), "{reply}");
    assert_eq!(lines[1..3], ["3 tareas activas", "0 alarmas críticas"]);
    assert!(lines[3].starts_with("Acceso: autorizado"), "{reply}");
    app.end().await;
}

#[tokio::test]
async fn a_repeated_delivery_gets_200_and_no_second_reply() {
    let app = TestApp::demo().await;
    let (sid, form) = app.form(TECHNICIAN, &[("Body", "estado sitio SITE-002")]);
    for _ in 0..3 {
        assert_eq!(app.post("/webhooks/twilio", &form).await.status(), 200);
    }
    app.reply(&sid.parse_sid()).await;
    // A replay after the answer, with the same valid signature, has no effect either.
    assert_eq!(app.post("/webhooks/twilio", &form).await.status(), 200);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(app.answers(&sid.parse_sid()).await.len(), 1);
    app.end().await;
}

#[tokio::test]
async fn what_is_not_signed_well_formed_or_small_enough_gets_a_clear_4xx() {
    let app = TestApp::demo().await;
    let (_, form) = app.form(TECHNICIAN, &[("Body", "hola")]);
    let unsigned = app
        .http
        .post(app.url("/webhooks/twilio"))
        .form(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(unsigned.status(), 400);
    let forged = app
        .http
        .post(app.url("/webhooks/twilio"))
        .header("X-Twilio-Signature", "AAAA")
        .form(&form);
    assert_eq!(forged.send().await.unwrap().status(), 403);
    let json = app
        .http
        .post(app.url("/webhooks/twilio"))
        .header("X-Twilio-Signature", "AAAA")
        .json(&serde_json::json!({}));
    assert_eq!(json.send().await.unwrap().status(), 415);
    let huge = app
        .http
        .post(app.url("/webhooks/twilio"))
        .form(&[("Body", "x".repeat(70_000))]);
    assert_eq!(huge.send().await.unwrap().status(), 413);
    for (wrong, form) in [
        ("no From", without(&form, "From")),
        ("no MessageSid", without(&form, "MessageSid")),
        ("no AccountSid", without(&form, "AccountSid")),
        (
            "two MessageSids",
            with(&form, "MessageSid", "SM00000000000000000000000000000009"),
        ),
        (
            "a number that is none",
            with(&without(&form, "From"), "From", "whatsapp:+abc"),
        ),
    ] {
        let status = app.post("/webhooks/twilio", &form).await.status();
        assert!(status.is_client_error(), "{wrong}: {status}");
    }
    assert_eq!(app.store().depths().inbox, 0);
    let metrics = app.running().state.metrics.render();
    assert!(metrics.contains("relevo_webhook"), "{metrics}");
    app.end().await;
}

#[tokio::test]
async fn invalid_utf8_is_refused_and_never_panics() {
    let app = TestApp::demo().await;
    let body = b"MessageSid=SM00000000000000000000000000000001&Body=%ff%fe".to_vec();
    let request = app
        .http
        .post(app.url("/webhooks/twilio"))
        .header("X-Twilio-Signature", "AAAA")
        .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
        .body(body);
    assert!(request.send().await.unwrap().status().is_client_error());
    app.end().await;
}

#[tokio::test]
async fn the_write_goes_on_when_the_client_hangs_up() {
    let app = TestApp::demo().await;
    let (sid, form) = app.form(TECHNICIAN, &[("Body", "estado sitio SITE-002")]);
    let (_, token, _) = app.account();
    let signature = relevo::twilio::signature::sign(
        relevo::twilio::signature::Algorithm::Sha1,
        &token,
        &app.url("/webhooks/twilio"),
        &form,
    );
    let body: String = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&form)
        .finish();
    let addr = app.running().addr;
    tokio::task::spawn_blocking(move || {
        let mut socket = TcpStream::connect(addr).unwrap();
        write!(
            socket,
            "POST /webhooks/twilio HTTP/1.1\r\nHost: {addr}\r\nX-Twilio-Signature: {signature}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        socket.set_linger_zero();
    })
    .await
    .unwrap();
    // The connection is reset at once; Twilio would count this as failed, yet the message may be
    // stored. If it is, it must be answered; sent again it must not be answered twice.
    app.post("/webhooks/twilio", &form).await;
    app.reply(&sid.parse_sid()).await;
    app.end().await;
}

#[tokio::test]
async fn a_get_with_a_signed_query_is_taken_like_a_post() {
    let app = TestApp::demo().await;
    let (sid, form) = app.form(TECHNICIAN, &[("Body", "estado sitio SITE-002")]);
    let query: String = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&form)
        .finish();
    let url = app.url(&format!("/webhooks/twilio?{query}"));
    let (_, token, _) = app.account();
    let none: [(&str, &str); 0] = [];
    let signature = relevo::twilio::signature::sign(relevo::twilio::signature::Algorithm::Sha1, &token, &url, &none);
    let response = app
        .http
        .get(&url)
        .header("X-Twilio-Signature", signature)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    app.reply(&sid.parse_sid()).await;
    app.end().await;
}

#[tokio::test]
async fn who_sends_slowly_gives_way_to_who_does_not() {
    let app = TestApp::with(&[
        ("RELEVO__SERVER__IN_FLIGHT_MAX", "1"),
        ("RELEVO__SERVER__BODY_SECS", "20"),
    ])
    .await;
    let addr = app.running().addr;
    let slow = tokio::task::spawn_blocking(move || {
        let mut socket = TcpStream::connect(addr).unwrap();
        write!(socket, "POST /webhooks/twilio HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nMess").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut answer = String::new();
        let _ = socket.read_to_string(&mut answer);
        answer
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    // The only place is the slow one's; the message is taken all the same.
    let sid = app.say(TECHNICIAN, "estado sitio 2").await;
    app.reply(&sid).await;
    let answer = slow.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    app.end().await;
}

#[tokio::test]
async fn a_slow_body_is_cut_off() {
    let app = TestApp::with(&[("RELEVO__SERVER__BODY_SECS", "1")]).await;
    let answer = raw(
        app.running().addr,
        b"POST /webhooks/twilio HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nMess",
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    app.end().await;
}

#[tokio::test]
async fn a_second_signature_that_is_no_text_is_a_second_signature() {
    let app = TestApp::demo().await;
    let (_, form) = app.form(TECHNICIAN, &[("Body", "hola")]);
    let (_, token, _) = app.account();
    let body: String = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&form)
        .finish();
    let signature = sign(Algorithm::Sha1, &token, &app.url("/webhooks/twilio"), &form);
    let addr = app.running().addr;
    let mut request = format!(
        "POST /webhooks/twilio HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nX-Twilio-Signature: {signature}\r\nX-Twilio-Signature: ",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(b"\xff\r\n\r\n");
    request.extend_from_slice(body.as_bytes());
    let answer = raw(addr, &request).await;
    assert!(
        answer.starts_with("HTTP/1.1 400") && answer.contains("is repeated"),
        "{answer}"
    );
    app.end().await;
}

#[tokio::test]
async fn whatever_is_refused_is_told_why_in_one_line() {
    let app = TestApp::demo().await;
    let line = |method: &'static str, path: &'static str| {
        let request = app.http.request(method.parse().unwrap(), app.url(path));
        async move {
            let answer = request.send().await.unwrap();
            (answer.status().as_u16(), answer.text().await.unwrap())
        }
    };
    for (method, path, status) in [
        ("PUT", "/webhooks/twilio", 405),
        ("POST", "/webhooks/twilio/", 404),
        ("GET", "/nothing", 404),
        ("GET", "/media/x", 404),
        ("POST", "/healthz", 404),
        ("DELETE", "/simulator", 404),
        ("GET", "/api/admin/dead/1", 405),
        ("POST", "/api/admin/dead/x/retry", 404),
        ("POST", "/api/admin/inbox", 405),
        ("GET", "/api/nothing", 404),
    ] {
        let (found, why) = line(method, path).await;
        assert!(found == status || found == 405, "{method} {path}: {found}");
        assert!(!why.is_empty() && why.lines().count() == 1, "{method} {path}: {why}");
        assert_eq!(
            why.starts_with('{'),
            path.starts_with("/api/"),
            "{method} {path}: {why}"
        );
    }
    app.end().await;
}

/// The answer to bytes as they are.
async fn raw(addr: std::net::SocketAddr, request: &[u8]) -> String {
    let request = request.to_vec();
    let asked = tokio::task::spawn_blocking(move || {
        let mut socket = TcpStream::connect(addr).unwrap();
        socket.write_all(&request).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    });
    asked.await.unwrap()
}

trait ParseSid {
    fn parse_sid(&self) -> relevo::domain::message::MessageSid;
}

impl ParseSid for String {
    fn parse_sid(&self) -> relevo::domain::message::MessageSid {
        relevo::domain::message::MessageSid::parse(self).unwrap()
    }
}

trait LingerZero {
    fn set_linger_zero(self);
}

impl LingerZero for TcpStream {
    /// Closes at once; what was written has left, no answer is read.
    fn set_linger_zero(self) {
        drop(self);
    }
}

fn without(form: &[(String, String)], name: &str) -> Vec<(String, String)> {
    form.iter().filter(|(n, _)| n != name).cloned().collect()
}

fn with(form: &[(String, String)], name: &str, value: &str) -> Vec<(String, String)> {
    let mut form = form.to_vec();
    form.push((name.to_owned(), value.to_owned()));
    form
}
