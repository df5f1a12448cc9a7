//! How long to wait before what is safe to repeat is repeated: exponential, with full jitter.

use std::time::Duration;

/// Tries beyond which the exponent grows no more.
const DOUBLINGS_MAX: u32 = 16;

/// A plan of tries. What is not safe to repeat has one try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Tries in all, the first among them.
    pub tries: u32,
    /// The longest wait before the second try; it doubles from try to try.
    pub base: Duration,
    /// No wait is longer.
    pub max: Duration,
}

impl Backoff {
    /// The pause after the `failed`-th failed try (from 1); None when there is no further try. What the other side
    /// asked for (`Retry-After`) is the least, and a wish beyond `max` ends the tries.
    pub fn pause(&self, failed: u32, asked: Option<Duration>) -> Option<Duration> {
        if failed >= self.tries || asked.is_some_and(|asked| asked > self.max) {
            return None;
        }
        let doublings = failed.saturating_sub(1).min(DOUBLINGS_MAX);
        let ceiling = self.base.saturating_mul(1 << doublings).min(self.max);
        // Full jitter: clients that failed together do not come back together.
        let pause = ceiling.mul_f64(fastrand::f64());
        Some(asked.map_or(pause, |asked| asked.max(pause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_at_most_is_jittered_and_ends() {
        let plan = Backoff {
            tries: 4,
            base: Duration::from_millis(100),
            max: Duration::from_millis(250),
        };
        for (failed, most) in [(1, 100), (2, 200), (3, 250)] {
            let pauses: Vec<_> = (0..64).filter_map(|_| plan.pause(failed, None)).collect();
            assert_eq!(pauses.len(), 64);
            assert!(pauses.iter().all(|p| *p <= Duration::from_millis(most)));
            assert!(pauses.iter().any(|p| *p != pauses[0]), "no jitter");
        }
        assert_eq!(plan.pause(4, None), None);
    }

    #[test]
    fn what_the_service_asks_for_is_the_least_and_too_much_ends_the_tries() {
        let plan = Backoff {
            tries: 3,
            base: Duration::from_millis(1),
            max: Duration::from_secs(5),
        };
        assert_eq!(
            plan.pause(1, Some(Duration::from_secs(2))),
            Some(Duration::from_secs(2))
        );
        assert_eq!(plan.pause(1, Some(Duration::from_secs(60))), None);
    }
}
