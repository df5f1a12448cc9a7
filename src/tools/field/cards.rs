//! The short cards of a person and of a crew.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{CrewId, EmployeeId, TaskId, Zone};
use crate::domain::records::{Crew, Employee};
use crate::domain::sets::{CrewStatus, Role};
use crate::tools::contract::Cx;
use crate::tools::rows::{Named, figure};

/// A person, as far as the asker may see. Never for a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonCard {
    /// Their id.
    pub id: EmployeeId,
    /// Their name.
    pub name: String,
    /// What they are.
    pub role: Role,
    /// Their zone.
    pub zone: Option<Zone>,
    /// Their crew.
    pub crew: Option<Named>,
    /// Their phone, where the asker may see it.
    pub phone: Option<String>,
    /// Their mail address, where the asker may see it.
    pub email: Option<String>,
    /// Whether phone and mail are kept from the asker.
    pub contact_hidden: bool,
    /// False once they have left.
    pub active: bool,
    /// Active tasks they have or manage.
    #[schemars(extend("labels" = ["tareas activas", "tareas"]))]
    pub active_tasks: u64,
}

/// A crew; its people are not named to a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrewCard {
    /// Its id.
    pub id: CrewId,
    /// Its name.
    pub name: String,
    /// Its zone.
    pub zone: Zone,
    /// What it is doing.
    pub status: CrewStatus,
    /// Who leads it.
    pub lead: Option<Named>,
    /// Its people.
    pub members: Vec<PersonCard>,
    /// What it is working on.
    pub current_task: Option<TaskId>,
    /// When its position is from; null when it is not known.
    #[schemars(with = "Option<String>")]
    pub position_at: Option<Timestamp>,
    /// Its active tasks.
    #[schemars(extend("labels" = ["tareas activas", "tareas"]))]
    pub active_tasks: u64,
}

impl Cx<'_> {
    /// A person's card.
    pub(in crate::tools) fn person_card(&self, person: &Employee) -> PersonCard {
        let visible = self.sees_phone_of(person);
        let shown = |text: &str| (visible && !text.is_empty()).then(|| text.to_owned());
        let has = self.world.tasks_of_technician(&person.id);
        let manages = self.world.tasks_of_manager(&person.id);
        PersonCard {
            id: person.id.clone(),
            name: person.name.clone(),
            role: person.role,
            zone: person.zone.clone(),
            crew: person.crew_id.as_ref().map(|id| Named {
                id: id.to_string(),
                name: self.world.crew(id).map_or_else(|| id.to_string(), |c| c.name.clone()),
            }),
            phone: shown(&person.phone),
            email: shown(&person.email),
            contact_hidden: !visible,
            active: person.active,
            active_tasks: figure(has.chain(manages).filter(|t| t.status.is_active()).count()),
        }
    }

    /// A crew's card.
    pub(in crate::tools) fn crew_card(&self, crew: &Crew) -> CrewCard {
        let members = self.world.members_of(&crew.id).filter(|_| self.sees_names());
        let active = self.world.tasks_of_crew(&crew.id).filter(|t| t.status.is_active());
        CrewCard {
            id: crew.id.clone(),
            name: crew.name.clone(),
            zone: crew.zone.clone(),
            status: crew.status,
            lead: self.named(crew.lead_id.as_ref()),
            members: members.map(|person| self.person_card(person)).collect(),
            current_task: crew.current_task_id.clone(),
            position_at: crew.position_at,
            active_tasks: figure(active.count()),
        }
    }
}
