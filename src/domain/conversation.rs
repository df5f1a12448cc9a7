//! The ids of conversations: a person's, or that of an address which nobody holds.

use sha2::{Digest, Sha256};

use super::ids::EmployeeId;
use super::message::Address;

/// Hexadecimal digits of an unknown address's conversation id: enough that two never meet.
const UNKNOWN_DIGITS: usize = 24;

/// The conversation of somebody of the directory.
pub fn of_person(id: &EmployeeId) -> String {
    format!("wa:{id}")
}

/// The conversation of an address that nobody holds: a digest, which can stand in logs and paths
/// without naming anybody.
pub fn of_address(address: &Address) -> String {
    let digest: String = Sha256::digest(address.as_str())
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    format!("wa:x{}", digest.get(..UNKNOWN_DIGITS).unwrap_or(&digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_is_not_named_by_the_id() {
        let address = Address::parse("whatsapp:+56911112222").unwrap();
        let id = of_address(&address);
        assert!(id.starts_with("wa:x") && !id.contains("1112222"));
        assert_eq!(of_person(&EmployeeId::parse("E-022").unwrap()), "wa:E-022");
    }
}
