//! The program: parse and dispatch, nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    relevo::cli::run(std::env::args_os(), std::env::vars_os())
}
