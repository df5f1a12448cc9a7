//! One table of records as text: reads cells by column name and says where one is broken.
//!
//! Loose cells are read by the catalogue's rules (`rules.loose_cells`, `definitions.sanitise`):
//! an age in minutes may also be an ISO instant, `never` or nothing; an instant at epoch 0 or
//! `0001-01-01` is no instant; a number at INT64_MAX is no number.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use csv::StringRecord;
use jiff::{SignedDuration, Timestamp};

/// Ages above this (about 190 years) are a broken cell, not an age.
const AGE_MINUTES_MAX: f64 = 100_000_000.0;
/// INT64_MAX as a float may hold it: what some systems write for *not known*.
const SENTINEL: std::ops::RangeInclusive<f64> = 9.22e18..=9.23e18;
/// What an error quotes of a cell, characters.
const QUOTE_CHARS_MAX: usize = 40;

/// Where a table is broken, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}, column {column}: {problem}")]
pub struct LoadError {
    /// The table's file name.
    pub file: String,
    /// Its line, the header being 1.
    pub line: u64,
    /// The column's name.
    pub column: String,
    /// What is wrong there. Cells of people's data are not quoted.
    pub problem: String,
}

/// A table to read.
pub(super) struct Table<'a> {
    file: &'a str,
    text: &'a str,
    anchor: Timestamp,
}

impl<'a> Table<'a> {
    pub(super) fn new(file: &'a str, text: &'a str, anchor: Timestamp) -> Self {
        Self { file, text, anchor }
    }

    /// Every row as a record. The first column holds the id, which may stand only once,
    /// however it is written.
    pub(super) fn read<T>(
        &self,
        row: fn(&Row<'_>) -> Result<T, LoadError>,
        id: fn(&T) -> &str,
    ) -> Result<Vec<T>, LoadError> {
        let mut reader = csv::Reader::from_reader(self.text.as_bytes());
        let header = reader.headers().map_err(|e| self.structural(1, &e))?.clone();
        let key_column = header.get(0).unwrap_or_default();
        let mut first_seen: HashMap<String, u64> = HashMap::new();
        let mut records = Vec::with_capacity(self.text.len() / 64);
        let mut record = StringRecord::new();
        loop {
            let line = reader.position().line();
            if !reader.read_record(&mut record).map_err(|e| self.structural(line, &e))? {
                break;
            }
            let line = record.position().map_or(line, csv::Position::line);
            let row_here = Row {
                file: self.file,
                line,
                header: &header,
                record: &record,
                anchor: self.anchor,
                next: Cell::new(0),
            };
            let read = row(&row_here)?;
            if let Some(first) = first_seen.insert(id(&read).to_owned(), line) {
                return Err(row_here.broken(key_column, format!("the id stands already in line {first}")));
            }
            records.push(read);
        }
        Ok(records)
    }

    /// A row that is no row: too few or too many cells, an unclosed quote.
    fn structural(&self, line: u64, error: &csv::Error) -> LoadError {
        let line = error.position().map_or(line, csv::Position::line);
        let (column, problem) = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => (
                (*len.min(expected_len) + 1).to_string(),
                format!("the row has {len} cells, the header {expected_len}"),
            ),
            _ => ("1".to_owned(), "the row can not be read as CSV in UTF-8".to_owned()),
        };
        LoadError {
            file: self.file.to_owned(),
            line,
            column,
            problem,
        }
    }
}

/// One row. Cells are found fastest when they are asked for in the order of the header.
pub(super) struct Row<'a> {
    file: &'a str,
    line: u64,
    header: &'a StringRecord,
    record: &'a StringRecord,
    anchor: Timestamp,
    next: Cell<usize>,
}

impl<'a> Row<'a> {
    /// The cell, trimmed; a missing column is an error.
    pub(super) fn cell(&self, column: &str) -> Result<&'a str, LoadError> {
        let guess = self.next.get();
        let at = match self.header.get(guess) {
            Some(name) if name == column => Some(guess),
            _ => self.header.iter().position(|name| name.trim() == column),
        };
        let at = at.ok_or_else(|| self.broken(column, "the column is missing".into()))?;
        self.next.set(at + 1);
        Ok(self.record.get(at).unwrap_or_default().trim())
    }

    /// A text, possibly empty.
    pub(super) fn text(&self, column: &str) -> Result<String, LoadError> {
        self.cell(column).map(str::to_owned)
    }

    /// A text that must not be empty.
    pub(super) fn filled(&self, column: &str) -> Result<String, LoadError> {
        let cell = self.cell(column)?;
        if cell.is_empty() {
            return Err(self.broken(column, "the cell is empty".into()));
        }
        Ok(cell.to_owned())
    }

    /// A value of a type that reads itself and says what it expected.
    pub(super) fn parse<T>(&self, column: &str) -> Result<T, LoadError>
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        let cell = self.cell(column)?;
        cell.parse().map_err(|e: T::Err| self.broken(column, e.to_string()))
    }

    /// The same, None for an empty cell.
    pub(super) fn optional<T>(&self, column: &str) -> Result<Option<T>, LoadError>
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        match self.cell(column)? {
            "" => Ok(None),
            cell => cell
                .parse()
                .map(Some)
                .map_err(|e: T::Err| self.broken(column, e.to_string())),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, column: &str) -> Result<bool, LoadError> {
        match self.cell(column)? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(self.broken(column, format!("`{}` is neither true nor false", quote(other)))),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn whole<T: TryFrom<u64>>(&self, column: &str) -> Result<T, LoadError> {
        let cell = self.cell(column)?;
        let number = cell.parse::<u64>().ok().and_then(|n| T::try_from(n).ok());
        number.ok_or_else(|| self.broken(column, format!("`{}` is not a whole number in range", quote(cell))))
    }

    /// A finite number; empty and the sentinel INT64_MAX are None.
    pub(super) fn number(&self, column: &str) -> Result<Option<f64>, LoadError> {
        let cell = self.cell(column)?;
        if cell.is_empty() {
            return Ok(None);
        }
        match cell.parse::<f64>() {
            Ok(number) if SENTINEL.contains(&number.abs()) => Ok(None),
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.broken(column, format!("`{}` is not a number", quote(cell)))),
        }
    }

    /// A number that must be there.
    pub(super) fn needed_number(&self, column: &str) -> Result<f64, LoadError> {
        self.number(column)?
            .ok_or_else(|| self.broken(column, "a number is needed here".into()))
    }

    /// An age in minutes or an ISO instant; `never`, nothing, epoch 0 and year 1 are None.
    pub(super) fn instant(&self, column: &str) -> Result<Option<Timestamp>, LoadError> {
        let cell = self.cell(column)?;
        if cell.is_empty() || cell.eq_ignore_ascii_case("never") {
            return Ok(None);
        }
        if let Ok(minutes) = cell.parse::<f64>() {
            return self.aged(column, minutes);
        }
        match cell.parse::<Timestamp>() {
            Ok(at) if at <= Timestamp::UNIX_EPOCH => Ok(None),
            Ok(at) => Ok(Some(at)),
            Err(_) => Err(self.broken(
                column,
                format!(
                    "`{}` is neither an age in minutes, an ISO instant nor never",
                    quote(cell)
                ),
            )),
        }
    }

    fn aged(&self, column: &str, minutes: f64) -> Result<Option<Timestamp>, LoadError> {
        if SENTINEL.contains(&minutes.abs()) {
            return Ok(None);
        }
        if !minutes.is_finite() || minutes.abs() > AGE_MINUTES_MAX {
            return Err(self.broken(column, "the age is out of range".into()));
        }
        // In range by the line above: 1e8 minutes are 6e9 seconds.
        let age = SignedDuration::from_secs((minutes * 60.0).round() as i64);
        let at = self.anchor.checked_sub(age);
        at.map(Some)
            .map_err(|_| self.broken(column, "the age is out of range".into()))
    }

    /// An instant that must be there.
    pub(super) fn needed_instant(&self, column: &str) -> Result<Timestamp, LoadError> {
        self.instant(column)?
            .ok_or_else(|| self.broken(column, "an instant is needed here".into()))
    }

    /// An error that points at a cell of this row.
    pub(super) fn broken(&self, column: &str, problem: String) -> LoadError {
        LoadError {
            file: self.file.to_owned(),
            line: self.line,
            column: column.to_owned(),
            problem,
        }
    }
}

fn quote(cell: &str) -> String {
    cell.chars().take(QUOTE_CHARS_MAX).collect()
}
