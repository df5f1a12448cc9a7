//! The settings themselves: what is on, what is off, and what looks like a slip.

use std::collections::BTreeMap;

use secrecy::ExposeSecret;

use super::report::Finding;
use crate::cli::doors::{self, Admin};
use crate::config::Config;
use crate::domain::clock::Clock;
use crate::telemetry::logs;

/// Names that the program reads, or will with a later part; each also with `_FILE`.
const KNOWN: &[&str] = &[
    "TWILIO_ACCOUNT_SID",
    "TWILIO_AUTH_TOKEN",
    "TWILIO_AUTH_TOKEN_SECONDARY",
    "TWILIO_SHARED_KEYS",
    "TWILIO_API_KEY_SID",
    "TWILIO_API_KEY_SECRET",
    "TWILIO_WHATSAPP_FROM",
    "TWILIO_API_BASE",
    "TWILIO_MESSAGING_BASE",
    "TWILIO_CONTENT_BASE",
    "RELEVO_CONFIG",
    "RELEVO_BIND",
    "RELEVO_DATA_DIR",
    "RELEVO_NOW",
    "RELEVO_SECRET",
    "RELEVO_ADMIN_KEY",
    "RELEVO_URL",
    "RELEVO_KEY",
];
/// Names of parts that this build does not have.
const LATER: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "the model"),
    ("OPENAI_BASE_URL", "the model"),
    ("OPENAI_API_KEY", "the model"),
    ("RUNPOD_API_KEY", "local engines"),
    ("GRACE_ENDPOINT_ID", "local engines"),
    ("HST_URL", "HST"),
    ("HST_TOKEN", "HST"),
    ("SMTP_URL", "e-mail"),
];
/// From here on two names are so alike that one is a slip for the other.
const SLIP_LIKENESS: f64 = 0.88;
/// A shorter secret could be guessed from a media link.
const SECRET_CHARS_MIN: usize = 32;

/// What can be said of the settings without asking anybody.
pub fn findings(config: &Config, env: &BTreeMap<String, String>) -> Vec<Finding> {
    let mut findings = vec![source(env)];
    if let Err(error) = logs::check_level(&config.log.level) {
        findings.push(Finding::fatal("log", error.to_string(), "set LOG_LEVEL to info"));
    }
    if let Clock::Frozen(instant) = config.clock {
        let found = format!("business time stands still at {instant} (RELEVO_NOW)");
        findings.push(Finding::note("clock", found));
    }
    findings.push(admin(config));
    findings.push(secret(config));
    findings.push(Finding::note("planner", "offline: answers are made without a model"));
    findings.push(match doors::no_simulator(config) {
        None => Finding::ok("simulator", format!("http://{}/simulator", config.server.bind)),
        Some(why) => Finding::note("simulator", format!("off: {why}")),
    });
    for (name, part) in LATER {
        if env.get(*name).is_some_and(|value| !value.is_empty()) {
            findings.push(Finding::note(
                "settings",
                format!("{name} is set, but {part} is not in this build"),
            ));
        }
    }
    findings.extend(slips(env));
    findings
}

fn source(env: &BTreeMap<String, String>) -> Finding {
    let file = match env.get("RELEVO_CONFIG").filter(|path| !path.is_empty()) {
        Some(path) => path.clone(),
        None if std::path::Path::new("relevo.toml").exists() => "./relevo.toml".to_owned(),
        None => "no file".to_owned(),
    };
    Finding::ok(
        "settings",
        format!("sound; the embedded defaults, {file}, the environment"),
    )
}

fn admin(config: &Config) -> Finding {
    let about = "admin";
    match (doors::admin(config), doors::metrics_are_keyless(config)) {
        (Admin::Key, false) => Finding::ok(about, "/api/admin and /metrics ask for RELEVO_ADMIN_KEY"),
        (Admin::Key, true) => Finding::ok(
            about,
            "/api/admin asks for RELEVO_ADMIN_KEY; so does /metrics, save at this machine",
        ),
        (Admin::Machine, _) => Finding::note(about, "/api/admin is open to this machine only (no RELEVO_ADMIN_KEY)"),
        (Admin::Nobody, _) => Finding::note(
            about,
            "/api/admin and /metrics are closed: a public URL is set, RELEVO_ADMIN_KEY is not",
        ),
    }
}

fn secret(config: &Config) -> Finding {
    let about = "secret";
    match &config.secret {
        None => Finding::ok(
            about,
            "RELEVO_SECRET is not set: one is made and kept in the data directory",
        ),
        Some(secret) if secret.expose_secret().chars().count() < SECRET_CHARS_MIN => Finding::mend(
            about,
            format!("RELEVO_SECRET is shorter than {SECRET_CHARS_MIN} characters"),
            "set it to the output of `openssl rand -hex 32`, or unset it",
        ),
        Some(_) => Finding::ok(about, "RELEVO_SECRET is set"),
    }
}

/// Names that look like ours and are not: a typing error would go unnoticed.
fn slips(env: &BTreeMap<String, String>) -> Vec<Finding> {
    let stem = |name: &str| name.strip_suffix("_FILE").unwrap_or(name).to_owned();
    let unknown = |name: &&String| {
        let ours = name.starts_with("TWILIO_") || (name.starts_with("RELEVO_") && !name.starts_with("RELEVO__"));
        ours && !KNOWN.contains(&stem(name).as_str())
    };
    env.keys()
        .filter(unknown)
        .filter_map(|name| slip(name, &stem(name)))
        .collect()
}

/// Twilio's own tools have settings too, so one of theirs has to be near one of ours to be taken for a slip.
fn slip(name: &str, stem: &str) -> Option<Finding> {
    let likeness = |known: &str| match (known.split_once('_'), stem.split_once('_')) {
        (Some((ours, known)), Some((theirs, given))) if ours == theirs => strsim::jaro_winkler(known, given),
        _ => 0.0,
    };
    let near = KNOWN
        .iter()
        .copied()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    let meant = likeness(near) >= SLIP_LIKENESS;
    let found = format!("{name} is no setting");
    match meant {
        true => Some(Finding::mend("settings", found, format!("did you mean {near}?"))),
        false if name.starts_with("RELEVO_") => {
            let mend = "`deploy/relevo.toml` names every setting; RELEVO__SECTION__KEY sets any of them";
            Some(Finding::mend("settings", found, mend))
        }
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_from_the_settings_of_other_tools() {
        let said = |name: &str| {
            let found = slips(&BTreeMap::from([(name.to_owned(), "x".to_owned())]));
            found.into_iter().next().and_then(|f| f.mend)
        };
        assert_eq!(
            said("TWILIO_ACCOUNT_ID").as_deref(),
            Some("did you mean TWILIO_ACCOUNT_SID?")
        );
        assert_eq!(
            said("TWILIO_AUTHTOKEN_FILE").as_deref(),
            Some("did you mean TWILIO_AUTH_TOKEN?")
        );
        assert_eq!(said("RELEVO_DATADIR").as_deref(), Some("did you mean RELEVO_DATA_DIR?"));
        assert!(said("RELEVO_TURBO").is_some());
        for fine in [
            "TWILIO_REGION",
            "TWILIO_EDGE",
            "TWILIO_AUTH_TOKEN",
            "RELEVO__SERVER__BIND",
            "HOME",
        ] {
            assert_eq!(said(fine), None, "{fine}");
        }
    }
}
