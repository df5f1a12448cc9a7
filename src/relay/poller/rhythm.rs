//! When to poll next: seldom while webhooks arrive, soon when one was lost, later while Twilio fails.

use std::time::{Duration, Instant};

use crate::config::Relay;

/// Webhooks count as arriving for so long after one was seen to have brought a message.
const ALIVE_FOR: Duration = Duration::from_secs(600);
/// The longest pause while Twilio fails.
const FAILING_MAX: Duration = Duration::from_secs(60);

/// The poller's rhythm.
#[derive(Debug)]
pub(super) struct Rhythm {
    usual: Duration,
    quiet: Duration,
    sweep_every: Duration,
    /// When a message was last seen that a webhook had brought.
    webhook_at: Option<Instant>,
    /// Messages are left to the webhook for so long; one is waiting.
    young: Option<Duration>,
    failures: u32,
    retry_after: Option<Duration>,
    next_sweep: Instant,
}

impl Rhythm {
    pub fn new(relay: &Relay, now: Instant) -> Self {
        Self {
            usual: Duration::from_secs(relay.poll_secs),
            quiet: Duration::from_secs(relay.poll_quiet_secs.max(relay.poll_secs)),
            sweep_every: Duration::from_secs(relay.sweep_mins.saturating_mul(60)),
            webhook_at: None,
            young: None,
            failures: 0,
            retry_after: None,
            next_sweep: now,
        }
    }

    /// Is a full sweep due? The first one is, at once.
    pub fn sweep_is_due(&self, now: Instant) -> bool {
        now >= self.next_sweep
    }

    /// A poll ended well.
    pub fn polled(&mut self, swept: bool, by_webhook: bool, lost_webhook: bool, young: Option<Duration>, now: Instant) {
        self.failures = 0;
        self.retry_after = None;
        self.young = young;
        if by_webhook {
            self.webhook_at = Some(now);
        }
        if lost_webhook {
            self.webhook_at = None;
        }
        if swept {
            self.next_sweep = now + self.sweep_every;
        }
    }

    /// A poll failed.
    pub fn failed(&mut self, retry_after: Option<Duration>) {
        self.failures = self.failures.saturating_add(1);
        self.retry_after = retry_after;
    }

    /// The pause before the next poll.
    pub fn pause(&self, now: Instant) -> Duration {
        if self.failures > 0 {
            let growing = self
                .usual
                .saturating_mul(1 << self.failures.min(6))
                .min(FAILING_MAX.max(self.usual));
            return growing.max(self.retry_after.unwrap_or_default());
        }
        let alive = self.webhook_at.is_some_and(|at| now.duration_since(at) < ALIVE_FOR);
        let pause = if alive { self.quiet } else { self.usual };
        let until_sweep = self.next_sweep.saturating_duration_since(now);
        pause.min(self.young.unwrap_or(pause)).min(until_sweep.max(self.usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rhythm(now: Instant) -> Rhythm {
        let mut rhythm = Rhythm::new(&crate::config::Config::for_testing("x".into()).unwrap().relay, now);
        assert!(rhythm.sweep_is_due(now));
        rhythm.polled(true, false, false, None, now);
        assert!(!rhythm.sweep_is_due(now));
        rhythm
    }

    #[test]
    fn it_is_slow_while_webhooks_arrive_and_quick_once_one_was_lost() {
        let now = Instant::now();
        let mut rhythm = rhythm(now);
        assert_eq!(rhythm.pause(now).as_secs(), 5);
        rhythm.polled(false, true, false, None, now);
        assert_eq!(rhythm.pause(now).as_secs(), 60);
        rhythm.polled(false, false, false, Some(Duration::from_secs(8)), now);
        assert_eq!(
            rhythm.pause(now).as_secs(),
            8,
            "a young message is looked at when it is old enough"
        );
        rhythm.polled(false, true, true, None, now);
        assert_eq!(rhythm.pause(now).as_secs(), 5);
        rhythm.polled(false, true, false, None, now);
        assert_eq!(
            rhythm.pause(now + ALIVE_FOR).as_secs(),
            5,
            "after a long silence nobody knows"
        );
    }

    #[test]
    fn it_backs_off_while_twilio_fails_and_keeps_to_what_twilio_asks() {
        let now = Instant::now();
        let mut rhythm = rhythm(now);
        let mut pauses = Vec::new();
        for _ in 0..6 {
            rhythm.failed(None);
            pauses.push(rhythm.pause(now).as_secs());
        }
        assert_eq!(pauses, [10, 20, 40, 60, 60, 60]);
        rhythm.failed(Some(Duration::from_secs(90)));
        assert_eq!(rhythm.pause(now).as_secs(), 90);
        rhythm.polled(false, false, false, None, now);
        assert_eq!(rhythm.pause(now).as_secs(), 5);
    }

    #[test]
    fn a_sweep_comes_back_on_time_even_in_the_quiet_rhythm() {
        let now = Instant::now();
        let mut rhythm = rhythm(now);
        rhythm.polled(false, true, false, None, now);
        let late = now + Duration::from_secs(14 * 60 + 45);
        rhythm.polled(false, true, false, None, late);
        assert_eq!(rhythm.pause(late).as_secs(), 15);
        assert!(rhythm.sweep_is_due(now + Duration::from_secs(15 * 60)));
    }
}
