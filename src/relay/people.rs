//! Who is asking: an address is looked up, never rewritten; the reply goes to the exact `From`.
//!
//! A person has many addresses: a phone (with the variants of Mexico, Argentina and Brazil for
//! look-up only), a business-scoped id, an `ExternalUserId`. All of them lead to one
//! conversation. An address nobody holds has a conversation of its own.

use crate::domain::caller::{Caller, Person};
use crate::domain::conversation::{of_address, of_person};
use crate::domain::ids::EmployeeId;
use crate::domain::message::Address;
use crate::domain::records::Employee;
use crate::store::{Store, StoreError};
use crate::world::{World, WorldHandle};

/// The person behind any of the addresses: by a phone of the directory, else by what an
/// address was bound to. Only active people count.
pub async fn person(store: &Store, world: &WorldHandle, addresses: &[&Address]) -> Result<Option<Person>, StoreError> {
    let by_phone = |world: &World| {
        addresses
            .iter()
            .filter_map(|a| a.phone())
            .find_map(|p| known(world.employee_by_phone(p)))
    };
    if let Some(person) = by_phone(&world.load()) {
        return Ok(Some(person));
    }
    for address in addresses {
        if let Some(id) = store
            .person_of(address)
            .await?
            .and_then(|id| EmployeeId::parse(&id).ok())
        {
            return Ok(known(world.load().employee(&id)));
        }
    }
    Ok(None)
}

fn known(employee: Option<&Employee>) -> Option<Person> {
    let employee = employee.filter(|e| e.active)?;
    Some(Person {
        id: employee.id.clone(),
        name: employee.name.clone(),
        role: employee.role,
        zone: employee.zone.clone(),
        crew_id: employee.crew_id.clone(),
    })
}

/// The conversation's id: the person's when known, else a digest of the address, which
/// can stand in logs and paths without naming anybody.
pub fn conversation(person: Option<&Person>, from: &Address) -> String {
    match person {
        Some(person) => of_person(&person.id),
        None => of_address(from),
    }
}

/// The engine's view of the person.
pub fn caller(person: Option<Person>) -> Caller {
    person.map_or(Caller::Guest, Caller::Person)
}
