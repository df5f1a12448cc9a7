//! Questions that take several tools at once: which calls, and one answer from what they gave.

use serde_json::{Map, Value, json};

use crate::domain::answer::{Answer, Line};
use crate::domain::entities::Entities;
use crate::domain::ids::Zone;
use crate::format::phrases;
use crate::tools::{Cx, Output};

use super::lexicon::lexicon;
use super::rendering;

/// A fixed combination of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// `resumen de tareas críticas estancadas en zona norte`: the tasks, the indicators and the panel of a zone.
    TasksSummary,
}

/// The period of the indicators in a summary, when none is asked for.
const SUMMARY_PERIOD: &str = "7d";

impl Recipe {
    /// Every recipe.
    pub const ALL: [Self; 1] = [Self::TasksSummary];

    /// Its name, as the memory keeps it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TasksSummary => "tasks_summary",
        }
    }

    /// The recipe of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|recipe| recipe.name() == name)
    }

    /// The recipe that a question asks for: a summary of tasks in a certain state, not of one
    /// site, task or person.
    pub fn of(words: &[String], entities: &Entities) -> Option<Self> {
        let means = |concept: &str| words.iter().any(|word| lexicon().means(word, concept));
        let one_record =
            !entities.sites.is_empty() || !entities.task_ids.is_empty() || !entities.more.manager_ids.is_empty();
        let certain = entities.criticality.is_some() || !entities.statuses.is_empty();
        (means("summary") && means("task") && certain && !one_record && !means("media")).then_some(Self::TasksSummary)
    }

    /// The calls, the leading one first. `overrides` are the arguments asked for.
    pub fn calls(self, asked: &Map<String, Value>) -> Vec<(&'static str, Map<String, Value>)> {
        match self {
            Self::TasksSummary => {
                let keep = |names: &[&str]| -> Map<String, Value> {
                    asked
                        .iter()
                        .filter(|(name, _)| names.contains(&name.as_str()))
                        .map(|(n, v)| (n.clone(), v.clone()))
                        .collect()
                };
                let mut kpis = keep(&["zone"]);
                let period = match (asked.get("date_from"), asked.get("date_to")) {
                    (Some(from), Some(to)) => json!({ "from": from, "to": to }),
                    _ => json!(SUMMARY_PERIOD),
                };
                kpis.insert("period".to_owned(), period);
                vec![
                    (
                        "search_tasks",
                        keep(&["zone", "place", "status", "criticality", "work_type", "limit", "offset"]),
                    ),
                    ("get_kpi_summary", kpis),
                    ("get_panel_summary", keep(&["zone", "criticality"])),
                ]
            }
        }
    }

    /// One answer from what the calls gave: the figures lead, the tasks follow.
    pub fn render(self, outputs: &[(&'static str, Output)], cx: &Cx<'_>) -> Answer {
        match self {
            Self::TasksSummary => tasks_summary(outputs, cx),
        }
    }
}

fn tasks_summary(outputs: &[(&'static str, Output)], cx: &Cx<'_>) -> Answer {
    let output = |tool: &str| outputs.iter().find(|(name, _)| *name == tool).map(|(_, output)| output);
    let mut answer = Answer::default();
    if let Some(tasks) = output("search_tasks") {
        let listed = rendering::render("search_tasks", tasks, cx);
        answer.items = listed.items;
        answer.beyond = listed.beyond;
        answer.sources = listed.sources;
        answer.lead.push(Line {
            text: count_line(tasks),
            title: true,
        });
    }
    for tool in ["get_kpi_summary", "get_panel_summary"] {
        let Some(figures) = output(tool) else { continue };
        let said = rendering::render(tool, figures, cx);
        // The panel's own title says again where and what; the indicators' says since when.
        let skipped = usize::from(tool == "get_panel_summary");
        answer.lead.extend(
            said.lead
                .into_iter()
                .skip(skipped)
                .map(|line| Line { title: false, ..line }),
        );
        for source in said.sources {
            if !answer.sources.contains(&source) {
                answer.sources.push(source);
            }
        }
    }
    let zone = output("search_tasks").and_then(|tasks| {
        tasks
            .params
            .get("zone")?
            .as_str()
            .and_then(|zone| Zone::parse(zone).ok())
    });
    rendering::footed(answer, zone, cx)
}

/// `12 tareas críticas estancadas en zona norte`.
fn count_line(tasks: &Output) -> String {
    let param = |name: &str| tasks.params.get(name).and_then(Value::as_str).unwrap_or_default();
    let total = tasks.count.unwrap_or_default();
    let form = |folder: &str, word: &str| {
        let key = format!("engine.summary.{folder}.{word}");
        if word.is_empty() || !phrases().has(&key) {
            String::new()
        } else {
            format!(" {}", phrases().say(&key, &[("n", &total)]))
        }
    };
    let criticality = form("criticality", param("criticality"));
    let status = form("status", param("status"));
    let zone = match (param("zone"), param("place")) {
        ("", "") => String::new(),
        ("", place) => format!(" {}", phrases().say("engine.summary.place", &[("place", &place)])),
        (zone, _) => format!(" {}", phrases().say("engine.summary.zone", &[("zone", &zone)])),
    };
    phrases().say(
        "engine.summary.count",
        &[
            ("n", &total),
            ("criticality", &criticality),
            ("status", &status),
            ("where", &zone),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::sets::{Criticality, StatusFilter};
    use crate::planner::features::raw_words;

    #[test]
    fn a_summary_of_tasks_in_a_state_is_the_recipe() {
        let mut entities = Entities {
            criticality: Some(Criticality::Critical),
            statuses: vec![StatusFilter::Stalled],
            ..Entities::default()
        };
        let words = raw_words("resumen de tareas criticas estancadas en xzone");
        assert_eq!(Recipe::of(&words, &entities), Some(Recipe::TasksSummary));
        assert_eq!(
            Recipe::of(&raw_words("tareas criticas estancadas en xzone"), &entities),
            None
        );
        entities.criticality = None;
        entities.statuses.clear();
        assert_eq!(Recipe::of(&raw_words("resumen del dia"), &entities), None);
    }

    #[test]
    fn every_state_and_criticality_can_be_said() {
        for status in StatusFilter::ALL {
            assert!(phrases().has(&format!("engine.summary.status.{status}")), "{status}");
        }
        for criticality in Criticality::ALL {
            assert!(
                phrases().has(&format!("engine.summary.criticality.{criticality}")),
                "{criticality}"
            );
        }
    }
}
