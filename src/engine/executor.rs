//! Runs the calls of a turn, within its caps, and keeps the trace of them.

use std::time::Instant;

use serde_json::{Map, Value};

use crate::domain::answer::Answer;
use crate::guardrails::limits::Limits;
use crate::guardrails::{Reason, Verdict};
use crate::planner::rendering;
use crate::telemetry::Metrics;
use crate::tools::{self, Cx, Output, ToolError};

use super::memory::Call;
use super::turn::ToolCall;

/// Why a call gave nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Failed {
    /// The tool said why.
    Tool(ToolError),
    /// A cap was reached.
    Cap(Reason),
    /// There is no such tool.
    NoTool,
}

/// How a call ended, for the counter.
fn status(outcome: &Result<Output, Failed>) -> &'static str {
    match outcome {
        Ok(_) => "ok",
        Err(Failed::Tool(ToolError::Arguments { .. })) => "arguments",
        Err(Failed::Tool(ToolError::NotFound { .. })) => "not_found",
        Err(Failed::Tool(ToolError::Ambiguous { .. })) => "ambiguous",
        Err(Failed::Tool(ToolError::Refused { .. })) => "refused",
        Err(Failed::Tool(ToolError::Disabled { .. })) => "disabled",
        Err(Failed::Cap(_)) => "cap",
        Err(Failed::NoTool) => "no_tool",
    }
}

/// The executor of one turn.
pub struct Executor<'a> {
    /// What tools may know.
    pub cx: Cx<'a>,
    limits: &'a Limits,
    metrics: &'a Metrics,
    /// The calls so far.
    pub calls: Vec<ToolCall>,
    /// The step, from 1; 0 before the first call.
    pub iteration: u32,
    in_step: usize,
}

impl<'a> Executor<'a> {
    /// For one turn.
    pub fn new(cx: Cx<'a>, limits: &'a Limits, metrics: &'a Metrics) -> Self {
        Self {
            cx,
            limits,
            metrics,
            calls: Vec::new(),
            iteration: 0,
            in_step: 0,
        }
    }

    /// Begins a step.
    pub fn step(&mut self) {
        self.iteration += 1;
        self.in_step = 0;
    }

    /// Runs one call.
    pub fn run(&mut self, tool: &str, args: &Map<String, Value>) -> Result<Output, Failed> {
        if self.iteration == 0 {
            self.step();
        }
        let started = Instant::now();
        let outcome = match self.limits.call(self.in_step, self.calls.len()) {
            Verdict::Refuse(reason) => Err(Failed::Cap(reason)),
            Verdict::Allow | Verdict::Ask => match tools::find(tool) {
                Some(spec) => spec.call(&self.cx, Value::Object(args.clone())).map_err(Failed::Tool),
                None => Err(tools::disabled(tool).map_or(Failed::NoTool, |row| Failed::Tool(row.error()))),
            },
        };
        let took = started.elapsed();
        self.metrics.tool_call(tool, status(&outcome), took);
        self.in_step += 1;
        self.calls.push(ToolCall {
            tool: tool.to_owned(),
            params: match &outcome {
                Ok(output) => output.params.clone(),
                Err(_) => Value::Object(args.clone()),
            },
            ok: outcome.is_ok(),
            count: outcome.as_ref().ok().and_then(|output| output.count),
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            dry_run: tools::find(tool).filter(|spec| spec.tool.writes()).map(|_| true),
            cached: false,
            iteration: self.iteration,
        });
        outcome
    }

    /// Runs one call and renders what it gave.
    pub fn answer(&mut self, call: &Call) -> (Answer, Result<Output, Failed>) {
        let outcome = self.run(&call.tool, &call.args);
        let answer = match &outcome {
            Ok(output) => rendering::render(&call.tool, output, &self.cx),
            Err(Failed::Tool(error)) => rendering::failure(&call.tool, error, &self.cx),
            Err(Failed::Cap(reason)) => super::words::cap(*reason),
            Err(Failed::NoTool) => super::words::no_tool(),
        };
        (answer, outcome)
    }

    /// The systems that the answer draws on and that do not answer themselves.
    pub fn degraded(&self) -> Vec<String> {
        let mut degraded = Vec::new();
        let tools = self
            .calls
            .iter()
            .filter(|call| call.ok)
            .filter_map(|call| tools::find(&call.tool));
        for system in tools.flat_map(|spec| spec.tool.systems()) {
            let name = system.as_str().to_owned();
            if !self.cx.world.live(system) && !degraded.contains(&name) {
                degraded.push(name);
            }
        }
        degraded
    }
}
