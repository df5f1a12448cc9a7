//! The prioritisation sheet, row by row. Its order stands: all rows weigh the same.

use crate::domain::answer::{Answer, Item, Severity};
use crate::domain::ids::Zone;
use crate::domain::sets::Criticality;
use crate::tools::Output;
use crate::tools::answers::{CustomerImpact, EscalationList, PanelLine, PanelPage, PanelRanking, PanelSearch};

use super::pen::{Pen, add, flat, item, say, titled, word};
use super::task_row::{Known, task_item};
use super::what::{beyond, given, in_zone, joined, plural};

pub(super) fn found(pen: &Pen<'_>, answer: &PanelSearch, output: &Output) -> Answer {
    let n = answer.page.total;
    let mut what = vec![];
    match given(output, "criticality").and_then(|c| c.parse::<Criticality>().ok()) {
        Some(Criticality::Critical) => what.push(word("criticality", "critical", plural(n))),
        Some(other) => {
            let name = word("criticality", other.as_str(), 1);
            what.push(say("criticality.of", &[("criticality", &name)]));
        }
        None => {}
    }
    what.extend(
        output
            .params
            .get("escalated")
            .and_then(serde_json::Value::as_bool)
            .map(|yes| {
                let key = if yes { "rows.escalated" } else { "rows.not_escalated" };
                say(key, &[("n", &plural(n))])
            }),
    );
    let figure = |key: &str| output.params.get(key).and_then(serde_json::Value::as_u64);
    what.extend(figure("priority").map(|p| say("rows.of_priority", &[("priority", &p)])));
    what.extend(figure("min_affected_customers").map(|n| say("rows.with_customers", &[("n", &n)])));
    what.extend(zone(answer.in_zone.as_ref()));
    page(
        pen,
        &answer.page,
        say("rows.title", &[("n", &n), ("what", &joined(&what))]),
    )
}

pub(super) fn escalations(pen: &Pen<'_>, answer: &EscalationList) -> Answer {
    let n = answer.page.total;
    let mut what = vec![];
    what.extend(answer.level.map(|level| say("rows.of_level", &[("level", &level)])));
    what.extend(zone(answer.in_zone.as_ref()));
    page(
        pen,
        &answer.page,
        say("rows.escalations", &[("n", &n), ("what", &joined(&what))]),
    )
}

pub(super) fn ranking(pen: &Pen<'_>, answer: &PanelRanking) -> Answer {
    let n = answer.page.rows.len();
    let what = joined(&zone(answer.in_zone.as_ref()).into_iter().collect::<Vec<_>>());
    page(pen, &answer.page, say("rows.ranking", &[("n", &n), ("what", &what)]))
}

pub(super) fn impact(pen: &Pen<'_>, answer: &CustomerImpact) -> Answer {
    let what = joined(&zone(answer.in_zone.as_ref()).into_iter().collect::<Vec<_>>());
    let title = say("rows.impact", &[("n", &answer.customers), ("what", &what)]);
    let mut shown = page(pen, &answer.page, title);
    if answer.page.total > 0 {
        add(&mut shown, say("rows.impact_tasks", &[("n", &answer.page.total)]));
    }
    shown
}

fn zone(zone: Option<&Zone>) -> Option<String> {
    zone.map(|zone| in_zone(zone.as_str()))
}

fn page(pen: &Pen<'_>, page: &PanelPage, title: String) -> Answer {
    if page.rows.is_empty() && page.total > 0 {
        return Answer::text(say("rows.nothing_there", &[("n", &page.total)]));
    }
    if page.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    shown.items = page.rows.iter().map(|row| row_item(pen, row)).collect();
    shown.beyond = beyond(page.total, page.offset, page.rows.len());
    let first = page.rows.first();
    shown.suggestions = first
        .map(|row| say("ask.task", &[("id", &row.task.id)]))
        .into_iter()
        .collect();
    shown
}

/// The task in two lines, then what the sheet says of it.
fn row_item(pen: &Pen<'_>, row: &PanelLine) -> Item {
    let task = task_item(pen, &row.task, Known::default());
    let mut parts = vec![say("rows.priority", &[("priority", &row.priority)])];
    if row.affected_customers > 0 {
        parts.push(say("rows.customers", &[("n", &row.affected_customers)]));
    }
    if let Some(to) = &row.escalated_to {
        parts.push(say("rows.escalated_to", &[("name", &flat(&to.name))]));
    }
    let mut text = format!("{}\n{}", task.text, parts.join(", "));
    if !row.comment.is_empty() {
        text = say("rows.comment", &[("text", &text), ("comment", &flat(&row.comment))]);
    }
    item(text, Severity::Normal, &row.task.id)
}
