//! Several sites, tasks, zones or measures named at once: one call for each, one answer from all.

use serde_json::json;

use crate::domain::answer::{Answer, Line};
use crate::domain::sets::StatusFilter;
use crate::format::{phrases, whatsapp};
use crate::planner::rendering;
use crate::tools::Cx;

use super::extract::Found;
use super::flow::Flow;
use super::memory::Call;

impl Flow<'_> {
    /// Several of one kind named at once: one call for each.
    pub fn each(&mut self, call: &Call, found: &Found) -> Option<Answer> {
        let (param, values) = several_of_a_kind(call, found)?;
        let most = self.engine.config.limits.subjects_max;
        let answers = values.iter().take(most).map(|value| {
            let mut call = call.clone();
            call.args.insert(param.to_owned(), json!(value));
            self.run_and_remember(call)
        });
        let answers: Vec<Answer> = answers.collect();
        let mut answer = joined(answers, &self.exec.cx);
        if values.len() > most {
            answer.notes.push(phrases().say("engine.too_many", &[("n", &most)]));
        }
        if matches!(param, "site_id" | "task_id") {
            self.memory.shown = values.into_iter().take(most).map(Some).collect();
        } else {
            self.memory.shown = whatsapp::subjects(&answer)
                .into_iter()
                .map(|id| id.map(str::to_owned))
                .collect();
        }
        Some(answer)
    }
}

/// The parameter that the question names several values for.
fn several_of_a_kind(call: &Call, found: &Found) -> Option<(&'static str, Vec<String>)> {
    let entities = &found.entities;
    let texts = |list: &[String]| list.to_vec();
    // What is over beside what is not means all of them: that is no choice of two.
    let states: Vec<String> = if call.args.get("status") == Some(&json!(StatusFilter::Any)) {
        Vec::new()
    } else {
        entities.statuses.iter().map(ToString::to_string).collect()
    };
    let named: [(&'static str, Vec<String>); 6] = [
        ("site_id", entities.sites.iter().map(ToString::to_string).collect()),
        ("task_id", entities.task_ids.iter().map(ToString::to_string).collect()),
        ("zone", entities.zones.iter().map(ToString::to_string).collect()),
        (
            "manager",
            entities.more.manager_ids.iter().map(ToString::to_string).collect(),
        ),
        (
            "criticality",
            entities.more.criticalities.iter().map(ToString::to_string).collect(),
        ),
        ("status", texts(&states)),
    ];
    named.into_iter().find(|(param, values)| {
        values.len() > 1
            && call.args.contains_key(*param)
            && (*param != "site_id" || !call.args.contains_key("location"))
    })
}

/// Several answers as one. Each part is told by its title: a part that lists things stands under
/// it, and only where not all fits a page do the titles also lead, so that none waits for *más*.
pub fn joined(answers: Vec<Answer>, cx: &Cx<'_>) -> Answer {
    let parts = answers.len();
    let mut all = Answer::default();
    let mut short = Vec::new();
    for answer in answers {
        let heading = answer.lead.first().map(|line| line.text.clone());
        let lists = !answer.items.is_empty() && answer.items.iter().all(|item| item.group.is_none());
        let lead: Vec<Line> = answer
            .lead
            .into_iter()
            .enumerate()
            .map(|(at, line)| Line {
                title: line.title || at == 0,
                ..line
            })
            .collect();
        if !(lists && lead.len() == 1) {
            short.extend(lead.iter().cloned());
        }
        all.lead.extend(lead);
        all.items.extend(answer.items.into_iter().map(|mut item| {
            item.group = item.group.or_else(|| heading.clone());
            item
        }));
        all.beyond += answer.beyond;
        for note in answer.notes {
            if !all.notes.contains(&note) {
                all.notes.push(note);
            }
        }
        for source in answer.sources {
            if !all.sources.contains(&source) {
                all.sources.push(source);
            }
        }
    }
    if parts > 1 {
        let brief = rendering::footed(
            Answer {
                lead: short,
                ..all.clone()
            },
            None,
            cx,
        );
        if whatsapp::first(&brief).rest.is_none() && brief.beyond == 0 {
            return brief;
        }
    }
    rendering::footed(all, None, cx)
}
