//! The outbox in memory: one queue per recipient, of which only the head may be sent.
//!
//! All of it can be made again from the tables. After opening everything is due, save what was being
//! sent when the process died (its outcome is unknown) and what waits for its recipient to write.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

/// What a message in a queue waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waits {
    /// Its turn, and this time.
    Until(Instant),
    /// The outcome of a send.
    Outcome,
    /// Its recipient's next message.
    Window,
}

/// Where a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub seq: u64,
    pub id: u128,
    pub to: Arc<str>,
    pub conversation: Arc<str>,
    pub waits: Waits,
}

#[derive(Debug, Default)]
struct Queue {
    slots: BTreeMap<u64, (u128, Arc<str>, Waits)>,
    listed: Option<(Instant, u64)>,
}

/// All that is to be sent.
#[derive(Debug, Default)]
pub(super) struct Queues {
    queues: HashMap<Arc<str>, Queue>,
    places: HashMap<u128, (Arc<str>, u64)>,
    due: BTreeSet<(Instant, u64)>,
    windows: HashMap<Arc<str>, BTreeSet<u128>>,
    unsettled: BTreeSet<u128>,
}

impl Queues {
    /// Messages to be sent.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// A message takes the place that its number gives it.
    pub fn put(&mut self, slot: Slot) {
        let to = self
            .queues
            .get_key_value(&slot.to)
            .map_or(slot.to, |(to, _)| Arc::clone(to));
        if slot.waits == Waits::Window {
            self.windows
                .entry(Arc::clone(&slot.conversation))
                .or_default()
                .insert(slot.id);
        }
        self.places.insert(slot.id, (Arc::clone(&to), slot.seq));
        let queue = self.queues.entry(Arc::clone(&to)).or_default();
        queue.slots.insert(slot.seq, (slot.id, slot.conversation, slot.waits));
        self.relist(&to);
    }

    /// A message leaves its queue.
    pub fn take(&mut self, id: u128) -> Option<Slot> {
        let (to, seq) = self.places.remove(&id)?;
        self.unsettled.remove(&id);
        let (_, conversation, waits) = self.queues.get_mut(&to)?.slots.remove(&seq)?;
        if waits == Waits::Window {
            self.forget_window(&conversation, id);
        }
        self.relist(&to);
        Some(Slot {
            seq,
            id,
            to,
            conversation,
            waits,
        })
    }

    /// Where a message is.
    pub fn find(&self, id: u128) -> Option<Slot> {
        let (to, seq) = self.places.get(&id)?;
        let (_, conversation, waits) = self.queues.get(to)?.slots.get(seq)?;
        Some(Slot {
            seq: *seq,
            id,
            to: Arc::clone(to),
            conversation: Arc::clone(conversation),
            waits: *waits,
        })
    }

    /// A message waits for something else from now on.
    pub fn change(&mut self, id: u128, waits: Waits) {
        if let Some(slot) = self.take(id) {
            self.put(Slot { waits, ..slot });
        }
    }

    /// Is the message the head of its queue?
    pub fn is_head(&self, slot: &Slot) -> bool {
        let head = self
            .queues
            .get(&slot.to)
            .and_then(|queue| queue.slots.first_key_value());
        head.is_some_and(|(seq, _)| *seq == slot.seq)
    }

    /// Places of the heads that may be sent now, the longest due first.
    pub fn due(&self, now: Instant, limit: usize) -> Vec<u64> {
        self.due
            .iter()
            .take_while(|(at, _)| *at <= now)
            .take(limit)
            .map(|(_, seq)| *seq)
            .collect()
    }

    /// When the next head may be sent.
    pub fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Messages of a conversation that wait for its next message.
    pub fn in_window(&self, conversation: &str) -> Vec<u128> {
        self.windows
            .get(conversation)
            .map(|ids| ids.iter().copied().collect())
            .unwrap_or_default()
    }

    /// All messages that wait for their recipient to write.
    pub fn windows(&self) -> impl Iterator<Item = u128> {
        self.windows.values().flatten().copied()
    }

    /// A send of this message was under way when the process died.
    pub fn unsettle(&mut self, id: u128) {
        self.unsettled.insert(id);
    }

    /// Places of the messages whose outcome is unknown since the process began.
    pub fn unsettled(&self) -> Vec<u64> {
        self.unsettled
            .iter()
            .filter_map(|id| self.places.get(id))
            .map(|(_, seq)| *seq)
            .collect()
    }

    fn forget_window(&mut self, conversation: &Arc<str>, id: u128) {
        if let Some(ids) = self.windows.get_mut(conversation) {
            ids.remove(&id);
            if ids.is_empty() {
                self.windows.remove(conversation);
            }
        }
    }

    /// Brings the entry of a recipient's head up to date; an empty queue disappears.
    fn relist(&mut self, to: &Arc<str>) {
        let Some(queue) = self.queues.get_mut(to) else { return };
        if let Some(listed) = queue.listed.take() {
            self.due.remove(&listed);
        }
        match queue.slots.first_key_value() {
            Some((seq, (_, _, Waits::Until(at)))) => {
                queue.listed = Some((*at, *seq));
                self.due.insert((*at, *seq));
            }
            Some(_) => {}
            None => {
                self.queues.remove(to);
            }
        }
    }
}
