//! What a tool is: its row, its context, its answer and its refusals.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::domain::caller::Caller;
use crate::domain::change::Change;
use crate::domain::ids::Zone;
use crate::domain::period::Span;
use crate::domain::sets::System;
use crate::guardrails::write::Confirmed;
use crate::world::World;

use super::desk::Desk;
use super::params::Period;
use super::schema;

/// What a read tool may know: the picture, who asks, and what now is.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    /// The operational picture.
    pub world: &'a World,
    /// Who asks.
    pub caller: &'a Caller,
    /// Business time.
    pub now: Timestamp,
    /// What probes read besides the picture; None where there is nothing but the picture.
    pub desk: Option<&'a Desk>,
}

impl<'a> Cx<'a> {
    /// The time zone of a zone, else the operator's.
    pub fn tz(&self, zone: Option<&Zone>) -> &'a TimeZone {
        self.world.times().of(zone.map(Zone::as_str))
    }

    /// The instants of a period, whole days by the time zone of the zone asked about.
    pub fn span(&self, period: Period, zone: Option<&Zone>) -> Result<Span, ToolError> {
        let span = period.span(self.now, self.tz(zone));
        span.map_err(|e| ToolError::argument("period", e.to_string()))
    }
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The answer as JSON.
    pub value: Value,
    /// The arguments as resolved.
    pub params: Value,
    /// How many records match, where the answer is a list or a count.
    pub count: Option<u64>,
    /// Of a preview: what it started from.
    pub basis: Option<Value>,
}

/// A serialisable answer; a list says how many records match.
pub trait Outcome: Serialize + JsonSchema {
    /// How many records match, which may be more than are listed.
    fn count(&self) -> Option<u64> {
        None
    }
}

/// Why a tool did not answer. Never holds anybody's data that the caller may not see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// An argument is not sound.
    #[error("{field}: {message}")]
    Arguments {
        /// The argument, or empty when no single one is to blame.
        field: String,
        /// What is wrong, with the valid names or values.
        message: String,
    },
    /// It names something that is not there.
    #[error("no {kind} {given}")]
    NotFound {
        /// `site`, `task`, `zone`, `place`, `manager`, `person`, `crew`, `record`.
        kind: &'static str,
        /// What was given, canonical where it has a canonical form.
        given: String,
        /// Ids with names that are near.
        nearest: Vec<(String, String)>,
    },
    /// It names several.
    #[error("{given} names several")]
    Ambiguous {
        /// What was given.
        given: String,
        /// Ids with names, all of them.
        candidates: Vec<(String, String)>,
    },
    /// The caller may not.
    #[error("refused: {reason}")]
    Refused {
        /// Why.
        reason: Refusal,
    },
    /// The tool is known and not run.
    #[error("disabled since {since}: {reason}; use {replacement}")]
    Disabled {
        /// Why.
        reason: Reason,
        /// Since when, an ISO date.
        since: &'static str,
        /// The tool to use instead.
        replacement: &'static str,
    },
}

/// Why a caller may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It needs a person of the directory, and the number is not registered.
    #[error("the number is not registered")]
    NotRegistered,
    /// It is about people, and the caller is a guest.
    #[error("people's data are for registered numbers")]
    PeopleData,
    /// It changes something, and the caller is a guest.
    #[error("only registered numbers may change something")]
    ReadOnly,
    /// Everything is as asked for already.
    #[error("it is so already")]
    AlreadySo,
    /// The task is closed or cancelled.
    #[error("the task is closed or cancelled")]
    TaskOver,
    /// The task is escalated as far as it goes.
    #[error("the task is escalated to the highest level")]
    HighestLevel,
    /// It would be done in a person's name, and there is none.
    #[error("it takes a person of the directory")]
    NoPerson,
    /// It would leave the directory, and the caller or the settings don't allow that.
    #[error("nobody outside the directory may be written to")]
    Outside,
    /// The person has no address of that kind.
    #[error("the person has no such address")]
    NoAddress,
    /// Nobody of those named can be reached.
    #[error("nobody of them can be reached")]
    NobodyReachable,
    /// A file can't be fetched from outside.
    #[error("without a public URL no file can be attached")]
    NoPublicUrl,
    /// What it reads or keeps is not at hand.
    #[error("the relay's store is not at hand")]
    NoStore,
}

impl Refusal {
    /// Its key among the phrases.
    pub const fn key(self) -> &'static str {
        match self {
            Self::NotRegistered => "not_registered",
            Self::PeopleData => "people_data",
            Self::ReadOnly => "read_only",
            Self::AlreadySo => "already_so",
            Self::TaskOver => "task_over",
            Self::HighestLevel => "highest_level",
            Self::NoPerson => "no_person",
            Self::Outside => "outside",
            Self::NoAddress => "no_address",
            Self::NobodyReachable => "nobody_reachable",
            Self::NoPublicUrl => "no_public_url",
            Self::NoStore => "no_store",
        }
    }
}

impl ToolError {
    /// An argument that is not sound.
    pub fn argument(field: &str, message: impl Into<String>) -> Self {
        Self::Arguments {
            field: field.to_owned(),
            message: message.into(),
        }
    }
}

/// A tool of the table: the only trait object of the catalogue.
pub trait Tool: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// The system it belongs to.
    fn system(&self) -> System;
    /// Every system its answer draws on, its own first.
    fn systems(&self) -> Vec<System>;
    /// Its description and the portable schema of its arguments. Derived at each call:
    /// `tools::specs` keeps them.
    fn schema(&self) -> (String, Value);
    /// The schema of its answer.
    fn output_schema(&self) -> Value;
    /// Reads the arguments, runs, and echoes what was resolved.
    fn call(&self, cx: &Cx<'_>, args: Value) -> Result<Output, ToolError>;
    /// Does it change something? Then `call` only previews, and `commit` says what is to change.
    fn writes(&self) -> bool {
        false
    }
    /// What a confirmed preview changes; None of a tool that changes nothing.
    fn commit(&self, _cx: &Cx<'_>, _confirmed: &Confirmed) -> Option<Result<Change, ToolError>> {
        None
    }
}

/// A read tool with typed arguments and answer.
pub struct Read<A, R> {
    name: &'static str,
    system: System,
    also: &'static [System],
    run: fn(&Cx<'_>, &mut A) -> Result<R, ToolError>,
}

/// A row of a module's table.
pub const fn read<A, R>(
    name: &'static str,
    system: System,
    run: fn(&Cx<'_>, &mut A) -> Result<R, ToolError>,
) -> Read<A, R> {
    Read {
        name,
        system,
        also: &[],
        run,
    }
}

impl<A, R> Read<A, R> {
    /// Names the other systems its answer draws on.
    pub const fn also(self, also: &'static [System]) -> Self {
        Self { also, ..self }
    }
}

impl<A, R> Tool for Read<A, R>
where
    A: DeserializeOwned + Serialize + JsonSchema,
    R: Outcome,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn system(&self) -> System {
        self.system
    }

    fn systems(&self) -> Vec<System> {
        std::iter::once(self.system).chain(self.also.iter().copied()).collect()
    }

    fn schema(&self) -> (String, Value) {
        schema::of_arguments::<A>()
    }

    fn output_schema(&self) -> Value {
        schema::of_answer::<R>()
    }

    fn call(&self, cx: &Cx<'_>, args: Value) -> Result<Output, ToolError> {
        run(cx, args, self.run)
    }
}

/// A tool that reads what the relay itself holds, besides the picture.
pub struct Probe<A, R> {
    name: &'static str,
    draws: &'static [System],
    run: fn(&Cx<'_>, &mut A) -> Result<R, ToolError>,
}

/// A row of a module's table; `draws` are the operator's systems that its answer is from, if any.
pub const fn probe<A, R>(
    name: &'static str,
    draws: &'static [System],
    run: fn(&Cx<'_>, &mut A) -> Result<R, ToolError>,
) -> Probe<A, R> {
    Probe { name, draws, run }
}

impl<A, R> Tool for Probe<A, R>
where
    A: DeserializeOwned + Serialize + JsonSchema,
    R: Outcome,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn system(&self) -> System {
        // Who is asked for, where nobody's system is: the directory.
        self.draws.first().copied().unwrap_or(System::Field)
    }

    fn systems(&self) -> Vec<System> {
        self.draws.to_vec()
    }

    fn schema(&self) -> (String, Value) {
        schema::of_arguments::<A>()
    }

    fn output_schema(&self) -> Value {
        schema::of_answer::<R>()
    }

    fn call(&self, cx: &Cx<'_>, args: Value) -> Result<Output, ToolError> {
        run(cx, args, self.run)
    }
}

/// Reads the arguments, runs, and echoes what was resolved.
fn run<A, R>(cx: &Cx<'_>, args: Value, run: fn(&Cx<'_>, &mut A) -> Result<R, ToolError>) -> Result<Output, ToolError>
where
    A: DeserializeOwned + Serialize,
    R: Outcome,
{
    let mut args: A = arguments(args)?;
    let answer = run(cx, &mut args)?;
    let count = answer.count();
    Ok(Output {
        value: serde_json::to_value(&answer).unwrap_or_default(),
        params: serde_json::to_value(&args).unwrap_or_default(),
        count,
        basis: None,
    })
}

/// Arguments as their type. Nulls count as not given. An error names the field it is about.
pub(super) fn arguments<A: DeserializeOwned>(args: Value) -> Result<A, ToolError> {
    let given = match args {
        Value::Null => Map::new(),
        Value::Object(map) => map.into_iter().filter(|(_, v)| !v.is_null()).collect(),
        _ => return Err(ToolError::argument("", "the arguments are an object")),
    };
    let read = |map: &Map<String, Value>| A::deserialize(Value::Object(map.clone()));
    let error = match read(&given) {
        Ok(args) => return Ok(args),
        Err(error) => error.to_string(),
    };
    Err(ToolError::argument(&culprit(&given, &error, read), error.clone()))
}

/// The field an error is about. Serde names it when it is missing or unknown; else it is the
/// one without which this error goes.
fn culprit<A>(
    given: &Map<String, Value>,
    error: &str,
    read: impl Fn(&Map<String, Value>) -> serde_json::Result<A>,
) -> String {
    let named = error
        .strip_prefix("missing field `")
        .or_else(|| error.strip_prefix("unknown field `"));
    if let Some((name, _)) = named.and_then(|rest| rest.split_once('`')) {
        return name.to_owned();
    }
    let without = |name: &String| {
        let mut rest = given.clone();
        rest.remove(name);
        !matches!(read(&rest), Err(other) if other.to_string() == error)
    };
    given.keys().find(|name| without(name)).cloned().unwrap_or_default()
}

/// A module of the catalogue.
pub struct Module {
    /// Its name.
    pub name: &'static str,
    /// Its active tools.
    pub tools: &'static [&'static dyn Tool],
    /// Its disabled ones.
    pub disabled: &'static [Disabled],
}

/// A tool that is known and not run: a call to it is answered with this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disabled {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub reason: Reason,
    /// Since when, an ISO date.
    pub since: &'static str,
    /// The tool to use instead.
    pub replacement: &'static str,
}

impl Disabled {
    /// What a call to it is answered with.
    pub fn error(&self) -> ToolError {
        ToolError::Disabled {
            reason: self.reason,
            since: self.since,
            replacement: self.replacement,
        }
    }
}

/// Why a tool is not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The same under its present name.
    #[error("it goes by another name now")]
    Renamed,
    /// Another tool answers it among more.
    #[error("another tool answers the same and more")]
    Merged,
    /// It promised one thing for several needs.
    #[error("it was too vague: the replacement answers one thing exactly")]
    Narrower,
    /// It destroyed what must stay on record.
    #[error("nothing is deleted: a task is cancelled with a reason, and that stays on record")]
    Unsafe,
    /// It changed many records, or reached many people, at one word.
    #[error("one at a time: each change and each message is confirmed by a person")]
    Bulk,
    /// It followed a person.
    #[error("a single person's whereabouts are not given, a crew's are")]
    Personal,
    /// It is done in the system itself.
    #[error("that is decided in its own system; here it can be seen")]
    OtherSystem,
    /// It is set where the measuring is set up.
    #[error("it is set where the monitors are set up; here it can be seen")]
    Automatic,
}

impl Reason {
    /// Its key among the phrases.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Renamed => "renamed",
            Self::Merged => "merged",
            Self::Narrower => "narrower",
            Self::Unsafe => "unsafe",
            Self::Bulk => "bulk",
            Self::Personal => "personal",
            Self::OtherSystem => "other_system",
            Self::Automatic => "automatic",
        }
    }
}
