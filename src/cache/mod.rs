//! What can be made again, kept for a while because making it takes long.
//!
//! Results live in this process, bounded in number and in time; the oldest leaves first. What
//! must outlive a restart (transcripts, translations) is kept by its content and comes with the
//! part that makes it.

mod key;
mod memory;

pub use key::Key;
pub use memory::Memory;

use std::time::Duration;

/// Where results are kept.
#[derive(Debug)]
pub enum Cache<T> {
    /// In this process.
    Memory(Memory<T>),
}

impl<T: Clone> Cache<T> {
    /// In this process, at most so many.
    pub fn in_memory(entries_max: usize) -> Self {
        Self::Memory(Memory::new(entries_max))
    }

    /// What is kept under a key, while it may still be used.
    pub fn get(&self, key: &Key) -> Option<T> {
        match self {
            Self::Memory(memory) => memory.get(key),
        }
    }

    /// Keeps a value for so long.
    pub fn put(&self, key: Key, value: T, ttl: Duration) {
        match self {
            Self::Memory(memory) => memory.put(key, value, ttl),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_got_until_its_time_is_over() {
        let cache = Cache::in_memory(2);
        let key = Key::of("tool", &serde_json::Map::new(), "desk", 1);
        cache.put(key.clone(), 7, Duration::from_secs(60));
        assert_eq!(cache.get(&key), Some(7));
        cache.put(key.clone(), 8, Duration::ZERO);
        assert_eq!(cache.get(&key), None);
    }
}
