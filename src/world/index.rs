//! The order in which records are shown, and the indexes over them.
//!
//! Every table is sorted once into the order of the catalogue (`rules.order`); groups keep
//! it, so that a list asked for in the usual order needs no sorting.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::OnceLock;

use crate::domain::ids::{AccessId, AlarmId, AssetId, CrewId, EmployeeId, MonitorId, SiteId, TaskId, Zone};
use crate::domain::records::Task;
use crate::domain::text::fold;

use super::Records;
use super::phone;

/// Position of a record by its id.
#[derive(Debug)]
pub(super) struct ById<K>(HashMap<K, usize>);

impl<K: Eq + Hash> ById<K> {
    fn of<'a, T: 'a>(rows: &'a [T], id: impl Fn(&'a T) -> &'a K) -> Self
    where
        K: Clone + 'a,
    {
        Self(rows.iter().enumerate().map(|(at, row)| (id(row).clone(), at)).collect())
    }

    pub(super) fn at(&self, id: &K) -> Option<usize> {
        self.0.get(id).copied()
    }

    fn holds(&self, id: &K) -> bool {
        self.0.contains_key(id)
    }
}

/// Positions of the records that belong to something, in shown order.
#[derive(Debug)]
pub(super) struct Groups<K>(HashMap<K, Vec<usize>>);

impl<K: Eq + Hash> Groups<K> {
    fn by<'a, T: 'a>(rows: &'a [T], key: impl Fn(&'a T) -> Option<&'a K>) -> Self
    where
        K: Clone + 'a,
    {
        let mut groups: HashMap<K, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            let Some(key) = key(row) else { continue };
            match groups.get_mut(key) {
                Some(group) => group.push(at),
                None => {
                    groups.insert(key.clone(), vec![at]);
                }
            }
        }
        Self(groups)
    }

    /// The members of a group as records.
    pub(super) fn of<'a, T>(
        &'a self,
        key: &K,
        rows: &'a [T],
    ) -> impl DoubleEndedIterator<Item = &'a T> + use<'a, T, K> {
        let group = self.0.get(key).map_or(&[][..], Vec::as_slice);
        group.iter().filter_map(|at| rows.get(*at))
    }
}

/// Every index of a World.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) site: ById<SiteId>,
    pub(super) task: ById<TaskId>,
    pub(super) alarm: ById<AlarmId>,
    pub(super) employee: ById<EmployeeId>,
    pub(super) crew: ById<CrewId>,
    pub(super) asset: ById<AssetId>,
    pub(super) access: ById<AccessId>,
    pub(super) monitor: ById<MonitorId>,
    pub(super) panel: ById<TaskId>,
    pub(super) tasks_of_site: Groups<SiteId>,
    pub(super) tasks_of_zone: Groups<Zone>,
    pub(super) tasks_of_manager: Groups<EmployeeId>,
    pub(super) tasks_of_crew: Groups<CrewId>,
    pub(super) tasks_of_technician: Groups<EmployeeId>,
    pub(super) events_of_task: Groups<TaskId>,
    pub(super) alarms_of_site: Groups<SiteId>,
    pub(super) access_of_site: Groups<SiteId>,
    pub(super) assets_of_site: Groups<SiteId>,
    pub(super) monitors_of_site: Groups<SiteId>,
    pub(super) members_of_crew: Groups<CrewId>,
    pub(super) active_tasks: Vec<usize>,
    pub(super) active_alarms: Vec<usize>,
    pub(super) zones: Vec<Zone>,
    /// Active people by the digits of their phone.
    pub(super) phones: HashMap<String, usize>,
    /// Folded names, in the order of the records.
    pub(super) site_names: Vec<String>,
    pub(super) people_names: Vec<String>,
    pub(super) crew_names: Vec<String>,
    /// Comunas and regions as written, each once, sorted, with their folded names.
    pub(super) comunas: Vec<(String, String)>,
    pub(super) regions: Vec<(String, String)>,
    /// What a text is looked for in, in the order of the tasks: made at the first such search.
    pub(super) task_texts: OnceLock<Vec<String>>,
}

impl Index {
    pub(super) fn of(r: &Records) -> Self {
        Self {
            site: ById::of(&r.sites, |s| &s.id),
            task: ById::of(&r.tasks, |t| &t.id),
            alarm: ById::of(&r.alarms, |a| &a.id),
            employee: ById::of(&r.employees, |e| &e.id),
            crew: ById::of(&r.crews, |c| &c.id),
            asset: ById::of(&r.assets, |a| &a.id),
            access: ById::of(&r.accesses, |a| &a.id),
            monitor: ById::of(&r.monitors, |m| &m.id),
            panel: ById::of(&r.panel, |p| &p.task_id),
            tasks_of_site: Groups::by(&r.tasks, |t| Some(&t.site_id)),
            tasks_of_zone: Groups::by(&r.tasks, |t| Some(&t.zone)),
            tasks_of_manager: Groups::by(&r.tasks, |t| t.manager_id.as_ref()),
            tasks_of_crew: Groups::by(&r.tasks, |t| t.crew_id.as_ref()),
            tasks_of_technician: Groups::by(&r.tasks, |t| t.technician_id.as_ref()),
            events_of_task: Groups::by(&r.events, |e| Some(&e.task_id)),
            alarms_of_site: Groups::by(&r.alarms, |a| Some(&a.site_id)),
            access_of_site: Groups::by(&r.accesses, |a| Some(&a.site_id)),
            assets_of_site: Groups::by(&r.assets, |a| Some(&a.site_id)),
            monitors_of_site: Groups::by(&r.monitors, |m| Some(&m.site_id)),
            members_of_crew: Groups::by(&r.employees, |e| e.crew_id.as_ref()),
            active_tasks: positions(&r.tasks, |t| t.status.is_active()),
            active_alarms: positions(&r.alarms, |a| a.cleared_at.is_none()),
            zones: zones_from_north(r),
            phones: phones(r),
            site_names: r.sites.iter().map(|s| fold(&s.name)).collect(),
            people_names: r.employees.iter().map(|e| fold(&e.name)).collect(),
            crew_names: r.crews.iter().map(|c| fold(&c.name)).collect(),
            comunas: places(r.sites.iter().map(|s| s.comuna.as_str())),
            regions: places(r.sites.iter().map(|s| s.region.as_str())),
            task_texts: OnceLock::new(),
        }
    }
}

fn positions<T>(rows: &[T], keep: impl Fn(&T) -> bool) -> Vec<usize> {
    rows.iter()
        .enumerate()
        .filter(|(_, row)| keep(row))
        .map(|(at, _)| at)
        .collect()
}

/// Zones by the mean latitude of their sites, the northernmost first.
fn zones_from_north(r: &Records) -> Vec<Zone> {
    let mut sums: Vec<(Zone, f64, u32)> = vec![];
    for site in &r.sites {
        match sums.iter_mut().find(|(zone, ..)| *zone == site.zone) {
            Some((_, sum, n)) => {
                *sum += site.point.lat;
                *n += 1;
            }
            None => sums.push((site.zone.clone(), site.point.lat, 1)),
        }
    }
    let mean = |(_, sum, n): &(Zone, f64, u32)| sum / f64::from(*n);
    sums.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    sums.into_iter().map(|(zone, ..)| zone).collect()
}

/// People who have left are not found by their phone: they are unknown numbers.
fn phones(r: &Records) -> HashMap<String, usize> {
    let with_phone = r.employees.iter().enumerate().filter(|(_, e)| e.active);
    with_phone
        .map(|(at, e)| (phone::digits(&e.phone), at))
        .filter(|(digits, _)| !digits.is_empty())
        .collect()
}

fn places<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let unique: HashSet<&str> = names.collect();
    let mut places: Vec<_> = unique.into_iter().map(|name| (name.to_owned(), fold(name))).collect();
    places.sort_by(|a, b| a.1.cmp(&b.1));
    places
}

/// Sorts every table as it is shown (`catalog.toml`, rules.order), ties by id.
pub(super) fn into_shown_order(r: &mut Records) {
    r.sites.sort_by(|a, b| a.id.cmp(&b.id));
    r.tasks.sort_by(shown_first);
    r.events.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.id.cmp(&b.id)));
    r.alarms
        .sort_by(|a, b| (a.severity, a.raised_at, &a.id).cmp(&(b.severity, b.raised_at, &b.id)));
    r.crews.sort_by(|a, b| a.id.cmp(&b.id));
    r.employees.sort_by(|a, b| a.id.cmp(&b.id));
    r.accesses.sort_by(|a, b| a.id.cmp(&b.id));
    r.assets.sort_by(|a, b| a.id.cmp(&b.id));
    r.monitors.sort_by(|a, b| a.id.cmp(&b.id));
    let due: HashMap<&TaskId, _> = r.tasks.iter().map(|t| (&t.id, t.due_at)).collect();
    // A task without a due time comes after those that have one.
    let due_of = |id: &TaskId| due.get(id).copied().flatten().unwrap_or(jiff::Timestamp::MAX);
    r.panel.sort_by(|a, b| {
        (a.priority.cmp(&b.priority))
            .then_with(|| b.affected_customers.cmp(&a.affected_customers))
            .then_with(|| due_of(&a.task_id).cmp(&due_of(&b.task_id)))
            .then_with(|| a.task_id.cmp(&b.task_id))
    });
}

/// Criticality, then oldest created, then id.
fn shown_first(a: &Task, b: &Task) -> std::cmp::Ordering {
    (a.criticality, a.created_at, &a.id).cmp(&(b.criticality, b.created_at, &b.id))
}

/// What the records name and do not hold.
pub(super) fn unknown_references(r: &Records, index: &Index) -> Vec<String> {
    let mut unknown = Unknown(vec![]);
    for t in &r.tasks {
        unknown.check(&t.id, "site", Some(&t.site_id), &index.site);
        unknown.check(&t.id, "manager", t.manager_id.as_ref(), &index.employee);
        unknown.check(&t.id, "crew", t.crew_id.as_ref(), &index.crew);
        unknown.check(&t.id, "technician", t.technician_id.as_ref(), &index.employee);
        unknown.check(&t.id, "alarm", t.alarm_id.as_ref(), &index.alarm);
    }
    for e in &r.events {
        unknown.check(&e.id, "task", Some(&e.task_id), &index.task);
        unknown.check(&e.id, "author", e.author_id.as_ref(), &index.employee);
    }
    for a in &r.alarms {
        unknown.check(&a.id, "site", Some(&a.site_id), &index.site);
        unknown.check(&a.id, "task", a.task_id.as_ref(), &index.task);
    }
    for c in &r.crews {
        unknown.check(&c.id, "lead", c.lead_id.as_ref(), &index.employee);
        unknown.check(&c.id, "task", c.current_task_id.as_ref(), &index.task);
    }
    for e in &r.employees {
        unknown.check(&e.id, "crew", e.crew_id.as_ref(), &index.crew);
    }
    for a in &r.accesses {
        unknown.check(&a.id, "site", Some(&a.site_id), &index.site);
        unknown.check(&a.id, "holder", a.holder_id.as_ref(), &index.employee);
    }
    for p in &r.panel {
        unknown.check(&p.task_id, "task", Some(&p.task_id), &index.task);
        unknown.check(&p.task_id, "escalated to", p.escalated_to.as_ref(), &index.employee);
    }
    for a in &r.assets {
        unknown.check(&a.id, "site", Some(&a.site_id), &index.site);
    }
    for m in &r.monitors {
        unknown.check(&m.id, "site", Some(&m.site_id), &index.site);
    }
    unknown.0
}

/// A list of dangling references, one sentence each.
struct Unknown(Vec<String>);

impl Unknown {
    fn check<K: Eq + Hash + std::fmt::Display>(
        &mut self,
        record: &dyn std::fmt::Display,
        field: &str,
        id: Option<&K>,
        known: &ById<K>,
    ) {
        if let Some(id) = id.filter(|id| !known.holds(id)) {
            self.0.push(format!("{record} names a {field} that is not there: {id}"));
        }
    }
}
