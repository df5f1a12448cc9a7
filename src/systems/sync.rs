//! Keeps the picture fresh: one `step()` a system, each on its own, so that one that hangs holds up nobody.
//!
//! A step asks the probe, reads every list (what changed, or now and then everything), and hands over only what
//! differs from before. A step that fails changes nothing but the age: the last picture stays and says how old it
//! is. An empty or much shorter list is believed when the system's own total says so, or when it is seen again and
//! again while the key is known to be good.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::outside::Outside;
use super::picture::{Age, Picture};
use super::rest::{Fetched, RestFault};
use crate::domain::change::{RecordKind, RecordPut};
use crate::domain::clock::Clock;

/// Between the first readings of two systems.
const STAGGER: Duration = Duration::from_millis(50);
/// The pause after a failed step, doubled up to the system's own rhythm.
const AGAIN_AFTER: Duration = Duration::from_secs(2);
/// Rows that a list must have had before its shrinking is suspicious.
const SUSPICIOUS_ROWS_MIN: usize = 5;
/// Readings in a row that must agree before a list is believed to have shrunk.
const SHRUNK_SEEN_MIN: u32 = 3;
/// And so long they must have said so.
const SHRUNK_FOR: Duration = Duration::from_secs(600);

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stepped {
    /// So many records changed or went.
    Fresh(usize),
    /// It could not be read; why.
    Failed(String),
}

/// The reader of one system.
pub struct Syncer {
    outside: Arc<Outside>,
    picture: Picture,
    clock: Clock,
    lists: HashMap<RecordKind, Seen>,
    /// In business time, for people.
    down_since: Option<Timestamp>,
    /// The same by the machine, for the board.
    unusable_since: Option<Timestamp>,
    failures: u32,
    place: u32,
}

/// What is known of one list.
#[derive(Default)]
struct Seen {
    /// Hashes of the records by hashes of their ids: what differs is handed over.
    prints: HashMap<u64, u64>,
    as_of: Option<Timestamp>,
    /// When everything was read last.
    whole_at: Option<Instant>,
    /// Readings in a row that found it much shorter.
    shrunk: u32,
    /// When the first of them was.
    shrunk_since: Option<Instant>,
}

pub(super) fn print(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Syncer {
    pub(super) fn new(outside: Arc<Outside>, picture: Picture, clock: Clock, place: usize) -> Self {
        let recalled = std::mem::take(&mut *outside.recalls());
        let lists = recalled.into_iter().map(|(kind, recalled)| {
            let seen = Seen {
                prints: recalled.prints,
                as_of: Some(recalled.as_of),
                ..Seen::default()
            };
            (kind, seen)
        });
        Self {
            lists: lists.collect(),
            outside,
            picture,
            clock,
            down_since: None,
            unusable_since: None,
            failures: 0,
            place: u32::try_from(place).unwrap_or(u32::MAX),
        }
    }

    /// The system's name.
    pub fn name(&self) -> &str {
        self.outside.rest.name()
    }

    /// Reads the system once.
    pub async fn step(&mut self) -> Stepped {
        let at = self.clock.now();
        match self.read(at).await {
            Ok(changed) => {
                if let Some(since) = self.down_since.take() {
                    tracing::info!(system = self.name(), %since, "the system answers again");
                }
                self.failures = 0;
                self.unusable_since = None;
                self.outside.board.usable(self.name());
                self.outside.board.fresh(self.name(), at);
                Stepped::Fresh(changed)
            }
            Err(fault) => {
                self.failures = self.failures.saturating_add(1);
                let words = fault.to_string();
                if self.down_since.is_none() {
                    self.down_since = Some(at);
                    tracing::error!(
                        system = self.name(),
                        cause = words,
                        "the system can't be read: its last picture stays"
                    );
                }
                let since = *self.unusable_since.get_or_insert_with(Timestamp::now);
                self.outside.board.unusable(self.name(), since, &words);
                let ages = self.outside.lists.kinds().map(|kind| {
                    let as_of = self.lists.get(&kind).and_then(|seen| seen.as_of);
                    let age = Age {
                        as_of,
                        live: false,
                        down_since: self.down_since,
                    };
                    (kind, age)
                });
                let ages = ages.collect();
                if let Err(error) = self.picture.change(vec![], vec![], ages).await {
                    tracing::error!(system = self.name(), %error, "the picture's age could not be told");
                }
                Stepped::Failed(words)
            }
        }
    }

    async fn read(&mut self, at: Timestamp) -> Result<usize, RestFault> {
        self.outside.rest.probe().await?;
        let mut changed = 0;
        let kinds: Vec<RecordKind> = self.outside.lists.kinds().collect();
        for kind in kinds {
            changed += self.read_list(kind, at).await?;
        }
        Ok(changed)
    }

    async fn read_list(&mut self, kind: RecordKind, at: Timestamp) -> Result<usize, RestFault> {
        let outside = Arc::clone(&self.outside);
        let whole_every = Duration::from_secs(outside.rest.spec().full_secs);
        let seen = self.lists.entry(kind).or_default();
        let since = match seen.whole_at {
            Some(read) if read.elapsed() < whole_every => seen.as_of,
            // All that was kept may have changed or gone while nobody looked.
            Some(_) | None => None,
        };
        let fetched = outside.lists.fetch(&outside.rest, kind, since).await?;
        for (reason, rows) in &fetched.rejected {
            tracing::warn!(
                system = outside.rest.name(),
                list = kind.as_str(),
                rows,
                reason,
                "rows were rejected"
            );
        }
        let register = matches!(kind, RecordKind::Sites | RecordKind::Crews | RecordKind::Employees);
        seen.believe(&fetched, register, Instant::now())?;
        let whole = fetched.whole;
        let prints: Vec<(u64, u64)> = fetched
            .records
            .iter()
            .map(|put| (print(&put.id), print(&put.value.to_string())))
            .collect();
        let coming: HashMap<u64, u64> = prints.iter().copied().collect();
        // What lies under this kind from before its first reading here is not this system's.
        let gone = whole && (seen.as_of.is_none() || seen.prints.keys().any(|id| !coming.contains_key(id)));
        let went = seen
            .prints
            .keys()
            .filter(|id| whole && !coming.contains_key(id))
            .count();
        // When something went, the kind is emptied and put in anew; else only what differs is put in.
        let records: Vec<RecordPut> = fetched
            .records
            .into_iter()
            .zip(&prints)
            .filter(|(_, (id, print))| gone || seen.prints.get(id) != Some(print))
            .map(|(put, _)| put)
            .collect();
        let changed = if gone { went } else { records.len() };
        let emptied = if gone { vec![kind] } else { vec![] };
        let age = Age {
            as_of: Some(at),
            live: true,
            down_since: None,
        };
        outside.learn_keys(&records);
        if let Err(error) = outside.keep(&emptied, &records, kind, at).await {
            // The picture is right all the same; only a restart would begin with an older one.
            tracing::error!(system = outside.rest.name(), %error, "the reading could not be kept");
        }
        let put = self.picture.change(emptied, records, vec![(kind, age)]).await;
        put.map_err(|bad| RestFault::Unbelievable(bad.to_string()))?;
        if whole {
            seen.prints = coming;
            seen.whole_at = Some(Instant::now());
        } else {
            seen.prints.extend(coming);
        }
        seen.as_of = Some(at);
        Ok(changed)
    }

    /// Reads again and again, in the system's own rhythm, until told to stop.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut pause = STAGGER.saturating_mul(self.place);
        let kick: Arc<Notify> = Arc::clone(&self.outside.kick);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                // Something was written there: what else it changed is read at once.
                () = kick.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = self.step() => {}
            }
            pause = self.pause();
        }
    }

    fn pause(&self) -> Duration {
        let rhythm = Duration::from_secs(self.outside.rest.spec().sync_secs);
        let pause = match self.failures {
            0 => rhythm,
            failures => AGAIN_AFTER.saturating_mul(1 << (failures - 1).min(10)).min(rhythm),
        };
        // Systems that began together do not go on together.
        let jittered = pause.mul_f64(0.9 + 0.2 * fastrand::f64());
        self.outside
            .rest
            .left_alone()
            .map_or(jittered, |alone| alone.min(rhythm))
    }
}

impl Seen {
    /// A list that lost most of its rows is suspicious. A register (sites, crews, people) that lost all of them is,
    /// however few they were: nobody would be known here. Of alarms and tasks the last one may well go.
    fn believe(&mut self, fetched: &Fetched, register: bool, now: Instant) -> Result<(), RestFault> {
        let (before, came) = (self.prints.len(), fetched.records.len());
        let most_went = before >= SUSPICIOUS_ROWS_MIN && came * 2 < before;
        let all_went = register && before > 0 && came == 0;
        let shrunk = fetched.whole && (all_went || most_went);
        let confirmed = fetched.total.is_some_and(|total| total == fetched.rows);
        if !shrunk || confirmed {
            (self.shrunk, self.shrunk_since) = (0, None);
            return Ok(());
        }
        self.shrunk += 1;
        let since = *self.shrunk_since.get_or_insert(now);
        if self.shrunk >= SHRUNK_SEEN_MIN && now.duration_since(since) >= SHRUNK_FOR {
            (self.shrunk, self.shrunk_since) = (0, None);
            return Ok(());
        }
        Err(RestFault::Unbelievable(format!(
            "{came} rows came where {before} were, and no total says so"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(rows: u64) -> Seen {
        Seen {
            prints: (0..rows).map(|n| (n, n)).collect(),
            ..Seen::default()
        }
    }

    fn fetched(rows: usize, total: Option<u64>, whole: bool) -> Fetched {
        let put = |n: usize| RecordPut {
            kind: RecordKind::Tasks,
            id: n.to_string(),
            value: serde_json::Value::Null,
        };
        Fetched {
            records: (0..rows).map(put).collect(),
            rows: rows as u64,
            total,
            whole,
            ..Fetched::default()
        }
    }

    #[test]
    fn a_list_that_lost_most_rows_is_believed_with_its_total_or_when_it_stays_so() {
        let mut seen = seen(20);
        assert!(seen.believe(&fetched(0, Some(0), true), false, Instant::now()).is_ok());
        assert!(seen.believe(&fetched(12, None, true), false, Instant::now()).is_ok());
        assert!(
            seen.believe(&fetched(3, None, false), false, Instant::now()).is_ok(),
            "few changes are no loss"
        );
        let began = Instant::now();
        let minutes = [0, 1, 2, 11];
        let read = minutes.map(|m| began + Duration::from_secs(m * 60));
        let readings = read.map(|at| seen.believe(&fetched(0, None, true), false, at).is_ok());
        assert_eq!(readings, [false, false, false, true]);
    }

    #[test]
    fn a_list_that_never_had_many_may_become_empty_unless_it_is_a_register() {
        assert!(seen(4).believe(&fetched(0, None, true), false, Instant::now()).is_ok());
        assert!(seen(1).believe(&fetched(0, None, true), true, Instant::now()).is_err());
        assert!(seen(0).believe(&fetched(0, None, true), true, Instant::now()).is_ok());
    }
}
