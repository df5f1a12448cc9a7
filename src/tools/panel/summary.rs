//! `get_panel_summary`: the sheet in four figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::sets::Criticality;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::world::kpi;

/// The prioritisation sheet in figures: rows escalated, rows over 48 h without movement, rows without a manager, rows in all. A closed or cancelled task has left it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PanelSummaryArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
}

/// The sheet in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PanelSummary {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// The criticality, or all.
    pub criticality: Option<Criticality>,
    /// Escalated rows.
    #[schemars(extend("labels" = ["escaladas"]))]
    pub escalated: u64,
    /// Rows without movement for more than 48 h.
    #[schemars(extend("labels" = ["sin movimiento", "mas de 48 h", "+48h"]))]
    pub aging_gt_48h: u64,
    /// Rows without a manager.
    #[schemars(extend("labels" = ["sin gestor", "sin asignar"]))]
    pub unassigned: u64,
    /// Rows in all.
    #[schemars(extend("labels" = ["filas", "en el panel", "total", "tareas en el panel"]))]
    pub total: u64,
}

impl Outcome for PanelSummary {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

pub(super) fn get_panel_summary(cx: &Cx<'_>, args: &mut PanelSummaryArgs) -> Result<PanelSummary, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let mut summary = PanelSummary {
        zone: zone.cloned(),
        criticality: args.criticality,
        escalated: 0,
        aging_gt_48h: 0,
        unassigned: 0,
        total: 0,
    };
    for (row, task) in cx.panel_in(zone, args.criticality) {
        summary.total += 1;
        summary.escalated += u64::from(row.escalated);
        summary.aging_gt_48h += u64::from(kpi::is_aging(task, kpi::AGING_HOURS, cx.now));
        summary.unassigned += u64::from(task.manager_id.is_none());
    }
    Ok(summary)
}
