//! From a wish to a preview: which task is meant, what is still missing, and then the tool.

use serde_json::{Map, Value, json};

use crate::domain::answer::Answer;
use crate::domain::ids::{SiteId, TaskId};
use crate::domain::records::Task;
use crate::domain::sets::TaskAction;
use crate::format::phrases;
use crate::tools::{self, Output, ToolError};

use super::extract::Found;
use super::flow::{Flow, Shown};
use super::follow;
use super::mapper::{self, Missing};
use super::memory::{Asking, Call, Choice, Does};
use super::wishes::{self, Wish};

/// Tasks of one's own that are offered by number.
const OWN_MAX: usize = 5;
/// What somebody answers in their own words.
const FREE: [&str; 4] = ["reason", "note", "title", "description"];

impl Flow<'_> {
    /// What a message plainly orders, as a preview.
    pub fn ordered(&mut self, found: &Found) -> Option<Answer> {
        let wish = wishes::ordered(found)?;
        Some(self.wished(wish, found))
    }

    /// A wish as a preview, or the question for what it still needs.
    pub fn wished(&mut self, wish: Wish, found: &Found) -> Answer {
        if wish != Wish::Create && wishes::of_many(found) {
            return Answer::text(phrases().say("engine.write.one_by_one", &[]));
        }
        let tool = wish.tool();
        let mut call = Call {
            tool: tool.to_owned(),
            args: wishes::arguments(wish, found),
        };
        if matches!(wish, Wish::Action(TaskAction::Arrived | TaskAction::EnRoute))
            && let Some(here) = self.here_now()
        {
            call.args.insert("location".to_owned(), here);
        }
        if wish == Wish::Note {
            self.attach(&mut call.args);
        }
        if wish == Wish::Create {
            return self.create(call, found);
        }
        if let Some(unknown) = found.entities.more.unknown.first()
            && TaskId::parse(unknown).is_ok()
        {
            call.args.insert("task_id".to_owned(), json!(unknown));
            return self.run_or_ask(call);
        }
        match self.task_meant(found) {
            Some(id) => {
                call.args.insert("task_id".to_owned(), json!(id));
                self.run_or_ask(call)
            }
            None => self.which_of_mine(call, found),
        }
    }

    /// Files that came with the note are its evidence.
    fn attach(&self, args: &mut Map<String, Value>) {
        let ids: Vec<_> = self.turn.media.iter().filter_map(|file| file.id).collect();
        if ids.is_empty() {
            return;
        }
        args.insert("media_ids".to_owned(), json!(ids));
        let evidence = || json!(phrases().say("engine.write.evidence", &[]));
        args.entry("text").or_insert_with(evidence);
    }

    fn here_now(&self) -> Option<Value> {
        let shared = self.turn.location.filter(|place| !place.forwarded);
        let shared = shared.map(|place| json!({ "lat": place.point.lat, "lon": place.point.lon }));
        shared.or_else(|| self.own_position())
    }

    /// The task that is named, pointed at or talked about.
    fn task_meant(&self, found: &Found) -> Option<TaskId> {
        if let Some(id) = found.entities.task_ids.first() {
            return Some(id.clone());
        }
        if let Some(id) = self.task_by_number(found) {
            return Some(id);
        }
        if let Some((nth, _)) = follow::position_in(found)
            && let Shown::Record(id) = self.shown(nth)
            && let Ok(id) = TaskId::parse(&id)
        {
            return Some(id);
        }
        if !found.entities.sites.is_empty() {
            return None;
        }
        let subject = self.memory.subject.as_deref()?;
        TaskId::parse(subject).ok()
    }

    /// The asker's own tasks, those at the site named first: the only one, the one the crew is on,
    /// else the choice by number.
    fn which_of_mine(&mut self, mut call: Call, found: &Found) -> Answer {
        let world = self.exec.cx.world;
        let named = found.entities.sites.first().cloned().or_else(|| {
            let subject = self.memory.subject.as_deref()?;
            SiteId::parse(subject).ok()
        });
        let me = self.exec.cx.caller.person();
        let crew = me.and_then(|me| me.crew_id.as_ref());
        let takes = call.args.get("action").and_then(Value::as_str) == Some(TaskAction::Take.as_str());
        let mine = |task: &&Task| {
            let own = me.is_some_and(|me| task.technician_id.as_ref() == Some(&me.id));
            own || (crew.is_some() && task.crew_id.as_ref() == crew)
        };
        let mut tasks: Vec<&Task> = match &named {
            Some(site) => {
                let here = || world.tasks_of_site(site).filter(|t| t.status.is_active());
                let own: Vec<&Task> = here().filter(mine).collect();
                if own.is_empty() || takes { here().collect() } else { own }
            }
            None if takes => Vec::new(),
            None => world.active_tasks().filter(mine).collect(),
        };
        let current = crew.and_then(|id| world.crew(id)?.current_task_id.clone());
        if let Some(on) = current.and_then(|id| tasks.iter().find(|task| task.id == id).copied()) {
            tasks = vec![on];
        }
        match tasks.as_slice() {
            [only] => {
                call.args.insert("task_id".to_owned(), json!(only.id));
                self.run_or_ask(call)
            }
            [] => {
                let missing = Missing {
                    param: "task_id".to_owned(),
                    entity: "task".to_owned(),
                };
                self.ask_for(call, &missing)
            }
            several => {
                let choices: Vec<Choice> = several
                    .iter()
                    .take(OWN_MAX)
                    .map(|task| {
                        let mut call = call.clone();
                        call.args.insert("task_id".to_owned(), json!(task.id));
                        Choice {
                            label: format!("{} {} ({})", task.id, task.title, task.site_id),
                            does: Does::Call(call),
                        }
                    })
                    .collect();
                self.offer(phrases().say("engine.write.which", &[]), choices)
            }
        }
    }

    fn create(&mut self, mut call: Call, found: &Found) -> Answer {
        let site = found.entities.sites.first().cloned().or_else(|| {
            let subject = self.memory.subject.as_deref()?;
            SiteId::parse(subject).ok().or_else(|| self.site_of_task(subject))
        });
        match site {
            Some(id) => _ = call.args.insert("site_id".to_owned(), json!(id)),
            None => {
                if let Some(answer) = self.site_by_place(&call, "site_id", found) {
                    return answer;
                }
                if let Some(unknown) = found.entities.more.unknown.first() {
                    call.args.insert("site_id".to_owned(), json!(unknown));
                }
            }
        }
        self.run_or_ask(call)
    }

    /// What a write still needs and only the tool knows to ask for: why it is closed.
    pub fn ask_what_a_write_lacks(&mut self, call: &Call, error: &ToolError) -> Option<Answer> {
        let spec = tools::find(&call.tool).filter(|spec| spec.tool.writes())?;
        let ToolError::Arguments { field, .. } = error else {
            return None;
        };
        if call.args.contains_key(field) {
            return None;
        }
        let (_, schema, _) = spec.params().find(|(name, _, _)| name == field)?;
        let entity = schema.get("x-entity").and_then(Value::as_str).unwrap_or_default();
        let missing = Missing {
            param: field.clone(),
            entity: entity.to_owned(),
        };
        // What was not asked for completely has not been tried.
        self.exec.calls.pop();
        Some(self.ask_for(call.clone(), &missing))
    }

    /// An answer in one's own words to what was asked for: a reason, a note, a title.
    pub fn told(&mut self, text: &str) -> Option<Answer> {
        let asking = self.memory.asking.as_ref()?;
        if !FREE.contains(&asking.entity.as_str()) || is_other(text) {
            return None;
        }
        let Asking { mut call, param, .. } = self.memory.asking.take()?;
        call.args.insert(param, json!(text.trim()));
        if call.tool == "add_task_note" {
            self.attach(&mut call.args);
        }
        Some(self.run_or_ask(call))
    }

    /// What a preview was about can be pointed at.
    pub fn talked_about(&mut self, output: &Output) {
        let param = |name: &str| output.params.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(subject) = param("task_id").or_else(|| param("site_id")) {
            self.memory.subject = Some(subject);
        }
    }

    /// The tool that the ranker chose writes: the wish in the words decides what.
    pub fn write_chosen(&mut self, tool: &str, found: &Found) -> Option<Answer> {
        tools::find(tool).filter(|spec| spec.tool.writes())?;
        match wishes::for_tool(tool, found) {
            Some(wish) => Some(self.wished(wish, found)),
            None if tool == "update_task_status" => {
                let call = Call {
                    tool: tool.to_owned(),
                    args: self
                        .task_meant(found)
                        .map_or_else(Map::new, |id| Map::from_iter([("task_id".to_owned(), json!(id))])),
                };
                let missing = Missing {
                    param: "status".to_owned(),
                    entity: "status_to".to_owned(),
                };
                Some(self.ask_for(call, &missing))
            }
            None => None,
        }
    }

    /// A status, said as the answer to which one it gets.
    pub fn status_told(found: &Found) -> Option<Value> {
        let [status] = found.entities.statuses.as_slice() else {
            return None;
        };
        mapper::task_status(*status).map(|status| json!(status))
    }
}

/// A question of its own, or no answer at all, is no reason.
fn is_other(text: &str) -> bool {
    let folded = crate::domain::text::fold(text);
    let asks = text.contains('?')
        || [
            "que ",
            "cual",
            "cuant",
            "quien",
            "donde",
            "estado ",
            "mis tareas",
            "alarmas",
        ]
        .iter()
        .any(|start| folded.starts_with(start));
    asks || matches!(
        folded.as_str(),
        "no" | "cancela" | "cancelar" | "ayuda" | "menu" | "nada" | "olvidalo"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_no_reason() {
        for text in ["¿qué alarmas hay?", "mis tareas", "cancela", "cuantas hay"] {
            assert!(is_other(text), "{text}");
        }
        for text in ["ya quedó", "falta llave", "se cambió el rectificador"] {
            assert!(!is_other(text), "{text}");
        }
    }
}
