//! The World: all that the operator's systems know, as one immutable, indexed picture.
//!
//! Records come in (today from the embedded demo operator, anchored at an instant), are
//! checked, sorted into the order in which people are shown them, and indexed. What leaves
//! are references: a read tool is a pure function of this picture, the caller and its
//! arguments. A new picture replaces the old one whole, through [`WorldHandle`]; a reader
//! keeps the one it began with.
//!
//! A broken record refuses the whole load and says where it is (file, line, column). A record
//! that names something unknown is kept and listed in [`World::warnings`].

mod demo;
mod handle;
mod index;
pub mod kpi;
mod lookup;
mod phone;
mod rows;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::clock::ZoneTimes;
use crate::domain::ids::{AccessId, AlarmId, AssetId, CrewId, EmployeeId, MonitorId, SiteId, TaskId, Zone};
use crate::domain::records::{Access, Alarm, Asset, Crew, Employee, Monitor, PanelRow, Site, Task, TaskEvent};
use crate::domain::sets::System;
use crate::domain::text::fold;

pub use handle::WorldHandle;
pub use lookup::{NEAREST_MAX, Place, PlaceKind, PlaceMatch};
pub(crate) use lookup::{likeness, slips};
pub use table::LoadError;

use index::Index;

/// The records of every system, as they came in.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// Sites of the network.
    pub sites: Vec<Site>,
    /// Tasks of the ticket system.
    pub tasks: Vec<Task>,
    /// What happened to them.
    pub events: Vec<TaskEvent>,
    /// Alarms of the network.
    pub alarms: Vec<Alarm>,
    /// Crews in the field.
    pub crews: Vec<Crew>,
    /// People of the operator.
    pub employees: Vec<Employee>,
    /// Authorisations to enter sites.
    pub accesses: Vec<Access>,
    /// The prioritisation sheet.
    pub panel: Vec<PanelRow>,
    /// Equipment at the sites.
    pub assets: Vec<Asset>,
    /// Measured values.
    pub monitors: Vec<Monitor>,
}

/// How old one system's part of the picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freshness {
    /// When its data is from.
    pub as_of: Timestamp,
    /// False when the system does not answer and this is its last picture.
    pub live: bool,
}

/// The operational picture. Immutable; see the module's page.
#[derive(Debug)]
pub struct World {
    records: Arc<Records>,
    index: Arc<Index>,
    freshness: Vec<(System, Freshness)>,
    outages: Vec<(System, Timestamp)>,
    times: ZoneTimes,
    warnings: Arc<Vec<String>>,
}

impl World {
    /// The embedded demo operator, its ages counted back from `anchor`.
    pub fn demo(anchor: Timestamp, times: ZoneTimes) -> Result<Self, LoadError> {
        let records = demo::records(anchor)?;
        let fresh = Freshness {
            as_of: anchor,
            live: true,
        };
        Ok(Self::build(records, vec![], fresh, times))
    }

    /// For tests: the demo operator's records, to change and to build a World from.
    #[cfg(test)]
    pub(crate) fn demo_records(anchor: Timestamp) -> Records {
        demo::records(anchor).unwrap()
    }

    /// Sorts and indexes records. A system without a line in `freshness` is as fresh as `default`.
    pub fn build(
        mut records: Records,
        mut freshness: Vec<(System, Freshness)>,
        default: Freshness,
        times: ZoneTimes,
    ) -> Self {
        for system in System::ALL {
            if !freshness.iter().any(|(known, _)| known == system) {
                freshness.push((*system, default));
            }
        }
        index::into_shown_order(&mut records);
        let index = Index::of(&records);
        let warnings = index::unknown_references(&records, &index);
        Self {
            records: Arc::new(records),
            index: Arc::new(index),
            freshness,
            outages: vec![],
            times,
            warnings: Arc::new(warnings),
        }
    }

    /// The same records, of another age: costs nothing, whatever their number. `outages` says
    /// since when systems have not answered.
    pub fn aged(&self, freshness: Vec<(System, Freshness)>, outages: Vec<(System, Timestamp)>) -> Self {
        let mut all = self.freshness.clone();
        for (system, fresh) in &mut all {
            if let Some((_, given)) = freshness.iter().find(|(known, _)| known == system) {
                *fresh = *given;
            }
        }
        Self {
            records: Arc::clone(&self.records),
            index: Arc::clone(&self.index),
            freshness: all,
            outages,
            times: self.times.clone(),
            warnings: Arc::clone(&self.warnings),
        }
    }

    /// Does the other picture hold the very same records, perhaps of another age?
    pub fn same_records(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.records, &other.records)
    }

    /// The records as they are, to build a changed picture from.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// How old each system's part is.
    pub fn freshness(&self) -> &[(System, Freshness)] {
        &self.freshness
    }

    /// Since when a system has not answered; None while it does, or when that is not known.
    pub fn down_since(&self, system: System) -> Option<Timestamp> {
        let outage = self.outages.iter().find(|(known, _)| *known == system);
        outage.map(|(_, since)| *since)
    }

    /// What the records name and do not hold, one sentence each; no person's data in it.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// When a system's data is from. Figures derived from several systems are as old as the tasks.
    pub fn as_of(&self, system: System) -> Timestamp {
        self.fresh(system).map_or(Timestamp::UNIX_EPOCH, |f| f.as_of)
    }

    /// Whether the system answers; if not, this is its last picture.
    pub fn live(&self, system: System) -> bool {
        self.fresh(system).is_some_and(|f| f.live)
    }

    fn fresh(&self, system: System) -> Option<Freshness> {
        self.freshness
            .iter()
            .find(|(known, _)| *known == system)
            .map(|(_, f)| *f)
    }

    /// The time zones of the operator's zones.
    pub fn times(&self) -> &ZoneTimes {
        &self.times
    }

    /// Every site, by id.
    pub fn sites(&self) -> &[Site] {
        &self.records.sites
    }

    /// Every task: most critical, then oldest, first.
    pub fn tasks(&self) -> &[Task] {
        &self.records.tasks
    }

    /// Every alarm: most severe, then oldest, first.
    pub fn alarms(&self) -> &[Alarm] {
        &self.records.alarms
    }

    /// Every crew, by id.
    pub fn crews(&self) -> &[Crew] {
        &self.records.crews
    }

    /// Every person, by id, those who have left among them.
    pub fn employees(&self) -> &[Employee] {
        &self.records.employees
    }

    /// Every monitor, by id.
    pub fn monitors(&self) -> &[Monitor] {
        &self.records.monitors
    }

    /// The zones the data holds, from north to south.
    pub fn zones(&self) -> &[Zone] {
        &self.index.zones
    }

    /// The site of that id.
    pub fn site(&self, id: &SiteId) -> Option<&Site> {
        self.records.sites.get(self.index.site.at(id)?)
    }

    /// The task of that id.
    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.records.tasks.get(self.index.task.at(id)?)
    }

    /// Title, description and site name of a task, folded.
    pub fn task_text(&self, id: &TaskId) -> Option<&str> {
        let texts = self.index.task_texts.get_or_init(|| {
            let site = |task: &Task| self.site(&task.site_id).map_or("", |site| site.name.as_str());
            let all = self.records.tasks.iter();
            all.map(|t| fold(&format!("{} {} {}", t.title, t.description, site(t))))
                .collect()
        });
        texts.get(self.index.task.at(id)?).map(String::as_str)
    }

    /// The alarm of that id.
    pub fn alarm(&self, id: &AlarmId) -> Option<&Alarm> {
        self.records.alarms.get(self.index.alarm.at(id)?)
    }

    /// The person of that id, also one who has left.
    pub fn employee(&self, id: &EmployeeId) -> Option<&Employee> {
        self.records.employees.get(self.index.employee.at(id)?)
    }

    /// The crew of that id.
    pub fn crew(&self, id: &CrewId) -> Option<&Crew> {
        self.records.crews.get(self.index.crew.at(id)?)
    }

    /// The piece of equipment of that id.
    pub fn asset(&self, id: &AssetId) -> Option<&Asset> {
        self.records.assets.get(self.index.asset.at(id)?)
    }

    /// The authorisation of that id.
    pub fn access(&self, id: &AccessId) -> Option<&Access> {
        self.records.accesses.get(self.index.access.at(id)?)
    }

    /// The monitor of that id.
    pub fn monitor(&self, id: &MonitorId) -> Option<&Monitor> {
        self.records.monitors.get(self.index.monitor.at(id)?)
    }

    /// The prioritisation sheet's row of a task, unless the task is closed or cancelled.
    pub fn panel_row(&self, task: &TaskId) -> Option<&PanelRow> {
        self.records.panel.get(self.index.panel.at(task)?)
    }

    /// The rows of the prioritisation sheet with their tasks: priority, then affected
    /// customers (more first), then due time. A closed or cancelled task has left it.
    pub fn panel(&self) -> impl Iterator<Item = (&PanelRow, &Task)> {
        self.records.panel.iter().filter_map(|row| {
            let task = self.task(&row.task_id)?;
            task.status.is_active().then_some((row, task))
        })
    }

    /// A site's tasks, in shown order.
    pub fn tasks_of_site(&self, id: &SiteId) -> impl Iterator<Item = &Task> {
        self.index.tasks_of_site.of(id, &self.records.tasks)
    }

    /// A zone's tasks, in shown order.
    pub fn tasks_of_zone(&self, zone: &Zone) -> impl Iterator<Item = &Task> {
        self.index.tasks_of_zone.of(zone, &self.records.tasks)
    }

    /// A manager's tasks, in shown order.
    pub fn tasks_of_manager(&self, id: &EmployeeId) -> impl Iterator<Item = &Task> {
        self.index.tasks_of_manager.of(id, &self.records.tasks)
    }

    /// A crew's tasks, in shown order.
    pub fn tasks_of_crew(&self, id: &CrewId) -> impl Iterator<Item = &Task> {
        self.index.tasks_of_crew.of(id, &self.records.tasks)
    }

    /// A technician's own tasks, in shown order.
    pub fn tasks_of_technician(&self, id: &EmployeeId) -> impl Iterator<Item = &Task> {
        self.index.tasks_of_technician.of(id, &self.records.tasks)
    }

    /// The active tasks of every zone, in shown order.
    pub fn active_tasks(&self) -> impl Iterator<Item = &Task> {
        self.index
            .active_tasks
            .iter()
            .filter_map(|at| self.records.tasks.get(*at))
    }

    /// What happened to a task, oldest first.
    pub fn events_of_task(&self, id: &TaskId) -> impl DoubleEndedIterator<Item = &TaskEvent> {
        self.index.events_of_task.of(id, &self.records.events)
    }

    /// A site's alarms, cleared ones among them, in shown order.
    pub fn alarms_of_site(&self, id: &SiteId) -> impl Iterator<Item = &Alarm> {
        self.index.alarms_of_site.of(id, &self.records.alarms)
    }

    /// The alarms that have not cleared, in shown order.
    pub fn active_alarms(&self) -> impl Iterator<Item = &Alarm> {
        self.index
            .active_alarms
            .iter()
            .filter_map(|at| self.records.alarms.get(*at))
    }

    /// The authorisations to enter a site, by id.
    pub fn access_of(&self, id: &SiteId) -> impl Iterator<Item = &Access> {
        self.index.access_of_site.of(id, &self.records.accesses)
    }

    /// The equipment of a site, by id.
    pub fn assets_of(&self, id: &SiteId) -> impl Iterator<Item = &Asset> {
        self.index.assets_of_site.of(id, &self.records.assets)
    }

    /// The monitors of a site, by id.
    pub fn monitors_of(&self, id: &SiteId) -> impl Iterator<Item = &Monitor> {
        self.index.monitors_of_site.of(id, &self.records.monitors)
    }

    /// The people of a crew who have not left, by id.
    pub fn members_of(&self, id: &CrewId) -> impl Iterator<Item = &Employee> {
        self.index
            .members_of_crew
            .of(id, &self.records.employees)
            .filter(|e| e.active)
    }
}
