//! The picture's keeper: takes changed records and changed ages, builds the next World, swaps it in.
//!
//! Records come from confirmed writes, from an import and from the systems outside; ages come with them. Changes
//! are made one after another, so that none is built on a picture that another replaces. Building is work of
//! milliseconds to seconds and belongs on a blocking thread: the `async` methods see to that.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::config::Config;
use crate::domain::change::{RecordKind, RecordPut};
use crate::domain::clock::ZoneTimes;
use crate::domain::ids::Zone;
use crate::domain::sets::System;
use crate::world::{Freshness, LoadError, Records, World, WorldHandle};

/// What a task's zone is until its site's is known.
pub(super) const ZONE_UNKNOWN: &str = "sin zona";

/// A record that can't be what it is said to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {id}: {problem}", kind = kind.as_str())]
pub struct BadRecord {
    /// What it should be.
    pub kind: RecordKind,
    /// Its id as given.
    pub id: String,
    /// What is wrong, without its values.
    pub problem: String,
}

/// How old the records of one kind are, where a system outside holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Age {
    /// When they are from; None before the first time.
    pub as_of: Option<Timestamp>,
    /// Does their system answer?
    pub live: bool,
    /// Since when it does not.
    pub down_since: Option<Timestamp>,
}

/// The keeper; clones are the same one.
#[derive(Debug, Clone)]
pub struct Picture(Arc<Inner>);

struct Inner {
    handle: WorldHandle,
    /// Ages by kind; holding it is the right to change the picture.
    ages: Mutex<BTreeMap<RecordKind, Age>>,
    /// Told of a picture with other people in it before anybody sees it.
    watch: OnceLock<Watch>,
}

/// Who is told of a new picture.
type Watch = Box<dyn Fn(&World) + Send + Sync>;

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").finish_non_exhaustive()
    }
}

/// What there is before the first reading: the demo, unless a system outside holds the operator's data.
pub fn first_world(config: &Config, times: ZoneTimes) -> Result<World, LoadError> {
    let now = config.clock.now();
    if !config.reads_outside() {
        return World::demo(now, times);
    }
    let fresh = Freshness { as_of: now, live: true };
    Ok(World::build(Records::default(), vec![], fresh, times))
}

/// The system of the catalogue that a kind of record belongs to.
pub fn system_of(kind: RecordKind) -> System {
    match kind {
        RecordKind::Tasks | RecordKind::Events => System::Tasks,
        RecordKind::Sites | RecordKind::Access | RecordKind::Inventory => System::Sites,
        RecordKind::Panel => System::Panel,
        RecordKind::Crews | RecordKind::Employees => System::Field,
        RecordKind::Alarms | RecordKind::Monitors => System::Network,
    }
}

impl Picture {
    /// Keeps the picture behind this handle.
    pub fn new(handle: WorldHandle) -> Self {
        Self(Arc::new(Inner {
            handle,
            ages: Mutex::default(),
            watch: OnceLock::new(),
        }))
    }

    /// Tells `watch` of every picture with other people in it before anybody sees it: what is logged about them
    /// is masked from the first line. The first watch stays.
    pub fn watch(&self, watch: impl Fn(&World) + Send + Sync + 'static) {
        let _ = self.0.watch.set(Box::new(watch));
    }

    /// The handle of the current World.
    pub fn handle(&self) -> &WorldHandle {
        &self.0.handle
    }

    /// Puts these records in, each in the place of the one with its id. All or none.
    pub async fn put(&self, puts: Vec<RecordPut>) -> Result<(), BadRecord> {
        self.change(Vec::new(), puts, Vec::new()).await
    }

    /// Empties these kinds, puts these records in, and ages the kinds named, in one step.
    pub async fn change(
        &self,
        emptied: Vec<RecordKind>,
        puts: Vec<RecordPut>,
        ages: Vec<(RecordKind, Age)>,
    ) -> Result<(), BadRecord> {
        let keeper = self.clone();
        let work = move || keeper.change_now(&emptied, puts, ages);
        match tokio::task::spawn_blocking(work).await {
            Ok(outcome) => outcome,
            // The runtime ends: there is nobody left to see the picture.
            Err(_) => Ok(()),
        }
    }

    /// The same on this thread.
    pub fn change_now(
        &self,
        emptied: &[RecordKind],
        puts: Vec<RecordPut>,
        ages: Vec<(RecordKind, Age)>,
    ) -> Result<(), BadRecord> {
        let people = puts.iter().any(|put| put.kind == RecordKind::Employees);
        let mut known = self.0.ages.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.0.handle.load();
        let next = if emptied.is_empty() && puts.is_empty() {
            None
        } else {
            let mut records = current.records().clone();
            for kind in emptied {
                empty(&mut records, *kind);
            }
            put_all(&mut records, puts)?;
            settle_zones(&mut records);
            Some(records)
        };
        known.extend(ages);
        let (freshness, outages) = by_system(&known);
        let world = match next {
            Some(records) => {
                let fresh = Freshness {
                    as_of: Timestamp::UNIX_EPOCH,
                    live: true,
                };
                let built = World::build(records, current.freshness().to_vec(), fresh, current.times().clone());
                built.aged(freshness, outages)
            }
            None => current.aged(freshness, outages),
        };
        if let Some(watch) = self.0.watch.get().filter(|_| people) {
            watch(&world);
        }
        self.0.handle.swap(world);
        Ok(())
    }
}

/// How old each system's part is.
type Ages = Vec<(System, Freshness)>;
/// Since when systems have not answered.
type Outages = Vec<(System, Timestamp)>;

/// A system is as old as the oldest of its kinds, and live while all of them are.
fn by_system(ages: &BTreeMap<RecordKind, Age>) -> (Ages, Outages) {
    let (mut freshness, mut outages) = (vec![], vec![]);
    for system in System::ALL {
        // Indicators are derived from the tasks.
        let source = if *system == System::Kpis {
            System::Tasks
        } else {
            *system
        };
        let of_system = || {
            ages.iter()
                .filter(|(kind, _)| system_of(**kind) == source)
                .map(|(_, age)| age)
        };
        let Some(oldest) = of_system().map(|age| age.as_of.unwrap_or(Timestamp::UNIX_EPOCH)).min() else {
            continue;
        };
        let fresh = Freshness {
            as_of: oldest,
            live: of_system().all(|age| age.live),
        };
        freshness.push((*system, fresh));
        if let Some(since) = of_system().filter_map(|age| age.down_since).min() {
            outages.push((*system, since));
        }
    }
    (freshness, outages)
}

/// Empties one kind.
fn empty(records: &mut Records, kind: RecordKind) {
    match kind {
        RecordKind::Sites => records.sites.clear(),
        RecordKind::Tasks => records.tasks.clear(),
        RecordKind::Events => records.events.clear(),
        RecordKind::Alarms => records.alarms.clear(),
        RecordKind::Crews => records.crews.clear(),
        RecordKind::Employees => records.employees.clear(),
        RecordKind::Access => records.accesses.clear(),
        RecordKind::Panel => records.panel.clear(),
        RecordKind::Inventory => records.assets.clear(),
        RecordKind::Monitors => records.monitors.clear(),
    }
}

/// Puts each record in the place of the one with its id.
fn put_all(records: &mut Records, puts: Vec<RecordPut>) -> Result<(), BadRecord> {
    let mut by_kind: BTreeMap<RecordKind, Vec<RecordPut>> = BTreeMap::new();
    for put in puts {
        by_kind.entry(put.kind).or_default().push(put);
    }
    for (kind, puts) in by_kind {
        match kind {
            RecordKind::Sites => merge(&mut records.sites, puts, |r| r.id.as_str()),
            RecordKind::Tasks => merge(&mut records.tasks, puts, |r| r.id.as_str()),
            RecordKind::Events => merge(&mut records.events, puts, |r| r.id.as_str()),
            RecordKind::Alarms => merge(&mut records.alarms, puts, |r| r.id.as_str()),
            RecordKind::Crews => merge(&mut records.crews, puts, |r| r.id.as_str()),
            RecordKind::Employees => merge(&mut records.employees, puts, |r| r.id.as_str()),
            RecordKind::Access => merge(&mut records.accesses, puts, |r| r.id.as_str()),
            RecordKind::Panel => merge(&mut records.panel, puts, |r| r.task_id.as_str()),
            RecordKind::Inventory => merge(&mut records.assets, puts, |r| r.id.as_str()),
            RecordKind::Monitors => merge(&mut records.monitors, puts, |r| r.id.as_str()),
        }?;
    }
    Ok(())
}

fn merge<T: DeserializeOwned>(rows: &mut Vec<T>, puts: Vec<RecordPut>, id: fn(&T) -> &str) -> Result<(), BadRecord> {
    let mut fresh = Vec::with_capacity(puts.len());
    for put in puts {
        let read = T::deserialize(put.value).map_err(|error| BadRecord {
            kind: put.kind,
            id: put.id.clone(),
            problem: error.to_string(),
        })?;
        fresh.push(read);
    }
    // Places of the few that come in are looked up among the many that are there, in one pass.
    let mut coming: HashMap<String, T> = fresh.into_iter().map(|row| (id(&row).to_owned(), row)).collect();
    for row in rows.iter_mut() {
        if let Some(new) = coming.remove(id(row)) {
            *row = new;
        }
    }
    rows.extend(coming.into_values());
    Ok(())
}

/// A task whose system knows no zones is in its site's.
fn settle_zones(records: &mut Records) {
    if !records.tasks.iter().any(|task| task.zone.as_str() == ZONE_UNKNOWN) {
        return;
    }
    let zones: HashMap<_, &Zone> = records.sites.iter().map(|site| (&site.id, &site.zone)).collect();
    for task in records.tasks.iter_mut().filter(|t| t.zone.as_str() == ZONE_UNKNOWN) {
        if let Some(zone) = zones.get(&task.site_id) {
            task.zone = (*zone).clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::domain::ids::TaskId;
    use crate::domain::sets::TaskStatus;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn picture() -> Picture {
        let times = ZoneTimes::new(TimeZone::UTC, vec![]);
        Picture::new(WorldHandle::new(
            World::demo(at("2026-11-30T15:00:00Z"), times).unwrap(),
        ))
    }

    fn closed(id: &str, picture: &Picture) -> RecordPut {
        let world = picture.handle().load();
        let mut value = serde_json::to_value(world.task(&TaskId::parse(id).unwrap()).unwrap()).unwrap();
        value["status"] = json!("closed");
        RecordPut {
            kind: RecordKind::Tasks,
            id: id.to_owned(),
            value,
        }
    }

    #[tokio::test]
    async fn a_changed_record_takes_the_place_of_the_old_one() {
        let picture = picture();
        let before = picture.handle().load();
        picture.put(vec![closed("T-10001", &picture)]).await.unwrap();
        let after = picture.handle().load();
        let id = TaskId::parse("T-10001").unwrap();
        assert_eq!(after.task(&id).unwrap().status, TaskStatus::Closed);
        assert_eq!(before.tasks().len(), after.tasks().len());
        assert_eq!(before.as_of(System::Tasks), after.as_of(System::Tasks));
        assert!(!before.same_records(&after));
    }

    #[tokio::test]
    async fn a_broken_record_changes_nothing() {
        let picture = picture();
        let mut put = closed("T-10001", &picture);
        put.value["status"] = json!("frobnicated");
        let before = picture.handle().load();
        assert!(picture.put(vec![put]).await.is_err());
        assert!(before.same_records(&picture.handle().load()));
    }

    #[tokio::test]
    async fn an_age_alone_builds_nothing_and_indicators_are_as_old_as_the_tasks() {
        let picture = picture();
        let before = picture.handle().load();
        let age = Age {
            as_of: Some(at("2026-11-30T13:41:00Z")),
            live: false,
            down_since: Some(at("2026-11-30T13:42:00Z")),
        };
        picture
            .change(vec![], vec![], vec![(RecordKind::Tasks, age)])
            .await
            .unwrap();
        let after = picture.handle().load();
        assert!(before.same_records(&after));
        for system in [System::Tasks, System::Kpis] {
            assert!(!after.live(system));
            assert_eq!(after.down_since(system), age.down_since);
            assert_eq!(Some(after.as_of(system)), age.as_of);
        }
        assert!(after.live(System::Sites) && after.down_since(System::Sites).is_none());
    }

    #[tokio::test]
    async fn a_task_without_a_zone_is_in_its_sites() {
        let picture = picture();
        let mut put = closed("T-10001", &picture);
        let zone = put.value["zone"].clone();
        put.value["zone"] = json!(ZONE_UNKNOWN);
        picture.put(vec![put]).await.unwrap();
        let world = picture.handle().load();
        assert_eq!(
            json!(world.task(&TaskId::parse("T-10001").unwrap()).unwrap().zone),
            zone
        );
    }
}
