//! The inbox in memory: which conversation is due when, and who has it leased.
//!
//! Nothing here is written; all of it can be made again from the tables. Leases and waiting times run
//! on the machine's monotonic clock and end with the process: after opening, everything is due.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::tables::SidKey;

/// A message that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub seq: u64,
    pub sid: SidKey,
    /// Whether a webhook may still enrich it.
    pub polled: bool,
    pub at: Instant,
    pub hold: Duration,
}

/// A turn that was begun: its messages up to a place. A turn keeps its messages when it is tried
/// again, so that what was written later is not buried with a message that can't be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Begun {
    pub upto: u64,
    pub attempt: u32,
}

#[derive(Debug, Clone, Copy)]
struct Held {
    id: u64,
    expires: Instant,
}

#[derive(Debug, Default)]
struct Line {
    messages: VecDeque<Waiting>,
    begun: Option<Begun>,
    retry_at: Option<Instant>,
    held: Option<Held>,
    listed: Option<(Instant, u64)>,
}

/// All that waits.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    lines: HashMap<Arc<str>, Line>,
    due: BTreeSet<(Instant, u64, Arc<str>)>,
    polled: HashMap<SidKey, (Arc<str>, u64)>,
    messages: usize,
    leased: usize,
    last_lease: u64,
    /// Messages of one turn.
    turn_max: usize,
    /// Longest wait of the first message of a turn.
    hold_total: Duration,
}

/// A turn to be leased.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Picked {
    pub conversation: Arc<str>,
    pub lease: u64,
    pub begun: Begun,
}

impl Agenda {
    pub fn new(turn_max: usize, hold_total: Duration) -> Self {
        Self {
            turn_max: turn_max.max(1),
            hold_total,
            ..Self::default()
        }
    }

    /// Goes on with the numbers of another agenda's leases.
    pub fn number_leases_like(&mut self, other: &Self) {
        self.last_lease = other.last_lease;
    }

    /// Messages that wait, leased ones included.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Turns that are leased.
    pub fn leased(&self) -> usize {
        self.leased
    }

    /// A message joins its conversation's line.
    pub fn add(&mut self, conversation: &str, message: Waiting) {
        let conversation = self.name(conversation);
        if message.polled {
            self.polled
                .insert(message.sid, (Arc::clone(&conversation), message.seq));
        }
        self.messages += 1;
        self.lines
            .entry(Arc::clone(&conversation))
            .or_default()
            .messages
            .push_back(message);
        self.relist(&conversation);
    }

    /// A turn that was begun before the process began.
    pub fn resume(&mut self, conversation: &str, begun: Begun) {
        let conversation = self.name(conversation);
        if let Some(line) = self.lines.get_mut(&conversation) {
            line.begun = Some(begun);
        }
    }

    /// The place of a polled message that no one has leased yet.
    pub fn enrichable(&self, sid: &SidKey) -> Option<u64> {
        let (conversation, seq) = self.polled.get(sid)?;
        let line = self.lines.get(conversation)?;
        let taken = line.held.is_some() && line.begun.is_some_and(|begun| *seq <= begun.upto);
        (!taken).then_some(*seq)
    }

    /// The message is complete now.
    pub fn enriched(&mut self, sid: &SidKey) {
        if let Some((conversation, seq)) = self.polled.remove(sid)
            && let Some(line) = self.lines.get_mut(&conversation)
            && let Some(message) = line.messages.iter_mut().find(|message| message.seq == seq)
        {
            message.polled = false;
        }
    }

    /// Leases the turn that has been due for longest; Err is when the next one is due.
    pub fn lease(&mut self, now: Instant, lease_for: Duration) -> Result<Picked, Option<Instant>> {
        let (due, _, conversation) = self.due.first().cloned().ok_or(None)?;
        if due > now {
            return Err(Some(due));
        }
        let line = self.lines.get_mut(&conversation).ok_or(None)?;
        let upto = match line.begun {
            Some(begun) if line.messages.front().is_some_and(|first| first.seq <= begun.upto) => begun.upto,
            _ => line
                .messages
                .iter()
                .take(self.turn_max)
                .next_back()
                .map_or(0, |last| last.seq),
        };
        let begun = Begun {
            upto,
            attempt: line.begun.map_or(0, |begun| begun.attempt).saturating_add(1),
        };
        self.last_lease += 1;
        if line.held.is_none() {
            self.leased += 1;
        }
        line.begun = Some(begun);
        line.retry_at = None;
        line.held = Some(Held {
            id: self.last_lease,
            expires: now + lease_for,
        });
        self.relist(&conversation);
        Ok(Picked {
            conversation,
            lease: self.last_lease,
            begun,
        })
    }

    /// Places of the messages of a turn that was begun.
    pub fn turn(&self, conversation: &str) -> Vec<u64> {
        let Some(line) = self.lines.get(conversation) else {
            return Vec::new();
        };
        let upto = line.begun.map_or(0, |begun| begun.upto);
        line.messages
            .iter()
            .map(|message| message.seq)
            .take_while(|seq| *seq <= upto)
            .collect()
    }

    /// The turn of a lease, as long as nobody else has taken it over.
    pub fn held(&self, conversation: &str, lease: u64) -> Option<Begun> {
        let line = self.lines.get(conversation)?;
        line.begun.filter(|_| line.held.is_some_and(|held| held.id == lease))
    }

    /// More time for a lease.
    pub fn extend(&mut self, conversation: &Arc<str>, expires: Instant) {
        if let Some(held) = self.lines.get_mut(conversation).and_then(|line| line.held.as_mut()) {
            held.expires = expires;
        }
        self.relist(conversation);
    }

    /// The turn is over: its messages leave; returns their places.
    pub fn finish(&mut self, conversation: &Arc<str>) -> Vec<u64> {
        let mut done = Vec::new();
        if let Some(line) = self.lines.get_mut(conversation) {
            let upto = line.begun.take().map_or(0, |begun| begun.upto);
            while let Some(message) = line.messages.pop_front_if(|message| message.seq <= upto) {
                self.polled.remove(&message.sid);
                self.messages -= 1;
                done.push(message.seq);
            }
            if line.held.take().is_some() {
                self.leased -= 1;
            }
        }
        self.relist(conversation);
        done
    }

    /// The turn waits to be tried again; `begun` is None when the try shall not count at all.
    pub fn put_back(&mut self, conversation: &Arc<str>, begun: Option<Begun>, retry_at: Instant) {
        if let Some(line) = self.lines.get_mut(conversation) {
            line.begun = begun;
            line.retry_at = Some(retry_at);
            if line.held.take().is_some() {
                self.leased -= 1;
            }
        }
        self.relist(conversation);
    }

    /// One attempt counts no more. Returns how the turn stands then; None when there is none to forgive.
    pub fn forgive(&mut self, conversation: &str) -> Option<Option<Begun>> {
        let line = self.lines.get_mut(conversation)?;
        let mut begun = line.begun?;
        begun.attempt = begun.attempt.saturating_sub(1);
        // Whoever has it leased meanwhile is at an attempt of their own.
        if line.held.is_some() {
            begun.attempt = begun.attempt.max(1);
        }
        line.begun = Some(begun).filter(|begun| begun.attempt > 0);
        let stands = line.begun;
        let name = self.name(conversation);
        self.relist(&name);
        Some(stands)
    }

    /// Does anything of a conversation wait, leased or not?
    pub fn is_waiting(&self, conversation: &str) -> bool {
        self.lines.contains_key(conversation)
    }

    fn name(&self, conversation: &str) -> Arc<str> {
        self.lines
            .get_key_value(conversation)
            .map_or_else(|| conversation.into(), |(name, _)| Arc::clone(name))
    }

    /// Brings a conversation's entry in the agenda up to date; an empty line disappears.
    fn relist(&mut self, conversation: &Arc<str>) {
        let Some(line) = self.lines.get_mut(conversation) else {
            return;
        };
        let listed = line.due(self.turn_max, self.hold_total);
        if listed == line.listed {
            return;
        }
        if let Some((due, seq)) = line.listed {
            self.due.remove(&(due, seq, Arc::clone(conversation)));
        }
        line.listed = listed;
        match listed {
            Some((due, seq)) => {
                self.due.insert((due, seq, Arc::clone(conversation)));
            }
            None => {
                self.lines.remove(conversation);
            }
        }
    }
}

impl Line {
    /// When the line wants a worker: a leased one when its lease ends, a begun one when it is to be
    /// tried again, a fresh one when its newest message has been held long enough, but no later than
    /// the cap after its first, and at once when the turn is full.
    fn due(&self, turn_max: usize, hold_total: Duration) -> Option<(Instant, u64)> {
        let first = self.messages.front()?;
        let newest = self.messages.back()?;
        let at = if let Some(held) = self.held {
            held.expires
        } else if self.begun.is_some() {
            self.retry_at.unwrap_or(first.at)
        } else {
            let full = self.messages.len() >= turn_max;
            let held_until = if full {
                first.at
            } else {
                (newest.at + newest.hold).min(first.at + hold_total)
            };
            self.retry_at.map_or(held_until, |retry_at| held_until.max(retry_at))
        };
        Some((at, first.seq))
    }
}
