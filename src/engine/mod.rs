//! A question in, an answer out, with the effects it has.
//!
//! A `Turn` is everything one person sent at once: text, a pin, files, the message it answers,
//! and what the conversation remembers. The engine cleans the text, lets fixed rules take what
//! they know (menus, `más`, greetings, pins), finds the entities, asks the planner which tool
//! answers, runs it within the caps, and returns a `Reply`: the page to send, the whole answer,
//! the memory to keep and the trace of how it came about. It writes nothing itself: who called
//! it commits the reply and the memory together.
//!
//! In reading order: `turn` (what comes in and goes out), `flow` (the turn itself), `question`, `rules` and
//! `follow` (what needs no ranking), `extract` (entities), `mapper` (entities to arguments),
//! `act` (tools to answers), `executor` (caps and trace), `memory`.

mod act;
mod ask;
mod asked;
mod complete;
mod each;
mod executor;
pub mod extract;
mod flow;
mod follow;
mod kept;
mod mapper;
mod memory;
mod messages;
mod parts;
mod plain;
mod question;
mod rules;
mod turn;
mod words;

#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use crate::config::Config;
use crate::domain::clock::Clock;
use crate::format::{markdown, whatsapp};
use crate::guardrails::limits::Limits;
use crate::planner::examples::{BadExamples, taught};
use crate::planner::ranker::Ranker;
use crate::planner::slots::Needs;
use crate::telemetry::Metrics;
use crate::tools::desk::Desk;
use crate::tools::{self, Cx};
use crate::world::{World, WorldHandle};

pub use complete::looks_complete;
pub use memory::{question_is_open, subject};
pub use turn::{Channel, Kind, MediaNote, Provider, Reply, ScopeMark, SharedLocation, ToolCall, Trace, Turn};

use extract::Gazetteer;
use flow::{Flow, Told};
use memory::Memory;

/// What the engine is told of the installation.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// What replies call the operator.
    pub operator: String,
    /// The caps of one turn.
    pub limits: Limits,
    /// Where tools and entities are counted.
    pub metrics: Arc<Metrics>,
    /// What probes read besides the picture.
    pub desk: Option<Arc<Desk>>,
}

impl EngineConfig {
    /// As the settings have it, counted apart; a service counts with its own (`metrics`).
    pub fn of(config: &Config) -> Self {
        Self {
            operator: config.operator.name.clone(),
            limits: Limits {
                text_chars_max: config.relay.text_chars_max,
                ..Limits::default()
            },
            metrics: Metrics::new(),
            desk: Some(Arc::new(Desk::of(config))),
        }
    }
}

/// The engine cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The embedded examples are broken.
    #[error(transparent)]
    Examples(#[from] BadExamples),
}

/// The engine: cheap to share behind an `Arc`, the same for every door.
pub struct Engine {
    world: WorldHandle,
    clock: Clock,
    config: EngineConfig,
    ranker: Ranker,
    needs: Vec<Needs>,
    /// The names of the World they were read from.
    names: RwLock<(Arc<World>, Arc<Gazetteer>)>,
}

impl Engine {
    /// Learns the examples and reads the names of the World.
    pub fn new(world: WorldHandle, clock: Clock, config: EngineConfig) -> Result<Self, EngineError> {
        let picture = world.load();
        let names = Arc::new(Gazetteer::of(&picture));
        let ranker = Ranker::train(&taught()?);
        extract::warm(&picture, &names, &ranker);
        Ok(Self {
            ranker,
            needs: tools::specs().iter().map(Needs::of).collect(),
            names: RwLock::new((picture, names)),
            world,
            clock,
            config,
        })
    }

    /// Answers one turn. Reads only; what is to be kept is in the reply.
    #[expect(
        clippy::unused_async,
        reason = "the doors await a turn; a planner that asks a model will too"
    )]
    pub async fn answer(&self, turn: Turn) -> Reply {
        self.answer_now(&turn)
    }

    fn answer_now(&self, turn: &Turn) -> Reply {
        let started = Instant::now();
        let world = self.world.load();
        let names = self.names(&world);
        let cx = Cx {
            world: &world,
            caller: &turn.caller,
            now: self.clock.now(),
            desk: self.config.desk.as_deref(),
        };
        let mut flow = Flow::new(self, &names, cx, turn, Memory::read(&turn.memory));
        let told = flow.run();
        let (trace, mut memory) = flow.finish(started);
        let answer = match told {
            Told::Fresh(answer) => answer,
            Told::Page(page) => {
                memory.rest = page.rest;
                let answer = words::lines(&page.text);
                return Reply {
                    full: page.text.clone(),
                    markdown: markdown::render(&answer),
                    text: page.text,
                    truncated: memory.rest.is_some(),
                    answer,
                    memory: memory.keep(),
                    trace,
                };
            }
        };
        let page = whatsapp::first(&answer);
        // The web shows the whole answer at once: there *más* goes on after it.
        memory.rest = page.rest.filter(|_| turn.channel != Channel::Web);
        Reply {
            full: whatsapp::full(&answer),
            markdown: markdown::render(&answer),
            truncated: memory.rest.is_some(),
            text: page.text,
            answer,
            memory: memory.keep(),
            trace,
        }
    }

    /// The names of this World; read anew when it was swapped.
    fn names(&self, world: &Arc<World>) -> Arc<Gazetteer> {
        let known = self.names.read().unwrap_or_else(PoisonError::into_inner);
        if known.0.same_records(world) {
            return Arc::clone(&known.1);
        }
        drop(known);
        let names = Arc::new(Gazetteer::of(world));
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = (Arc::clone(world), Arc::clone(&names));
        names
    }
}
