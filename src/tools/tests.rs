//! The catalogue, and what the tools answer on the demo operator.
//!
//! The figures were computed once by other means (a script over the CSV files) and stand here
//! as numbers.

mod analysis;
mod catalogue;
mod figures;
mod history;
mod indicators;
mod people;
mod sites;
mod tasks;

use serde_json::Value;

use super::{Output, ToolError};

/// The ids of a list.
fn ids(output: &Output) -> Vec<&str> {
    strings(&output.value["ids"])
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect()
}

/// Several figures of an answer.
fn figures_of<const N: usize>(value: &Value, names: [&str; N]) -> [f64; N] {
    names.map(|name| value[name].as_f64().unwrap_or(f64::NAN))
}

/// The kind of a refusal, short.
fn kind(result: Result<Output, ToolError>) -> String {
    match result {
        Ok(_) => "ok".into(),
        Err(ToolError::Arguments { field, .. }) => format!("arguments {field}"),
        Err(ToolError::NotFound { kind, given, .. }) => format!("no {kind} {given}"),
        Err(ToolError::Ambiguous { candidates, .. }) => format!("{} candidates", candidates.len()),
        Err(ToolError::Refused { reason }) => reason.key().into(),
        Err(ToolError::Disabled { replacement, .. }) => format!("use {replacement}"),
    }
}
