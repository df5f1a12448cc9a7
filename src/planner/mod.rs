//! The offline planner: which tool answers, and how its result is said.
//!
//! It is deterministic. `examples` are what people say for each tool, `features` what is seen
//! of a text, `ranker` how well each tool fits; `rendering` turns what a tool gave into an answer.

pub mod examples;
pub mod features;
pub mod lexicon;
pub mod ranker;
pub mod recipes;
pub mod rendering;
pub mod slots;
pub mod spelling;
