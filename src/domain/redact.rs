//! Masks for people's data: what a log, a metric label or an error may show of them.

/// `whatsapp:+56980000022` to `whatsapp:+***0022`; a business-scoped id keeps its country.
pub fn address(text: &str) -> String {
    let (scheme, rest) = text.split_once(':').map_or(("", text), |(s, r)| (s, r));
    let masked = match rest.split_once('.') {
        Some((country, id)) if !rest.starts_with('+') => format!("{country}.***{}", last(id, 4)),
        _ => phone(rest),
    };
    if scheme.is_empty() {
        masked
    } else {
        format!("{scheme}:{masked}")
    }
}

/// A phone to its last four digits: `+***0022`.
pub fn phone(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    format!("+***{}", last(&digits, 4))
}

/// A mail address to its domain: `***@example.com`.
pub fn email(text: &str) -> String {
    let domain = text.rsplit_once('@').map_or("", |(_, domain)| domain);
    format!("***@{domain}")
}

/// A full name to initials: `Jorge Martínez` to `J. M.`.
pub fn name(text: &str) -> String {
    let initials: Vec<String> = text
        .split_whitespace()
        .filter_map(|word| word.chars().next())
        .map(|c| format!("{}.", c.to_uppercase()))
        .collect();
    initials.join(" ")
}

/// A RUT to its check digit: `**.***.***-9`.
pub fn rut(text: &str) -> String {
    let check = text.rsplit_once('-').map_or("*", |(_, check)| check);
    format!("**.***.***-{check}")
}

/// The last `n` characters.
fn last(text: &str, n: usize) -> String {
    let skip = text.chars().count().saturating_sub(n);
    text.chars().skip(skip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_masked() {
        assert_eq!(address("whatsapp:+56980000022"), "whatsapp:+***0022");
        assert_eq!(address("whatsapp:CL.4566546130240823"), "whatsapp:CL.***0823");
        assert_eq!(phone("+56 9 8000 0022"), "+***0022");
        assert_eq!(name("Jorge Andrés Martínez"), "J. A. M.");
        assert_eq!(email("ana.soto@example.com"), "***@example.com");
        assert_eq!(rut("99.100.274-K"), "**.***.***-K");
    }
}
