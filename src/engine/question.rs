//! A question: what it leans on, what it wishes for, and what is done about it.
//!
//! The order: a position in the list shown, a summary by recipe, a turn of the last question,
//! an entity alone, several questions at once, and then the ranker.

use crate::domain::answer::Answer;
use crate::domain::entities::Entities;
use crate::domain::ids::{AlarmId, SiteId, TaskId};
use crate::format::phrases;
use crate::guardrails::Verdict;
use crate::guardrails::scope::{self, Evidence};
use crate::planner::features::mask;
use crate::planner::lexicon::is_common;
use crate::planner::recipes::Recipe;
use crate::planner::slots::{self, Candidate, Masks, Wish};
use crate::tools;

use super::ask::CHOICES_MAX;
use super::each::joined;
use super::extract::Found;
use super::flow::{Flow, Shown};
use super::memory::{Call, Choice, Does};
use super::parts::{Part, joined_parts, names_only};
use super::plain::without_courtesy;
use super::turn::ScopeMark;
use super::{follow, mapper, rules, words};

/// A wish that no tool of this build answers counts from here on.
const LATER: f32 = 0.6;

impl<'a> Flow<'a> {
    pub fn question(&mut self, mut found: Found) -> Answer {
        without_courtesy(&mut found);
        let words_only = |found: &Found| found.words.iter().all(|word| is_common(word));
        if found.located.without_coordinates && words_only(&found) {
            return Answer::text(phrases().say("engine.pin.short_link", &[]));
        }
        if let Some(point) = found.entities.more.location.filter(|_| words_only(&found)) {
            return self.around(point);
        }
        if let Some(answer) = self.by_rule(&found) {
            return answer;
        }
        if let Some((nth, at)) = follow::position_in(&found) {
            match self.shown(nth) {
                Shown::Record(id) => inject(&mut found, &id, Some(at)),
                Shown::Short(length) => return Self::too_short(length),
                Shown::NoList => {}
            }
        }
        if let Some(answer) = self.number_alone(&found) {
            return answer;
        }
        // *no, del 12*: a figure among words that say nothing; it is asked what it is.
        if let [figure] = found
            .figures
            .iter()
            .filter(|word| !is_common(word))
            .collect::<Vec<_>>()
            .as_slice()
            && let Some(nth) = rules::position(figure)
        {
            return self.nth(nth);
        }
        if let Some(recipe) = Recipe::of(&found.words, &found.entities) {
            let asked = Self::asked_of_recipe(&found);
            let before = self.exec.calls.len();
            let answer = self.cook(recipe, &asked);
            return self.with_unkept(answer, before, &found);
        }
        if let Some(answer) = self.how_many(&found) {
            return answer;
        }
        if !self.replying && follow::turns_the_last(&found) {
            let drop_zone = follow::drops_zone(&found);
            if let Some(answer) = self.turned(&found, drop_zone) {
                return answer;
            }
        }
        // *y?*, *de la*: nothing is asked; neither is it other talk.
        if words_only(&found) && !self.replying {
            return self.help("help");
        }
        let task = self.memory.subject.as_deref().and_then(|id| TaskId::parse(id).ok());
        if let Some(task) = task.filter(|_| follow::asks_whose(&found)) {
            inject(&mut found, task.as_str(), None);
            return self.act("get_task_status", &found);
        }
        if let Some(answer) = self.bare(&found).or_else(|| self.noun_alone(&found)) {
            return answer;
        }
        if let Some(answer) = self.several(&found) {
            return answer;
        }
        self.ranked(found)
    }

    /// An entity and nothing else, or several of one kind.
    fn bare(&mut self, found: &Found) -> Option<Answer> {
        let only = found
            .words
            .iter()
            .find(|word| mask::ENTITIES.contains(&word.as_str()))?;
        let nouns: &[&str] = match only.as_str() {
            mask::SITE => &["sitio", "sitios", "site", "sites", "torre"],
            mask::TASK => &["tarea", "tareas", "task", "tasks", "ticket", "tickets"],
            mask::CREW => &["cuadrilla"],
            mask::ALARM => &["alarma", "alarm"],
            _ => &[],
        };
        let idle = |word: &str| {
            follow::GOES_ON.contains(&word)
                || matches!(word, "algo" | "nada" | "pasa" | "paso")
                || (only == mask::ZONE && matches!(word, "estado" | "situacion" | "status"))
        };
        let alone =
            |word: &String| word == only || is_common(word) || nouns.contains(&word.as_str()) || idle(word.as_str());
        if !found.words.iter().all(alone) {
            return None;
        }
        if let Some(tool) = signed(only, &found.rest) {
            return Some(self.act(tool, found));
        }
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
            mask::ZONE
                if found
                    .words
                    .iter()
                    .any(|word| matches!(word.as_str(), "estado" | "situacion" | "status")) =>
            {
                return Some(self.act("get_network_health", found));
            }
            // *qué hay en el sur*: work, more than anything.
            mask::ZONE if found.words.iter().any(|word| word == "hay") => {
                return Some(self.act("get_tasks_by_zone", found));
            }
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
    pub fn judged(&self, words: &[String], masks: Masks) -> (Verdict, Vec<Candidate<'a>>) {
        let ranking = self.engine.ranker.rank(words);
        let candidates = slots::candidates(&ranking, &self.engine.needs, &masks);
        let best = candidates.first();
        let second = candidates.get(1).map_or(0.0, |c| c.score);
        let verdict = scope::judge(Evidence {
            best: best.map_or(0.0, |c| c.score),
            margin: best.map_or(0.0, |c| c.score - second),
            known: ranking.known,
            names_record: masks.names_record(),
            off: best.is_none_or(|c| c.wish == Wish::Off),
        });
        (verdict, candidates)
    }

    fn ranked(&mut self, mut found: Found) -> Answer {
        if let Some(meant) = self.with_subject(&found) {
            found = meant;
        }
        let names_record = Masks::of(&found.words).names_record();
        let (verdict, candidates) = self.judged(&found.words, mapper::masks(&found));
        if let Some(Candidate {
            wish: Wish::Later { name, near },
            score,
        }) = candidates.first()
            && (*score >= LATER || names_record)
        {
            let lead = phrases().say(&format!("engine.later.{name}"), &[]);
            let near = self.fitting(near, &found);
            return self.offer_with(lead, &near, &found);
        }
        let tools: Vec<&str> = candidates
            .iter()
            .filter_map(|c| match c.wish {
                Wish::Tool(tool) => Some(tool),
                Wish::Later { .. } | Wish::Off => None,
            })
            .take(CHOICES_MAX)
            .collect();
        let leans = self.memory.last.is_some() && follow::goes_on(&found);
        let off = matches!(verdict, Verdict::Refuse(_)) && !leans;
        if let Some(strange) = self.strange(&found).filter(|_| !off) {
            return self.not_known(&strange, &tools, &found);
        }
        let plain = self.list_by_conditions(&found);
        // *acceso a colchane*: a place may stand for the site in it.
        let placed = (verdict != Verdict::Allow).then(|| self.as_a_site(&found)).flatten();
        if let Some(tool) = placed {
            return self.act(tool, &found);
        }
        match (verdict, candidates.first()) {
            (
                Verdict::Allow,
                Some(Candidate {
                    wish: Wish::Tool(tool), ..
                }),
            ) => self.act(tool, &found),
            (Verdict::Allow | Verdict::Ask, _) => match plain {
                Some(tool) => self.act(tool, &found),
                None => match self.unread_word(&found) {
                    Some(unread) => self.not_known(&unread, &tools, &found),
                    None => self.offer_tools(&tools, &found),
                },
            },
            (Verdict::Refuse(_), _) => match plain {
                Some(tool) => self.act(tool, &found),
                None => self.unplaced(),
            },
        }
    }

    /// The question with the record talked about before, when its words mean that one; of a task,
    /// the site where it is, if that is what the words are about.
    fn with_subject(&self, found: &Found) -> Option<Found> {
        let names_record = Masks::of(&found.words).names_record();
        let meant = self.replying || follow::means_the_subject(found);
        let subject = self.memory.subject.as_deref().filter(|_| !names_record && meant)?;
        let site = self.site_of_task(subject).map(|id| id.to_string());
        let variants: Vec<Found> = std::iter::once(subject.to_owned())
            .chain(site)
            .map(|id| {
                let mut with = found.clone();
                inject(&mut with, &id, None);
                with
            })
            .collect();
        let sure = variants
            .iter()
            .find(|with| self.sure_tool(&with.words, mapper::masks(with)).is_some());
        // In a reply to a message of ours its subject is meant whatever is said.
        sure.cloned()
            .or_else(|| variants.into_iter().next().filter(|_| self.replying))
    }

    /// Of the tools offered instead, those that the question's record fits; a site's own card first.
    fn fitting(&self, near: &[String], found: &Found) -> Vec<&'static str> {
        let masks = mapper::masks(found);
        let site = (masks.site && !masks.task).then_some("quick_site_status");
        let near = near.iter().map(String::as_str).filter(|name| {
            tools::find(name)
                .is_some_and(|spec| mapper::map(spec, found).missing.iter().all(|m| m.entity == "location"))
        });
        let mut names: Vec<&'static str> = Vec::new();
        for name in site
            .into_iter()
            .chain(near)
            .chain(["get_my_tasks", "get_daily_briefing"])
        {
            if let Some(spec) = tools::find(name).filter(|spec| !names.contains(&spec.name())) {
                names.push(spec.name());
            }
        }
        names.truncate(CHOICES_MAX);
        names
    }

    fn offer_tools(&mut self, tools: &[&str], found: &Found) -> Answer {
        self.offer_with(phrases().say("engine.which", &[]), tools, found)
    }

    /// Tools as choices, filled as far as the question goes.
    fn offer_with(&mut self, lead: String, names: &[&str], found: &Found) -> Answer {
        let choices = self.choices_of(names, found);
        self.offer(lead, choices)
    }

    /// Tools as choices, filled as far as the question goes.
    pub fn choices_of(&self, names: &[&str], found: &Found) -> Vec<Choice> {
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
        choices.take(CHOICES_MAX).collect()
    }

    /// What cannot be placed is said, with three things that can be done.
    pub fn unplaced(&mut self) -> Answer {
        self.scope = ScopeMark::Out;
        let choices = words::three_things(self.exec.cx.caller);
        self.offer(phrases().say("engine.unplaced", &[]), choices)
    }

    /// Several questions in one message, each of which stands by itself.
    fn several(&mut self, found: &Found) -> Option<Answer> {
        let most = self.engine.config.limits.questions_max;
        let parts: Vec<&str> = found
            .rest
            .split(['\n', '?', ';'])
            .map(str::trim)
            .filter(|part| part.chars().any(char::is_alphanumeric))
            .collect();
        let asked: Vec<(&'static str, Found)> = if parts.len() > 1 {
            let each = parts.iter().map(|part| {
                let found = self.extract(part);
                self.sure_tool(&found.words, mapper::masks(&found))
                    .map(|tool| (tool, found))
            });
            each.collect::<Option<_>>()?
        } else {
            let parts = joined_parts(found)?;
            // *estoy en el sitio 2 y no me abren*: where one is, and the question.
            let (named, alone): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| part.named);
            if !alone.is_empty() && named.iter().any(|part| names_only(&part.found)) {
                return None;
            }
            // Halves that are less sure than the whole are no questions of their own.
            let best = |found: &Found| match self.judged(&found.words, mapper::masks(found)) {
                (Verdict::Allow, candidates) => candidates.first().map(|candidate| candidate.score),
                _ => None,
            };
            if let Some(whole) = best(found)
                && parts
                    .iter()
                    .filter(|part| !names_only(&part.found) && self.list_by_conditions(&part.found).is_none())
                    .any(|part| best(&part.found).is_none_or(|score| score < whole))
            {
                return None;
            }
            let asked: Vec<(&'static str, Found)> = parts
                .into_iter()
                .map(|part| part.found)
                .map(|part| self.part_tool(&part).map(|tool| (tool, part)))
                .collect::<Option<_>>()?;
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
        let mut answer = joined(answers, &self.exec.cx);
        if more {
            answer
                .notes
                .push(phrases().say("engine.too_many_questions", &[("n", &most)]));
        }
        Some(answer)
    }

    /// What a part of a question asks for; an id with its noun is its state.
    fn part_tool(&self, part: &Found) -> Option<&'static str> {
        let masks = mapper::masks(part);
        if names_only(part) && masks.site != masks.task {
            let tool = if masks.site {
                "quick_site_status"
            } else {
                "get_task_status"
            };
            return tools::find(tool).map(|spec| spec.name());
        }
        self.sure_tool(&part.words, masks)
            .or_else(|| self.list_by_conditions(part))
    }

    pub fn sure_tool(&self, words: &[String], masks: Masks) -> Option<&'static str> {
        let meaningful = words
            .iter()
            .any(|word| !is_common(word) && !mask::ENTITIES.contains(&word.as_str()));
        match self.judged(words, masks) {
            (Verdict::Allow, candidates) if meaningful => match candidates.first()?.wish {
                Wish::Tool(tool) => Some(tool),
                Wish::Later { .. } | Wish::Off => None,
            },
            _ => None,
        }
    }
}

/// `🚨 SITE-025`: what a sign beside a site or a zone asks for.
fn signed(only: &str, text: &str) -> Option<&'static str> {
    const SIGNS: [(&str, &str, &str); 10] = [
        ("🚨", "get_site_alarms", "get_active_alarms"),
        ("🔔", "get_site_alarms", "get_active_alarms"),
        ("⚠", "get_site_alarms", "get_active_alarms"),
        ("🔑", "get_site_access", ""),
        ("🗝", "get_site_access", ""),
        ("📍", "get_site_info", "search_sites"),
        ("📞", "get_site_contacts", ""),
        ("☎", "get_site_contacts", ""),
        ("📋", "get_tasks_by_site", "get_tasks_by_zone"),
        ("📊", "analyze_site", "get_kpi_summary"),
    ];
    let (_, site, zone) = SIGNS.iter().find(|(sign, _, _)| text.contains(sign))?;
    let tool = match only {
        mask::SITE => *site,
        mask::ZONE => *zone,
        _ => return None,
    };
    (!tool.is_empty()).then_some(tool)
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
