//! How each outside service stands: reachable, its circuit, its last error, and the probes of late.
//!
//! Whoever calls a service says here how it went; the health tools, `/api/admin/systems` and the alerts of the
//! service itself read it. Times are the machine's; nothing here is durable.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

/// Probes kept of one service: a week of one a minute.
const PROBES_MAX: usize = 10_080;
/// The longest error kept, characters.
const ERROR_CHARS_MAX: usize = 200;

/// Where a service's circuit breaker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Circuit {
    /// Requests pass.
    Closed,
    /// The service is left alone.
    Open,
    /// One request tries it.
    HalfOpen,
}

/// One call of a service, for its uptime and its latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// When.
    pub at: Timestamp,
    /// Did it answer soundly?
    pub ok: bool,
    /// How long it took.
    pub took: Duration,
}

/// How a service stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Its name in the settings (`tickets`), or the part's own (`email`, `whatsapp`).
    pub name: String,
    /// The catalogue's words for what it serves (`tasks`, `email`, …).
    pub serves: Vec<&'static str>,
    /// Whether its last call was answered soundly; None before the first.
    pub reachable: Option<bool>,
    /// Its circuit breaker.
    pub circuit: Circuit,
    /// What went wrong last, also when it went right since. No secrets, no people.
    pub last_error: Option<String>,
    /// Since when it has not answered.
    pub down_since: Option<Timestamp>,
    /// When its data is from, for a service that holds data.
    pub as_of: Option<Timestamp>,
}

#[derive(Debug)]
struct Row {
    standing: Standing,
    /// Since when its answers can't be used, though it may answer.
    unusable_since: Option<Timestamp>,
    probes: VecDeque<Probe>,
}

/// The board; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Board(Arc<Mutex<BTreeMap<String, Row>>>);

impl Board {
    /// Puts a service on the board; one that is there stays.
    pub fn list(&self, name: &str, serves: &[&'static str]) {
        self.rows().entry(name.to_owned()).or_insert_with(|| Row {
            standing: Standing {
                name: name.to_owned(),
                serves: serves.to_vec(),
                reachable: None,
                circuit: Circuit::Closed,
                last_error: None,
                down_since: None,
                as_of: None,
            },
            unusable_since: None,
            probes: VecDeque::new(),
        });
    }

    /// It could not be read, whatever its single calls say: until it can, it is down since then.
    pub fn unusable(&self, name: &str, since: Timestamp, error: &str) {
        self.change(name, |row| {
            row.unusable_since = Some(since);
            row.standing.down_since = Some(since);
            row.standing.last_error = Some(error.chars().take(ERROR_CHARS_MAX).collect());
        });
    }

    /// It could be read again.
    pub fn usable(&self, name: &str) {
        self.change(name, |row| {
            row.unusable_since = None;
            if row.standing.reachable != Some(false) {
                row.standing.down_since = None;
            }
        });
    }

    /// A call ended: soundly, or with an error in words.
    pub fn called(&self, name: &str, at: Timestamp, took: Duration, outcome: Result<(), &str>) {
        self.change(name, |row| {
            if row.probes.len() >= PROBES_MAX {
                row.probes.pop_front();
            }
            let ok = outcome.is_ok();
            row.probes.push_back(Probe { at, ok, took });
            row.standing.reachable = Some(ok);
            match outcome {
                Ok(()) => row.standing.down_since = row.unusable_since,
                Err(error) => {
                    row.standing.last_error = Some(error.chars().take(ERROR_CHARS_MAX).collect());
                    row.standing.down_since.get_or_insert(at);
                }
            }
        });
    }

    /// The circuit moved.
    pub fn circuit(&self, name: &str, circuit: Circuit) {
        self.change(name, |row| row.standing.circuit = circuit);
    }

    /// Its data is from then.
    pub fn fresh(&self, name: &str, as_of: Timestamp) {
        self.change(name, |row| row.standing.as_of = Some(as_of));
    }

    /// Every service, by name.
    pub fn standings(&self) -> Vec<Standing> {
        self.rows().values().map(|row| row.standing.clone()).collect()
    }

    /// The service of that name.
    pub fn standing(&self, name: &str) -> Option<Standing> {
        self.rows().get(name).map(|row| row.standing.clone())
    }

    /// The probes of a service since then, oldest first.
    pub fn probes(&self, name: &str, since: Timestamp) -> Vec<Probe> {
        let rows = self.rows();
        let probes = rows.get(name).map(|row| row.probes.iter());
        probes
            .into_iter()
            .flatten()
            .filter(|p| p.at >= since)
            .copied()
            .collect()
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Row)) {
        if let Some(row) = self.rows().get_mut(name) {
            change(row);
        }
    }

    fn rows(&self) -> MutexGuard<'_, BTreeMap<String, Row>> {
        // Rows are plain values: a panic elsewhere can't have left one half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_service_is_down_since_its_first_failure_until_it_answers() {
        let board = Board::default();
        board.list("tickets", &["tasks"]);
        let took = Duration::from_millis(7);
        assert_eq!(board.standing("tickets").unwrap().reachable, None);
        board.called("tickets", at(10), took, Err("no answer in time"));
        board.called("tickets", at(20), took, Err("could not connect"));
        let down = board.standing("tickets").unwrap();
        assert_eq!((down.reachable, down.down_since), (Some(false), Some(at(10))));
        assert_eq!(down.last_error.as_deref(), Some("could not connect"));
        board.called("tickets", at(30), took, Ok(()));
        let up = board.standing("tickets").unwrap();
        assert_eq!((up.reachable, up.down_since), (Some(true), None));
        assert_eq!(board.probes("tickets", at(20)).len(), 2);
    }

    #[test]
    fn a_service_whose_answers_cannot_be_used_is_down_though_it_answers() {
        let board = Board::default();
        board.list("tickets", &["tasks"]);
        board.unusable("tickets", at(10), "most rows do not fit");
        board.called("tickets", at(20), Duration::ZERO, Ok(()));
        assert_eq!(board.standing("tickets").unwrap().down_since, Some(at(10)));
        board.usable("tickets");
        assert_eq!(board.standing("tickets").unwrap().down_since, None);
    }

    #[test]
    fn a_service_that_is_not_listed_is_not_counted() {
        let board = Board::default();
        board.called("x", at(1), Duration::ZERO, Ok(()));
        assert!(board.standings().is_empty() && board.probes("x", at(0)).is_empty());
    }
}
