//! What of a question the answer was not kept to: it is said, never passed over.

use serde_json::{Map, Value, json};

use crate::domain::answer::{Answer, Line};
use crate::domain::ids::{AlarmId, SiteId, TaskId};
use crate::domain::sets::Role;
use crate::format::phrases;
use crate::planner::features::mask;
use crate::planner::slots::Masks;
use crate::tools;

use super::extract::Found;
use super::flow::Flow;
use super::mapper;
use super::memory::{Call, Choice, Does};
use super::words::listed;

/// Words for the moment of asking.
const NOW: [&str; 6] = ["hoy", "oy", "ahora", "manana", "today", "hoje"];
/// Figures of fewer digits are positions and counts.
const RECORD_DIGITS_MIN: usize = 4;

impl Flow<'_> {
    /// The answer with what its calls (those from `before` on) were not kept to.
    pub fn with_unkept(&mut self, mut answer: Answer, before: usize, found: &Found) -> Answer {
        let Some(ran) = self
            .exec
            .calls
            .get(before..)
            .and_then(<[_]>::first)
            .filter(|call| call.ok)
        else {
            return answer;
        };
        let (tool, params) = (ran.tool.clone(), ran.params.clone());
        let mut masks = mapper::masks(found);
        let given = |name: &str| params.get(name).is_some_and(|value| !value.is_null());
        let asker = self.exec.cx.caller.person().map(|person| person.id.to_string());
        if asker.is_some() && params.get("manager").and_then(Value::as_str) == asker.as_deref() {
            masks.mine = false;
        }
        let mut kinds = self.lacking(&tool, &masks, found);
        let dated = given("date_from") || given("date_to") || given("period");
        let due = masks.due_day && tool != "get_sla_breaches";
        if masks.date
            && (found.entities.more.unread_date || !dated)
            && !due
            && !kinds.contains(&"date")
            && !now(&tool, found)
        {
            kinds.push("date");
        }
        if masks.crew && found.entities.more.crews.is_empty() && !kinds.contains(&"crew") {
            kinds.push("crew");
        }
        // A figure that stands among the arguments was taken, whatever it was.
        let taken: Vec<String> = params
            .as_object()
            .into_iter()
            .flat_map(Map::values)
            .map(Value::to_string)
            .collect();
        let number = |word: &String| {
            let figure = word.trim_start_matches('0');
            word.bytes().all(|b| b.is_ascii_digit())
                && !taken
                    .iter()
                    .any(|value| value.strip_suffix(".0").unwrap_or(value) == figure)
        };
        // *3 días* stands among them as 72 hours.
        let counted = found.entities.more.limit.is_some() || masks.level || masks.site || masks.task || given("hours");
        if answer.items.len() > 1 && !counted && !masks.date && found.figures.iter().any(number) {
            kinds.push("number");
        }
        let sorted = kinds.contains(&"sort");
        kinds.retain(|kind| *kind != "sort");
        if mapper::sort(found) == Some("due") && given("sort") {
            remark(&mut answer, phrases().say("engine.by_due", &[]));
        } else if sorted && !masks.due_day && !masks.overdue && answer.items.len() > 1 && tool != "get_my_tasks" {
            remark(&mut answer, phrases().say("engine.not_sorted", &[]));
        }
        let grouped = matches!(
            (tool.as_str(), found.entities.more.group_by.as_deref()),
            ("compare_zones", Some("zone")) | ("get_kpi_by_manager", Some("manager"))
        );
        if found.entities.more.group_by.is_some() && !given("group_by") && !grouped {
            remark(&mut answer, phrases().say("engine.not_grouped", &[]));
        }
        if !kinds.is_empty() {
            remark(&mut answer, Self::not_kept(&kinds));
        }
        answer
    }

    fn not_kept(kinds: &[&str]) -> String {
        let kinds: Vec<String> = kinds
            .iter()
            .map(|kind| phrases().say(&format!("engine.kind.{kind}"), &[]))
            .collect();
        phrases().say("engine.not_by", &[("what", &listed(&kinds))])
    }

    fn lacking(&self, tool: &str, masks: &Masks, found: &Found) -> Vec<&'static str> {
        let needs = self.engine.needs.iter().find(|n| n.tool == tool);
        let lacks = needs.map(|n| n.lacks(masks)).unwrap_or_default();
        // *hoy* is when one asks, more often than what one asks for.
        let own_day = |kind: &str| tool == "get_my_tasks" && kind == "due_day" && now(tool, found);
        lacks
            .into_iter()
            .filter(|kind| (*kind != "date" || !now(tool, found)) && !own_day(kind))
            .collect()
    }

    /// What the last question cannot be turned by.
    pub fn not_by(&self, tool: &str, found: &Found) -> Option<Answer> {
        let kinds = self.lacking(tool, &mapper::masks(found), found);
        (!kinds.is_empty()).then(|| Answer::text(Self::not_kept(&kinds)))
    }

    /// *mis tareas cerradas*, *cuántas tengo*: whose tasks they are comes before what they are. A
    /// manager's are found with every condition; others have their list by urgency.
    pub fn own_tasks(&mut self, found: &Found) -> Option<Answer> {
        let masks = mapper::masks(found);
        let manager = self
            .exec
            .cx
            .caller
            .person()
            .filter(|person| person.role == Role::Manager)
            .map(|person| person.id.clone());
        let elsewhere = masks.task || masks.person || masks.crew || (masks.site && manager.is_none());
        if !mapper::own(found) || elsewhere || (self.exec.cx.caller.is_guest() && masks.zone) {
            return None;
        }
        let spec = tools::find("get_my_tasks")?;
        let mut call = Call {
            tool: spec.name().to_owned(),
            args: mapper::map(spec, found).args,
        };
        if let Some(manager) = manager
            && !self.lacking("get_my_tasks", &masks, found).is_empty()
            && let Some(wide) = tools::find("search_tasks")
        {
            let mut args: Map<String, Value> = mapper::map(wide, found).args;
            args.insert("manager".to_owned(), json!(manager));
            call = Call {
                tool: wide.name().to_owned(),
                args,
            };
        }
        let before = self.exec.calls.len();
        let answer = self.run_or_ask(call);
        Some(self.with_unkept(answer, before, found))
    }

    /// `acceso 6`: a site by its number, offered and never taken for granted.
    pub fn site_by_number(&mut self, call: &Call, found: &Found) -> Option<Answer> {
        let mut numbers = found
            .figures
            .iter()
            .filter(|word| word.bytes().all(|b| b.is_ascii_digit()));
        let (Some(number), None) = (numbers.next(), numbers.next()) else {
            return None;
        };
        let id = SiteId::parse(&format!("SITE-{number}")).ok();
        let id = id.filter(|id| self.exec.cx.world.site(id).is_some())?;
        let mut call = call.clone();
        call.args.insert("site_id".to_owned(), json!(id));
        let choice = Choice {
            label: self.label(&call.tool, &call.args),
            does: Does::Call(call),
        };
        Some(self.offer(phrases().say("engine.bare_number", &[("n", number)]), vec![choice]))
    }

    /// An id that names nothing is said not to exist, whatever else was asked of it.
    pub fn unknown_id(&mut self, found: &Found) -> Option<Answer> {
        let unknown = found.entities.more.unknown.first()?;
        let site_or_task = SiteId::parse(unknown).is_ok() || TaskId::parse(unknown).is_ok();
        (!site_or_task).then(|| {
            self.run_and_remember(Call {
                tool: "quick_lookup".to_owned(),
                args: Map::from_iter([("id".to_owned(), json!(unknown))]),
            })
        })
    }

    /// `detalle 10005`: for a tool that needs a task, the one of that number.
    pub fn task_by_number(&self, found: &Found) -> Option<TaskId> {
        let world = self.exec.cx.world;
        let ids = found.figures.iter().filter(|word| is_record_number(word));
        let mut ids = ids.filter_map(|digits| TaskId::parse(&format!("T-{digits}")).ok());
        ids.find(|id| world.task(id).is_some())
    }

    /// The records that a bare number may stand for, each with its name.
    pub fn numbered(&self, digits: &str) -> Vec<(String, String)> {
        let world = self.exec.cx.world;
        let task = TaskId::parse(&format!("T-{digits}"))
            .ok()
            .and_then(|id| world.task(&id));
        let alarm = AlarmId::parse(&format!("A-{digits}"))
            .ok()
            .and_then(|id| world.alarm(&id));
        let ends = format!("-{digits}");
        let sites = world.sites().iter().filter(|site| site.id.as_str().ends_with(&ends));
        let mut named: Vec<(String, String)> = Vec::new();
        named.extend(task.map(|task| (task.id.to_string(), task.title.clone())));
        named.extend(alarm.map(|alarm| (alarm.id.to_string(), alarm.name.clone())));
        named.extend(sites.map(|site| (site.id.to_string(), site.name.clone())));
        named
    }
}

/// Says something of the whole list above it: a closing note may wait for *más* behind what is
/// critical, and what was not kept to must be read with the title.
pub fn remark(answer: &mut Answer, text: String) {
    answer.lead.push(Line { text, title: false });
}

/// `tareas del sitio`, `alarmas de ese sitio`: of one site that is not named.
pub fn of_a_site(found: &Found) -> bool {
    // An alarm named has its site; a zone or a place is where to look.
    let masked = found
        .words
        .iter()
        .any(|word| mask::ENTITIES.contains(&word.as_str()) && *word != mask::ALARM);
    !masked
        && found.words.windows(2).any(|pair| match pair {
            [which, noun] => {
                matches!(
                    which.as_str(),
                    "del" | "el" | "ese" | "este" | "al" | "la" | "esa" | "esta" | "de" | "en"
                ) && matches!(noun.as_str(), "sitio" | "torre" | "site")
            }
            _ => false,
        })
}

/// A number long enough to be a record's.
pub fn is_record_number(word: &str) -> bool {
    word.len() >= RECORD_DIGITS_MIN && word.bytes().all(|b| b.is_ascii_digit())
}

/// *hoy* said of what is always of now; an alarm of today or a site that fell today is another thing.
fn now(tool: &str, found: &Found) -> bool {
    let said = found
        .folded
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| NOW.contains(&word));
    said && !found.entities.more.unread_date
        && !matches!(tool, "get_active_alarms" | "get_site_alarms" | "search_sites")
}
