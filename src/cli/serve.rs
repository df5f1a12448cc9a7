//! `relevo serve`: starts the service, says what is on and what is off and why, and ends on
//! SIGTERM or Ctrl-C.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use secrecy::ExposeSecret;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::CliError;
use super::doors::{self, Admin};
use crate::app;
use crate::config::Config;
use crate::telemetry;

/// Runs until a signal.
pub fn run(config: Config) -> Result<ExitCode, CliError> {
    let redactor = Arc::new(telemetry::Redactor::new(secrets(&config)));
    telemetry::logs::init(&config.log.level, &redactor).map_err(CliError::usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::failed)?;
    runtime.block_on(async {
        // Listened for before the port opens: a signal that comes while we start must not kill us half-way.
        let term = signal(SignalKind::terminate());
        let simulator = doors::no_simulator(&config).is_none();
        let said = on_and_off(&config);
        let running = app::start(config, &redactor)
            .await
            .map_err(|e| CliError::Usage(format!("{e:#}")))?;
        for line in said {
            tracing::info!("{line}");
        }
        if simulator {
            let _ = writeln!(std::io::stdout(), "relevo: http://{}/simulator", running.addr);
        } else {
            let _ = writeln!(std::io::stdout(), "relevo: http://{}", running.addr);
        }
        running
            .until(stop_signal(term))
            .await
            .map_err(|e| CliError::Failed(format!("{e:#}")))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Every secret the settings hold, for the redactor.
fn secrets(config: &Config) -> Vec<String> {
    let t = &config.twilio;
    let one = [
        &t.auth_token,
        &t.auth_token_secondary,
        &t.api_key_secret,
        &config.server.admin_key,
    ];
    let pairs = [&t.shared_keys, &t.account_tokens].map(crate::config::Twilio::pairs);
    one.into_iter()
        .chain(pairs.iter().flatten().map(|(_, secret)| secret))
        .chain(&config.secret)
        .chain(&config.key)
        .map(|s| s.expose_secret().to_owned())
        .chain(
            config
                .systems
                .values()
                .map(|s| s.auth.secret.expose_secret().to_owned()),
        )
        .chain(config.server.public_url_password().map(str::to_owned))
        .filter(|s| !s.is_empty())
        .collect()
}

/// What is on and what is off, and why; no secret, no person.
fn on_and_off(config: &Config) -> Vec<String> {
    let twilio = config.twilio.is_set();
    let public = !config.server.public_url.is_empty();
    let no_simulator = doors::no_simulator(config);
    vec![
        "store on: redb in the data directory".to_owned(),
        format!(
            "operator on: embedded demo data, business time {}",
            match config.clock {
                crate::domain::clock::Clock::System => "by the machine".to_owned(),
                crate::domain::clock::Clock::Frozen(at) => format!("frozen at {at} by RELEVO_NOW"),
            }
        ),
        match (twilio, public) {
            (false, _) => format!(
                "twilio off: TWILIO_ACCOUNT_SID is not set; {}",
                match doors::is_mute(config) {
                    true => "with no simulator either, no message can come in",
                    false => "replies go to the simulator",
                }
            ),
            (true, true) => format!(
                "webhook on: {}/webhooks/twilio#rc=2&rp=all&rt=5000",
                config.server.public_url_shown()
            ),
            (true, false) => "webhook off: PUBLIC_URL is not set; the poller works alone".to_owned(),
        },
        match twilio {
            true => format!("poller on: every {} s", config.relay.poll_secs),
            false => "poller off: no Twilio credentials".to_owned(),
        },
        match no_simulator {
            None => "simulator on: for this machine only".to_owned(),
            Some(why) => format!("simulator off: {why}"),
        },
        match doors::admin(config) {
            Admin::Key => "admin on: with a key",
            Admin::Machine => "admin on: for this machine only (RELEVO_ADMIN_KEY is not set)",
            Admin::Nobody => "admin off: PUBLIC_URL is set, RELEVO_ADMIN_KEY is not",
        }
        .to_owned(),
        "model off: the offline planner answers".to_owned(),
    ]
}

/// SIGTERM or Ctrl-C.
async fn stop_signal(term: std::io::Result<Signal>) {
    let Ok(mut term) = term else {
        // Without a handler for SIGTERM the process still ends by it, only not gently.
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
