//! The demo operator by the crate's public face: load, ask a tool, read the answer.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relevo::domain::caller::Caller;
use relevo::domain::clock::ZoneTimes;
use relevo::format::whatsapp;
use relevo::planner::rendering;
use relevo::tools::{self, Cx};
use relevo::world::{World, WorldHandle};
use serde_json::{Value, json};

fn demo(anchor: &str) -> World {
    let times = ZoneTimes::new(TimeZone::get("America/Santiago").unwrap(), vec![]);
    World::demo(anchor.parse().unwrap(), times).unwrap()
}

fn asked(world: &World, now: &str, tool: &str, args: Value) -> String {
    let caller = Caller::Desk;
    let now: Timestamp = now.parse().unwrap();
    let cx = Cx {
        world,
        caller: &caller,
        now,
        desk: None,
    };
    let answer = match tools::find(tool).unwrap().call(&cx, args) {
        Ok(output) => rendering::render(tool, &output, &cx),
        Err(error) => rendering::failure(tool, &error, &cx),
    };
    whatsapp::first(&answer).text
}

#[test]
fn the_demo_tells_the_same_at_whatever_instant_it_is_anchored() {
    for anchor in ["2024-02-29T23:59:59Z", "2026-11-30T13:41:00Z", "2031-04-06T04:00:00Z"] {
        let world = demo(anchor);
        let kpi = asked(&world, anchor, "get_kpi_summary", json!({"zone": "norte"}));
        let figures: Vec<&str> = kpi.lines().skip(1).take(4).collect();
        assert_eq!(
            figures,
            [
                "MTTR 4.2 h",
                "45 tareas abiertas (activas)",
                "31 cerradas en el período",
                "8 en breach de SLA"
            ],
            "{anchor}"
        );
        let panel = asked(&world, anchor, "get_panel_summary", json!({"zone": "norte"}));
        assert!(
            panel.contains("\n3 escaladas\n5 con más de 48 h sin movimiento\n2 sin gestor"),
            "{panel}"
        );
        let stalled = json!({"status": "stalled", "criticality": "critical", "zone": "norte"});
        let stalled = asked(&world, anchor, "search_tasks", stalled);
        assert!(
            stalled.starts_with("*12 tareas críticas estancadas en zona norte*"),
            "{stalled}"
        );
    }
}

#[test]
fn the_three_lines_of_a_site_are_plain_lines_with_their_source() {
    let now = "2026-11-30T13:41:00Z";
    let text = asked(&demo(now), now, "quick_site_status", json!({"site_id": "SITE-002"}));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("SITE-002 Torre Arica"), "{text}");
    assert_eq!(lines[1..3], ["3 tareas activas", "0 alarmas críticas"]);
    assert!(lines[3].starts_with("Acceso: autorizado"), "{text}");
    assert_eq!(*lines.last().unwrap(), "Tareas, Red y Sitios 10:41");
}

#[test]
fn what_is_asked_later_is_told_with_the_time_of_the_data() {
    let world = demo("2026-11-30T13:41:00Z");
    let text = asked(
        &world,
        "2026-12-01T13:41:00Z",
        "get_task_status",
        json!({"task_id": "T-10001"}),
    );
    assert!(text.contains("Sin movimiento hace 3 d 2 h."), "{text}");
    assert!(text.ends_with("Tareas 30/11 10:41"), "{text}");
}

#[test]
fn many_readers_share_one_picture_while_it_is_replaced() {
    let now = "2026-11-30T13:41:00Z";
    let handle = WorldHandle::new(demo(now));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let handle = handle.clone();
            scope.spawn(move || {
                for _ in 0..20 {
                    assert_eq!(handle.load().active_tasks().count(), 240);
                }
            });
        }
        handle.swap(demo(now));
    });
}
