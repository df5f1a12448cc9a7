//! The figures of the operation: over a period, now, in the course of time, by manager and site.
//!
//! Each is arithmetic of `world::kpi` over the tasks asked about; nothing is kept from one
//! question to the next.

mod backlog;
mod closing;
mod managers;
mod recurrence;
mod summary;
mod trend;

use crate::domain::sets::System;

use super::contract::{Module, read};
use super::disabled;
use super::params::Period;

pub use backlog::{AgeCounts, Backlog, BacklogArgs};
pub use closing::{Mttr, MttrArgs, SlaCompliance, SlaComplianceArgs};
pub use managers::{KpiByManager, KpiByManagerArgs, ManagerFigures};
pub use recurrence::{Recurrence, RecurrenceArgs, RecurrencePatterns};
pub use summary::{KpiRealtime, KpiRealtimeArgs, KpiSummary, KpiSummaryArgs};
pub use trend::{Bucket, KpiTrend, KpiTrendArgs, TrendMetric, TrendPoint};

pub(super) use recurrence::recurring;

pub(super) static MODULE: Module = Module {
    name: "kpis",
    tools: &[
        &read("get_kpi_summary", System::Kpis, summary::get_kpi_summary),
        &read("get_kpi_realtime", System::Kpis, summary::get_kpi_realtime).also(&[System::Network]),
        &read("get_mttr", System::Kpis, closing::get_mttr),
        &read("get_sla_compliance", System::Kpis, closing::get_sla_compliance),
        &read("get_kpi_trend", System::Kpis, trend::get_kpi_trend),
        &read("get_backlog", System::Kpis, backlog::get_backlog),
        &read("get_kpi_by_manager", System::Kpis, managers::get_kpi_by_manager),
        &read(
            "get_recurrence_patterns",
            System::Kpis,
            recurrence::get_recurrence_patterns,
        ),
    ],
    disabled: disabled::KPIS,
};

/// The period a figure is reported over when none is named.
const REPORTED: Period = Period::days(7);
