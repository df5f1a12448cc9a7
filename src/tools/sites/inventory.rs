//! `get_site_inventory`: what equipment stands at a site.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AssetId, SiteId, Zone};
use crate::domain::records::Asset;
use crate::domain::text::{fold, words_begin};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{EquipmentName, Limit, Offset};
use crate::tools::rows::{Named, figure};

/// The equipment of a site with vendor, model, quantity and serial number.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteInventoryArgs {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// only equipment so called, or whose vendor or model is so called
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equipment: Option<EquipmentName>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

/// The equipment of a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteInventory {
    /// The site.
    pub site: Named,
    /// Its zone.
    pub zone: Zone,
    /// How many pieces are on record.
    #[schemars(extend("labels" = ["equipos", "total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The equipment listed, by id.
    pub assets: Vec<AssetRow>,
    /// Every matching id, in the same order.
    pub ids: Vec<AssetId>,
}

impl Outcome for SiteInventory {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// A piece of equipment in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssetRow {
    /// Its id.
    pub id: AssetId,
    /// What it is.
    pub equipment: String,
    /// Who made it.
    pub vendor: String,
    /// Which model.
    pub model: String,
    /// How many.
    #[schemars(extend("labels" = ["cantidad", "unidades"]))]
    pub quantity: u32,
    /// Serial number.
    pub serial: String,
    /// When installed; null when not on record.
    #[schemars(with = "Option<String>")]
    pub installed_at: Option<Timestamp>,
}

pub(super) fn get_site_inventory(cx: &Cx<'_>, args: &mut SiteInventoryArgs) -> Result<SiteInventory, ToolError> {
    let site = cx.site(&args.site_id)?;
    let wanted = args.equipment.as_ref().map(|name| fold(name.as_str()));
    let called = |asset: &&Asset| {
        let name = fold(&format!("{} {} {}", asset.equipment, asset.vendor, asset.model));
        wanted.as_ref().is_none_or(|wanted| words_begin(&name, wanted))
    };
    let matching: Vec<&Asset> = cx.world.assets_of(&site.id).filter(called).collect();
    let shown = matching.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(SiteInventory {
        site: Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        },
        zone: site.zone.clone(),
        total: figure(matching.len()),
        offset: figure(args.offset.rows()),
        assets: shown
            .map(|asset| AssetRow {
                id: asset.id.clone(),
                equipment: asset.equipment.clone(),
                vendor: asset.vendor.clone(),
                model: asset.model.clone(),
                quantity: asset.quantity,
                serial: asset.serial.clone(),
                installed_at: asset.installed_at,
            })
            .collect(),
        ids: matching.iter().map(|asset| asset.id.clone()).collect(),
    })
}
