//! What a question names: the sites, tasks, people, zones and times found in its text.
//!
//! The first block of fields is the shape that `relevo ask --json` prints (`INTERFACES.md`).

use serde::{Deserialize, Serialize};

use super::geo::Point;
use super::ids::{AccessId, AlarmId, AssetId, CrewId, EmployeeId, MonitorId, SiteId, TaskId, Zone};
use super::sets::{
    AccessStatus, AlarmCategory, AlarmSeverity, CrewStatus, Criticality, SiteStatus, SiteType, StatusFilter, System,
    WorkType,
};

/// A span of business time asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateRange {
    /// First local day, ISO (`2026-11-23`), or an instant.
    pub from: String,
    /// Last local day, included, or an instant.
    pub to: String,
}

/// What was found in a question. Ambiguous mentions stand in `ambiguous`, never guessed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entities {
    /// Sites named by id or by an unmistakable name.
    pub sites: Vec<SiteId>,
    /// Tasks named.
    pub task_ids: Vec<TaskId>,
    /// Statuses asked for.
    pub statuses: Vec<StatusFilter>,
    /// Days asked for.
    pub date_range: Option<DateRange>,
    /// Zones named.
    pub zones: Vec<Zone>,
    /// Managers named, as full names.
    pub managers: Vec<String>,
    /// Criticality asked for.
    pub criticality: Option<Criticality>,
    /// Work type asked for.
    pub work_type: Option<WorkType>,
    /// What else was found; not part of the printed shape.
    #[serde(skip)]
    pub more: MoreEntities,
}

/// The rest of what a question may name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MoreEntities {
    /// Ids that have the right form but name nothing the World holds, as typed.
    pub unknown: Vec<String>,
    /// A mention with several matches: what was typed, and the candidates' ids with names.
    pub ambiguous: Vec<(String, Vec<(String, String)>)>,
    /// The managers' ids.
    pub manager_ids: Vec<EmployeeId>,
    /// Other people named.
    pub employees: Vec<EmployeeId>,
    /// Crews named.
    pub crews: Vec<CrewId>,
    /// Alarms named.
    pub alarms: Vec<AlarmId>,
    /// Assets named.
    pub assets: Vec<AssetId>,
    /// Access authorisations named.
    pub accesses: Vec<AccessId>,
    /// Monitors named.
    pub monitors: Vec<MonitorId>,
    /// A comuna or region named.
    pub place: Option<String>,
    /// A rolling period (`24h`, `7d`).
    pub period: Option<String>,
    /// A bare span of hours (`más de 72 horas`).
    pub hours: Option<f64>,
    /// A day was named that is still to come or is none (`mañana`, `31 de noviembre`).
    pub unread_date: bool,
    /// Every criticality asked for, when there are several (`críticas o altas`).
    pub criticalities: Vec<Criticality>,
    /// A state, criticality or severity was named to be left out (`no críticas`).
    pub left_out: bool,
    /// A count asked for (`las 5 más antiguas`).
    pub limit: Option<u32>,
    /// A radius or other figure is never an entity; a position is.
    pub location: Option<Point>,
    /// Alarm severity.
    pub severity: Option<AlarmSeverity>,
    /// Alarm category.
    pub category: Option<AlarmCategory>,
    /// Kind of site.
    pub site_type: Option<SiteType>,
    /// State of a site.
    pub site_status: Option<SiteStatus>,
    /// State of a crew.
    pub crew_status: Option<CrewStatus>,
    /// State of an access.
    pub access_status: Option<AccessStatus>,
    /// A system named.
    pub service: Option<System>,
    /// `por gestor`, `por zona`, …: what to group by, the catalogue's word.
    pub group_by: Option<String>,
}
