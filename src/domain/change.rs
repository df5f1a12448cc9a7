//! What a confirmed write changes, and what the picture must hold once it is done.
//!
//! A `Change` says what is to be different, in the words of the trade and resolved to ids; an
//! `Order` is a change that a person said yes to. Orders are kept in the ledger before they are
//! carried out, so everything here can be read back after a crash.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::geo::Point;
use super::ids::{CrewId, EmployeeId, SiteId, TaskId};
use super::redact;
use super::sets::{Criticality, TaskAction, TaskStatus, WorkType};

/// What is to be different.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// A task gets another status, or somebody does something with it.
    UpdateTask {
        /// The task.
        task_id: TaskId,
        /// The status it gets; None when only the action says what happens.
        status: Option<TaskStatus>,
        /// What is done with it.
        action: Option<TaskAction>,
        /// Why, in the person's own words: data, never instructions.
        reason: Option<String>,
        /// Where the person was.
        at_point: Option<Point>,
    },
    /// A task gets a note.
    AddNote {
        /// The task.
        task_id: TaskId,
        /// The note: data, never instructions.
        text: String,
        /// Files received that prove it.
        media: Vec<Uuid>,
    },
    /// There is one task more.
    CreateTask {
        /// Where.
        site_id: SiteId,
        /// One line.
        title: String,
        /// A few lines.
        description: Option<String>,
        /// How critical; it decides when the task is due.
        criticality: Criticality,
        /// What kind of work.
        work_type: WorkType,
        /// Who does it.
        crew_id: Option<CrewId>,
    },
    /// A mail leaves.
    SendEmail {
        /// To whom.
        to: Vec<Recipient>,
        /// What about.
        subject: String,
        /// The text.
        body: String,
    },
    /// A message of WhatsApp leaves.
    SendWhatsapp {
        /// To whom.
        to: Vec<Recipient>,
        /// What it says.
        content: WhatsappContent,
        /// Files received that go with it.
        media: Vec<Uuid>,
    },
}

/// What a message of WhatsApp says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhatsappContent {
    /// Free text, possible while the 24-hour window is open.
    Text(String),
    /// An approved template, possible always.
    Template {
        /// Its name.
        name: String,
        /// What its placeholders stand for.
        values: BTreeMap<String, String>,
    },
}

/// Somebody a message goes to. Its `Debug` is masked: it names a person.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// The address: a mail address, or `whatsapp:+…`.
    pub address: String,
    /// The person of the directory whose address it is.
    pub employee: Option<EmployeeId>,
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let masked = match self.address.split_once('@') {
            Some((_, domain)) => format!("***@{domain}"),
            None => redact::address(&self.address),
        };
        f.debug_struct("Recipient")
            .field("address", &masked)
            .field("employee", &self.employee)
            .finish()
    }
}

/// A change that a person said yes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The pending write's id: the same order is never carried out twice.
    pub id: Uuid,
    /// What is to be different.
    pub change: Change,
    /// Who said yes; None for the desk.
    pub by: Option<EmployeeId>,
    /// When, in business time.
    pub at: Timestamp,
}

/// What an order came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// What can be pointed at from now on: a task's id, a message's id.
    pub reference: String,
    /// What the picture must hold from now on.
    pub records: Vec<RecordPut>,
}

/// The kinds of records that the operator's systems hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// Sites.
    Sites,
    /// Tasks.
    Tasks,
    /// Events of tasks.
    Events,
    /// Alarms.
    Alarms,
    /// Crews.
    Crews,
    /// People.
    Employees,
    /// Authorisations to enter.
    Access,
    /// Rows of the prioritisation sheet.
    Panel,
    /// Equipment.
    Inventory,
    /// Measured values.
    Monitors,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Sites,
        Self::Tasks,
        Self::Events,
        Self::Alarms,
        Self::Crews,
        Self::Employees,
        Self::Access,
        Self::Panel,
        Self::Inventory,
        Self::Monitors,
    ];

    /// The word it is kept and imported under.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sites => "sites",
            Self::Tasks => "tasks",
            Self::Events => "events",
            Self::Alarms => "alarms",
            Self::Crews => "crews",
            Self::Employees => "employees",
            Self::Access => "access",
            Self::Panel => "panel",
            Self::Inventory => "inventory",
            Self::Monitors => "monitors",
        }
    }
}

/// A record as it must stand from now on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordPut {
    /// What it is.
    pub kind: RecordKind,
    /// Its id; of a panel row, its task's.
    pub id: String,
    /// The record itself, with absolute times.
    pub value: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_comes_back_as_it_was_kept() {
        let order = Order {
            id: Uuid::nil(),
            change: Change::UpdateTask {
                task_id: TaskId::parse("T-10001").unwrap(),
                status: Some(TaskStatus::Closed),
                action: None,
                reason: Some("quedó".to_owned()),
                at_point: None,
            },
            by: Some(EmployeeId::parse("E-022").unwrap()),
            at: Timestamp::UNIX_EPOCH,
        };
        let kept = serde_json::to_string(&order).unwrap();
        assert_eq!(serde_json::from_str::<Order>(&kept).unwrap(), order);
    }

    #[test]
    fn the_debug_form_of_a_recipient_names_nobody() {
        for (address, masked) in [
            ("maria.soto@relevo.example", "***@relevo.example"),
            ("whatsapp:+56980000022", "whatsapp:+***0022"),
        ] {
            let recipient = Recipient {
                address: address.to_owned(),
                employee: None,
            };
            let shown = format!("{recipient:?}");
            assert!(shown.contains(masked) && !shown.contains(address), "{shown}");
        }
    }
}
