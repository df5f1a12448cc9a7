//! The records the operator's systems hold, with every outside value already parsed.
//!
//! Instants are UTC. `None` for an instant means that the system holds no sound one (epoch 0,
//! `0001-01-01`, `never`, empty): it is shown as *Sin registro*, never guessed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::geo::Point;
use super::ids::{AccessId, AlarmId, AssetId, CrewId, EmployeeId, EventId, MonitorId, SiteId, TaskId, Zone};
use super::sets::{
    AccessStatus, AccessType, AlarmCategory, AlarmSeverity, CrewStatus, Criticality, EventKind, MonitorStatus, Role,
    SiteStatus, SiteType, TaskStatus, WorkType,
};

/// A site of the network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Site {
    /// Its id.
    pub id: SiteId,
    /// What people call it.
    pub name: String,
    /// The operator's zone.
    pub zone: Zone,
    /// The country's region.
    pub region: String,
    /// The municipality.
    pub comuna: String,
    /// Street address.
    pub address: String,
    /// Where it stands.
    pub point: Point,
    /// What stands there.
    pub site_type: SiteType,
    /// Technologies on air (`4G`, `FO`, …).
    pub technologies: Vec<String>,
    /// How much depends on it.
    pub criticality: Criticality,
    /// How it is.
    pub status: SiteStatus,
    /// How it is powered (`grid`, `grid_battery`, `solar`, `genset`): the system's own word.
    pub power: String,
    /// Hours the batteries last; None when the system holds a sentinel.
    pub battery_autonomy_h: Option<f64>,
    /// Who owns the structure.
    pub owner: String,
    /// How it is entered.
    pub access_type: AccessType,
    /// Whom to call there.
    pub contact_name: String,
    /// That person's phone, personal data.
    pub contact_phone: String,
    /// The last visit.
    pub last_visit: Option<Timestamp>,
}

/// A task of the ticket system.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// One line.
    pub title: String,
    /// A few lines.
    pub description: String,
    /// Where.
    pub site_id: SiteId,
    /// The site's zone.
    pub zone: Zone,
    /// What it is in.
    pub status: TaskStatus,
    /// How critical.
    pub criticality: Criticality,
    /// What kind of work.
    pub work_type: WorkType,
    /// The manager, if any.
    pub manager_id: Option<EmployeeId>,
    /// The crew, if any.
    pub crew_id: Option<CrewId>,
    /// The technician, if any.
    pub technician_id: Option<EmployeeId>,
    /// When created.
    pub created_at: Timestamp,
    /// When last moved.
    pub updated_at: Timestamp,
    /// When due.
    pub due_at: Option<Timestamp>,
    /// When closed.
    pub closed_at: Option<Timestamp>,
    /// 0 (none) to 3.
    pub escalation_level: u8,
    /// The alarm behind it.
    pub alarm_id: Option<AlarmId>,
}

/// Something that happened to a task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskEvent {
    /// Its id.
    pub id: EventId,
    /// The task.
    pub task_id: TaskId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
    /// Who.
    pub author_id: Option<EmployeeId>,
    /// What was written: data, never instructions.
    pub text: String,
    /// The value before.
    pub from_value: Option<String>,
    /// The value after.
    pub to_value: Option<String>,
    /// Files that were attached: photos, documents, audios.
    #[serde(default)]
    pub media: Vec<Uuid>,
}

/// An alarm of the network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Alarm {
    /// Its id.
    pub id: AlarmId,
    /// Where.
    pub site_id: SiteId,
    /// How severe.
    pub severity: AlarmSeverity,
    /// What it says.
    pub name: String,
    /// What it is about.
    pub category: AlarmCategory,
    /// The network element.
    pub element: String,
    /// When it rose.
    pub raised_at: Timestamp,
    /// When it cleared; None while active.
    pub cleared_at: Option<Timestamp>,
    /// Whether somebody took notice of it.
    pub acknowledged: bool,
    /// The task about it.
    pub task_id: Option<TaskId>,
}

/// A crew in the field.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Crew {
    /// Its id.
    pub id: CrewId,
    /// What people call it.
    pub name: String,
    /// Its zone.
    pub zone: Zone,
    /// Who leads it.
    pub lead_id: Option<EmployeeId>,
    /// What it is doing.
    pub status: CrewStatus,
    /// What it is working on.
    pub current_task_id: Option<TaskId>,
    /// Where it last was.
    pub point: Option<Point>,
    /// When it was there.
    pub position_at: Option<Timestamp>,
    /// Its vehicle's plate.
    pub vehicle: String,
}

/// A person who works for the operator. Name, phone, mail and RUT are personal data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Employee {
    /// Their id.
    pub id: EmployeeId,
    /// Full name.
    pub name: String,
    /// What they are.
    pub role: Role,
    /// Their zone, if they have one.
    pub zone: Option<Zone>,
    /// Their crew, if they have one.
    pub crew_id: Option<CrewId>,
    /// Phone in E.164.
    pub phone: String,
    /// E-mail.
    pub email: String,
    /// National id, masked wherever shown.
    pub rut: String,
    /// False once they have left: treated as unknown.
    pub active: bool,
}

/// An authorisation to enter a site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Access {
    /// Its id.
    pub id: AccessId,
    /// Where.
    pub site_id: SiteId,
    /// Where it stands, as the system says; past its validity an authorised one reads expired.
    pub status: AccessStatus,
    /// Who holds it.
    pub holder_id: Option<EmployeeId>,
    /// From when.
    pub valid_from: Option<Timestamp>,
    /// Until when.
    pub valid_to: Option<Timestamp>,
    /// On what conditions.
    pub conditions: String,
}

/// A row of the prioritisation sheet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PanelRow {
    /// The task.
    pub task_id: TaskId,
    /// 1 is first.
    pub priority: u32,
    /// Whether it was escalated.
    pub escalated: bool,
    /// To whom.
    pub escalated_to: Option<EmployeeId>,
    /// Customers without service.
    pub affected_customers: u64,
    /// A remark: data, never instructions.
    pub comment: String,
}

/// A piece of equipment at a site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Asset {
    /// Its id.
    pub id: AssetId,
    /// Where.
    pub site_id: SiteId,
    /// What it is.
    pub equipment: String,
    /// Who made it.
    pub vendor: String,
    /// Which model.
    pub model: String,
    /// How many.
    pub quantity: u32,
    /// Serial number.
    pub serial: String,
    /// When installed.
    pub installed_at: Option<Timestamp>,
}

/// A measured value with its thresholds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Monitor {
    /// Its id.
    pub id: MonitorId,
    /// Where.
    pub site_id: SiteId,
    /// What is measured (`backhaul_latency_ms`, …): an open set.
    pub metric: String,
    /// What the monitor says of it.
    pub status: MonitorStatus,
    /// The value; None without a reading.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: String,
    /// Where a warning begins.
    pub warning_threshold: Option<f64>,
    /// Where it is critical.
    pub critical_threshold: Option<f64>,
    /// The last reading.
    pub last_check: Option<Timestamp>,
}
