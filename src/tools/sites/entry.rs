//! `get_site_access`: how a site is entered, and who is authorised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::SiteId;
use crate::domain::records::Access;
use crate::tools::access::AccessCard;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Offset, PersonRef};
use crate::tools::rows::figure;

/// How a site is entered, and its authorisations (authorised, pending, denied, expired) with their validity and conditions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteAccessArgs {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// only this person's: name, part of a name, or id like E-001
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<PersonRef>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
    /// from which row on
    #[serde(default, skip_serializing_if = "Offset::is_zero")]
    pub offset: Offset,
}

impl Outcome for AccessCard {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

pub(super) fn get_site_access(cx: &Cx<'_>, args: &mut SiteAccessArgs) -> Result<AccessCard, ToolError> {
    let site = cx.site(&args.site_id)?;
    let holder = args.holder.as_mut().map(|h| cx.person(h)).transpose()?;
    let matching: Vec<&Access> = cx
        .best_access_first(&site.id)
        .into_iter()
        .filter(|a| holder.is_none_or(|h| a.holder_id.as_ref() == Some(&h.id)))
        .collect();
    let shown = matching.iter().skip(args.offset.rows()).take(args.limit.rows());
    Ok(AccessCard {
        site_id: site.id.clone(),
        site_name: site.name.clone(),
        zone: site.zone.clone(),
        line: cx.access_line(site),
        total: figure(matching.len()),
        offset: figure(args.offset.rows()),
        authorizations: shown.map(|a| cx.access_row(a)).collect(),
        ids: matching.iter().map(|a| a.id.clone()).collect(),
    })
}
