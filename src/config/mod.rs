//! Settings by concern, read once at start and validated across keys.
//!
//! Layers, the later wins: the embedded `deploy/relevo.toml`; the file named by
//! `RELEVO_CONFIG` or `./relevo.toml`; `RELEVO__SECTION__KEY`; the usual names. The caller
//! gives the environment, so that nothing here reads a global.

mod check;
mod links;
mod messages;
pub mod secret;
mod sections;
pub mod systems;

use std::collections::BTreeMap;
use std::path::PathBuf;

use config::{Environment, File, FileFormat};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use secrecy::SecretString;
use serde::Deserialize;

use crate::domain::clock::{Clock, ZoneTimes};

pub use links::{MEDIA_PATH, MediaLinks};
pub use messages::{Mail, Whatsapp};
pub use sections::{Log, Media, Operator, Relay, Server, StoreSettings, Switch, Twilio, UnknownNumbers};

/// The documented default file, which is the default.
pub const DEFAULT_FILE: &str = include_str!("../../deploy/relevo.toml");

/// Twilio's shared sandbox sender (`whatsapp:` prefix included).
pub const SANDBOX_SENDER: &str = "whatsapp:+14155238886";

/// The usual names and the keys they set.
const USUAL_NAMES: &[(&str, &str)] = &[
    ("TWILIO_ACCOUNT_SID", "twilio.account_sid"),
    ("TWILIO_AUTH_TOKEN", "twilio.auth_token"),
    ("TWILIO_AUTH_TOKEN_SECONDARY", "twilio.auth_token_secondary"),
    ("TWILIO_SHARED_KEYS", "twilio.shared_keys"),
    ("TWILIO_API_KEY_SID", "twilio.api_key_sid"),
    ("TWILIO_API_KEY_SECRET", "twilio.api_key_secret"),
    ("TWILIO_WHATSAPP_FROM", "twilio.from"),
    ("TWILIO_API_BASE", "twilio.api_base"),
    ("TWILIO_MESSAGING_BASE", "twilio.messaging_base"),
    ("TWILIO_CONTENT_BASE", "twilio.content_base"),
    ("SMTP_URL", "mail.url"),
    ("PUBLIC_URL", "server.public_url"),
    ("RELEVO_BIND", "server.bind"),
    ("RELEVO_DATA_DIR", "server.data_dir"),
    ("RELEVO_ADMIN_KEY", "server.admin_key"),
    ("LOG_LEVEL", "log.level"),
];

/// Settings that belong to builds or parts that this program does not have.
const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "DATABASE_URL",
        "PostgreSQL support is not in this build: unset DATABASE_URL to use the embedded store",
    ),
    (
        "REDIS_URL",
        "Redis support is not in this build: unset REDIS_URL to use the embedded cache",
    ),
];

/// A setting that cannot be used, with its name and how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file or value could not be read at all.
    #[error("settings: {0}")]
    Read(String),
    /// A value is wrong.
    #[error("{key}: {problem}")]
    Value {
        /// The key as in the file, or the usual name.
        key: String,
        /// What is wrong and what would be right.
        problem: String,
    },
}

fn wrong(key: &str, problem: impl Into<String>) -> ConfigError {
    ConfigError::Value {
        key: key.to_owned(),
        problem: problem.into(),
    }
}

/// A value that cannot be read, under the usual name where it was given by that one.
fn unreadable(problem: &str, given: impl Fn(&str) -> bool) -> ConfigError {
    let named = USUAL_NAMES
        .iter()
        .find(|(name, key)| given(name) && problem.contains(&format!("`{key}`")));
    match named {
        Some((name, _)) => wrong(name, problem),
        None => ConfigError::Read(problem.to_owned()),
    }
}

/// Everything the program was told.
#[derive(Debug, Clone)]
pub struct Config {
    /// The port and what guards it.
    pub server: Server,
    /// How much is logged.
    pub log: Log,
    /// Whose systems these are.
    pub operator: Operator,
    /// The account at Twilio.
    pub twilio: Twilio,
    /// The relay's rhythm.
    pub relay: Relay,
    /// Limits of files received.
    pub media: Media,
    /// Outgoing mail.
    pub mail: Mail,
    /// Messages that we begin on WhatsApp.
    pub whatsapp: Whatsapp,
    /// Limits of the durable store.
    pub store: StoreSettings,
    /// The operator's systems outside, by name.
    pub systems: BTreeMap<String, systems::Outside>,
    /// Business time.
    pub clock: Clock,
    /// The instance's secret, if given; else made and kept in the data directory.
    pub secret: Option<SecretString>,
    /// Where a running service is (`RELEVO_URL`), for commands that go through it.
    pub url: Option<String>,
    /// The key for that service (`RELEVO_KEY`).
    pub key: Option<SecretString>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    server: Server,
    log: Log,
    operator: Operator,
    twilio: Twilio,
    relay: Relay,
    media: Media,
    mail: Mail,
    whatsapp: Whatsapp,
    store: StoreSettings,
    #[serde(default)]
    systems: BTreeMap<String, systems::Outside>,
}

impl Config {
    /// Reads all layers; `env` is the environment.
    pub fn load(env: &BTreeMap<String, String>) -> Result<Self, ConfigError> {
        let env = with_files(env)?;
        let given = |name: &str| env.get(name).map(String::as_str).filter(|v| !v.trim().is_empty());
        if let Some((name, problem)) = UNSUPPORTED.iter().find(|(name, _)| given(name).is_some()) {
            return Err(wrong(name, *problem));
        }
        let mut layers = config::Config::builder().add_source(File::from_str(DEFAULT_FILE, FileFormat::Toml));
        layers = match given("RELEVO_CONFIG") {
            Some(path) => layers.add_source(File::new(path, FileFormat::Toml)),
            None => layers.add_source(File::new("relevo.toml", FileFormat::Toml).required(false)),
        };
        let own: std::collections::HashMap<String, String> = env
            .iter()
            .filter(|(name, _)| name.starts_with("RELEVO__"))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        layers = layers.add_source(
            Environment::with_prefix("RELEVO")
                .prefix_separator("__")
                .separator("__")
                .source(Some(own)),
        );
        for (name, key) in USUAL_NAMES {
            if let Some(value) = given(name) {
                let problem = |e: config::ConfigError| wrong(name, e.to_string());
                layers = layers.set_override(*key, value.trim()).map_err(problem)?;
            }
        }
        let sections: Sections = layers
            .build()
            .and_then(config::Config::try_deserialize)
            .map_err(|e| unreadable(&without_source(&e.to_string()), |name| given(name).is_some()))?;
        let clock = match given("RELEVO_NOW") {
            None => Clock::System,
            Some(text) => Clock::Frozen(
                text.parse::<Timestamp>()
                    .map_err(|_| wrong("RELEVO_NOW", "an instant is needed, for example 2026-11-30T12:00:00Z"))?,
            ),
        };
        let config = Self {
            server: sections.server,
            log: sections.log,
            operator: sections.operator,
            twilio: sections.twilio,
            relay: sections.relay,
            media: sections.media,
            mail: sections.mail,
            whatsapp: sections.whatsapp,
            store: sections.store,
            systems: sections.systems,
            clock,
            secret: given("RELEVO_SECRET").map(Into::into),
            url: given("RELEVO_URL").map(|u| u.trim_end_matches('/').to_owned()),
            key: given("RELEVO_KEY").map(Into::into),
        };
        config.validated()
    }

    /// The settings with no environment and no file, in a data directory of the caller's.
    pub fn for_testing(data_dir: PathBuf) -> Result<Self, ConfigError> {
        let path = data_dir.to_string_lossy().into_owned();
        Self::load(&BTreeMap::from([
            ("RELEVO_DATA_DIR".to_owned(), path),
            ("RELEVO_BIND".to_owned(), "127.0.0.1:0".to_owned()),
            ("RELEVO__LOG__LEVEL".to_owned(), "warn".to_owned()),
        ]))
    }

    /// Which clock each zone goes by.
    pub fn zone_times(&self) -> Result<ZoneTimes, ConfigError> {
        let zone = |key: &str, name: &str| {
            TimeZone::get(name)
                .map_err(|_| wrong(key, format!("`{name}` is no IANA time zone (America/Santiago is one)")))
        };
        let default = zone("operator.time_zone", &self.operator.time_zone)?;
        let by_zone: Result<Vec<_>, _> = self
            .operator
            .zone_times
            .iter()
            .map(|(name, tz)| Ok((name.to_lowercase(), zone(&format!("operator.zone_times.{name}"), tz)?)))
            .collect();
        Ok(ZoneTimes::new(default, by_zone?))
    }

    /// Is the phone in the browser on?
    pub fn simulator_on(&self) -> bool {
        match self.server.simulator {
            Switch::On => true,
            Switch::Off => false,
            Switch::Auto => !self.twilio.is_set(),
        }
    }

    /// Does an unknown number get an answer? By itself only on the demo operator.
    pub fn guests_welcome(&self) -> bool {
        match self.operator.unknown_numbers {
            UnknownNumbers::Guest => true,
            UnknownNumbers::Refuse => false,
            UnknownNumbers::Auto => !self.reads_outside(),
        }
    }

    /// Does a system outside hold the operator's data?
    pub fn reads_outside(&self) -> bool {
        self.systems.values().any(|system| !system.lists.is_empty())
    }
}

/// Comma-separated values, trimmed, empty ones dropped.
fn list(setting: &str) -> Vec<String> {
    setting
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A parser's words without the lines of the file that it quotes: the one that can't be read may hold
/// a secret whose quotes were forgotten.
fn without_source(error: &str) -> String {
    let quoted = |line: &&str| {
        let line = line.trim_start();
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        !number.trim_start().starts_with('|')
    };
    let lines: Vec<&str> = error.lines().filter(quoted).map(str::trim_end).collect();
    lines.join("; ")
}

/// Puts the content of `NAME_FILE` in the place of `NAME`; a set NAME wins.
fn with_files(env: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut all = env.clone();
    let names = USUAL_NAMES
        .iter()
        .map(|(name, _)| *name)
        .chain(["RELEVO_SECRET", "RELEVO_KEY"]);
    for name in names {
        let file_name = format!("{name}_FILE");
        if let Some(path) = env.get(&file_name).filter(|_| !env.contains_key(name)) {
            let content = std::fs::read_to_string(path).map_err(|e| wrong(&file_name, format!("{path}: {e}")))?;
            if content.trim().is_empty() {
                return Err(wrong(&file_name, format!("{path} is empty")));
            }
            all.insert(name.to_owned(), content.trim_end().to_owned());
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn load(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::load(&pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
    }

    const ACCOUNT: (&str, &str) = ("TWILIO_ACCOUNT_SID", "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");

    #[test]
    fn nothing_configured_is_the_demo_on_loopback() {
        let config = load(&[]).unwrap();
        assert!(config.server.bind.ip().is_loopback());
        assert!(config.simulator_on() && !config.twilio.is_set() && config.guests_welcome());
    }

    #[test]
    fn a_key_of_any_section_can_be_set_in_the_environment() {
        let config = load(&[
            ("RELEVO__RELAY__POLL_SECS", "7"),
            ("PUBLIC_URL", "https://relay.example.com/"),
        ])
        .unwrap();
        assert_eq!(config.relay.poll_secs, 7);
        assert_eq!(config.server.public_url, "https://relay.example.com");
    }

    #[test]
    fn a_secret_comes_from_a_file_and_never_shows_in_debug() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "f00dface\n").unwrap();
        let path = file.path().to_str().unwrap();
        let config = load(&[
            ACCOUNT,
            ("TWILIO_AUTH_TOKEN_FILE", path),
            ("TWILIO_WHATSAPP_FROM", SANDBOX_SENDER),
        ])
        .unwrap();
        assert_eq!(config.twilio.auth_token.expose_secret(), "f00dface");
        assert!(!format!("{config:?}").contains("f00dface"));
        assert_eq!(config.twilio.recipient_gap_ms(SANDBOX_SENDER), 3_000);
    }

    #[test]
    fn a_password_in_the_public_url_is_not_shown() {
        let shown = |url: &str| load(&[("PUBLIC_URL", url)]).unwrap().server.public_url_shown();
        assert_eq!(
            shown("https://ana:f00dface@relay.example.com/r"),
            "https://ana:***@relay.example.com/r"
        );
        for plain in [
            "https://relay.example.com:8443",
            "https://relay.example.com/a:b@c",
            "https://ana@relay.example.com",
        ] {
            assert_eq!(shown(plain), plain);
        }
    }

    #[test]
    fn a_broken_file_is_told_by_its_place_and_never_quoted() {
        let file = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
        let path = file.path().to_str().unwrap();
        for broken in [
            "[twilio]\nauth_token = f00dface",
            "[twilio]\nauth_token = \"f00dface",
            "[twilio]\nauth_token = [\"f00dface\"]",
            "[twilio]\nauth_token = { f00dface = 1 }",
            "[twilio]\nauth_token \"f00dface\"",
            "[twilio]\nauth_token = \"f00dface\"\nauth_token = \"f00dface\"",
        ] {
            std::fs::write(file.path(), broken).unwrap();
            let error = load(&[("RELEVO_CONFIG", path)]).map(|_| ()).unwrap_err().to_string();
            assert!(!error.contains("f00dface"), "{error}");
            assert!(error.contains("line") || error.contains("auth_token"), "{error}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[("RELEVO_BIND", "0.0.0.0:8080")], "RELEVO_ADMIN_KEY"),
            (&[("RELEVO_BIND", "foo")], "RELEVO_BIND: invalid socket address"),
            (&[("TWILIO_AUTH_TOKEN", "x")], "TWILIO_ACCOUNT_SID: is missing"),
            (&[("TWILIO_ACCOUNT_SID", "ACx")], "32 hexadecimal"),
            (&[ACCOUNT], "TWILIO_AUTH_TOKEN: is missing"),
            (
                &[ACCOUNT, ("TWILIO_AUTH_TOKEN", "x")],
                "TWILIO_WHATSAPP_FROM: is missing",
            ),
            (
                &[
                    ACCOUNT,
                    ("TWILIO_AUTH_TOKEN", "x"),
                    ("TWILIO_WHATSAPP_FROM", "+14155238886"),
                ],
                "with `whatsapp:`",
            ),
            (&[("PUBLIC_URL", "relay.example.com")], "https://HOST"),
            (&[("RELEVO_NOW", "yesterday")], "RELEVO_NOW"),
            (&[("DATABASE_URL", "postgres://x")], "not in this build"),
            (&[("RELEVO__SERVER__BINDD", "x")], "bindd"),
            (&[("RELEVO__RELAY__POLL_SECS", "soon")], "poll_secs"),
            (
                &[("RELEVO__SERVER__SIMULATOR", "maybe")],
                "`auto`, `on` or `off` is needed",
            ),
            (&[("RELEVO__OPERATOR__UNKNOWN_NUMBERS", "all")], "`refuse` is needed"),
            (
                &[("TWILIO_AUTH_TOKEN_FILE", "/dev/null")],
                "TWILIO_AUTH_TOKEN_FILE: /dev/null is empty",
            ),
            (&[("RELEVO_CONFIG", "/nonexistent.toml")], "nonexistent"),
            (&[("RELEVO__RELAY__PARALLEL_TURNS", "0")], "1 to 1000"),
            (
                &[("RELEVO__RELAY__LEASE_SECS", "18446744073709551615")],
                "relay.lease_secs",
            ),
            (
                &[("RELEVO__SERVER__IN_FLIGHT_MAX", "18446744073709551615")],
                "server.in_flight_max",
            ),
            (&[("RELEVO__MEDIA__FOLDER_BYTES_MAX", "1")], "media.folder_bytes_max"),
        ];
        for (env, expected) in cases {
            let error = load(env).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(expected), "{env:?}: {error}");
        }
    }
}
