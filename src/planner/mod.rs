//! The offline planner: which tool answers, and how its result is said.

pub mod rendering;
