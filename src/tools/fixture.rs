//! For tests only: the demo operator at a fixed instant, and calls by name.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::{Cx, Output, ToolError, find};
use crate::domain::caller::Caller;
use crate::domain::clock::ZoneTimes;
use crate::world::World;

/// Half past ten in the morning of a Monday in Santiago.
pub(crate) const NOW: &str = "2026-11-30T13:41:00Z";

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let tz = |name: &str| TimeZone::get(name).unwrap();
    let times = ZoneTimes::new(
        tz("America/Santiago"),
        vec![("austral".into(), tz("America/Punta_Arenas"))],
    );
    World::demo(now(), times).unwrap()
});

pub(crate) fn now() -> Timestamp {
    NOW.parse().unwrap()
}

pub(crate) fn cx(caller: &Caller) -> Cx<'_> {
    Cx {
        world: &WORLD,
        caller,
        now: now(),
    }
}

pub(crate) fn call(caller: &Caller, tool: &str, args: Value) -> Result<Output, ToolError> {
    find(tool).unwrap().call(&cx(caller), args)
}
