//! Sites by distance from a position, and the distance to one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::geo::Point;
use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::Site;
use crate::domain::sets::{Criticality, SiteStatus};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Location, Offset};
use crate::tools::rows::{Named, figure};
use crate::world::kpi::one_decimal;

/// The sites nearest to a position, with their distance; a site given as the position is not among them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NearestSitesArgs {
    /// the position: lat and lon in degrees; or the site_id of where one stands
    pub location: Location,
    /// how many rows
    #[serde(default)]
    pub limit: Limit<5>,
    /// only sites with active tasks
    #[serde(default)]
    pub with_active_tasks: bool,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// The position asked from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Degrees north.
    #[schemars(extend("labels" = ["latitud", "lat"]))]
    pub lat: f64,
    /// Degrees east.
    #[schemars(extend("labels" = ["longitud", "lon"]))]
    pub lon: f64,
    /// The site, when the position is that of one.
    pub site: Option<Named>,
}

/// A site with its distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearSite {
    /// Its id.
    pub id: SiteId,
    /// Its name.
    pub name: String,
    /// Its comuna.
    pub comuna: String,
    /// How it is.
    pub status: SiteStatus,
    /// How much depends on it.
    pub criticality: Criticality,
    /// Great circle, km, one decimal.
    #[schemars(extend("labels" = ["km", "distancia", "a"]))]
    pub distance_km: f64,
    /// Its active tasks.
    #[schemars(extend("labels" = ["tareas activas", "tareas"]))]
    pub active_tasks: u64,
}

/// Sites by distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearestSites {
    /// From where.
    pub origin: Origin,
    /// Whether only sites with active tasks were looked at.
    pub with_active_tasks: bool,
    /// How many sites were looked at.
    #[schemars(extend("labels" = ["sitios", "total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The rows listed, the nearest first.
    pub sites: Vec<NearSite>,
    /// Every id, in the same order.
    pub ids: Vec<SiteId>,
}

impl Outcome for NearestSites {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

pub(super) fn find_nearest_sites(cx: &Cx<'_>, args: &mut NearestSitesArgs) -> Result<NearestSites, ToolError> {
    let (point, at_site) = cx.location(&mut args.location)?;
    let active = |site: &Site| {
        cx.world
            .tasks_of_site(&site.id)
            .filter(|t| t.status.is_active())
            .count()
    };
    let others = cx
        .world
        .sites()
        .iter()
        .filter(|s| at_site.is_none_or(|at| at.id != s.id));
    let mut near: Vec<(f64, &Site)> = others
        .filter(|site| !args.with_active_tasks || active(site) > 0)
        .map(|site| (point.distance_km(site.point), site))
        .collect();
    near.sort_by(|(a_km, a), (b_km, b)| a_km.total_cmp(b_km).then_with(|| a.id.cmp(&b.id)));
    let shown = near.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(NearestSites {
        origin: origin(point, at_site),
        with_active_tasks: args.with_active_tasks,
        total: figure(near.len()),
        offset: figure(args.offset.rows()),
        sites: shown
            .map(|(km, site)| NearSite {
                id: site.id.clone(),
                name: site.name.clone(),
                comuna: site.comuna.clone(),
                status: site.status,
                criticality: site.criticality,
                distance_km: one_decimal(*km),
                active_tasks: figure(active(site)),
            })
            .collect(),
        ids: near.iter().map(|(_, site)| site.id.clone()).collect(),
    })
}

/// The distance from a position to a site, great circle, km.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistanceArgs {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// the position: lat and lon in degrees; or the site_id of where one stands
    pub location: Location,
}

/// The distance to a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteDistance {
    /// The site.
    pub site: Named,
    /// Its zone.
    pub zone: Zone,
    /// Its address.
    pub address: String,
    /// From where.
    pub origin: Origin,
    /// Great circle, km, one decimal.
    #[schemars(extend("labels" = ["km", "distancia", "a"]))]
    pub distance_km: f64,
}

impl Outcome for SiteDistance {}

pub(super) fn get_distance_to_site(cx: &Cx<'_>, args: &mut DistanceArgs) -> Result<SiteDistance, ToolError> {
    let site = cx.site(&args.site_id)?;
    let (point, at_site) = cx.location(&mut args.location)?;
    Ok(SiteDistance {
        site: Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        },
        zone: site.zone.clone(),
        address: site.address.clone(),
        origin: origin(point, at_site),
        distance_km: one_decimal(point.distance_km(site.point)),
    })
}

pub(super) fn origin(point: Point, site: Option<&Site>) -> Origin {
    Origin {
        lat: point.lat,
        lon: point.lon,
        site: site.map(|site| Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        }),
    }
}
