//! The check of `[systems.NAME]`: what can't work is refused by the name of its key.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use secrecy::{ExposeSecret, SecretString};

use super::{AuthKind, FieldRule, List, Need, Outside, Paging, WRITES, fields_of};
use crate::config::{Config, ConfigError, wrong};
use crate::domain::change::RecordKind;

/// Systems that may be set up.
const SYSTEMS_MAX: usize = 32;
/// Verbs there are.
const VERBS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE"];

impl Config {
    /// Reads the secrets that stand in files, and refuses what can't work.
    pub(in crate::config) fn check_systems(&mut self) -> Result<(), ConfigError> {
        if self.systems.len() > SYSTEMS_MAX {
            return Err(wrong("systems", format!("more than {SYSTEMS_MAX} are too many")));
        }
        let mut owners: BTreeMap<String, String> = BTreeMap::new();
        for (name, system) in &mut self.systems {
            let key = |rest: &str| format!("systems.{name}.{rest}");
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if name.is_empty() || name.len() > 40 || !name.chars().all(plain) {
                return Err(wrong(&key(""), "a name is 1 to 40 of a-z, 0-9 and _"));
            }
            system.base_url = system.base_url.trim_end_matches('/').to_owned();
            sound_base(&key("base_url"), &system.base_url)?;
            sign_in(system, &key)?;
            bounds(system, &key)?;
            if !system.time_zone.is_empty() && TimeZone::get(&system.time_zone).is_err() {
                return Err(wrong(
                    &key("time_zone"),
                    "an IANA time zone is needed (America/Santiago)",
                ));
            }
            if let Some(probe) = &system.probe {
                verb(&key("probe.method"), &probe.method)?;
                json(&key("probe.body"), &probe.body)?;
                pointer(&key("probe.at"), &probe.at)?;
            }
            for (kind, list) in &system.lists {
                let key = |rest: &str| format!("systems.{name}.lists.{kind}.{rest}");
                check_list(kind, list, &key)?;
                if let Some(other) = owners.insert(kind.clone(), name.clone()) {
                    let problem = format!("`{other}` lists this kind already: one system holds the truth of a kind");
                    return Err(wrong(&key("path"), problem));
                }
            }
            check_writes(name, system)?;
        }
        Ok(())
    }
}

fn sound_base(key: &str, base: &str) -> Result<(), ConfigError> {
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let plain_text = base.starts_with("http://");
    if !base.starts_with("https://") && !plain_text {
        return Err(wrong(key, "https://HOST is needed"));
    }
    if base.contains(['?', '#', ' ', '@']) {
        return Err(wrong(
            key,
            "only https://HOST[:PORT][/PATH]; who signs in stands in `auth`",
        ));
    }
    // A machine room speaks plain HTTP inside its own walls; a name of the open Internet must not.
    let host = base
        .trim_start_matches("http://")
        .split(['/', ':'])
        .next()
        .unwrap_or_default();
    let inside = local.iter().any(|l| base.starts_with(l)) || !host.contains('.') || private(host);
    if plain_text && !inside {
        return Err(wrong(
            key,
            "plain http:// would show the key to everyone on the way: use https://",
        ));
    }
    Ok(())
}

fn private(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>()
        .is_ok_and(|ip| ip.is_private() || ip.is_loopback())
        || host.ends_with(".local")
        || host.ends_with(".internal")
        || host.ends_with(".lan")
}

fn sign_in(system: &mut Outside, key: &dyn Fn(&str) -> String) -> Result<(), ConfigError> {
    let auth = &mut system.auth;
    if !auth.secret_file.is_empty() && auth.secret.expose_secret().is_empty() {
        let content = std::fs::read_to_string(&auth.secret_file)
            .map_err(|e| wrong(&key("auth.secret_file"), format!("{}: {e}", auth.secret_file)))?;
        auth.secret = SecretString::from(content.trim().to_owned());
        if auth.secret.expose_secret().is_empty() {
            return Err(wrong(
                &key("auth.secret_file"),
                format!("{} is empty", auth.secret_file),
            ));
        }
    }
    let has_secret = !auth.secret.expose_secret().is_empty();
    match auth.kind {
        AuthKind::None if has_secret => Err(wrong(&key("auth.kind"), "`bearer`, `basic` or `header` is needed")),
        AuthKind::None => Ok(()),
        _ if !has_secret => Err(wrong(
            &key("auth.secret"),
            "is missing: set it in the environment or name a file by auth.secret_file",
        )),
        AuthKind::Basic if auth.user.is_empty() => Err(wrong(&key("auth.user"), "is missing")),
        AuthKind::Header if auth.header.is_empty() => Err(wrong(&key("auth.header"), "is missing")),
        AuthKind::Bearer | AuthKind::Basic | AuthKind::Header => Ok(()),
    }
}

fn bounds(system: &Outside, key: &dyn Fn(&str) -> String) -> Result<(), ConfigError> {
    const DAY_SECS: u64 = 86_400;
    let all = [
        ("sync_secs", system.sync_secs, 1..=DAY_SECS),
        ("full_secs", system.full_secs, 1..=7 * DAY_SECS),
        ("timeout_secs", system.timeout_secs, 1..=300),
        ("step_secs", system.step_secs, 1..=3_600),
        ("requests_max", system.requests_max as u64, 1..=64),
        ("tries_max", u64::from(system.tries_max), 1..=10),
        ("retry_ms", system.retry_ms, 1..=60_000),
        ("breaker_secs", system.breaker_secs, 1..=3_600),
        ("pages_max", u64::from(system.pages_max), 1..=100_000),
        ("rows_max", system.rows_max as u64, 1..=10_000_000),
        ("answer_bytes_max", system.answer_bytes_max, 1_024..=1 << 30),
    ];
    for (name, value, bounds) in all {
        if !bounds.contains(&value) {
            let (least, most) = bounds.into_inner();
            return Err(wrong(
                &key(name),
                format!("{value} is out of bounds: {least} to {most}"),
            ));
        }
    }
    Ok(())
}

fn check_list(kind: &str, list: &List, key: &dyn Fn(&str) -> String) -> Result<(), ConfigError> {
    let Some(kind) = RecordKind::ALL.iter().find(|k| k.as_str() == kind) else {
        let valid: Vec<_> = RecordKind::ALL.iter().map(|k| k.as_str()).collect();
        return Err(wrong(
            &key("path"),
            format!("the kinds of records are {}", valid.join(", ")),
        ));
    };
    verb(&key("method"), &list.method)?;
    path(&key("path"), &list.path)?;
    json(&key("body"), &list.body)?;
    if !list.detail.is_empty() {
        path(&key("detail"), &list.detail)?;
    }
    for (name, at) in [
        ("items", &list.items),
        ("detail_item", &list.detail_item),
        ("key", &list.key),
        ("next", &list.next),
    ] {
        pointer(&key(name), at)?;
    }
    if list.total != "header" {
        pointer(&key("total"), &list.total)?;
    }
    let by_param = matches!(list.paging, Paging::Page | Paging::Offset | Paging::Cursor);
    if by_param && list.page_param.is_empty() && list.body.is_empty() {
        return Err(wrong(
            &key("page_param"),
            "is missing: the parameter that asks for the next page",
        ));
    }
    if list.paging == Paging::Cursor && list.next.is_empty() {
        return Err(wrong(&key("next"), "is missing: where the answer has the cursor"));
    }
    if list.page_rows == 0 || list.page_rows > 100_000 {
        return Err(wrong(&key("page_rows"), "1 to 100000 rows"));
    }
    if let Some(since) = &list.since {
        pointer(&key("since.at"), &since.at)?;
        if !since.value.contains("{since}") {
            return Err(wrong(&key("since.value"), "{since} must stand in it"));
        }
    }
    for expected in &list.expect {
        pointer(&key("expect.at"), &expected.at)?;
        if expected.is.is_empty() && expected.starts.is_empty() {
            return Err(wrong(&key("expect"), "`is` or `starts` says what must stand there"));
        }
    }
    check_fields(*kind, &list.fields, key)
}

fn check_fields(
    kind: RecordKind,
    fields: &BTreeMap<String, FieldRule>,
    key: &dyn Fn(&str) -> String,
) -> Result<(), ConfigError> {
    let known = fields_of(kind);
    for (name, rule) in fields {
        let at = key(&format!("fields.{name}"));
        if !known.iter().any(|f| f.name == name) {
            let valid: Vec<_> = known.iter().map(|f| f.name).collect();
            return Err(wrong(
                &at,
                format!("is no field of {}: {}", kind.as_str(), valid.join(", ")),
            ));
        }
        let rule = rule.rule();
        pointer(&at, &rule.at)?;
        pointer(&at, &rule.or_at)?;
        pointer(&at, &rule.and_at)?;
        if rule.at.is_empty() && rule.value.is_empty() {
            return Err(wrong(&at, "`at` says where it is, or `value` what it always is"));
        }
        if regex::Regex::new(&rule.pattern).is_err() {
            return Err(wrong(&at, "`pattern` is no regular expression"));
        }
        if rule.factor.is_some_and(|f| !f.is_finite() || f == 0.0) {
            return Err(wrong(&at, "`factor` is a number other than 0"));
        }
    }
    match known
        .iter()
        .find(|f| f.need == Need::Must && !fields.contains_key(f.name))
    {
        Some(missing) => Err(wrong(
            &key(&format!("fields.{}", missing.name)),
            format!("is missing: no record of {} is whole without it", kind.as_str()),
        )),
        None => Ok(()),
    }
}

fn check_writes(name: &str, system: &Outside) -> Result<(), ConfigError> {
    for (write, call) in &system.writes {
        let key = |rest: &str| format!("systems.{name}.writes.{write}.{rest}");
        if !WRITES.contains(&write.as_str()) {
            return Err(wrong(&key("path"), format!("the writes are {}", WRITES.join(", "))));
        }
        if !system.lists.contains_key("tasks") {
            return Err(wrong(
                &key("path"),
                "only the system that lists the tasks can change them",
            ));
        }
        verb(&key("method"), &call.method)?;
        path(&key("path"), &call.path)?;
        json(&key("body"), &call.body)?;
        pointer(&key("key_at"), &call.key_at)?;
        let Some(verify) = &call.verify else { continue };
        path(&key("verify.path"), &verify.path)?;
        pointer(&key("verify.items"), &verify.items)?;
        for holds in &verify.holds {
            pointer(&key("verify.holds.at"), &holds.at)?;
            if holds.is.is_empty() == holds.contains.is_empty() {
                return Err(wrong(
                    &key("verify.holds"),
                    "one of `is` and `contains` says what is there",
                ));
            }
        }
        if verify.holds.is_empty() {
            return Err(wrong(&key("verify.holds"), "is missing: what shows that it was done"));
        }
    }
    Ok(())
}

fn verb(key: &str, method: &str) -> Result<(), ConfigError> {
    match VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(method)) {
        true => Ok(()),
        false => Err(wrong(key, format!("one of {} is needed", VERBS.join(", ")))),
    }
}

fn path(key: &str, path: &str) -> Result<(), ConfigError> {
    match path.starts_with('/') && !path.starts_with("//") {
        true => Ok(()),
        false => Err(wrong(key, "a path begins with one slash")),
    }
}

fn pointer(key: &str, pointer: &str) -> Result<(), ConfigError> {
    match pointer.is_empty() || pointer.starts_with('/') {
        true => Ok(()),
        false => Err(wrong(key, "a JSON pointer begins with a slash: /status/name")),
    }
}

fn json(key: &str, body: &str) -> Result<(), ConfigError> {
    match body.is_empty() || serde_json::from_str::<serde_json::Value>(body).is_ok() {
        true => Ok(()),
        false => Err(wrong(key, "is no JSON")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: &str = r#"
        [systems.tickets]
        base_url = "https://tickets.example.com/"
        [systems.tickets.auth]
        kind = "header"
        header = "X-Redmine-API-Key"
        [systems.tickets.lists.tasks]
        path = "/issues.json"
        [systems.tickets.lists.tasks.fields]
        id = { at = "/id", prefix = "T-" }
        title = "/subject"
        site_id = "/site"
        status = { at = "/status/name", words = { "En curso" = "in_progress" }, otherwise = "open" }
        criticality = { value = "low" }
        work_type = { value = "corrective" }
        created_at = "/created_on"
    "#;
    const SECRET: (&str, &str) = ("RELEVO__SYSTEMS__TICKETS__AUTH__SECRET", "f00dface");

    fn load(file: &str, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let path = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
        std::fs::write(path.path(), file).unwrap();
        let mut all: BTreeMap<String, String> = env.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        all.insert("RELEVO_CONFIG".into(), path.path().display().to_string());
        Config::load(&all)
    }

    #[test]
    fn a_system_is_read_with_its_secret_from_the_environment() {
        let config = load(TASKS, &[SECRET]).unwrap();
        let tickets = &config.systems["tickets"];
        assert_eq!(tickets.base_url, "https://tickets.example.com");
        assert_eq!(tickets.auth.secret.expose_secret(), "f00dface");
        assert!(!format!("{config:?}").contains("f00dface"));
        let status = tickets.lists["tasks"].fields["status"].rule();
        assert_eq!(status.words["En curso"], "in_progress");
    }

    #[test]
    fn the_worked_example_is_whole() {
        let secrets = ["TICKETS", "INVENTORY", "ALARMS"].map(|name| format!("RELEVO__SYSTEMS__{name}__AUTH__SECRET"));
        let env: Vec<_> = secrets.iter().map(|name| (name.as_str(), "f00dface")).collect();
        let config = load(include_str!("../../../deploy/systems.example.toml"), &env).unwrap();
        assert_eq!(config.systems.len(), 3);
        assert!(config.reads_outside() && !config.guests_welcome());
    }

    #[test]
    fn the_secret_may_stand_in_a_file() {
        let secret = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(secret.path(), "f00dface\n").unwrap();
        let line = format!(
            "secret_file = \"{}\"\n[systems.tickets.lists.tasks]",
            secret.path().display()
        );
        let config = load(&TASKS.replacen("[systems.tickets.lists.tasks]", &line, 1), &[]).unwrap();
        assert_eq!(config.systems["tickets"].auth.secret.expose_secret(), "f00dface");
    }

    #[test]
    fn what_cannot_work_is_refused_by_its_key() {
        let cases = [
            ("https://tickets", "http://tickets", "plain http"),
            ("https://tickets", "ftp://tickets", "https://HOST"),
            ("title = \"/subject\"", "", "fields.title: is missing"),
            ("title = \"/subject\"", "title = \"subject\"", "begins with a slash"),
            ("title = ", "titel = ", "fields.titel: is no field of tasks"),
            ("lists.tasks", "lists.issues", "the kinds of records are"),
            (
                "path = \"/issues.json\"",
                "path = \"issues.json\"",
                "begins with one slash",
            ),
            (
                "path = \"/issues.json\"",
                "path = \"/issues.json\"\npaging = \"offset\"",
                "page_param",
            ),
            ("header = \"X-Redmine-API-Key\"", "", "auth.header: is missing"),
            ("base_url", "sync_secs = 0\nbase_url", "sync_secs: 0 is out of bounds"),
        ];
        for (from, to, expected) in cases {
            let error = load(&TASKS.replace(from, to), &[SECRET])
                .map(|_| ())
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected) && !error.contains("f00dface"), "{to}: {error}");
        }
        let error = load(TASKS, &[]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("systems.tickets.auth.secret: is missing"), "{error}");
    }
}
