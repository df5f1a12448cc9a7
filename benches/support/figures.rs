//! What is printed: rows of a Markdown table, medians over rounds, and verdicts against targets.

use super::load::Outcome;

/// One measured row.
#[derive(Debug, Clone, Default)]
pub struct Row {
    pub rate: f64,
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub failed: usize,
    /// Microseconds of CPU a message.
    pub cpu: f64,
    /// Resident memory afterwards, MiB.
    pub resident: f64,
}

impl Row {
    pub fn of(outcome: &Outcome, cpu_secs: f64, resident: f64) -> Self {
        Self {
            rate: outcome.rate(),
            p50: outcome.percentile(0.50),
            p95: outcome.percentile(0.95),
            p99: outcome.percentile(0.99),
            failed: outcome.failed,
            cpu: cpu_secs * 1e6 / outcome.times.len().max(1) as f64,
            resident,
        }
    }

    pub fn print(&self, name: &str, load: &str) {
        println!(
            "| {name} | {load} | {:.0} | {:.2} | {:.2} | {:.2} | {} | {:.0} | {:.0} |",
            self.rate, self.p50, self.p95, self.p99, self.failed, self.cpu, self.resident
        );
    }
}

pub fn head() {
    println!("| server | load | ok/s | p50 ms | p95 ms | p99 ms | failed | CPU us/msg | RSS MB |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
}

/// The row of the median rate (of the median p95 in an open loop, where the rate is given).
pub fn median(mut rows: Vec<Row>, by: impl Fn(&Row) -> f64) -> Row {
    rows.sort_by(|a, b| by(a).total_cmp(&by(b)));
    rows.get(rows.len() / 2).cloned().unwrap_or_default()
}

/// One line: what was wanted, what was measured, and whether it holds.
pub fn verdict(what: &str, measured: f64, wanted: &str, holds: bool) {
    println!(
        "- {} {what}: {measured:.2} (target {wanted})",
        if holds { "ok  " } else { "MISS" }
    );
}

/// What the machine was doing before the run: figures of a busy machine are not to be kept.
pub fn machine() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model
        .lines()
        .find_map(|l| l.strip_prefix("model name"))
        .unwrap_or_default();
    let cores = super::process::cores();
    println!("machine: {cores} cores{model}; load before: {}", load.trim());
}
