//! `get_customer_impact`: how many customers are without service, and for which tasks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Offset};

use super::rows::PanelPage;

/// Customers without service, in total and by task, as the prioritisation sheet says; its tasks without any are left out.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomerImpactArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Customers without service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CustomerImpact {
    /// The zone asked about.
    pub in_zone: Option<Zone>,
    /// Customers without service, of all the tasks together.
    #[schemars(extend("labels" = ["clientes", "clientes afectados", "afectados", "en total"]))]
    pub customers: u64,
    /// The tasks with customers without service, in the sheet's order.
    #[serde(flatten)]
    pub page: PanelPage,
}

impl Outcome for CustomerImpact {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

pub(super) fn get_customer_impact(cx: &Cx<'_>, args: &mut CustomerImpactArgs) -> Result<CustomerImpact, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let matching: Vec<_> = cx
        .panel_in(zone, None)
        .filter(|(row, _)| row.affected_customers > 0)
        .collect();
    Ok(CustomerImpact {
        in_zone: zone.cloned(),
        customers: matching.iter().map(|(row, _)| row.affected_customers).sum(),
        page: cx.panel_page(&matching, args.limit.rows(), args.offset),
    })
}
