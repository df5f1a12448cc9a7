//! May one enter a site: the authorisations as they read now, and the one line for them.

use std::cmp::Reverse;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AccessId, SiteId, Zone};
use crate::domain::records::{Access, Site};
use crate::domain::sets::{AccessStatus, AccessType};

use super::contract::Cx;
use super::rows::Named;

/// An authorisation as it reads now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccessRow {
    /// Its id.
    pub id: AccessId,
    /// Where.
    pub site_id: SiteId,
    /// Where it stands; authorised and past its validity reads expired.
    pub status: AccessStatus,
    /// Who holds it; not named to a guest.
    pub holder: Option<Named>,
    /// Whether the asker holds it.
    pub own: bool,
    /// From when.
    #[schemars(with = "Option<String>")]
    pub valid_from: Option<Timestamp>,
    /// Until when.
    #[schemars(with = "Option<String>")]
    pub valid_to: Option<Timestamp>,
    /// On what conditions.
    pub conditions: String,
}

/// How a site is entered, and by which authorisation the asker may.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccessLine {
    /// How the site is entered.
    pub access_type: AccessType,
    /// The asker's own authorisation, else the site's best; None when there is none.
    pub authorization: Option<AccessRow>,
}

/// Everything about entering a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccessCard {
    /// The site.
    pub site_id: SiteId,
    /// Its name.
    pub site_name: String,
    /// Its zone.
    pub zone: Zone,
    /// The one line.
    pub line: AccessLine,
    /// How many authorisations match.
    #[schemars(extend("labels" = ["autorizaciones", "accesos", "total"]))]
    pub total: u64,
    /// How many rows were passed over.
    #[schemars(extend("labels" = ["desde"]))]
    pub offset: u64,
    /// The authorisations listed, the best first.
    pub authorizations: Vec<AccessRow>,
    /// Every matching id, in the same order.
    pub ids: Vec<AccessId>,
}

/// Where an authorisation stands now.
pub(super) fn effective(access: &Access, now: Timestamp) -> AccessStatus {
    match access.status {
        AccessStatus::Authorized if access.valid_to.is_some_and(|end| end < now) => AccessStatus::Expired,
        status => status,
    }
}

impl Cx<'_> {
    /// An authorisation as a row.
    pub(super) fn access_row(&self, access: &Access) -> AccessRow {
        let own = self
            .caller
            .person()
            .is_some_and(|me| access.holder_id.as_ref() == Some(&me.id));
        AccessRow {
            id: access.id.clone(),
            site_id: access.site_id.clone(),
            status: effective(access, self.now),
            holder: self.named(access.holder_id.as_ref()),
            own,
            valid_from: access.valid_from,
            valid_to: access.valid_to,
            conditions: access.conditions.clone(),
        }
    }

    /// A site's authorisations, the best first: its rank, valid already, longest valid.
    pub(super) fn best_access_first(&self, site: &SiteId) -> Vec<&Access> {
        let mut all: Vec<&Access> = self.world.access_of(site).collect();
        all.sort_by_key(|access| {
            let not_yet = access.valid_from.is_some_and(|from| from > self.now);
            (
                effective(access, self.now),
                not_yet,
                Reverse(access.valid_to),
                access.id.clone(),
            )
        });
        all
    }

    /// The access line of a site (`rules.access_line`).
    pub(super) fn access_line(&self, site: &Site) -> AccessLine {
        let ranked = self.best_access_first(&site.id);
        let me = self.caller.person().map(|me| &me.id);
        let own = ranked
            .iter()
            .find(|access| me.is_some() && access.holder_id.as_ref() == me);
        let chosen = own.or_else(|| ranked.first());
        AccessLine {
            access_type: site.access_type,
            authorization: chosen.map(|access| self.access_row(access)),
        }
    }
}
