//! `relevo check`: every setting and every outside system, found, reachable, accepted, and how to
//! mend what is not. It changes nothing and sends nothing.

mod machine;
mod outside;
mod report;
mod settings;
mod webhook;

use std::collections::BTreeMap;
use std::process::ExitCode;

use report::{Finding, Report};
use webhook::Webhook;

use crate::config::Config;
use crate::net::Http;
use crate::world::World;

/// `relevo check`
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// Looks at everything and prints it; exits 0 all well, 1 something to mend, 2 it would not start.
pub fn run(args: &Args, env: &BTreeMap<String, String>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else {
        return ExitCode::from(2);
    };
    let report = runtime.block_on(look(env));
    let mut out = std::io::stdout().lock();
    let printed = match args.json {
        true => report.json(&mut out),
        false => report.text(&mut out),
    };
    // A closed pipe (`relevo check | head`) takes nothing from the verdict.
    drop(printed);
    ExitCode::from(report.exit_code())
}

async fn look(env: &BTreeMap<String, String>) -> Report {
    let config = match Config::load(env) {
        Ok(config) => config,
        Err(error) => {
            let mend = "mend this setting; `deploy/relevo.toml` documents each one";
            let findings = vec![Finding::fatal("settings", error.to_string(), mend)];
            return Report {
                findings,
                webhook: None,
            };
        }
    };
    let mut findings = settings::findings(&config, env);
    findings.push(world(&config));
    match Http::new() {
        Ok(http) => {
            let running = machine::is_running(&config, &http).await;
            findings.push(machine::port(&config, running));
            findings.push(machine::data_dir(&config, running));
            findings.push(outside::public_url(&config, &http, running).await);
            findings.extend(outside::twilio(&config, &http).await);
            findings.extend(outside::mail(&config).await);
            findings.extend(outside::systems(&config, &http).await);
        }
        Err(error) => {
            let mend = "install this machine's CA certificates (Debian: apt-get install ca-certificates)";
            findings.push(Finding::fatal("https", error.to_string(), mend));
        }
    }
    Report {
        findings,
        webhook: Webhook::of(&config),
    }
}

/// The operator's data: the embedded demo, which has to load.
fn world(config: &Config) -> Finding {
    let loaded = config
        .zone_times()
        .map_err(|error| error.to_string())
        .and_then(|times| World::demo(config.clock.now(), times).map_err(|error| error.to_string()));
    match loaded {
        Ok(world) => Finding::ok(
            "operator",
            format!(
                "{}: the embedded demo, {} sites, {} tasks",
                config.operator.name,
                world.sites().len(),
                world.tasks().len()
            ),
        ),
        Err(error) => Finding::fatal("operator", error, "the embedded data is broken: rebuild the program"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn checked(pairs: &[(&str, &str)]) -> (u8, String) {
        let dir = tempfile::tempdir().unwrap();
        let mut env: BTreeMap<String, String> = pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        env.insert("RELEVO_BIND".into(), "127.0.0.1:0".into());
        env.insert("RELEVO_DATA_DIR".into(), dir.path().join("new").display().to_string());
        let report = look(&env).await;
        let mut text = Vec::new();
        report.text(&mut text).unwrap();
        assert!(!dir.path().join("new").exists(), "a check makes nothing");
        (report.exit_code(), String::from_utf8(text).unwrap())
    }

    #[tokio::test]
    async fn with_nothing_set_all_is_well() {
        let (exit, text) = checked(&[]).await;
        assert_eq!(exit, 0, "{text}");
        assert!(text.contains("embedded demo") && text.contains("All well."), "{text}");
    }

    #[tokio::test]
    async fn a_wrong_setting_would_not_start_and_a_slip_is_named() {
        let (exit, text) = checked(&[("PUBLIC_URL", "relay.example.com")]).await;
        assert!(exit == 2 && text.contains("PUBLIC_URL"), "{text}");
        let (exit, text) = checked(&[("TWILIO_ACCOUNT_ID", "AC1")]).await;
        assert!(exit == 1 && text.contains("did you mean TWILIO_ACCOUNT_SID?"), "{text}");
    }

    #[tokio::test]
    async fn an_unreachable_mail_server_is_to_be_mended_and_its_password_not_shown() {
        let (exit, text) = checked(&[("SMTP_URL", "smtp://relevo%40example.com:f00dface@127.0.0.1:9")]).await;
        assert!(
            exit == 1 && text.contains("SMTP_URL") && !text.contains("f00dface"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn an_unreachable_twilio_is_to_be_mended_and_the_signed_url_is_shown() {
        let (exit, text) = checked(&[
            ("TWILIO_ACCOUNT_SID", "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            ("TWILIO_AUTH_TOKEN", "12345678901234567890123456789012"),
            ("TWILIO_WHATSAPP_FROM", "whatsapp:+14155238886"),
            ("TWILIO_API_BASE", "http://127.0.0.1:9"),
            ("TWILIO_MESSAGING_BASE", "http://127.0.0.1:9"),
            ("PUBLIC_URL", "https://relay.example.com"),
        ])
        .await;
        assert_eq!(exit, 1, "{text}");
        for part in [
            "could not connect",
            "https://relay.example.com/webhooks/twilio#rc=2&rp=all&rt=5000",
            "X-Twilio-Signature: ",
            "the sandbox",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("12345678901234567890123456789012"), "{text}");
    }
}
