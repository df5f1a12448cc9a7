//! The tasks of a site, of a manager, of a zone.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::Task;
use crate::domain::sets::{Criticality, StatusFilter, TaskStatus};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, ManagerRef, Offset, Period};
use crate::tools::rows::{Named, TaskPage};

use super::search::dated_in;

/// What a question about closed tasks looks back over when it names no period.
const CLOSED_PERIOD: Period = Period::days(7);

/// A site's tasks: the active ones unless a status is given.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksBySite {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// the status, `active` or `any`; default active
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusFilter>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// A site's tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteTasks {
    /// The site.
    pub site: Named,
    /// Its zone.
    pub site_zone: Zone,
    /// Which statuses were looked at.
    pub status: StatusFilter,
    /// The tasks.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for SiteTasks {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

pub(super) fn get_tasks_by_site(cx: &Cx<'_>, args: &mut TasksBySite) -> Result<SiteTasks, ToolError> {
    let status = *args.status.get_or_insert(StatusFilter::Active);
    let site = cx.site(&args.site_id)?;
    let matching: Vec<&Task> = cx
        .world
        .tasks_of_site(&site.id)
        .filter(|t| status.admits(t.status))
        .filter(|t| args.criticality.is_none_or(|c| t.criticality == c))
        .collect();
    Ok(SiteTasks {
        site: Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        },
        site_zone: site.zone.clone(),
        status,
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}

/// A manager's tasks: the active ones unless a status is given; with status closed, those closed in the period.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksByManager {
    /// the manager: name, part of a name, or id like E-001
    pub manager: ManagerRef,
    /// the status, `active` or `any`; default active
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusFilter>,
    /// a period like 7d, or {from, to} with ISO dates or instants: only tasks created in it, or closed in it when the status is closed; then the default is 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// A manager's tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ManagerTasks {
    /// The manager.
    pub manager: Named,
    /// Which statuses were looked at.
    pub status: StatusFilter,
    /// The period's first instant, when one applied.
    #[schemars(with = "Option<String>")]
    pub from: Option<Timestamp>,
    /// Its last.
    #[schemars(with = "Option<String>")]
    pub to: Option<Timestamp>,
    /// The tasks.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for ManagerTasks {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

pub(super) fn get_tasks_by_manager(cx: &Cx<'_>, args: &mut TasksByManager) -> Result<ManagerTasks, ToolError> {
    let status = *args.status.get_or_insert(StatusFilter::Active);
    let manager = cx.manager(&mut args.manager)?;
    if status == StatusFilter::Closed {
        args.period.get_or_insert(CLOSED_PERIOD);
    }
    let span = args.period.map(|p| cx.span(p, manager.zone.as_ref())).transpose()?;
    let matching: Vec<&Task> = cx
        .world
        .tasks_of_manager(&manager.id)
        .filter(|t| status.admits(t.status))
        .filter(|t| span.is_none_or(|span| dated_in(t, status, span)))
        .collect();
    Ok(ManagerTasks {
        manager: Named {
            id: manager.id.to_string(),
            name: manager.name.clone(),
        },
        status,
        from: span.map(|s| s.from),
        to: span.map(|s| s.to),
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}

/// A zone's tasks (the active ones unless a status is given) and its counts over all statuses.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksByZone {
    /// the zone, like norte
    pub zone: Zone,
    /// the status, `active` or `any`; default active
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusFilter>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// A zone's tasks and counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ZoneTasks {
    /// The zone.
    pub in_zone: Zone,
    /// Which statuses the list holds.
    pub status: StatusFilter,
    /// Counts over all statuses, of the criticality asked for.
    pub by_status: StatusCounts,
    /// The tasks.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for ZoneTasks {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

/// Tasks by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusCounts {
    /// Open ones.
    #[schemars(extend("labels" = ["nuevas", "abiertas", "open"]))]
    pub open: u64,
    /// In progress.
    #[schemars(extend("labels" = ["en curso", "en progreso"]))]
    pub in_progress: u64,
    /// Stalled.
    #[schemars(extend("labels" = ["estancadas"]))]
    pub stalled: u64,
    /// On hold.
    #[schemars(extend("labels" = ["en espera", "pausadas"]))]
    pub on_hold: u64,
    /// Closed.
    #[schemars(extend("labels" = ["cerradas", "resueltas"]))]
    pub closed: u64,
    /// Cancelled.
    #[schemars(extend("labels" = ["canceladas", "anuladas"]))]
    pub cancelled: u64,
}

impl StatusCounts {
    fn of<'t>(tasks: impl Iterator<Item = &'t Task>) -> Self {
        let mut counts = Self::default();
        for task in tasks {
            match task.status {
                TaskStatus::Open => counts.open += 1,
                TaskStatus::InProgress => counts.in_progress += 1,
                TaskStatus::Stalled => counts.stalled += 1,
                TaskStatus::OnHold => counts.on_hold += 1,
                TaskStatus::Closed => counts.closed += 1,
                TaskStatus::Cancelled => counts.cancelled += 1,
            }
        }
        counts
    }
}

pub(super) fn get_tasks_by_zone(cx: &Cx<'_>, args: &mut TasksByZone) -> Result<ZoneTasks, ToolError> {
    let status = *args.status.get_or_insert(StatusFilter::Active);
    let zone = cx.zone(&mut args.zone)?;
    let of_zone = || {
        let tasks = cx.world.tasks_of_zone(zone);
        tasks.filter(|t| args.criticality.is_none_or(|c| t.criticality == c))
    };
    let matching: Vec<&Task> = of_zone().filter(|t| status.admits(t.status)).collect();
    Ok(ZoneTasks {
        in_zone: zone.clone(),
        status,
        by_status: StatusCounts::of(of_zone()),
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}
