//! Monitors: measured values with their thresholds.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{MonitorId, SiteId, Zone};
use crate::domain::records::Monitor;
use crate::domain::sets::{MonitorStatus, System};
use crate::domain::text::{fold, words_begin};

use super::contract::{Cx, Module, Outcome, ToolError, read};
use super::disabled;
use super::params::{Limit, MetricName, Offset};
use super::rows::figure;

pub(super) static MODULE: Module = Module {
    name: "monitors",
    tools: &[
        &read("get_monitor_status", System::Network, get_monitor_status),
        &read("get_monitor_alerts", System::Network, get_monitor_alerts),
        &read("get_monitor_thresholds", System::Network, get_monitor_thresholds),
    ],
    disabled: disabled::MONITORS,
};

/// A measured value in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorRow {
    /// Its id.
    pub id: MonitorId,
    /// Where.
    pub site_id: SiteId,
    /// The site's name.
    pub site_name: String,
    /// What is measured.
    pub metric: String,
    /// What the monitor says of it.
    pub status: MonitorStatus,
    /// The value; null without a reading.
    #[schemars(extend("labels" = ["valor", "latencia", "perdida", "voltaje", "temperatura", "disponibilidad"]))]
    pub value: Option<f64>,
    /// Its unit.
    pub unit: String,
    /// Where a warning begins.
    #[schemars(extend("labels" = ["advertencia", "umbral"]))]
    pub warning_threshold: Option<f64>,
    /// Where it is critical.
    #[schemars(extend("labels" = ["critico", "umbral"]))]
    pub critical_threshold: Option<f64>,
    /// The last reading; null when none is on record.
    #[schemars(with = "Option<String>")]
    pub last_check: Option<Timestamp>,
}

/// Monitors that match, a part of them listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorPage {
    /// How many match.
    #[schemars(extend("labels" = ["monitores", "total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// Those that match, by status.
    pub by_status: MonitorCounts,
    /// The monitors listed, the worst first.
    pub monitors: Vec<MonitorRow>,
    /// Every matching id, in the same order.
    pub ids: Vec<MonitorId>,
}

/// Monitors by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorCounts {
    /// Critical ones.
    #[schemars(extend("labels" = ["criticos"]))]
    pub critical: u64,
    /// In warning.
    #[schemars(extend("labels" = ["en advertencia", "advertencias"]))]
    pub warning: u64,
    /// Without a reading.
    #[schemars(extend("labels" = ["sin lectura"]))]
    pub unknown: u64,
    /// In order.
    #[schemars(extend("labels" = ["normales", "normal"]))]
    pub ok: u64,
}

/// What needs somebody comes first; a monitor that says nothing comes before one that is well.
const fn worst_first(status: MonitorStatus) -> u8 {
    match status {
        MonitorStatus::Critical => 0,
        MonitorStatus::Warning => 1,
        MonitorStatus::Unknown => 2,
        MonitorStatus::Ok => 3,
    }
}

impl<'a> Cx<'a> {
    /// The metric so called, as the monitors write it.
    fn metric(&self, given: &mut MetricName) -> Result<&'a str, ToolError> {
        let mut known: Vec<&'a str> = self.world.monitors().iter().map(|m| m.metric.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        let wanted = fold(given.as_str()).replace('_', " ");
        let words = |metric: &str| fold(metric).replace('_', " ");
        let mut begun = known.clone();
        begun.retain(|metric| words(metric) == wanted);
        if begun.is_empty() {
            begun.clone_from(&known);
            begun.retain(|metric| words_begin(&words(metric), &wanted));
        }
        match begun.as_slice() {
            [metric] => {
                given.resolve(*metric);
                Ok(metric)
            }
            [] => Err(ToolError::NotFound {
                kind: "metric",
                given: given.as_str().to_owned(),
                nearest: known.iter().map(|m| ((*m).to_owned(), (*m).to_owned())).collect(),
            }),
            several => Err(ToolError::Ambiguous {
                given: given.as_str().to_owned(),
                candidates: several.iter().map(|m| ((*m).to_owned(), (*m).to_owned())).collect(),
            }),
        }
    }

    fn monitor_page(&self, mut matching: Vec<&Monitor>, limit: usize, offset: Offset) -> MonitorPage {
        // The World holds them by id: that is what ties keep.
        matching.sort_by_key(|monitor| worst_first(monitor.status));
        let mut by_status = MonitorCounts::default();
        for monitor in &matching {
            match monitor.status {
                MonitorStatus::Critical => by_status.critical += 1,
                MonitorStatus::Warning => by_status.warning += 1,
                MonitorStatus::Unknown => by_status.unknown += 1,
                MonitorStatus::Ok => by_status.ok += 1,
            }
        }
        let shown = matching.iter().skip(offset.rows()).take(limit);
        MonitorPage {
            total: figure(matching.len()),
            offset: figure(offset.rows()),
            by_status,
            monitors: shown.map(|monitor| self.monitor_row(monitor)).collect(),
            ids: matching.iter().map(|monitor| monitor.id.clone()).collect(),
        }
    }

    fn monitor_row(&self, monitor: &Monitor) -> MonitorRow {
        MonitorRow {
            id: monitor.id.clone(),
            site_id: monitor.site_id.clone(),
            site_name: self.site_name(&monitor.site_id),
            metric: monitor.metric.clone(),
            status: monitor.status,
            value: monitor.value,
            unit: monitor.unit.clone(),
            warning_threshold: monitor.warning_threshold,
            critical_threshold: monitor.critical_threshold,
            last_check: monitor.last_check,
        }
    }
}

/// Monitors with their value and last check, the worst first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MonitorStatusArgs {
    /// only this site, like SITE-001
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_id: Option<SiteId>,
    /// only what is so called by the monitors, like battery_voltage_v
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<MetricName>,
    /// only this status
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<MonitorStatus>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Monitors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorList {
    /// The site asked about.
    pub site_id: Option<SiteId>,
    /// The site's zone.
    pub site_zone: Option<Zone>,
    /// The metric asked about.
    pub metric: Option<String>,
    /// The status asked about.
    pub status: Option<MonitorStatus>,
    /// The monitors.
    #[serde(flatten)]
    pub page: MonitorPage,
}

impl Outcome for MonitorList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

fn get_monitor_status(cx: &Cx<'_>, args: &mut MonitorStatusArgs) -> Result<MonitorList, ToolError> {
    let site = args.site_id.as_ref().map(|id| cx.site(id)).transpose()?;
    let metric = args.metric.as_mut().map(|metric| cx.metric(metric)).transpose()?;
    let matching = cx
        .world
        .monitors()
        .iter()
        .filter(|m| site.is_none_or(|site| m.site_id == site.id))
        .filter(|m| metric.is_none_or(|metric| m.metric == metric))
        .filter(|m| args.status.is_none_or(|status| m.status == status));
    Ok(MonitorList {
        site_id: site.map(|site| site.id.clone()),
        site_zone: site.map(|site| site.zone.clone()),
        metric: metric.map(str::to_owned),
        status: args.status,
        page: cx.monitor_page(matching.collect(), args.limit.rows(), args.offset),
    })
}

/// Monitors in warning or critical, the critical ones first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MonitorAlertsArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Monitors in warning or critical.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorAlerts {
    /// The zone asked about.
    pub zone: Option<Zone>,
    /// The monitors.
    #[serde(flatten)]
    pub page: MonitorPage,
}

impl Outcome for MonitorAlerts {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

fn get_monitor_alerts(cx: &Cx<'_>, args: &mut MonitorAlertsArgs) -> Result<MonitorAlerts, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let in_zone = |m: &&Monitor| zone.is_none_or(|z| cx.world.site(&m.site_id).is_some_and(|s| s.zone == *z));
    let alert = |m: &&Monitor| matches!(m.status, MonitorStatus::Warning | MonitorStatus::Critical);
    let matching = cx.world.monitors().iter().filter(alert).filter(in_zone);
    Ok(MonitorAlerts {
        zone: zone.cloned(),
        page: cx.monitor_page(matching.collect(), args.limit.rows(), args.offset),
    })
}

/// The warning and critical thresholds of what is measured, with how many monitors have them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MonitorThresholdsArgs {
    /// only what is so called by the monitors, like battery_voltage_v
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<MetricName>,
}

/// Thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorThresholds {
    /// One row for each metric and pair of thresholds, by metric.
    pub thresholds: Vec<Threshold>,
}

impl Outcome for MonitorThresholds {
    fn count(&self) -> Option<u64> {
        Some(figure(self.thresholds.len()))
    }
}

/// The thresholds that monitors of a metric share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Threshold {
    /// What is measured.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Where a warning begins.
    #[schemars(extend("labels" = ["advertencia", "umbral de advertencia"]))]
    pub warning: Option<f64>,
    /// Where it is critical.
    #[schemars(extend("labels" = ["critico", "umbral critico"]))]
    pub critical: Option<f64>,
    /// Whether less is worse, as of a voltage; null when it can't be told.
    pub low_is_bad: Option<bool>,
    /// How many monitors have them.
    #[schemars(extend("labels" = ["monitores"]))]
    pub monitors: u64,
}

fn get_monitor_thresholds(cx: &Cx<'_>, args: &mut MonitorThresholdsArgs) -> Result<MonitorThresholds, ToolError> {
    let metric = args.metric.as_mut().map(|metric| cx.metric(metric)).transpose()?;
    let mut thresholds: Vec<Threshold> = vec![];
    let asked = cx.world.monitors().iter();
    for monitor in asked.filter(|m| metric.is_none_or(|metric| m.metric == metric)) {
        let (warning, critical) = (monitor.warning_threshold, monitor.critical_threshold);
        let same = |t: &&mut Threshold| {
            t.metric == monitor.metric && t.unit == monitor.unit && (t.warning, t.critical) == (warning, critical)
        };
        match thresholds.iter_mut().find(same) {
            Some(row) => row.monitors += 1,
            None => thresholds.push(Threshold {
                metric: monitor.metric.clone(),
                unit: monitor.unit.clone(),
                warning,
                critical,
                low_is_bad: warning.zip(critical).map(|(warning, critical)| critical < warning),
                monitors: 1,
            }),
        }
    }
    thresholds.sort_by(|a, b| a.metric.cmp(&b.metric));
    Ok(MonitorThresholds { thresholds })
}
