//! `count_tasks`: how many, by what.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::{Criticality, StatusFilter, TaskStatus, WorkType};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Period;

use super::search::dated_in;

/// How many tasks by status, zone, criticality, work type, manager or site, and in total. Grouped by status all statuses count, else the active ones unless a status is given.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountTasks {
    /// what to group by
    pub group_by: GroupBy,
    /// the status, `active` or `any`; default active, or any when grouped by status
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusFilter>,
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// only this kind of work
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_type: Option<WorkType>,
    /// a period like 7d, or {from, to} with ISO dates or instants: only tasks created in it, or closed in it when the status is closed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// What to group by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, extend("x-entity" = "group_by"))]
pub enum GroupBy {
    /// By status.
    Status,
    /// By zone.
    Zone,
    /// By criticality.
    Criticality,
    /// By work type.
    WorkType,
    /// By manager.
    Manager,
    /// By site.
    Site,
}

/// A group and its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The catalogue's word or an id; empty for tasks without a manager.
    pub key: String,
    /// The name of a manager or site.
    pub name: Option<String>,
    /// How many.
    #[schemars(extend("labels" = ["tareas"]))]
    pub count: u64,
}

/// Counts by group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskCounts {
    /// What they are grouped by.
    pub group_by: GroupBy,
    /// Which statuses were counted.
    pub status: StatusFilter,
    /// The zone asked about.
    pub zone: Option<Zone>,
    /// The criticality asked about.
    pub criticality: Option<Criticality>,
    /// The work type asked about.
    pub work_type: Option<WorkType>,
    /// The period's first instant, when one applied.
    #[schemars(with = "Option<String>")]
    pub from: Option<Timestamp>,
    /// Its last.
    #[schemars(with = "Option<String>")]
    pub to: Option<Timestamp>,
    /// All of them.
    #[schemars(extend("labels" = ["tareas", "total", "en total"]))]
    pub total: u64,
    /// By rank for status and criticality, else the largest group first.
    pub groups: Vec<Group>,
}

impl Outcome for TaskCounts {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

pub(super) fn count_tasks(cx: &Cx<'_>, args: &mut CountTasks) -> Result<TaskCounts, ToolError> {
    if args.group_by == GroupBy::Manager {
        cx.about_people()?;
    }
    let by_status = args.group_by == GroupBy::Status;
    let usual = if by_status {
        StatusFilter::Any
    } else {
        StatusFilter::Active
    };
    let status = *args.status.get_or_insert(usual);
    let zone = cx.zone_of(&mut args.zone)?;
    let span = args.period.map(|p| cx.span(p, zone)).transpose()?;
    let candidates: Box<dyn Iterator<Item = &Task>> = match zone {
        Some(zone) => Box::new(cx.world.tasks_of_zone(zone)),
        None if status == StatusFilter::Active => Box::new(cx.world.active_tasks()),
        None => Box::new(cx.world.tasks().iter()),
    };
    let mut counts: HashMap<&str, u64> = HashMap::new();
    let mut total = 0;
    for task in candidates
        .filter(|t| status.admits(t.status))
        .filter(|t| args.criticality.is_none_or(|c| t.criticality == c))
        .filter(|t| args.work_type.is_none_or(|w| t.work_type == w))
        .filter(|t| span.is_none_or(|span| dated_in(t, status, span)))
    {
        total += 1;
        *counts.entry(key_of(args.group_by, task)).or_default() += 1;
    }
    Ok(TaskCounts {
        group_by: args.group_by,
        status,
        zone: zone.cloned(),
        criticality: args.criticality,
        work_type: args.work_type,
        from: span.map(|s| s.from),
        to: span.map(|s| s.to),
        total,
        groups: groups(cx, args.group_by, status, &counts),
    })
}

fn key_of(group_by: GroupBy, task: &Task) -> &str {
    match group_by {
        GroupBy::Status => task.status.as_str(),
        GroupBy::Zone => task.zone.as_str(),
        GroupBy::Criticality => task.criticality.as_str(),
        GroupBy::WorkType => task.work_type.as_str(),
        GroupBy::Manager => task.manager_id.as_ref().map_or("", |id| id.as_str()),
        GroupBy::Site => task.site_id.as_str(),
    }
}

/// Ranked sets keep their rank and state their zeros; the others go by size.
fn groups(cx: &Cx<'_>, group_by: GroupBy, status: StatusFilter, counts: &HashMap<&str, u64>) -> Vec<Group> {
    let size = |key: &str| counts.get(key).copied().unwrap_or(0);
    let group = |key: &str| Group {
        key: key.to_owned(),
        name: name_of(cx, group_by, key),
        count: size(key),
    };
    match group_by {
        GroupBy::Status => {
            let looked_at = TaskStatus::ALL.iter().filter(|s| status.admits(**s));
            looked_at.map(|s| group(s.as_str())).collect()
        }
        GroupBy::Criticality => Criticality::ALL.iter().map(|c| group(c.as_str())).collect(),
        GroupBy::Zone | GroupBy::WorkType | GroupBy::Manager | GroupBy::Site => {
            let mut keys: Vec<&str> = counts.keys().copied().collect();
            keys.sort_by_key(|key| (Reverse(size(key)), *key));
            keys.into_iter().map(group).collect()
        }
    }
}

fn name_of(cx: &Cx<'_>, group_by: GroupBy, key: &str) -> Option<String> {
    match group_by {
        GroupBy::Manager => cx.named(key.parse().ok().as_ref()).map(|n| n.name),
        GroupBy::Site => key.parse().ok().map(|id| cx.site_name(&id)),
        _ => None,
    }
}
