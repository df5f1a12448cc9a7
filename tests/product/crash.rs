//! Nothing lost, nothing twice: the program is killed at random moments while Twilio fails.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::fake_twilio::{Call, FakeTwilio, Fault, Posted};
use crate::support::process::Server;

const PEOPLE: u64 = 50;
const MESSAGES_EACH: u64 = 10;
const KILLS: u32 = 8;
/// For everything to be answered after the last kill.
const PATIENCE: Duration = Duration::from_secs(150);

/// What a person asks, in order: ten sites that no other question of theirs names.
fn site(person: u64, n: u64) -> u64 {
    (person * 7 + n * 13) % 150 + 1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_messages_survive_kills_and_a_failing_twilio() {
    let twilio = FakeTwilio::start().await;
    for (seed, fault, permille) in [
        (1, Fault::Limited(1), 20),
        (2, Fault::Refuse(500, 20500), 20),
        (3, Fault::Reset, 20),
        (4, Fault::DoneThen(500), 20),
        (5, Fault::DoneThenReset, 10),
        (6, Fault::DoneThenHang, 10),
    ] {
        twilio.sometimes(seed, Call::Send, fault, permille);
    }
    let dir = tempfile::tempdir().unwrap();
    let mut settings = twilio.settings(true);
    for (name, value) in [
        ("RELEVO__TWILIO__TIMEOUT_SECS", "2"),
        ("RELEVO__TWILIO__SEND_ATTEMPTS_MAX", "12"),
        ("RELEVO__RELAY__SENDER_MESSAGES_MAX", "0"),
        ("RELEVO__RELAY__POLL_SECS", "1"),
        ("RELEVO__RELAY__POLL_QUIET_SECS", "2"),
        ("RELEVO__RELAY__POLL_MIN_AGE_SECS", "1"),
    ] {
        settings.push((name.into(), value.into()));
    }
    let mut server = Server::new(dir.path(), &settings);
    twilio.app_is_at(&server.url());
    server.start();

    let sending = Arc::new(AtomicBool::new(true));
    let people: Vec<_> = (0..PEOPLE)
        .map(|person| tokio::spawn(write(twilio.clone(), person)))
        .collect();
    let killer = {
        let sending = Arc::clone(&sending);
        tokio::task::spawn_blocking(move || {
            let mut chance = fastrand::Rng::with_seed(11);
            for _ in 0..KILLS {
                std::thread::sleep(Duration::from_millis(chance.u64(500..1800)));
                server.kill();
                std::thread::sleep(Duration::from_millis(chance.u64(0..250)));
                server.start();
            }
            assert!(
                sending.load(Ordering::Relaxed),
                "the kills must fall while messages come in"
            );
            server
        })
    };
    for person in people {
        person.await.unwrap();
    }
    sending.store(false, Ordering::Relaxed);
    let mut server = killer.await.unwrap();

    let start = Instant::now();
    let missing = loop {
        let missing = unanswered(&twilio);
        if missing.is_empty() || start.elapsed() > PATIENCE {
            break missing;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    assert!(
        missing.is_empty(),
        "{} messages without an answer: {missing:?}\n{}",
        missing.len(),
        tail(&server.logged())
    );

    let (took, code) = server.terminate();
    assert!(
        took < Duration::from_secs(11) && code == Some(0),
        "SIGTERM drains: {took:?}, {code:?}"
    );
    let (mut doubled, mut texts) = (0, 0);
    for person in 0..PEOPLE {
        let answers = sites_answered(&twilio, person);
        texts += answers.len();
        let mut first_time = Vec::new();
        for site in &answers {
            if first_time.contains(site) {
                doubled += 1;
            } else {
                first_time.push(*site);
            }
        }
        let asked: Vec<u64> = (0..MESSAGES_EACH).map(|n| site(person, n)).collect();
        assert_eq!(first_time, asked, "person {person} is answered in order");
    }
    let hidden = twilio.hidden();
    println!(
        "{texts} sends for {} messages, {doubled} doubled, {hidden} sends hidden by faults",
        PEOPLE * MESSAGES_EACH
    );
    assert!(
        doubled <= hidden,
        "{doubled} doubled, but only {hidden} sends were hidden from us"
    );
    let unknown = server
        .logged()
        .lines()
        .filter(|l| l.contains("unknown outcome"))
        .count();
    assert!(unknown >= doubled, "each is logged: {unknown} of {doubled}");
    twilio.end();
}

/// One person writes, each message once Twilio could deliver the one before.
async fn write(twilio: FakeTwilio, person: u64) {
    let mut chance = fastrand::Rng::with_seed(person);
    let from = number(person);
    for n in 0..MESSAGES_EACH {
        tokio::time::sleep(Duration::from_millis(chance.u64(200..2200))).await;
        let text = format!("estado sitio SITE-{:03}", site(person, n));
        let (sid, mut posted) = twilio.say(&from, &text).await;
        let start = Instant::now();
        while posted != Posted::Status(200) {
            assert!(start.elapsed() < Duration::from_secs(60), "never taken: {posted:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
            posted = twilio.post_webhook(&sid, &from, &[("Body", &text)]).await;
        }
    }
}

fn number(person: u64) -> String {
    format!("whatsapp:+5698000{:04}", person + 22)
}

/// The sites that answers to a person are about, in the order they were taken for sending.
fn sites_answered(twilio: &FakeTwilio, person: u64) -> Vec<u64> {
    let digits = |text: String| text.strip_prefix("SITE-").and_then(|rest| rest.get(..3)?.parse().ok());
    twilio
        .texts_to(&number(person))
        .into_iter()
        .map(|text| digits(text.clone()).unwrap_or_else(|| panic!("no answer: {text}")))
        .collect()
}

fn unanswered(twilio: &FakeTwilio) -> BTreeMap<u64, Vec<u64>> {
    let mut missing = BTreeMap::new();
    for person in 0..PEOPLE {
        let answered = sites_answered(twilio, person);
        let open: Vec<u64> = (0..MESSAGES_EACH)
            .map(|n| site(person, n))
            .filter(|s| !answered.contains(s))
            .collect();
        if !open.is_empty() {
            missing.insert(person, open);
        }
    }
    missing
}

fn tail(log: &str) -> String {
    let lines: Vec<_> = log.lines().collect();
    lines
        .get(lines.len().saturating_sub(30)..)
        .unwrap_or_default()
        .join("\n")
}
