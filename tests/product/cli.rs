//! The program as it is started from a shell: exit codes, one clear line, JSON logs, a gentle end.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use relevo::twilio::signature::{Algorithm, sign};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::TECHNICIAN;
use crate::support::fake_twilio::{ACCOUNT, Call, FakeTwilio, Fault, SENDER, TOKEN};

/// A shell with an empty environment and a folder of its own.
struct Shell {
    dir: TempDir,
    env: BTreeMap<String, String>,
}

impl Shell {
    fn new(settings: &[(String, String)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut env: BTreeMap<String, String> = settings.iter().cloned().collect();
        env.insert("RELEVO_DATA_DIR".into(), dir.path().join("data").display().to_string());
        env.entry("RELEVO_BIND".into())
            .or_insert_with(|| format!("127.0.0.1:{}", free_port()));
        Self { dir, env }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_relevo"));
        command
            .args(arguments)
            .env_clear()
            .envs(&self.env)
            .current_dir(self.dir.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.env["RELEVO_BIND"])
    }

    /// The service, once it is ready; its output goes to the pipes.
    async fn serve(&self, arguments: &[&str]) -> Child {
        let mut child = self
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let http = client();
        let start = Instant::now();
        while !http
            .get(self.url("/readyz"))
            .send()
            .await
            .is_ok_and(|r| r.status() == 200)
        {
            assert!(
                child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(20),
                "it does not start"
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        child
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn client() -> reqwest::Client {
    relevo::net::install_crypto();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// SIGTERM; the exit code, what stood on stdout and on stderr.
fn terminate(mut child: Child) -> (Option<i32>, String, String) {
    let sent = Command::new("kill")
        .arg("-TERM")
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert!(sent.success());
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(15), "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (mut out, mut log) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    (child.wait().unwrap().code(), out, log)
}

#[test]
fn what_cannot_be_used_is_one_clear_line_and_exit_2() {
    let shell = Shell::new(&[]);
    for arguments in [&["serve", "--fast"][..], &["check", "--jason"], &["dance"]] {
        let output = shell.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    let output = Shell::new(&[]).with("RELEVO_BIND", "0.0.0.0:8080").run(&["serve"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.lines().count() == 1 && said.contains("RELEVO_ADMIN_KEY"), "{said}");
}

#[test]
fn check_with_nothing_set_finds_all_well_and_makes_nothing() {
    let shell = Shell::new(&[]);
    let output = shell.run(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("All well."));
    assert!(!shell.dir.path().join("data").exists());
    let json: Value = serde_json::from_slice(&shell.run(&["check", "--json"]).stdout).unwrap();
    assert_eq!(json["exit"], 0);
    assert!(json["findings"].as_array().unwrap().len() > 8, "{json}");
}

#[tokio::test]
async fn check_asks_twilio_and_says_how_to_mend_what_it_refuses() {
    let twilio = FakeTwilio::start().await;
    let shell = Shell::new(&twilio.settings(true));
    let finding = |json: &Value, about: &str| {
        let all = json["findings"].as_array().unwrap();
        all.iter().find(|f| f["about"] == about).cloned().unwrap_or_default()
    };
    let check = || {
        let mut command = shell.command(&["check", "--json"]);
        tokio::task::spawn_blocking(move || command.output().unwrap())
    };
    let output = check().await.unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{json:#}");
    assert_eq!(finding(&json, "twilio")["state"], "ok");

    // The header that is shown is the one that Twilio would send for that body.
    let webhook = &json["webhook"];
    let url = webhook["signed_url"].as_str().unwrap();
    assert!(url.ends_with("/webhooks/twilio") && webhook["configure"].as_str().unwrap().contains("#rc=2"));
    let body = webhook["sample"]["body"].as_str().unwrap();
    let form: Vec<(String, String)> = form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    assert_eq!(webhook["sample"]["expected"], sign(Algorithm::Sha1, TOKEN, url, &form));
    assert!(!text(&output.stdout).contains(TOKEN));

    twilio.next(Call::Account, Fault::Refuse(401, 20003));
    let output = check().await.unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{json:#}");
    let found = finding(&json, "twilio");
    assert!(found["mend"].as_str().unwrap().contains("TWILIO_AUTH_TOKEN"), "{found}");
    twilio.end();
}

#[tokio::test]
async fn check_knows_a_relay_that_runs_and_data_that_another_holds() {
    let shell = Shell::new(&[]);
    let child = shell.serve(&["serve"]).await;
    let beside = shell.run(&["check"]);
    assert_eq!(beside.status.code(), Some(0), "{}", text(&beside.stdout));
    assert!(
        text(&beside.stdout).contains("held by the running relay"),
        "{}",
        text(&beside.stdout)
    );
    let other = shell.dir.path().join("other");
    let stranger = shell
        .command(&["check"])
        .env("RELEVO_DATA_DIR", &other)
        .output()
        .unwrap();
    assert_eq!(stranger.status.code(), Some(2), "{}", text(&stranger.stdout));
    assert!(
        text(&stranger.stdout).contains("on other data"),
        "{}",
        text(&stranger.stdout)
    );
    let port = format!("127.0.0.1:{}", free_port());
    let elsewhere = shell.command(&["check"]).env("RELEVO_BIND", &port).output().unwrap();
    assert_eq!(elsewhere.status.code(), Some(2), "{}", text(&elsewhere.stdout));
    assert!(text(&elsewhere.stdout).contains("held by another process"));
    let second = shell.command(&["serve"]).env("RELEVO_BIND", &port).output().unwrap();
    assert_ne!(second.status.code(), Some(0), "two relays on one directory");
    let (code, _, _) = terminate(child);
    assert_eq!(code, Some(0));
    let after = shell.run(&["check"]);
    assert!(
        text(&after.stdout).contains("writable and sound"),
        "{}",
        text(&after.stdout)
    );
}

#[tokio::test]
async fn serve_prints_one_line_logs_json_and_ends_gently() {
    let shell = Shell::new(&[]);
    let child = shell.serve(&[]).await;
    let (code, out, log) = terminate(child);
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(out.contains(&shell.url("/simulator")), "{out}");
    assert!(
        log.trim_end().lines().last().is_some_and(|l| l.contains("stopped")),
        "{log}"
    );
    for line in log.lines() {
        let parsed: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(parsed["message"].is_string(), "{line}");
    }
}

#[tokio::test]
async fn a_door_that_a_public_url_closes_is_said_to_be_closed() {
    let shell = Shell::new(&[]).with("PUBLIC_URL", "https://relay.example.com");
    let child = shell.serve(&[]).await;
    let (_, out, log) = terminate(child);
    assert!(!out.contains("/simulator"), "{out}");
    for said in [
        "simulator off: a public URL",
        "admin off: PUBLIC_URL is set",
        "no message can come in",
    ] {
        assert!(log.contains(said), "{said} in {log}");
    }
    let checked = shell.run(&["check"]);
    assert_eq!(checked.status.code(), Some(1), "{}", text(&checked.stdout));
    assert!(text(&checked.stdout).contains("no message can come in"));
}

#[tokio::test]
async fn a_message_taken_just_before_sigterm_is_answered_after_the_next_start() {
    let twilio = FakeTwilio::start().await;
    let shell = Shell::new(&twilio.settings(false)).with("RELEVO_NOW", "2026-11-30T15:00:00Z");
    let public = shell.url("");
    let shell = shell.with("PUBLIC_URL", &public);
    let child = shell.serve(&["serve"]).await;
    let url = shell.url("/webhooks/twilio");
    let form = [
        ("MessageSid", "SMfeed0000000000000000000000000001"),
        ("AccountSid", ACCOUNT),
        ("From", TECHNICIAN),
        ("To", SENDER),
        ("Body", "estado sitio SITE-002"),
        ("NumMedia", "0"),
    ];
    let signature = sign(Algorithm::Sha1, TOKEN, &url, &form);
    let posted = client()
        .post(&url)
        .header("X-Twilio-Signature", signature)
        .form(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(posted.status(), 200);
    let (code, out, log) = tokio::task::spawn_blocking(|| terminate(child)).await.unwrap();
    assert_eq!(code, Some(0), "{log}");
    let child = shell.serve(&["serve"]).await;
    let start = Instant::now();
    while twilio.texts_to(TECHNICIAN).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(20), "no answer");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (code, _, second_log) = tokio::task::spawn_blocking(|| terminate(child)).await.unwrap();
    assert_eq!(code, Some(0), "{second_log}");
    let texts = twilio.texts_to(TECHNICIAN);
    assert!(texts.len() == 1 && texts[0].contains("SITE-002"), "{texts:?}");
    for text in [out, log, second_log] {
        for private in [TOKEN, "0000022", "estado sitio"] {
            assert!(!text.contains(private), "{private} in {text}");
        }
    }
    twilio.end();
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_can_not_be_written_ends_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let addr = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    // What a log file on a full disk is like.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_relevo"))
        .arg("serve")
        .env_clear()
        .env("RELEVO_BIND", addr.to_string())
        .env("RELEVO_DATA_DIR", dir.path())
        .env("RELEVO_CONFIG", "deploy/relevo.toml")
        .stdout(full.try_clone().unwrap())
        .stderr(full)
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    // Each refusal is a line of the log.
    let refused = || {
        let mut stream = std::net::TcpStream::connect(addr).ok()?;
        let form = "POST /webhooks/twilio HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
                    Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n\r\n";
        std::io::Write::write_all(&mut stream, form.as_bytes()).ok()?;
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).ok()?;
        answer.starts_with("HTTP/1.1 400").then_some(())
    };
    let mut answered = refused();
    while answered.is_none() && start.elapsed() < std::time::Duration::from_secs(20) {
        std::thread::sleep(std::time::Duration::from_millis(20));
        answered = refused();
    }
    let runs = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(runs && answered.is_some(), "runs: {runs}, answered: {answered:?}");
}
