//! `[systems.NAME]`: how a system of the operator's is reached, read and written to.
//!
//! One section says everything that one REST system needs: where it is, how to sign in, which list holds
//! which kind of record, how its pages go on, what its fields and words mean, and the call for each write.
//! `deploy/systems.example.toml` is a worked example; `check` refuses what can't work by the key's name.

mod check;
mod fields;

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde::Deserialize;

pub use fields::{Field, Need, Shape, fields_of};

/// One system outside.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// Where its API begins.
    pub base_url: String,
    /// How to sign in.
    #[serde(default)]
    pub auth: Auth,
    /// A question that only a valid key answers.
    pub probe: Option<ProbeCall>,
    /// IANA zone of its times without one; empty: the operator's.
    #[serde(default)]
    pub time_zone: String,
    /// Where an answer with status 200 reports an error.
    #[serde(default = "error_at")]
    pub error_at: String,
    /// Seconds between two readings.
    #[serde(default = "sync_secs")]
    pub sync_secs: u64,
    /// Seconds between two readings of everything.
    #[serde(default = "full_secs")]
    pub full_secs: u64,
    /// Seconds of one request.
    #[serde(default = "timeout_secs")]
    pub timeout_secs: u64,
    /// Seconds of one reading, all its pages together.
    #[serde(default = "step_secs")]
    pub step_secs: u64,
    /// Requests at once.
    #[serde(default = "requests_max")]
    pub requests_max: usize,
    /// Tries of what is safe to repeat.
    #[serde(default = "tries_max")]
    pub tries_max: u32,
    /// Milliseconds before the second try, at most; doubled from try to try.
    #[serde(default = "retry_ms")]
    pub retry_ms: u64,
    /// Seconds that it is left alone after five failures.
    #[serde(default = "breaker_secs")]
    pub breaker_secs: u64,
    /// Pages of one list.
    #[serde(default = "pages_max")]
    pub pages_max: u32,
    /// Rows of one list.
    #[serde(default = "rows_max")]
    pub rows_max: usize,
    /// Bytes of one answer.
    #[serde(default = "answer_bytes_max")]
    pub answer_bytes_max: u64,
    /// What is read, by the kind of record.
    #[serde(default)]
    pub lists: BTreeMap<String, List>,
    /// What is written: `update_task`, `add_note`, `create_task`.
    #[serde(default)]
    pub writes: BTreeMap<String, Write>,
}

fn error_at() -> String {
    "/error".to_owned()
}
fn sync_secs() -> u64 {
    60
}
fn full_secs() -> u64 {
    3_600
}
fn timeout_secs() -> u64 {
    15
}
fn step_secs() -> u64 {
    300
}
fn requests_max() -> usize {
    4
}
fn tries_max() -> u32 {
    3
}
fn retry_ms() -> u64 {
    500
}
fn breaker_secs() -> u64 {
    60
}
fn pages_max() -> u32 {
    2_000
}
fn rows_max() -> usize {
    1_000_000
}
fn answer_bytes_max() -> u64 {
    32 << 20
}

/// How to sign in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthKind {
    /// Not at all.
    #[default]
    None,
    /// `Authorization: Bearer …`
    Bearer,
    /// HTTP Basic, by `user` and `secret`.
    Basic,
    /// A header of its own (`header`), `prefix` before the secret.
    Header,
}

/// How to sign in, and with what.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// The way.
    #[serde(default)]
    pub kind: AuthKind,
    /// The user of HTTP Basic.
    #[serde(default)]
    pub user: String,
    /// The header's name.
    #[serde(default)]
    pub header: String,
    /// What stands before the secret in the header.
    #[serde(default)]
    pub prefix: String,
    /// The key, the token or the password.
    #[serde(default)]
    pub secret: SecretString,
    /// The file that holds it instead.
    #[serde(default)]
    pub secret_file: String,
}

/// A question that only a valid key answers so.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeCall {
    /// The verb.
    #[serde(default = "get")]
    pub method: String,
    /// Where.
    pub path: String,
    /// JSON to send.
    #[serde(default)]
    pub body: String,
    /// What must be there in the answer; empty: nothing.
    #[serde(default)]
    pub at: String,
    /// What must stand there; empty: anything.
    #[serde(default)]
    pub is: String,
}

fn get() -> String {
    "GET".to_owned()
}

/// How a list goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paging {
    /// It is whole.
    #[default]
    None,
    /// By the number of the page.
    Page,
    /// By the number of rows before it.
    Offset,
    /// By a mark in the answer, given back.
    Cursor,
    /// By a link in the answer or in the `Link` header.
    Link,
}

/// One list.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The verb.
    #[serde(default = "get")]
    pub method: String,
    /// Where.
    pub path: String,
    /// `a=1&b=2`: what is always asked.
    #[serde(default)]
    pub query: String,
    /// JSON to send; `{limit:number}`, `{offset:number}`, `{page:number}`, `{cursor}` and `{since}` are filled in.
    #[serde(default)]
    pub body: String,
    /// Where the rows are; empty: the answer is the list.
    #[serde(default)]
    pub items: String,
    /// Where the number of all rows is; `header`: in X-Total-Count; empty: nowhere.
    #[serde(default)]
    pub total: String,
    /// How it goes on.
    #[serde(default)]
    pub paging: Paging,
    /// The parameter of the page, the offset or the cursor.
    #[serde(default)]
    pub page_param: String,
    /// The number of the first page.
    #[serde(default = "one")]
    pub first_page: u64,
    /// The parameter of the page's size; empty: none.
    #[serde(default)]
    pub size_param: String,
    /// Rows of a page.
    #[serde(default = "page_rows")]
    pub page_rows: u64,
    /// Where the cursor or the link is; empty for a link: the `Link` header.
    #[serde(default)]
    pub next: String,
    /// How to ask for what changed; without it every reading is whole.
    pub since: Option<Since>,
    /// Where one record is read, `{key}` its own id there; empty: it can't be.
    #[serde(default)]
    pub detail: String,
    /// Where the record is in that answer.
    #[serde(default)]
    pub detail_item: String,
    /// Where a row has its own id.
    #[serde(default = "key")]
    pub key: String,
    /// What each row must be, since it was asked for.
    #[serde(default)]
    pub expect: Vec<Expect>,
    /// Our fields from theirs.
    pub fields: BTreeMap<String, FieldRule>,
}

fn one() -> u64 {
    1
}
fn page_rows() -> u64 {
    100
}
fn key() -> String {
    "/id".to_owned()
}

/// How to ask for what changed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// The parameter; empty: `{since}` stands in the body or the query.
    #[serde(default)]
    pub param: String,
    /// Its value: `{since}`, or with something around it (`>={since}`).
    #[serde(default = "since_value")]
    pub value: String,
    /// How an instant is written: `iso`, `epoch_s`, `epoch_ms` or a pattern like `%Y-%m-%d %H:%M:%S` (local).
    #[serde(default = "iso")]
    pub form: String,
    /// Where a row has the time of its last change: what is older was not asked for.
    pub at: String,
    /// Seconds asked for once more, since clocks differ.
    #[serde(default = "overlap_secs")]
    pub overlap_secs: u64,
}

fn since_value() -> String {
    "{since}".to_owned()
}
fn iso() -> String {
    "iso".to_owned()
}
fn overlap_secs() -> u64 {
    120
}

/// What a row must be, since it was asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Where in the row.
    pub at: String,
    /// One of these.
    #[serde(default)]
    pub is: Vec<String>,
    /// Or begins so.
    #[serde(default)]
    pub starts: String,
}

/// One of our fields: where it comes from, or how.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum FieldRule {
    /// Where it is in the row.
    At(String),
    /// With more to it.
    Rule(Box<Rule>),
}

/// How one of our fields is made from theirs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rule {
    /// Where it is in the row.
    pub at: String,
    /// Where else to look when it is not there.
    pub or_at: String,
    /// What else belongs to it, after a space (a last name).
    pub and_at: String,
    /// Or always this.
    pub value: String,
    /// The part that counts: a regular expression, its first group or the whole.
    pub pattern: String,
    /// Put before it (`T-` before 17).
    pub prefix: String,
    /// Their words and ours, case ignored.
    pub words: BTreeMap<String, String>,
    /// Where the word is none of these.
    pub otherwise: String,
    /// A number is multiplied by it (0.000277777778: seconds to hours).
    pub factor: Option<f64>,
    /// How a time is written: `auto`, `epoch_s`, `epoch_ms` or a pattern like `%d/%m/%Y %H:%M`.
    pub time: String,
    /// What separates the elements of a list in a text.
    pub split: String,
}

impl FieldRule {
    /// The whole rule.
    pub fn rule(&self) -> Rule {
        match self {
            Self::At(at) => Rule {
                at: at.clone(),
                ..Rule::default()
            },
            Self::Rule(rule) => (**rule).clone(),
        }
    }
}

/// The call of one kind of write. `{task_id}`, `{key}`, `{status}`, `{text}`, … are filled in; a member of the body
/// whose value is unknown is left out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The verb.
    pub method: String,
    /// Where.
    pub path: String,
    /// JSON to send.
    #[serde(default)]
    pub body: String,
    /// The statuses that mean yes.
    #[serde(default = "yes")]
    pub expect: Vec<u16>,
    /// Is it the same once or twice? Then it is tried again by itself.
    #[serde(default)]
    pub repeatable: bool,
    /// Our words and theirs, by the name in braces.
    #[serde(default)]
    pub words: BTreeMap<String, BTreeMap<String, String>>,
    /// Where the answer has the new record's own id.
    #[serde(default)]
    pub key_at: String,
    /// How to see that it was done.
    pub verify: Option<Verify>,
}

fn yes() -> Vec<u16> {
    vec![200, 201, 202, 204]
}

/// How to see that a write was done: a reading that must hold what was written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    /// Where to look.
    pub path: String,
    /// Where the record or the records are.
    #[serde(default)]
    pub items: String,
    /// What one of them must hold.
    pub holds: Vec<Holds>,
}

/// What a record must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Holds {
    /// Where.
    pub at: String,
    /// What is there, filled in as in the write.
    #[serde(default)]
    pub is: String,
    /// Or is part of what is there.
    #[serde(default)]
    pub contains: String,
}

/// The writes there are.
pub const WRITES: &[&str] = &["update_task", "add_note", "create_task"];
