//! Which doors stand open under these settings: `serve` and `check` say the same of them.

use secrecy::ExposeSecret;

use crate::config::{Config, Switch};
use crate::web::loopback::Loopback;

/// Who may use the admin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admin {
    /// Whoever has the key.
    Key,
    /// A person at this machine, without a key.
    Machine,
    /// Nobody: there is no key, and somebody outside could be at the other end.
    Nobody,
}

/// The admin's door.
pub fn admin(config: &Config) -> Admin {
    match (config.server.admin_key.expose_secret().is_empty(), is_private(config)) {
        (false, _) => Admin::Key,
        (true, true) => Admin::Machine,
        (true, false) => Admin::Nobody,
    }
}

/// Do the metrics open to this machine without a key?
pub fn metrics_are_keyless(config: &Config) -> bool {
    is_private(config)
}

/// Why there is no phone in the browser; `None` where there is one.
pub fn no_simulator(config: &Config) -> Option<&'static str> {
    match (config.simulator_on(), config.server.simulator) {
        (true, _) if is_private(config) => None,
        (true, _) => Some("a public URL or a public bind address is set, and it is for this machine only"),
        (false, Switch::Off) => Some("server.simulator is \"off\""),
        (false, _) => Some("Twilio credentials are set (server.simulator = \"on\" overrides)"),
    }
}

/// Can a message come in at all?
pub fn is_mute(config: &Config) -> bool {
    !config.twilio.is_set() && no_simulator(config).is_some()
}

fn is_private(config: &Config) -> bool {
    Loopback::new(config.server.bind, Some(&config.server.public_url)).is_private()
}
