//! The operator's own systems: answers stay right and honest whatever the systems do.

use std::time::{Duration, Instant};

use relevo::domain::ids::{AlarmId, SiteId, TaskId};
use relevo::domain::sets::System;
use relevo::world::World;
use serde_json::json;

use crate::support::fake_operator::{FakeOperator, Mood, Product};
use crate::support::{TECHNICIAN, TestApp};

const PATIENCE: Duration = Duration::from_secs(20);

/// An app on the worked example, whose systems are these; all of them were read once.
async fn live(operator: &FakeOperator, more: &[(&str, &str)]) -> TestApp {
    let app = begun(operator, more).await;
    until(&app, "every system was read", |world| {
        [System::Tasks, System::Sites, System::Field, System::Network]
            .iter()
            .all(|s| world.live(*s))
    })
    .await;
    app
}

async fn begun(operator: &FakeOperator, more: &[(&str, &str)]) -> TestApp {
    let settings = operator.settings();
    let mut all: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    all.extend(more);
    TestApp::with(&all).await
}

async fn until(app: &TestApp, what: &str, holds: impl Fn(&World) -> bool) {
    let start = Instant::now();
    while !holds(&app.running().state.parts().unwrap().world.load()) {
        assert!(start.elapsed() < PATIENCE, "{what} never came: {}", TestApp::logged());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn down(app: &TestApp, system: System) {
    until(app, "the outage", |world| !world.live(system)).await;
}

async fn up(app: &TestApp, system: System) {
    until(app, "the recovery", |world| world.live(system)).await;
}

fn task(id: &str) -> TaskId {
    TaskId::parse(id).unwrap()
}

#[tokio::test]
async fn the_systems_records_replace_the_demo_and_are_translated() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    let world = app.running().state.parts().unwrap().world.load();
    assert_eq!(
        (world.sites().len(), world.tasks().len(), world.alarms().len()),
        (10, 120, 8)
    );
    let first = world.task(&task("T-00001")).unwrap();
    assert_eq!((first.criticality.as_str(), first.zone.as_str()), ("critical", "norte"));
    let site = world.site(&SiteId::parse("SITE-001").unwrap()).unwrap();
    assert_eq!(
        site.battery_autonomy_h.map(|h| h.round()),
        Some(4.0),
        "seconds are hours here"
    );
    // Sentinels of each product are no values.
    let site = world.site(&SiteId::parse("SITE-002").unwrap()).unwrap();
    assert_eq!((site.battery_autonomy_h, site.last_visit), (None, None));
    let alarm = |id| world.alarm(&AlarmId::parse(id).unwrap()).unwrap().cleared_at;
    assert_eq!(alarm("A-00001"), None);
    assert!(alarm("A-00007").is_some());
    let reply = app.ask(TECHNICIAN, "estado T-00001").await;
    assert!(
        reply.contains("T-00001") && reply.contains("Falla de prueba 1"),
        "{reply}"
    );
    assert!(!reply.contains("sin conexión"), "{reply}");
    let mine = app.ask(TECHNICIAN, "mis tareas").await;
    assert!(mine.contains("T-00004"), "{mine}");
    // Nobody of the demo is left, and a stranger is no guest of a real operator.
    let stranger = app.ask("whatsapp:+56911112222", "estado sitio 2").await;
    assert!(!stranger.contains("SITE-002"), "{stranger}");
    app.end().await;
}

#[tokio::test]
async fn a_system_that_is_down_answers_from_its_last_picture_and_says_so_and_the_others_are_untouched() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    for mood in [Mood::Fail(500), Mood::Hang, Mood::Reset, Mood::Html, Mood::ErrorInside] {
        operator.tell(Product::Tickets, mood);
        down(&app, System::Tasks).await;
        let reply = app.ask(TECHNICIAN, "estado T-00001").await;
        assert!(reply.contains("T-00001"), "{mood:?}: {reply}");
        assert!(
            reply.contains("Tareas sin conexión desde 12:00; datos de las 12:00"),
            "{mood:?}: {reply}"
        );
        let alarms = app.ask(TECHNICIAN, "alarmas del sitio 1").await;
        assert!(alarms.contains("Alarma de prueba 1"), "{alarms}");
        let world = app.running().state.parts().unwrap().world.load();
        assert!(world.live(System::Network) && world.live(System::Sites), "{mood:?}");
        assert!(!world.live(System::Kpis), "indicators are derived from the tasks");
        operator.tell(Product::Tickets, Mood::Well);
        up(&app, System::Tasks).await;
        let reply = app.ask(TECHNICIAN, "estado T-00001").await;
        assert!(!reply.contains("sin conexión"), "{reply}");
    }
    app.end().await;
}

#[tokio::test]
async fn the_trace_names_what_is_degraded() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    operator.tell(Product::Alarms, Mood::Fail(503));
    down(&app, System::Network).await;
    let turn = relevo::engine::Turn::text(
        relevo::domain::caller::Caller::Desk,
        relevo::engine::Channel::Web,
        "alarmas activas".to_owned(),
    );
    let reply = app.running().state.parts().unwrap().engine.answer(turn).await;
    assert_eq!(json!(reply.trace.degraded), json!(["network"]));
    assert!(reply.text.contains("Red sin conexión desde"), "{}", reply.text);
    app.end().await;
}

#[tokio::test]
// PF044
async fn a_wrong_key_that_gets_200_is_found_out_and_never_read_as_no_tasks() {
    let operator = FakeOperator::start().await;
    let app = begun(
        &operator,
        &[("RELEVO__SYSTEMS__TICKETS__AUTH__SECRET", "another-key-f00dface")],
    )
    .await;
    until(&app, "the outage", |world| world.down_since(System::Tasks).is_some()).await;
    let reply = app.ask("whatsapp:+56980000022", "tareas abiertas").await;
    assert!(!reply.to_lowercase().contains("no hay"), "{reply}");
    let log = TestApp::logged();
    assert!(log.contains("the key is not accepted") && !log.contains("another-key-f00dface"));
    app.end().await;
}

#[tokio::test]
// PF043
async fn rows_that_were_not_asked_for_are_rejected_and_a_page_of_lies_is_not_believed() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    for (product, system) in [(Product::Tickets, System::Tasks), (Product::Sites, System::Sites)] {
        operator.tell(product, Mood::Lie);
        down(&app, system).await;
        let world = app.running().state.parts().unwrap().world.load();
        assert_eq!((world.tasks().len(), world.sites().len()), (120, 10));
        operator.tell(product, Mood::Well);
        up(&app, system).await;
    }
    // A few among many are left out, and the rest is right.
    operator.state().issues[0]["project"]["id"] = json!(99);
    until(&app, "the one row went", |world| world.tasks().len() == 119).await;
    assert!(app.running().state.parts().unwrap().world.load().live(System::Tasks));
    app.end().await;
}

#[tokio::test]
async fn an_empty_list_where_many_were_is_not_believed_at_once() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    operator.tell(Product::Tickets, Mood::Empty);
    down(&app, System::Tasks).await;
    let reply = app.ask(TECHNICIAN, "estado T-00001").await;
    assert!(reply.contains("T-00001") && reply.contains("sin conexión"), "{reply}");
    operator.tell(Product::Tickets, Mood::Well);
    up(&app, System::Tasks).await;
    assert_eq!(app.running().state.parts().unwrap().world.load().tasks().len(), 120);
    // With a total that says the same it is true.
    operator.state().issues.clear();
    until(&app, "the tasks went", |world| world.tasks().is_empty()).await;
    app.end().await;
}

#[tokio::test]
async fn pages_that_go_round_in_a_circle_or_to_another_host_are_not_followed() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    operator.tell(Product::Tickets, Mood::Circle);
    down(&app, System::Tasks).await;
    operator.tell(Product::Sites, Mood::Astray);
    down(&app, System::Sites).await;
    let log = TestApp::logged();
    assert!(log.contains("the same page again and again") && log.contains("on another host"));
    app.end().await;
}

#[tokio::test]
async fn what_changes_in_a_system_is_known_without_reading_everything() {
    let operator = FakeOperator::start().await;
    let whole = ["TICKETS", "INVENTORY", "ALARMS"].map(|n| format!("RELEVO__SYSTEMS__{n}__FULL_SECS"));
    let more: Vec<(&str, &str)> = whole.iter().map(|key| (key.as_str(), "3600")).collect();
    let app = live(&operator, &more).await;
    {
        let mut state = operator.state();
        state.issues[4]["subject"] = json!("Otra falla");
        state.issues[4]["updated_on"] = json!("2026-11-30T15:00:00Z");
    }
    until(&app, "the change", |world| {
        world.task(&task("T-00005")).unwrap().title == "Otra falla"
    })
    .await;
    let asked = operator.asked(Product::Tickets);
    let changed = asked
        .iter()
        .filter(|a| a.path() == "/issues.json" && a.target.contains("updated_on"))
        .count();
    let everything = asked
        .iter()
        .filter(|a| a.path() == "/issues.json" && !a.target.contains("updated_on"))
        .count();
    assert!(changed >= 1);
    assert_eq!(everything, 2, "two pages, once");
    // A system that takes no notice of the time asked for is read whole, and stays live.
    operator.tell(Product::Alarms, Mood::Lie);
    operator.state().alarms.pop();
    until(&app, "the alarm went", |world| world.alarms().len() == 7).await;
    assert!(app.running().state.parts().unwrap().world.load().live(System::Network));
    app.end().await;
}

#[tokio::test]
async fn a_system_that_goes_on_failing_is_left_alone_until_one_request_tries_it() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[("RELEVO__SYSTEMS__ALARMS__BREAKER_SECS", "2")]).await;
    operator.tell(Product::Alarms, Mood::Fail(500));
    let open = "mcp_circuit_breaker_state{service=\"alarms\"} 1";
    let start = Instant::now();
    while !app.running().state.metrics.render().contains(open) {
        assert!(start.elapsed() < PATIENCE, "the circuit never opened");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let asked = operator.asked(Product::Alarms).len();
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(operator.asked(Product::Alarms).len(), asked, "it is left alone");
    operator.tell(Product::Alarms, Mood::Well);
    up(&app, System::Network).await;
    assert!(
        app.running()
            .state
            .metrics
            .render()
            .contains("mcp_circuit_breaker_state{service=\"alarms\"} 0")
    );
    app.end().await;
}

#[tokio::test]
async fn a_slow_system_is_waited_for_and_holds_up_nobody() {
    let operator = FakeOperator::start().await;
    operator.tell(Product::Tickets, Mood::Slow(Duration::from_millis(300)));
    let app = begun(&operator, &[]).await;
    until(&app, "the quick ones", |world| {
        world.live(System::Sites) && world.live(System::Network)
    })
    .await;
    let alarms = app.ask(TECHNICIAN, "alarmas del sitio 1").await;
    assert!(!alarms.is_empty());
    up(&app, System::Tasks).await;
    app.end().await;
}

#[tokio::test]
async fn a_restart_begins_with_the_last_picture_and_its_age() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    operator.tell(Product::Tickets, Mood::Fail(500));
    let app = app.restart().await;
    until(&app, "the outage", |world| world.down_since(System::Tasks).is_some()).await;
    let reply = app.ask(TECHNICIAN, "estado T-00001").await;
    assert!(
        reply.contains("T-00001") && reply.contains("Tareas sin conexión desde 12:00; datos de las 12:00"),
        "{reply}"
    );
    operator.tell(Product::Tickets, Mood::Empty);
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let world = app.running().state.parts().unwrap().world.load();
    assert_eq!(
        world.tasks().len(),
        120,
        "an empty list is suspicious after a restart too"
    );
    operator.tell(Product::Tickets, Mood::Well);
    up(&app, System::Tasks).await;
    app.end().await;
}

#[tokio::test]
async fn a_yes_reaches_the_ticket_system_once_and_a_lost_answer_is_looked_up() {
    let operator = FakeOperator::start().await;
    let app = live(&operator, &[]).await;
    let preview = app.ask(TECHNICIAN, "cierra la T-00001: quedó en servicio").await;
    assert!(preview.contains("T-00001") && operator.writes().is_empty(), "{preview}");
    let done = app.ask(TECHNICIAN, "sí").await;
    assert!(done.contains("T-00001"), "{done}");
    assert_eq!(operator.writes().len(), 1);
    assert_eq!(operator.state().issues[0]["status"]["name"], "Cerrada");
    let status = app.ask(TECHNICIAN, "estado T-00001").await;
    assert!(status.to_lowercase().contains("cerrada"), "{status}");

    operator.tell(Product::Tickets, Mood::LoseAnswers);
    app.ask(TECHNICIAN, "cierra la T-00002: quedó en servicio").await;
    let done = app.ask(TECHNICIAN, "sí").await;
    assert!(done.contains("T-00002"), "{done}");
    assert_eq!(operator.writes().len(), 2, "{done}");
    assert_eq!(operator.state().done, 2);

    operator.tell(Product::Tickets, Mood::Swallow);
    app.ask(TECHNICIAN, "cierra la T-00003: quedó en servicio").await;
    let refused = app.ask(TECHNICIAN, "sí").await;
    assert_eq!(operator.writes().len(), 3);
    let world = app.running().state.parts().unwrap().world.load();
    assert!(world.task(&task("T-00003")).unwrap().status.is_active(), "{refused}");
    app.end().await;
}
