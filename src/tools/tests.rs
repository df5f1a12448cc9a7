//! The catalogue and the answers of the tools on the demo operator.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::*;
use crate::domain::caller::Caller;
use crate::domain::clock::ZoneTimes;
use crate::world::World;

/// Half past ten in the morning of a Monday in Santiago.
pub(super) const NOW: &str = "2026-11-30T13:41:00Z";

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let tz = |name: &str| TimeZone::get(name).unwrap();
    let times = ZoneTimes::new(
        tz("America/Santiago"),
        vec![("austral".into(), tz("America/Punta_Arenas"))],
    );
    World::demo(now(), times).unwrap()
});

pub(super) fn now() -> Timestamp {
    NOW.parse().unwrap()
}

pub(super) fn cx(caller: &Caller) -> Cx<'_> {
    Cx {
        world: &WORLD,
        caller,
        now: now(),
    }
}

pub(super) fn call(caller: &Caller, tool: &str, args: Value) -> Result<Output, ToolError> {
    find(tool).unwrap().call(&cx(caller), args)
}

#[test]
fn a_site_at_a_glance_is_three_tasks_no_critical_alarm_and_authorised() {
    let output = call(&Caller::Desk, "quick_site_status", json!({"site_id": "sitio 2"})).unwrap();
    assert_eq!(output.params, json!({"site_id": "SITE-002"}));
    assert_eq!(output.value["active_tasks"], 3);
    assert_eq!(output.value["critical_alarms"], 0);
    assert_eq!(output.value["access"]["authorization"]["status"], "authorized");
}

#[test]
fn zona_norte_has_twelve_critical_stalled_tasks() {
    let args = json!({"status": "stalled", "criticality": "critical", "zone": "Zona Norte"});
    let output = call(&Caller::Desk, "search_tasks", args).unwrap();
    assert_eq!(output.count, Some(12));
    assert_eq!(output.params["zone"], "norte");
}
