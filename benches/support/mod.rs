//! What the benches share: requests made beforehand, servers to start, load, and figures.
#![allow(dead_code)]

pub mod figures;
pub mod load;
pub mod peers;
pub mod process;
pub mod requests;

/// A number from the environment, else the default.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// The account that all servers under test are told.
pub const ACCOUNT: &str = "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
/// Its token.
pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";
/// Our sender; not the sandbox's, which would be paced.
pub const SENDER: &str = "whatsapp:+14155230000";
/// The key for the metrics.
pub const ADMIN_KEY: &str = "bench-admin-key-0123456789";
