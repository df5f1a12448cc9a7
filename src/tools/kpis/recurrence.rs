//! `get_recurrence_patterns`: faults that come back at the same site.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, TaskId, Zone};
use crate::domain::period::Span;
use crate::domain::records::Task;
use crate::domain::sets::WorkType;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{AtLeast, Limit, Offset, Period};
use crate::tools::rows::figure;

/// What recurrence looks back over when no period is named.
const LOOKED_BACK: Period = Period::days(90);

/// Faults that recur: a site and a task title with at least so many corrective tasks created in the period, the most frequent first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecurrenceArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// the period, like 30d or 90d, or {from, to} with ISO dates or instants; default 90d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// at least so many times
    #[serde(default)]
    pub min: AtLeast<3>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Faults that recur.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecurrencePatterns {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// At least so many times.
    #[schemars(extend("labels" = ["al menos", "o mas veces"]))]
    pub min: u64,
    /// How many patterns.
    #[schemars(extend("labels" = ["fallas recurrentes", "reincidencias", "patrones", "total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The patterns listed.
    pub patterns: Vec<Recurrence>,
    /// The site of every pattern, in the same order.
    pub ids: Vec<SiteId>,
}

impl Outcome for RecurrencePatterns {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// A fault that recurs at a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recurrence {
    /// Where.
    pub site_id: SiteId,
    /// The site's name.
    pub site_name: String,
    /// The tasks' title.
    pub title: String,
    /// How many times.
    #[schemars(extend("labels" = ["veces", "tareas"]))]
    pub count: u64,
    /// Of them, active now.
    #[schemars(extend("labels" = ["activas"]))]
    pub active: u64,
    /// The first of the period.
    #[schemars(with = "String")]
    pub first_at: Timestamp,
    /// The last.
    #[schemars(with = "String")]
    pub last_at: Timestamp,
    /// The tasks, the oldest first.
    pub tasks: Vec<TaskId>,
}

pub(super) fn get_recurrence_patterns(cx: &Cx<'_>, args: &mut RecurrenceArgs) -> Result<RecurrencePatterns, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(LOOKED_BACK);
    let span = cx.span(period, zone)?;
    let all = recurring(cx, cx.tasks_in(zone), span, args.min.times());
    let ids: Vec<SiteId> = all.iter().map(|pattern| pattern.site_id.clone()).collect();
    Ok(RecurrencePatterns {
        zone: zone.cloned(),
        period,
        from: span.from,
        to: span.to,
        min: figure(args.min.times()),
        total: figure(ids.len()),
        offset: figure(args.offset.rows()),
        patterns: all
            .into_iter()
            .skip(args.offset.rows())
            .take(args.limit.rows())
            .collect(),
        ids,
    })
}

/// `recurrence`: corrective tasks created in the span, by site and title; the most frequent
/// first, ties by site and title.
pub(in crate::tools) fn recurring<'a>(
    cx: &Cx<'a>,
    tasks: impl Iterator<Item = &'a Task>,
    span: Span,
    min: usize,
) -> Vec<Recurrence> {
    let mut groups: BTreeMap<(&SiteId, &str), Vec<&Task>> = BTreeMap::new();
    for task in tasks.filter(|t| t.work_type == WorkType::Corrective && span.contains(t.created_at)) {
        groups.entry((&task.site_id, &task.title)).or_default().push(task);
    }
    let frequent = groups.into_iter().filter(|(_, tasks)| tasks.len() >= min);
    let mut patterns: Vec<Recurrence> = frequent
        .filter_map(|((site, title), mut tasks)| {
            tasks.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
            Some(Recurrence {
                site_id: site.clone(),
                site_name: cx.site_name(site),
                title: title.to_owned(),
                count: figure(tasks.len()),
                active: figure(tasks.iter().filter(|t| t.status.is_active()).count()),
                first_at: tasks.first()?.created_at,
                last_at: tasks.last()?.created_at,
                tasks: tasks.iter().map(|t| t.id.clone()).collect(),
            })
        })
        .collect();
    // The sort is stable: groups of one size keep the order of site and title.
    patterns.sort_by_key(|pattern| Reverse(pattern.count));
    patterns
}
