//! Lists of tasks, and what the asker has to do.

use crate::domain::answer::{Answer, Item, Severity};
use crate::domain::sets::{Role, StatusFilter, TaskSort, TaskStatus};
use crate::tools::Output;
use crate::tools::answers::{
    AgingList, ManagerTasks, MyTask, MyTasksPage, Share, SiteTasks, SlaBreachList, StalledList, StatusCounts, TaskList,
    TaskPage, UnassignedList, ZoneTasks,
};

use super::pen::{Pen, add, duration, flat, hours, list, say, titled, word};
use super::task_row::{Known, task_item};
use super::what::{Form, beyond, given, in_zone, joined, period, place, plural, status_word, what_tasks};

/// Due within these hours, a task of one's own is soon.
const SOON_HOURS: f64 = 8.0;

pub(super) fn found(pen: &Pen<'_>, answer: &TaskList, output: &Output) -> Answer {
    let known = Known {
        criticality: given(output, "criticality").is_some(),
        status: !matches!(answer.status, StatusFilter::Active | StatusFilter::Any),
        site: given(output, "site_id").is_some(),
        ..Known::default()
    };
    let mut what = what_tasks(pen, answer.status, output, answer.page.total);
    what.extend(place(pen, output));
    let mut shown = page(pen, &answer.page, &what, known, answer.sort == TaskSort::Criticality);
    shown.suggestions = suggestions(&answer.page, given(output, "zone"));
    shown
}

pub(super) fn of_site(pen: &Pen<'_>, answer: &SiteTasks, output: &Output) -> Answer {
    let mut what = what_tasks(pen, answer.status, output, answer.page.total);
    let site = format!("{} {}", answer.site.id, flat(&answer.site.name));
    what.push(say("tasks.at_site", &[("site", &site)]));
    let known = Known {
        criticality: given(output, "criticality").is_some(),
        status: false,
        site: true,
        ..Known::default()
    };
    let mut shown = page(pen, &answer.page, &what, known, true);
    shown.suggestions = vec![
        say("ask.alarms_of_site", &[("id", &answer.site.id)]),
        say("ask.access_of_site", &[("id", &answer.site.id)]),
    ];
    shown
}

pub(super) fn of_manager(pen: &Pen<'_>, answer: &ManagerTasks, output: &Output) -> Answer {
    let mut what = what_tasks(pen, answer.status, output, answer.page.total);
    let closed = answer.status == StatusFilter::Closed;
    if let (Some(from), Some(to)) = (answer.from, answer.to) {
        let period = period(pen, output.params.get("period"), from, to, Form::InSentence);
        let key = if closed { "tasks.dated" } else { "tasks.created" };
        what.push(say(key, &[("period", &period)]));
    }
    what.push(say("tasks.of_manager", &[("name", &flat(&answer.manager.name))]));
    page(pen, &answer.page, &what, Known::default(), true)
}

pub(super) fn of_zone(pen: &Pen<'_>, answer: &ZoneTasks, output: &Output) -> Answer {
    let mut what = what_tasks(pen, answer.status, output, answer.page.total);
    what.push(in_zone(answer.in_zone.as_str()));
    let known = Known {
        criticality: given(output, "criticality").is_some(),
        ..Known::default()
    };
    let mut shown = page(pen, &answer.page, &what, known, true);
    add(
        &mut shown,
        say("tasks.by_status", &[("counts", &by_status(&answer.by_status))]),
    );
    shown.suggestions = suggestions(&answer.page, Some(answer.in_zone.as_str()));
    shown
}

pub(super) fn stalled(pen: &Pen<'_>, answer: &StalledList, output: &Output) -> Answer {
    let mut what = what_tasks(pen, StatusFilter::Stalled, output, answer.page.total);
    what.extend(answer.in_zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let known = Known {
        criticality: answer.of_criticality.is_some(),
        status: true,
        ..Known::default()
    };
    let mut shown = page(pen, &answer.page, &what, known, true);
    shown.suggestions = suggestions(&answer.page, answer.in_zone.as_ref().map(|z| z.as_str()));
    shown
}

pub(super) fn aging(pen: &Pen<'_>, answer: &AgingList, output: &Output) -> Answer {
    let mut what = what_tasks(pen, StatusFilter::Active, output, answer.page.total);
    what.push(say("tasks.not_moved", &[("hours", &hours(Some(answer.hours)))]));
    what.extend(answer.in_zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let known = Known {
        criticality: answer.of_criticality.is_some(),
        ..Known::default()
    };
    let mut shown = page(pen, &answer.page, &what, known, true);
    // A stalled one says already how long it stands still.
    for (item, task) in shown.items.iter_mut().zip(&answer.page.tasks) {
        if let Some(idle) = task.idle_h.filter(|_| task.status != TaskStatus::Stalled) {
            let still = say("tasks.still_for", &[("time", &duration(idle))]);
            item.text = format!("{}, {still}", item.text);
        }
    }
    shown.suggestions = suggestions(&answer.page, answer.in_zone.as_ref().map(|z| z.as_str()));
    shown
}

pub(super) fn unassigned(pen: &Pen<'_>, answer: &UnassignedList, output: &Output) -> Answer {
    let mut what = what_tasks(pen, StatusFilter::Active, output, answer.page.total);
    what.push(say("tasks.unmanaged", &[]));
    what.extend(answer.in_zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let known = Known {
        criticality: answer.of_criticality.is_some(),
        unmanaged: true,
        ..Known::default()
    };
    let mut shown = page(pen, &answer.page, &what, known, true);
    shown.suggestions = suggestions(&answer.page, answer.in_zone.as_ref().map(|z| z.as_str()));
    shown
}

pub(super) fn breaches(pen: &Pen<'_>, answer: &SlaBreachList, output: &Output) -> Answer {
    let mut what = what_tasks(pen, StatusFilter::Any, output, answer.page.total);
    what.push(say("tasks.in_breach", &[]));
    what.extend(answer.in_zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let known = Known {
        criticality: answer.of_criticality.is_some(),
        ..Known::default()
    };
    let mut shown = page(pen, &answer.page, &what, known, false);
    for (item, task) in shown.items.iter_mut().zip(&answer.page.tasks) {
        if let Some(late) = task.overdue_h.filter(|_| !task.status.is_active()) {
            let late = say("tasks.closed_late", &[("time", &duration(late))]);
            item.text = format!("{}, {late}", item.text);
        }
    }
    if answer.page.total > 0 {
        let period = period(
            pen,
            output.params.get("period"),
            answer.from,
            answer.to,
            Form::InSentence,
        );
        let late = say(
            "tasks.late_closings",
            &[("n", &answer.closed_late), ("period", &period)],
        );
        let parts = say("tasks.breach_parts", &[("n", &answer.active), ("late", &late)]);
        add(&mut shown, parts);
    }
    shown.suggestions = suggestions(&answer.page, answer.in_zone.as_ref().map(|z| z.as_str()));
    shown
}

pub(super) fn mine(pen: &Pen<'_>, answer: &MyTasksPage) -> Answer {
    let n = answer.total.saturating_sub(answer.of_crew);
    let what = joined(&status_word(answer.status, n).into_iter().collect::<Vec<_>>());
    let zone = pen.cx.caller.person().and_then(|me| me.zone.as_ref());
    let is_supervisor = pen.cx.caller.role() == Some(Role::Supervisor);
    let title = match (answer.share, zone.filter(|_| is_supervisor)) {
        (Share::Own | Share::Crew, _) => say("mine.own", &[("n", &n), ("what", &what)]),
        (Share::Managed, _) => say("mine.managed", &[("n", &n), ("what", &what)]),
        (Share::Escalated, Some(zone)) => {
            let zone = say("zone.name", &[("zone", zone)]);
            say("mine.escalated_zone", &[("n", &n), ("what", &what), ("zone", &zone)])
        }
        (Share::Escalated, None) => say("mine.escalated", &[("n", &n), ("what", &what)]),
    };
    let mut shown = if answer.total == 0 {
        Answer::text(title)
    } else {
        titled(title)
    };
    if answer.of_crew > 0 {
        add(&mut shown, say("mine.with_crew", &[("n", &answer.of_crew)]));
    }
    let mixed = answer.of_crew > 0;
    shown.items = answer.tasks.iter().map(|task| my_item(pen, task, mixed)).collect();
    shown.beyond = beyond(answer.total, answer.offset, answer.tasks.len());
    shown.suggestions = answer
        .tasks
        .first()
        .map(|t| say("ask.task", &[("id", &t.task.id)]))
        .into_iter()
        .collect();
    shown
}

/// The order is by due time, own ones first: the severity says the same.
fn my_item(pen: &Pen<'_>, mine: &MyTask, mixed: bool) -> Item {
    let severity = match (mine.share, mine.task.overdue_h, mine.task.remaining_h) {
        (Share::Crew, ..) => Severity::Low,
        (_, Some(_), _) => Severity::Critical,
        (_, None, Some(hours)) if hours <= SOON_HOURS => Severity::High,
        _ => Severity::Normal,
    };
    let group = match mine.share {
        Share::Own => "mine.group_own",
        _ => "mine.group_crew",
    };
    Item {
        severity,
        group: mixed.then(|| say(group, &[])),
        ..task_item(pen, &mine.task, Known::default())
    }
}

/// The title or the plain zero, then the rows.
fn page(pen: &Pen<'_>, page: &TaskPage, what: &[String], known: Known, by_criticality: bool) -> Answer {
    let what = joined(what);
    let n = page.total;
    let mut shown = match (n, page.tasks.is_empty()) {
        (0, _) => Answer::text(say("tasks.none", &[("what", &what)])),
        (_, true) => Answer::text(say("tasks.nothing_there", &[("n", &n), ("what", &what)])),
        (_, false) => titled(say("tasks.count", &[("n", &n), ("what", &what)])),
    };
    shown.items = page.tasks.iter().map(|task| task_item(pen, task, known)).collect();
    if !by_criticality {
        // The order asked for stands: all weigh the same.
        for item in &mut shown.items {
            item.severity = Severity::Normal;
        }
    }
    shown.beyond = beyond(page.total, page.offset, page.tasks.len());
    shown
}

fn by_status(counts: &StatusCounts) -> String {
    let parts = [
        (counts.open, "open"),
        (counts.in_progress, "in_progress"),
        (counts.stalled, "stalled"),
        (counts.on_hold, "on_hold"),
        (counts.closed, "closed"),
        (counts.cancelled, "cancelled"),
    ];
    let said = parts.map(|(n, status)| {
        say(
            "tasks.status_part",
            &[("n", &n), ("status", &word("status", status, plural(n)))],
        )
    });
    list(&said)
}

fn suggestions(page: &TaskPage, zone: Option<&str>) -> Vec<String> {
    let first = page.tasks.first().map(|task| say("ask.task", &[("id", &task.id)]));
    let zone = zone.map(|zone| {
        [
            say("ask.kpi_zone", &[("zone", &zone)]),
            say("ask.panel_zone", &[("zone", &zone)]),
        ]
    });
    first.into_iter().chain(zone.into_iter().flatten()).collect()
}
