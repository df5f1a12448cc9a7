//! `compare_zones`: zones side by side.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::sets::Criticality;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Period;
use crate::tools::rows::figure;
use crate::world::kpi;

/// The period that is compared when none is named.
const REPORTED: Period = Period::days(7);
/// The most zones named in one call.
const ZONES_MAX: usize = 50;

/// Zones side by side: active tasks, critical ones, MTTR and SLA compliance of the period; every zone unless some are named.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareZones {
    /// only these zones, like norte and sur
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZoneNames>,
    /// the period, like 24h or 7d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

/// Zones by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ZoneNames(Vec<Zone>);

impl JsonSchema for ZoneNames {
    fn schema_name() -> Cow<'static, str> {
        "ZoneNames".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": ZONES_MAX,
            "description": "zones of the operator, like norte and sur", "x-entity": "zone"
        })
    }
}

/// Zones side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ZonesCompared {
    /// The period as resolved.
    pub period: Period,
    /// Its first instant, by the operator's clock.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// One row for each zone: in the order named, else from north to south.
    pub zones: Vec<ZoneFigures>,
}

impl Outcome for ZonesCompared {
    fn count(&self) -> Option<u64> {
        Some(figure(self.zones.len()))
    }
}

/// One zone's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ZoneFigures {
    /// The zone.
    pub name: Zone,
    /// Active tasks.
    #[schemars(extend("labels" = ["activas", "abiertas"]))]
    pub active: u64,
    /// Of them, critical.
    #[schemars(extend("labels" = ["criticas"]))]
    pub critical: u64,
    /// Closed in the period.
    #[schemars(extend("labels" = ["cerradas"]))]
    pub closed: u64,
    /// Mean hours from creation to closing; null when nothing was closed.
    #[schemars(extend("labels" = ["mttr"]))]
    pub mttr: Option<f64>,
    /// Percent closed on time; null when nothing was closed.
    #[schemars(extend("labels" = ["cumplimiento", "sla", "%"]))]
    pub compliance: Option<f64>,
}

pub(super) fn compare_zones(cx: &Cx<'_>, args: &mut CompareZones) -> Result<ZonesCompared, ToolError> {
    let mut named: Vec<&Zone> = vec![];
    if let Some(ZoneNames(zones)) = &mut args.zones {
        if zones.is_empty() || zones.len() > ZONES_MAX {
            return Err(ToolError::argument("zones", format!("name 1 to {ZONES_MAX} zones")));
        }
        for zone in zones.iter_mut() {
            let zone = cx.zone(zone)?;
            if !named.contains(&zone) {
                named.push(zone);
            }
        }
        *zones = named.iter().map(|zone| (*zone).clone()).collect();
    } else {
        named = cx.world.zones().iter().collect();
    }
    let period = *args.period.get_or_insert(REPORTED);
    let reported = cx.span(period, None)?;
    let mut rows = vec![];
    for zone in named {
        // Whole days are each zone's own.
        let span = cx.span(period, Some(zone))?;
        let figures = kpi::summary(cx.tasks_in(Some(zone)), span, cx.now);
        rows.push(ZoneFigures {
            name: zone.clone(),
            active: figures.open,
            critical: figure(cx.active_in(Some(zone), Some(Criticality::Critical)).count()),
            closed: figures.closed,
            mttr: figures.mttr,
            compliance: kpi::Compliance::of(cx.tasks_in(Some(zone)), span, cx.now).percent(),
        });
    }
    Ok(ZonesCompared {
        period,
        from: reported.from,
        to: reported.to,
        zones: rows,
    })
}
