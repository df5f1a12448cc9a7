//! A confirmed order as the system's own call, and the look at whether it was done.
//!
//! What the embedded operator would make of the order says which status, technician and level the task gets; the
//! system's call is filled from that. A yes of the system is not believed where a look is set up: some take a change
//! that their workflow forbids with 204 and do nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::{Call, Lists, Rest, RestFault, fill, place};
use crate::config::systems::{Holds, Outside, Verify, Write};
use crate::domain::change::{Change, Effect, Order, RecordKind, RecordPut};
use crate::net::Method;
use crate::systems::WriteFault;

/// Looks after a yes: what was written may take a moment to be seen.
const LOOKS_MAX: u32 = 3;
/// Between two looks.
const LOOK_PAUSE: Duration = Duration::from_millis(300);

/// The writes that a system takes.
#[derive(Debug, Default)]
pub(in crate::systems) struct Writes(BTreeMap<&'static str, (Write, Option<Value>)>);

/// What an order means to a system.
pub(in crate::systems) struct Task<'a> {
    pub(in crate::systems) order: &'a Order,
    /// What the embedded operator would make of it.
    pub(in crate::systems) effect: Effect,
    /// The system's own key of the task, or of the site for a new task.
    pub(in crate::systems) key: String,
    /// The kinds of records that systems outside hold: their own readings bring what else changed.
    pub(in crate::systems) owned: &'a [RecordKind],
}

/// What was seen of an order.
struct Seen {
    /// The record that shows it, where the look is at a list of tasks.
    key: Option<String>,
}

fn name(change: &Change) -> Option<&'static str> {
    match change {
        Change::UpdateTask { .. } => Some("update_task"),
        Change::AddNote { .. } => Some("add_note"),
        Change::CreateTask { .. } => Some("create_task"),
        Change::SendEmail { .. } | Change::SendWhatsapp { .. } => None,
    }
}

impl Writes {
    pub(in crate::systems) fn of(spec: &Outside) -> Self {
        let names = ["update_task", "add_note", "create_task"];
        let ready = names.iter().filter_map(|name| {
            let write = spec.writes.get(*name)?;
            Some((*name, (write.clone(), serde_json::from_str(&write.body).ok())))
        });
        Self(ready.collect())
    }

    /// Does the system take this kind of change?
    pub(in crate::systems) fn takes(&self, change: &Change) -> bool {
        name(change).is_some_and(|name| self.0.contains_key(name))
    }

    /// Sends the order, once.
    pub(in crate::systems) async fn perform(
        &self,
        rest: &Rest,
        lists: &Lists,
        task: Task<'_>,
    ) -> Result<Effect, WriteFault> {
        let (write, body) = self.call(&task.order.change)?;
        let values = values(&task, write)?;
        let path = fill::path(&write.path, &values).ok_or(WriteFault::NotConfigured)?;
        let url = rest.url(&path);
        let call = Call {
            method: Method::named(&write.method).unwrap_or(Method::Post),
            url: &url,
            body: body.as_ref().and_then(|body| fill::body(body, &values)),
            repeatable: write.repeatable,
            yes: &write.expect,
        };
        match rest.ask(call).await {
            Ok((_, answer)) => {
                let made = place::at(&answer, &write.key_at).filter(|_| !write.key_at.is_empty());
                let key = made.and_then(place::text);
                match &write.verify {
                    None => Self::effect(rest, lists, task, key).await,
                    Some(verify) => match Self::look(rest, lists, verify, &values, LOOKS_MAX).await {
                        Ok(Some(seen)) => Self::effect(rest, lists, task, key.or(seen.key)).await,
                        Ok(None) => Err(WriteFault::Refused {
                            reason: "it took the change and did not make it".to_owned(),
                        }),
                        Err(_) => Err(WriteFault::Unknown),
                    },
                }
            }
            Err(fault) => match told(&fault) {
                // Seen at once, it was done; not seen, it may still be under way.
                WriteFault::Unknown => match &write.verify {
                    Some(verify) => match Self::look(rest, lists, verify, &values, 1).await {
                        Ok(Some(seen)) => Self::effect(rest, lists, task, seen.key).await,
                        Ok(None) | Err(_) => Err(WriteFault::Unknown),
                    },
                    None => Err(WriteFault::Unknown),
                },
                known => Err(known),
            },
        }
    }

    /// Reads whether the order was carried out.
    pub(in crate::systems) async fn verify(
        &self,
        rest: &Rest,
        lists: &Lists,
        task: Task<'_>,
    ) -> Result<Option<Effect>, WriteFault> {
        let (write, _) = self.call(&task.order.change)?;
        let Some(verify) = &write.verify else {
            return Err(WriteFault::Unknown);
        };
        let values = values(&task, write)?;
        match Self::look(rest, lists, verify, &values, 1).await {
            Ok(Some(seen)) => Self::effect(rest, lists, task, seen.key).await.map(Some),
            Ok(None) => Ok(None),
            Err(_) => Err(WriteFault::Unknown),
        }
    }

    fn call(&self, change: &Change) -> Result<(&Write, &Option<Value>), WriteFault> {
        let found = name(change).and_then(|name| self.0.get(name));
        found
            .map(|(write, body)| (write, body))
            .ok_or(WriteFault::NotConfigured)
    }

    async fn look(
        rest: &Rest,
        lists: &Lists,
        verify: &Verify,
        values: &fill::Values,
        looks: u32,
    ) -> Result<Option<Seen>, RestFault> {
        let unfit = || RestFault::Unbelievable("the look can't be asked for".to_owned());
        let path = fill::path(&verify.path, values).ok_or_else(unfit)?;
        let url = rest.url(&path);
        for look in 1..=looks {
            let call = Call {
                method: Method::Get,
                url: &url,
                body: None,
                repeatable: true,
                yes: &[],
            };
            let (_, answer) = rest.ask(call).await?;
            let there = place::at(&answer, &verify.items);
            let rows = match there {
                Some(Value::Array(rows)) => rows.as_slice(),
                Some(one) => std::slice::from_ref(one),
                None => &[],
            };
            if let Some(row) = rows
                .iter()
                .find(|row| verify.holds.iter().all(|held| shows(row, held, values)))
            {
                let is_list = matches!(there, Some(Value::Array(_)));
                let key = is_list.then(|| lists.key_of(RecordKind::Tasks, row)).flatten();
                return Ok(Some(Seen { key }));
            }
            if look < looks {
                tokio::time::sleep(LOOK_PAUSE).await;
            }
        }
        Ok(None)
    }

    /// What the picture must hold now: the task as the system has it, and what no other system tells.
    async fn effect(rest: &Rest, lists: &Lists, task: Task<'_>, made: Option<String>) -> Result<Effect, WriteFault> {
        let creates = matches!(task.order.change, Change::CreateTask { .. });
        let key = match (creates, made) {
            (true, Some(made)) => Some(made),
            (true, None) => None,
            (false, _) => Some(task.key.clone()),
        };
        let read = match &key {
            // A failed reading undoes nothing: the next one of the whole list brings the task.
            Some(key) => lists.one(rest, RecordKind::Tasks, key).await.ok().flatten(),
            None => None,
        };
        if creates {
            let reference = read.as_ref().map(|put| put.id.clone()).or(key).unwrap_or_default();
            return Ok(Effect {
                reference,
                records: read.into_iter().collect(),
            });
        }
        let owned = |put: &RecordPut| put.kind != RecordKind::Tasks && task.owned.contains(&put.kind);
        let mut records: Vec<RecordPut> = task.effect.records.into_iter().filter(|put| !owned(put)).collect();
        if let Some(read) = read {
            records.retain(|put| put.kind != RecordKind::Tasks || put.id != read.id);
            records.push(read);
        }
        Ok(Effect {
            reference: task.effect.reference,
            records,
        })
    }
}

fn shows(row: &Value, held: &Holds, values: &fill::Values) -> bool {
    // A list holds a text when any of its elements does: a journal, say, our id of the order.
    let text = |value: &Value| place::text(value).unwrap_or_else(|| value.to_string());
    let Some(there) = place::at(row, &held.at).map(text) else {
        return false;
    };
    let is = !held.is.is_empty() && fill::text(&held.is, values).is_some_and(|wanted| wanted == there);
    let contains = fill::text(&held.contains, values).filter(|part| !part.is_empty());
    is || contains.is_some_and(|part| there.contains(&part))
}

/// What a fault says of a write.
fn told(fault: &RestFault) -> WriteFault {
    match fault {
        RestFault::Open | RestFault::Busy | RestFault::Unsent => WriteFault::Unsent,
        // A server that stumbled, or an answer that can't be read: it may have been done before.
        RestFault::Status(status) if *status >= 500 => WriteFault::Unknown,
        RestFault::Status(_) | RestFault::Credentials(_) | RestFault::Reported(_) => WriteFault::Refused {
            reason: fault.to_string(),
        },
        RestFault::Unknown { .. } | RestFault::NotJson | RestFault::Unbelievable(_) | RestFault::TooMuch(_) => {
            WriteFault::Unknown
        }
    }
}

/// What the names in a call stand for.
fn values(task: &Task<'_>, write: &Write) -> Result<fill::Values, WriteFault> {
    let mut values = fill::Values::from([
        ("key", task.key.clone()),
        ("order", task.order.id.simple().to_string()),
        ("at", task.order.at.to_string()),
    ]);
    let mut set = |name: &'static str, value: Option<String>| {
        if let Some(value) = value {
            values.insert(name, value);
        }
    };
    set("by", task.order.by.as_ref().map(ToString::to_string));
    let record = task.effect.records.iter().find(|put| put.kind == RecordKind::Tasks);
    let of_record = |name: &str| record.and_then(|put| place::text(put.value.get(name)?));
    for name in [
        "status",
        "criticality",
        "work_type",
        "site_id",
        "crew_id",
        "technician_id",
        "escalation_level",
        "due_at",
        "title",
        "description",
    ] {
        set(name, of_record(name));
    }
    match &task.order.change {
        Change::UpdateTask {
            task_id,
            action,
            reason,
            at_point,
            ..
        } => {
            set("task_id", Some(task_id.to_string()));
            set("action", action.map(|action| action.as_str().to_owned()));
            set("text", reason.clone());
            set("lat", at_point.map(|point| point.lat.to_string()));
            set("lon", at_point.map(|point| point.lon.to_string()));
        }
        Change::AddNote { task_id, text, .. } => {
            set("task_id", Some(task_id.to_string()));
            set("text", Some(text.clone()));
        }
        Change::CreateTask { .. } | Change::SendEmail { .. } | Change::SendWhatsapp { .. } => {}
    }
    for (name, words) in &write.words {
        let Some((known, ours)) = values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(k, v)| (*k, v.clone()))
        else {
            continue;
        };
        let theirs = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(&ours));
        let Some((_, theirs)) = theirs else {
            return Err(WriteFault::Refused {
                reason: format!("it has no word for {name} {ours}"),
            });
        };
        values.insert(known, theirs.clone());
    }
    let said: Vec<String> = ["action", "text"]
        .iter()
        .filter_map(|name| values.get(name).cloned())
        .collect();
    values.insert("note", said.join(": "));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surely_did_not_arrive_is_told_from_what_may_have() {
        assert_eq!(told(&RestFault::Open), WriteFault::Unsent);
        assert_eq!(told(&RestFault::Unsent), WriteFault::Unsent);
        for maybe in [
            RestFault::Unknown { timeout: true },
            RestFault::Status(502),
            RestFault::NotJson,
            RestFault::TooMuch(String::new()),
        ] {
            assert_eq!(told(&maybe), WriteFault::Unknown, "{maybe}");
        }
        for no in [
            RestFault::Status(422),
            RestFault::Status(301),
            RestFault::Credentials(String::new()),
        ] {
            assert!(matches!(told(&no), WriteFault::Refused { .. }), "{no}");
        }
    }

    #[test]
    fn a_list_shows_a_text_when_one_of_its_elements_does() {
        let row = serde_json::json!({"status": {"id": 5}, "journals": [{"notes": "x"}, {"notes": "y [abc]"}]});
        let values = fill::Values::from([("order", "abc".to_owned()), ("status", "5".to_owned())]);
        let held = |at: &str, is: &str, contains: &str| Holds {
            at: at.to_owned(),
            is: is.to_owned(),
            contains: contains.to_owned(),
        };
        assert!(shows(&row, &held("/status/id", "{status}", ""), &values));
        assert!(shows(&row, &held("/journals", "", "{order}"), &values));
        assert!(
            !shows(&row, &held("/journals", "", "{text}"), &values),
            "what is not known shows nothing"
        );
        assert!(!shows(&row, &held("/nothing", "5", ""), &values));
    }
}
