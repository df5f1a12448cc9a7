//! Asking back: one missing argument, or which of a few things is meant; and reading the answer.

use serde_json::{Map, Value, json};

use crate::domain::answer::Answer;
use crate::domain::ids::{EmployeeId, SiteId, TaskId};
use crate::domain::text::fold;
use crate::format::phrases;
use crate::planner::features::raw_words;
use crate::planner::lexicon::is_common;
use crate::tools;

use super::extract::Found;
use super::flow::Flow;
use super::mapper;
use super::memory::{Asking, Call, Choice, Does};
use super::rules::Nth;
use super::words;

/// Choices offered at once.
pub const CHOICES_MAX: usize = 3;
/// What is asked for first when several things are missing.
const WHAT_FIRST: [&str; 3] = ["site_id", "task_id", "title"];
/// Candidates listed when a name means several.
const CANDIDATES_MAX: usize = 10;

impl Flow<'_> {
    /// Asks for what a call still needs.
    pub fn ask_for(&mut self, call: Call, missing: &mapper::Missing) -> Answer {
        let key = format!("engine.ask.{}", missing.entity);
        let key = if phrases().has(&key) {
            key
        } else {
            "engine.ask.other".to_owned()
        };
        let what = self.label(&call.tool, &Map::new());
        self.memory.asking = Some(Asking {
            call,
            param: missing.param.clone(),
            entity: missing.entity.clone(),
        });
        Answer::text(phrases().say(&key, &[("what", &what)]))
    }

    /// The answer to what was asked for last; None when the message is about something else.
    pub fn answered(&mut self, asking: Asking, found: &Found) -> Option<Answer> {
        let spec = tools::find(&asking.call.tool)?;
        let given = mapper::map(spec, found).args.remove(&asking.param);
        // A sentence of its own is a new question, even if it names what was asked for.
        let sentence = found
            .words
            .iter()
            .filter(|w| !is_common(w) && !w.starts_with('x'))
            .count()
            > 1;
        if sentence {
            return None;
        }
        // *antofagasta* to *¿de qué sitio?*: the site of that name, or which of those.
        if given.is_none()
            && asking.entity == "site"
            && let Some(answer) = self.site_by_place(&asking.call, &asking.param, found)
        {
            return Some(answer);
        }
        let from_site = || {
            let site = found.entities.sites.first().filter(|_| asking.entity == "location");
            site.map(|id| json!({ "site_id": id }))
        };
        let value = given
            .or_else(from_site)
            .or_else(|| self.number_asked_for(&asking, found))?;
        let mut call = asking.call;
        call.args.insert(asking.param, value);
        Some(self.run_or_ask(call))
    }

    /// To *¿de qué sitio?* a `2` answers with a site: the question is open, and the reply names it.
    fn number_asked_for(&self, asking: &Asking, found: &Found) -> Option<Value> {
        let [number] = found.figures.as_slice() else {
            return None;
        };
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        match asking.entity.as_str() {
            "site" if digits => SiteId::parse(&format!("SITE-{number}")).ok().map(|id| json!(id)),
            "task" if digits => TaskId::parse(&format!("T-{number}")).ok().map(|id| json!(id)),
            _ => None,
        }
    }

    /// The same for a bare number that the rules took.
    pub fn number_for(&mut self, number: usize) -> Option<Answer> {
        let asking = self.memory.asking.take()?;
        let value = match asking.entity.as_str() {
            "site" => json!(SiteId::parse(&format!("SITE-{number}")).ok()?),
            _ => return None,
        };
        let mut call = asking.call;
        call.args.insert(asking.param, value);
        Some(self.run_or_ask(call))
    }

    /// Offers what may be meant, by number.
    pub fn offer(&mut self, lead: String, choices: Vec<Choice>) -> Answer {
        let answer = words::menu(lead, &choices);
        self.memory.menu = choices;
        answer
    }

    /// A choice by its number.
    pub fn choose(&mut self, nth: Nth) -> Answer {
        let menu = std::mem::take(&mut self.memory.menu);
        let at = match nth {
            Nth::Number(n) => n,
            Nth::Last => menu.len(),
        };
        match at.checked_sub(1).and_then(|at| menu.get(at)) {
            Some(choice) => self.do_choice(choice.clone()),
            // *y el 999*: no choice was ever so far down.
            None if at > CANDIDATES_MAX => self.nth(nth),
            None => {
                let lead = phrases().say("engine.choice_out_of_range", &[("n", &menu.len())]);
                self.offer(lead, menu)
            }
        }
    }

    /// A choice by its words: one that holds all the meaningful words of the message.
    pub fn choice_named(&self, text: &str) -> Option<Choice> {
        let words = raw_words(&fold(text));
        let meaningful: Vec<&String> = words.iter().filter(|w| !is_common(w)).collect();
        if meaningful.is_empty() || meaningful.len() > 4 {
            return None;
        }
        let labels = self.memory.menu.iter().map(|choice| raw_words(&fold(&choice.label)));
        let shared: Vec<String> = labels
            .reduce(|shared, label| shared.into_iter().filter(|word| label.contains(word)).collect())
            .filter(|_| self.memory.menu.len() > 1)
            .unwrap_or_default();
        let holds = |choice: &&Choice| {
            let label = raw_words(&fold(&choice.label));
            let held = meaningful
                .iter()
                .all(|word| label.iter().any(|l| l.starts_with(word.as_str())));
            // An example is chosen by its words; part of them may be a question of its own. What
            // every choice says tells none of them apart.
            let whole = label
                .iter()
                .filter(|word| !is_common(word) && !shared.contains(word) && !word.bytes().all(|b| b.is_ascii_digit()))
                .all(|word| meaningful.iter().any(|said| word.starts_with(said.as_str())));
            held && (whole || matches!(choice.does, Does::Call(_)))
        };
        let mut named = self.memory.menu.iter().filter(holds);
        match (named.next(), named.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }

    /// Does what a choice stands for.
    pub fn do_choice(&mut self, choice: Choice) -> Answer {
        match choice.does {
            Does::Call(call) => self.run_or_ask(call),
            Does::Say(text) => self.written(&text),
        }
    }

    /// Runs a call, or asks for the first thing it lacks.
    pub fn run_or_ask(&mut self, mut call: Call) -> Answer {
        let Some(spec) = tools::find(&call.tool) else {
            return words::no_tool();
        };
        // What a write is about is asked before how it is classed.
        let first = |param: &str| {
            WHAT_FIRST
                .iter()
                .position(|what| *what == param)
                .unwrap_or(WHAT_FIRST.len())
        };
        let missing = spec
            .params()
            .filter(|(param, _, required)| *required && !call.args.contains_key(*param))
            .min_by_key(|(param, ..)| first(param));
        match missing {
            None => self.run_and_remember(call),
            Some((param, schema, _)) => {
                let entity = schema.get("x-entity").and_then(Value::as_str).unwrap_or_default();
                if entity == "group_by" {
                    call.args.insert(param.to_owned(), json!("zone"));
                    return self.run_or_ask(call);
                }
                if entity == "location"
                    && let Some(value) = self.own_position()
                {
                    call.args.insert(param.to_owned(), value);
                    return self.run_or_ask(call);
                }
                let missing = mapper::Missing {
                    param: param.to_owned(),
                    entity: entity.to_owned(),
                };
                self.ask_for(call, &missing)
            }
        }
    }

    /// The candidates of an argument as choices that run the same call with each.
    pub fn choices_for(&self, call: &Call, param: &str, candidates: &[(String, String)]) -> Vec<Choice> {
        candidates
            .iter()
            .take(CANDIDATES_MAX)
            .map(|(id, name)| {
                let mut call = call.clone();
                call.args.insert(param.to_owned(), json!(id));
                Choice {
                    label: format!("{id} {name}").trim().to_owned(),
                    does: Does::Call(call),
                }
            })
            .collect()
    }

    /// What a call is called in a menu: `Alarmas de SITE-002`.
    pub fn label(&self, tool: &str, args: &Map<String, Value>) -> String {
        let argument = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
        let record = argument("site_id")
            .or_else(|| argument("task_id"))
            .or_else(|| argument("id"));
        let person = argument("manager").map(|given| {
            let known = EmployeeId::parse(&given)
                .ok()
                .and_then(|id| self.exec.cx.world.employee(&id));
            phrases().say(
                "engine.of_person",
                &[("what", &known.map_or(given, |person| person.name.clone()))],
            )
        });
        let of = record.map(|id| phrases().say("engine.of", &[("what", &id)])).or(person);
        let within = argument("zone")
            .map(|zone| phrases().say("engine.summary.zone", &[("zone", &zone)]))
            .or_else(|| argument("place").map(|place| phrases().say("engine.summary.place", &[("place", &place)])));
        let what = of.or(within).map_or(String::new(), |what| format!(" {what}"));
        let key = format!("engine.tool.{tool}");
        if phrases().has(&key) {
            phrases().say(&key, &[("what", &what)])
        } else {
            format!("{tool}{what}")
        }
    }
}
