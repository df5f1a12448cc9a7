//! The closed sets of the catalogue as enums: statuses, severities, roles and their like.
//!
//! The words in quotes are the catalogue's (`catalog.toml`, params); what people read for
//! them stands in the templates under the same word.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A word that is in none of the set, with the words that are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a {set}: use one of {valid}")]
pub struct UnknownWord {
    /// The word given, cut to 40 characters.
    pub given: String,
    /// What the set is called.
    pub set: &'static str,
    /// The words of the set, separated by commas.
    pub valid: String,
}

macro_rules! closed_set {
    ($(#[$doc:meta])* $name:ident, $entity:literal, $set:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline, extend("x-entity" = $entity))]
        pub enum $name { $(#[doc = concat!("`", $word, "`")] $(#[$vdoc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in the order of rank.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The catalogue's word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;
            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                let word = text.trim();
                Self::ALL.iter().copied().find(|v| v.as_str().eq_ignore_ascii_case(word)).ok_or_else(|| UnknownWord {
                    given: word.chars().take(40).collect(),
                    set: $set,
                    valid: Self::ALL.iter().map(|v| v.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}

closed_set!(
    /// What a task is in. The first four are *active*.
    TaskStatus, "status", "task status" {
        Open = "open", InProgress = "in_progress", Stalled = "stalled", OnHold = "on_hold", Closed = "closed", Cancelled = "cancelled",
    }
);

impl TaskStatus {
    /// open, in_progress, stalled or on_hold (`catalog.toml`, definitions.active).
    pub const fn is_active(self) -> bool {
        !matches!(self, Self::Closed | Self::Cancelled)
    }
}

closed_set!(
    /// A status to ask for: one of a task's, or `active` (the first four) or `any`.
    StatusFilter, "status", "task status" {
        Open = "open", InProgress = "in_progress", Stalled = "stalled", OnHold = "on_hold", Closed = "closed", Cancelled = "cancelled",
        Active = "active", Any = "any",
    }
);

impl StatusFilter {
    /// Does a task in `status` fit?
    pub const fn admits(self, status: TaskStatus) -> bool {
        match self {
            Self::Any => true,
            Self::Active => status.is_active(),
            Self::Open => matches!(status, TaskStatus::Open),
            Self::InProgress => matches!(status, TaskStatus::InProgress),
            Self::Stalled => matches!(status, TaskStatus::Stalled),
            Self::OnHold => matches!(status, TaskStatus::OnHold),
            Self::Closed => matches!(status, TaskStatus::Closed),
            Self::Cancelled => matches!(status, TaskStatus::Cancelled),
        }
    }
}

closed_set!(
    /// How a list of tasks is ordered.
    TaskSort, "sort", "order" { Criticality = "criticality", Due = "due", Oldest = "oldest", Newest = "newest", Updated = "updated" }
);
closed_set!(
    /// How much depends on a task or a site; ranked, most critical first.
    Criticality, "criticality", "criticality" { Critical = "critical", High = "high", Medium = "medium", Low = "low" }
);

impl Criticality {
    /// Hours a new task of this criticality gets (`catalog.toml`, rules.sla_hours).
    pub const fn sla_hours(self) -> i64 {
        match self {
            Self::Critical => 8,
            Self::High => 24,
            Self::Medium => 72,
            Self::Low => 168,
        }
    }
}

closed_set!(
    /// What kind of work a task is; POP and TOT are the operator's opaque codes.
    WorkType, "work_type", "work type" {
        Corrective = "corrective", Preventive = "preventive", Pop = "POP", Tot = "TOT", Installation = "installation", Audit = "audit",
    }
);
closed_set!(
    /// An alarm's severity; ranked, most severe first.
    AlarmSeverity, "severity", "severity" { Critical = "critical", Major = "major", Minor = "minor", Warning = "warning" }
);
closed_set!(
    /// What an alarm is about.
    AlarmCategory, "category", "category" {
        Power = "power", Transport = "transport", Radio = "radio", Security = "security", Environment = "environment",
    }
);
closed_set!(
    /// What stands at a site.
    SiteType, "site_type", "site type" {
        Macro = "macro", Rooftop = "rooftop", SmallCell = "small_cell", Pop = "pop", Repeater = "repeater", Datacenter = "datacenter",
    }
);
closed_set!(
    /// How a site is.
    SiteStatus, "site_status", "site status" { Active = "active", Degraded = "degraded", Down = "down", Maintenance = "maintenance" }
);
closed_set!(
    /// What a crew is doing.
    CrewStatus, "crew_status", "crew status" { Available = "available", EnRoute = "en_route", OnSite = "on_site", OffShift = "off_shift" }
);
closed_set!(
    /// Where an access authorisation stands; ranked, best first.
    AccessStatus, "access_status", "access status" { Authorized = "authorized", Pending = "pending", Denied = "denied", Expired = "expired" }
);
closed_set!(
    /// How a site is entered.
    AccessType, "access_type", "access type" { Free = "free", Key = "key", Escort = "escort", Authorization = "authorization" }
);
closed_set!(
    /// What a person is to the operator.
    Role, "role", "role" { Technician = "technician", Manager = "manager", Supervisor = "supervisor", Noc = "noc" }
);
closed_set!(
    /// What a monitor says of its value.
    MonitorStatus, "monitor_status", "monitor status" { Ok = "ok", Warning = "warning", Critical = "critical", Unknown = "unknown" }
);
closed_set!(
    /// What happened to a task.
    EventKind, "event_kind", "kind of event" {
        Created = "created", Assigned = "assigned", Status = "status", Note = "note", Escalated = "escalated", Closed = "closed", Arrived = "arrived", EnRoute = "en_route",
    }
);
closed_set!(
    /// The systems that hold the operator's data (`catalog.toml`, params.service).
    System, "service", "system" { Tasks = "tasks", Sites = "sites", Panel = "panel", Kpis = "kpis", Field = "field", Network = "network" }
);
closed_set!(
    /// What the relay itself depends on: the operator's systems and the channels (`catalog.toml`, params.service).
    Service, "service_name", "service" {
        Tasks = "tasks", Sites = "sites", Panel = "panel", Kpis = "kpis", Field = "field", Network = "network",
        Email = "email", Whatsapp = "whatsapp", Model = "model", Tzzr = "tzzr",
    }
);

impl Service {
    /// The system of the operator that it is; None for a channel.
    pub const fn system(self) -> Option<System> {
        match self {
            Self::Tasks => Some(System::Tasks),
            Self::Sites => Some(System::Sites),
            Self::Panel => Some(System::Panel),
            Self::Kpis => Some(System::Kpis),
            Self::Field => Some(System::Field),
            Self::Network => Some(System::Network),
            Self::Email | Self::Whatsapp | Self::Model | Self::Tzzr => None,
        }
    }
}

closed_set!(
    /// What a person does with a task in the field, beside setting its status.
    TaskAction, "action", "action" { Take = "take", EnRoute = "en_route", Arrived = "arrived", Escalate = "escalate" }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_is_answered_with_the_valid_ones() {
        let error = "urgente".parse::<Criticality>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`urgente` is not a criticality: use one of critical, high, medium, low"
        );
    }

    #[test]
    fn active_is_the_first_four_statuses() {
        let active: Vec<_> = TaskStatus::ALL
            .iter()
            .filter(|s| s.is_active())
            .map(|s| s.as_str())
            .collect();
        assert_eq!(active, ["open", "in_progress", "stalled", "on_hold"]);
        assert!(
            TaskStatus::ALL
                .iter()
                .all(|s| StatusFilter::Active.admits(*s) == s.is_active())
        );
    }
}
