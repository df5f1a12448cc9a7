//! `get_kpi_trend`: one value a local calendar day or week.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::Zone;
use crate::domain::period::Span;
use crate::domain::records::Task;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::Period;
use crate::tools::rows::figure;
use crate::world::kpi;

use super::REPORTED;

/// The most buckets one answer holds.
const BUCKETS_MAX: usize = 200;

/// How a figure went: one value for each local calendar day or week of the period, empty ones among them; a first or last one that is cut by the period is marked partial.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KpiTrendArgs {
    /// which figure
    pub metric: TrendMetric,
    /// only this zone, like norte
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// the period, like 7d or 30d, or {from, to} with ISO dates or instants; default 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// a value a day or a week
    pub bucket: Bucket,
}

/// Which figure goes up and down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, extend("x-entity" = "trend_metric"))]
pub enum TrendMetric {
    /// Mean hours to close.
    Mttr,
    /// Tasks closed.
    Closed,
    /// Tasks created.
    Created,
    /// Percent closed on time.
    SlaCompliance,
}

impl TrendMetric {
    /// The catalogue's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mttr => "mttr",
            Self::Closed => "closed",
            Self::Created => "created",
            Self::SlaCompliance => "sla_compliance",
        }
    }
}

/// How long a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, extend("x-entity" = "bucket"))]
pub enum Bucket {
    /// A local calendar day.
    Day,
    /// Monday to Sunday.
    Week,
}

/// A figure in the course of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KpiTrend {
    /// Which figure.
    pub metric: TrendMetric,
    /// How long a step is.
    pub bucket: Bucket,
    /// The zone, or all.
    pub zone: Option<Zone>,
    /// The period as resolved.
    pub period: Period,
    /// Its first instant.
    #[schemars(with = "String")]
    pub from: Timestamp,
    /// Its last.
    #[schemars(with = "String")]
    pub to: Timestamp,
    /// Every bucket, the oldest first.
    pub points: Vec<TrendPoint>,
}

impl Outcome for KpiTrend {
    fn count(&self) -> Option<u64> {
        Some(figure(self.points.len()))
    }
}

/// The value of one bucket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendPoint {
    /// Its first local day.
    pub day: String,
    /// Its last local day, the same for a bucket of one day.
    pub last_day: String,
    /// Hours, tasks or percent; a mean of nothing is null, a count of nothing 0.
    #[schemars(extend("labels" = ["mttr", "cerradas", "creadas", "cumplimiento", "valor"]))]
    pub value: Option<f64>,
    /// The tasks behind it.
    #[schemars(extend("labels" = ["tareas", "sobre"]))]
    pub tasks: u64,
    /// Whether the period, or now, cuts the bucket.
    pub partial: bool,
}

pub(super) fn get_kpi_trend(cx: &Cx<'_>, args: &mut KpiTrendArgs) -> Result<KpiTrend, ToolError> {
    let zone = cx.zone_of(&mut args.zone)?;
    let period = *args.period.get_or_insert(REPORTED);
    let span = cx.span(period, zone)?;
    let buckets = buckets(span, args.bucket, cx.tz(zone))?;
    let tasks: Vec<&Task> = cx.tasks_in(zone).collect();
    let points = buckets.into_iter().map(|(first, last, whole)| {
        let inside = Span {
            from: whole.from.max(span.from),
            to: whole.to.min(span.to),
        };
        let (value, behind) = value(args.metric, &tasks, inside, cx.now);
        TrendPoint {
            day: first.to_string(),
            last_day: last.to_string(),
            value,
            tasks: behind,
            partial: inside != whole || (whole.from <= cx.now && cx.now < whole.to),
        }
    });
    Ok(KpiTrend {
        metric: args.metric,
        bucket: args.bucket,
        zone: zone.cloned(),
        period,
        from: span.from,
        to: span.to,
        points: points.collect(),
    })
}

/// The value over a span, and the tasks behind it.
fn value(metric: TrendMetric, tasks: &[&Task], span: Span, now: Timestamp) -> (Option<f64>, u64) {
    let all = || tasks.iter().copied();
    // Counts of tasks are far below 2^52.
    let counted = |n: u64| (Some(n as f64), n);
    match metric {
        TrendMetric::Mttr => {
            let times = kpi::closing_times(all(), span);
            (kpi::mean_hours(&times).map(kpi::one_decimal), figure(times.len()))
        }
        TrendMetric::Closed => counted(figure(all().filter(|t| kpi::closed_in(t, span)).count())),
        TrendMetric::Created => counted(figure(all().filter(|t| span.contains(t.created_at)).count())),
        TrendMetric::SlaCompliance => {
            let counts = kpi::Compliance::of(all(), span, now);
            (counts.percent(), counts.closed)
        }
    }
}

/// The local days or weeks that a span touches, whole, with their first and last day.
fn buckets(span: Span, bucket: Bucket, tz: &TimeZone) -> Result<Vec<(Date, Date, Span)>, ToolError> {
    let out_of_time = |_| ToolError::argument("period", "the period reaches beyond the calendar");
    let mut first = span.from.to_zoned_datetime(tz.clone()).date();
    if bucket == Bucket::Week {
        let since_monday = first.weekday().since(Weekday::Monday);
        first = first.checked_sub(i64::from(since_monday).days()).map_err(out_of_time)?;
    }
    let days = match bucket {
        Bucket::Day => 1,
        Bucket::Week => 7,
    };
    let starts_at = |day: Date| -> Result<Timestamp, jiff::Error> {
        Ok(day.to_zoned_datetime(tz.clone())?.start_of_day()?.timestamp())
    };
    let mut found = vec![];
    loop {
        let next = first.checked_add(i64::from(days).days()).map_err(out_of_time)?;
        let (from, until) = (
            starts_at(first).map_err(out_of_time)?,
            starts_at(next).map_err(out_of_time)?,
        );
        if from > span.to {
            return Ok(found);
        }
        if found.len() == BUCKETS_MAX {
            let message = format!("more than {BUCKETS_MAX} buckets: ask for weeks or for a shorter period");
            return Err(ToolError::argument("period", message));
        }
        let to = until.checked_sub(1.nanosecond()).map_err(out_of_time)?;
        let last = next.checked_sub(1.day()).map_err(out_of_time)?;
        found.push((first, last, Span { from, to }));
        first = next;
    }
}
