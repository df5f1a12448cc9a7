//! `get_site_history`: what was closed and what cleared at a site.

use std::cmp::Reverse;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::{Alarm, Task};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Offset, Period};
use crate::tools::rows::{AlarmRow, Named, TaskRow, figure};
use crate::world::kpi;

/// What a history looks back over when no period is named.
const LOOKED_BACK: Period = Period::days(90);

/// A site's history: the tasks closed and the alarms cleared in the period, the latest first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteHistoryArgs {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// the period, like 30d or 90d, or {from, to} with ISO dates or instants; default 90d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// What was closed and what cleared at a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteHistory {
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
    /// Tasks and alarms together.
    #[schemars(extend("labels" = ["registros", "total"]))]
    pub total: u64,
    /// Tasks closed in the period.
    #[schemars(extend("labels" = ["tareas cerradas", "cerradas"]))]
    pub closed_tasks: u64,
    /// Alarms cleared in the period.
    #[schemars(extend("labels" = ["alarmas despejadas", "despejadas"]))]
    pub cleared_alarms: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The rows listed.
    pub entries: Vec<HistoryEntry>,
    /// The id of every entry, in the same order.
    pub ids: Vec<String>,
}

impl Outcome for SiteHistory {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// Something that ended at a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "record", rename_all = "snake_case")]
pub enum HistoryEntry {
    /// A task that was closed.
    Task(Box<TaskRow>),
    /// An alarm that cleared.
    Alarm(AlarmRow),
}

/// The record behind an entry.
enum Ended<'a> {
    Task(&'a Task),
    Alarm(&'a Alarm),
}

impl Ended<'_> {
    fn id(&self) -> &str {
        match self {
            Self::Task(task) => task.id.as_str(),
            Self::Alarm(alarm) => alarm.id.as_str(),
        }
    }
}

pub(super) fn get_site_history(cx: &Cx<'_>, args: &mut SiteHistoryArgs) -> Result<SiteHistory, ToolError> {
    let site = cx.site(&args.site_id)?;
    let period = *args.period.get_or_insert(LOOKED_BACK);
    let span = cx.span(period, Some(&site.zone))?;
    let closed = cx.world.tasks_of_site(&site.id).filter(|t| kpi::closed_in(t, span));
    let closed = closed.filter_map(|t| Some((t.closed_at?, Ended::Task(t))));
    let cleared = cx.world.alarms_of_site(&site.id);
    let cleared = cleared.filter_map(|a| Some((a.cleared_at.filter(|at| span.contains(*at))?, Ended::Alarm(a))));
    let mut entries: Vec<(Timestamp, Ended<'_>)> = closed.chain(cleared).collect();
    entries.sort_by(|(a_at, a), (b_at, b)| (Reverse(a_at), a.id()).cmp(&(Reverse(b_at), b.id())));
    let closed_tasks = entries.iter().filter(|(_, e)| matches!(e, Ended::Task(_))).count();
    let shown = entries.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(SiteHistory {
        site: Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        },
        zone: site.zone.clone(),
        period,
        from: span.from,
        to: span.to,
        total: figure(entries.len()),
        closed_tasks: figure(closed_tasks),
        cleared_alarms: figure(entries.len() - closed_tasks),
        offset: figure(args.offset.rows()),
        entries: shown
            .map(|(_, entry)| match entry {
                Ended::Task(task) => HistoryEntry::Task(Box::new(cx.task_row(task))),
                Ended::Alarm(alarm) => HistoryEntry::Alarm(cx.alarm_row(alarm)),
            })
            .collect(),
        ids: entries.iter().map(|(_, entry)| entry.id().to_owned()).collect(),
    })
}
