//! For tests only: the demo operator at a fixed instant, and calls by name.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::{Cx, Output, ToolError, find};
use crate::domain::caller::{Caller, Person};
use crate::domain::clock::ZoneTimes;
use crate::domain::ids::EmployeeId;
use crate::world::{Freshness, Records, World};

/// Morning of a Monday, 10:41 in Santiago.
pub(crate) const NOW: &str = "2026-11-30T13:41:00Z";

static WORLD: LazyLock<World> = LazyLock::new(|| World::demo(now(), times()).unwrap());

pub(crate) fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn times() -> ZoneTimes {
    let tz = |name: &str| TimeZone::get(name).unwrap();
    ZoneTimes::new(
        tz("America/Santiago"),
        vec![("austral".into(), tz("America/Punta_Arenas"))],
    )
}

/// A World of changed demo records.
pub(crate) fn changed(change: impl FnOnce(&mut Records)) -> World {
    let mut records = World::demo_records(now());
    change(&mut records);
    let fresh = Freshness {
        as_of: now(),
        live: true,
    };
    World::build(records, vec![], fresh, times())
}

pub(crate) fn cx(caller: &Caller) -> Cx<'_> {
    in_world(&WORLD, caller)
}

pub(crate) fn in_world<'a>(world: &'a World, caller: &'a Caller) -> Cx<'a> {
    Cx {
        world,
        caller,
        now: now(),
        desk: None,
    }
}

pub(crate) fn call(caller: &Caller, tool: &str, args: Value) -> Result<Output, ToolError> {
    call_in(&cx(caller), tool, args)
}

pub(crate) fn call_in(cx: &Cx<'_>, tool: &str, args: Value) -> Result<Output, ToolError> {
    find(tool).unwrap().call(cx, args)
}

/// A person of the demo operator as the caller.
pub(crate) fn person(id: &str) -> Caller {
    let id = EmployeeId::parse(id).unwrap();
    let employee = WORLD.employee(&id).unwrap();
    Caller::Person(Person {
        id,
        name: employee.name.clone(),
        role: employee.role,
        zone: employee.zone.clone(),
        crew_id: employee.crew_id.clone(),
    })
}
