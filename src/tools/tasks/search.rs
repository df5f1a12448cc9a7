//! `search_tasks`: any combination of what tasks can be told apart by.

use std::cmp::Reverse;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{CrewId, SiteId, TaskId, Zone};
use crate::domain::period::{BadPeriod, Span};
use crate::domain::records::Task;
use crate::domain::sets::{Criticality, StatusFilter, TaskSort, WorkType};
use crate::domain::text::{fold, words_begin};

use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, ManagerRef, Moment, Offset, PlaceName, SearchText};
use crate::tools::rows::{TaskPage, TaskRow};

/// Tasks that match every condition given, the most critical first, then the oldest. Without a status: the active ones.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchTasks {
    /// the status, `active` or `any`; default active
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusFilter>,
    /// only this site, like SITE-001
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_id: Option<SiteId>,
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this comuna or region, by name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceName>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// only this kind of work
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_type: Option<WorkType>,
    /// only this manager's: name, part of a name, or id like E-001
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager: Option<ManagerRef>,
    /// only this crew's, like CU-AN-03
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crew_id: Option<CrewId>,
    /// ISO date or instant: created from then on (closed, when the status is closed)
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-entity" = "date_from"))]
    pub date_from: Option<Moment>,
    /// ISO date (included) or instant: created until then (closed, when the status is closed)
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-entity" = "date_to"))]
    pub date_to: Option<Moment>,
    /// words of the title, the description or the site's name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<SearchText>,
    /// the order; default criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<TaskSort>,
    #[serde(default)]
    #[allow(missing_docs, reason = "described by its type")]
    pub limit: Limit,
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    #[allow(missing_docs, reason = "described by its type")]
    pub offset: Offset,
}

/// Tasks found, with the statuses that were looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskList {
    /// Which statuses were looked at.
    pub status: StatusFilter,
    /// The order.
    pub sort: TaskSort,
    /// The tasks.
    #[serde(flatten)]
    pub page: TaskPage,
}

impl Outcome for TaskList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

impl TaskList {
    /// The rows.
    pub fn rows(&self) -> &[TaskRow] {
        &self.page.tasks
    }
}

pub(super) fn search_tasks(cx: &Cx<'_>, args: &mut SearchTasks) -> Result<TaskList, ToolError> {
    let status = *args.status.get_or_insert(StatusFilter::Active);
    let sort = *args.sort.get_or_insert(TaskSort::Criticality);
    if let Some(id) = &args.site_id {
        cx.site(id)?;
    }
    if let Some(id) = &args.crew_id {
        cx.crew(id)?;
    }
    let area = cx.place(&mut args.place, &mut args.zone)?;
    let zone = cx.zone_of(&mut args.zone)?;
    let manager = args.manager.as_mut().map(|m| cx.manager(m)).transpose()?;
    let span = dates(cx, args, zone)?;
    let words = args.text.as_ref().map(|text| fold(text.as_str()));

    // The narrowest index first; every one of them is in shown order.
    let candidates: Box<dyn Iterator<Item = &Task>> = match (&args.site_id, manager, &args.crew_id, zone) {
        (Some(site), ..) => Box::new(cx.world.tasks_of_site(site)),
        (None, _, Some(crew), _) => Box::new(cx.world.tasks_of_crew(crew)),
        _ if status == StatusFilter::Active => Box::new(cx.world.active_tasks()),
        (None, Some(manager), ..) => Box::new(cx.world.tasks_of_manager(&manager.id)),
        (None, None, None, Some(zone)) => Box::new(cx.world.tasks_of_zone(zone)),
        (None, None, None, None) => Box::new(cx.world.tasks().iter()),
    };
    let mut matching: Vec<&Task> = candidates
        .filter(|t| status.admits(t.status))
        .filter(|t| zone.is_none_or(|z| t.zone == *z))
        .filter(|t| manager.is_none_or(|m| t.manager_id.as_ref() == Some(&m.id)))
        .filter(|t| args.crew_id.as_ref().is_none_or(|c| t.crew_id.as_ref() == Some(c)))
        .filter(|t| args.criticality.is_none_or(|c| t.criticality == c))
        .filter(|t| args.work_type.is_none_or(|w| t.work_type == w))
        .filter(|t| span.is_none_or(|span| dated_in(t, status, span)))
        .filter(|t| {
            area.as_ref()
                .is_none_or(|a| cx.world.site(&t.site_id).is_some_and(|s| a.holds(s)))
        })
        .filter(|t| {
            words
                .as_ref()
                .is_none_or(|w| cx.world.task_text(&t.id).is_some_and(|text| words_begin(text, w)))
        })
        .collect();
    sort_by(&mut matching, sort);
    Ok(TaskList {
        status,
        sort,
        page: cx.task_page(&matching, args.limit.rows(), args.offset),
    })
}

/// The instants that the dates mean; an open end reaches as far as time does.
fn dates(cx: &Cx<'_>, args: &SearchTasks, zone: Option<&Zone>) -> Result<Option<Span>, ToolError> {
    if args.date_from.is_none() && args.date_to.is_none() {
        return Ok(None);
    }
    let site_zone = args
        .site_id
        .as_ref()
        .and_then(|id| cx.world.site(id))
        .map(|site| &site.zone);
    let tz = cx.tz(zone.or(site_zone));
    let bad = |field| move |e: BadPeriod| ToolError::argument(field, e.to_string());
    let from = args
        .date_from
        .map(|m| m.start(tz).map_err(bad("date_from")))
        .transpose()?;
    let to = args.date_to.map(|m| m.end(tz).map_err(bad("date_to"))).transpose()?;
    let span = Span {
        from: from.unwrap_or(Timestamp::MIN),
        to: to.unwrap_or(Timestamp::MAX),
    };
    if span.from > span.to {
        return Err(ToolError::argument("date_to", "date_to is before date_from"));
    }
    Ok(Some(span))
}

/// Dates apply to the creation, or to the closing when closed tasks are asked for
/// (`rules.date_filter`).
pub(super) fn dated_in(task: &Task, status: StatusFilter, span: Span) -> bool {
    match status {
        StatusFilter::Closed => task.closed_at.is_some_and(|at| span.contains(at)),
        _ => span.contains(task.created_at),
    }
}

/// Puts tasks that are in shown order into another; ties keep it, and end in the id.
fn sort_by(tasks: &mut [&Task], sort: TaskSort) {
    match sort {
        TaskSort::Criticality => {}
        TaskSort::Due => tasks.sort_by(|a, b| due_key(a).cmp(&due_key(b))),
        TaskSort::Oldest => tasks.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id))),
        TaskSort::Newest => tasks.sort_by(|a, b| (Reverse(a.created_at), &a.id).cmp(&(Reverse(b.created_at), &b.id))),
        TaskSort::Updated => tasks.sort_by(|a, b| (Reverse(a.updated_at), &a.id).cmp(&(Reverse(b.updated_at), &b.id))),
    }
}

/// Due time, those without one last, then id.
pub(super) fn due_key(task: &Task) -> (Timestamp, &TaskId) {
    (task.due_at.unwrap_or(Timestamp::MAX), &task.id)
}
