//! A process that is killed while it works, again and again.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::{LEASE, effects, message, sid};
use crate::store::{Leasing, Store, StoreError, StoreLimits};

/// Tells the child where its data is; without it the child's test does nothing.
const DATA: &str = "RELEVO_TEST_KILLED_STORE";
const ROUNDS: u32 = 12;
const PEOPLE: u32 = 5;

fn person(n: u32) -> String {
    format!("p{}", n % PEOPLE)
}

/// The child: stores messages from where its predecessor stopped, answers turns, and says what is done.
#[tokio::test]
#[ignore = "run by a_killed_process_loses_nothing_and_answers_nothing_twice"]
async fn child() {
    let Some(data) = std::env::var_os(DATA) else { return };
    let store = Store::open(Path::new(&data), StoreLimits::default()).unwrap();
    let mut first = 0;
    while store.known(&[sid(first)]).await.unwrap()[0] {
        first += 1;
    }
    println!("open");
    let mut work = JoinSet::new();
    for n in first.. {
        let asking = store.clone();
        work.spawn(async move {
            asking
                .ingest(message(n, &person(n)), &person(n), Duration::ZERO)
                .await
                .unwrap();
            println!("stored {n}");
        });
        let answering = store.clone();
        work.spawn(async move {
            let Leasing::Turn(turn) = answering.lease(LEASE).await.unwrap() else {
                return;
            };
            let words: Vec<_> = super::numbers(&turn).iter().map(ToString::to_string).collect();
            let effects = effects(&turn.conversation.id, &[words.join(" ").as_str()]);
            answering.ack(turn.lease, effects).await.unwrap();
        });
        while work.len() >= 16 {
            work.join_next().await.unwrap().unwrap();
        }
    }
}

fn begin(data: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::redb::tests::kill::child", "--ignored", "--nocapture"])
        .env(DATA, data)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn a_killed_process_loses_nothing_and_answers_nothing_twice() {
    let directory = tempfile::TempDir::new().unwrap();
    let mut stored = Vec::new();
    for round in 0..ROUNDS {
        let mut child = begin(directory.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        assert!(
            lines.any(|line| line.ends_with("open")),
            "round {round}: it did not open"
        );
        let held = Store::open(directory.path(), StoreLimits::default());
        assert!(
            matches!(held, Err(StoreError::Held(_))),
            "the data belongs to the child"
        );
        let until = Instant::now() + Duration::from_millis(fastrand::u64(5..120));
        while Instant::now() < until {
            stored.extend(lines.next().as_deref().and_then(number));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        stored.extend(lines.filter_map(|line| number(&line)));
    }

    let store = Store::open(directory.path(), StoreLimits::default()).unwrap();
    while let Leasing::Turn(turn) = store.lease(LEASE).await.unwrap() {
        let words: Vec<_> = super::numbers(&turn).iter().map(ToString::to_string).collect();
        let effects = effects(&turn.conversation.id, &[words.join(" ").as_str()]);
        store.ack(turn.lease, effects).await.unwrap();
    }
    let mut answered = vec![Vec::new(); PEOPLE as usize];
    let mut page = crate::store::Page::default();
    loop {
        let listed = store.outbox(&page).await.unwrap();
        for out in listed.rows {
            for n in out.message.body.split(' ').map(|word| word.parse::<u32>().unwrap()) {
                assert_eq!(out.message.conversation, person(n));
                answered[(n % PEOPLE) as usize].push(n);
            }
        }
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    assert!(stored.len() > ROUNDS as usize, "the children did something");
    for n in stored {
        let times = answered[(n % PEOPLE) as usize]
            .iter()
            .filter(|answer| **answer == n)
            .count();
        assert_eq!(times, 1, "message {n} was answered {times} times");
    }
    for numbers in answered {
        let mut once = numbers.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), numbers.len(), "nothing twice");
    }
}

fn number(line: &str) -> Option<u32> {
    line.strip_prefix("stored ")?.parse().ok()
}
