//! Answers from several systems: the handover of a shift, an incident, a site over time.

use crate::domain::answer::{Answer, Item, Severity};
use crate::tools::Output;
use crate::tools::answers::{IncidentClass, Reason, ShiftHandover, SiteAnalysis, TaskRow};

use super::figures::mttr;
use super::kpis::times;
use super::pen::{Pen, add, flat, hours, list, plain_item, say, titled, word};
use super::task_row::{Known, task_item};
use super::what::{Form, period};

pub(super) fn handover(pen: &Pen<'_>, answer: &ShiftHandover) -> Answer {
    let zone = pen.zone_title(answer.zone.as_ref());
    let length = hours(Some(answer.hours));
    let mut shown = titled(say("handover.title", &[("zone", &zone), ("hours", &length)]));
    let count = |key: &str, n: u64| say(key, &[("n", &n)]);
    let pending = say(
        "handover.pending",
        &[
            ("n", &answer.pending),
            ("critical", &count("zones.critical", answer.pending_critical)),
            ("overdue", &count("briefing.overdue", answer.pending_overdue)),
            ("due_soon", &count("briefing.due_soon", answer.pending_due_soon)),
        ],
    );
    add(&mut shown, pending);
    let flow = [
        count("handover.opened", answer.opened),
        count("handover.moved", answer.moved),
        count("handover.closed", answer.closed),
    ];
    add(&mut shown, list(&flow));
    let group = |key: &str, tasks: &[TaskRow]| -> Vec<Item> {
        let heading = say(key, &[]);
        let items = tasks.iter().map(|task| Item {
            group: Some(heading.clone()),
            // The groups' order stands: all weigh the same.
            severity: Severity::Normal,
            ..task_item(pen, task, Known::default())
        });
        items.collect()
    };
    shown.items = [
        group("handover.group_pending", &answer.pending_tasks),
        group("handover.group_opened", &answer.opened_tasks),
        group("handover.group_moved", &answer.moved_tasks),
        group("handover.group_closed", &answer.closed_tasks),
    ]
    .concat();
    let first = answer.pending_tasks.first();
    shown.suggestions = first.map(|t| say("ask.task", &[("id", &t.id)])).into_iter().collect();
    shown
}

pub(super) fn incident(pen: &Pen<'_>, answer: &IncidentClass) -> Answer {
    let work_type = word("work_type", answer.work_type.as_str(), 1);
    let category = match answer.category {
        Some(category) => word("category", category.as_str(), 1),
        None => say("incident.no_category", &[]),
    };
    let criticality = word("criticality", answer.criticality.as_str(), 1);
    let mut shown = titled(say(
        "incident.title",
        &[
            ("work_type", &work_type),
            ("category", &category),
            ("criticality", &criticality),
        ],
    ));
    if let Some(site) = &answer.site {
        add(
            &mut shown,
            say("site.title", &[("id", &site.id), ("name", &flat(&site.name))]),
        );
    }
    add(
        &mut shown,
        say(
            "sla.of_criticality",
            &[("criticality", &criticality), ("hours", &answer.sla_hours)],
        ),
    );
    let reasons = say("incident.group_reasons", &[]);
    let alike = say("incident.group_alike", &[]);
    shown.items = answer
        .reasons
        .iter()
        .map(|reason| plain_item(reason_line(reason), Severity::Normal, Some(&reasons)))
        .chain(answer.alike.iter().map(|task| Item {
            group: Some(alike.clone()),
            severity: Severity::Normal,
            ..task_item(pen, task, Known::default())
        }))
        .collect();
    shown.notes = vec![say("incident.proposal", &[])];
    shown
}

/// `«sin energía»: energía, correctiva, alta`
fn reason_line(reason: &Reason) -> String {
    let mut speaks_for = vec![];
    speaks_for.extend(reason.category.map(|c| word("category", c.as_str(), 1)));
    speaks_for.extend(reason.work_type.map(|w| word("work_type", w.as_str(), 1)));
    speaks_for.extend(reason.criticality.map(|c| word("criticality", c.as_str(), 1)));
    let words = reason.words.clone().unwrap_or_default();
    let alarm = reason.alarm_id.as_ref().map(ToString::to_string).unwrap_or_default();
    say(
        &format!("incident.because.{}", reason.because.key()),
        &[
            ("words", &flat(&words)),
            ("alarm", &alarm),
            ("for", &speaks_for.join(", ")),
        ],
    )
}

pub(super) fn site(pen: &Pen<'_>, answer: &SiteAnalysis, output: &Output) -> Answer {
    let site = say(
        "site.title",
        &[("id", &answer.site.id), ("name", &flat(&answer.site.name))],
    );
    let period = period(pen, output.params.get("period"), answer.from, answer.to, Form::Alone);
    let mut shown = titled(say("history.title", &[("site", &site), ("period", &period)]));
    let count = |key: &str, n: u64| say(key, &[("n", &n)]);
    let flow = [
        count("stats.created", answer.created),
        count("stats.closed", answer.closed),
        count("site.active_tasks", answer.active_tasks),
    ];
    add(&mut shown, list(&flow));
    add(&mut shown, mttr(answer.mttr));
    add(
        &mut shown,
        say(
            "analysis.alarms",
            &[("n", &answer.alarms), ("untasked", &answer.alarms_without_task)],
        ),
    );
    let (recurrent, repeated, together) = (
        say("analysis.group_recurrent", &[]),
        say("analysis.group_repeated", &[]),
        say("analysis.group_together", &[]),
    );
    if answer.recurrent.is_empty() {
        add(&mut shown, say("analysis.no_recurrent", &[]));
    }
    let lines = |text: String, group: &String| plain_item(text, Severity::Normal, Some(group));
    let recurrent = answer.recurrent.iter().map(|pattern| {
        let (title, times) = (flat(&pattern.title), times(pen, pattern));
        lines(
            say("analysis.recurrent", &[("title", &title), ("times", &times)]),
            &recurrent,
        )
    });
    let repeated = answer.repeated_alarms.iter().map(|alarm| {
        let text = say(
            "analysis.repeated",
            &[
                ("name", &flat(&alarm.name)),
                ("count", &count("recurrence.count", alarm.count)),
                ("active", &count("managers.active", alarm.active)),
            ],
        );
        lines(text, &repeated)
    });
    let together = answer.together.iter().map(|pair| {
        let text = say(
            "analysis.pair",
            &[
                ("alarm", &flat(&pair.alarm)),
                ("task", &flat(&pair.task)),
                ("count", &count("recurrence.count", pair.count)),
            ],
        );
        lines(text, &together)
    });
    shown.items = recurrent.chain(repeated).chain(together).collect();
    shown.suggestions = super::sites::site_suggestions(&answer.site.id);
    shown
}
