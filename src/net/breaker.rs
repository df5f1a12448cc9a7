//! A circuit breaker: after five failures in a row a service is left alone for a minute, then
//! one request tries it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::telemetry::{Breaker as State, Metrics};

/// Failures in a row that open it.
const FAILURES_MAX: u32 = 5;
/// How long it stays open.
const OPEN_FOR: Duration = Duration::from_secs(60);

/// The breaker of one outside service; clones share it.
#[derive(Clone)]
pub struct Breaker(Arc<Inner>);

struct Inner {
    service: &'static str,
    open_for: Duration,
    metrics: Option<Arc<Metrics>>,
    circuit: Mutex<Circuit>,
}

#[derive(Clone, Copy)]
enum Circuit {
    /// Requests pass; so many failures in a row so far.
    Closed(u32),
    /// Nothing passes until then.
    Open(Instant),
    /// One request is out to try.
    Probing,
}

/// The service is left alone for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{service} failed repeatedly and is left alone for {}s", retry_in.as_secs())]
pub struct Open {
    /// Which service.
    pub service: &'static str,
    /// When a request may try it again.
    pub retry_in: Duration,
}

impl Breaker {
    /// A closed breaker; its moves are counted in `metrics`.
    pub fn new(service: &'static str, metrics: Option<Arc<Metrics>>) -> Self {
        Self::opening_for(OPEN_FOR, service, metrics)
    }

    /// The same with another time to stay open, for tests that can't wait a minute.
    pub fn opening_for(open_for: Duration, service: &'static str, metrics: Option<Arc<Metrics>>) -> Self {
        let breaker = Self(Arc::new(Inner {
            service,
            open_for,
            metrics,
            circuit: Mutex::new(Circuit::Closed(0)),
        }));
        breaker.show(State::Closed);
        breaker
    }

    /// Leave to make one request. Say how it went; a permit that is dropped says nothing.
    pub fn admit(&self) -> Result<Permit, Open> {
        let mut circuit = self.circuit();
        let open = |retry_in| Open {
            service: self.0.service,
            retry_in,
        };
        match *circuit {
            Circuit::Closed(_) => Ok(self.permit(false)),
            Circuit::Open(until) if until <= Instant::now() => {
                *circuit = Circuit::Probing;
                self.show(State::HalfOpen);
                Ok(self.permit(true))
            }
            Circuit::Open(until) => Err(open(until - Instant::now())),
            Circuit::Probing => Err(open(Duration::from_secs(1))),
        }
    }

    /// How long nothing passes, without asking for leave.
    pub fn open_for(&self) -> Option<Duration> {
        match *self.circuit() {
            Circuit::Open(until) => until.checked_duration_since(Instant::now()).filter(|d| !d.is_zero()),
            Circuit::Closed(_) | Circuit::Probing => None,
        }
    }

    /// Where it stands now.
    pub fn state(&self) -> State {
        match *self.circuit() {
            Circuit::Closed(_) => State::Closed,
            Circuit::Open(_) => State::Open,
            Circuit::Probing => State::HalfOpen,
        }
    }

    /// Opens at once: the service refuses us altogether (credentials, suspension), and asking
    /// again and again would not help.
    pub fn trip(&self) {
        *self.circuit() = Circuit::Open(Instant::now() + self.0.open_for);
        self.show(State::Open);
        tracing::error!(service = self.0.service, "circuit opened: the service refuses us");
    }

    fn permit(&self, probe: bool) -> Permit {
        Permit {
            breaker: self.clone(),
            probe,
            told: false,
        }
    }

    fn circuit(&self) -> MutexGuard<'_, Circuit> {
        // The state is a plain value: a panic elsewhere can't have left it half-changed.
        self.0.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: State) {
        if let Some(metrics) = &self.0.metrics {
            metrics.breaker(self.0.service, state);
        }
    }
}

/// Leave to make one request of a service.
pub struct Permit {
    breaker: Breaker,
    probe: bool,
    told: bool,
}

impl Permit {
    /// The service answered soundly.
    pub fn succeeded(mut self) {
        self.told = true;
        let mut circuit = self.breaker.circuit();
        // A late success of a request from before does not close what failures since have opened.
        if self.probe || matches!(*circuit, Circuit::Closed(_)) {
            if self.probe {
                tracing::info!(
                    service = self.breaker.0.service,
                    "circuit closed: the service answers again"
                );
            }
            *circuit = Circuit::Closed(0);
            drop(circuit);
            self.breaker.show(State::Closed);
        }
    }

    /// The service failed, or could not be reached.
    pub fn failed(mut self) {
        self.told = true;
        let mut circuit = self.breaker.circuit();
        let failures = match *circuit {
            Circuit::Closed(failures) => failures + 1,
            Circuit::Probing if self.probe => FAILURES_MAX,
            Circuit::Open(_) | Circuit::Probing => return,
        };
        if failures < FAILURES_MAX {
            *circuit = Circuit::Closed(failures);
            return;
        }
        *circuit = Circuit::Open(Instant::now() + self.breaker.0.open_for);
        drop(circuit);
        self.breaker.show(State::Open);
        tracing::error!(service = self.breaker.0.service, failures, "circuit opened");
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.probe && !self.told {
            let mut circuit = self.breaker.circuit();
            if matches!(*circuit, Circuit::Probing) {
                // The probe was given up before it knew: the next request tries instead.
                *circuit = Circuit::Open(Instant::now());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(30);

    fn breaker() -> Breaker {
        Breaker::opening_for(SHORT, "twilio", None)
    }

    fn fail(breaker: &Breaker, times: u32) {
        for _ in 0..times {
            breaker.admit().unwrap().failed();
        }
    }

    fn wait() {
        std::thread::sleep(SHORT + Duration::from_millis(5));
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_one_probe_closes_it() {
        let breaker = breaker();
        fail(&breaker, 4);
        breaker.admit().unwrap().succeeded();
        fail(&breaker, 5);
        assert!(breaker.admit().err().unwrap().retry_in <= SHORT);
        wait();
        let probe = breaker.admit().unwrap();
        assert!(breaker.admit().is_err(), "one probe at a time");
        probe.succeeded();
        assert!(breaker.admit().is_ok());
    }

    #[test]
    fn a_failed_probe_opens_it_again_and_a_dropped_one_lets_the_next_try() {
        let breaker = breaker();
        fail(&breaker, 5);
        wait();
        breaker.admit().unwrap().failed();
        assert!(breaker.open_for().is_some());
        wait();
        drop(breaker.admit().unwrap());
        breaker.admit().unwrap().succeeded();
        assert_eq!(breaker.open_for(), None);
    }

    #[test]
    fn a_late_success_does_not_close_what_failures_have_opened() {
        let breaker = breaker();
        let late = breaker.admit().unwrap();
        fail(&breaker, 5);
        late.succeeded();
        assert!(breaker.admit().is_err());
        breaker.trip();
        assert!(breaker.open_for().is_some());
    }
}
