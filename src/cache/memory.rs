//! A bounded map with a time to live, in this process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Key;

/// Results by key; the one that ends first leaves first.
#[derive(Debug)]
pub struct Memory<T> {
    entries_max: usize,
    entries: Mutex<HashMap<Key, Entry<T>>>,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    until: Instant,
}

impl<T: Clone> Memory<T> {
    /// At most so many results.
    pub fn new(entries_max: usize) -> Self {
        Self {
            entries_max,
            entries: Mutex::default(),
        }
    }

    /// What is kept under a key, while it may still be used.
    pub fn get(&self, key: &Key) -> Option<T> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(key)?;
        if entry.until <= Instant::now() {
            entries.remove(key);
            return None;
        }
        Some(entry.value.clone())
    }

    /// Keeps a value for so long; makes room when there is none.
    pub fn put(&self, key: Key, value: T, ttl: Duration) {
        if self.entries_max == 0 {
            return;
        }
        let now = Instant::now();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= self.entries_max && !entries.contains_key(&key) {
            entries.retain(|_, entry| entry.until > now);
            let first = entries
                .iter()
                .min_by_key(|(_, entry)| entry.until)
                .map(|(key, _)| key.clone());
            if let Some(first) = first.filter(|_| entries.len() >= self.entries_max) {
                entries.remove(&first);
            }
        }
        entries.insert(
            key,
            Entry {
                value,
                until: now + ttl,
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn key(n: usize) -> Key {
        Key::of("t", &Map::from_iter([("n".to_owned(), json!(n))]), "", 0)
    }

    #[test]
    fn a_full_cache_lets_the_one_go_that_ends_first() {
        let memory = Memory::new(2);
        memory.put(key(1), 1, Duration::from_secs(10));
        memory.put(key(2), 2, Duration::from_secs(60));
        memory.put(key(3), 3, Duration::from_secs(30));
        assert_eq!(
            (memory.get(&key(1)), memory.get(&key(2)), memory.get(&key(3))),
            (None, Some(2), Some(3))
        );
    }
}
