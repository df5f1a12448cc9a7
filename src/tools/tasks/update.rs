//! `update_task_status`: another status, or something done with a task, shown from what to what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::caller::Person;
use crate::domain::change::Change;
use crate::domain::geo::Point;
use crate::domain::ids::TaskId;
use crate::domain::records::Task;
use crate::domain::sets::{EventKind, Role, TaskAction, TaskStatus};
use crate::guardrails::write::Confirmed;
use crate::tools::contract::{Cx, Outcome, Refusal, ToolError};
use crate::tools::params::{Location, ReasonText};
use crate::tools::rows::{Holder, Named, TaskRow, Who};
use crate::tools::writing::{ConfirmationToken, DryRun, Preview};
use crate::world::kpi::one_decimal;

/// The highest level of escalation.
const LEVEL_MAX: u8 = 3;
/// Within this of a site somebody is there, km: what a phone's position is off by, and a large site.
const THERE_KM: f64 = 0.3;

/// Changes a task: its status, or what the asker does with it (take, en_route, arrived, escalate). Shows what would change; nothing is changed before a person confirms.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateTask {
    /// the task, like T-10001
    pub task_id: TaskId,
    /// the status it gets; or give an action
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-entity" = "status_to"))]
    pub status: Option<TaskStatus>,
    /// what the asker does with it; or give a status
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<TaskAction>,
    /// why; needed to close, cancel, hold or stall a task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonText>,
    /// where the asker is: lat and lon in degrees
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-entity" = "own_location"))]
    pub location: Option<Location>,
    /// only shows what would change; a confirmation comes with its token
    #[serde(default)]
    pub dry_run: DryRun,
    /// the token of the preview that a person said yes to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_token: Option<ConfirmationToken>,
}

/// What of a task a change may touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskFacts {
    /// What it is in.
    pub status: TaskStatus,
    /// Who has it.
    pub held_by: Who,
    /// Its manager.
    pub manager: Option<Named>,
    /// 0 (none) to 3.
    #[schemars(extend("labels" = ["nivel", "escalamiento"]))]
    pub escalation_level: u8,
}

/// What is usual before a task is closed, and is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Lack {
    /// Nobody said that they arrived.
    Arrival,
    /// No photo or document is attached.
    Evidence,
}

impl Lack {
    /// Its key among the phrases.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Evidence => "evidence",
        }
    }
}

/// What would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskUpdate {
    /// The task as it is.
    pub task: TaskRow,
    /// What is done with it.
    pub action: Option<TaskAction>,
    /// What is.
    pub from: TaskFacts,
    /// What would be.
    pub to: TaskFacts,
    /// Why.
    pub reason: Option<String>,
    /// From where the asker is to the site, km, one decimal.
    #[schemars(extend("labels" = ["km", "distancia"]))]
    pub distance_km: Option<f64>,
    /// The same in metres, of somebody who is close.
    #[schemars(extend("labels" = ["m", "metros", "distancia"]))]
    pub distance_m: Option<u64>,
    /// Whether that is at the site (300 m).
    pub at_site: Option<bool>,
    /// Of a task that would be closed: what is usual and not there.
    pub lacks: Vec<Lack>,
}

impl Outcome for TaskUpdate {}

impl Preview for TaskUpdate {
    fn basis(&self) -> Value {
        json!(self.from)
    }
}

/// Does this status need a reason? Who reads it later wants to know why nothing moves any more.
fn needs_reason(status: TaskStatus) -> bool {
    match status {
        TaskStatus::Closed | TaskStatus::Cancelled | TaskStatus::OnHold | TaskStatus::Stalled => true,
        TaskStatus::Open | TaskStatus::InProgress => false,
    }
}

pub(super) fn preview(cx: &Cx<'_>, args: &mut UpdateTask) -> Result<TaskUpdate, ToolError> {
    let task = cx.task(&args.task_id)?;
    let from = facts(cx, task);
    let to = match (args.status, args.action) {
        (Some(status), None) => with_status(task, &from, status)?,
        (None, Some(action)) => with_action(cx, task, &from, action)?,
        (None, None) => return Err(ToolError::argument("status", "a status or an action is needed")),
        (Some(_), Some(_)) => {
            return Err(ToolError::argument("action", "a status or an action, not both"));
        }
    };
    if args.reason.is_none() && args.status.is_some_and(needs_reason) {
        return Err(ToolError::argument("reason", "a reason is needed for this status"));
    }
    let point = args
        .location
        .as_mut()
        .map(|location| cx.location(location))
        .transpose()?;
    let km = match (point, cx.world.site(&task.site_id)) {
        (Some((point, _)), Some(site)) => Some(point.distance_km(site.point)),
        _ => None,
    };
    Ok(TaskUpdate {
        task: cx.task_row(task),
        action: args.action,
        from,
        to,
        reason: args.reason.as_ref().map(|reason| reason.as_str().to_owned()),
        distance_km: km.map(one_decimal),
        distance_m: km.filter(|km| *km < 1.0).map(metres),
        at_site: km.map(|km| km <= THERE_KM),
        lacks: match args.status {
            Some(TaskStatus::Closed) => lacks(cx, task),
            _ => Vec::new(),
        },
    })
}

pub(super) fn commit(_: &Confirmed, cx: &Cx<'_>, args: &UpdateTask) -> Result<Change, ToolError> {
    Ok(Change::UpdateTask {
        task_id: args.task_id.clone(),
        status: args.status,
        action: args.action,
        reason: args.reason.as_ref().map(|reason| reason.as_str().to_owned()),
        at_point: at(cx, args)?,
    })
}

fn at(cx: &Cx<'_>, args: &UpdateTask) -> Result<Option<Point>, ToolError> {
    let mut location = args.location.clone();
    let point = location.as_mut().map(|location| cx.location(location)).transpose()?;
    Ok(point.map(|(point, _)| point))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "metres below a kilometre, never negative"
)]
fn metres(km: f64) -> u64 {
    (km * 1000.0).round() as u64
}

fn facts(cx: &Cx<'_>, task: &Task) -> TaskFacts {
    TaskFacts {
        status: task.status,
        held_by: cx.held_by(task),
        manager: cx.named(task.manager_id.as_ref()),
        escalation_level: task.escalation_level,
    }
}

fn refused(reason: Refusal) -> ToolError {
    ToolError::Refused { reason }
}

fn with_status(task: &Task, from: &TaskFacts, status: TaskStatus) -> Result<TaskFacts, ToolError> {
    if task.status == status {
        return Err(refused(Refusal::AlreadySo));
    }
    // What is over can be opened again, and nothing else.
    if !task.status.is_active() && !matches!(status, TaskStatus::Open | TaskStatus::InProgress) {
        return Err(refused(Refusal::TaskOver));
    }
    Ok(TaskFacts { status, ..from.clone() })
}

fn with_action(cx: &Cx<'_>, task: &Task, from: &TaskFacts, action: TaskAction) -> Result<TaskFacts, ToolError> {
    if !task.status.is_active() {
        return Err(refused(Refusal::TaskOver));
    }
    let person = || cx.caller.person().ok_or(refused(Refusal::NoPerson));
    match action {
        TaskAction::Take => taken(task, from, person()?),
        TaskAction::EnRoute | TaskAction::Arrived => {
            person()?;
            Ok(TaskFacts {
                status: TaskStatus::InProgress,
                ..from.clone()
            })
        }
        TaskAction::Escalate if task.escalation_level >= LEVEL_MAX => Err(refused(Refusal::HighestLevel)),
        TaskAction::Escalate => Ok(TaskFacts {
            escalation_level: task.escalation_level + 1,
            ..from.clone()
        }),
    }
}

/// A technician takes a task for themselves; anybody else manages it from now on.
fn taken(task: &Task, from: &TaskFacts, me: &Person) -> Result<TaskFacts, ToolError> {
    let named = Named {
        id: me.id.to_string(),
        name: me.name.clone(),
    };
    let technician = me.role == Role::Technician;
    let has = if technician {
        &task.technician_id
    } else {
        &task.manager_id
    };
    if has.as_ref() == Some(&me.id) {
        return Err(refused(Refusal::AlreadySo));
    }
    if technician {
        return Ok(TaskFacts {
            held_by: Who {
                kind: Holder::Technician,
                who: Some(named),
            },
            ..from.clone()
        });
    }
    Ok(TaskFacts {
        manager: Some(named),
        ..from.clone()
    })
}

fn lacks(cx: &Cx<'_>, task: &Task) -> Vec<Lack> {
    let mut lacks = Vec::new();
    if !cx.world.events_of_task(&task.id).any(|e| e.kind == EventKind::Arrived) {
        lacks.push(Lack::Arrival);
    }
    if !cx.world.events_of_task(&task.id).any(|e| !e.media.is_empty()) {
        lacks.push(Lack::Evidence);
    }
    lacks
}
