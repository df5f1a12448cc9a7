//! `search_sites`: sites by name, place, kind and state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::Site;
use crate::domain::sets::{Criticality, SiteStatus, SiteType};
use crate::domain::text::{fold, words_begin};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{ComunaName, Limit, Offset, PlaceName, SearchText};
use crate::tools::rows::figure;

/// Sites that match every condition given, by id.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchSites {
    /// words of the name, the address, the comuna or the id
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<SearchText>,
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// only this comuna or region, by name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceName>,
    /// only this kind
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_type: Option<SiteType>,
    /// only this state
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<SiteStatus>,
    /// only this criticality
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<Criticality>,
    /// only this comuna
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comuna: Option<ComunaName>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// A site in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteRow {
    /// Its id.
    pub id: SiteId,
    /// Its name.
    pub name: String,
    /// Its zone.
    pub zone: Zone,
    /// Its comuna.
    pub comuna: String,
    /// What stands there.
    pub site_type: SiteType,
    /// How much depends on it.
    pub criticality: Criticality,
    /// How it is.
    pub status: SiteStatus,
    /// Its active tasks.
    #[schemars(extend("labels" = ["tareas activas", "tareas"]))]
    pub active_tasks: u64,
}

/// Sites that match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SiteList {
    /// How many match.
    #[schemars(extend("labels" = ["sitios", "total", "en total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The rows listed.
    pub sites: Vec<SiteRow>,
    /// Every matching id, in the same order.
    pub ids: Vec<SiteId>,
}

impl Outcome for SiteList {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

impl Cx<'_> {
    /// A site as a row.
    pub(in crate::tools) fn site_row(&self, site: &Site) -> SiteRow {
        let active = self.world.tasks_of_site(&site.id).filter(|t| t.status.is_active());
        SiteRow {
            id: site.id.clone(),
            name: site.name.clone(),
            zone: site.zone.clone(),
            comuna: site.comuna.clone(),
            site_type: site.site_type,
            criticality: site.criticality,
            status: site.status,
            active_tasks: figure(active.count()),
        }
    }
}

pub(super) fn search_sites(cx: &Cx<'_>, args: &mut SearchSites) -> Result<SiteList, ToolError> {
    let area = cx.place(&mut args.place, &mut args.zone)?;
    let zone = cx.zone_of(&mut args.zone)?;
    let comuna = args.comuna.as_mut().map(|c| cx.comuna(c)).transpose()?;
    let words = args.text.as_ref().map(|t| fold(t.as_str()));
    let matching: Vec<&Site> = cx
        .world
        .sites()
        .iter()
        .filter(|s| zone.is_none_or(|z| s.zone == *z))
        .filter(|s| area.as_ref().is_none_or(|a| a.holds(s)))
        .filter(|s| comuna.as_ref().is_none_or(|c| c.holds(s)))
        .filter(|s| args.site_type.is_none_or(|t| s.site_type == t))
        .filter(|s| args.status.is_none_or(|st| s.status == st))
        .filter(|s| args.criticality.is_none_or(|c| s.criticality == c))
        .filter(|s| words.as_ref().is_none_or(|w| words_begin(&haystack(s), w)))
        .collect();
    let shown = matching.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(SiteList {
        total: figure(matching.len()),
        offset: figure(args.offset.rows()),
        sites: shown.map(|site| cx.site_row(site)).collect(),
        ids: matching.iter().map(|site| site.id.clone()).collect(),
    })
}

/// What `text` looks in.
fn haystack(site: &Site) -> String {
    fold(&format!("{} {} {} {}", site.name, site.address, site.comuna, site.id))
}
