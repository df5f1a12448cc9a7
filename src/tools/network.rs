//! Alarms and the health of the network, and which alarms somebody works on.

mod correlate;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::{Alarm, Site};
use crate::domain::sets::{AlarmCategory, AlarmSeverity, SiteStatus, System};

use super::contract::{Cx, Module, Outcome, ToolError, read};
use super::disabled;
use super::params::{Limit, Offset, PlaceName};
use super::rows::{AlarmPage, Named, SeverityCounts};

pub use correlate::{AlarmAndTask, AlarmCounts, AlarmTask, CorrelateAlarms, Correlation};

pub(super) static MODULE: Module = Module {
    name: "network",
    tools: &[
        &read("get_network_health", System::Network, get_network_health).also(&[System::Sites]),
        &read("get_site_alarms", System::Network, get_site_alarms),
        &read("get_active_alarms", System::Network, get_active_alarms),
        &read(
            "correlate_alarms_tasks",
            System::Network,
            correlate::correlate_alarms_tasks,
        )
        .also(&[System::Tasks]),
    ],
    disabled: disabled::NETWORK,
};

/// The network in figures: sites by status, active alarms by severity; of a zone or of all.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkHealthArgs {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
}

/// The network in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkHealth {
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// Sites in all.
    #[schemars(extend("labels" = ["sitios", "total"]))]
    pub sites: u64,
    /// Sites by status.
    pub by_status: SiteStatusCounts,
    /// Active alarms in all.
    #[schemars(extend("labels" = ["alarmas activas", "alarmas"]))]
    pub active_alarms: u64,
    /// Active alarms by severity.
    pub by_severity: SeverityCounts,
    /// The sites that are down, the most critical first.
    pub down: Vec<Named>,
}

impl Outcome for NetworkHealth {}

/// Sites by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteStatusCounts {
    /// Working.
    #[schemars(extend("labels" = ["activos", "operativos", "en servicio"]))]
    pub active: u64,
    /// Working badly.
    #[schemars(extend("labels" = ["degradados"]))]
    pub degraded: u64,
    /// Not working.
    #[schemars(extend("labels" = ["caidos", "fuera de servicio"]))]
    pub down: u64,
    /// Being maintained.
    #[schemars(extend("labels" = ["en mantenimiento", "en mantencion"]))]
    pub maintenance: u64,
}

impl SiteStatusCounts {
    /// Counts.
    pub(super) fn of<'s>(sites: impl Iterator<Item = &'s Site>) -> Self {
        let mut counts = Self::default();
        for site in sites {
            match site.status {
                SiteStatus::Active => counts.active += 1,
                SiteStatus::Degraded => counts.degraded += 1,
                SiteStatus::Down => counts.down += 1,
                SiteStatus::Maintenance => counts.maintenance += 1,
            }
        }
        counts
    }

    /// All of them.
    pub(super) fn total(self) -> u64 {
        self.active + self.degraded + self.down + self.maintenance
    }
}

fn get_network_health(cx: &Cx<'_>, args: &mut NetworkHealthArgs) -> Result<NetworkHealth, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let sites = || cx.world.sites().iter().filter(|s| zone.is_none_or(|z| s.zone == *z));
    let by_status = SiteStatusCounts::of(sites());
    let by_severity = SeverityCounts::of(cx.active_alarms_in(zone));
    Ok(NetworkHealth {
        zone: zone.cloned(),
        sites: by_status.total(),
        by_status,
        active_alarms: by_severity.total(),
        by_severity,
        down: cx.down_sites(zone).into_iter().map(named).collect(),
    })
}

fn named(site: &Site) -> Named {
    Named {
        id: site.id.to_string(),
        name: site.name.clone(),
    }
}

impl<'a> Cx<'a> {
    /// The active alarms of a zone, or all, in shown order.
    pub(super) fn active_alarms_in(&self, zone: Option<&'a Zone>) -> impl Iterator<Item = &'a Alarm> {
        let world = self.world;
        let in_zone = move |alarm: &&Alarm| match zone {
            None => true,
            Some(zone) => world.site(&alarm.site_id).is_some_and(|site| site.zone == *zone),
        };
        world.active_alarms().filter(in_zone)
    }

    /// The sites that are down, the most critical first, then by id.
    pub(super) fn down_sites(&self, zone: Option<&Zone>) -> Vec<&'a Site> {
        let down = self.world.sites().iter().filter(|s| s.status == SiteStatus::Down);
        let mut down: Vec<&Site> = down.filter(|s| zone.is_none_or(|z| s.zone == *z)).collect();
        down.sort_by_key(|site| site.criticality);
        down
    }
}

/// A site's alarms, the most severe first, then the oldest: the active ones, or all with include_cleared.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteAlarms {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// only this severity
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<AlarmSeverity>,
    /// also those that have cleared
    #[serde(default)]
    pub include_cleared: bool,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// A site's alarms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteAlarmList {
    /// The site.
    pub site: Named,
    /// Its zone.
    pub zone: Zone,
    /// Whether cleared ones are among them.
    pub include_cleared: bool,
    /// The severity asked about.
    pub severity: Option<AlarmSeverity>,
    /// The alarms.
    #[serde(flatten)]
    pub page: AlarmPage,
}

impl Outcome for SiteAlarmList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

fn get_site_alarms(cx: &Cx<'_>, args: &mut SiteAlarms) -> Result<SiteAlarmList, ToolError> {
    let site = cx.site(&args.site_id)?;
    let matching: Vec<&Alarm> = cx
        .world
        .alarms_of_site(&site.id)
        .filter(|a| args.include_cleared || a.cleared_at.is_none())
        .filter(|a| args.severity.is_none_or(|s| a.severity == s))
        .collect();
    Ok(SiteAlarmList {
        site: named(site),
        zone: site.zone.clone(),
        include_cleared: args.include_cleared,
        severity: args.severity,
        page: cx.alarm_page(&matching, args.limit.rows(), args.offset),
    })
}

/// Active alarms, the most severe first, then the oldest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActiveAlarms {
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this comuna or region, by name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceName>,
    /// only this severity
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<AlarmSeverity>,
    /// only this category
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<AlarmCategory>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// Active alarms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveAlarmList {
    /// The zone asked about.
    pub zone: Option<Zone>,
    /// The comuna or region asked about.
    pub place: Option<String>,
    /// The severity asked about.
    pub severity: Option<AlarmSeverity>,
    /// The category asked about.
    pub category: Option<AlarmCategory>,
    /// The alarms.
    #[serde(flatten)]
    pub page: AlarmPage,
}

impl Outcome for ActiveAlarmList {
    fn count(&self) -> Option<u64> {
        Some(self.page.total)
    }
}

fn get_active_alarms(cx: &Cx<'_>, args: &mut ActiveAlarms) -> Result<ActiveAlarmList, ToolError> {
    let area = cx.place(&mut args.place, &mut args.zone)?;
    let zone = cx.zone_of(&mut args.zone)?;
    let matching: Vec<&Alarm> = cx
        .active_alarms_in(zone)
        .filter(|a| args.severity.is_none_or(|s| a.severity == s))
        .filter(|a| args.category.is_none_or(|c| a.category == c))
        .filter(|a| {
            area.as_ref()
                .is_none_or(|area| cx.world.site(&a.site_id).is_some_and(|s| area.holds(s)))
        })
        .collect();
    Ok(ActiveAlarmList {
        zone: zone.cloned(),
        place: args.place.as_ref().map(|p| p.as_str().to_owned()),
        severity: args.severity,
        category: args.category,
        page: cx.alarm_page(&matching, args.limit.rows(), args.offset),
    })
}
