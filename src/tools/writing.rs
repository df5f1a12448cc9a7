//! Tools that write: a preview that changes nothing, and what a confirmed one changes.
//!
//! A call to such a tool previews, whatever it says: only a confirmation that came the way of the
//! guard (`guardrails::write`) makes `commit` give a `Change`, and carrying it out is not a
//! tool's business either.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::change::Change;
use crate::domain::sets::System;
use crate::guardrails::write::Confirmed;

use super::contract::{Cx, Outcome, Output, Refusal, Tool, ToolError, arguments};
use super::schema;

/// The parameters by which a caller confirms; what is pending has none of them.
pub const PROTOCOL: [&str; 2] = ["dry_run", "confirmation_token"];

/// Only a preview: true unless a confirmation comes with the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct DryRun(bool);

impl Default for DryRun {
    fn default() -> Self {
        Self(true)
    }
}

/// What came with the preview and stands for a yes to exactly that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct ConfirmationToken(#[schemars(length(max = 64))] String);

/// The answer of a write tool before anybody said yes: what would be different.
pub trait Preview: Outcome {
    /// What it starts from. When this has changed since, a yes was to something else.
    fn basis(&self) -> Value;
}

/// A write tool: a preview that changes nothing, and what a confirmed one changes.
pub struct Write<A, P> {
    name: &'static str,
    system: System,
    also: &'static [System],
    preview: fn(&Cx<'_>, &mut A) -> Result<P, ToolError>,
    commit: fn(&Confirmed, &Cx<'_>, &A) -> Result<Change, ToolError>,
}

/// A row of a module's table that writes. Its arguments have `dry_run: DryRun` and
/// `confirmation_token: Option<ConfirmationToken>`, which belong to the caller's protocol and
/// never to what is pending.
pub const fn write<A, P>(
    name: &'static str,
    system: System,
    preview: fn(&Cx<'_>, &mut A) -> Result<P, ToolError>,
    commit: fn(&Confirmed, &Cx<'_>, &A) -> Result<Change, ToolError>,
) -> Write<A, P> {
    Write {
        name,
        system,
        also: &[],
        preview,
        commit,
    }
}

impl<A, P> Write<A, P> {
    /// Names the other systems its preview draws on.
    pub const fn also(self, also: &'static [System]) -> Self {
        Self { also, ..self }
    }
}

impl<A, P> Tool for Write<A, P>
where
    A: DeserializeOwned + Serialize + JsonSchema,
    P: Preview,
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
        schema::of_answer::<P>()
    }

    fn call(&self, cx: &Cx<'_>, args: Value) -> Result<Output, ToolError> {
        if cx.caller.is_guest() {
            return Err(ToolError::Refused {
                reason: Refusal::ReadOnly,
            });
        }
        let mut args: A = arguments(args)?;
        let preview = (self.preview)(cx, &mut args)?;
        let mut params = serde_json::to_value(&args).unwrap_or_default();
        if let Some(params) = params.as_object_mut() {
            // A call previews whatever it says: who confirms does so with the token.
            params.remove("confirmation_token");
            params.insert("dry_run".to_owned(), Value::Bool(true));
        }
        Ok(Output {
            value: serde_json::to_value(&preview).unwrap_or_default(),
            params,
            count: preview.count(),
            basis: Some(preview.basis()),
        })
    }

    fn writes(&self) -> bool {
        true
    }

    fn commit(&self, cx: &Cx<'_>, confirmed: &Confirmed) -> Option<Result<Change, ToolError>> {
        if cx.caller.is_guest() {
            return Some(Err(ToolError::Refused {
                reason: Refusal::ReadOnly,
            }));
        }
        let args: Result<A, ToolError> = arguments(confirmed.pending().params.clone());
        Some(args.and_then(|args| (self.commit)(confirmed, cx, &args)))
    }
}
