//! The second path: what an answer must say, read straight from the cells of the demo operator.
//!
//! Nothing of `world`, `tools` or their figures is used here: the tables are read anew, and the
//! definitions of the catalogue stand here a second time. Two paths that agree are worth more
//! than one that agrees with itself.
//!
//! An `Expr` names a table, the rows that count, and what is wanted of them:
//! `{ of = "tasks", where = "zone=norte; status in active", give = "count" }`. A column may
//! reach through a reference (`site.name`, `manager.name`); `*_min_ago` are ages in minutes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Deserialize;

/// Mean radius of the Earth, km.
const EARTH_KM: f64 = 6371.0088;
/// What is active, by the catalogue.
const ACTIVE: &str = "open|in_progress|stalled|on_hold";
/// References between tables: the column, the table it points into, what it is called.
const LINKS: [(&str, &str, &str); 9] = [
    ("site_id", "sites", "site"),
    ("task_id", "tasks", "task"),
    ("manager_id", "employees", "manager"),
    ("technician_id", "employees", "technician"),
    ("holder_id", "employees", "holder"),
    ("escalated_to", "employees", "to"),
    ("author_id", "employees", "author"),
    ("crew_id", "crews", "crew"),
    ("lead_employee_id", "employees", "lead"),
];
/// Words whose order is not that of letters.
const RANKED: [&[&str]; 3] = [
    &["critical", "high", "medium", "low"],
    &["critical", "major", "minor", "warning"],
    &["available", "en_route", "on_site", "off_shift"],
];

/// What to compute.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expr {
    /// The table.
    of: String,
    /// Conditions joined by `;`, all of which hold: `a=b`, `a!=b`, `a in x|y`, `a<n`, `a>n`,
    /// `a set`, `a empty`, `a on today|yesterday|DATE`.
    #[serde(default, rename = "where")]
    conditions: String,
    /// `count`, `ids`, a column, `sum COL`, `mean_hours A B`, `median_hours A B`,
    /// `percent CONDITION`, `km LAT,LON`, `local COL`, `distinct COL`.
    give: String,
    /// Columns to sort by, `desc` after those that run down; `near LAT,LON` sorts by distance.
    #[serde(default)]
    order: String,
    /// So many of the first only.
    #[serde(default)]
    first: Option<usize>,
}

/// An expression that cannot be computed: a fault of the case, not of the product.
#[derive(Debug, thiserror::Error)]
#[error("the oracle: {0}")]
pub struct BadExpr(String);

fn bad(what: impl Into<String>) -> BadExpr {
    BadExpr(what.into())
}

type Row = HashMap<String, String>;

/// A table with its rows in the order of the file.
struct Table {
    key: String,
    rows: Vec<Row>,
    by_key: HashMap<String, usize>,
}

/// The tables, and the instant they are told at.
pub struct Oracle {
    tables: BTreeMap<&'static str, Table>,
    now: Timestamp,
    zone: TimeZone,
}

impl Oracle {
    /// Reads the ten tables.
    pub fn new(now: Timestamp, zone: TimeZone) -> Result<Self, BadExpr> {
        macro_rules! tables {
            ($($name:literal),+) => {
                [$(($name, include_str!(concat!("../world/demo/", $name, ".csv")))),+]
            };
        }
        let files = tables!(
            "sites",
            "tasks",
            "task_events",
            "alarms",
            "crews",
            "employees",
            "access",
            "panel",
            "inventory",
            "monitors"
        );
        let tables = files
            .into_iter()
            .map(|(name, text)| Ok((name, read(text)?)))
            .collect::<Result<_, BadExpr>>()?;
        Ok(Self { tables, now, zone })
    }

    /// What an expression comes to: one text, or several in order.
    pub fn compute(&self, expr: &Expr) -> Result<Vec<String>, BadExpr> {
        let table = self.table(&expr.of)?;
        let conditions = split(&expr.conditions, ';');
        let mut rows = Vec::new();
        for row in &table.rows {
            if self.all(row, &conditions)? {
                rows.push(row);
            }
        }
        self.sort(&mut rows, &expr.order, &table.key)?;
        rows.truncate(expr.first.unwrap_or(usize::MAX));
        let (what, rest) = expr.give.split_once(' ').unwrap_or((expr.give.as_str(), ""));
        match what {
            "count" => Ok(vec![rows.len().to_string()]),
            "ids" => rows.iter().map(|row| self.cell(row, &table.key)).collect(),
            "sum" => {
                let cells = rows.iter().map(|row| self.number(row, rest));
                Ok(vec![plain(
                    cells.filter_map(Result::transpose).sum::<Result<f64, _>>()?,
                )])
            }
            "distinct" => {
                let mut cells = rows
                    .iter()
                    .map(|row| self.cell(row, rest))
                    .collect::<Result<Vec<_>, _>>()?;
                cells.sort();
                cells.dedup();
                Ok(vec![cells.len().to_string()])
            }
            "mean_hours" | "median_hours" => {
                let mut hours = self.hours(&rows, rest)?;
                Ok(vec![match what {
                    "mean_hours" => one_decimal(mean(&hours)),
                    _ => one_decimal(median(&mut hours)),
                }])
            }
            "percent" => {
                let condition = [rest.to_owned()];
                let mut held = 0.0;
                for row in &rows {
                    held += f64::from(u8::from(self.all(row, &condition)?));
                }
                let all = mean(&vec![1.0; rows.len()]).map(|_| held * 100.0 / len(rows.len()));
                Ok(vec![one_decimal(all)])
            }
            "km" => rows
                .iter()
                .map(|row| Ok(format!("{:.1}", self.km(row, rest)?)))
                .collect(),
            "local" => rows.iter().map(|row| self.local(row, rest)).collect(),
            column => rows.iter().map(|row| self.cell(row, column)).collect(),
        }
    }

    fn table(&self, name: &str) -> Result<&Table, BadExpr> {
        self.tables
            .get(name)
            .ok_or_else(|| bad(format!("there is no table `{name}`")))
    }

    fn all(&self, row: &Row, conditions: &[String]) -> Result<bool, BadExpr> {
        for condition in conditions {
            if !self.holds(row, condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&self, row: &Row, condition: &str) -> Result<bool, BadExpr> {
        if let Some((column, list)) = condition.split_once(" in ") {
            let list = if list.trim() == "active" { ACTIVE } else { list.trim() };
            let cell = self.cell(row, column.trim())?;
            return Ok(list.split('|').any(|word| word == cell));
        }
        if let Some((column, day)) = condition.split_once(" on ") {
            let Some(at) = self.instant(row, column.trim())? else {
                return Ok(false);
            };
            let date = |at: Timestamp| self.zone.to_datetime(at).date();
            let today = date(self.now);
            let wanted = match day.trim() {
                "today" => today,
                "yesterday" => today.yesterday().map_err(|e| bad(e.to_string()))?,
                day => day.parse().map_err(|_| bad(format!("no date: `{day}`")))?,
            };
            return Ok(date(at) == wanted);
        }
        if let Some(column) = condition.strip_suffix(" empty") {
            return Ok(self.cell(row, column.trim())?.is_empty());
        }
        if let Some(column) = condition.strip_suffix(" set") {
            return Ok(!self.cell(row, column.trim())?.is_empty());
        }
        if let Some((column, value)) = condition.split_once("!=") {
            return Ok(self.cell(row, column.trim())? != value.trim());
        }
        for (sign, wanted) in [('<', Ordering::Less), ('>', Ordering::Greater)] {
            if let Some((column, value)) = condition.split_once(sign) {
                let value = match value.trim().parse::<f64>() {
                    Ok(number) => Some(number),
                    Err(_) => self.number(row, value.trim())?,
                };
                let found = self.number(row, column.trim())?;
                return Ok(found.zip(value).is_some_and(|(a, b)| a.total_cmp(&b) == wanted));
            }
        }
        match condition.split_once('=') {
            Some((column, value)) => Ok(self.cell(row, column.trim())? == value.trim()),
            None => Err(bad(format!("no condition: `{condition}`"))),
        }
    }

    /// A cell, through a reference when the name has a dot; a reference to nothing is empty.
    fn cell(&self, row: &Row, column: &str) -> Result<String, BadExpr> {
        let Some((link, beyond)) = column.split_once('.') else {
            return row
                .get(column)
                .cloned()
                .ok_or_else(|| bad(format!("there is no column `{column}`")));
        };
        let (own, table, _) = LINKS
            .iter()
            .find(|(_, _, name)| *name == link)
            .ok_or_else(|| bad(format!("there is no reference `{link}`")))?;
        let table = self.table(table)?;
        let target = table
            .by_key
            .get(&self.cell(row, own)?)
            .and_then(|at| table.rows.get(*at));
        target.map_or(Ok(String::new()), |row| self.cell(row, beyond))
    }

    fn number(&self, row: &Row, column: &str) -> Result<Option<f64>, BadExpr> {
        Ok(self.cell(row, column)?.parse().ok())
    }

    fn instant(&self, row: &Row, column: &str) -> Result<Option<Timestamp>, BadExpr> {
        let ago = self.cell(row, column)?.parse::<i64>().ok();
        Ok(ago.and_then(|minutes| self.now.checked_sub(minutes.minutes()).ok()))
    }

    /// `28/11 09:20`, as people read it where the operator is.
    fn local(&self, row: &Row, column: &str) -> Result<String, BadExpr> {
        let at = self.instant(row, column)?;
        Ok(at.map_or(String::new(), |at| {
            self.zone.to_datetime(at).strftime("%d/%m %H:%M").to_string()
        }))
    }

    fn hours(&self, rows: &[&Row], columns: &str) -> Result<Vec<f64>, BadExpr> {
        let (from, to) = columns
            .split_once(' ')
            .ok_or_else(|| bad("hours run from one column to another"))?;
        let mut hours = Vec::new();
        for row in rows {
            if let Some((from, to)) = self.number(row, from)?.zip(self.number(row, to)?) {
                hours.push((from - to) / 60.0);
            }
        }
        Ok(hours)
    }

    /// The great circle from a place to the row's own.
    fn km(&self, row: &Row, from: &str) -> Result<f64, BadExpr> {
        let (lat, lon) = from.split_once(',').ok_or_else(|| bad("a place is LAT,LON"))?;
        let parse = |text: &str| text.trim().parse::<f64>().map_err(|e| bad(e.to_string()));
        let (lat, lon) = (parse(lat)?.to_radians(), parse(lon)?.to_radians());
        let own = |column| self.number(row, column).map(|n| n.unwrap_or(f64::NAN).to_radians());
        let (own_lat, own_lon) = (own("lat")?, own("lon")?);
        let half = |a: f64, b: f64| ((a - b) / 2.0).sin().powi(2);
        let chord = half(own_lat, lat) + lat.cos() * own_lat.cos() * half(own_lon, lon);
        Ok(2.0 * EARTH_KM * chord.sqrt().asin())
    }

    fn sort(&self, rows: &mut [&Row], order: &str, key: &str) -> Result<(), BadExpr> {
        let mut columns = match order.strip_prefix("near ") {
            Some(_) => vec![order.to_owned()],
            None => split(order, ','),
        };
        if columns.is_empty() {
            return Ok(());
        }
        columns.push(key.to_owned());
        let mut failed = None;
        rows.sort_by(|a, b| {
            let mut orders = columns.iter().map(|column| match self.compare(a, b, column) {
                Ok(order) => order,
                Err(e) => {
                    failed = Some(e);
                    Ordering::Equal
                }
            });
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        failed.map_or(Ok(()), Err)
    }

    fn compare(&self, a: &Row, b: &Row, column: &str) -> Result<Ordering, BadExpr> {
        if let Some(place) = column.strip_prefix("near ") {
            return Ok(self.km(a, place)?.total_cmp(&self.km(b, place)?));
        }
        let (column, down) = match column.strip_suffix(" desc") {
            Some(column) => (column.trim(), true),
            None => (column, false),
        };
        let (left, right) = (self.cell(a, column)?, self.cell(b, column)?);
        let rank = |word: &str| RANKED.iter().find_map(|list| list.iter().position(|w| *w == word));
        let order = match (left.parse::<f64>(), right.parse::<f64>()) {
            (Ok(left), Ok(right)) => left.total_cmp(&right),
            _ => rank(&left).cmp(&rank(&right)).then_with(|| left.cmp(&right)),
        };
        Ok(if down { order.reverse() } else { order })
    }
}

fn read(text: &str) -> Result<Table, BadExpr> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| bad(e.to_string()))?.clone();
    let key = header.get(0).unwrap_or_default().to_owned();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| bad(e.to_string()))?;
        let cells = header.iter().zip(record.iter());
        rows.push(
            cells
                .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
                .collect::<Row>(),
        );
    }
    let keys = rows.iter().enumerate();
    let by_key = keys
        .filter_map(|(at, row)| Some((row.get(&key)?.clone(), at)))
        .collect();
    Ok(Table { key, rows, by_key })
}

fn split(text: &str, by: char) -> Vec<String> {
    let parts = text.split(by).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a demo table has some thousand rows")]
fn len(rows: usize) -> f64 {
    rows as f64
}

fn mean(hours: &[f64]) -> Option<f64> {
    (!hours.is_empty()).then(|| hours.iter().sum::<f64>() / len(hours.len()))
}

fn median(hours: &mut [f64]) -> Option<f64> {
    hours.sort_by(f64::total_cmp);
    let middle = hours.len() / 2;
    let upper = hours.get(middle).copied()?;
    let lower = middle.checked_sub(1).and_then(|at| hours.get(at)).copied();
    Some(match lower.filter(|_| hours.len().is_multiple_of(2)) {
        Some(lower) => f64::midpoint(lower, upper),
        None => upper,
    })
}

fn one_decimal(value: Option<f64>) -> String {
    value.map_or_else(|| "N/D".to_owned(), |value| format!("{value:.1}"))
}

fn plain(value: f64) -> String {
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oracle() -> Oracle {
        Oracle::new(
            "2026-11-30T15:00:00Z".parse().unwrap(),
            TimeZone::get("America/Santiago").unwrap(),
        )
        .unwrap()
    }

    fn computed(toml: &str) -> Vec<String> {
        oracle().compute(&toml::from_str(toml).unwrap()).unwrap()
    }

    #[test]
    fn counts_and_orders_are_those_of_the_tables() {
        let text = include_str!("../world/demo/sites.csv");
        assert_eq!(
            computed("of = 'sites'\ngive = 'count'"),
            [(text.lines().count() - 1).to_string()]
        );
        assert_eq!(
            computed("of = 'tasks'\nwhere = 'task_id=T-10001'\ngive = 'site.name'"),
            ["Torre Antofagasta"]
        );
        assert_eq!(
            computed(
                "of = 'tasks'\nwhere = 'task_id in T-10001|T-10002'\norder = 'created_min_ago desc'\ngive = 'ids'"
            ),
            ["T-10002", "T-10001"]
        );
        assert_eq!(
            computed("of = 'tasks'\nwhere = 'task_id=T-10001'\ngive = 'local created_min_ago'"),
            ["28/11 00:00"]
        );
    }

    #[test]
    fn a_distance_is_that_of_the_great_circle() {
        // A quarter of a degree of latitude is 27.8 km anywhere.
        let km = computed("of = 'sites'\nwhere = 'site_id=SITE-002'\ngive = 'km -18.75707,-70.25496'");
        assert_eq!(km, ["27.8"]);
        let near = computed("of = 'sites'\norder = 'near -18.50707,-70.25496'\nfirst = 1\ngive = 'ids'");
        assert_eq!(near, ["SITE-002"]);
    }

    #[test]
    fn middles_are_means_and_medians() {
        assert_eq!(one_decimal(mean(&[])), "N/D");
        assert_eq!(one_decimal(median(&mut [3.0, 1.0, 2.0])), "2.0");
        assert_eq!(one_decimal(median(&mut [4.0, 1.0, 2.0, 3.0])), "2.5");
    }

    #[test]
    fn a_slip_in_a_case_is_said() {
        for toml in [
            "of = 'nowhere'\ngive = 'count'",
            "of = 'tasks'\nwhere = 'zona=norte'\ngive = 'count'",
            "of = 'tasks'\ngive = 'nothing'",
            "of = 'tasks'\norder = 'nothing'\ngive = 'ids'",
        ] {
            assert!(oracle().compute(&toml::from_str(toml).unwrap()).is_err(), "{toml}");
        }
    }
}
