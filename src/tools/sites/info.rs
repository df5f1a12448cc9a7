//! `get_site_info`: the consolidated card of a site.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::sets::{Criticality, SiteStatus, SiteType};
use crate::tools::access::AccessLine;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::rows::{CriticalityCounts, SeverityCounts};

/// The consolidated card of a site: its data and status, active tasks by criticality, active alarms by severity, access.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteInfoArgs {
    /// the site, like SITE-001
    pub site_id: SiteId,
}

/// The card of a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteCard {
    /// Its id.
    pub site_id: SiteId,
    /// Its name.
    pub name: String,
    /// Its zone.
    pub zone: Zone,
    /// Its region.
    pub region: String,
    /// Its comuna.
    pub comuna: String,
    /// Its address.
    pub address: String,
    /// Degrees north.
    #[schemars(extend("labels" = ["latitud", "lat", "posicion"]))]
    pub lat: f64,
    /// Degrees east.
    #[schemars(extend("labels" = ["longitud", "lon", "posicion"]))]
    pub lon: f64,
    /// What stands there.
    pub site_type: SiteType,
    /// Technologies on air.
    pub technologies: Vec<String>,
    /// How much depends on it.
    pub criticality: Criticality,
    /// How it is.
    pub status: SiteStatus,
    /// How it is powered, the system's own word.
    pub power: String,
    /// Hours the batteries last; null when not known.
    #[schemars(extend("labels" = ["autonomia", "baterias"]))]
    pub battery_autonomy_h: Option<f64>,
    /// Who owns the structure.
    pub owner: String,
    /// The last visit; null when none is on record.
    #[schemars(with = "Option<String>")]
    pub last_visit: Option<Timestamp>,
    /// Active tasks in all.
    #[schemars(extend("labels" = ["tareas activas", "tareas"]))]
    pub active_tasks: u64,
    /// Active tasks by criticality.
    pub tasks_by_criticality: CriticalityCounts,
    /// Active alarms in all.
    #[schemars(extend("labels" = ["alarmas activas", "alarmas"]))]
    pub active_alarms: u64,
    /// Active alarms by severity.
    pub alarms_by_severity: SeverityCounts,
    /// Whether one may enter.
    pub access: AccessLine,
}

impl Outcome for SiteCard {}

pub(super) fn get_site_info(cx: &Cx<'_>, args: &mut SiteInfoArgs) -> Result<SiteCard, ToolError> {
    let site = cx.site(&args.site_id)?;
    let tasks = cx.world.tasks_of_site(&site.id).filter(|t| t.status.is_active());
    let tasks_by_criticality = CriticalityCounts::of(tasks);
    let alarms = cx.world.alarms_of_site(&site.id).filter(|a| a.cleared_at.is_none());
    let alarms_by_severity = SeverityCounts::of(alarms);
    Ok(SiteCard {
        site_id: site.id.clone(),
        name: site.name.clone(),
        zone: site.zone.clone(),
        region: site.region.clone(),
        comuna: site.comuna.clone(),
        address: site.address.clone(),
        lat: site.point.lat,
        lon: site.point.lon,
        site_type: site.site_type,
        technologies: site.technologies.clone(),
        criticality: site.criticality,
        status: site.status,
        power: site.power.clone(),
        battery_autonomy_h: site.battery_autonomy_h,
        owner: site.owner.clone(),
        last_visit: site.last_visit,
        active_tasks: tasks_by_criticality.total(),
        tasks_by_criticality,
        active_alarms: alarms_by_severity.total(),
        alarms_by_severity,
        access: cx.access_line(site),
    })
}
