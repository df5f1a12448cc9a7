//! One turn's messages to the effects that its acknowledgement commits.
//!
//! Consent first, then who is asking, then files, then the engine, part by part. Everything
//! here may be done again after a crash: nothing is written before the acknowledgement save
//! files, which are stored by their hash.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::timeout;

use super::burst::{Part, parts};
use super::consent::{Consent, Standing, consent};
use super::late::{self, Late};
use super::media::{About, Fetched, Media};
use super::people;
use super::typing::Typing;
use crate::config::Relay;
use crate::domain::caller::Caller;
use crate::domain::conversation::{of_address, of_person};
use crate::domain::message::{Inbound, Origin};
use crate::domain::outbound::{NewOutbound, Purpose};
use crate::engine::{self, Channel, Engine, MediaNote, SharedLocation, Turn};
use crate::format::phrases;
use crate::store::{Asked, Conversation, MediaRecord, Store, StoreError, TurnEffects};
use crate::world::WorldHandle;

/// For all files of a part together; with the engine's own deadline it stays within a lease.
const FILES_MAX: Duration = Duration::from_secs(25);

/// What the relay, not the engine, remembers of a conversation; wraps the engine's memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct RelayMemory {
    #[serde(default)]
    asked_back: bool,
    #[serde(default)]
    engine: Value,
}

/// Answers turns; cheap to clone.
#[derive(Clone)]
pub struct Answering(Arc<Inner>);

struct Inner {
    store: Store,
    world: WorldHandle,
    engine: Arc<Engine>,
    media: Media,
    typing: Typing,
    guests_welcome: bool,
    turn: Duration,
    together: Duration,
    late: Late,
}

/// One part's reply with what it leaves behind.
struct Said {
    body: String,
    purpose: Purpose,
    suggestions: Vec<String>,
    trace: Value,
    ms: u64,
}

impl Said {
    /// A word of the relay itself.
    fn of(body: String) -> Self {
        Self {
            body,
            purpose: Purpose::Notice,
            suggestions: Vec::new(),
            trace: Value::Null,
            ms: 0,
        }
    }

    fn notice(phrase: &str) -> Self {
        Self::of(phrases().say(phrase, &[]))
    }
}

impl Answering {
    /// Answers by `engine`.
    pub fn new(
        store: Store,
        world: WorldHandle,
        engine: Arc<Engine>,
        media: Media,
        typing: Typing,
        relay: &Relay,
        guests_welcome: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            store,
            world,
            engine,
            media,
            typing,
            guests_welcome,
            turn: Duration::from_secs(relay.turn_secs),
            together: Duration::from_millis(relay.hold_max_ms),
            late: Late::new(relay),
        }))
    }

    /// The replies to `messages` and what the conversation remembers after them.
    pub async fn effects(&self, conversation: &Conversation, messages: &[Inbound]) -> Result<TurnEffects, StoreError> {
        let mut memory: RelayMemory = serde_json::from_value(conversation.memory.clone()).unwrap_or_default();
        let mut opted_out = conversation.opted_out;
        // STOP counts however late it is found, and who has left gets no list of what was missed.
        let standing = Standing {
            opted_out,
            asked_back: memory.asked_back,
            question_open: engine::question_is_open(&memory.engine),
        };
        let (late, fresh): (Vec<_>, Vec<_>) = messages
            .iter()
            .cloned()
            .partition(|m| self.0.late.is_late(m) && consent(&m.body, standing) == Consent::Engine);
        let mut effects = TurnEffects::default();
        let late_part = Part {
            messages: late.iter().collect(),
        };
        if !late.is_empty() {
            push(&mut effects, conversation, &late_part, Said::of(late::apology(&late)));
        }
        for part in parts(&fresh, self.0.together) {
            let said = self
                .part(&part, &mut memory, &mut opted_out, conversation.interrupted)
                .await?;
            push(&mut effects, conversation, &part, said);
        }
        effects.opted_out = (opted_out != conversation.opted_out).then_some(opted_out);
        effects.memory = serde_json::to_value(&memory).unwrap_or_default();
        Ok(effects)
    }

    async fn part(
        &self,
        part: &Part<'_>,
        memory: &mut RelayMemory,
        opted_out: &mut bool,
        interrupted: bool,
    ) -> Result<Said, StoreError> {
        let text = part.text();
        let standing = Standing {
            opted_out: *opted_out,
            asked_back: std::mem::take(&mut memory.asked_back),
            question_open: engine::question_is_open(&memory.engine),
        };
        match consent(&text, standing) {
            Consent::Engine => {}
            Consent::AskBack => {
                memory.asked_back = true;
                return Ok(Said::notice("relay.opt_out.ask_back"));
            }
            Consent::Stop => {
                *opted_out = true;
                return Ok(Said::notice("relay.opt_out.done"));
            }
            Consent::Resume => {
                *opted_out = false;
                return Ok(Said::notice("relay.opt_out.resumed"));
            }
            Consent::Remind => return Ok(Said::notice("relay.opt_out.remind")),
        }
        let caller = self.caller(part).await?;
        if caller.is_guest() && !self.0.guests_welcome {
            return Ok(Said::notice("relay.unknown_number"));
        }
        self.ask(part, text, caller, memory, interrupted).await
    }

    /// Asks the engine; past the turn's deadline the person is told so.
    async fn ask(
        &self,
        part: &Part<'_>,
        text: String,
        caller: Caller,
        memory: &mut RelayMemory,
        interrupted: bool,
    ) -> Result<Said, StoreError> {
        let started = Instant::now();
        let _typing = part.last().map(|m| self.0.typing.after_a_while(&m.sid));
        let about = self.about(part, &caller, &memory.engine);
        let fetched = match timeout(FILES_MAX, self.0.media.fetch(&part.messages, &about)).await {
            Ok(fetched) => fetched,
            Err(_) => Fetched {
                stored: Vec::new(),
                failed: part.messages.iter().map(|m| m.num_media).sum(),
            },
        };
        let turn = Turn {
            caller,
            channel: Channel::WhatsApp,
            text,
            command: part.messages.iter().rev().find_map(|m| m.command.clone()),
            location: part.messages.iter().rev().find_map(|m| {
                let pin = m.pin.as_ref()?;
                Some(SharedLocation {
                    point: pin.point,
                    forwarded: m.forwarded,
                })
            }),
            unreadable_pin: part.messages.iter().any(|m| is_bare(m)),
            media: fetched.stored.iter().map(note).collect(),
            media_failed: fetched.failed,
            subject: self.subject(part).await?,
            memory: std::mem::take(&mut memory.engine),
            interrupted,
        };
        let kept = turn.memory.clone();
        match timeout(self.0.turn, self.0.engine.answer(turn)).await {
            Ok(reply) => {
                memory.engine = reply.memory;
                Ok(Said {
                    body: reply.text,
                    purpose: Purpose::Reply,
                    suggestions: reply.answer.suggestions,
                    trace: serde_json::to_value(&reply.trace).unwrap_or_default(),
                    ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                })
            }
            Err(_) => {
                memory.engine = kept;
                Ok(Said::notice("relay.too_slow"))
            }
        }
    }

    /// What the files of a part are about.
    fn about(&self, part: &Part<'_>, caller: &Caller, memory: &Value) -> About {
        let conversation = match (caller.person(), part.last()) {
            (Some(person), _) => of_person(&person.id),
            (None, Some(last)) => of_address(&last.from),
            (None, None) => String::new(),
        };
        let subject = engine::subject(memory);
        About::of(&part.messages, conversation, subject.as_deref(), &self.0.world.load())
    }

    /// The text of our message that this one answers.
    async fn subject(&self, part: &Part<'_>) -> Result<Option<String>, StoreError> {
        let Some(sid) = part.messages.iter().rev().find_map(|m| m.reply_to.as_ref()) else {
            return Ok(None);
        };
        let ours = self.0.store.outbound_by_sid(sid).await?;
        Ok(ours.map(|o| o.message.body))
    }

    async fn caller(&self, part: &Part<'_>) -> Result<Caller, StoreError> {
        let addresses: Vec<_> = part
            .messages
            .iter()
            .flat_map(|m| std::iter::once(&m.from).chain(&m.external_id))
            .collect();
        Ok(people::caller(
            people::person(&self.0.store, &self.0.world, &addresses).await?,
        ))
    }
}

/// A polled message that holds nothing at all (a pin or a button that the list does not show), or a
/// location whose position is none on the Earth.
fn is_bare(message: &Inbound) -> bool {
    let no_pin = message.message_type == "location" && message.pin.is_none();
    (message.origin == Origin::Poll || no_pin) && message.body.trim().is_empty() && message.num_media == 0
}

fn note(record: &MediaRecord) -> MediaNote {
    MediaNote {
        kind: engine::Kind::of(&record.content_type),
        content_type: record.content_type.clone(),
        bytes: record.bytes,
        id: Some(record.id),
    }
}

/// Adds a part to the turn: its reply to the outbox, both sides to what is remembered.
fn push(effects: &mut TurnEffects, conversation: &Conversation, part: &Part<'_>, said: Said) {
    let Some(last) = part.last() else { return };
    let turn = &mut effects.turn;
    turn.at = Timestamp::now();
    turn.asked.extend(part.messages.iter().map(|m| Asked {
        sid: Some(m.sid.clone()),
        text: m.body.clone(),
        kind: m.message_type.clone(),
    }));
    if !turn.reply.is_empty() {
        turn.reply.push_str("\n\n");
    }
    turn.reply.push_str(&said.body);
    if let (Value::Array(calls), Some(Value::Array(new))) = (&mut turn.tool_calls, said.trace.get("tool_calls")) {
        calls.extend(new.iter().cloned());
    } else if let Some(new) = said.trace.get("tool_calls") {
        turn.tool_calls = new.clone();
    }
    turn.trace = said.trace;
    turn.ms += said.ms;
    effects.replies.push(NewOutbound {
        conversation: conversation.id.clone(),
        to: last.from.clone(),
        from: last.to.clone(),
        body: said.body,
        purpose: said.purpose,
        answers: part.sids(),
        suggestions: said.suggestions,
        template: None,
        media: None,
    });
}
