//! How well the planner does on what people type: every line of `holdout/utterances.tsv`, end to end
//! through `Engine::answer`.
//!
//! `cargo test --test holdout` prints the table; `cargo test --test holdout -- look` the same and every
//! line of the half to look at that went wrong. Of the half to report on only totals are ever printed.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::collections::HashSet;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use jiff::Timestamp;
use relevo::config::Config;
use relevo::domain::caller::{Caller, Person};
use relevo::domain::clock::Clock;
use relevo::domain::ids::EmployeeId;
use relevo::domain::text::fold;
use relevo::engine::{Channel, Engine, EngineConfig, Reply, Turn};
use relevo::tools;
use relevo::world::{World, WorldHandle};
use serde_json::Value;

const UTTERANCES: &str = include_str!("holdout/utterances.tsv");
/// Who asks: somebody who may ask for everything and change everything.
const ASKER: &str = "E-001";
const NOW: &str = "2026-11-30T15:00:00Z";
/// On the half to look at no change of the planner may fall below these.
const LOOK_FIRST_MIN: f64 = 0.80;
const LOOK_OFF_ACTED_MAX: f64 = 0.05;

struct Line {
    look: bool,
    id: &'static str,
    wanted: Vec<&'static str>,
    turns: Vec<&'static str>,
}

/// What a reply came to.
#[derive(Debug, Default)]
struct Outcome {
    /// Tools that ran, or whose change waits for a yes.
    acted: Vec<String>,
    /// Tools asked back about or offered by number, the first first.
    offered: Vec<String>,
}

#[derive(Default)]
struct Figures {
    asked: u32,
    first: u32,
    third: u32,
    acted: u32,
    acted_right: u32,
    off: u32,
    off_acted: u32,
    /// Lines that ask only for tools this build does not have.
    missing: u32,
}

fn lines() -> Vec<Line> {
    let read = |line: &'static str| {
        let columns: Vec<&str> = line.split('\t').collect();
        Line {
            look: columns[0] == "look",
            id: columns[1],
            wanted: columns[3].split('|').filter(|tool| *tool != "-").collect(),
            turns: columns[4].split(" ⏎ ").collect(),
        }
    };
    UTTERANCES.lines().skip(1).map(read).collect()
}

/// Answers that wait for nothing are ready at the first poll; the others are polled until they are.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}

fn outcome(reply: &Reply) -> Outcome {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut acted: Vec<String> = reply.trace.tool_calls.iter().map(|call| call.tool.clone()).collect();
    acted.extend(reply.trace.pending.as_ref().and_then(|pending| text(&pending["tool"])));
    let asking = text(&reply.memory["asking"]["call"]["tool"]);
    let menu = reply.memory["menu"].as_array().into_iter().flatten();
    let menu = menu.filter_map(|choice| text(&choice["does"]["call"]["tool"]));
    Outcome {
        acted,
        offered: asking.into_iter().chain(menu).collect(),
    }
}

fn answer(engine: &Engine, caller: &Caller, turns: &[&str]) -> Outcome {
    let mut memory = Value::Null;
    let mut last = Outcome::default();
    for text in turns {
        let turn = Turn {
            memory: memory.clone(),
            ..Turn::text(caller.clone(), Channel::WhatsApp, *text)
        };
        let reply = ready(engine.answer(turn));
        last = outcome(&reply);
        memory = reply.memory;
    }
    last
}

impl Figures {
    /// Was it right (or rightly left alone)?
    fn take(&mut self, line: &Line, outcome: &Outcome) -> bool {
        let wanted = |tool: &String| line.wanted.contains(&tool.as_str());
        let acts = !outcome.acted.is_empty();
        if line.wanted.is_empty() {
            self.off += 1;
            self.off_acted += u32::from(acts);
            return !acts;
        }
        let right = outcome.acted.first().is_some_and(wanted);
        let first = if acts {
            right
        } else {
            outcome.offered.first().is_some_and(wanted)
        };
        let offered = !acts && outcome.offered.iter().take(3).any(wanted);
        self.asked += 1;
        self.missing += u32::from(line.wanted.iter().all(|tool| tools::find(tool).is_none()));
        self.first += u32::from(first);
        self.third += u32::from(right || offered);
        self.acted += u32::from(acts);
        self.acted_right += u32::from(right);
        right
    }

    fn row(&self, name: &str) {
        let share = |n: u32, of: u32| format!("{:.1} % ({n}/{of})", 100.0 * f64::from(n) / f64::from(of.max(1)));
        println!(
            "| {name} | {} | {} | {} | {} | {} |",
            share(self.first, self.asked),
            share(self.third, self.asked),
            share(self.acted, self.asked),
            share(self.acted_right, self.acted),
            share(self.off_acted, self.off),
        );
    }
}

fn main() {
    let show = std::env::args().any(|arg| arg == "look");
    let now: Timestamp = NOW.parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = Config::for_testing(folder.path().to_owned()).unwrap();
    let world = World::demo(now, config.zone_times().unwrap()).unwrap();
    let employee = world.employee(&EmployeeId::parse(ASKER).unwrap()).unwrap();
    let caller = Caller::Person(Person {
        id: employee.id.clone(),
        name: employee.name.clone(),
        role: employee.role,
        zone: employee.zone.clone(),
        crew_id: employee.crew_id.clone(),
    });
    let engine = Engine::new(WorldHandle::new(world), Clock::Frozen(now), EngineConfig::of(&config)).unwrap();

    let lines = lines();
    let mut seen = HashSet::new();
    for line in &lines {
        assert!(seen.insert(fold(&line.turns.join(" / "))), "{} stands twice", line.id);
    }
    let (mut look, mut report, mut both) = (Figures::default(), Figures::default(), Figures::default());
    for line in &lines {
        let outcome = answer(&engine, &caller, &line.turns);
        let half = if line.look { &mut look } else { &mut report };
        let right = half.take(line, &outcome);
        both.take(line, &outcome);
        if show && line.look && !right {
            let how = if outcome.acted.is_empty() { "asks" } else { "ACTS" };
            println!(
                "{how} {} {} ⇒ {:?}, not {:?} {:?}",
                line.id,
                line.turns.join(" ⏎ "),
                line.wanted,
                outcome.acted,
                outcome.offered
            );
        }
    }
    println!("| half | first | among three | acts on | right when it acts | off topic, acted on |");
    println!("| --- | --- | --- | --- | --- | --- |");
    look.row("look");
    report.row("report");
    both.row("both");
    if both.missing > 0 {
        println!("{} lines ask for tools that this build does not have.", both.missing);
    }
    let share = |n: u32, of: u32| f64::from(n) / f64::from(of.max(1));
    assert!(share(look.first, look.asked - look.missing) >= LOOK_FIRST_MIN);
    assert!(share(look.off_acted, look.off) <= LOOK_OFF_ACTED_MAX);
}
