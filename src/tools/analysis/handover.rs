//! `get_shift_handover`: what the next shift takes over.

use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::period::Span;
use crate::domain::records::Task;
use crate::domain::sets::Criticality;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Hours;
use crate::tools::rows::{TaskRow, figure};
use crate::world::kpi;

use super::briefing::due_within_shift;

/// How many tasks of each kind are named.
const NAMED_MAX: usize = 10;

/// What a shift hands over: the tasks that opened, moved (active ones with an event in the shift, other than those opened in it), closed, and what stays pending.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShiftHandoverArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// how many hours the shift has lasted until now
    #[serde(default)]
    pub hours: Hours<12>,
}

/// What a shift hands over. Each list holds the first ten, the most critical first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftHandover {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// How long the shift has lasted.
    #[schemars(extend("labels" = ["turno de", "ultimas", "horas"]))]
    pub hours: f64,
    /// When it began.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Created in the shift, whatever became of them.
    #[schemars(extend("labels" = ["abiertas", "nuevas", "creadas"]))]
    pub opened: u64,
    /// Active, with an event in the shift, and not opened in it.
    #[schemars(extend("labels" = ["movidas", "con movimiento"]))]
    pub moved: u64,
    /// Closed in the shift.
    #[schemars(extend("labels" = ["cerradas"]))]
    pub closed: u64,
    /// Active now.
    #[schemars(extend("labels" = ["pendientes", "activas", "quedan"]))]
    pub pending: u64,
    /// Of the pending ones, critical.
    #[schemars(extend("labels" = ["criticas", "pendientes criticas"]))]
    pub pending_critical: u64,
    /// Of the pending ones, past due.
    #[schemars(extend("labels" = ["vencidas"]))]
    pub pending_overdue: u64,
    /// Of the pending ones, due within the next 8 hours.
    #[schemars(extend("labels" = ["vencen", "por vencer", "vencen en 8 h"]))]
    pub pending_due_soon: u64,
    /// The ones opened.
    pub opened_tasks: Vec<TaskRow>,
    /// The ones moved.
    pub moved_tasks: Vec<TaskRow>,
    /// The ones closed.
    pub closed_tasks: Vec<TaskRow>,
    /// The pending ones.
    pub pending_tasks: Vec<TaskRow>,
}

impl Outcome for ShiftHandover {}

pub(super) fn get_shift_handover(cx: &Cx<'_>, args: &mut ShiftHandoverArgs) -> Result<ShiftHandover, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let hours = args.hours.figure();
    let seconds = (hours * 3_600.0).round() as i64;
    let began = cx.now.checked_sub(seconds.seconds());
    let shift = Span {
        from: began.map_err(|_| ToolError::argument("hours", "the shift reaches beyond the calendar"))?,
        to: cx.now,
    };
    let all: Vec<&Task> = cx.tasks_in(zone).collect();
    let those = |keep: &dyn Fn(&Task) -> bool| -> Vec<&Task> { all.iter().copied().filter(|t| keep(t)).collect() };
    let opened = those(&|t| shift.contains(t.created_at));
    let moved = those(&|t| t.status.is_active() && !shift.contains(t.created_at) && moved_in(cx, t, shift));
    let closed = those(&|t| kpi::closed_in(t, shift));
    let pending = those(&|t| t.status.is_active());
    let of_pending = |keep: &dyn Fn(&Task) -> bool| figure(pending.iter().filter(|t| keep(t)).count());
    let rows = |tasks: &[&Task]| tasks.iter().take(NAMED_MAX).map(|t| cx.task_row(t)).collect();
    Ok(ShiftHandover {
        zone: zone.cloned(),
        hours,
        from: shift.from,
        opened: figure(opened.len()),
        moved: figure(moved.len()),
        closed: figure(closed.len()),
        pending: figure(pending.len()),
        pending_critical: of_pending(&|t| t.criticality == Criticality::Critical),
        pending_overdue: of_pending(&|t| kpi::exceeded_hours(t, cx.now).is_some()),
        pending_due_soon: of_pending(&|t| due_within_shift(cx, t)),
        opened_tasks: rows(&opened),
        moved_tasks: rows(&moved),
        closed_tasks: rows(&closed),
        pending_tasks: rows(&pending),
    })
}

fn moved_in(cx: &Cx<'_>, task: &Task, shift: Span) -> bool {
    let mut latest_first = cx.world.events_of_task(&task.id).rev();
    latest_first.any(|event| shift.contains(event.at))
}
