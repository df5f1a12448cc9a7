//! `get_site_contacts`: whose a site is, and whom to call there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{SiteId, Zone};
use crate::domain::sets::AccessType;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::rows::Named;

/// The owner of a site and its contact. The contact's phone is for managers, supervisors, the control room, and the crew of an active task there.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteContactsArgs {
    /// the site, like SITE-001
    pub site_id: SiteId,
}

/// Whose a site is, and whom to call there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteContacts {
    /// The site.
    pub site: Named,
    /// Its zone.
    pub zone: Zone,
    /// Who owns the structure.
    pub owner: String,
    /// How the site is entered.
    pub access_type: AccessType,
    /// Whether a contact is on record.
    pub on_record: bool,
    /// The contact's name; not for a guest.
    pub name: Option<String>,
    /// The contact's phone, where the asker may see it.
    pub phone: Option<String>,
    /// Whether a phone on record is kept from the asker.
    pub phone_hidden: bool,
}

impl Outcome for SiteContacts {}

pub(super) fn get_site_contacts(cx: &Cx<'_>, args: &mut SiteContactsArgs) -> Result<SiteContacts, ToolError> {
    let site = cx.site(&args.site_id)?;
    let visible = cx.sees_contact_of(site);
    let on_record = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let (name, phone) = (on_record(&site.contact_name), on_record(&site.contact_phone));
    Ok(SiteContacts {
        site: Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        },
        zone: site.zone.clone(),
        owner: site.owner.clone(),
        access_type: site.access_type,
        on_record: name.is_some() || phone.is_some(),
        phone_hidden: phone.is_some() && !visible,
        name: name.filter(|_| cx.sees_names()),
        phone: phone.filter(|_| visible),
    })
}
