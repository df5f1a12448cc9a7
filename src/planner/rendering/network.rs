//! Alarms and the health of the network.

use crate::domain::answer::{Answer, Item, Severity};
use crate::tools::answers::{
    ActiveAlarmList, AlarmAndTask, AlarmPage, AlarmRow, Correlation, NetworkHealth, SeverityCounts, SiteAlarmList,
    SiteStatusCounts,
};

use super::pen::{Pen, add, duration, flat, item, list, say, severity_of_alarm, titled, word};
use super::what::{beyond, in_zone, joined, plural};

pub(super) fn health(pen: &Pen<'_>, answer: &NetworkHealth) -> Answer {
    let zone = pen.zone_title(answer.zone.as_ref());
    let mut shown = titled(say("network.title", &[("n", &answer.sites), ("zone", &zone)]));
    add(
        &mut shown,
        say("network.sites", &[("counts", &site_counts(&answer.by_status))]),
    );
    let alarms = say(
        "network.alarms",
        &[
            ("n", &answer.active_alarms),
            ("counts", &severities(&answer.by_severity)),
        ],
    );
    add(&mut shown, alarms);
    let group = say("network.group_down", &[]);
    shown.items = answer
        .down
        .iter()
        .map(|site| Item {
            group: Some(group.clone()),
            ..item(
                say("site.title", &[("id", &site.id), ("name", &flat(&site.name))]),
                Severity::Critical,
                &site.id,
            )
        })
        .collect();
    if let Some(zone) = &answer.zone {
        shown.suggestions.push(say("ask.alarms_zone", &[("zone", zone)]));
    }
    let first = answer.down.first();
    shown
        .suggestions
        .extend(first.map(|site| say("ask.status_of_site", &[("id", &site.id)])));
    shown
}

/// `2 caídos, 3 degradados, …`, the worst first, zeros among them.
fn site_counts(counts: &SiteStatusCounts) -> String {
    let parts = [
        (counts.down, "down"),
        (counts.degraded, "degraded"),
        (counts.maintenance, "maintenance"),
        (counts.active, "active"),
    ];
    let said = parts.map(|(n, status)| {
        say(
            "network.part",
            &[("n", &n), ("word", &word("site_status", status, plural(n)))],
        )
    });
    list(&said)
}

/// `2 críticas, 1 mayor`, without those of none.
pub(super) fn severities(counts: &SeverityCounts) -> String {
    let parts = [
        (counts.critical, "critical"),
        (counts.major, "major"),
        (counts.minor, "minor"),
        (counts.warning, "warning"),
    ];
    let there = parts.into_iter().filter(|(n, _)| *n > 0);
    let said: Vec<String> = there
        .map(|(n, severity)| say("network.part", &[("n", &n), ("word", &word("severity", severity, n))]))
        .collect();
    list(&said)
}

pub(super) fn of_site(pen: &Pen<'_>, answer: &SiteAlarmList) -> Answer {
    let n = answer.page.total;
    let mut what = vec![];
    what.extend(answer.severity.map(|s| word("severity", s.as_str(), plural(n))));
    let key = if answer.include_cleared {
        "alarms.all"
    } else {
        "alarms.active"
    };
    what.push(say(key, &[("n", &plural(n))]));
    let site = say(
        "site.title",
        &[("id", &answer.site.id), ("name", &flat(&answer.site.name))],
    );
    let title = say(
        "alarms.at_site",
        &[("n", &n), ("site", &site), ("what", &what.join(" "))],
    );
    let mut shown = page(pen, &answer.page, title, true);
    shown.suggestions = vec![
        say("ask.tasks_of_site", &[("id", &answer.site.id)]),
        say("ask.status_of_site", &[("id", &answer.site.id)]),
    ];
    shown
}

pub(super) fn active(pen: &Pen<'_>, answer: &ActiveAlarmList) -> Answer {
    let n = answer.page.total;
    let mut what = vec![];
    what.extend(answer.severity.map(|s| word("severity", s.as_str(), plural(n))));
    what.push(say("alarms.active", &[("n", &plural(n))]));
    let category = answer.category.map(|c| word("category", c.as_str(), 1));
    what.extend(category.map(|category| say("alarms.of_category", &[("category", &category)])));
    what.extend(
        answer
            .place
            .as_ref()
            .map(|place| say("tasks.in_place", &[("place", place)])),
    );
    what.extend(answer.zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let what = joined(&what).trim_start().to_owned();
    if n == 0 {
        return Answer::text(say("alarms.none", &[("what", &what)]));
    }
    let mut shown = page(
        pen,
        &answer.page,
        say("alarms.count", &[("n", &n), ("what", &what)]),
        false,
    );
    let first = answer.page.alarms.first();
    shown.suggestions = first
        .map(|a| say("ask.alarms_of_site", &[("id", &a.site_id)]))
        .into_iter()
        .collect();
    shown
}

pub(super) fn correlation(pen: &Pen<'_>, answer: &Correlation) -> Answer {
    let n = answer.counts.total;
    let mut what = vec![say("alarms.active", &[("n", &plural(n))])];
    let site = answer.site_id.as_ref();
    what.extend(site.map(|site| say("tasks.at_site", &[("site", &site)])));
    what.extend(answer.zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let what = joined(&what).trim_start().to_owned();
    if n == 0 {
        return Answer::text(say("alarms.none", &[("what", &what)]));
    }
    let mut shown = titled(say("alarms.count", &[("n", &n), ("what", &what)]));
    let counts = &answer.counts;
    let without = say("correlation.without", &[("n", &counts.without_task)]);
    add(
        &mut shown,
        say("correlation.counts", &[("n", &counts.with_task), ("without", &without)]),
    );
    if counts.task_over > 0 {
        add(&mut shown, say("correlation.task_over", &[("n", &counts.task_over)]));
    }
    shown.items = answer
        .rows
        .iter()
        .map(|row| pair_item(pen, row, site.is_some()))
        .collect();
    shown.beyond = beyond(n, answer.offset, answer.rows.len());
    let task = answer.rows.iter().find_map(|row| row.task.as_ref());
    shown.suggestions = task.map(|t| say("ask.task", &[("id", &t.id)])).into_iter().collect();
    shown
}

/// The alarm in two lines, then the task about it.
fn pair_item(pen: &Pen<'_>, row: &AlarmAndTask, at_site: bool) -> Item {
    let alarm = alarm_item(pen, &row.alarm, at_site);
    let Some(task) = &row.task else { return alarm };
    let who = task.held_by.who.as_ref().map(|who| flat(&who.name));
    let line = say(
        "correlation.task",
        &[
            ("id", &task.id),
            ("title", &flat(&task.title)),
            ("status", &word("status", task.status.as_str(), 1)),
        ],
    );
    let line = match who {
        Some(who) => say("correlation.held", &[("task", &line), ("who", &who)]),
        None => line,
    };
    Item {
        text: format!("{}\n{line}", alarm.text),
        ..alarm
    }
}

fn page(pen: &Pen<'_>, page: &AlarmPage, title: String, at_site: bool) -> Answer {
    let mut shown = match (page.total, page.alarms.is_empty()) {
        (0, _) => return Answer::text(title),
        (n, true) => return Answer::text(say("alarms.nothing_there", &[("n", &n)])),
        _ => titled(title),
    };
    // One severity needs no breakdown.
    let kinds = [
        page.by_severity.critical,
        page.by_severity.major,
        page.by_severity.minor,
        page.by_severity.warning,
    ];
    if kinds.iter().filter(|n| **n > 0).count() > 1 {
        add(
            &mut shown,
            say("alarms.counts", &[("counts", &severities(&page.by_severity))]),
        );
    }
    shown.items = page
        .alarms
        .iter()
        .map(|alarm| alarm_item(pen, alarm, at_site))
        .collect();
    shown.beyond = beyond(page.total, page.offset, page.alarms.len());
    shown
}

/// An alarm of a list, in two lines.
pub(super) fn alarm_item(pen: &Pen<'_>, alarm: &AlarmRow, at_site: bool) -> Item {
    let name = flat(&alarm.name);
    let head = if at_site {
        say("alarms.head_no_site", &[("id", &alarm.id), ("name", &name)])
    } else {
        say(
            "alarms.head",
            &[("id", &alarm.id), ("name", &name), ("site", &alarm.site_id)],
        )
    };
    let text = format!("{head}\n{}", alarm_state(pen, alarm));
    item(text, severity_of_alarm(alarm.severity), &alarm.id)
}

/// `crítica, hace 5 h, reconocida, tarea T-10010`.
pub(super) fn alarm_state(pen: &Pen<'_>, alarm: &AlarmRow) -> String {
    let severity = word("severity", alarm.severity.as_str(), 1);
    let time = duration(alarm.age_h);
    let since = match alarm.cleared_at {
        None => say("alarms.since", &[("severity", &severity), ("time", &time)]),
        Some(at) => say(
            "alarms.cleared",
            &[("severity", &severity), ("at", &pen.at(at)), ("time", &time)],
        ),
    };
    let mut parts = vec![since];
    if alarm.acknowledged && alarm.cleared_at.is_none() {
        parts.push(say("alarms.acknowledged", &[]));
    }
    match &alarm.task_id {
        Some(task) => parts.push(say("alarms.with_task", &[("task", task)])),
        None if alarm.cleared_at.is_none() => parts.push(say("alarms.without_task", &[])),
        None => {}
    }
    parts.join(", ")
}
