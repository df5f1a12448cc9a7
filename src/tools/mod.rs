//! The catalogue of tools: what each takes, what it answers, and the function that does it.
//!
//! A tool is a typed row: a documented struct of arguments, a plain function, one line in its
//! module's table. The struct's doc comment is the description that people and models read;
//! its fields give the schema, with `x-entity` saying which entity of a question fills them.
//! The function is pure: the World, the caller, the clock and the arguments in, one
//! serialisable answer out. It puts what it resolved (`SITE-001`, `E-001`, defaults) back into
//! its arguments, and that is what the trace shows.
//!
//! Every numeric field of an answer carries `labels`: the words that may name it, so that a
//! figure in a text can be bound to its meaning.
//!
//! The order of `MODULES`, and of the rows in each, is the catalogue's and is what people are
//! shown.

mod access;
mod analysis;
mod contract;
pub mod desk;
mod disabled;
mod email;
mod field;
mod health;
mod kpis;
mod monitors;
mod network;
mod panel;
pub mod params;
mod people;
mod quick;
mod recipients;
mod resolve;
pub mod rows;
mod schema;
mod scope;
mod sites;
mod tasks;
mod tasks_extra;
pub mod templates;
mod whatsapp;
mod writing;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde_json::Value;

pub use contract::{Cx, Disabled, Module, Outcome, Output, Reason, Refusal, Tool, ToolError};
pub use writing::{PROTOCOL, Preview};

/// The thirteen modules of the catalogue.
pub static MODULES: &[&Module] = &[
    &tasks::MODULE,
    &tasks_extra::MODULE,
    &kpis::MODULE,
    &field::MODULE,
    &panel::MODULE,
    &sites::MODULE,
    &analysis::MODULE,
    &network::MODULE,
    &email::MODULE,
    &whatsapp::MODULE,
    &health::MODULE,
    &monitors::MODULE,
    &quick::MODULE,
];

/// The arguments and answers of the tools, as types: what a rendering or a recipe reads.
pub mod answers {
    pub use super::access::{AccessCard, AccessLine, AccessRow};
    pub use super::analysis::*;
    pub use super::email::*;
    pub use super::field::*;
    pub use super::health::*;
    pub use super::kpis::*;
    pub use super::monitors::*;
    pub use super::network::*;
    pub use super::panel::*;
    pub use super::quick::*;
    pub use super::rows::*;
    pub use super::sites::*;
    pub use super::tasks::*;
    pub use super::tasks_extra::*;
    pub use super::whatsapp::*;
}

/// A tool with what is derived from it once: its description and schemas.
pub struct Spec {
    /// The tool.
    pub tool: &'static dyn Tool,
    /// The module it stands in.
    pub module: &'static str,
    /// One or two sentences on what it answers.
    pub description: String,
    /// The schema of its arguments, in the portable form that every client accepts.
    pub schema: Value,
    /// The schema of its answer, with `labels` on every number.
    pub output_schema: Value,
}

impl Spec {
    /// The tool's name.
    pub fn name(&self) -> &'static str {
        self.tool.name()
    }

    /// Runs the tool.
    pub fn call(&self, cx: &Cx<'_>, args: Value) -> Result<Output, ToolError> {
        self.tool.call(cx, args)
    }

    /// Its parameters: name, schema, and whether it must be given.
    pub fn params(&self) -> impl Iterator<Item = (&str, &Value, bool)> {
        let required = self.schema.get("required").and_then(Value::as_array);
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(move |(name, schema)| {
            let needed = required.is_some_and(|all| all.iter().any(|r| r.as_str() == Some(name)));
            (name.as_str(), schema, needed)
        })
    }
}

static SPECS: LazyLock<Vec<Spec>> = LazyLock::new(|| {
    let tools = MODULES.iter().flat_map(|m| m.tools.iter().map(|tool| (m.name, *tool)));
    tools
        .map(|(module, tool)| {
            let (description, schema) = tool.schema();
            Spec {
                tool,
                module,
                description,
                schema,
                output_schema: tool.output_schema(),
            }
        })
        .collect()
});

/// Every active tool, in the catalogue's order.
pub fn specs() -> &'static [Spec] {
    &SPECS
}

/// The active tool of that name.
pub fn find(name: &str) -> Option<&'static Spec> {
    SPECS.iter().find(|spec| spec.name() == name)
}

/// The tool of that name that is known and not run.
pub fn disabled(name: &str) -> Option<&'static Disabled> {
    let rows = MODULES.iter().flat_map(|module| module.disabled);
    rows.into_iter().find(|row| row.name == name)
}
