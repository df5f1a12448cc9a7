//! The engine over the demo operator, as people use it.

mod catalogue;
mod conversation;
mod edges;
mod field;
mod paging;
mod questions;
mod report;
mod special;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::*;
use crate::domain::caller::{Caller, Person};
use crate::domain::clock::ZoneTimes;
use crate::domain::ids::EmployeeId;

const NOW: &str = "2026-11-30T15:00:00Z";

fn engine() -> Engine {
    let now: Timestamp = NOW.parse().unwrap();
    let world = World::demo(now, ZoneTimes::new(TimeZone::get("America/Santiago").unwrap(), vec![])).unwrap();
    let config = EngineConfig {
        operator: "Operador Demo".to_owned(),
        limits: Limits::default(),
        metrics: Metrics::new(),
        desk: None,
        writes: None,
    };
    Engine::new(WorldHandle::new(world), Clock::Frozen(now), config).unwrap()
}

/// A conversation of one person.
struct Talk<'a> {
    engine: &'a Engine,
    caller: Caller,
    memory: Value,
}

impl<'a> Talk<'a> {
    fn new(engine: &'a Engine) -> Self {
        Self {
            engine,
            caller: Caller::Desk,
            memory: Value::Null,
        }
    }

    fn of(engine: &'a Engine, id: &str) -> Self {
        let world = engine.world.load();
        let employee = world.employee(&EmployeeId::parse(id).unwrap()).unwrap();
        let person = Person {
            id: employee.id.clone(),
            name: employee.name.clone(),
            role: employee.role,
            zone: employee.zone.clone(),
            crew_id: employee.crew_id.clone(),
        };
        Self {
            caller: Caller::Person(person),
            ..Self::new(engine)
        }
    }

    fn send(&mut self, turn: Turn) -> Reply {
        let turn = Turn {
            memory: self.memory.clone(),
            caller: self.caller.clone(),
            ..turn
        };
        let reply = self.engine.answer_now(&turn);
        self.memory = reply.memory.clone();
        reply
    }

    fn ask(&mut self, text: &str) -> Reply {
        self.send(Turn::text(Caller::Desk, Channel::WhatsApp, text))
    }
}

/// `tool {params}` of every call, joined.
fn called(reply: &Reply) -> String {
    let calls = reply.trace.tool_calls.iter();
    calls
        .map(|call| format!("{} {}", call.tool, call.params))
        .collect::<Vec<_>>()
        .join(" + ")
}

/// The params of the only call, which must be of this tool.
fn params(reply: &Reply, tool: &str) -> Value {
    let [call] = reply.trace.tool_calls.as_slice() else {
        panic!("one call of {tool} was expected, not {}: {}", called(reply), reply.text)
    };
    assert_eq!(call.tool, tool, "{}", reply.text);
    call.params.clone()
}
