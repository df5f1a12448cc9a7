//! `analyze_site`: what keeps happening at a site.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::Alarm;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::kpis::{Recurrence, recurring};
use crate::tools::params::Period;
use crate::tools::rows::{Named, figure};
use crate::world::kpi;

/// What an analysis looks back over when no period is named.
const LOOKED_BACK: Period = Period::days(90);
/// From how many times on a fault recurs (`definitions.recurrence`).
const RECURS_FROM: usize = 3;
/// From how many times on an alarm is a repeated one.
const REPEATED_FROM: u64 = 2;
/// How many of each kind are named.
const NAMED_MAX: usize = 10;

/// What keeps happening at a site over a period: recurrent faults, MTTR, repeated alarms, and the alarms and tasks that go together.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeSite {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// the period, like 30d or 90d, or {from, to} with ISO dates or instants; default 90d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// What keeps happening at a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteAnalysis {
    /// The site.
    pub site: Named,
    /// Its zone.
    pub zone: Zone,
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// Tasks created in the period.
    #[schemars(extend("labels" = ["creadas", "tareas creadas"]))]
    pub created: u64,
    /// Tasks closed in it.
    #[schemars(extend("labels" = ["cerradas", "tareas cerradas"]))]
    pub closed: u64,
    /// Mean hours from creation to closing; null when nothing was closed.
    #[schemars(extend("labels" = ["mttr"]))]
    pub mttr: Option<f64>,
    /// Tasks active now.
    #[schemars(extend("labels" = ["tareas activas", "activas"]))]
    pub active_tasks: u64,
    /// Alarms raised in the period.
    #[schemars(extend("labels" = ["alarmas", "alarmas en el periodo"]))]
    pub alarms: u64,
    /// Of them, those that no task is about.
    #[schemars(extend("labels" = ["sin tarea", "alarmas sin tarea"]))]
    pub alarms_without_task: u64,
    /// Faults that recur, the most frequent first.
    pub recurrent: Vec<Recurrence>,
    /// Alarms that were raised more than once, the most frequent first.
    pub repeated_alarms: Vec<RepeatedAlarm>,
    /// Alarms and the tasks about them, the most frequent pair first.
    pub together: Vec<Together>,
}

impl Outcome for SiteAnalysis {}

/// An alarm that comes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedAlarm {
    /// What it says.
    pub name: String,
    /// How many times it rose.
    #[schemars(extend("labels" = ["veces", "alarmas"]))]
    pub count: u64,
    /// Of them, active now.
    #[schemars(extend("labels" = ["activas"]))]
    pub active: u64,
}

/// An alarm and a task that go together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// What the alarm says.
    pub alarm: String,
    /// The task's title.
    pub task: String,
    /// How many times.
    #[schemars(extend("labels" = ["veces"]))]
    pub count: u64,
}

pub(super) fn analyze_site(cx: &Cx<'_>, args: &mut AnalyzeSite) -> Result<SiteAnalysis, ToolError> {
    let site = cx.site(&args.site_id)?;
    let period = *args.period.get_or_insert(LOOKED_BACK);
    let span = cx.span(period, Some(&site.zone))?;
    let tasks = || cx.world.tasks_of_site(&site.id);
    let times = kpi::closing_times(tasks(), span);
    let raised = cx.world.alarms_of_site(&site.id);
    let raised: Vec<&Alarm> = raised.filter(|a| span.contains(a.raised_at)).collect();
    let mut recurrent = recurring(cx, tasks(), span, RECURS_FROM);
    recurrent.truncate(NAMED_MAX);
    Ok(SiteAnalysis {
        site: Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        },
        zone: site.zone.clone(),
        period,
        from: span.from,
        to: span.to,
        created: figure(tasks().filter(|t| span.contains(t.created_at)).count()),
        closed: figure(times.len()),
        mttr: kpi::mean_hours(&times).map(kpi::one_decimal),
        active_tasks: figure(tasks().filter(|t| t.status.is_active()).count()),
        alarms: figure(raised.len()),
        alarms_without_task: figure(raised.iter().filter(|a| cx.task_of_alarm(a).is_none()).count()),
        recurrent,
        repeated_alarms: repeated(&raised),
        together: together(cx, &raised),
    })
}

fn repeated(raised: &[&Alarm]) -> Vec<RepeatedAlarm> {
    let mut by_name: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for alarm in raised {
        let (count, active) = by_name.entry(&alarm.name).or_default();
        *count += 1;
        *active += u64::from(alarm.cleared_at.is_none());
    }
    let mut rows: Vec<RepeatedAlarm> = by_name
        .into_iter()
        .filter(|(_, (count, _))| *count >= REPEATED_FROM)
        .map(|(name, (count, active))| RepeatedAlarm {
            name: name.to_owned(),
            count,
            active,
        })
        .collect();
    rows.sort_by_key(|row| Reverse(row.count));
    rows.truncate(NAMED_MAX);
    rows
}

/// Alarms with the task about each, counted by name and title.
fn together(cx: &Cx<'_>, raised: &[&Alarm]) -> Vec<Together> {
    let mut pairs: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for alarm in raised {
        if let Some(task) = cx.task_of_alarm(alarm) {
            *pairs.entry((&alarm.name, &task.title)).or_default() += 1;
        }
    }
    let mut rows: Vec<Together> = pairs
        .into_iter()
        .map(|((alarm, task), count)| Together {
            alarm: alarm.to_owned(),
            task: task.to_owned(),
            count,
        })
        .collect();
    rows.sort_by_key(|row| Reverse(row.count));
    rows.truncate(NAMED_MAX);
    rows
}
