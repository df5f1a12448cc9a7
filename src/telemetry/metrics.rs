//! The metric families: the promised `mcp_*` names that already have a meaning, and our own `relevo_*`.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{
    Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
};

/// Distinct values that a label fed from outside the code (a tool's or a service's name) may take.
const LABEL_VALUES_MAX: usize = 160;
/// What stands for every value beyond that, and for a value that is no plain word.
const OTHER: &str = "other";

/// Buckets for work in memory: microseconds to a tenth of a second.
const FINE_SECONDS: &[f64] = &[
    0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.1,
];
/// Buckets for work that waits for a disk or a network.
const WIDE_SECONDS: &[f64] = &[
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];
/// Buckets for how many operations shared one commit.
const BATCH_SIZES: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

/// Where a circuit breaker stands; the numbers are the promised ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breaker {
    /// Calls pass.
    Closed = 0,
    /// Calls are refused at once.
    Open = 1,
    /// One call is let through to see.
    HalfOpen = 2,
}

/// How much waits in the store, set on the gauges just before they are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depths {
    /// Messages waiting for their turn.
    pub inbox: u64,
    /// Turns being worked on.
    pub leased: u64,
    /// Messages of ours not yet settled.
    pub outbox: u64,
    /// Dead letters.
    pub dead: u64,
}

/// Every family, typed. Cheap to call from any thread.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    tools: Bounded,
    services: Bounded,
    tool_calls: IntCounterVec,
    tool_latency: HistogramVec,
    breaker: IntGaugeVec,
    entities: Histogram,
    messages: IntCounterVec,
    webhooks: IntCounterVec,
    webhook_seconds: Histogram,
    polls: IntCounterVec,
    polled: IntCounter,
    turns: IntCounterVec,
    turn_seconds: Histogram,
    limited: IntCounterVec,
    outbox: IntCounterVec,
    unknown_outcomes: IntCounter,
    receipts: IntCounterVec,
    media: IntCounterVec,
    dead: IntCounterVec,
    depth: IntGaugeVec,
    commit_seconds: Histogram,
    commit_operations: Histogram,
    system_age: prometheus::GaugeVec,
    ready: IntGauge,
    resident: Gauge,
}

impl Metrics {
    /// All families at zero.
    pub fn new() -> Arc<Self> {
        let families = Families(Registry::new());
        let version = families.gauges("relevo_build_info", "The running version.", &["version"]);
        version.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        let metrics = Self {
            tools: Bounded::default(),
            services: Bounded::default(),
            tool_calls: families.counters("mcp_tool_calls_total", "Tool calls.", &["tool", "status"]),
            tool_latency: families.histograms(
                "mcp_tool_latency_seconds",
                "Time of a tool call.",
                &["tool"],
                FINE_SECONDS,
            ),
            breaker: families.gauges(
                "mcp_circuit_breaker_state",
                "0 closed, 1 open, 2 half open.",
                &["service"],
            ),
            entities: families.histogram(
                "mcp_entity_extraction_seconds",
                "Time to find the entities of a message.",
                FINE_SECONDS,
            ),
            messages: families.counters(
                "mcp_whatsapp_messages_total",
                "Messages made durable or accepted.",
                &["direction"],
            ),
            webhooks: families.counters(
                "relevo_webhook_requests_total",
                "Webhook requests by how they ended.",
                &["result"],
            ),
            webhook_seconds: families.histogram(
                "relevo_webhook_seconds",
                "Time until a webhook was answered.",
                WIDE_SECONDS,
            ),
            polls: families.counters(
                "relevo_polls_total",
                "Polls of the message list by how they ended.",
                &["result"],
            ),
            polled: families.counter("relevo_polled_messages_total", "Messages that only the poller brought."),
            turns: families.counters("relevo_turns_total", "Turns by how they ended.", &["outcome"]),
            turn_seconds: families.histogram(
                "relevo_turn_seconds",
                "Time from lease to acknowledgement of a turn.",
                WIDE_SECONDS,
            ),
            limited: families.counters(
                "relevo_limited_total",
                "Messages or calls held back by a limit.",
                &["limit"],
            ),
            outbox: families.counters("relevo_outbox_total", "Sends by how they ended.", &["result"]),
            unknown_outcomes: families.counter(
                "relevo_outbox_unknown_outcomes_total",
                "Sends whose outcome was unknown and looked up.",
            ),
            receipts: families.counters(
                "relevo_receipts_total",
                "Delivery receipts by what they changed.",
                &["result"],
            ),
            media: families.counters("relevo_media_total", "Files fetched by how it ended.", &["result"]),
            dead: families.counters("relevo_dead_letters_total", "Messages given up.", &["queue"]),
            depth: families.gauges("relevo_queue_depth", "What waits in the store now.", &["queue"]),
            commit_seconds: families.histogram(
                "relevo_store_commit_seconds",
                "Time of one durable commit.",
                WIDE_SECONDS,
            ),
            commit_operations: families.histogram(
                "relevo_store_commit_operations",
                "Operations that shared one commit.",
                BATCH_SIZES,
            ),
            system_age: families.gauge_floats(
                "relevo_system_age_seconds",
                "Age of what is known of a system.",
                &["system"],
            ),
            ready: families.gauge("relevo_ready", "1 when the relay takes messages."),
            resident: families.gauge_float("process_resident_memory_bytes", "Resident memory."),
            registry: families.0,
        };
        // `increase()` does not see a counter's first step when the counter comes with it, and these wake people.
        for queue in ["inbox", "outbox"] {
            metrics.dead.with_label_values(&[queue]);
        }
        metrics.webhooks.with_label_values(&["signature"]);
        Arc::new(metrics)
    }

    /// A tool ran; `status` is `ok` or the kind of its error.
    pub fn tool_call(&self, tool: &str, status: &'static str, took: Duration) {
        let tool = self.tools.admit(tool);
        self.tool_calls.with_label_values(&[tool, status]).inc();
        self.tool_latency.with_label_values(&[tool]).observe(took.as_secs_f64());
    }

    /// The circuit breaker of an outside service moved.
    pub fn breaker(&self, service: &str, state: Breaker) {
        let service = self.services.admit(service);
        self.breaker.with_label_values(&[service]).set(state as i64);
    }

    /// Entities were looked for.
    pub fn entity_seconds(&self, took: Duration) {
        self.entities.observe(took.as_secs_f64());
    }

    /// A message passed: `inbound` once it is durable and new, `outbound` once Twilio accepted it.
    pub fn message(&self, direction: &'static str) {
        self.messages.with_label_values(&[direction]).inc();
    }

    /// A webhook was answered: `accepted`, `duplicate`, `receipt`, or why it was refused.
    pub fn webhook(&self, result: &'static str) {
        self.webhooks.with_label_values(&[result]).inc();
    }

    /// How long a webhook took.
    pub fn webhook_seconds(&self, took: Duration) {
        self.webhook_seconds.observe(took.as_secs_f64());
    }

    /// A poll ended: `ok`, `limited`, `failed`.
    pub fn poll(&self, result: &'static str) {
        self.polls.with_label_values(&[result]).inc();
    }

    /// So many messages came by the poller alone.
    pub fn polled(&self, messages: u64) {
        self.polled.inc_by(messages);
    }

    /// A turn ended: `answered`, `retried`, `buried`, `lost`.
    pub fn turn(&self, outcome: &'static str, took: Duration) {
        self.turns.with_label_values(&[outcome]).inc();
        self.turn_seconds.observe(took.as_secs_f64());
    }

    /// A limit held something back; the limit's name.
    pub fn limited(&self, limit: &'static str) {
        self.limited.with_label_values(&[limit]).inc();
    }

    /// A send ended: `accepted`, `retried`, `failed`, `shrunk`, `templated`, `window`.
    pub fn outbox(&self, result: &'static str) {
        self.outbox.with_label_values(&[result]).inc();
    }

    /// A send's outcome was unknown and had to be looked up.
    pub fn unknown_outcome(&self) {
        self.unknown_outcomes.inc();
    }

    /// A receipt came: `applied`, `stale`, `unknown`.
    pub fn receipt(&self, result: &'static str) {
        self.receipts.with_label_values(&[result]).inc();
    }

    /// A file was fetched: `stored`, `known`, `refused`, `failed`.
    pub fn media(&self, result: &'static str) {
        self.media.with_label_values(&[result]).inc();
    }

    /// A message was given up, of the `inbox` or the `outbox`.
    pub fn dead_letter(&self, queue: &'static str) {
        self.dead.with_label_values(&[queue]).inc();
    }

    /// One durable commit: how long, and how many operations shared it.
    pub fn commit(&self, took: Duration, operations: usize) {
        self.commit_seconds.observe(took.as_secs_f64());
        self.commit_operations
            .observe(u32::try_from(operations).map_or(f64::MAX, f64::from));
    }

    /// What waits now.
    pub fn depths(&self, depths: Depths) {
        for (queue, waiting) in [
            ("inbox", depths.inbox),
            ("leased", depths.leased),
            ("outbox", depths.outbox),
            ("dead", depths.dead),
        ] {
            let waiting = i64::try_from(waiting).unwrap_or(i64::MAX);
            self.depth.with_label_values(&[queue]).set(waiting);
        }
    }

    /// How old the picture of a system is.
    pub fn system_age(&self, system: &'static str, age: Duration) {
        self.system_age.with_label_values(&[system]).set(age.as_secs_f64());
    }

    /// Whether the relay takes messages.
    pub fn ready(&self, ready: bool) {
        self.ready.set(i64::from(ready));
    }

    /// The text that Prometheus reads; the memory is measured now.
    pub fn render(&self) -> String {
        if let Some(bytes) = resident_bytes() {
            self.resident.set(bytes);
        }
        // The encoder fails only on a family without a name or a type, and ours have both.
        TextEncoder::new()
            .encode_to_string(&self.registry.gather())
            .unwrap_or_default()
    }
}

/// Resident memory by the kernel's word; None where there is no `/proc`.
fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u32 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(f64::from(kib) * 1024.0)
}

/// Keeps the values of one label to a bounded set of plain words.
#[derive(Debug, Default)]
struct Bounded(Mutex<BTreeSet<String>>);

impl Bounded {
    /// The value itself, or `other`.
    fn admit<'a>(&self, value: &'a str) -> &'a str {
        let plain = !value.is_empty()
            && value.len() <= 64
            && value
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.'));
        if !plain {
            return OTHER;
        }
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.contains(value) {
            return value;
        }
        if seen.len() >= LABEL_VALUES_MAX {
            return OTHER;
        }
        seen.insert(value.to_owned());
        value
    }
}

/// Makes families and registers each at once.
struct Families(Registry);

impl Families {
    #[expect(
        clippy::expect_used,
        reason = "names are constants of this file and a test makes every family: it can't fail later"
    )]
    fn keep<C: Collector + Clone + 'static>(&self, family: prometheus::Result<C>) -> C {
        let family = family.expect("a sound family");
        self.0.register(Box::new(family.clone())).expect("a name used once");
        family
    }

    fn counter(&self, name: &str, help: &str) -> IntCounter {
        self.keep(IntCounter::new(name, help))
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.keep(IntCounterVec::new(Opts::new(name, help), labels))
    }

    fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.keep(IntGauge::new(name, help))
    }

    fn gauge_float(&self, name: &str, help: &str) -> Gauge {
        self.keep(Gauge::new(name, help))
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.keep(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    fn gauge_floats(&self, name: &str, help: &str, labels: &[&str]) -> prometheus::GaugeVec {
        self.keep(prometheus::GaugeVec::new(Opts::new(name, help), labels))
    }

    fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Histogram {
        self.keep(Histogram::with_opts(
            HistogramOpts::new(name, help).buckets(buckets.to_vec()),
        ))
    }

    fn histograms(&self, name: &str, help: &str, labels: &[&str], buckets: &[f64]) -> HistogramVec {
        self.keep(HistogramVec::new(
            HistogramOpts::new(name, help).buckets(buckets.to_vec()),
            labels,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_promised_name_that_has_a_meaning_is_rendered() {
        let metrics = Metrics::new();
        metrics.tool_call("search_tasks", "ok", Duration::from_micros(80));
        metrics.breaker("twilio", Breaker::HalfOpen);
        metrics.entity_seconds(Duration::from_micros(30));
        metrics.message("inbound");
        metrics.depths(Depths {
            inbox: 3,
            ..Depths::default()
        });
        let text = metrics.render();
        for line in [
            "mcp_tool_calls_total{status=\"ok\",tool=\"search_tasks\"} 1",
            "mcp_tool_latency_seconds_count{tool=\"search_tasks\"} 1",
            "mcp_circuit_breaker_state{service=\"twilio\"} 2",
            "mcp_entity_extraction_seconds_count 1",
            "mcp_whatsapp_messages_total{direction=\"inbound\"} 1",
            "relevo_queue_depth{queue=\"inbox\"} 3",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }

    #[test]
    fn what_wakes_people_stands_at_zero_from_the_start_so_that_the_first_one_shows() {
        let text = Metrics::new().render();
        for line in [
            "relevo_dead_letters_total{queue=\"inbox\"} 0",
            "relevo_dead_letters_total{queue=\"outbox\"} 0",
            "relevo_webhook_requests_total{result=\"signature\"} 0",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }

    #[test]
    fn a_label_takes_plain_words_only_and_a_bounded_number_of_them() {
        let metrics = Metrics::new();
        for n in 0..1_000 {
            metrics.tool_call(&format!("invented_{n}"), "unknown", Duration::ZERO);
        }
        metrics.tool_call("+56980000022", "unknown", Duration::ZERO);
        let text = metrics.render();
        assert!(text.matches("mcp_tool_calls_total{").count() <= LABEL_VALUES_MAX + 1);
        assert!(text.contains("tool=\"other\"} 841"), "{text}");
        assert!(!text.contains("5698"));
    }
}
