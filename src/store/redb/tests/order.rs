//! Whatever workers, restarts and failures do: every message ends once, and in its order.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::{Bench, LEASE, effects, message, numbers};
use crate::store::{Dead, Ingested, LeasedTurn, Leasing, Page, Retried, StoreError, StoreLimits};

const PEOPLE: [&str; 3] = ["ana", "beto", "carla"];

#[derive(Debug, Clone, Copy)]
enum Step {
    /// The next message of somebody.
    Ingest(usize),
    /// A message that was stored before comes again.
    Repeat(u32),
    /// A worker takes a turn; true when it will be too slow.
    Lease(bool),
    /// One of the workers ends its turn.
    Ack(usize),
    /// One of the workers fails.
    Retry(usize),
    /// One of the workers gives its turn back.
    Release(usize),
    /// The process dies with all its workers.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..PEOPLE.len()).prop_map(Step::Ingest),
        1 => any::<u32>().prop_map(Step::Repeat),
        5 => any::<bool>().prop_map(Step::Lease),
        4 => any::<usize>().prop_map(Step::Ack),
        2 => any::<usize>().prop_map(Step::Retry),
        1 => any::<usize>().prop_map(Step::Release),
        1 => Just(Step::Reopen),
    ]
}

#[derive(Default)]
struct Run {
    stored: u32,
    workers: Vec<LeasedTurn>,
    answered: BTreeMap<&'static str, Vec<u32>>,
}

impl Run {
    fn worker(&mut self, n: usize) -> Option<LeasedTurn> {
        let n = n.checked_rem(self.workers.len())?;
        Some(self.workers.remove(n))
    }

    async fn ack(&mut self, bench: &Bench, turn: LeasedTurn) {
        let (who, what) = (turn.conversation.id.clone(), numbers(&turn));
        match bench.store().ack(turn.lease, effects(&who, &[])).await {
            Ok(_) => {
                let who = PEOPLE.into_iter().find(|person| *person == who).unwrap();
                self.answered.entry(who).or_default().extend(what);
            }
            Err(StoreError::LeaseLost) => {}
            Err(error) => panic!("{error}"),
        }
    }

    async fn lease(&mut self, bench: &Bench, lease_for: Duration) -> bool {
        match bench.store().lease(lease_for).await.unwrap() {
            Leasing::Turn(turn) => self.workers.push(*turn),
            Leasing::Idle { .. } => return false,
        }
        true
    }

    async fn step(&mut self, bench: &mut Bench, step: Step) {
        match step {
            Step::Ingest(who) => {
                bench.ingest(self.stored, PEOPLE[who]).await;
                self.stored += 1;
            }
            Step::Repeat(n) => {
                if let Some(n) = n.checked_rem(self.stored) {
                    let again = bench
                        .store()
                        .ingest(message(n, "ana"), "ana", Duration::ZERO)
                        .await
                        .unwrap();
                    assert_eq!(again, Ingested::Duplicate);
                }
            }
            Step::Lease(slow) => {
                self.lease(bench, if slow { Duration::ZERO } else { LEASE }).await;
            }
            Step::Ack(n) => {
                if let Some(turn) = self.worker(n) {
                    self.ack(bench, turn).await;
                }
            }
            Step::Retry(n) => {
                if let Some(turn) = self.worker(n) {
                    let attempt = turn.attempt;
                    match bench.store().retry(turn.lease, Duration::ZERO, "no", Vec::new()).await {
                        Ok(retried) => assert_eq!(retried == Retried::Buried, attempt >= 5),
                        Err(error) => assert!(matches!(error, StoreError::LeaseLost)),
                    }
                }
            }
            Step::Release(n) => {
                if let Some(turn) = self.worker(n) {
                    let released = bench
                        .store()
                        .defer(turn.lease, std::time::Duration::ZERO, Vec::new())
                        .await;
                    assert!(matches!(released, Ok(()) | Err(StoreError::LeaseLost)));
                }
            }
            Step::Reopen => {
                self.workers.clear();
                bench.reopen();
            }
        }
    }

    /// Answers what is left, and adds up.
    async fn end(mut self, mut bench: Bench) {
        while let Some(turn) = self.workers.pop() {
            self.ack(&bench, turn).await;
        }
        bench.reopen();
        while self.lease(&bench, LEASE).await {
            let turn = self.workers.pop().unwrap();
            self.ack(&bench, turn).await;
        }
        let mut ended: Vec<u32> = Vec::new();
        for numbers in self.answered.values() {
            assert!(numbers.is_sorted(), "in order: {numbers:?}");
            ended.extend(numbers);
        }
        for letter in bench.store().dead(&Page::default()).await.unwrap().rows {
            let Dead::Inbound { messages, .. } = letter.letter else {
                panic!("nothing was sent")
            };
            let n = |body: &str| body.rsplit(' ').next().unwrap().parse::<u32>().unwrap();
            ended.extend(messages.iter().map(|message| n(&message.body)));
        }
        ended.sort_unstable();
        assert_eq!(ended, (0..self.stored).collect::<Vec<_>>(), "each once");
        assert_eq!((bench.store().depths().inbox, bench.store().depths().leased), (0, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_message_ends_once_and_in_order(steps in prop::collection::vec(step(), 1..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut bench = Bench::with(StoreLimits { turn_messages: 3, ..StoreLimits::default() });
            let mut run = Run::default();
            for step in steps {
                run.step(&mut bench, step).await;
            }
            run.end(bench).await;
        });
    }
}
