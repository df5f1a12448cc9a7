//! Alive, ready, counted, and silent about people.

use std::net::TcpListener;
use std::sync::Arc;

use relevo::config::Config;
use relevo::telemetry::Metrics;
use relevo::web::{self, State};
use relevo::world::World;
use serde_json::Value;

use crate::support::{NOBODY, TECHNICIAN, TestApp};

#[actix_web::test]
async fn before_the_store_is_open_the_port_says_so_and_takes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let config = Arc::new(Config::for_testing(dir.path().to_owned()).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let state = State::new(config, Metrics::new(), addr, tokio::runtime::Handle::current());
    let server = web::server(Arc::new(state), listener).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    relevo::net::install_crypto();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let get = async |path: &str| http.get(format!("http://{addr}{path}")).send().await.unwrap();
    assert_eq!(get("/healthz").await.status(), 200);
    let ready = get("/readyz").await;
    assert_eq!(ready.status(), 503);
    assert_eq!(ready.json::<Value>().await.unwrap()["store"], "opening");
    assert_eq!(get("/api/admin/conversations").await.status(), 503);
    assert!(get("/metrics").await.text().await.unwrap().contains("relevo_ready 0"));
    let form = [("MessageSid", "SM00000000000000000000000000000001"), ("Body", "hola")];
    let posted = http
        .post(format!("http://{addr}/webhooks/twilio"))
        .form(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(posted.status(), 503, "never a 2xx for what was not stored");
    handle.stop(true).await;
}

#[actix_web::test]
async fn an_open_relay_is_ready_and_counts_what_passes() {
    let app = TestApp::demo().await;
    let text = async |path: &str| app.http.get(app.url(path)).send().await.unwrap().text().await.unwrap();
    let ready = app.http.get(app.url("/readyz")).send().await.unwrap();
    assert_eq!(ready.status(), 200);
    assert_eq!(ready.json::<Value>().await.unwrap()["ready"], true);
    assert_eq!(app.http.head(app.url("/readyz")).send().await.unwrap().status(), 200);
    app.ask(TECHNICIAN, "estado sitio SITE-002").await;
    let metrics = text("/metrics").await;
    for line in [
        "relevo_ready 1",
        "mcp_whatsapp_messages_total{direction=\"inbound\"} 1",
        "mcp_whatsapp_messages_total{direction=\"outbound\"} 1",
        "mcp_tool_calls_total{status=\"ok\",tool=\"quick_site_status\"} 1",
        "mcp_entity_extraction_seconds_count 1",
        "relevo_queue_depth{queue=\"dead\"} 0",
        "relevo_system_age_seconds{system=\"tasks\"}",
        "relevo_webhook_seconds_count 1",
        "process_resident_memory_bytes",
    ] {
        assert!(metrics.contains(line), "{line} in\n{metrics}");
    }
    app.end().await;
}

#[actix_web::test]
async fn metrics_are_for_loopback_or_the_key() {
    let key = "an-admin-key-of-the-test";
    let app = TestApp::with(&[("RELEVO_ADMIN_KEY", key)]).await;
    let status = async |headers: &[(&str, &str)]| {
        let request = headers
            .iter()
            .fold(app.http.get(app.url("/metrics")), |r, (n, v)| r.header(*n, *v));
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(status(&[]).await, 200);
    assert_eq!(status(&[("X-Forwarded-For", "203.0.113.7")]).await, 401);
    assert_eq!(
        status(&[("X-Forwarded-For", "203.0.113.7"), ("X-API-Key", key)]).await,
        200
    );
    app.end().await;
}

#[actix_web::test]
async fn a_whole_conversation_leaves_nobody_in_the_logs_and_metrics() {
    let app = TestApp::demo().await;
    let people = [
        (TECHNICIAN, "mis tareas"),
        (TECHNICIAN, "tareas de Jorge Martínez"),
        (TECHNICIAN, "teléfono de Ximena Rojas"),
        (
            "whatsapp:+56980000001",
            "resumen de tareas críticas estancadas en zona norte",
        ),
        (
            NOBODY,
            "estado sitio SITE-002, mi rut es 99.100.137-9 y mi correo ana.tecnica@personal.example",
        ),
        (NOBODY, "llámame al +56 9 7777 6666"),
    ];
    for (from, text) in people {
        let profile = [("Body", text), ("ProfileName", "Ana Técnica"), ("WaId", "56911112222")];
        let sid = app.send(from, &profile).await;
        app.reply(&sid).await;
    }
    // Refusals are logged too, and hold what a stranger sent.
    let (_, form) = app.form(NOBODY, &[("Body", "hola")]);
    let forged = app
        .http
        .post(app.url("/webhooks/twilio"))
        .header("X-Twilio-Signature", "forged")
        .form(&form);
    assert_eq!(forged.send().await.unwrap().status(), 403);
    let metrics = app.running().state.metrics.render();
    let (_, token, _) = app.account();
    let world = app.running().state.parts().unwrap().world.load();
    let logs = TestApp::logged();
    assert!(logs.lines().count() > 0, "nothing was logged at all");
    for text in [&logs, &metrics] {
        for employee in World::employees(&world) {
            assert!(!text.contains(&employee.name), "{}", employee.id);
            assert!(
                !text.contains(&employee.phone) && !text.contains(&employee.rut),
                "{}",
                employee.id
            );
            assert!(!text.contains(&employee.email), "{}", employee.id);
        }
        for private in [
            token.as_str(),
            "11112222",
            "77776666",
            "7777 6666",
            "99.100.137",
            "ana.tecnica",
            "Ana Técnica",
        ] {
            assert!(!text.contains(private), "{private}");
        }
    }
    for line in logs.lines() {
        let parsed: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(parsed["ts"].is_string() && parsed["level"].is_string(), "{line}");
    }
    drop(world);
    app.end().await;
}
