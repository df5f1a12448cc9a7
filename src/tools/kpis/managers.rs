//! `get_kpi_by_manager`: the figures of each manager.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{EmployeeId, Zone};
use crate::domain::records::Task;
use crate::domain::sets::Role;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Offset, Period};
use crate::tools::rows::figure;
use crate::world::kpi;

use super::REPORTED;

/// The figures of each manager: tasks active now, closed in the period, MTTR, in breach; those with most in breach first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KpiByManagerArgs {
    /// only tasks of this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// the period, like 24h or 7d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// The figures by manager.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KpiByManager {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// How many managers.
    #[schemars(extend("labels" = ["gestores", "total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// Active tasks that have no manager.
    #[schemars(extend("labels" = ["sin gestor", "sin asignar"]))]
    pub unassigned: u64,
    /// The managers listed.
    pub managers: Vec<ManagerFigures>,
    /// Every manager's id, in the same order.
    pub ids: Vec<EmployeeId>,
}

impl Outcome for KpiByManager {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// One manager's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ManagerFigures {
    /// The manager's id.
    pub id: EmployeeId,
    /// The manager's name.
    pub name: String,
    /// Active now.
    #[schemars(extend("labels" = ["activas", "abiertas"]))]
    pub active: u64,
    /// Closed in the period.
    #[schemars(extend("labels" = ["cerradas"]))]
    pub closed: u64,
    /// Mean hours from creation to closing; null when nothing was closed.
    #[schemars(extend("labels" = ["mttr"]))]
    pub mttr: Option<f64>,
    /// Active and past due, or closed late in the period.
    #[schemars(extend("labels" = ["en breach", "breach", "fuera de sla"]))]
    pub breach: u64,
}

pub(super) fn get_kpi_by_manager(cx: &Cx<'_>, args: &mut KpiByManagerArgs) -> Result<KpiByManager, ToolError> {
    cx.about_people()?;
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(REPORTED);
    let span = cx.span(period, zone)?;
    let mut managed: BTreeMap<&EmployeeId, Vec<&Task>> = BTreeMap::new();
    // A manager who has nothing is a figure too.
    let managers = cx
        .world
        .employees()
        .iter()
        .filter(|e| e.active && e.role == Role::Manager);
    for manager in managers.filter(|e| zone.is_none() || e.zone.as_ref() == zone) {
        managed.entry(&manager.id).or_default();
    }
    let mut unassigned = 0;
    for task in cx.tasks_in(zone) {
        match &task.manager_id {
            Some(id) if task.status.is_active() || kpi::closed_in(task, span) => {
                managed.entry(id).or_default().push(task);
            }
            Some(_) => {}
            None => unassigned += u64::from(task.status.is_active()),
        }
    }
    let mut rows: Vec<ManagerFigures> = managed
        .into_iter()
        .map(|(id, tasks)| {
            let figures = kpi::summary(tasks.into_iter(), span, cx.now);
            ManagerFigures {
                id: id.clone(),
                name: cx.world.employee(id).map_or_else(|| id.to_string(), |e| e.name.clone()),
                active: figures.open,
                closed: figures.closed,
                mttr: figures.mttr,
                breach: figures.sla_breach,
            }
        })
        .collect();
    rows.sort_by_key(|row| (Reverse(row.breach), Reverse(row.active), row.id.clone()));
    let ids: Vec<EmployeeId> = rows.iter().map(|row| row.id.clone()).collect();
    Ok(KpiByManager {
        zone: zone.cloned(),
        period,
        from: span.from,
        to: span.to,
        total: figure(ids.len()),
        offset: figure(args.offset.rows()),
        unassigned,
        managers: rows
            .into_iter()
            .skip(args.offset.rows())
            .take(args.limit.rows())
            .collect(),
        ids,
    })
}
