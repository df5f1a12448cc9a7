//! Rows that the answers of several tools are made of, and how a record becomes one.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AlarmId, SiteId, TaskId, Zone};
use crate::domain::records::{Alarm, Task};
use crate::domain::sets::{AlarmCategory, AlarmSeverity, Criticality, TaskStatus, WorkType};
use crate::world::kpi::{exceeded_hours, hours_between, one_decimal};

use super::contract::Cx;
use super::params::Offset;

/// Someone or something by id and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Who has a task: technician, else crew, else manager, else nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Holder {
    /// A technician.
    Technician,
    /// A crew.
    Crew,
    /// A manager.
    Manager,
    /// Nobody.
    Nobody,
}

/// Who has a task, with the name where the caller may see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Who {
    /// What kind of holder.
    pub kind: Holder,
    /// Who; a person is not named to a guest.
    pub who: Option<Named>,
}

/// A task in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRow {
    /// Its id.
    pub id: TaskId,
    /// One line.
    pub title: String,
    /// Where.
    pub site_id: SiteId,
    /// The site's name.
    pub site_name: String,
    /// The zone.
    pub zone: Zone,
    /// What it is in.
    pub status: TaskStatus,
    /// How critical.
    pub criticality: Criticality,
    /// What kind of work.
    pub work_type: WorkType,
    /// Who has it.
    pub held_by: Who,
    /// The manager; not named to a guest.
    pub manager: Option<Named>,
    /// Whether it has a manager.
    pub managed: bool,
    /// When created.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When last moved.
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
    /// When due.
    #[schemars(with = "Option<String>")]
    pub due_at: Option<Timestamp>,
    /// When closed.
    #[schemars(with = "Option<String>")]
    pub closed_at: Option<Timestamp>,
    /// Hours since it was created, of an active one.
    #[schemars(extend("labels" = ["edad", "antiguedad", "hace", "lleva", "creada hace"]))]
    pub age_h: Option<f64>,
    /// Hours since it last moved, of an active one.
    #[schemars(extend("labels" = ["sin movimiento", "estancada", "detenida", "quieta"]))]
    pub idle_h: Option<f64>,
    /// Hours past its due time.
    #[schemars(extend("labels" = ["vencida", "excedida", "fuera de plazo", "atraso", "en breach"]))]
    pub overdue_h: Option<f64>,
    /// Hours until its due time, of an active one.
    #[schemars(extend("labels" = ["quedan", "vence en", "por vencer", "restan"]))]
    pub remaining_h: Option<f64>,
    /// Hours from creation to closing, of a closed one.
    #[schemars(extend("labels" = ["demoro", "duro", "cerrada en", "resuelta en"]))]
    pub took_h: Option<f64>,
    /// 0 (none) to 3.
    #[schemars(extend("labels" = ["escalada", "nivel", "escalamiento"]))]
    pub escalation_level: u8,
}

/// Tasks that match, a part of them as rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskPage {
    /// How many match.
    #[schemars(extend("labels" = ["tareas", "total", "en total", "encontre"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The rows listed.
    pub tasks: Vec<TaskRow>,
    /// Every matching id, in the same order.
    pub ids: Vec<TaskId>,
}

/// An alarm in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlarmRow {
    /// Its id.
    pub id: AlarmId,
    /// Where.
    pub site_id: SiteId,
    /// The site's name.
    pub site_name: String,
    /// How severe.
    pub severity: AlarmSeverity,
    /// What it says.
    pub name: String,
    /// What it is about.
    pub category: AlarmCategory,
    /// The network element.
    pub element: String,
    /// When it rose.
    #[schemars(with = "String")]
    pub raised_at: Timestamp,
    /// When it cleared.
    #[schemars(with = "Option<String>")]
    pub cleared_at: Option<Timestamp>,
    /// Hours it has been active, or was.
    #[schemars(extend("labels" = ["hace", "activa", "lleva", "duro"]))]
    pub age_h: f64,
    /// Whether somebody took notice.
    pub acknowledged: bool,
    /// The task about it.
    pub task_id: Option<TaskId>,
}

/// Alarms that match, a part of them as rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlarmPage {
    /// How many match.
    #[schemars(extend("labels" = ["alarmas", "total", "en total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// Those that match, by severity.
    pub by_severity: SeverityCounts,
    /// The rows listed.
    pub alarms: Vec<AlarmRow>,
    /// Every matching id, in the same order.
    pub ids: Vec<AlarmId>,
}

/// Tasks by criticality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriticalityCounts {
    /// Critical ones.
    #[schemars(extend("labels" = ["criticas", "criticos", "tareas criticas"]))]
    pub critical: u64,
    /// High ones.
    #[schemars(extend("labels" = ["altas", "altos", "criticidad alta"]))]
    pub high: u64,
    /// Medium ones.
    #[schemars(extend("labels" = ["medias", "medios", "criticidad media"]))]
    pub medium: u64,
    /// Low ones.
    #[schemars(extend("labels" = ["bajas", "bajos", "criticidad baja"]))]
    pub low: u64,
}

impl CriticalityCounts {
    /// Counts.
    pub fn of<'t>(tasks: impl Iterator<Item = &'t Task>) -> Self {
        let mut counts = Self::default();
        for task in tasks {
            match task.criticality {
                Criticality::Critical => counts.critical += 1,
                Criticality::High => counts.high += 1,
                Criticality::Medium => counts.medium += 1,
                Criticality::Low => counts.low += 1,
            }
        }
        counts
    }

    /// All of them.
    pub fn total(self) -> u64 {
        self.critical + self.high + self.medium + self.low
    }
}

/// Alarms by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeverityCounts {
    /// Critical ones.
    #[schemars(extend("labels" = ["criticas", "alarmas criticas"]))]
    pub critical: u64,
    /// Major ones.
    #[schemars(extend("labels" = ["mayores", "alarmas mayores"]))]
    pub major: u64,
    /// Minor ones.
    #[schemars(extend("labels" = ["menores", "alarmas menores"]))]
    pub minor: u64,
    /// Warnings.
    #[schemars(extend("labels" = ["advertencias", "warning"]))]
    pub warning: u64,
}

impl SeverityCounts {
    /// Counts.
    pub fn of<'t>(alarms: impl Iterator<Item = &'t Alarm>) -> Self {
        let mut counts = Self::default();
        for alarm in alarms {
            match alarm.severity {
                AlarmSeverity::Critical => counts.critical += 1,
                AlarmSeverity::Major => counts.major += 1,
                AlarmSeverity::Minor => counts.minor += 1,
                AlarmSeverity::Warning => counts.warning += 1,
            }
        }
        counts
    }

    /// All of them.
    pub fn total(self) -> u64 {
        self.critical + self.major + self.minor + self.warning
    }
}

/// A count of rows as a figure.
pub(super) fn figure(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

impl Cx<'_> {
    /// A task as a row.
    pub(super) fn task_row(&self, task: &Task) -> TaskRow {
        let active = task.status.is_active();
        let until_due = task.due_at.filter(|due| active && *due >= self.now);
        let took = task.closed_at.filter(|_| task.status == TaskStatus::Closed);
        TaskRow {
            id: task.id.clone(),
            title: task.title.clone(),
            site_id: task.site_id.clone(),
            site_name: self.site_name(&task.site_id),
            zone: task.zone.clone(),
            status: task.status,
            criticality: task.criticality,
            work_type: task.work_type,
            held_by: self.held_by(task),
            manager: self.named(task.manager_id.as_ref()),
            managed: task.manager_id.is_some(),
            created_at: task.created_at,
            updated_at: task.updated_at,
            due_at: task.due_at,
            closed_at: task.closed_at,
            age_h: active.then(|| one_decimal(hours_between(task.created_at, self.now))),
            idle_h: active.then(|| one_decimal(hours_between(task.updated_at, self.now))),
            overdue_h: exceeded_hours(task, self.now).map(one_decimal),
            remaining_h: until_due.map(|due| one_decimal(hours_between(self.now, due))),
            took_h: took.map(|at| one_decimal(hours_between(task.created_at, at))),
            escalation_level: task.escalation_level,
        }
    }

    /// Technician, else crew, else manager, else nobody (`rules.who_has_it`).
    pub(super) fn held_by(&self, task: &Task) -> Who {
        let person = |kind, id| Who {
            kind,
            who: self.named(Some(id)),
        };
        match (&task.technician_id, &task.crew_id, &task.manager_id) {
            (Some(id), ..) => person(Holder::Technician, id),
            (None, Some(id), _) => Who {
                kind: Holder::Crew,
                who: Some(Named {
                    id: id.to_string(),
                    name: self.world.crew(id).map_or_else(|| id.to_string(), |c| c.name.clone()),
                }),
            },
            (None, None, Some(id)) => person(Holder::Manager, id),
            (None, None, None) => Who {
                kind: Holder::Nobody,
                who: None,
            },
        }
    }

    /// A page of tasks that are already in order.
    pub(super) fn task_page(&self, matching: &[&Task], limit: usize, offset: Offset) -> TaskPage {
        let shown = matching.iter().skip(offset.rows()).take(limit);
        TaskPage {
            total: figure(matching.len()),
            offset: figure(offset.rows()),
            tasks: shown.map(|task| self.task_row(task)).collect(),
            ids: matching.iter().map(|task| task.id.clone()).collect(),
        }
    }

    /// An alarm as a row.
    pub(super) fn alarm_row(&self, alarm: &Alarm) -> AlarmRow {
        AlarmRow {
            id: alarm.id.clone(),
            site_id: alarm.site_id.clone(),
            site_name: self.site_name(&alarm.site_id),
            severity: alarm.severity,
            name: alarm.name.clone(),
            category: alarm.category,
            element: alarm.element.clone(),
            raised_at: alarm.raised_at,
            cleared_at: alarm.cleared_at,
            age_h: one_decimal(hours_between(alarm.raised_at, alarm.cleared_at.unwrap_or(self.now))),
            acknowledged: alarm.acknowledged,
            task_id: alarm.task_id.clone(),
        }
    }

    /// A page of alarms that are already in order.
    pub(super) fn alarm_page(&self, matching: &[&Alarm], limit: usize, offset: Offset) -> AlarmPage {
        let shown = matching.iter().skip(offset.rows()).take(limit);
        AlarmPage {
            total: figure(matching.len()),
            offset: figure(offset.rows()),
            by_severity: SeverityCounts::of(matching.iter().copied()),
            alarms: shown.map(|alarm| self.alarm_row(alarm)).collect(),
            ids: matching.iter().map(|alarm| alarm.id.clone()).collect(),
        }
    }

    /// A site's name; its id when the site is not there.
    pub(super) fn site_name(&self, id: &SiteId) -> String {
        self.world
            .site(id)
            .map_or_else(|| id.to_string(), |site| site.name.clone())
    }
}
