//! A list, page by page, each row held against what was asked for.
//!
//! Real systems widen a filter they do not understand, answer a wrong key as anonymous, repeat the first page for
//! ever and leave rows out while they are being paged through. So a row that does not fit is rejected, a page on
//! which most rows do not fit is a lie and none of it is believed, and the count is held against the total.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::time::Instant;

use super::mapping::{BadRow, Mapping};
use super::{Call, Rest, RestFault, fill, instant, place};
use crate::config::systems::{Expect, List, Outside, Paging};
use crate::domain::change::{RecordKind, RecordPut};
use crate::net::{Method, Response};

/// Rows that a page must have before its share of unfitting ones means something.
const LIE_ROWS_MIN: usize = 4;
/// Reasons for rejected rows that are told apart.
const REASONS_MAX: usize = 8;
/// Seconds that a change may be older than asked for: clocks are rounded.
const SINCE_SLACK_SECS: i64 = 1;
/// Rows by which the total may differ: a list lives on while it is read.
const TOTAL_SLACK: u64 = 5;
/// The same as a share of the total.
const TOTAL_SLACK_PERCENT: u64 = 1;

/// What a reading of a list gave.
#[derive(Debug, Default)]
pub(in crate::systems) struct Fetched {
    /// The records, each id once.
    pub(in crate::systems) records: Vec<RecordPut>,
    /// Rows that came.
    pub(in crate::systems) rows: u64,
    /// How many there are, as the system says.
    pub(in crate::systems) total: Option<u64>,
    /// Was everything asked for, or only what changed?
    pub(in crate::systems) whole: bool,
    /// Rows that were rejected, by reason.
    pub(in crate::systems) rejected: BTreeMap<String, u64>,
}

/// The lists of a system, ready to read.
#[derive(Debug)]
pub(in crate::systems) struct Lists(Vec<Ready>);

#[derive(Debug)]
struct Ready {
    kind: RecordKind,
    list: List,
    mapping: Mapping,
    body: Option<Value>,
}

/// Why a row does not fit.
enum Unfit {
    /// It is not what was asked for.
    NotAsked(String),
    /// It changed before the time asked for.
    TooOld,
    /// It is no record.
    Bad(BadRow),
}

impl Lists {
    pub(in crate::systems) fn of(spec: &Outside) -> Self {
        let ready = |kind: &RecordKind| {
            let list = spec.lists.get(kind.as_str())?;
            Some(Ready {
                kind: *kind,
                mapping: Mapping::of(*kind, list),
                body: serde_json::from_str(&list.body).ok(),
                list: list.clone(),
            })
        };
        // Kinds in their own order, sites first: a task is then never shown before its site.
        Self(RecordKind::ALL.iter().filter_map(ready).collect())
    }

    pub(in crate::systems) fn kinds(&self) -> impl Iterator<Item = RecordKind> {
        self.0.iter().map(|ready| ready.kind)
    }

    /// What the system itself calls a row of that list.
    pub(super) fn key_of(&self, kind: RecordKind, row: &Value) -> Option<String> {
        self.ready(kind)?.mapping.key(row)
    }

    fn ready(&self, kind: RecordKind) -> Option<&Ready> {
        self.0.iter().find(|ready| ready.kind == kind)
    }

    /// Reads a list: what changed since then, or everything.
    pub(in crate::systems) async fn fetch(
        &self,
        rest: &Rest,
        kind: RecordKind,
        since: Option<Timestamp>,
    ) -> Result<Fetched, RestFault> {
        let Some(ready) = self.ready(kind) else {
            return Ok(Fetched::default());
        };
        let since = since.filter(|_| ready.list.since.is_some());
        let deadline = Instant::now() + Duration::from_secs(rest.spec().step_secs);
        match ready.read(rest, since, deadline).await {
            // It ignores `since`, as many do with a parameter they don't know: everything is read instead.
            Ok(None) => {
                tracing::warn!(
                    system = rest.name(),
                    list = kind.as_str(),
                    "the list ignores the time asked for: read whole"
                );
                Ok(ready.read(rest, None, deadline).await?.unwrap_or_default())
            }
            Ok(Some(fetched)) => Ok(fetched),
            Err(fault) => Err(fault),
        }
    }

    /// Reads the first page of a list: how many rows came, how many there are, why rows were rejected.
    pub(in crate::systems) async fn glance(&self, rest: &Rest, kind: RecordKind) -> Result<Fetched, RestFault> {
        let mut fetched = Fetched::default();
        let Some(ready) = self.ready(kind) else {
            return Ok(fetched);
        };
        let (url, body) = ready.question(rest, &Next::First, None);
        let (response, answer) = rest.ask(ready.asking(&url, body)).await?;
        let rows = ready.rows(&answer)?;
        fetched.total = ready.total(&response, &answer);
        ready.take(rest, rows, None, &mut fetched, &mut HashMap::new())?;
        Ok(fetched)
    }

    /// Reads one record by its own key there; None when it is gone.
    pub(in crate::systems) async fn one(
        &self,
        rest: &Rest,
        kind: RecordKind,
        key: &str,
    ) -> Result<Option<RecordPut>, RestFault> {
        let Some(ready) = self.ready(kind).filter(|ready| !ready.list.detail.is_empty()) else {
            return Ok(None);
        };
        let values = fill::Values::from([("key", key.to_owned())]);
        let Some(path) = fill::path(&ready.list.detail, &values) else {
            return Ok(None);
        };
        let url = rest.url(&path);
        let call = Call {
            method: Method::Get,
            url: &url,
            body: None,
            repeatable: true,
            yes: &[],
        };
        let answer = match rest.ask(call).await {
            Ok((_, answer)) => answer,
            Err(RestFault::Status(404 | 410)) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        let row = place::at(&answer, &ready.list.detail_item)
            .ok_or_else(|| RestFault::Unbelievable("the record is not where it should be".to_owned()))?;
        if ready.mapping.key(row).as_deref() != Some(key) {
            return Err(RestFault::Unbelievable(
                "another record came than was asked for".to_owned(),
            ));
        }
        let record = ready.mapping.record(row, rest.tz());
        record
            .map(Some)
            .map_err(|BadRow(reason)| RestFault::Unbelievable(reason))
    }
}

/// Where the next page is.
enum Next {
    First,
    Page(u64),
    Offset(u64),
    Cursor(String),
    Url(String),
}

impl Ready {
    /// None: the system ignores the time asked for.
    async fn read(
        &self,
        rest: &Rest,
        since: Option<Timestamp>,
        deadline: Instant,
    ) -> Result<Option<Fetched>, RestFault> {
        let (spec, list) = (rest.spec(), &self.list);
        let asked_since = since.and_then(|since| {
            let overlap = i64::try_from(list.since.as_ref()?.overlap_secs).ok()?;
            since.checked_sub(SignedDuration::from_secs(overlap)).ok()
        });
        let mut fetched = Fetched {
            whole: since.is_none(),
            ..Fetched::default()
        };
        let mut by_id: HashMap<String, RecordPut> = HashMap::new();
        let (mut seen, mut pages) = (HashSet::new(), HashSet::new());
        let mut next = Next::First;
        for _ in 0..spec.pages_max {
            let (url, body) = self.question(rest, &next, asked_since);
            if !pages.insert((url.clone(), body.as_ref().map(Value::to_string))) {
                return Err(RestFault::Unbelievable("its pages go round in a circle".to_owned()));
            }
            let asked = tokio::time::timeout_at(deadline, rest.ask(self.asking(&url, body))).await;
            let (response, answer) = asked.map_err(|_| RestFault::Unknown { timeout: true })??;
            let rows = self.rows(&answer)?;
            if let Some(total) = self.total(&response, &answer) {
                fetched.total = Some(total);
            }
            if !self.take(rest, rows, asked_since, &mut fetched, &mut by_id)? {
                return Ok(None);
            }
            if fetched.rows > spec.rows_max as u64 {
                return Err(RestFault::TooMuch(format!("{} rows in one list", spec.rows_max)));
            }
            let keys: Vec<Option<String>> = rows.iter().map(|row| self.mapping.key(row)).collect();
            let repeated = !rows.is_empty() && keys.iter().all(|key| key.as_ref().is_some_and(|k| seen.contains(k)));
            if repeated {
                return Err(RestFault::Unbelievable(
                    "it gives the same page again and again".to_owned(),
                ));
            }
            seen.extend(keys.into_iter().flatten());
            match self.next(rest, &next, &url, &response, &answer, rows.len(), &fetched)? {
                Some(after) => next = after,
                None => {
                    self.complete(&fetched)?;
                    fetched.records = by_id.into_values().collect();
                    return Ok(Some(fetched));
                }
            }
        }
        Err(RestFault::TooMuch(format!("{} pages in one list", spec.pages_max)))
    }

    fn asking<'a>(&self, url: &'a str, body: Option<Value>) -> Call<'a> {
        Call {
            method: Method::named(&self.list.method).unwrap_or(Method::Get),
            url,
            body,
            // A list changes nothing, also where it is asked for by POST.
            repeatable: true,
            yes: &[],
        }
    }

    fn rows<'v>(&self, answer: &'v Value) -> Result<&'v [Value], RestFault> {
        let rows = place::at(answer, &self.list.items).and_then(Value::as_array);
        let none = || RestFault::Unbelievable("there is no list where the rows should be".to_owned());
        rows.map(Vec::as_slice).ok_or_else(none)
    }

    /// URL and body of a page.
    fn question(&self, rest: &Rest, next: &Next, since: Option<Timestamp>) -> (String, Option<Value>) {
        let list = &self.list;
        if let Next::Url(url) = next {
            return (url.clone(), self.body.clone());
        }
        let mut values = fill::Values::from([("limit", list.page_rows.to_string())]);
        let mut query: Vec<String> = vec![];
        if let (Some(since), Some(asked)) = (&list.since, since) {
            let written = instant::write(asked, &since.form, rest.tz());
            if !since.param.is_empty() {
                let value = since.value.replace("{since}", &written);
                query.push(format!("{}={}", fill::encoded(&since.param), fill::encoded(&value)));
            }
            values.insert("since", written);
        }
        let (page, offset, cursor) = match next {
            Next::Page(page) => (*page, 0, None),
            Next::Offset(offset) => (list.first_page, *offset, None),
            Next::Cursor(cursor) => (list.first_page, 0, Some(cursor.clone())),
            Next::First | Next::Url(_) => (list.first_page, 0, None),
        };
        values.insert("page", page.to_string());
        values.insert("offset", offset.to_string());
        if let Some(cursor) = &cursor {
            values.insert("cursor", cursor.clone());
        }
        if !list.size_param.is_empty() {
            query.push(format!("{}={}", list.size_param, list.page_rows));
        }
        let mark = match list.paging {
            Paging::Page => Some(page.to_string()),
            Paging::Offset => Some(offset.to_string()),
            Paging::Cursor => cursor,
            Paging::None | Paging::Link => None,
        };
        if let Some(mark) = mark.filter(|_| !list.page_param.is_empty()) {
            query.push(format!("{}={}", fill::encoded(&list.page_param), fill::encoded(&mark)));
        }
        if !list.query.is_empty() {
            query.insert(0, list.query.clone());
        }
        let path = fill::path(&list.path, &values).unwrap_or_else(|| list.path.clone());
        let mut url = rest.url(&path);
        if !query.is_empty() {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(&query.join("&"));
        }
        let body = self.body.as_ref().and_then(|body| fill::body(body, &values));
        (url, body)
    }

    fn total(&self, response: &Response, answer: &Value) -> Option<u64> {
        match self.list.total.as_str() {
            "" => None,
            "header" => response.total_count,
            // Some systems write every number as a text.
            at => place::at(answer, at).and_then(place::text)?.parse().ok(),
        }
    }

    /// Takes the rows of a page; false when it ignores the time asked for.
    fn take(
        &self,
        rest: &Rest,
        rows: &[Value],
        since: Option<Timestamp>,
        fetched: &mut Fetched,
        by_id: &mut HashMap<String, RecordPut>,
    ) -> Result<bool, RestFault> {
        let (mut not_asked, mut too_old, mut bad) = (0, 0, 0);
        let mut first_reason = None;
        for row in rows {
            fetched.rows += 1;
            let reason = match self.fit(rest, row, since) {
                Ok(put) => {
                    by_id.insert(put.id.clone(), put);
                    continue;
                }
                Err(Unfit::TooOld) => {
                    too_old += 1;
                    "older than asked for".to_owned()
                }
                Err(Unfit::NotAsked(at)) => {
                    not_asked += 1;
                    format!("not what was asked for: {at}")
                }
                Err(Unfit::Bad(BadRow(reason))) => {
                    bad += 1;
                    reason
                }
            };
            first_reason.get_or_insert_with(|| reason.clone());
            if fetched.rejected.len() < REASONS_MAX || fetched.rejected.contains_key(&reason) {
                *fetched.rejected.entry(reason).or_default() += 1;
            }
        }
        let most = |count: usize| rows.len() >= LIE_ROWS_MIN && count * 2 > rows.len();
        if most(too_old) {
            return Ok(false);
        }
        if most(not_asked) || most(bad) {
            let reason = first_reason.unwrap_or_default();
            return Err(RestFault::Unbelievable(format!("most rows do not fit: {reason}")));
        }
        Ok(true)
    }

    fn fit(&self, rest: &Rest, row: &Value, since: Option<Timestamp>) -> Result<RecordPut, Unfit> {
        if let Some(expected) = self.list.expect.iter().find(|expected| !holds(row, expected)) {
            return Err(Unfit::NotAsked(expected.at.clone()));
        }
        if let (Some(asked), Some(rule)) = (since, &self.list.since) {
            let changed = place::at(row, &rule.at).and_then(|at| instant::read(at, "auto", rest.tz()).ok().flatten());
            let slack = SignedDuration::from_secs(SINCE_SLACK_SECS);
            // A row without a time of change may have changed: it is taken.
            if changed.is_some_and(|changed| changed + slack < asked) {
                return Err(Unfit::TooOld);
            }
        }
        self.mapping.record(row, rest.tz()).map_err(Unfit::Bad)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each way to page looks at another part of the answer"
    )]
    fn next(
        &self,
        rest: &Rest,
        here: &Next,
        url: &str,
        response: &Response,
        answer: &Value,
        rows: usize,
        fetched: &Fetched,
    ) -> Result<Option<Next>, RestFault> {
        let list = &self.list;
        // The system may have given fewer rows than it was asked for: only its total or an empty page ends it.
        let more = rows > 0
            && match fetched.total {
                Some(total) => fetched.rows < total,
                None => rows as u64 >= list.page_rows,
            };
        Ok(match list.paging {
            Paging::None => None,
            Paging::Page => {
                let page = if let Next::Page(page) = here {
                    *page
                } else {
                    list.first_page
                };
                more.then_some(Next::Page(page + 1))
            }
            Paging::Offset => more.then_some(Next::Offset(fetched.rows)),
            Paging::Cursor => {
                let cursor = place::at(answer, &list.next).and_then(place::text);
                cursor.filter(|cursor| !cursor.is_empty()).map(Next::Cursor)
            }
            Paging::Link => {
                let link = match list.next.as_str() {
                    "" => response.link.as_deref().and_then(next_link),
                    at => place::at(answer, at).and_then(place::text),
                };
                match link.filter(|link| !link.is_empty()) {
                    None => None,
                    Some(link) => {
                        let stays = rest.same_origin(url, &link);
                        let astray =
                            || RestFault::Unbelievable("its next page is on another host: not followed".to_owned());
                        Some(Next::Url(stays.ok_or_else(astray)?))
                    }
                }
            }
        })
    }

    /// Everything that the system says there is must have come.
    fn complete(&self, fetched: &Fetched) -> Result<(), RestFault> {
        let Some(total) = fetched.total.filter(|_| fetched.whole) else {
            return Ok(());
        };
        let slack = TOTAL_SLACK.max(total * TOTAL_SLACK_PERCENT / 100);
        match fetched.rows == 0 && total > 0 || fetched.rows + slack < total {
            true => Err(RestFault::Unbelievable(format!(
                "{} rows of {total} came",
                fetched.rows
            ))),
            false => Ok(()),
        }
    }
}

fn holds(row: &Value, expected: &Expect) -> bool {
    let Some(text) = place::at(row, &expected.at).and_then(place::text) else {
        return false;
    };
    let starts = !expected.starts.is_empty() && text.starts_with(&expected.starts);
    starts || expected.is.iter().any(|is| is.eq_ignore_ascii_case(&text))
}

/// The address of `rel="next"` in a `Link` header.
fn next_link(header: &str) -> Option<String> {
    header.split(',').find_map(|link| {
        let (address, rest) = link.trim().strip_prefix('<')?.split_once('>')?;
        let next = rest
            .split(';')
            .any(|p| ["rel=\"next\"", "rel=next"].contains(&p.trim()));
        next.then(|| address.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_in_a_link_header() {
        let header = r#"<https://a.cl/x?page=1>; rel="prev", <https://a.cl/x?page=3>; rel="next""#;
        assert_eq!(next_link(header).as_deref(), Some("https://a.cl/x?page=3"));
        assert_eq!(next_link(r#"<https://a.cl/x>; rel="last""#), None);
    }
}
