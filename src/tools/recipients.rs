//! From whom a message names to addresses: people of the directory, crews, and outside it what the
//! settings allow to those who may.

use crate::domain::change::Recipient;
use crate::domain::ids::{CrewId, EmployeeId};
use crate::domain::mail::EmailAddress;
use crate::domain::message::Address;
use crate::domain::records::Employee;
use crate::domain::sets::Role;
use crate::domain::text::fold;

use super::contract::{Cx, Refusal, ToolError};
use super::params::{PersonRef, ToRef};

/// Recipients of one message.
const RECIPIENTS_MAX: usize = 20;

/// By what way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Mail,
    Whatsapp,
}

fn refused(reason: Refusal) -> ToolError {
    ToolError::Refused { reason }
}

impl<'a> Cx<'a> {
    /// Everybody named, each once, in the order given; the argument becomes what was resolved.
    pub(super) fn recipients(&self, to: &mut ToRef, by: By) -> Result<Vec<Recipient>, ToolError> {
        self.about_people()?;
        let (mut found, mut resolved) = (Vec::<Recipient>::new(), Vec::new());
        for given in to.as_str().split([',', ';']).map(str::trim).filter(|g| !g.is_empty()) {
            let (canonical, several) = self.named_as(given, by)?;
            resolved.push(canonical);
            for recipient in several {
                if !found.iter().any(|known| known.address == recipient.address) {
                    found.push(recipient);
                }
            }
        }
        if found.is_empty() {
            return Err(refused(Refusal::NobodyReachable));
        }
        if found.len() > RECIPIENTS_MAX {
            return Err(ToolError::argument(
                "to",
                format!("at most {RECIPIENTS_MAX} recipients"),
            ));
        }
        to.resolve(resolved.join(", "));
        Ok(found)
    }

    fn named_as(&self, given: &str, by: By) -> Result<(String, Vec<Recipient>), ToolError> {
        match by {
            By::Mail if given.contains('@') => {
                let address = EmailAddress::parse(given).map_err(|e| ToolError::argument("to", e.to_string()))?;
                let known = self.world.employees().iter();
                let person = known
                    .filter(|e| e.active)
                    .find(|e| e.email.eq_ignore_ascii_case(address.as_str()));
                if person.is_none() {
                    self.may_leave(self.desk.is_some_and(|desk| desk.mail.admits(address.as_str())))?;
                }
                let recipient = Recipient {
                    address: address.as_str().to_owned(),
                    employee: person.map(|e| e.id.clone()),
                };
                Ok((recipient.address.clone(), vec![recipient]))
            }
            By::Whatsapp if given.starts_with('+') || given.starts_with("whatsapp:") => {
                let digits: String = given.chars().filter(char::is_ascii_digit).collect();
                let phone = format!("+{digits}");
                let address = Address::parse(&format!("whatsapp:{phone}"))
                    .map_err(|e| ToolError::argument("to", e.to_string()))?;
                if let Some(person) = self.world.employee_by_phone(&phone).filter(|e| e.active) {
                    return Ok((person.id.to_string(), vec![reached(person, by)?]));
                }
                self.may_leave(self.desk.is_some_and(|desk| desk.whatsapp.admits(&phone)))?;
                let recipient = Recipient {
                    address: address.as_str().to_owned(),
                    employee: None,
                };
                Ok((phone, vec![recipient]))
            }
            By::Mail | By::Whatsapp => self.person_or_crew(given, by),
        }
    }

    fn person_or_crew(&self, given: &str, by: By) -> Result<(String, Vec<Recipient>), ToolError> {
        if let Some(crew) = self.crew_meant(given)? {
            let members: Vec<Recipient> = self
                .world
                .members_of(&crew)
                .filter(|e| e.active)
                .filter_map(|e| reached(e, by).ok())
                .collect();
            if members.is_empty() {
                return Err(refused(Refusal::NobodyReachable));
            }
            return Ok((crew.to_string(), members));
        }
        let mut person: PersonRef = serde_json::from_value(serde_json::Value::from(given))
            .map_err(|e| ToolError::argument("to", e.to_string()))?;
        let found = self.person(&mut person)?;
        if !found.active {
            return Err(ToolError::NotFound {
                kind: "person",
                given: given.to_owned(),
                nearest: vec![],
            });
        }
        Ok((found.id.to_string(), vec![reached(found, by)?]))
    }

    /// The crew that is meant, by id or by name.
    fn crew_meant(&self, given: &str) -> Result<Option<CrewId>, ToolError> {
        if let Ok(id) = CrewId::parse(given) {
            return Ok(Some(self.crew(&id)?.id.clone()));
        }
        let folded = fold(given);
        let name = folded.strip_prefix("la ").unwrap_or(&folded);
        if !name.starts_with("cuadrilla") {
            return Ok(None);
        }
        match self.world.crews_named(name).as_slice() {
            [] => Err(ToolError::NotFound {
                kind: "crew",
                given: name.trim_start_matches("cuadrilla").trim().to_owned(),
                nearest: vec![],
            }),
            [one] => Ok(Some(one.id.clone())),
            several => match several.iter().find(|crew| fold(&crew.name) == name) {
                Some(exact) => Ok(Some(exact.id.clone())),
                None => Err(ToolError::Ambiguous {
                    given: given.to_owned(),
                    candidates: several.iter().map(|c| (c.id.to_string(), c.name.clone())).collect(),
                }),
            },
        }
    }

    /// May a message leave the directory, where the settings admit its address?
    fn may_leave(&self, admitted: bool) -> Result<(), ToolError> {
        let may = matches!(self.caller.role(), Some(Role::Supervisor | Role::Noc));
        if may && admitted {
            return Ok(());
        }
        Err(refused(Refusal::Outside))
    }

    /// The person of the directory.
    pub(super) fn known(&self, id: Option<&EmployeeId>) -> Option<&'a Employee> {
        self.world.employee(id?)
    }
}

fn reached(person: &Employee, by: By) -> Result<Recipient, ToolError> {
    let no_address = || refused(Refusal::NoAddress);
    let address = match by {
        By::Mail => EmailAddress::parse(&person.email)
            .map_err(|_| no_address())?
            .as_str()
            .to_owned(),
        By::Whatsapp => {
            let digits: String = person.phone.chars().filter(char::is_ascii_digit).collect();
            let address = Address::parse(&format!("whatsapp:+{digits}")).map_err(|_| no_address())?;
            address.as_str().to_owned()
        }
    };
    Ok(Recipient {
        address,
        employee: Some(person.id.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::caller::Caller;
    use crate::tools::fixture::{cx, person};

    fn to(caller: &Caller, given: &str, by: By) -> Result<Vec<String>, ToolError> {
        let mut to: ToRef = serde_json::from_value(given.into()).unwrap();
        let found = cx(caller).recipients(&mut to, by)?;
        Ok(found.into_iter().map(|r| r.address).collect())
    }

    #[test]
    fn people_are_found_by_id_name_and_address_each_once() {
        let found = to(
            &Caller::Desk,
            "E-002, ximena rojas; E002@operador-demo.example",
            By::Mail,
        )
        .unwrap();
        assert_eq!(found, ["e002@operador-demo.example"]);
        let found = to(&Caller::Desk, "+56 9 8000 0002", By::Whatsapp).unwrap();
        assert_eq!(found, ["whatsapp:+56980000002"]);
    }

    #[test]
    fn a_crew_is_its_active_members() {
        for given in ["CU-AN-01", "cuadrilla norte 1", "la cuadrilla norte 1"] {
            let found = to(&Caller::Desk, given, By::Whatsapp).unwrap();
            assert!(
                found.len() > 1 && found.contains(&"whatsapp:+56980000022".to_owned()),
                "{given}: {found:?}"
            );
        }
    }

    #[test]
    fn two_of_a_name_are_asked_about() {
        assert!(matches!(
            to(&Caller::Desk, "martinez", By::Mail),
            Err(ToolError::Ambiguous { .. })
        ));
    }

    #[test]
    fn outside_the_directory_nobody_is_written_to_unless_it_is_allowed() {
        let outside = Err(ToolError::Refused {
            reason: Refusal::Outside,
        });
        assert_eq!(to(&Caller::Desk, "ana@otro.example", By::Mail), outside);
        assert_eq!(to(&person("E-022"), "+51987654321", By::Whatsapp), outside);
        let header = to(&Caller::Desk, "ana@otro.example\r\nBcc: x@y.example", By::Mail);
        assert!(matches!(header, Err(ToolError::Arguments { .. })), "{header:?}");
        assert!(matches!(
            to(&Caller::Guest, "E-002", By::Mail),
            Err(ToolError::Refused { .. })
        ));
    }
}
