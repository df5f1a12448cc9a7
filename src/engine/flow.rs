//! The turn itself: what is tried, in which order.

use std::sync::LazyLock;
use std::time::Instant;

use jiff::Timestamp;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::domain::answer::Answer;
use crate::domain::entities::Entities;
use crate::domain::geo::Point;
use crate::domain::ids::{SiteId, TaskId};
use crate::format::phrases;
use crate::format::whatsapp::Page;
use crate::guardrails::sanitize;
use crate::guardrails::write::{Confirmed, Pending};
use crate::planner::features::mask;
use crate::planner::recipes::Recipe;
use crate::tools::Cx;

use super::executor::Executor;
use super::extract::{Found, Gazetteer, extract, pattern};
use super::memory::{Beyond, Call, Choice, Does, Last, Memory, Position};
use super::pending::{self, Noted};
use super::rules::{Nth, Simple, simple};
use super::turn::{Provider, ScopeMark, SharedLocation, Trace, Turn};
use super::{Engine, words};

/// What a turn comes to.
pub enum Told {
    /// An answer.
    Fresh(Answer),
    /// The next page of the last one.
    Page(Page),
    /// A person said yes to this write: it is to be carried out.
    Confirmed(Box<Confirmed>),
    /// A person said yes, but too late, unless it was carried out before.
    Late(Box<Pending>),
}

/// What stands at a place of a list shown.
pub enum Shown {
    /// The record of this id.
    Record(String),
    /// The list ends before it; its length.
    Short(usize),
    /// No list was shown.
    NoList,
}

/// One turn under way.
pub struct Flow<'a> {
    pub(super) engine: &'a Engine,
    names: &'a Gazetteer,
    pub(super) exec: Executor<'a>,
    pub(super) turn: &'a Turn,
    /// The machine's time, by which a preview expires.
    pub(super) at: Timestamp,
    /// What became of writes in this turn.
    pub(super) noted: Vec<Noted>,
    /// This answer is a preview or says what waits.
    pub(super) reminded: bool,
    pub(super) memory: Memory,
    pub(super) entities: Entities,
    pub(super) scope: ScopeMark,
    /// The message answers an earlier one of ours.
    pub(super) replying: bool,
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
            at: Timestamp::now(),
            noted: Vec::new(),
            reminded: false,
            memory,
            entities: Entities::default(),
            scope: ScopeMark::In,
            replying: false,
            here: turn.location,
        }
    }

    /// What is left when the turn is over.
    pub fn finish(mut self, started: Instant) -> (Trace, Memory, Vec<Noted>) {
        if self.exec.cx.caller.is_guest() {
            // Who a name belongs to is people's data.
            self.entities.managers.clear();
        }
        let trace = Trace {
            provider: Provider::Offline,
            scope: self.scope,
            entities: self.entities,
            degraded: self.exec.degraded(),
            iterations: self.exec.iteration,
            tool_calls: self.exec.calls,
            corrections: 0,
            pending: self.memory.pending.as_ref().map(pending::printed),
            ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        (trace, self.memory, self.noted)
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
            self.memory.pending_shown = false;
            return self.more();
        }
        if self.here.is_none()
            && self.turn.media.is_empty()
            && let Some(told) = self.answers_pending(&clean.text)
        {
            return told;
        }
        let mut answer = self.respond(&clean.text);
        self.remind(&mut answer);
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
        static ID: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"\b(?:SITE-[0-9]{3,}|CU-[A-Z]{2}-[0-9]{2,}|AS-[0-9]{5}|[A-Z]{2}-[0-9]{4}|T-[0-9]{5,}|A-[0-9]{5,}|E-[0-9]{3,}|M-[0-9]{3,})\b",
            )
        });
        static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W{0,3}[0-9]{1,3}[.)]\s"));
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
        if let Some(answer) = self.told(text) {
            return answer;
        }
        if let Some(simple) = simple(text) {
            return self.simple(simple);
        }
        if let Some(answer) = self.message_part(text).or_else(|| self.message_asked(text)) {
            self.memory.menu.clear();
            return answer;
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
        if let Some(answer) = self.ordered(&found) {
            return answer;
        }
        self.question(found)
    }

    pub fn extract(&self, text: &str) -> Found {
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
            for words in [&mut found.words, &mut found.figures] {
                let at = words
                    .windows(2)
                    .position(|pair| matches!(pair, [mi, zona] if mi == "mi" && zona == "zona"));
                if let Some(at) = at {
                    words.splice(at..at + 2, [mask::ZONE.to_owned()]);
                }
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
            Simple::Again => self.again(),
            Simple::Yes | Simple::No => self.help("nothing_pending"),
            Simple::Greeting => self.help("greeting"),
            Simple::Thanks | Simple::Signs => self.help("thanks"),
            Simple::Help => self.help("help"),
            // *más* inside a choice: there is nothing more of it.
            Simple::More => Answer::text(phrases().say("engine.no_more", &[])),
        }
    }

    /// The last question once more, with the data of now.
    fn again(&mut self) -> Answer {
        match self.memory.last.take() {
            Some(Last { call, recipe }) => match recipe.as_deref().and_then(Recipe::named) {
                Some(recipe) => self.cook(recipe, &call.args),
                None => self.run_or_ask(call),
            },
            None => self.help("help"),
        }
    }

    pub fn help(&mut self, opening: &str) -> Answer {
        let (answer, choices) = words::help(self.exec.cx.caller, opening, &self.engine.config.operator);
        self.memory.menu = choices;
        self.memory.asking = None;
        answer
    }

    /// A number alone: what was asked for, a place in the last list; never silently a site.
    pub fn nth(&mut self, nth: Nth) -> Answer {
        if let Nth::Number(number) = nth
            && let Some(answer) = self.number_for(number)
        {
            return answer;
        }
        match (self.shown(nth), nth) {
            (Shown::Record(id), _) => self.card(&id),
            (Shown::Short(length), _) => Self::too_short(length),
            (Shown::NoList, Nth::Last) => self.unplaced(),
            (Shown::NoList, Nth::Number(number)) => {
                let lead = phrases().say("engine.bare_number", &[("n", &number)]);
                let choices = self.sites_by_number(number);
                self.offer(lead, choices)
            }
        }
    }

    /// What a bare number might mean: the last question about that site, or its state.
    fn sites_by_number(&self, number: usize) -> Vec<Choice> {
        let site = SiteId::parse(&format!("SITE-{number}")).ok();
        let Some(id) = site.filter(|id| self.exec.cx.world.site(id).is_some()) else {
            return Vec::new();
        };
        let last = self.memory.last.as_ref().map(|last| last.call.clone());
        let again = last.filter(|call| call.args.contains_key("site_id") && call.tool != "quick_site_status");
        let state = Call {
            tool: "quick_site_status".to_owned(),
            args: Map::new(),
        };
        let calls = again.into_iter().chain([state]).map(|mut call| {
            call.args.insert("site_id".to_owned(), json!(id));
            Choice {
                label: self.label(&call.tool, &call.args),
                does: Does::Call(call),
            }
        });
        calls.collect()
    }

    /// What stands at a place of the last list, else of the one before it.
    pub fn shown(&self, nth: Nth) -> Shown {
        let at = |list: &[Option<String>]| {
            let place = match nth {
                Nth::Number(number) => number,
                Nth::Last => list.len(),
            };
            place.checked_sub(1).and_then(|at| list.get(at)).cloned().flatten()
        };
        let (shown, earlier) = (&self.memory.shown, &self.memory.earlier);
        // After a card with one thing in it *la última* is still of the list before.
        let last_of_earlier = matches!(nth, Nth::Last) && shown.len() <= 1 && !earlier.is_empty();
        let found = if last_of_earlier {
            at(earlier)
        } else {
            at(shown).or_else(|| at(earlier))
        };
        match found {
            Some(id) => Shown::Record(id),
            // One thing shown is no list to be short of.
            None => match shown.len().max(earlier.len()) {
                0 | 1 => Shown::NoList,
                length => Shown::Short(length),
            },
        }
    }

    /// The list is shorter than the place asked for.
    pub fn too_short(length: usize) -> Answer {
        Answer::text(phrases().say("engine.list_out_of_range", &[("n", &length)]))
    }

    /// The short answer about a record named alone.
    pub fn card(&mut self, id: &str) -> Answer {
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
            Some(beyond) => self.go_on(beyond),
            None => Answer::text(phrases().say("engine.no_more", &[])),
        })
    }

    /// The next rows of a list: numbered on from those before, which can still be pointed at.
    fn go_on(&mut self, beyond: Beyond) -> Answer {
        let offset = beyond.call.args.get("offset").and_then(Value::as_u64);
        let before = std::mem::take(&mut self.memory.shown);
        let mut answer = self.run_and_remember(beyond.call);
        if !answer.items.is_empty() {
            answer.before = offset.and_then(|n| usize::try_from(n).ok()).unwrap_or(before.len());
            // What was counted has been said on the first page.
            answer.lead.clear();
            let more = std::mem::take(&mut self.memory.shown);
            let shown = before.into_iter().chain(more);
            self.memory.shown = shown.take(self.engine.config.limits.shown_max).collect();
        }
        answer
    }

    /// The sites around a point, or what the point was asked for.
    pub fn around(&mut self, point: Point) -> Answer {
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
