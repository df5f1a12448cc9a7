//! The command line.

pub mod check;
