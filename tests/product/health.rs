//! What the relay says of the systems it depends on, and of itself.

use crate::support::{NOBODY, TECHNICIAN, TestApp};

#[tokio::test]
async fn the_systems_are_told_with_the_queues_and_what_is_not_set_up() {
    let app = TestApp::demo().await;
    let sid = app.say(TECHNICIAN, "estan arriba los sistemas?").await;
    let reply = app.reply(&sid).await;
    for part in ["Tareas: integrado", "Correo: sin configurar", "Colas:"] {
        assert!(reply.contains(part), "{part} in {reply}");
    }
    app.end().await;
}

#[tokio::test]
async fn without_measurements_uptime_and_latency_say_that_there_are_none() {
    let app = TestApp::demo().await;
    for text in ["uptime de los sistemas", "latencia de los servicios"] {
        let sid = app.say(NOBODY, text).await;
        let reply = app.reply(&sid).await;
        assert!(reply.contains("Sin registro"), "{reply}");
    }
    app.end().await;
}
