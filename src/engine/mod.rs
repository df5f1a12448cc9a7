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
mod execute;
mod executor;
pub mod extract;
mod flow;
mod follow;
mod kept;
mod mapper;
mod memory;
mod messages;
mod parts;
mod pending;
mod plain;
mod question;
mod rules;
mod special;
mod turn;
mod wishes;
mod words;
mod writing;

#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use crate::config::Config;
use crate::domain::answer::Answer;
use crate::domain::clock::Clock;
use crate::format::{markdown, phrases, whatsapp};
use crate::guardrails::limits::Limits;
use crate::guardrails::write::Pending;
use crate::planner::examples::{BadExamples, taught};
use crate::planner::ranker::Ranker;
use crate::planner::slots::Needs;
use crate::telemetry::Metrics;
use crate::tools;
use crate::tools::desk::Desk;
use crate::world::{World, WorldHandle};

pub use complete::looks_complete;
pub use execute::Writes;
pub use memory::{question_is_open, subject};
pub use turn::{Channel, Kind, MediaNote, Provider, Reply, ScopeMark, SharedLocation, ToolCall, Trace, Turn};

use extract::Gazetteer;
use flow::{Flow, Told};
use memory::Memory;
use pending::Noted;

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
    /// Where confirmed writes go; None where everything is only shown.
    pub writes: Option<Writes>,
}

impl EngineConfig {
    /// As the settings have it, counted apart; a service counts with its own (`metrics`).
    pub fn of(config: &Config) -> Self {
        Self {
            operator: config.operator.name.clone(),
            limits: Limits {
                text_chars_max: config.relay.text_chars_max,
                pending_secs: config.relay.pending_secs,
                ..Limits::default()
            },
            metrics: Metrics::new(),
            desk: Some(Arc::new(Desk::of(config))),
            writes: None,
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

/// A turn as far as it needs nobody else.
struct Begun {
    told: Told,
    trace: Trace,
    memory: Memory,
    noted: Vec<Noted>,
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

    /// Answers one turn. A write that a person confirmed is carried out; what is to be kept of the
    /// conversation is in the reply.
    pub async fn answer(&self, turn: Turn) -> Reply {
        let mut begun = self.begin(&turn);
        self.audit_noted(&turn, std::mem::take(&mut begun.noted)).await;
        let (executed, pending) = match &begun.told {
            Told::Confirmed(confirmed) => {
                let executed = self.execute(&turn, confirmed).await;
                (executed, confirmed.pending().clone())
            }
            Told::Late(pending) => match self.too_late(&turn, pending).await {
                Some(executed) => (executed, (**pending).clone()),
                None => {
                    self.audit_noted(&turn, vec![Noted::expired(pending)]).await;
                    return self.reply(begun, turn.channel);
                }
            },
            Told::Fresh(_) | Told::Page(_) => return self.reply(begun, turn.channel),
        };
        begun.trace.tool_calls.push(executed.call);
        begun.trace.iterations = 1;
        let mut answer = executed.answer;
        if executed.waits {
            begun.memory.pending_shown = true;
            begun.memory.pending = Some(pending);
        } else if executed.preview_again {
            self.preview_again(&turn, &mut begun, &pending, &mut answer);
            self.audit_noted(&turn, std::mem::take(&mut begun.noted)).await;
        } else if let Some(subject) = executed.subject {
            begun.memory.subject = Some(subject);
        }
        begun.trace.pending = begun.memory.pending.as_ref().map(pending::printed);
        begun.told = Told::Fresh(answer);
        self.reply(begun, turn.channel)
    }

    /// The turn as far as it needs nobody else.
    fn begin(&self, turn: &Turn) -> Begun {
        let started = Instant::now();
        let world = self.world.load();
        let names = self.names(&world);
        let cx = self.context(&world, turn);
        let mut flow = Flow::new(self, &names, cx, turn, Memory::read(&turn.memory));
        let told = flow.run();
        let (trace, memory, noted) = flow.finish(started);
        Begun {
            told,
            trace,
            memory,
            noted,
        }
    }

    /// What a confirmed write started from has changed: it is shown anew and waits for a new yes.
    fn preview_again(&self, turn: &Turn, begun: &mut Begun, pending: &Pending, answer: &mut Answer) {
        let started = Instant::now();
        let world = self.world.load();
        let names = self.names(&world);
        let cx = self.context(&world, turn);
        let mut flow = Flow::new(self, &names, cx, turn, std::mem::take(&mut begun.memory));
        let again = flow.run_and_remember(memory::Call {
            tool: pending.tool.clone(),
            args: pending.params.as_object().cloned().unwrap_or_default(),
        });
        let (trace, memory, noted) = flow.finish(started);
        answer.lead.extend(again.lead);
        answer.items = again.items;
        answer.suggestions = again.suggestions;
        begun.trace.tool_calls.extend(trace.tool_calls);
        begun.memory = memory;
        begun.noted = noted;
    }

    /// The turn without carrying anything out: a confirmed write is only said to be one.
    #[cfg(test)]
    fn answer_now(&self, turn: &Turn) -> Reply {
        let begun = self.begin(turn);
        self.reply(begun, turn.channel)
    }

    fn reply(&self, begun: Begun, channel: Channel) -> Reply {
        let Begun {
            told,
            trace,
            mut memory,
            ..
        } = begun;
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
            Told::Confirmed(_) => Answer::text(phrases().say("engine.write.not_here", &[])),
            Told::Late(pending) => Answer::text(phrases().say("engine.write.expired", &[("what", &pending.preview)])),
        };
        let page = whatsapp::first(&answer);
        // The web shows the whole answer at once: there *más* goes on after it.
        memory.rest = page.rest.filter(|_| channel != Channel::Web);
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
