//! Which tools a question's entities allow, and which member of a family they choose.
//!
//! A tool's schema says what it takes (`x-entity`) and what it must have. A question that names
//! a site is no question for a tool that takes none; one that names none is hardly one for a
//! tool that needs one. Where several tools answer the same wish (*tareas de …*), the
//! entities choose among them.

use std::collections::HashSet;

use super::examples::Class;
use super::features::mask;
use super::ranker::Ranking;
use crate::tools::Spec;

/// Tools that answer one wish for different entities, the most general last.
const FAMILIES: &[&[&str]] = &[
    &[
        "get_tasks_by_site",
        "get_tasks_by_manager",
        "get_tasks_by_zone",
        "search_tasks",
    ],
    &["get_site_alarms", "get_active_alarms"],
];

/// What a tool takes and needs, by `x-entity`.
#[derive(Debug, Clone)]
pub struct Needs {
    /// The tool.
    pub tool: &'static str,
    /// The entities it takes.
    pub takes: HashSet<String>,
    /// Those of them that must be given.
    pub must: HashSet<String>,
}

impl Needs {
    /// Reads a tool's schema.
    pub fn of(spec: &Spec) -> Self {
        let mut needs = Self {
            tool: spec.name(),
            takes: HashSet::new(),
            must: HashSet::new(),
        };
        for (_, schema, required) in spec.params() {
            let Some(entity) = schema.get("x-entity").and_then(serde_json::Value::as_str) else {
                continue;
            };
            needs.takes.insert(entity.to_owned());
            if required {
                needs.must.insert(entity.to_owned());
            }
        }
        needs
    }

    fn takes(&self, entity: &str) -> bool {
        // A tool that takes any record takes each of them.
        self.takes.contains(entity) || (self.takes.contains("record") && !matches!(entity, "zone" | "place"))
    }

    /// How well a question with these masks suits the tool: 1 when nothing stands against it.
    fn fit(&self, masks: &Masks) -> f32 {
        let mut fit = 1.0;
        for (present, entity, penalty) in [
            (masks.site, "site", 0.35),
            (masks.task, "task", 0.25),
            (masks.person, "manager", 0.5),
            (masks.zone, "zone", 0.7),
            (masks.place, "place", 0.75),
            (masks.crew, "crew", 0.6),
        ] {
            // A place may also stand for the site in it.
            let taken = self.takes(entity)
                || (entity == "place" && self.takes("site"))
                || (entity == "site" && self.takes("location"));
            if present && !taken {
                fit *= penalty;
            }
        }
        for (present, entity, penalty) in [
            (masks.site || masks.place, "site", 0.8),
            (masks.task, "task", 0.7),
            (masks.person, "manager", 0.4),
            (masks.zone, "zone", 0.3),
            (
                masks.person || masks.site || masks.task || masks.crew || masks.alarm || masks.record,
                "record",
                0.5,
            ),
        ] {
            if !present && self.must.contains(entity) {
                fit *= penalty;
            }
        }
        fit
    }
}

/// Which kinds of entities a question names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the entity it is named after")]
pub struct Masks {
    pub site: bool,
    pub task: bool,
    pub zone: bool,
    pub place: bool,
    pub person: bool,
    pub crew: bool,
    pub alarm: bool,
    pub record: bool,
}

impl Masks {
    /// Reads the masked words.
    pub fn of(words: &[String]) -> Self {
        let has = |mask: &str| words.iter().any(|word| word == mask);
        Self {
            site: has(mask::SITE),
            task: has(mask::TASK),
            zone: has(mask::ZONE),
            place: has(mask::PLACE),
            person: has(mask::PERSON),
            crew: has(mask::CREW),
            alarm: has(mask::ALARM),
            record: has(mask::RECORD),
        }
    }

    /// Does it name one of our records?
    pub fn names_record(self) -> bool {
        self.site || self.task || self.person || self.crew || self.alarm || self.record
    }
}

/// A wish with how well it fits, families joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<'a> {
    /// What is wished for; of a family, its member that the entities choose.
    pub wish: Wish<'a>,
    /// 0 to 2.
    pub score: f32,
}

/// What a question wishes for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish<'a> {
    /// An answer of this tool.
    Tool(&'static str),
    /// Something that no tool of this build does.
    Later {
        /// The group's name.
        name: &'a str,
        /// The tools offered instead.
        near: &'a [String],
    },
    /// No talk of the trade.
    Off,
}

/// The wishes of a question, best first.
pub fn candidates<'a>(ranking: &Ranking<'a>, needs: &[Needs], masks: &Masks) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    for ranked in &ranking.classes {
        let (wish, score) = match ranked.class {
            Class::Tool(name) => {
                let Some(tool) = needs.iter().find(|n| n.tool == name.as_str()) else {
                    continue;
                };
                let family = FAMILIES.iter().find(|family| family.contains(&tool.tool));
                let member = family
                    .and_then(|family| member(family, needs, masks))
                    .unwrap_or(tool.tool);
                // A member's own lacks don't count: the family has one that fits.
                let judged = needs.iter().find(|n| n.tool == member).unwrap_or(tool);
                (Wish::Tool(member), ranked.score * judged.fit(masks))
            }
            Class::Later { name, near } => (Wish::Later { name, near }, ranked.score),
            Class::Off => (Wish::Off, ranked.score),
        };
        match found.iter_mut().find(|candidate| candidate.wish == wish) {
            // Members of a family support each other: their chances are of one wish.
            Some(same) => same.score = same.score.max(score) + 0.5 * same.score.min(score),
            None => found.push(Candidate { wish, score }),
        }
    }
    for candidate in &mut found {
        candidate.score = candidate.score.min(2.0);
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// The first member of a family that takes all the kinds of entities named and misses none.
fn member(family: &[&'static str], needs: &[Needs], masks: &Masks) -> Option<&'static str> {
    let known = family.iter().filter_map(|name| needs.iter().find(|n| n.tool == *name));
    known
        .clone()
        .find(|n| n.fit(masks) >= 1.0)
        .or_else(|| known.max_by(|a, b| a.fit(masks).total_cmp(&b.fit(masks))))
        .map(|n| n.tool)
}

/// The family of a tool, the most general member first; empty when it has none.
pub fn family_of(tool: &str) -> Vec<&'static str> {
    let family = FAMILIES.iter().find(|family| family.contains(&tool));
    family
        .map(|family| family.iter().rev().copied().collect())
        .unwrap_or_default()
}

/// Of a tool's family, the first member whose parameters hold all these; the tool itself when
/// it has no family. None when none takes them.
pub fn member_for(tool: &str, params: &[&str]) -> Option<&'static str> {
    let family = FAMILIES.iter().find(|family| family.contains(&tool));
    let members = family.map_or(vec![tool], |family| family.to_vec());
    members.into_iter().filter_map(crate::tools::find).find_map(|spec| {
        let takes = params
            .iter()
            .all(|wanted| spec.params().any(|(name, _, _)| name == *wanted));
        let complete = spec
            .params()
            .all(|(name, _, required)| !required || params.contains(&name));
        (takes && complete).then(|| spec.name())
    })
}
