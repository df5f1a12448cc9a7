//! The turn itself: what is tried, in which order.

use std::sync::LazyLock;
use std::time::Instant;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::domain::answer::Answer;
use crate::domain::entities::Entities;
use crate::domain::geo::Point;
use crate::domain::ids::{AlarmId, SiteId, TaskId};
use crate::format::phrases;
use crate::format::whatsapp::Page;
use crate::guardrails::scope::{self, Evidence};
use crate::guardrails::{Verdict, sanitize};
use crate::planner::features::mask;
use crate::planner::lexicon::is_common;
use crate::planner::recipes::Recipe;
use crate::planner::slots::{self, Candidate, Masks, Wish};
use crate::tools::{self, Cx};

use super::act::joined;
use super::ask::CHOICES_MAX;
use super::executor::Executor;
use super::extract::{Found, Gazetteer, extract};
use super::memory::{Call, Choice, Does, Memory, Position};
use super::rules::{Nth, Simple, simple};
use super::turn::{Provider, ScopeMark, SharedLocation, Trace, Turn};
use super::{Engine, follow, mapper, words};

/// What a turn comes to.
pub enum Told {
    /// An answer.
    Fresh(Answer),
    /// The next page of the last one.
    Page(Page),
}

/// A wish that no tool of this build answers counts from here on.
const LATER: f32 = 0.6;

/// One turn under way.
pub struct Flow<'a> {
    pub(super) engine: &'a Engine,
    names: &'a Gazetteer,
    pub(super) exec: Executor<'a>,
    turn: &'a Turn,
    pub(super) memory: Memory,
    entities: Entities,
    scope: ScopeMark,
    /// The message answers an earlier one of ours.
    replying: bool,
    /// The position that came with this turn.
    here: Option<SharedLocation>,
}

impl<'a> Flow<'a> {
    /// A turn about to begin.
    pub fn new(engine: &'a Engine, names: &'a Gazetteer, cx: Cx<'a>, turn: &'a Turn, memory: Memory) -> Self {
        Self {
            engine,
            names,
            exec: Executor::new(cx, &engine.config.limits, &engine.config.metrics),
            turn,
            memory,
            entities: Entities::default(),
            scope: ScopeMark::In,
            replying: false,
            here: turn.location,
        }
    }

    /// What is left when the turn is over.
    pub fn finish(self, started: Instant) -> (Trace, Memory) {
        let trace = Trace {
            provider: Provider::Offline,
            scope: self.scope,
            entities: self.entities,
            degraded: self.exec.degraded(),
            iterations: self.exec.iteration,
            tool_calls: self.exec.calls,
            corrections: 0,
            pending: None,
            ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        (trace, self.memory)
    }

    /// Runs the turn.
    pub fn run(&mut self) -> Told {
        let raw = self.turn.command.as_deref().unwrap_or(&self.turn.text);
        let clean = sanitize::clean(raw, self.engine.config.limits.text_chars_max);
        self.recall_reply();
        if let Some(place) = self.here.filter(|place| !place.forwarded) {
            self.memory.position = Some(Position {
                point: place.point,
                at: self.exec.cx.now,
            });
        }
        if self.here.is_none() && simple(&clean.text) == Some(Simple::More) && self.turn.media.is_empty() {
            return self.more();
        }
        let mut answer = self.respond(&clean.text);
        if clean.shortened {
            let note = phrases().say("engine.shortened", &[("n", &self.engine.config.limits.text_chars_max)]);
            answer.notes.insert(0, note);
        }
        Told::Fresh(answer)
    }

    fn respond(&mut self, text: &str) -> Answer {
        let arrived = words::arrived(self.turn);
        let mut answer = match (self.here, text.is_empty()) {
            (Some(place), true) => self.around(place.point),
            (None, true) if self.turn.unreadable_pin => {
                return led(arrived, Answer::text(phrases().say("engine.pin.unreadable", &[])));
            }
            (None, true) => match arrived {
                // A file alone is acknowledged; a message with nothing in it is asked for its question.
                Some(arrived) => return Answer::text(arrived).line(phrases().say("engine.media.then", &[])),
                None => Answer::text(phrases().say("engine.empty", &[])),
            },
            (_, false) => self.written(text),
        };
        if self.here.is_some_and(|place| place.forwarded) {
            answer.notes.insert(0, phrases().say("engine.pin.forwarded", &[]));
        }
        if self.turn.unreadable_pin {
            answer.notes.insert(0, phrases().say("engine.pin.unreadable", &[]));
        }
        led(arrived, answer)
    }

    /// A message of ours that this one answers: its list and its subject are what is talked about.
    fn recall_reply(&mut self) {
        #[expect(clippy::expect_used, reason = "the pattern is a constant")]
        static ID: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\b(?:SITE-[0-9]{3,}|CU-[A-Z]{2}-[0-9]{2,}|AS-[0-9]{5}|[A-Z]{2}-[0-9]{4}|T-[0-9]{5,}|A-[0-9]{5,}|E-[0-9]{3,}|M-[0-9]{3,})\b").expect("a constant pattern")
        });
        #[expect(clippy::expect_used, reason = "the pattern is a constant")]
        static NUMBERED: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"^\W{0,3}[0-9]{1,3}[.)]\s").expect("a constant pattern"));
        let Some(subject) = &self.turn.subject else { return };
        let id_in = |line: &str| ID.find(line).map(|id| id.as_str().to_owned());
        let numbered: Vec<Option<String>> = subject
            .lines()
            .filter(|line| NUMBERED.is_match(line))
            .map(id_in)
            .collect();
        let first = subject.lines().find_map(id_in);
        if first.is_none() && numbered.is_empty() {
            return;
        }
        self.replying = true;
        self.memory.menu.clear();
        self.memory.asking = None;
        // A list of several has no subject of its own.
        self.memory.subject = if numbered.len() > 1 { None } else { first };
        self.memory.shown = numbered;
    }

    /// Something was written.
    pub fn written(&mut self, text: &str) -> Answer {
        if let Some(simple) = simple(text) {
            return self.simple(simple);
        }
        if let Some(choice) = self.choice_named(text) {
            self.memory.menu.clear();
            return self.do_choice(choice);
        }
        self.memory.menu.clear();
        let found = self.extract(text);
        self.entities = found.entities.clone();
        if let Some(asking) = self.memory.asking.take()
            && let Some(answer) = self.answered(asking, &found)
        {
            return answer;
        }
        self.question(text, found)
    }

    fn extract(&self, text: &str) -> Found {
        let cx = &self.exec.cx;
        let started = Instant::now();
        let mut found = extract(text, cx.world, self.names, &self.engine.ranker, cx.now);
        self.engine.config.metrics.entity_seconds(started.elapsed());
        if found.entities.more.location.is_none() {
            found.entities.more.location = self.here.map(|place| place.point);
        }
        let own_zone = cx.caller.person().and_then(|person| person.zone.clone());
        if let Some(zone) = own_zone.filter(|_| {
            found
                .words
                .windows(2)
                .any(|pair| matches!(pair, [mi, zona] if mi == "mi" && zona == "zona"))
        }) {
            found.entities.zones.push(zone);
            for word in found
                .words
                .iter_mut()
                .chain(&mut found.figures)
                .filter(|word| *word == "zona")
            {
                mask::ZONE.clone_into(word);
            }
        }
        found
    }

    fn simple(&mut self, simple: Simple) -> Answer {
        let offered = !self.memory.menu.is_empty();
        match simple {
            Simple::Nth(nth) if offered => self.choose(nth),
            Simple::Nth(nth) => self.nth(nth),
            Simple::Yes if self.memory.menu.len() == 1 => self.choose(Nth::Number(1)),
            Simple::No if offered || self.memory.asking.is_some() => {
                self.memory.menu.clear();
                self.memory.asking = None;
                Answer::text(phrases().say("engine.dropped", &[]))
            }
            Simple::Yes | Simple::No => self.help("nothing_pending"),
            Simple::Greeting => self.help("greeting"),
            Simple::Thanks | Simple::Signs => self.help("thanks"),
            Simple::Help => self.help("help"),
            // *más* inside a choice: there is nothing more of it.
            Simple::More => Answer::text(phrases().say("engine.no_more", &[])),
        }
    }

    fn help(&mut self, opening: &str) -> Answer {
        let (answer, choices) = words::help(self.exec.cx.caller, opening, &self.engine.config.operator);
        self.memory.menu = choices;
        self.memory.asking = None;
        answer
    }

    /// A number alone: what was asked for, a place in the last list; never silently a site.
    fn nth(&mut self, nth: Nth) -> Answer {
        if let Nth::Number(number) = nth
            && let Some(answer) = self.number_for(number)
        {
            return answer;
        }
        match self.shown(nth) {
            Some(Ok(id)) => self.card(&id),
            Some(Err(answer)) => answer,
            None => {
                let number = match nth {
                    Nth::Number(number) => number,
                    Nth::Last => return self.unplaced(),
                };
                let site = SiteId::parse(&format!("SITE-{number}"))
                    .ok()
                    .filter(|id| self.exec.cx.world.site(id).is_some());
                let lead = phrases().say("engine.bare_number", &[("n", &number)]);
                let choices = site.map(|id| {
                    let call = Call {
                        tool: "quick_site_status".to_owned(),
                        args: Map::from_iter([("site_id".to_owned(), json!(id))]),
                    };
                    Choice {
                        label: self.label(&call.tool, &call.args),
                        does: Does::Call(call),
                    }
                });
                self.offer(lead, choices.into_iter().collect())
            }
        }
    }

    /// The id at a place of the last list; an answer when the list is shorter; None without a list.
    fn shown(&self, nth: Nth) -> Option<Result<String, Answer>> {
        let shown = &self.memory.shown;
        let length = shown.len();
        let at = match nth {
            Nth::Number(number) => number,
            Nth::Last => length,
        };
        if length == 0 {
            return None;
        }
        let id = at.checked_sub(1).and_then(|at| shown.get(at)).cloned().flatten();
        Some(id.ok_or_else(|| Answer::text(phrases().say("engine.list_out_of_range", &[("n", &length)]))))
    }

    /// The short answer about a record named alone.
    fn card(&mut self, id: &str) -> Answer {
        let (tool, param) = if TaskId::parse(id).is_ok() {
            ("get_field_task_details", "task_id")
        } else if SiteId::parse(id).is_ok() {
            ("quick_site_status", "site_id")
        } else {
            ("quick_lookup", "id")
        };
        self.run_or_ask(Call {
            tool: tool.to_owned(),
            args: Map::from_iter([(param.to_owned(), json!(id))]),
        })
    }

    /// The next page; after the last, the rows beyond it.
    fn more(&mut self) -> Told {
        if let Some(rest) = self.memory.rest.take() {
            return Told::Page(rest.page());
        }
        Told::Fresh(match self.memory.beyond.take() {
            Some(beyond) => self.run_and_remember(beyond.call),
            None => Answer::text(phrases().say("engine.no_more", &[])),
        })
    }

    /// The sites around a point, or what the point was asked for.
    fn around(&mut self, point: Point) -> Answer {
        let location = json!({ "lat": point.lat, "lon": point.lon });
        if let Some(asking) = self.memory.asking.take().filter(|asking| asking.entity == "location") {
            let mut call = asking.call;
            call.args.insert(asking.param, location);
            return self.run_or_ask(call);
        }
        self.run_or_ask(Call {
            tool: "find_nearest_sites".to_owned(),
            args: Map::from_iter([("location".to_owned(), location)]),
        })
    }

    /// Where the person last said they are, while that may still be true.
    pub fn own_position(&self) -> Option<Value> {
        let position = self.memory.position?;
        let age = self.exec.cx.now.duration_since(position.at);
        let fresh = age.as_secs().abs() <= self.engine.config.limits.position_mins * 60;
        fresh.then(|| json!({ "lat": position.point.lat, "lon": position.point.lon }))
    }

    fn question(&mut self, text: &str, mut found: Found) -> Answer {
        let words_only = |found: &Found| found.words.iter().all(|word| is_common(word));
        if found.located.without_coordinates && words_only(&found) {
            return Answer::text(phrases().say("engine.pin.short_link", &[]));
        }
        if let Some(point) = found.entities.more.location.filter(|_| words_only(&found)) {
            return self.around(point);
        }
        if let Some((nth, at)) = follow::position_in(&found) {
            match self.shown(nth) {
                Some(Ok(id)) => inject(&mut found, &id, Some(at)),
                Some(Err(answer)) => return answer,
                None => {}
            }
        }
        if let Some(recipe) = Recipe::of(&found.words, &found.entities) {
            let asked = Self::asked_of_recipe(&found);
            return self.cook(recipe, &asked);
        }
        if !self.replying && follow::turns_the_last(&found) {
            let drop_zone = follow::drops_zone(&found);
            if let Some(answer) = self.turned(&found, drop_zone) {
                return answer;
            }
        }
        if let Some(answer) = self.bare(&found) {
            return answer;
        }
        if let Some(answer) = self.several(text, &found) {
            return answer;
        }
        self.ranked(found)
    }

    /// An entity and nothing else.
    fn bare(&mut self, found: &Found) -> Option<Answer> {
        let mut named = found.words.iter().filter(|word| {
            !is_common(word) && !matches!(word.as_str(), "sitio" | "site" | "torre" | "tarea" | "task" | "ticket")
        });
        let only = named.next().filter(|_| named.next().is_none())?;
        let entities = &found.entities;
        let more = &entities.more;
        let one = match only.as_str() {
            mask::SITE => match entities.sites.as_slice() {
                [] => more.unknown.first().cloned(),
                [only] => Some(only.to_string()),
                _ => return Some(self.act("quick_site_status", found)),
            },
            mask::TASK => match entities.task_ids.as_slice() {
                [] => more.unknown.first().cloned(),
                [only] => Some(only.to_string()),
                _ => return Some(self.act("get_task_status", found)),
            },
            mask::ALARM | mask::CREW | mask::RECORD | mask::PERSON => return Some(self.act("quick_lookup", found)),
            mask::ZONE => {
                return Some(self.offer_tools(&["get_tasks_by_zone", "get_active_alarms", "get_kpi_summary"], found));
            }
            mask::PLACE => {
                return Some(self.offer_tools(&["search_sites", "search_tasks", "get_active_alarms"], found));
            }
            _ => None,
        };
        if one.is_none() && only == mask::SITE {
            return Some(self.act("quick_site_status", found)); // several of that name
        }
        one.map(|id| self.card(&id))
    }

    /// What these words wish for, best first, and what may be done about it.
    fn judged(&self, words: &[String]) -> (Verdict, Vec<Candidate<'a>>) {
        let masks = Masks::of(words);
        let ranking = self.engine.ranker.rank(words);
        let candidates = slots::candidates(&ranking, &self.engine.needs, &masks);
        let best = candidates.first();
        let second = candidates.get(1).map_or(0.0, |c| c.score);
        let verdict = scope::judge(Evidence {
            best: best.map_or(0.0, |c| c.score),
            margin: best.map_or(0.0, |c| c.score - second),
            names_record: masks.names_record(),
            off: best.is_none_or(|c| c.wish == Wish::Off),
        });
        (verdict, candidates)
    }

    fn ranked(&mut self, mut found: Found) -> Answer {
        let names_record = Masks::of(&found.words).names_record();
        if !names_record
            && let Some(id) = self
                .memory
                .subject
                .clone()
                .filter(|_| self.replying || follow::means_the_subject(&found))
        {
            let with_subject = {
                let mut with = found.clone();
                inject(&mut with, &id, None);
                with
            };
            // The subject is meant only where its mention makes sense of the words.
            if self.replying || matches!(self.judged(&with_subject.words).0, Verdict::Allow) {
                found = with_subject;
            }
        }
        let (verdict, candidates) = self.judged(&found.words);
        if let Some(Candidate {
            wish: Wish::Later { name, near },
            score,
        }) = candidates.first()
        {
            if *score >= LATER || names_record {
                let lead = phrases().say(&format!("engine.later.{name}"), &[]);
                let near: Vec<&str> = near.iter().map(String::as_str).collect();
                return self.offer_with(lead, &near, &found);
            }
        }
        match (verdict, candidates.first()) {
            (
                Verdict::Allow,
                Some(Candidate {
                    wish: Wish::Tool(tool), ..
                }),
            ) => self.act(tool, &found),
            (Verdict::Allow | Verdict::Ask, _) => {
                let tools: Vec<&str> = candidates
                    .iter()
                    .filter_map(|c| match c.wish {
                        Wish::Tool(tool) => Some(tool),
                        Wish::Later { .. } | Wish::Off => None,
                    })
                    .take(CHOICES_MAX)
                    .collect();
                self.offer_tools(&tools, &found)
            }
            (Verdict::Refuse(_), _) => self.unplaced(),
        }
    }

    fn offer_tools(&mut self, tools: &[&str], found: &Found) -> Answer {
        self.offer_with(phrases().say("engine.which", &[]), tools, found)
    }

    /// Tools as choices, filled as far as the question goes.
    fn offer_with(&mut self, lead: String, names: &[&str], found: &Found) -> Answer {
        let specs = names.iter().filter_map(|name| tools::find(name));
        let choices = specs.map(|spec| {
            let call = Call {
                tool: spec.name().to_owned(),
                args: mapper::map(spec, found).args,
            };
            Choice {
                label: self.label(&call.tool, &call.args),
                does: Does::Call(call),
            }
        });
        let choices: Vec<Choice> = choices.take(CHOICES_MAX).collect();
        self.offer(lead, choices)
    }

    /// What cannot be placed is said, with three things that can be done.
    fn unplaced(&mut self) -> Answer {
        self.scope = ScopeMark::Out;
        let choices = words::three_things(self.exec.cx.caller);
        self.offer(phrases().say("engine.unplaced", &[]), choices)
    }

    /// Several questions in one message, each of which stands by itself.
    fn several(&mut self, text: &str, found: &Found) -> Option<Answer> {
        let most = self.engine.config.limits.questions_max;
        let parts: Vec<&str> = text
            .split(['\n', '?', ';'])
            .map(str::trim)
            .filter(|part| part.chars().any(char::is_alphanumeric))
            .collect();
        let asked: Vec<(&'static str, Found)> = if parts.len() > 1 {
            let each = parts.iter().map(|part| {
                let found = self.extract(part);
                self.sure_tool(&found.words).map(|tool| (tool, found))
            });
            each.collect::<Option<_>>()?
        } else {
            let halves = halves(found)?;
            let each = halves
                .into_iter()
                .map(|words| self.sure_tool(&words).map(|tool| (tool, found.clone())));
            let asked: Vec<(&'static str, Found)> = each.collect::<Option<_>>()?;
            // Two halves of one wish are one question.
            if asked
                .windows(2)
                .any(|pair| matches!(pair, [(a, _), (b, _)] if a == b || slots::family_of(a).contains(b)))
            {
                return None;
            }
            asked
        };
        if parts.len() > 1 {
            self.entities = asked
                .iter()
                .map(|(_, found)| found.entities.clone())
                .reduce(together)
                .unwrap_or_default();
        }
        let more = asked.len() > most;
        let answers: Vec<Answer> = asked
            .into_iter()
            .take(most)
            .map(|(tool, found)| self.act(tool, &found))
            .collect();
        let mut answer = joined(answers);
        if more {
            answer
                .notes
                .push(phrases().say("engine.too_many_questions", &[("n", &most)]));
        }
        Some(answer)
    }

    fn sure_tool(&self, words: &[String]) -> Option<&'static str> {
        let meaningful = words
            .iter()
            .any(|word| !is_common(word) && !mask::ENTITIES.contains(&word.as_str()));
        match self.judged(words) {
            (Verdict::Allow, candidates) if meaningful => match candidates.first()?.wish {
                Wish::Tool(tool) => Some(tool),
                Wish::Later { .. } | Wish::Off => None,
            },
            _ => None,
        }
    }
}

/// `acceso y alarmas de xsite`: the two halves, each with the entities of both.
fn halves(found: &Found) -> Option<Vec<Vec<String>>> {
    let at = found
        .words
        .iter()
        .position(|word| matches!(word.as_str(), "y" | "e" | "and"))
        .filter(|at| *at > 0)?;
    let (left, right) = found.words.split_at_checked(at)?;
    let right = right.get(1..)?;
    let entities = |words: &[String]| -> Vec<String> {
        words
            .iter()
            .filter(|w| mask::ENTITIES.contains(&w.as_str()))
            .cloned()
            .collect()
    };
    let with = |words: &[String], other: &[String]| -> Vec<String> {
        let missing = if entities(words).is_empty() {
            entities(other)
        } else {
            Vec::new()
        };
        words.iter().cloned().chain(missing).collect()
    };
    (!right.is_empty()).then(|| vec![with(left, right), with(right, left)])
}

/// The lists of both, for the trace.
fn together(mut all: Entities, next: Entities) -> Entities {
    all.sites.extend(next.sites);
    all.task_ids.extend(next.task_ids);
    all.statuses.extend(next.statuses);
    all.zones.extend(next.zones);
    all.managers.extend(next.managers);
    all.date_range = all.date_range.or(next.date_range);
    all.criticality = all.criticality.or(next.criticality);
    all.work_type = all.work_type.or(next.work_type);
    all
}

/// Puts a record into a question, at one of its words or at its end.
fn inject(found: &mut Found, id: &str, at: Option<usize>) {
    let entities = &mut found.entities;
    let masked = if let Ok(task) = TaskId::parse(id) {
        entities.task_ids.push(task);
        mask::TASK
    } else if let Ok(site) = SiteId::parse(id) {
        entities.sites.push(site);
        mask::SITE
    } else if let Ok(alarm) = AlarmId::parse(id) {
        entities.more.alarms.push(alarm);
        mask::ALARM
    } else {
        entities.more.unknown.push(id.to_owned());
        mask::RECORD
    };
    for words in [&mut found.words, &mut found.figures] {
        match at.and_then(|at| words.get_mut(at)) {
            Some(word) => masked.clone_into(word),
            None => words.push(masked.to_owned()),
        }
    }
}

/// The acknowledgement of what arrived stands before the answer.
fn led(arrived: Option<String>, mut answer: Answer) -> Answer {
    if let Some(arrived) = arrived {
        let line = crate::domain::answer::Line {
            text: arrived,
            title: false,
        };
        answer.lead.insert(0, line);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::fold;

    #[test]
    fn two_halves_share_the_record_that_one_of_them_names() {
        let words: Vec<String> = fold("acceso y alarmas de xsite")
            .split(' ')
            .map(str::to_owned)
            .collect();
        let found = Found {
            words,
            ..Found::default()
        };
        let halves = halves(&found).unwrap();
        assert_eq!(halves[0].join(" "), "acceso xsite");
        assert_eq!(halves[1].join(" "), "alarmas de xsite");
    }
}
