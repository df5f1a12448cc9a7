//! Figures: counts, the KPIs, the panel, the briefing.

use crate::domain::answer::{Answer, Severity};
use crate::domain::sets::Criticality;
use crate::tools::Output;
use crate::tools::answers::{Briefing, Group, GroupBy, KpiSummary, PanelSummary, TaskCounts};

use super::network::alarm_item;
use super::pen::{Pen, add, flat, item, plain_item, say, titled, word};
use super::sites::site_item;
use super::task_row::{Known, task_item};
use super::what::{Form, given, in_zone, joined, period, plural, status_word};

pub(super) fn counts(pen: &Pen<'_>, answer: &TaskCounts, output: &Output) -> Answer {
    let n = answer.total;
    let mut what = vec![];
    if answer.criticality == Some(Criticality::Critical) {
        what.push(word("criticality", "critical", plural(n)));
    }
    what.extend(answer.work_type.map(|w| word("work_type", w.as_str(), plural(n))));
    what.extend(status_word(answer.status, n));
    if let Some(other) = answer.criticality.filter(|c| *c != Criticality::Critical) {
        let name = word("criticality", other.as_str(), 1);
        what.push(say("criticality.of", &[("criticality", &name)]));
    }
    if let (Some(from), Some(to)) = (answer.from, answer.to) {
        let period = period(pen, output.params.get("period"), from, to, Form::InSentence);
        let closed = given(output, "status") == Some("closed");
        let key = if closed { "tasks.dated" } else { "tasks.created" };
        what.push(say(key, &[("period", &period)]));
    }
    what.extend(answer.zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let what = joined(&what);
    if n == 0 {
        return Answer::text(say("tasks.none", &[("what", &what)]));
    }
    let counted = say("tasks.count", &[("n", &n), ("what", &what)]);
    let by = say(by_key(answer.group_by), &[]);
    let mut shown = titled(say("count.title", &[("counted", &counted), ("by", &by)]));
    shown.items = answer
        .groups
        .iter()
        .map(|group| {
            let text = say(
                "count.line",
                &[("key", &key_name(answer.group_by, group)), ("n", &group.count)],
            );
            match answer.group_by {
                GroupBy::Site => item(text, Severity::Normal, &group.key),
                _ => plain_item(text, Severity::Normal, None),
            }
        })
        .collect();
    shown
}

fn by_key(group_by: GroupBy) -> &'static str {
    match group_by {
        GroupBy::Status => "count.by_status",
        GroupBy::Zone => "count.by_zone",
        GroupBy::Criticality => "count.by_criticality",
        GroupBy::WorkType => "count.by_work_type",
        GroupBy::Manager => "count.by_manager",
        GroupBy::Site => "count.by_site",
    }
}

fn key_name(group_by: GroupBy, group: &Group) -> String {
    match group_by {
        GroupBy::Status => word("status", &group.key, 2),
        GroupBy::Criticality => word("criticality", &group.key, 2),
        GroupBy::WorkType => word("work_type", &group.key, 2),
        GroupBy::Zone => group.key.clone(),
        GroupBy::Manager if group.key.is_empty() => say("count.no_manager", &[]),
        GroupBy::Manager => group.name.as_deref().map_or_else(|| group.key.clone(), flat),
        GroupBy::Site => match &group.name {
            Some(name) => say("site.title", &[("id", &group.key), ("name", &flat(name))]),
            None => group.key.clone(),
        },
    }
}

pub(super) fn kpi(pen: &Pen<'_>, answer: &KpiSummary) -> Answer {
    let zone = pen.zone_title(answer.zone.as_ref());
    let asked = serde_json::to_value(answer.period).ok();
    let period = period(pen, asked.as_ref(), answer.from, answer.to, Form::Alone);
    let mut shown = titled(say("kpi.title", &[("zone", &zone), ("period", &period)]));
    add(&mut shown, mttr(answer.mttr));
    add(&mut shown, say("kpi.open", &[("n", &answer.open)]));
    add(&mut shown, say("kpi.closed", &[("n", &answer.closed)]));
    add(&mut shown, say("kpi.sla_breach", &[("n", &answer.sla_breach)]));
    if let Some(zone) = &answer.zone {
        shown.suggestions = vec![
            say("ask.panel_zone", &[("zone", zone)]),
            say("ask.stalled_zone", &[("zone", zone)]),
        ];
    }
    shown
}

/// `MTTR 4.2 h`; N/D when nothing was closed.
pub(super) fn mttr(figure: Option<f64>) -> String {
    match figure {
        Some(hours) => say("kpi.mttr", &[("hours", &format!("{hours:.1}"))]),
        None => say("kpi.mttr_none", &[]),
    }
}

pub(super) fn panel(pen: &Pen<'_>, answer: &PanelSummary) -> Answer {
    let zone = pen.zone_title(answer.zone.as_ref());
    let what = match answer.criticality {
        Some(Criticality::Critical) => vec![word("criticality", "critical", plural(answer.total))],
        Some(other) => {
            let name = word("criticality", other.as_str(), 1);
            vec![say("criticality.of", &[("criticality", &name)])]
        }
        None => vec![],
    };
    let title = say(
        "panel.title",
        &[("n", &answer.total), ("zone", &zone), ("what", &joined(&what))],
    );
    if answer.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    add(&mut shown, say("panel.escalated", &[("n", &answer.escalated)]));
    add(&mut shown, say("panel.aging", &[("n", &answer.aging_gt_48h)]));
    add(&mut shown, say("panel.unassigned", &[("n", &answer.unassigned)]));
    if let Some(zone) = &answer.zone {
        shown.suggestions = vec![say("ask.kpi_zone", &[("zone", zone)])];
    }
    shown
}

pub(super) fn briefing(pen: &Pen<'_>, answer: &Briefing) -> Answer {
    let n = |key: &str, n: u64| say(key, &[("n", &n)]);
    let zone = pen.zone_title(answer.zone.as_ref());
    let mut shown = titled(say("briefing.title", &[("zone", &zone)]));
    let stalled = n("briefing.critical_stalled", answer.critical_stalled);
    add(
        &mut shown,
        say("briefing.critical", &[("n", &answer.critical), ("stalled", &stalled)]),
    );
    let down = n("briefing.sites_down", answer.sites_down);
    let degraded = n("briefing.sites_degraded", answer.sites_degraded);
    add(
        &mut shown,
        say("briefing.sites", &[("down", &down), ("degraded", &degraded)]),
    );
    let untasked = answer.critical_alarms_without_task;
    add(
        &mut shown,
        say(
            "briefing.alarms",
            &[("n", &answer.critical_alarms), ("untasked", &untasked)],
        ),
    );
    add(
        &mut shown,
        say(
            "briefing.active",
            &[
                ("active", &n("briefing.active_tasks", answer.active)),
                ("overdue", &n("briefing.overdue", answer.overdue)),
                ("due_soon", &n("briefing.due_soon", answer.due_soon)),
                ("stalled", &n("briefing.stalled", answer.stalled)),
            ],
        ),
    );
    let escalated = n("briefing.escalated", answer.escalated);
    add(
        &mut shown,
        say(
            "briefing.attention",
            &[("escalated", &escalated), ("unassigned", &answer.unassigned)],
        ),
    );
    let created = n("briefing.created", answer.created_24h);
    let closed = n("briefing.closed", answer.closed_24h);
    add(
        &mut shown,
        say("briefing.day", &[("created", &created), ("closed", &closed)]),
    );

    // A list that is cut says of how many.
    let grouped = |mut item: crate::domain::answer::Item, key: &str, listed: usize, of: u64| {
        let heading = say(key, &[]);
        item.group = Some(if u64::try_from(listed).is_ok_and(|listed| listed < of) {
            say("briefing.cut", &[("what", &heading), ("listed", &listed), ("of", &of)])
        } else {
            heading
        });
        // All three lists are of what is critical; their order is the tool's.
        item.severity = Severity::Critical;
        item
    };
    let down = answer.down.iter().map(|site| {
        grouped(
            site_item(site),
            "briefing.group_down",
            answer.down.len(),
            answer.sites_down,
        )
    });
    let tasks = answer.tasks.iter().map(|t| {
        grouped(
            task_item(pen, t, Known::CRITICALITY),
            "briefing.group_tasks",
            answer.tasks.len(),
            answer.critical,
        )
    });
    let alarms = answer.alarms.iter().map(|a| {
        grouped(
            alarm_item(pen, a, false),
            "briefing.group_alarms",
            answer.alarms.len(),
            answer.critical_alarms,
        )
    });
    shown.items = down.chain(tasks).chain(alarms).collect();
    let first = answer.tasks.first().map(|t| say("ask.task", &[("id", &t.id)]));
    shown.suggestions = first.into_iter().collect();
    if let Some(zone) = &answer.zone {
        shown.suggestions.push(say("ask.kpi_zone", &[("zone", zone)]));
        shown.suggestions.push(say("ask.alarms_zone", &[("zone", zone)]));
    }
    shown
}
