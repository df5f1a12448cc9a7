//! `quick_site_status`: active tasks, critical alarms, access.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::Site;
use crate::domain::sets::{AlarmSeverity, SiteStatus};

use crate::tools::access::AccessLine;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::rows::figure;

/// A site at a glance, in three lines: its active tasks, its critical alarms, and whether one may enter.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuickSiteStatus {
    /// the site, like SITE-001
    pub site_id: SiteId,
}

/// A site at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteGlance {
    /// The site.
    pub site_id: SiteId,
    /// Its name.
    pub name: String,
    /// Its zone.
    pub zone: Zone,
    /// How it is.
    pub status: SiteStatus,
    /// Its active tasks.
    #[schemars(extend("labels" = ["tareas activas", "tareas", "abiertas", "pendientes"]))]
    pub active_tasks: u64,
    /// Its active critical alarms.
    #[schemars(extend("labels" = ["alarmas criticas", "alarmas"]))]
    pub critical_alarms: u64,
    /// Whether one may enter.
    pub access: AccessLine,
}

impl Outcome for SiteGlance {}

pub(super) fn quick_site_status(cx: &Cx<'_>, args: &mut QuickSiteStatus) -> Result<SiteGlance, ToolError> {
    Ok(cx.glance(cx.site(&args.site_id)?))
}

impl Cx<'_> {
    /// A site at a glance.
    pub(super) fn glance(&self, site: &Site) -> SiteGlance {
        let tasks = self.world.tasks_of_site(&site.id).filter(|t| t.status.is_active());
        let alarms = self.world.alarms_of_site(&site.id).filter(|a| a.cleared_at.is_none());
        SiteGlance {
            site_id: site.id.clone(),
            name: site.name.clone(),
            zone: site.zone.clone(),
            status: site.status,
            active_tasks: figure(tasks.count()),
            critical_alarms: figure(alarms.filter(|a| a.severity == AlarmSeverity::Critical).count()),
            access: self.access_line(site),
        }
    }
}
