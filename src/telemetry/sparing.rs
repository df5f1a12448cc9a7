//! A line that strangers can cause is written so often a minute and no oftener: whoever sends
//! forged requests by the thousand fills a counter, not the disk.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The span that lines are counted over.
const SPAN: Duration = Duration::from_secs(60);

/// Lets so many lines a minute through, and counts the others.
#[derive(Debug)]
pub struct Sparing {
    lines_max: u32,
    count: Mutex<Count>,
}

#[derive(Debug, Default)]
struct Count {
    since: Option<Instant>,
    said: u32,
    unsaid: u64,
}

impl Sparing {
    /// At most `lines_max` a minute.
    pub fn new(lines_max: u32) -> Self {
        Self {
            lines_max,
            count: Mutex::default(),
        }
    }

    /// May a line be written at `now`? Then how many were not since the last that was.
    pub fn line(&self, now: Instant) -> Option<u64> {
        // A panic between these few lines leaves counts that are still counts.
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if count.since.is_none_or(|since| now.duration_since(since) >= SPAN) {
            count.since = Some(now);
            count.said = 0;
        }
        if count.said >= self.lines_max {
            count.unsaid += 1;
            return None;
        }
        count.said += 1;
        Some(std::mem::take(&mut count.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_a_few_lines_a_minute_and_a_number() {
        let sparing = Sparing::new(2);
        let start = Instant::now();
        let lines: Vec<_> = (0..5).map(|_| sparing.line(start)).collect();
        assert_eq!(lines, [Some(0), Some(0), None, None, None]);
        assert_eq!(sparing.line(start + SPAN), Some(3));
        assert_eq!(sparing.line(start + SPAN), Some(0));
    }
}
