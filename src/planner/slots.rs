//! Which tools a question's entities allow, and which member of a family they choose.
//!
//! A tool's schema says what it takes (`x-entity`) and what it must have. A question that names
//! a site is no question for a tool that takes none; one that names none is hardly one for a
//! tool that needs one. Where several tools answer the same wish (*tareas de …*), the
//! entities choose among them.

use std::collections::HashSet;

use super::examples::Class;
use super::features::mask;
use super::lexicon::lexicon;
use super::ranker::Ranking;
use crate::domain::sets::System;
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

/// Wishes that the family of task lists grants too, with more conditions.
const WIDER: &[(&str, &[&str])] = &[
    ("get_stalled_tasks", TASK_LISTS),
    ("count_tasks", TASK_LISTS),
    ("get_tasks_by_site", TASK_LISTS),
    ("get_tasks_by_manager", TASK_LISTS),
    ("get_tasks_by_zone", TASK_LISTS),
    ("search_tasks", TASK_LISTS),
    ("get_sla_breaches", TASK_LISTS),
];

/// The lists of tasks, the last four for one condition each that the others cannot be kept to.
const TASK_LISTS: &[&str] = &[
    "get_tasks_by_site",
    "get_tasks_by_manager",
    "get_tasks_by_zone",
    "search_tasks",
    "get_sla_breaches",
    "get_aging_tasks",
    "get_unassigned_tasks",
    "get_escalations",
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
    /// It looks at alarms.
    network: bool,
}

impl Needs {
    /// Reads a tool's schema.
    pub fn of(spec: &Spec) -> Self {
        let mut needs = Self {
            tool: spec.name(),
            takes: HashSet::new(),
            must: HashSet::new(),
            network: spec.tool.systems().contains(&System::Network),
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
        self.takes.contains(entity)
            || (self.takes.contains("record") && matches!(entity, "site" | "task" | "manager" | "crew"))
    }

    fn takes_one_of(&self, entities: &[&str]) -> bool {
        entities.iter().any(|entity| self.takes(entity))
    }

    /// What the question names and the tool cannot take, by the key of its phrase.
    pub fn lacks(&self, masks: &Masks) -> Vec<&'static str> {
        // What is asked about one site or task is seen in its answer.
        let one = masks.task || (masks.site && !self.takes("status"));
        let figures = matches!(
            self.tool,
            "get_kpi_summary" | "get_kpi_realtime" | "get_kpi_by_manager" | "get_daily_briefing" | "get_task_stats"
        );
        let named = [
            ("site", masks.site, self.takes_one_of(&["site", "location"])),
            ("task", masks.task, self.takes("task")),
            ("person", masks.person, self.takes_one_of(&["manager", "person"])),
            // A site or task named says its zone and its place too.
            ("zone", masks.zone && !masks.site && !masks.task, self.takes("zone")),
            (
                "place",
                masks.place && !masks.site && !masks.task,
                self.takes_one_of(&["place", "site"]),
            ),
            ("crew", masks.crew, self.takes("crew")),
            ("date", masks.date, self.takes_one_of(&["date_from", "period"])),
            (
                "criticality",
                masks.critical,
                self.takes_one_of(&["criticality", "severity"]) || masks.site || masks.task,
            ),
            ("work_type", masks.work_type, self.takes("work_type")),
            (
                "topic",
                masks.topic,
                self.takes_one_of(&["category", "text", "metric", "equipment", "incident"]) || masks.site || masks.task,
            ),
            // What is past its due time comes in that order by itself.
            (
                "sort",
                masks.sort,
                self.takes("sort") || self.tool == "get_sla_breaches",
            ),
            // These count or hold what has no manager; another list cannot be kept to it.
            (
                "unassigned",
                masks.unassigned,
                matches!(
                    self.tool,
                    "get_panel_summary" | "get_daily_briefing" | "get_unassigned_tasks" | "get_kpi_by_manager"
                ),
            ),
            (
                "overdue",
                masks.overdue && !one,
                self.tool == "get_sla_breaches" || figures,
            ),
            ("due_day", masks.due_day && !one, false),
            ("lasting", masks.lasting && !one, self.takes("hours")),
            (
                "escalated",
                masks.escalated && !one,
                matches!(self.tool, "get_panel_summary" | "get_escalations" | "search_panel"),
            ),
            ("level", masks.level && !one, self.takes("level")),
            ("crewless", masks.crewless, false),
            ("crew", masks.some_crew, !self.lists_tasks()),
            (
                "access",
                masks.access,
                self.tool != "search_sites" && !self.lists_tasks(),
            ),
            ("status", masks.over, self.tool != "get_active_alarms"),
            ("left_out", masks.left_out, false),
            ("mine", masks.mine && !one && !masks.person && !masks.crew, self.own()),
            (
                "status",
                masks.status,
                !matches!(
                    self.tool,
                    "get_sla_breaches" | "get_aging_tasks" | "get_unassigned_tasks" | "get_escalations"
                ),
            ),
            (
                "field",
                masks.field,
                self.takes_one_of(&["category", "metric", "equipment", "incident"]) || masks.site || masks.task,
            ),
        ];
        let missing = named.into_iter().filter(|(_, present, taken)| *present && !taken);
        missing.map(|(kind, _, _)| kind).collect()
    }

    /// Does it give figures, not lists?
    fn figures(&self) -> bool {
        [
            "kpi",
            "mttr",
            "compliance",
            "stats",
            "backlog",
            "compare",
            "panel",
            "briefing",
        ]
        .iter()
        .any(|part| self.tool.contains(part))
    }

    fn lists_tasks(&self) -> bool {
        TASK_LISTS.contains(&self.tool) || matches!(self.tool, "get_stalled_tasks" | "count_tasks")
    }

    /// Does it answer for the asker?
    fn own(&self) -> bool {
        matches!(
            self.tool,
            "get_my_tasks" | "get_site_access" | "find_nearest_sites" | "get_distance_to_site" | "quick_lookup"
        )
    }

    fn complete(&self, masks: &Masks) -> bool {
        let given = |entity: &str| match entity {
            "site" => masks.site,
            "task" => masks.task,
            "zone" => masks.zone,
            "manager" => masks.person,
            _ => true,
        };
        self.must.iter().all(|entity| given(entity))
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
        if (masks.alarms && !self.network) || (masks.figures && !self.figures()) || (masks.access && self.lists_tasks())
        {
            fit *= 0.35;
        }
        // A look-up of anything is not what who names a site or a task has in mind.
        if (masks.site || masks.task) && self.takes.contains("record") {
            fit *= 0.6;
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
    pub date: bool,
    pub critical: bool,
    pub work_type: bool,
    pub topic: bool,
    pub field: bool,
    pub sort: bool,
    pub unassigned: bool,
    pub alarms: bool,
    pub figures: bool,
    pub access: bool,
    pub some_crew: bool,
    pub over: bool,
    pub overdue: bool,
    pub due_day: bool,
    pub lasting: bool,
    pub escalated: bool,
    pub level: bool,
    pub crewless: bool,
    pub left_out: bool,
    pub mine: bool,
    pub status: bool,
    pub orders: bool,
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
            date: has(mask::DATE),
            figures: words
                .iter()
                .any(|word| word == "mttr" || word.starts_with("kpi") || word.starts_with("indicador")),
            access: words.iter().any(|word| {
                ["acces", "autorizacion", "permiso", "llave"]
                    .iter()
                    .any(|stem| word.starts_with(stem))
            }) && !has(mask::SITE)
                && !words.iter().any(|word| word.starts_with("tarea")),
            alarms: words.iter().any(|word| word.starts_with("alarm"))
                && !words.iter().any(|word| lexicon().means(word, "task")),
            orders: words.iter().any(|word| {
                // *canceladas* is how tasks are, not what is to be done with one.
                let how = ["ada", "adas", "ado", "ados"].iter().any(|end| word.ends_with(end));
                let means = |concept| !how && lexicon().means(word, concept);
                means("write") || means("send") || ORDERS.iter().any(|stem| word.starts_with(stem))
            }),
            ..Self::default()
        }
    }

    /// Does it name one of our records?
    pub fn names_record(self) -> bool {
        self.site || self.task || self.person || self.crew || self.alarm || self.record
    }
}

/// Words beside those of the lexicon that a wish to change something is said with.
const ORDERS: [&str; 15] = [
    "llegue",
    "camino",
    "tomo",
    "termine",
    "acabe",
    "quedo",
    "listo",
    "adjunta",
    "sumale",
    "documenta",
    "finaliz",
    "termina",
    "ingresa",
    "nueva",
    "haz",
];

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
                // Nothing is changed, or even previewed, that no word orders.
                if !masks.orders && crate::tools::find(tool.tool).is_some_and(|spec| spec.tool.writes()) {
                    continue;
                }
                let family = FAMILIES.iter().find(|family| family.contains(&tool.tool));
                let counted = if tool.tool == "count_tasks" {
                    wider(tool.tool, needs, masks)
                } else {
                    None
                };
                let member = counted
                    .or_else(|| family.and_then(|family| member(family, needs, masks)))
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

/// The first member of a family that takes all that is named and misses nothing; else the one
/// that lacks least.
fn member(family: &[&'static str], needs: &[Needs], masks: &Masks) -> Option<&'static str> {
    let known = family.iter().filter_map(|name| needs.iter().find(|n| n.tool == *name));
    let complete = known.filter(|n| n.complete(masks));
    complete.min_by_key(|n| n.lacks(masks).len()).map(|n| n.tool)
}

/// Where a tool cannot take all that a question names: the tool of the same wish that can take
/// more of it, if there is one.
pub fn wider(tool: &str, needs: &[Needs], masks: &Masks) -> Option<&'static str> {
    let lacks = |name: &str| needs.iter().find(|n| n.tool == name).map(|n| n.lacks(masks).len());
    let own = lacks(tool).filter(|n| *n > 0)?;
    let family = WIDER
        .iter()
        .find(|(narrow, _)| *narrow == tool)
        .map(|(_, family)| *family)?;
    member(family, needs, masks).filter(|member| lacks(member).is_some_and(|n| n < own))
}

/// Of a tool's family the member that the entities choose; the tool itself when it has none.
pub fn chosen(tool: &'static str, needs: &[Needs], masks: &Masks) -> &'static str {
    let family = FAMILIES.iter().find(|family| family.contains(&tool));
    family.and_then(|family| member(family, needs, masks)).unwrap_or(tool)
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
