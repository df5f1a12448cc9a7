//! The command line: one clear line and exit 2 for whatever cannot be used.

pub mod ask;
pub mod check;
mod doors;
mod serve;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::Config;

/// Bad usage, a bad file, a missing setting.
const EXIT_USAGE: u8 = 2;
/// It started and then failed.
const EXIT_FAILED: u8 = 1;

/// A WhatsApp field relay that answers technicians from the operator's own systems.
#[derive(Debug, Parser)]
#[command(name = "relevo", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The service (the default)
    Serve,
    /// One question through the same engine, without a network
    Ask(ask::Args),
    /// Every setting and every external system: found, reachable, accepted
    Check(check::Args),
}

/// Why a command ended early: a line for the person who called it, and the exit code.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// It cannot be done as called.
    #[error("{0}")]
    Usage(String),
    /// It was begun and failed.
    #[error("{0}")]
    Failed(String),
}

impl CliError {
    /// An error of usage from any error, its causes in one line.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::Usage(format!("{:#}", error.into()))
    }

    /// A failure from any error, its causes in one line.
    pub fn failed(error: impl Into<anyhow::Error>) -> Self {
        Self::Failed(format!("{:#}", error.into()))
    }

    fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => EXIT_USAGE,
            Self::Failed(_) => EXIT_FAILED,
        }
    }
}

/// Runs the command in `args` with the environment `env`; arguments that are no UTF-8 are refused.
pub fn run(args: impl Iterator<Item = OsString>, env: impl Iterator<Item = (OsString, OsString)>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) if e.use_stderr() => {
            let text = e.render().to_string();
            let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            return fail(&format!("{line} (relevo --help says more)"), EXIT_USAGE);
        }
        Err(help) => {
            let _ = write!(std::io::stdout(), "{}", help.render());
            return ExitCode::SUCCESS;
        }
    };
    let env: BTreeMap<String, String> = env
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let result = match cli.command.unwrap_or(Command::Serve) {
        Command::Ask(args) => config(&env).and_then(|config| ask::run(&args, &config)),
        Command::Check(args) => Ok(check::run(&args, &env)),
        Command::Serve => config(&env).and_then(serve::run),
    };
    match result {
        Ok(code) => code,
        Err(e) => fail(&e.to_string(), e.code()),
    }
}

fn config(env: &BTreeMap<String, String>) -> Result<Config, CliError> {
    Config::load(env).map_err(CliError::usage)
}

/// One line on stderr.
fn fail(line: &str, code: u8) -> ExitCode {
    let line = line
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect::<Vec<_>>()
        .join("; ");
    let _ = writeln!(std::io::stderr(), "relevo: {line}");
    ExitCode::from(code)
}
