//! `get_backlog`: what is there to do, by status, criticality and age.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::TaskStatus;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::rows::{CriticalityCounts, figure};
use crate::world::kpi;

/// The backlog: active tasks by status, by criticality and by age.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BacklogArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
}

/// The active tasks, cut three ways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Backlog {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// Active tasks.
    #[schemars(extend("labels" = ["activas", "tareas activas", "backlog", "pendientes", "total"]))]
    pub total: u64,
    /// By status.
    pub by_status: ActiveCounts,
    /// By criticality.
    pub by_criticality: CriticalityCounts,
    /// By age.
    pub by_age: AgeCounts,
}

impl Outcome for Backlog {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// Active tasks by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveCounts {
    /// Open ones.
    #[schemars(extend("labels" = ["abiertas", "open"]))]
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
}

/// Active tasks by the time since their creation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgeCounts {
    /// Less than 24 hours.
    #[schemars(extend("labels" = ["menos de 24 h", "menos de un dia"]))]
    pub under_24h: u64,
    /// From 24 hours to less than 72.
    #[schemars(extend("labels" = ["24 a 72 h", "de 24 a 72 h"]))]
    pub from_24h_to_72h: u64,
    /// From 3 days to 7.
    #[schemars(extend("labels" = ["3 a 7 dias", "de 3 a 7 d"]))]
    pub from_3d_to_7d: u64,
    /// More than 7 days.
    #[schemars(extend("labels" = ["mas de 7 dias", "mas de 7 d"]))]
    pub over_7d: u64,
}

impl AgeCounts {
    fn add(&mut self, hours: f64) {
        match hours {
            h if h < 24.0 => self.under_24h += 1,
            h if h < 72.0 => self.from_24h_to_72h += 1,
            h if h <= 168.0 => self.from_3d_to_7d += 1,
            _ => self.over_7d += 1,
        }
    }
}

pub(super) fn get_backlog(cx: &Cx<'_>, args: &mut BacklogArgs) -> Result<Backlog, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let active: Vec<&Task> = cx.active_in(zone, None).collect();
    let mut by_status = ActiveCounts::default();
    let mut by_age = AgeCounts::default();
    for task in &active {
        match task.status {
            TaskStatus::Open => by_status.open += 1,
            TaskStatus::InProgress => by_status.in_progress += 1,
            TaskStatus::Stalled => by_status.stalled += 1,
            TaskStatus::OnHold => by_status.on_hold += 1,
            TaskStatus::Closed | TaskStatus::Cancelled => {}
        }
        by_age.add(kpi::hours_between(task.created_at, cx.now));
    }
    Ok(Backlog {
        zone: zone.cloned(),
        total: figure(active.len()),
        by_status,
        by_criticality: CriticalityCounts::of(active.iter().copied()),
        by_age,
    })
}
