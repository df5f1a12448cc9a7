//! Start, memory and size: cold start to ready, resident memory idle and after 100,000 messages answered.
//!
//! `cargo bench --bench footprint`. Settings: BENCH_MESSAGES (100000), BENCH_PIN=0 without pinning.
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
use std::time::{Duration, Instant};

use support::process::{self, Server};
use support::requests::{self, Texts};
use support::{ADMIN_KEY, figures, load, peers, setting};

/// Starts measured; the median counts.
const STARTS: usize = 11;
/// People who write; so many that nobody meets the limit of a sender.
const PEOPLE: usize = 5_000;
/// The poller would only add noise; nothing else is changed.
const QUIET: &[(&str, &str)] = &[
    ("RELEVO__RELAY__POLL_SECS", "3600"),
    ("RELEVO__RELAY__POLL_QUIET_SECS", "3600"),
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
    let size = std::fs::metadata(env!("CARGO_BIN_EXE_relevo")).map_or(0, |m| m.len()) as f64 / 1e6;
    figures::verdict("binary, MB", size, "below 40", size < 40.0);
    let twilio = Server::role("twilio", 1).await;
    let twilio = format!("http://{}", twilio.authority);

    let mut starts = Vec::new();
    for _ in 0..STARTS {
        starts.push(Server::relevo(&twilio, QUIET).await.ready_after.as_secs_f64() * 1e3);
    }
    starts.sort_by(f64::total_cmp);
    let median = starts[STARTS / 2];
    figures::verdict("start to ready, ms", median, "at most 150", median <= 150.0);

    let server = Server::relevo(&twilio, QUIET).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let idle = server.resident();
    figures::verdict("resident memory idle, MB", idle, "below 40", idle < 40.0);

    let messages = setting("BENCH_MESSAGES", 100_000) as usize;
    let mut halves = Vec::new();
    let began = Instant::now();
    for half in 0..2 {
        let requests = Arc::new(requests::signed(
            &server.authority,
            half,
            messages / 2,
            PEOPLE,
            Texts::Questions,
        ));
        let outcome = load::closed(&server.authority, requests, 16, Duration::from_secs(600)).await;
        assert_eq!(outcome.failed, 0, "messages were refused");
        drained(&server).await;
        halves.push(server.resident());
        println!(
            "after {} messages: {:.1} MB, {:.1} s",
            messages / 2 * (half as usize + 1),
            server.resident(),
            began.elapsed().as_secs_f64()
        );
    }
    let cpu = server.cpu().as_secs_f64() * 1e6 / messages as f64;
    println!(
        "CPU a message with its turn and its send: {cpu:.0} us; disk: {:.1} MB",
        server.disk() as f64 / 1e6
    );
    figures::verdict(
        "resident memory after all, MB",
        halves[1],
        "at most 100",
        halves[1] <= 100.0,
    );
    let growth = halves[1] / halves[0] - 1.0;
    figures::verdict("growth over the second half", growth, "below 0.10", growth < 0.10);
}

/// Waits until nothing is left in the inbox and the outbox.
async fn drained(server: &Server) {
    let key = format!("X-API-Key: {ADMIN_KEY}\r\n");
    let deadline = Instant::now() + Duration::from_secs(600);
    loop {
        let (_, text) = load::get(&server.authority, "/metrics", &key).await.expect("metrics");
        let waiting: f64 = text
            .lines()
            .filter(|line| line.starts_with("relevo_queue_depth") && !line.contains("\"dead\""))
            .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
            .sum();
        if waiting == 0.0 {
            return;
        }
        assert!(Instant::now() < deadline, "{waiting} still wait");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
