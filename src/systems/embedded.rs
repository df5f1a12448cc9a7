//! The embedded operator carries orders out: a picture and an order in, records out.
//!
//! Nothing here keeps anything: the ledger keeps the records together with the order's outcome, in
//! one transaction, and the picture takes them in afterwards.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use uuid::Uuid;

use crate::domain::change::{Change, Effect, Order, RecordKind, RecordPut};
use crate::domain::ids::{CrewId, EmployeeId, EventId, SiteId, TaskId};
use crate::domain::records::{Crew, PanelRow, Task, TaskEvent};
use crate::domain::sets::{CrewStatus, Criticality, EventKind, Role, TaskAction, TaskStatus, WorkType};
use crate::world::World;

use super::WriteFault;

/// The highest level of escalation.
const LEVEL_MAX: u8 = 3;

/// What the picture must hold once this order is carried out.
pub fn perform(world: &World, order: &Order) -> Result<Effect, WriteFault> {
    let mut work = Work {
        world,
        order,
        events: highest(world.records().events.iter().map(|event| event.id.as_str())),
        puts: Vec::new(),
    };
    let reference = match &order.change {
        Change::UpdateTask {
            task_id,
            status,
            action,
            reason,
            at_point,
        } => {
            let mut task = work.task(task_id)?.clone();
            let text = reason.clone().unwrap_or_default();
            match (status, action) {
                (Some(status), None) => work.set_status(&mut task, *status, &text),
                (None, Some(action)) => work.act(&mut task, *action, &text, *at_point)?,
                (Some(_), Some(_)) | (None, None) => return Err(refused("a status or an action, one of them")),
            }
            work.put_task(&mut task);
            task.id.to_string()
        }
        Change::AddNote { task_id, text, media } => {
            let mut task = work.task(task_id)?.clone();
            work.event(
                &task.id,
                EventKind::Note,
                Told {
                    text,
                    media: media.clone(),
                    ..Told::default()
                },
            );
            work.put_task(&mut task);
            task.id.to_string()
        }
        Change::CreateTask {
            site_id,
            title,
            description,
            criticality,
            work_type,
            crew_id,
        } => work.create(&NewTask {
            site_id,
            title,
            description: description.as_deref().unwrap_or_default(),
            criticality: *criticality,
            work_type: *work_type,
            crew_id: crew_id.as_ref(),
        })?,
        Change::SendEmail { .. } | Change::SendWhatsapp { .. } => return Err(WriteFault::NotConfigured),
    };
    Ok(Effect {
        reference,
        records: work.puts,
    })
}

fn refused(reason: &str) -> WriteFault {
    WriteFault::Refused {
        reason: reason.to_owned(),
    }
}

/// The highest number among ids like `T-10001`.
fn highest<'i>(ids: impl Iterator<Item = &'i str>) -> u64 {
    let numbers = ids.filter_map(|id| id.rsplit_once('-')?.1.parse().ok());
    numbers.max().unwrap_or_default()
}

/// What an event tells besides its kind.
#[derive(Default)]
struct Told<'t> {
    text: &'t str,
    from: Option<String>,
    to: Option<String>,
    media: Vec<Uuid>,
}

struct NewTask<'t> {
    site_id: &'t SiteId,
    title: &'t str,
    description: &'t str,
    criticality: Criticality,
    work_type: WorkType,
    crew_id: Option<&'t CrewId>,
}

/// An order under way.
struct Work<'a> {
    world: &'a World,
    order: &'a Order,
    /// The number of the last event.
    events: u64,
    puts: Vec<RecordPut>,
}

impl<'a> Work<'a> {
    fn task(&self, id: &TaskId) -> Result<&'a Task, WriteFault> {
        self.world.task(id).ok_or_else(|| refused("there is no such task"))
    }

    fn put(&mut self, kind: RecordKind, id: &str, record: &impl Serialize) {
        self.puts.push(RecordPut {
            kind,
            id: id.to_owned(),
            value: serde_json::to_value(record).unwrap_or_default(),
        });
    }

    /// Every change moves its task.
    fn put_task(&mut self, task: &mut Task) {
        task.updated_at = self.order.at;
        let id = task.id.to_string();
        self.put(RecordKind::Tasks, &id, task);
    }

    fn event(&mut self, task: &TaskId, kind: EventKind, told: Told<'_>) {
        self.events += 1;
        let Ok(id) = EventId::parse(&format!("EV-{:05}", self.events)) else {
            return;
        };
        let event = TaskEvent {
            id: id.clone(),
            task_id: task.clone(),
            at: self.order.at,
            kind,
            author_id: self.order.by.clone(),
            text: told.text.to_owned(),
            from_value: told.from,
            to_value: told.to,
            media: told.media,
        };
        self.put(RecordKind::Events, id.as_str(), &event);
    }

    fn set_status(&mut self, task: &mut Task, to: TaskStatus, text: &str) {
        let from = std::mem::replace(&mut task.status, to);
        task.closed_at = (to == TaskStatus::Closed).then_some(self.order.at);
        let kind = if to == TaskStatus::Closed {
            EventKind::Closed
        } else {
            EventKind::Status
        };
        let told = Told {
            text,
            from: Some(from.to_string()),
            to: Some(to.to_string()),
            ..Told::default()
        };
        self.event(&task.id, kind, told);
        if !to.is_active() {
            self.leave(&task.id);
        }
    }

    fn act(
        &mut self,
        task: &mut Task,
        action: TaskAction,
        text: &str,
        at_point: Option<crate::domain::geo::Point>,
    ) -> Result<(), WriteFault> {
        if !task.status.is_active() {
            return Err(refused("the task is closed or cancelled"));
        }
        let by = || self.order.by.clone().ok_or_else(|| refused("it takes a person"));
        match action {
            TaskAction::Take => {
                let by = by()?;
                self.take(task, &by, text);
            }
            TaskAction::EnRoute | TaskAction::Arrived => {
                let by = by()?;
                let (kind, crew) = match action {
                    TaskAction::Arrived => (EventKind::Arrived, CrewStatus::OnSite),
                    _ => (EventKind::EnRoute, CrewStatus::EnRoute),
                };
                let from = std::mem::replace(&mut task.status, TaskStatus::InProgress);
                let told = Told {
                    text,
                    from: Some(from.to_string()),
                    to: Some(task.status.to_string()),
                    ..Told::default()
                };
                self.event(&task.id, kind, told);
                self.move_crew(&by, crew, &task.id, at_point);
            }
            TaskAction::Escalate => {
                let level = task.escalation_level.saturating_add(1);
                if level > LEVEL_MAX {
                    return Err(refused("the task is escalated to the highest level"));
                }
                let told = Told {
                    text,
                    from: Some(task.escalation_level.to_string()),
                    to: Some(level.to_string()),
                    ..Told::default()
                };
                self.event(&task.id, EventKind::Escalated, told);
                task.escalation_level = level;
                self.show_on_panel(task);
            }
        }
        Ok(())
    }

    /// A technician takes a task for themselves and their crew; anybody else manages it from now on.
    fn take(&mut self, task: &mut Task, by: &EmployeeId, text: &str) {
        let person = self.world.employee(by);
        let to = Some(by.clone());
        let from = if person.is_some_and(|p| p.role != Role::Technician) {
            std::mem::replace(&mut task.manager_id, to)
        } else {
            if let Some(crew) = person.and_then(|p| p.crew_id.clone()) {
                task.crew_id = Some(crew);
            }
            std::mem::replace(&mut task.technician_id, to)
        };
        let told = Told {
            text,
            from: from.map(|id| id.to_string()),
            to: Some(by.to_string()),
            ..Told::default()
        };
        self.event(&task.id, EventKind::Assigned, told);
    }

    /// Where somebody goes, their crew goes.
    fn move_crew(&mut self, by: &EmployeeId, status: CrewStatus, task: &TaskId, at: Option<crate::domain::geo::Point>) {
        let crew = self.world.employee(by).and_then(|person| person.crew_id.as_ref());
        let Some(crew) = crew.and_then(|id| self.world.crew(id)) else {
            return;
        };
        let moved = Crew {
            status,
            current_task_id: Some(task.clone()),
            point: at.or(crew.point),
            position_at: at.map_or(crew.position_at, |_| Some(self.order.at)),
            ..crew.clone()
        };
        self.put(RecordKind::Crews, crew.id.as_str(), &moved);
    }

    /// Crews that worked on a task that is over are free.
    fn leave(&mut self, task: &TaskId) {
        let busy = self.world.crews().iter();
        let busy = busy.filter(|crew| crew.current_task_id.as_ref() == Some(task));
        for crew in busy {
            let status = match crew.status {
                CrewStatus::OffShift => CrewStatus::OffShift,
                CrewStatus::Available | CrewStatus::EnRoute | CrewStatus::OnSite => CrewStatus::Available,
            };
            let free = Crew {
                status,
                current_task_id: None,
                ..crew.clone()
            };
            self.put(RecordKind::Crews, crew.id.as_str(), &free);
        }
    }

    /// An escalated task has its row on the sheet, with whom it was escalated to.
    fn show_on_panel(&mut self, task: &Task) {
        let known = self.world.panel_row(&task.id);
        let level_of = if task.escalation_level >= LEVEL_MAX {
            Role::Noc
        } else {
            Role::Supervisor
        };
        let people = self.world.employees().iter().filter(|p| p.active && p.role == level_of);
        let nearest = people.min_by_key(|p| (p.zone.as_ref() != Some(&task.zone), &p.id));
        let row = PanelRow {
            task_id: task.id.clone(),
            priority: known.map_or_else(|| first_priority(task.criticality), |row| row.priority),
            escalated: true,
            escalated_to: nearest.map(|p| p.id.clone()),
            affected_customers: known.map_or(0, |row| row.affected_customers),
            comment: known.map(|row| row.comment.clone()).unwrap_or_default(),
        };
        self.put(RecordKind::Panel, task.id.as_str(), &row);
    }

    fn create(&mut self, new: &NewTask<'_>) -> Result<String, WriteFault> {
        let site = self
            .world
            .site(new.site_id)
            .ok_or_else(|| refused("there is no such site"))?;
        let number = highest(self.world.tasks().iter().map(|task| task.id.as_str())) + 1;
        let id = TaskId::parse(&format!("T-{number:05}")).map_err(|_| refused("the numbers of tasks are used up"))?;
        let manager = self.order.by.as_ref().and_then(|by| self.world.employee(by));
        let task = Task {
            id: id.clone(),
            title: new.title.to_owned(),
            description: new.description.to_owned(),
            site_id: site.id.clone(),
            zone: site.zone.clone(),
            status: TaskStatus::Open,
            criticality: new.criticality,
            work_type: new.work_type,
            manager_id: manager.filter(|p| p.role == Role::Manager).map(|p| p.id.clone()),
            crew_id: new.crew_id.cloned(),
            technician_id: None,
            created_at: self.order.at,
            updated_at: self.order.at,
            due_at: due(self.order.at, new.criticality),
            closed_at: None,
            escalation_level: 0,
            alarm_id: None,
        };
        self.event(&id, EventKind::Created, Told::default());
        if let Some(crew) = new.crew_id {
            let told = Told {
                to: Some(crew.to_string()),
                ..Told::default()
            };
            self.event(&id, EventKind::Assigned, told);
        }
        self.put(RecordKind::Tasks, id.as_str(), &task);
        Ok(id.to_string())
    }
}

/// When a new task is due.
fn due(at: Timestamp, criticality: Criticality) -> Option<Timestamp> {
    at.checked_add(SignedDuration::from_hours(criticality.sla_hours())).ok()
}

/// Where a task comes in that had no row on the sheet.
const fn first_priority(criticality: Criticality) -> u32 {
    match criticality {
        Criticality::Critical => 1,
        Criticality::High => 2,
        Criticality::Medium => 3,
        Criticality::Low => 4,
    }
}

#[cfg(test)]
mod tests;
