//! A confirmed write carried out: recorded before it is sent, and never sent twice.
//!
//! The order's id is the preview's, so a turn that is answered again after a crash finds what came
//! of it the first time. What was begun and has no outcome is looked up by reading.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::domain::answer::Answer;
use crate::domain::change::{Change, Effect, Order};
use crate::domain::ids::TaskId;
use crate::format::phrases;
use crate::guardrails::write::{Confirmed, Pending};
use crate::planner::rendering;
use crate::store::{AuditRow, Begun, Outcome, Store};
use crate::systems::{Systems, WriteFault};
use crate::tools::answers::letters;
use crate::tools::{self, Cx, ToolError};

use super::Engine;
use super::pending::Noted;
use super::turn::{ToolCall, Turn};

/// Where confirmed writes go.
#[derive(Debug, Clone)]
pub struct Writes {
    /// Where they are recorded.
    pub store: Store,
    /// Who carries them out.
    pub systems: Systems,
    /// How many one person may have carried out in a rolling hour.
    pub per_hour: u32,
    /// One at a time: each is built on the picture that the one before left.
    pub one: Arc<Mutex<()>>,
}

impl Writes {
    /// Recorded in this store, carried out by these systems.
    pub fn new(store: Store, systems: Systems, per_hour: u32) -> Self {
        Self {
            store,
            systems,
            per_hour,
            one: Arc::default(),
        }
    }
}

/// What carrying out came to.
pub(super) struct Executed {
    /// What the person reads.
    pub answer: Answer,
    /// The call, for the trace.
    pub call: ToolCall,
    /// It still waits for a yes: it surely has not been done, or nobody knows.
    pub waits: bool,
    /// It is to be shown anew, since what it started from has changed.
    pub preview_again: bool,
    /// What is talked about from now on.
    pub subject: Option<String>,
}

/// How it ended, before anybody reads it.
enum Ended {
    Done(Outcome),
    Busy(Timestamp),
    Changed,
    Said(&'static str, bool),
    Tool(ToolError),
}

impl Engine {
    /// Carries out what was confirmed.
    pub(super) async fn execute(&self, turn: &Turn, confirmed: &Confirmed) -> Executed {
        let started = Instant::now();
        let pending = confirmed.pending();
        let ended = match &self.config.writes {
            Some(writes) => {
                let _one = writes.one.lock().await;
                self.carry_out(writes, turn, confirmed).await
            }
            None => Ended::Said("not_here", false),
        };
        self.told(turn, pending, ended, started).await
    }

    /// A yes that came too late, unless it is one that was carried out and is answered again.
    pub(super) async fn too_late(&self, turn: &Turn, pending: &Pending) -> Option<Executed> {
        let writes = self.config.writes.as_ref()?;
        let (_, outcome) = writes.store.order(pending.id).await.ok().flatten()?;
        let started = Instant::now();
        let ended = match outcome {
            Some(outcome) => Ended::Done(outcome),
            None => Ended::Said("unsure", false),
        };
        Some(self.told(turn, pending, ended, started).await)
    }

    async fn carry_out(&self, writes: &Writes, turn: &Turn, confirmed: &Confirmed) -> Ended {
        let pending = confirmed.pending();
        let change = {
            let world = self.world.load();
            let cx = self.context(&world, turn);
            let Some(spec) = tools::find(&pending.tool) else {
                return Ended::Said("not_done", false);
            };
            match spec.tool.commit(&cx, confirmed) {
                Some(Ok(change)) => change,
                Some(Err(error)) => return Ended::Tool(error),
                None => return Ended::Said("not_done", false),
            }
        };
        let order = Order {
            id: pending.id,
            change,
            by: pending.by.clone(),
            at: self.clock.now(),
        };
        let begun = match writes.store.write_begin(order.clone(), writes.per_hour).await {
            Ok(begun) => begun,
            Err(error) => {
                tracing::error!(store.error = error.code(), "a confirmed write could not be recorded");
                return Ended::Said("not_kept", true);
            }
        };
        match begun {
            Begun::Done(outcome) => Ended::Done(outcome),
            Begun::Busy(next) => Ended::Busy(next),
            Begun::Unknown(order) => match writes.systems.verify(&order).await {
                Ok(Some(effect)) => self.keep(writes, order.id, effect).await,
                // Only where the effect and its record are one is what was not recorded surely not done.
                Ok(None) if writes.systems.is_embedded(&order.change) => self.send(writes, &order).await,
                Ok(None) => self.fail(writes, order.id, "not_done").await,
                Err(_) => Ended::Said("unsure", true),
            },
            Begun::Fresh if self.has_changed(turn, pending) => {
                self.forget(writes, order.id).await;
                Ended::Changed
            }
            Begun::Fresh => self.send(writes, &order).await,
        }
    }

    /// Is what the preview started from no longer so? Then the yes was to something else.
    fn has_changed(&self, turn: &Turn, pending: &Pending) -> bool {
        let world = self.world.load();
        let cx = self.context(&world, turn);
        let spec = tools::find(&pending.tool);
        let again = spec.map(|spec| spec.call(&cx, pending.params.clone()));
        !matches!(again, Some(Ok(output)) if output.basis.as_ref() == Some(&pending.basis))
    }

    async fn send(&self, writes: &Writes, order: &Order) -> Ended {
        if let Change::SendWhatsapp { .. } = &order.change {
            return self.post(writes, order).await;
        }
        match writes.systems.perform(order).await {
            Ok(effect) => self.keep(writes, order.id, effect).await,
            Err(WriteFault::Refused { reason }) => {
                let outcome = Outcome {
                    ok: false,
                    reference: String::new(),
                    reason: Some(reason),
                };
                self.finish(
                    writes,
                    order.id,
                    outcome,
                    Effect {
                        reference: String::new(),
                        records: vec![],
                    },
                )
                .await
            }
            Err(WriteFault::NotConfigured) => {
                self.forget(writes, order.id).await;
                Ended::Said("not_configured", false)
            }
            Err(WriteFault::Unsent) => {
                self.forget(writes, order.id).await;
                Ended::Said("unsent", true)
            }
            Err(WriteFault::Unknown) => match writes.systems.verify(order).await {
                Ok(Some(effect)) => self.keep(writes, order.id, effect).await,
                Ok(None) => self.fail(writes, order.id, "not_done").await,
                Err(_) => Ended::Said("unsure", true),
            },
        }
    }

    /// Messages go to the outbox in the transaction that records them: they are there, or it was not done.
    async fn post(&self, writes: &Writes, order: &Order) -> Ended {
        let desk = self.config.desk.as_deref();
        let letters = desk.map_or_else(Vec::new, |desk| letters(desk, &order.change));
        if letters.is_empty() {
            self.forget(writes, order.id).await;
            return Ended::Said("nobody", false);
        }
        let outcome = Outcome {
            ok: true,
            reference: order.id.to_string(),
            reason: None,
        };
        if let Err(error) = writes
            .store
            .write_finish(order.id, outcome.clone(), vec![], letters)
            .await
        {
            tracing::error!(store.error = error.code(), "messages could not be put in the outbox");
            self.forget(writes, order.id).await;
            return Ended::Said("not_kept", true);
        }
        Ended::Done(outcome)
    }

    async fn keep(&self, writes: &Writes, id: Uuid, effect: Effect) -> Ended {
        let outcome = Outcome {
            ok: true,
            reference: effect.reference.clone(),
            reason: None,
        };
        self.finish(writes, id, outcome, effect).await
    }

    /// The outcome and the records in one transaction, then the picture.
    async fn finish(&self, writes: &Writes, id: Uuid, outcome: Outcome, effect: Effect) -> Ended {
        // What a system outside holds comes back from there.
        let owned = writes.systems.owned();
        let records = effect
            .records
            .iter()
            .filter(|put| !owned.contains(&put.kind))
            .cloned()
            .collect();
        if let Err(error) = writes.store.write_finish(id, outcome.clone(), records, vec![]).await {
            tracing::error!(
                store.error = error.code(),
                "the outcome of a write could not be recorded"
            );
            return Ended::Said("unsure", true);
        }
        if let Err(error) = writes.systems.picture().put(effect.records).await {
            tracing::error!(%error, "a record that a write changed does not fit the picture");
        }
        Ended::Done(outcome)
    }

    async fn fail(&self, writes: &Writes, id: Uuid, why: &'static str) -> Ended {
        let outcome = Outcome {
            ok: false,
            reference: String::new(),
            reason: Some(why.to_owned()),
        };
        if let Err(error) = writes.store.write_finish(id, outcome, vec![], vec![]).await {
            tracing::error!(
                store.error = error.code(),
                "the outcome of a write could not be recorded"
            );
        }
        Ended::Said(why, false)
    }

    async fn forget(&self, writes: &Writes, id: Uuid) {
        if let Err(error) = writes.store.write_forget(id).await {
            tracing::error!(
                store.error = error.code(),
                "an order that was not carried out is still recorded"
            );
        }
    }

    /// What the person reads, what the trace shows, and the audit.
    async fn told(&self, turn: &Turn, pending: &Pending, ended: Ended, started: Instant) -> Executed {
        let world = self.world.load();
        let cx = self.context(&world, turn);
        let say = |key: &str, args: &[(&str, &dyn std::fmt::Display)]| {
            Answer::text(phrases().say(&format!("engine.write.{key}"), args))
        };
        let (answer, ok, waits, preview_again) = match &ended {
            Ended::Done(outcome) if outcome.ok => {
                let done = rendering::done(&pending.tool, &pending.params, &outcome.reference, &cx);
                (done, true, false, false)
            }
            Ended::Done(outcome) => {
                let reason = outcome.reason.clone().unwrap_or_default();
                let answer = match reason.as_str() {
                    "not_done" => say("not_done", &[]),
                    reason => say("rejected", &[("reason", &reason)]),
                };
                (answer, false, false, false)
            }
            Ended::Busy(next) => {
                let zone = cx.caller.person().and_then(|person| person.zone.as_ref());
                let at = next
                    .to_zoned_datetime(cx.tz(zone).clone())
                    .strftime("%H:%M")
                    .to_string();
                let n = self.config.writes.as_ref().map_or(0, |writes| writes.per_hour);
                (say("busy", &[("n", &n), ("at", &at)]), false, false, false)
            }
            Ended::Changed => (say("changed", &[]), false, false, true),
            Ended::Said(key, waits) => (say(key, &[]), false, *waits, false),
            Ended::Tool(error) => (rendering::failure(&pending.tool, error, &cx), false, false, false),
        };
        let reason = match &ended {
            Ended::Done(outcome) => outcome.reason.clone(),
            Ended::Busy(_) => Some("writes_per_hour".to_owned()),
            Ended::Changed => Some("changed".to_owned()),
            Ended::Said(key, _) => Some((*key).to_owned()),
            Ended::Tool(_) => Some("tool".to_owned()),
        };
        let what = match &ended {
            Ended::Done(outcome) if outcome.ok => "executed",
            Ended::Busy(_) | Ended::Changed | Ended::Tool(_) => "refused",
            Ended::Done(_) | Ended::Said(..) => "failed",
        };
        let rows = [("confirmed", None), (what, reason)];
        let rows = rows.map(|(what, reason)| self.audit_row(turn, what, pending, reason));
        self.audited(rows.to_vec()).await;
        let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.config
            .metrics
            .tool_call(&pending.tool, if ok { "ok" } else { "refused" }, started.elapsed());
        Executed {
            answer,
            call: ToolCall {
                tool: pending.tool.clone(),
                params: with_dry_run(&pending.params),
                ok,
                count: None,
                ms,
                dry_run: Some(false),
                cached: false,
                iteration: 1,
            },
            waits,
            preview_again,
            subject: match ended {
                // A message is nothing to be talked about further; a task is.
                Ended::Done(outcome) if outcome.ok => TaskId::parse(&outcome.reference).ok().map(|id| id.to_string()),
                _ => None,
            },
        }
    }

    pub(super) fn context<'a>(&'a self, world: &'a crate::world::World, turn: &'a Turn) -> Cx<'a> {
        Cx {
            world,
            caller: &turn.caller,
            now: self.clock.now(),
            desk: self.config.desk.as_deref(),
        }
    }

    fn audit_row(&self, turn: &Turn, what: &str, pending: &Pending, reason: Option<String>) -> AuditRow {
        AuditRow {
            at: Timestamp::now(),
            who: who(turn),
            channel: turn.channel.as_str().to_owned(),
            what: what.to_owned(),
            tool: Some(pending.tool.clone()),
            params: pending.params.clone(),
            order: Some(pending.id),
            reason,
        }
    }

    /// Keeps what became of writes that were not carried out.
    pub(super) async fn audit_noted(&self, turn: &Turn, noted: Vec<Noted>) {
        let rows = noted.into_iter().map(|noted| AuditRow {
            at: Timestamp::now(),
            who: who(turn),
            channel: turn.channel.as_str().to_owned(),
            what: noted.what.to_owned(),
            tool: Some(noted.tool),
            params: noted.params,
            order: Some(noted.order),
            reason: noted.reason.map(str::to_owned),
        });
        self.audited(rows.collect()).await;
    }

    async fn audited(&self, rows: Vec<AuditRow>) {
        let Some(writes) = self.config.writes.as_ref().filter(|_| !rows.is_empty()) else {
            return;
        };
        if let Err(error) = writes.store.audit(rows).await {
            tracing::error!(store.error = error.code(), "an audit row was not kept");
        }
    }
}

fn who(turn: &Turn) -> String {
    match turn.caller.person() {
        Some(person) => person.id.to_string(),
        None if turn.caller.is_guest() => "guest".to_owned(),
        None => "desk".to_owned(),
    }
}

fn with_dry_run(params: &Value) -> Value {
    let mut params = params.clone();
    if let Some(params) = params.as_object_mut() {
        params.insert("dry_run".to_owned(), Value::Bool(false));
    }
    params
}
