//! `get_crew_status` and `find_nearest_crews`: where the crews are and what they do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{CrewId, SiteId, TaskId, Zone};
use crate::domain::records::Crew;
use crate::domain::sets::{CrewStatus, Criticality};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Location, Offset};
use crate::tools::rows::figure;
use crate::world::kpi::{hours_between, one_decimal};

use super::cards::CrewCard;
use super::distance::{Origin, origin};

/// Crews with their members, what they are doing and their current task; the available ones first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrewStatusArgs {
    /// only this crew, like CU-AN-03
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crew_id: Option<CrewId>,
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

/// Crews and what they do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrewList {
    /// The zone asked about; of a single crew, its own.
    pub zone: Option<Zone>,
    /// How many match.
    #[schemars(extend("labels" = ["cuadrillas", "total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// Those that match, by what they do.
    pub by_status: CrewStatusCounts,
    /// The crews listed.
    pub crews: Vec<CrewRow>,
    /// Every matching id, in the same order.
    pub ids: Vec<CrewId>,
}

impl Outcome for CrewList {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// A crew in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrewRow {
    /// The crew.
    #[serde(flatten)]
    pub card: CrewCard,
    /// What its current task is; null when it has none, or the task is not on record.
    pub doing: Option<CurrentTask>,
}

/// What a crew is working on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CurrentTask {
    /// The task.
    pub id: TaskId,
    /// Its title.
    pub title: String,
    /// How critical it is.
    pub criticality: Criticality,
    /// Where.
    pub site_id: SiteId,
    /// The site's name.
    pub site_name: String,
}

/// Crews by what they do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrewStatusCounts {
    /// Free.
    #[schemars(extend("labels" = ["disponibles", "libres"]))]
    pub available: u64,
    /// On their way.
    #[schemars(extend("labels" = ["en ruta", "en camino"]))]
    pub en_route: u64,
    /// At a site.
    #[schemars(extend("labels" = ["en sitio"]))]
    pub on_site: u64,
    /// Not working now.
    #[schemars(extend("labels" = ["fuera de turno"]))]
    pub off_shift: u64,
}

impl CrewStatusCounts {
    fn of<'c>(crews: impl Iterator<Item = &'c Crew>) -> Self {
        let mut counts = Self::default();
        for crew in crews {
            match crew.status {
                CrewStatus::Available => counts.available += 1,
                CrewStatus::EnRoute => counts.en_route += 1,
                CrewStatus::OnSite => counts.on_site += 1,
                CrewStatus::OffShift => counts.off_shift += 1,
            }
        }
        counts
    }
}

pub(super) fn get_crew_status(cx: &Cx<'_>, args: &mut CrewStatusArgs) -> Result<CrewList, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let only = args.crew_id.as_ref().map(|id| cx.crew(id)).transpose()?;
    let mut matching: Vec<&Crew> = match only {
        Some(crew) => vec![crew],
        None => cx.world.crews().iter().collect(),
    };
    matching.retain(|crew| zone.is_none_or(|z| crew.zone == *z));
    matching.sort_by_key(|crew| crew.status);
    let shown = matching.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(CrewList {
        zone: zone.or(only.map(|crew| &crew.zone)).cloned(),
        total: figure(matching.len()),
        offset: figure(args.offset.rows()),
        by_status: CrewStatusCounts::of(matching.iter().copied()),
        crews: shown
            .map(|crew| CrewRow {
                card: cx.crew_card(crew),
                doing: current_task(cx, crew),
            })
            .collect(),
        ids: matching.iter().map(|crew| crew.id.clone()).collect(),
    })
}

fn current_task(cx: &Cx<'_>, crew: &Crew) -> Option<CurrentTask> {
    let task = cx.world.task(crew.current_task_id.as_ref()?)?;
    Some(CurrentTask {
        id: task.id.clone(),
        title: task.title.clone(),
        criticality: task.criticality,
        site_id: task.site_id.clone(),
        site_name: cx.site_name(&task.site_id),
    })
}

/// The crews nearest to a position, with their distance and how old their own position is; the available ones unless all are asked for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NearestCrewsArgs {
    /// the position: lat and lon in degrees; or the site_id of where help is needed
    pub location: Location,
    /// only crews that are available
    #[serde(default = "yes")]
    pub available_only: bool,
    /// how many rows
    #[serde(default)]
    pub limit: Limit<5>,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

const fn yes() -> bool {
    true
}

/// Crews by distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearestCrews {
    /// From where.
    pub origin: Origin,
    /// Whether only available ones were looked at.
    pub available_only: bool,
    /// How many crews were looked at.
    #[schemars(extend("labels" = ["cuadrillas", "total"]))]
    pub total: u64,
    /// Of those asked for, how many have no position on record.
    #[schemars(extend("labels" = ["sin posicion"]))]
    pub without_position: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The crews listed, the nearest first.
    pub crews: Vec<NearCrew>,
    /// Every id, in the same order.
    pub ids: Vec<CrewId>,
}

impl Outcome for NearestCrews {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// A crew with its distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearCrew {
    /// Great circle, km, one decimal.
    #[schemars(extend("labels" = ["km", "distancia", "a"]))]
    pub distance_km: f64,
    /// Hours since it was there; null when that is not known.
    #[schemars(extend("labels" = ["posicion de hace", "hace"]))]
    pub position_age_h: Option<f64>,
    /// The crew.
    #[serde(flatten)]
    pub card: CrewCard,
}

pub(super) fn find_nearest_crews(cx: &Cx<'_>, args: &mut NearestCrewsArgs) -> Result<NearestCrews, ToolError> {
    let (point, at_site) = cx.location(&mut args.location)?;
    let asked = || {
        let crews = cx.world.crews().iter();
        crews.filter(|crew| !args.available_only || crew.status == CrewStatus::Available)
    };
    let mut near: Vec<(f64, &Crew)> = asked()
        .filter_map(|crew| Some((point.distance_km(crew.point?), crew)))
        .collect();
    near.sort_by(|(a_km, a), (b_km, b)| a_km.total_cmp(b_km).then_with(|| a.id.cmp(&b.id)));
    let shown = near.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(NearestCrews {
        origin: origin(point, at_site),
        available_only: args.available_only,
        total: figure(near.len()),
        without_position: figure(asked().filter(|crew| crew.point.is_none()).count()),
        offset: figure(args.offset.rows()),
        crews: shown
            .map(|(km, crew)| NearCrew {
                distance_km: one_decimal(*km),
                position_age_h: crew.position_at.map(|at| one_decimal(hours_between(at, cx.now))),
                card: cx.crew_card(crew),
            })
            .collect(),
        ids: near.iter().map(|(_, crew)| crew.id.clone()).collect(),
    })
}
