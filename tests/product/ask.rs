//! `relevo ask` as it is typed in a shell, on the demo operator with business time standing still.

use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::TestApp;

const NOW: &str = "2026-11-30T15:00:00Z";

/// An empty folder and nothing in the environment but the time.
struct Shell(TempDir);

impl Shell {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_relevo"))
            .arg("ask")
            .args(arguments)
            .env_clear()
            .env("RELEVO_NOW", NOW)
            .env("RELEVO_DATA_DIR", self.0.path().join("data"))
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let printed = self.text(&[&["--json"], arguments].concat());
        assert_eq!(printed.lines().count(), 1, "one object on one line");
        serde_json::from_str(&printed).unwrap()
    }

    /// The line on stderr of a call that is refused with exit 2.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(line.lines().count(), 1, "{line}");
        line
    }
}

#[test]
fn the_state_of_a_site_is_three_lines_with_source_and_time() {
    let shell = Shell::new();
    let text = shell.text(&["estado sitio SITE-002"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("SITE-002 Torre Arica"), "{text}");
    assert_eq!(lines[1..3], ["3 tareas activas", "0 alarmas críticas"]);
    assert!(lines[3].starts_with("Acceso: autorizado"), "{text}");
    assert!(lines.last().unwrap().ends_with("12:00"), "{text}");
    assert_eq!(
        text,
        shell.text(&["estado", "sitio", "SITE-002"]),
        "words need no quotes"
    );
    assert!(
        std::fs::read_dir(shell.0.path()).unwrap().next().is_none(),
        "nothing is written"
    );
}

#[test]
fn the_second_question_gives_every_figure() {
    let reply = Shell::new().json(&["resumen de tareas críticas estancadas en zona norte"]);
    let text = reply["reply"].as_str().unwrap();
    for figure in [
        "12 tareas",
        "MTTR 4.2 h",
        "45 ",
        "31 ",
        "8 ",
        "3 escaladas",
        "5 con",
        "2 sin gestor",
    ] {
        assert!(text.contains(figure), "{figure}: {text}");
    }
    let calls = reply["tool_calls"].as_array().unwrap();
    assert_eq!(
        (calls[0]["tool"].as_str(), calls[0]["count"].as_u64()),
        (Some("search_tasks"), Some(12))
    );
    assert!(
        calls
            .iter()
            .all(|call| call["ok"] == true && call["iteration"] == 1 && call["cached"] == false)
    );
}

#[test]
fn the_json_has_the_promised_shape() {
    let reply = Shell::new().json(&[
        "--as",
        "E-022",
        "tareas críticas de jorge martinez en zona norte cerradas la semana pasada",
    ]);
    let keys: Vec<&str> = reply.as_object().unwrap().keys().map(String::as_str).collect();
    let mut promised = vec![
        "reply",
        "full",
        "truncated",
        "markdown",
        "provider",
        "scope",
        "entities",
        "tool_calls",
        "iterations",
        "corrections",
        "degraded",
        "pending",
        "ms",
    ];
    promised.sort_unstable();
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, promised);
    assert_eq!(
        (&reply["provider"], &reply["scope"], &reply["pending"]),
        (&"offline".into(), &"in".into(), &Value::Null)
    );
    let entities = &reply["entities"];
    assert_eq!(entities["zones"][0], "norte");
    assert_eq!(entities["managers"][0], "Jorge Martínez");
    assert_eq!(entities["criticality"], "critical");
    assert_eq!(entities["statuses"][0], "closed");
    assert_eq!(
        entities["date_range"],
        serde_json::json!({"from": "2026-11-23", "to": "2026-11-29"})
    );
    for name in ["sites", "task_ids", "work_type"] {
        assert!(entities.get(name).is_some(), "{name}");
    }
    let call = &reply["tool_calls"][0];
    for name in ["tool", "params", "ok", "count", "ms", "cached", "iteration"] {
        assert!(call.get(name).is_some(), "{name}: {call}");
    }
    assert_eq!(call["params"]["manager"], "E-001", "parameters are shown resolved");
}

#[test]
fn a_named_thread_goes_on_from_one_call_to_the_next() {
    let shell = Shell::new();
    let ask = |text: &str| shell.json(&["--conversation", "demo", text]);
    let first = ask("tareas zona norte");
    assert_eq!(first["truncated"], true);
    assert!(first["reply"].as_str().unwrap().contains("MÁS"));
    let second = ask("más");
    assert!(second["reply"].as_str().unwrap().chars().count() <= 1500);
    assert_ne!(first["reply"], second["reply"]);
    assert_eq!(ask("la tercera")["tool_calls"][0]["params"]["task_id"], "T-10003");
    assert_eq!(ask("y el acceso?")["tool_calls"][0]["params"]["site_id"], "SITE-046");
    // Another thread knows nothing of it.
    let other = shell.json(&["--conversation", "otro", "la tercera"]);
    assert_eq!(other["tool_calls"], serde_json::json!([]));
}

#[test]
fn who_asks_decides_what_is_seen() {
    let shell = Shell::new();
    assert!(shell.text(&["--as", "+56980000022", "mis tareas"]).contains("Tienes"));
    assert!(
        shell
            .text(&["--as", "+56911111111", "mis tareas"])
            .contains("no está registrado")
    );
    assert!(
        !shell
            .text(&["--as", "+56911111111", "acceso sitio 2"])
            .contains("Paula")
    );
    assert!(shell.refused(&["--as", "E-999", "hola"]).contains("E-999"));
    assert!(shell.refused(&["--as", "nadie", "hola"]).contains("--as"));
}

#[test]
fn a_pin_and_files_go_along() {
    let shell = Shell::new();
    let near = shell.text(&["--location", "-18.5,-70.3"]);
    assert!(near.contains("SITE-002") && near.contains("km"), "{near}");
    let photo = shell.0.path().join("x.bin");
    std::fs::write(&photo, [0xFF, 0xD8, 0xFF, 0xE0, 0, 16, b'J', b'F', b'I', b'F']).unwrap();
    let text = shell.text(&["--media", photo.to_str().unwrap(), "estado sitio 2"]);
    assert!(
        text.starts_with("Recibí una foto.") && text.contains("3 tareas activas"),
        "{text}"
    );
    assert!(shell.refused(&["--location", "91,0"]).contains("--location"));
    assert!(
        shell
            .refused(&["--media", "/nonexistent.jpg", "x"])
            .contains("nonexistent")
    );
    assert!(shell.refused(&[]).contains("question"));
}

#[actix_web::test]
async fn data_held_by_a_running_service_is_one_clear_line() {
    let app = TestApp::demo().await;
    let shell = Shell::new();
    let output = Command::new(env!("CARGO_BIN_EXE_relevo"))
        .args(["ask", "--conversation", "demo", "hola"])
        .env_clear()
        .env("RELEVO_NOW", NOW)
        .env("RELEVO_DATA_DIR", &app.running().state.config.server.data_dir)
        .current_dir(shell.0.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(
        line.contains("held by a running service") && line.lines().count() == 1,
        "{line}"
    );
    app.end().await;
}

#[test]
fn a_write_is_kept_with_its_thread_and_carried_out_by_a_yes_in_it() {
    let shell = Shell::new();
    let thread = ["--conversation", "turno", "--as", "E-022"];
    let say = |text: &str| shell.json(&[&thread[..], &[text]].concat());
    let shown = say("pon en espera la 10005, falta llave");
    let pending = &shown["pending"];
    assert_eq!(pending["tool"], "update_task_status");
    assert_eq!(pending["params"]["status"], "on_hold");
    assert_eq!(pending["params"]["reason"], "falta llave");
    assert!(pending["token"].is_string() && pending["expires_at"].is_string());
    assert!(pending["preview"].as_str().unwrap().contains("T-10005"));
    assert_eq!(shown["tool_calls"][0]["dry_run"], true);
    let done = say("sí");
    assert!(
        done["reply"]
            .as_str()
            .unwrap()
            .starts_with("Hecho: la T-10005 quedó en espera."),
        "{done}"
    );
    assert_eq!(done["tool_calls"][0]["dry_run"], false);
    assert_eq!(done["tool_calls"][0]["ok"], true);
    assert!(done["pending"].is_null());
    let state = shell.text(&["--conversation", "otra", "estado de la T-10005"]);
    assert!(state.contains("en espera"), "{state}");
    // Without a thread there is nothing that could be confirmed.
    let alone = shell.text(&["sí"]);
    assert!(!alone.contains("Hecho"), "{alone}");
}
