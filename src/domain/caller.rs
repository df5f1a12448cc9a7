//! Who is asking, as the engine and the tools see them.

use serde::{Deserialize, Serialize};

use super::ids::{CrewId, EmployeeId, Zone};
use super::sets::Role;

/// The asking person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Caller {
    /// Someone of the operator's directory.
    Person(Person),
    /// The control room without a name: `relevo ask` without `--as`, keys without a person.
    Desk,
    /// An unknown number: read only, without people's data.
    Guest,
}

/// A person of the directory with what decides their rights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their id.
    pub id: EmployeeId,
    /// Full name, personal data.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// Their zone.
    pub zone: Option<Zone>,
    /// Their crew.
    pub crew_id: Option<CrewId>,
}

impl Caller {
    /// The person, when there is one.
    pub fn person(&self) -> Option<&Person> {
        match self {
            Self::Person(person) => Some(person),
            Self::Desk | Self::Guest => None,
        }
    }

    /// The role that decides; a guest has none, the desk reads as noc.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Person(person) => Some(person.role),
            Self::Desk => Some(Role::Noc),
            Self::Guest => None,
        }
    }

    /// May they see other people's names and phones (`catalog.toml`, rules.roles)?
    pub fn sees_phones(&self) -> bool {
        matches!(self.role(), Some(Role::Manager | Role::Supervisor | Role::Noc))
    }

    /// Is this somebody we do not know?
    pub fn is_guest(&self) -> bool {
        matches!(self, Self::Guest)
    }
}
