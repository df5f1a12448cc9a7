//! Durable acknowledgements over real HTTP, beside the floor in Rust and FastAPI with SQLite.
//!
//! `cargo bench --bench webhook`. Settings: BENCH_SECS (5) for each closed loop, BENCH_ROUNDS (3),
//! BENCH_ONLY=relevo (a part of the names, separated by commas), BENCH_PEERS=0 without Python, BENCH_PIN=0 without pinning. Servers run on core 0, the load on core 1.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use support::figures::{self, Row};
use support::process::{self, Server};
use support::requests::{self, Texts};
use support::{ADMIN_KEY, load, peers, setting};

/// People who write; so many that no conversation is full before the run ends.
const PEOPLE: usize = 20_000;
/// Seconds of an open loop.
const OPEN_SECS: f64 = 4.0;
/// No turn comes due while ingest alone is measured.
const HELD: &[(&str, &str)] = &[
    ("RELEVO__RELAY__HOLD_UNFINISHED_MS", "3600000"),
    ("RELEVO__RELAY__HOLD_MEDIA_MS", "3600000"),
    ("RELEVO__RELAY__HOLD_MAX_MS", "3600000"),
    ("RELEVO__RELAY__POLL_SECS", "3600"),
    ("RELEVO__RELAY__POLL_QUIET_SECS", "3600"),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Relevo,
    Bare,
    BareRedb,
    FastApi,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::Relevo => "relevo",
            Self::Bare => "actix, signature only",
            Self::BareRedb => "actix + redb, group commit",
            Self::FastApi => "FastAPI + SQLite FULL",
        }
    }

    /// Requests to make ready for a closed loop: more than it can answer in the time.
    fn appetite(self, connections: usize, secs: u64) -> usize {
        let rate = match (self, connections) {
            (Self::FastApi, _) => 2_500,
            (Self::Bare, 1) => 15_000,
            (Self::Bare, _) => 80_000,
            (_, 1) => 5_000,
            _ => 40_000,
        };
        rate * secs as usize
    }
}

#[derive(Clone, Copy)]
enum Loop {
    Closed(usize),
    Open(f64),
}

impl Loop {
    fn name(self) -> String {
        match self {
            Self::Closed(1) => "1 connection".into(),
            Self::Closed(n) => format!("{n} connections"),
            Self::Open(rate) => format!("{rate:.0}/s, Poisson"),
        }
    }
}

const LOOPS: [Loop; 5] = [
    Loop::Closed(1),
    Loop::Closed(16),
    Loop::Closed(64),
    Loop::Open(800.0),
    Loop::Open(1_500.0),
];

fn main() {
    peers::play_role();
    process::pin_self();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(measure());
}

async fn measure() {
    figures::machine();
    let mut targets = vec![Target::Relevo, Target::BareRedb, Target::Bare];
    let python = peers::python();
    match &python {
        Ok(_) => targets.push(Target::FastApi),
        Err(why) => println!("FastAPI is left out: {why}"),
    }
    if let Ok(only) = std::env::var("BENCH_ONLY") {
        targets.retain(|target| only.split(',').any(|part| target.name().contains(part)));
    }
    let twilio = Server::role("twilio", 1).await;
    let twilio = format!("http://{}", twilio.authority);
    let rounds = setting("BENCH_ROUNDS", 3);
    let mut rows: Vec<(Target, usize, Vec<Row>)> = Vec::new();
    for round in 0..rounds {
        for (at, run) in LOOPS.iter().enumerate() {
            for target in &targets {
                let server = match (target, &python) {
                    (Target::Relevo, _) => Server::relevo(&twilio, HELD).await,
                    (Target::Bare, _) => Server::role("bare", 0).await,
                    (Target::BareRedb, _) => Server::role("bare-redb", 0).await,
                    (Target::FastApi, Ok(python)) => Server::fastapi(python).await,
                    (Target::FastApi, Err(_)) => continue,
                };
                let row = one(&server, *target, *run, round).await;
                match rows.iter_mut().find(|(t, a, _)| t == target && *a == at) {
                    Some((_, _, seen)) => seen.push(row),
                    None => rows.push((*target, at, vec![row])),
                }
            }
        }
    }
    println!(
        "\nmedians of {rounds} rounds, {} s each; every answer comes after the write is on disk, save where only the signature is checked\n",
        setting("BENCH_SECS", 5)
    );
    figures::head();
    let mut medians = Vec::new();
    for (target, at, seen) in rows {
        let row = match LOOPS[at] {
            Loop::Closed(_) => figures::median(seen, |r| r.rate),
            Loop::Open(_) => figures::median(seen, |r| r.p95),
        };
        row.print(target.name(), &LOOPS[at].name());
        medians.push((target, at, row));
    }
    verdicts(&medians);
}

async fn one(server: &Server, target: Target, run: Loop, round: u64) -> Row {
    let authority = &server.authority;
    let count = match run {
        Loop::Closed(connections) => target.appetite(connections, setting("BENCH_SECS", 5)),
        Loop::Open(rate) => (rate * OPEN_SECS) as usize,
    };
    let warm = Arc::new(requests::signed(authority, 1 << 24, 300, PEOPLE, Texts::Long));
    let cold = load::closed(authority, warm, 8, Duration::from_secs(2)).await;
    assert!(
        cold.failed == 0 && !cold.times.is_empty(),
        "{target:?} refuses: {cold:?}"
    );
    let requests = Arc::new(requests::signed(authority, round, count, PEOPLE, Texts::Long));
    let before = server.cpu();
    let outcome = match run {
        Loop::Closed(connections) => {
            load::closed(
                authority,
                requests,
                connections,
                Duration::from_secs(setting("BENCH_SECS", 5)),
            )
            .await
        }
        Loop::Open(rate) => load::open(authority, requests, rate, 64).await,
    };
    if target == Target::Relevo {
        let key = format!("X-API-Key: {ADMIN_KEY}\r\n");
        let (_, metrics) = load::get(authority, "/metrics", &key).await.expect("metrics");
        let counts = |line: &str| line.starts_with("relevo_turns_total") && !line.ends_with(" 0");
        assert!(
            !metrics.lines().any(counts),
            "turns were answered while ingest alone was to be measured"
        );
    }
    Row::of(&outcome, (server.cpu() - before).as_secs_f64(), server.resident())
}

fn verdicts(rows: &[(Target, usize, Row)]) {
    let row = |target: Target, at: usize| {
        rows.iter()
            .find(|(t, a, _)| *t == target && *a == at)
            .map(|(_, _, r)| r)
    };
    println!();
    if let (Some(own), Some(bare)) = (row(Target::Relevo, 2), row(Target::BareRedb, 2)) {
        let ratio = own.rate / bare.rate;
        figures::verdict(
            "64 connections, rate beside actix + redb",
            ratio,
            "at least 0.5x",
            ratio >= 0.5,
        );
    }
    if let Some(own) = row(Target::Relevo, 4) {
        figures::verdict("1,500/s, p95 ms", own.p95, "at most 5", own.p95 <= 5.0);
    }
    let (Some(peer), Some(own)) = (row(Target::FastApi, 2), row(Target::Relevo, 2)) else {
        return;
    };
    let ratio = own.rate / peer.rate;
    figures::verdict(
        "64 connections, rate beside FastAPI",
        ratio,
        "at least 8x",
        ratio >= 8.0,
    );
    let cpu = own.cpu / peer.cpu;
    figures::verdict("CPU a message beside FastAPI", cpu, "at most 0.15x", cpu <= 0.15);
    if let (Some(own), Some(peer)) = (row(Target::Relevo, 0), row(Target::FastApi, 0)) {
        let ratio = own.p50 / peer.p50;
        figures::verdict("1 connection, p50 beside FastAPI", ratio, "at most 0.6x", ratio <= 0.6);
    }
    if let (Some(own), Some(peer)) = (row(Target::Relevo, 3), row(Target::FastApi, 3)) {
        let ratio = own.p95 / peer.p95;
        figures::verdict("800/s, p95 beside FastAPI", ratio, "at most 0.3x", ratio <= 0.3);
    }
}
