//! The indicators beyond the four: now, MTTR, compliance, trend, backlog, by manager, by zone.

use crate::domain::answer::{Answer, Item, Severity};
use crate::tools::Output;
use crate::tools::answers::{
    Backlog, Bucket, KpiByManager, KpiRealtime, KpiTrend, Mttr, Recurrence, RecurrencePatterns, SlaCompliance,
    TaskStats, TrendMetric, TrendPoint, ZonesCompared,
};

use super::figures::mttr;
use super::pen::{Pen, add, duration, flat, item, list, plain_item, say, titled, word};
use super::sites::criticalities;
use super::what::{Form, beyond, in_zone, joined, period, plural};

pub(super) fn realtime(pen: &Pen<'_>, answer: &KpiRealtime) -> Answer {
    let zone = pen.zone_title(answer.zone.as_ref());
    let mut shown = titled(say("kpi.now", &[("zone", &zone)]));
    add(
        &mut shown,
        say("site.critical_alarms", &[("n", &answer.critical_alarms)]),
    );
    add(&mut shown, say("kpi.sla_breach", &[("n", &answer.sla_breach)]));
    add(&mut shown, say("kpi.open", &[("n", &answer.open)]));
    add(&mut shown, say("kpi.closed_24h", &[("n", &answer.closed)]));
    add(&mut shown, mttr(answer.mttr));
    if let Some(zone) = &answer.zone {
        shown.suggestions = vec![
            say("ask.alarms_zone", &[("zone", zone)]),
            say("ask.panel_zone", &[("zone", zone)]),
        ];
    }
    shown
}

/// What the closed tasks are, and where and when: `correctivas críticas, zona norte, últimos 7 días`.
fn scope(pen: &Pen<'_>, output: &Output, from: jiff::Timestamp, to: jiff::Timestamp) -> String {
    let given = |key| super::what::given(output, key);
    let mut parts = vec![];
    parts.extend(given("work_type").map(|w| word("work_type", w, 2)));
    parts.extend(given("criticality").map(|c| {
        let name = word("criticality", c, 1);
        say("kpi.criticality", &[("criticality", &name)])
    }));
    let zone = given("zone").map(|zone| say("zone.title", &[("zone", &zone)]));
    parts.insert(0, zone.unwrap_or_else(|| say("zone.all", &[])));
    parts.push(period(pen, output.params.get("period"), from, to, Form::Alone));
    parts.join(", ")
}

pub(super) fn repair_time(pen: &Pen<'_>, answer: &Mttr, output: &Output) -> Answer {
    let mut shown = titled(scope(pen, output, answer.from, answer.to));
    add(&mut shown, mttr(answer.mttr));
    if let Some(median) = answer.median {
        add(&mut shown, say("kpi.median", &[("hours", &format!("{median:.1}"))]));
    }
    add(&mut shown, say("kpi.tasks_behind", &[("n", &answer.tasks)]));
    if let Some(zone) = &answer.zone {
        shown.suggestions = vec![say("ask.kpi_zone", &[("zone", zone)])];
    }
    shown
}

pub(super) fn compliance(pen: &Pen<'_>, answer: &SlaCompliance, output: &Output) -> Answer {
    let mut shown = titled(scope(pen, output, answer.from, answer.to));
    add(&mut shown, percent(answer.percent));
    add(&mut shown, say("kpi.closed", &[("n", &answer.closed)]));
    add(&mut shown, say("kpi.on_time", &[("n", &answer.on_time)]));
    add(&mut shown, say("kpi.late", &[("n", &answer.late)]));
    if let Some(zone) = &answer.zone {
        shown.suggestions = vec![say("ask.kpi_zone", &[("zone", zone)])];
    }
    shown
}

/// `Cumplimiento de SLA 96.1 %`; N/D when nothing was closed.
fn percent(figure: Option<f64>) -> String {
    match figure {
        Some(percent) => say("kpi.compliance", &[("percent", &format!("{percent:.1}"))]),
        None => say("kpi.compliance_none", &[]),
    }
}

pub(super) fn trend(pen: &Pen<'_>, answer: &KpiTrend, output: &Output) -> Answer {
    let metric = say(&format!("trend.{}", answer.metric.as_str()), &[]);
    let step = match answer.bucket {
        Bucket::Day => say("trend.by_day", &[]),
        Bucket::Week => say("trend.by_week", &[]),
    };
    let scope = scope(pen, output, answer.from, answer.to);
    let mut shown = titled(say(
        "trend.title",
        &[("metric", &metric), ("step", &step), ("scope", &scope)],
    ));
    let points = answer.points.iter();
    shown.items = points
        .map(|point| plain_item(point_line(pen, answer.metric, point), Severity::Normal, None))
        .collect();
    shown
}

/// `23/11 al 29/11: 4.2 h (31 tareas), parcial`
fn point_line(pen: &Pen<'_>, metric: TrendMetric, point: &TrendPoint) -> String {
    let first = pen.moment(&point.day);
    let when = if point.day == point.last_day {
        first
    } else {
        say("trend.days", &[("from", &first), ("to", &pen.moment(&point.last_day))])
    };
    let value = match (metric, point.value) {
        (_, None) => say("no_figure", &[]),
        (TrendMetric::Closed | TrendMetric::Created, Some(count)) => format!("{count}"),
        (TrendMetric::Mttr, Some(hours)) => with_tasks("trend.hours", hours, point.tasks),
        (TrendMetric::SlaCompliance, Some(percent)) => with_tasks("trend.percent", percent, point.tasks),
    };
    let key = if point.partial { "trend.partial" } else { "trend.point" };
    say(key, &[("when", &when), ("value", &value)])
}

fn with_tasks(key: &str, figure: f64, tasks: u64) -> String {
    let tasks = say("trend.tasks", &[("n", &tasks)]);
    say(key, &[("figure", &format!("{figure:.1}")), ("tasks", &tasks)])
}

pub(super) fn backlog(pen: &Pen<'_>, answer: &Backlog) -> Answer {
    let zone = pen.zone_title(answer.zone.as_ref());
    let title = say("backlog.title", &[("n", &answer.total), ("zone", &zone)]);
    if answer.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    let criticality = criticalities(&answer.by_criticality);
    add(&mut shown, say("backlog.by_criticality", &[("counts", &criticality)]));
    let by = &answer.by_status;
    let status = [
        (by.stalled, "stalled"),
        (by.open, "open"),
        (by.in_progress, "in_progress"),
        (by.on_hold, "on_hold"),
    ]
    .map(|(n, status)| {
        say(
            "tasks.status_part",
            &[("n", &n), ("status", &word("status", status, plural(n)))],
        )
    });
    add(&mut shown, say("tasks.by_status", &[("counts", &list(&status))]));
    let by = &answer.by_age;
    let age = [
        (by.over_7d, "over_7d"),
        (by.from_3d_to_7d, "from_3d_to_7d"),
        (by.from_24h_to_72h, "from_24h_to_72h"),
        (by.under_24h, "under_24h"),
    ]
    .map(|(n, age)| say(&format!("backlog.{age}"), &[("n", &n)]));
    add(&mut shown, say("backlog.by_age", &[("counts", &list(&age))]));
    if let Some(zone) = &answer.zone {
        shown.suggestions = vec![
            say("ask.stalled_zone", &[("zone", zone)]),
            say("ask.kpi_zone", &[("zone", zone)]),
        ];
    }
    shown
}

pub(super) fn stats(pen: &Pen<'_>, answer: &TaskStats, output: &Output) -> Answer {
    let mut shown = titled(scope(pen, output, answer.from, answer.to));
    let count = |key: &str, n: u64| say(key, &[("n", &n)]);
    let flow = [
        count("stats.created", answer.created),
        count("stats.closed", answer.closed),
    ];
    add(&mut shown, flow.join(", "));
    let breach = count("briefing.overdue", answer.breach);
    let stalled = count("briefing.stalled", answer.stalled);
    add(
        &mut shown,
        say(
            "stats.active",
            &[("n", &answer.active), ("breach", &breach), ("stalled", &stalled)],
        ),
    );
    let age = answer
        .mean_age_h
        .map_or_else(|| say("no_figure", &[]), |h| format!("{h:.1} h"));
    add(&mut shown, say("stats.mean_age", &[("age", &age)]));
    if answer.active == 0 {
        return shown;
    }
    let criticality = criticalities(&answer.by_criticality);
    add(&mut shown, say("backlog.by_criticality", &[("counts", &criticality)]));
    let by = &answer.by_work_type;
    let kinds = [
        (by.corrective, "corrective"),
        (by.preventive, "preventive"),
        (by.pop, "POP"),
        (by.tot, "TOT"),
        (by.installation, "installation"),
        (by.audit, "audit"),
    ];
    let there = kinds.into_iter().filter(|(n, _)| *n > 0);
    let kinds: Vec<String> = there
        .map(|(n, kind)| say("site.part", &[("n", &n), ("word", &word("work_type", kind, n))]))
        .collect();
    add(&mut shown, say("stats.by_work_type", &[("counts", &list(&kinds))]));
    shown
}

pub(super) fn by_manager(pen: &Pen<'_>, answer: &KpiByManager, output: &Output) -> Answer {
    let scope = scope(pen, output, answer.from, answer.to);
    let mut shown = titled(say("managers.title", &[("scope", &scope)]));
    // The order is by breach: all weigh the same.
    shown.items = answer
        .managers
        .iter()
        .map(|row| {
            let text = say(
                "managers.row",
                &[
                    ("name", &flat(&row.name)),
                    ("breach", &row.breach),
                    ("active", &say("managers.active", &[("n", &row.active)])),
                    ("closed", &say("managers.closed", &[("n", &row.closed)])),
                    ("mttr", &figure(row.mttr, "h")),
                ],
            );
            item(text, Severity::Normal, &row.id)
        })
        .collect();
    if answer.unassigned > 0 {
        shown
            .notes
            .push(say("managers.unassigned", &[("n", &answer.unassigned)]));
    }
    shown.beyond = beyond(answer.total, answer.offset, answer.managers.len());
    shown
}

/// `4.2 h`, or N/D.
fn figure(figure: Option<f64>, unit: &str) -> String {
    figure.map_or_else(|| say("no_figure", &[]), |figure| format!("{figure:.1} {unit}"))
}

pub(super) fn recurrence(pen: &Pen<'_>, answer: &RecurrencePatterns, output: &Output) -> Answer {
    let mut what = vec![period(
        pen,
        output.params.get("period"),
        answer.from,
        answer.to,
        Form::InSentence,
    )];
    what.extend(answer.zone.as_ref().map(|zone| in_zone(zone.as_str())));
    let what = joined(&what);
    let title = say(
        "recurrence.title",
        &[("n", &answer.total), ("what", &what), ("min", &answer.min)],
    );
    if answer.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    shown.items = answer.patterns.iter().map(|p| recurrence_item(pen, p)).collect();
    shown.beyond = beyond(answer.total, answer.offset, answer.patterns.len());
    let first = answer.patterns.first();
    shown.suggestions = first
        .map(|p| say("ask.analysis_of_site", &[("id", &p.site_id)]))
        .into_iter()
        .collect();
    shown
}

fn recurrence_item(pen: &Pen<'_>, pattern: &Recurrence) -> Item {
    let head = say(
        "recurrence.head",
        &[
            ("site", &pattern.site_id),
            ("name", &flat(&pattern.site_name)),
            ("title", &flat(&pattern.title)),
        ],
    );
    item(
        format!("{head}\n{}", times(pen, pattern)),
        Severity::Normal,
        &pattern.site_id,
    )
}

/// `10 veces, 1 activa, la última hace 3 d`
pub(super) fn times(pen: &Pen<'_>, pattern: &Recurrence) -> String {
    let ago = duration(crate::world::kpi::hours_between(pattern.last_at, pen.cx.now));
    say(
        "recurrence.times",
        &[
            ("count", &say("recurrence.count", &[("n", &pattern.count)])),
            ("active", &say("managers.active", &[("n", &pattern.active)])),
            ("ago", &ago),
        ],
    )
}

pub(super) fn zones(pen: &Pen<'_>, answer: &ZonesCompared, output: &Output) -> Answer {
    let period = period(pen, output.params.get("period"), answer.from, answer.to, Form::Alone);
    let mut shown = titled(say("zones.title", &[("period", &period)]));
    shown.items = answer
        .zones
        .iter()
        .map(|zone| {
            let text = say(
                "zones.row",
                &[
                    ("zone", &say("zone.title", &[("zone", &zone.name)])),
                    ("active", &say("managers.active", &[("n", &zone.active)])),
                    ("critical", &say("zones.critical", &[("n", &zone.critical)])),
                    ("closed", &say("managers.closed", &[("n", &zone.closed)])),
                    ("mttr", &figure(zone.mttr, "h")),
                    ("compliance", &figure(zone.compliance, "%")),
                ],
            );
            plain_item(text, Severity::Normal, None)
        })
        .collect();
    shown
}
