//! Phone numbers as look-up keys: the same person's number in the forms providers write it.
//!
//! WhatsApp writes Mexican mobiles with a `1` after the country code, Argentine ones with a
//! `9`, and older Brazilian ones without their ninth digit. The variants are for look-up
//! only: an address is never rewritten.

/// The digits of a number or address: `whatsapp:+56 9 8000` to `5698000`.
pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Other ways to write the same number, the given one not among them.
pub(super) fn variants(digits: &str) -> Vec<String> {
    let mut variants = vec![];
    if let Some(rest) = digits.strip_prefix("52") {
        // Mexico: country, ten digits.
        match rest.strip_prefix('1') {
            Some(national) if national.len() == 10 => variants.push(format!("52{national}")),
            _ if rest.len() == 10 => variants.push(format!("521{rest}")),
            _ => {}
        }
    } else if let Some(rest) = digits.strip_prefix("54") {
        // Argentina: country, area and number are ten digits.
        match rest.strip_prefix('9') {
            Some(national) if national.len() == 10 => variants.push(format!("54{national}")),
            _ if rest.len() == 10 => variants.push(format!("549{rest}")),
            _ => {}
        }
    } else if let Some(rest) = digits.strip_prefix("55") {
        variants.extend(brazilian(rest));
    }
    variants
}

/// Brazil: area of two digits, then eight digits or, for mobiles, a 9 and eight digits.
/// Only numbers that began with 6 to 9 were mobiles; a land line never gets the digit.
fn brazilian(rest: &str) -> Option<String> {
    let (area, local) = rest.split_at_checked(2)?;
    let was_mobile = |eight: &str| eight.len() == 8 && eight.starts_with(['6', '7', '8', '9']);
    match local.strip_prefix('9') {
        Some(eight) if was_mobile(eight) => Some(format!("55{area}{eight}")),
        _ if was_mobile(local) => Some(format!("55{area}9{local}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mexican_argentine_and_brazilian_numbers_have_a_second_form() {
        for (one, other) in [
            ("5215512345678", "525512345678"),
            ("5491123456789", "541123456789"),
            ("5511987654321", "551187654321"),
        ] {
            assert_eq!(variants(one), [other]);
            assert_eq!(variants(other), [one]);
        }
    }

    #[test]
    fn land_lines_and_other_countries_have_one_form() {
        for number in ["551123456789", "56980000001", "", "52", "5511"] {
            assert!(variants(number).is_empty(), "{number}");
        }
    }
}
