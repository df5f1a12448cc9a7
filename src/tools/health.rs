//! The health of what the relay depends on, from its own calls: reachable, circuit, last error; and of
//! the relay's own queues. What was not measured is not known, and that is said.

mod measured;
mod standing;

use super::contract::{Module, probe};

pub use measured::{Latency, LatencyArgs, ServiceLatency, ServiceUptime, Uptime, UptimeArgs};
pub use standing::{HealthArgs, Queues, ServiceRow, State, SystemHealth};

pub(super) static MODULE: Module = Module {
    name: "health",
    tools: &[
        &probe("get_system_health", &[], standing::get_system_health),
        &probe("get_service_uptime", &[], measured::get_service_uptime),
        &probe("get_service_latency", &[], measured::get_service_latency),
    ],
    disabled: &[],
};
