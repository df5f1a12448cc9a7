//! Addresses: which of them are one person's, and which employee that is.

use serde::{Deserialize, Serialize};

use super::tables::{decode, encode};
use super::writer::Work;
use crate::domain::message::Address;
use crate::store::StoreError;

/// Addresses that one person may have; more are not remembered.
const ADDRESSES_OF_ONE: usize = 8;

/// What is known of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AddressRow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Address>,
}

fn row(work: &mut Work<'_>, address: &Address) -> Result<AddressRow, StoreError> {
    let found = work.tables.addresses()?.get(address.as_str())?;
    found.map_or(Ok(AddressRow::default()), |bytes| decode("address", bytes.value()))
}

fn put(work: &mut Work<'_>, address: &Address, row: &AddressRow) -> Result<(), StoreError> {
    let bytes = encode("address", row, work.limits.row_bytes)?;
    work.tables.addresses()?.put(address.as_str(), bytes.as_slice())
}

/// The employee of an address.
pub(super) fn person(work: &mut Work<'_>, address: &Address) -> Result<Option<String>, StoreError> {
    Ok(row(work, address)?.person)
}

/// Binds an address, and the others of the same person, to an employee; None unbinds.
pub(super) fn bind(work: &mut Work<'_>, address: &Address, person: Option<&str>) -> Result<(), StoreError> {
    let mut first = row(work, address)?;
    first.person = person.map(str::to_owned);
    put(work, address, &first)?;
    for other in &first.also {
        let mut row = row(work, other)?;
        row.person.clone_from(&first.person);
        put(work, other, &row)?;
    }
    Ok(())
}

/// A message has shown that two addresses are one person's; each learns what the other knew.
pub(super) fn link(work: &mut Work<'_>, one: &Address, two: &Address) -> Result<(), StoreError> {
    let (first, second) = (row(work, one)?, row(work, two)?);
    let person = first.person.clone().or_else(|| second.person.clone());
    for (address, old, other) in [(one, first, two), (two, second, one)] {
        let mut new = AddressRow {
            person: old.person.clone().or_else(|| person.clone()),
            also: old.also.clone(),
        };
        if !new.also.contains(other) && new.also.len() < ADDRESSES_OF_ONE {
            new.also.push(other.clone());
        }
        if new != old {
            put(work, address, &new)?;
        }
    }
    Ok(())
}
