//! Whose data a caller may see (`catalog.toml`, rules.roles).
//!
//! Names are for everybody in the directory, none for a guest. Phones and mail addresses are
//! for managers, supervisors and the control room, and for anyone about their own crew. A
//! site's contact is also for the crew of an active task there.

use crate::domain::ids::EmployeeId;
use crate::domain::records::{Employee, Site};

use super::contract::{Cx, Refusal, ToolError};
use super::rows::Named;

impl Cx<'_> {
    /// May people's names be shown?
    pub(crate) fn sees_names(&self) -> bool {
        !self.caller.is_guest()
    }

    /// A guest asks nothing about people.
    pub(super) fn about_people(&self) -> Result<(), ToolError> {
        if self.sees_names() {
            return Ok(());
        }
        Err(ToolError::Refused {
            reason: Refusal::PeopleData,
        })
    }

    /// A person's id and name, where names may be shown and the person is known.
    pub(super) fn named(&self, id: Option<&EmployeeId>) -> Option<Named> {
        let id = id.filter(|_| self.sees_names())?;
        let name = self
            .world
            .employee(id)
            .map_or_else(|| id.to_string(), |e| e.name.clone());
        Some(Named {
            id: id.to_string(),
            name,
        })
    }

    /// May this person's phone and mail be shown?
    pub(super) fn sees_phone_of(&self, employee: &Employee) -> bool {
        let own = self
            .caller
            .person()
            .is_some_and(|me| me.id == employee.id || (me.crew_id.is_some() && me.crew_id == employee.crew_id));
        own || self.caller.sees_phones()
    }

    /// May the contact of this site be shown?
    pub(super) fn sees_contact_of(&self, site: &Site) -> bool {
        let crew_here = self
            .caller
            .person()
            .and_then(|me| me.crew_id.as_ref())
            .is_some_and(|crew| {
                let mut here = self.world.tasks_of_site(&site.id);
                here.any(|t| t.status.is_active() && t.crew_id.as_ref() == Some(crew))
            });
        crew_here || self.caller.sees_phones()
    }
}
