//! The plan of the house, enforced: who may import whom, where vendors live, how large a file may be.
#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use std::fs;
use std::path::Path;

#[path = "architecture/lexer.rs"]
mod lexer;
#[path = "architecture/source.rs"]
mod source;

use source::Source;

/// Lines that a source may have.
const LINES_MAX: usize = 500;

/// What a module may use of ours; always itself.
enum Uses {
    /// Everything of a lower row.
    Below,
    /// These and no more; `a::b` allows that part only.
    Only(&'static [&'static str]),
}
use Uses::{Below, Only};

/// The rows of the house, from the bottom: modules of one row never use each other.
const ROWS: &[(u8, &str, Uses)] = &[
    (1, "domain", Below),
    (2, "config", Below),
    (2, "format", Below),
    (3, "telemetry", Below),
    (4, "store", Below),
    (4, "cache", Below),
    (4, "net", Below),
    (5, "world", Below),
    (6, "systems", Below),
    (6, "llm", Below),
    (6, "twilio", Below),
    (6, "auth", Below),
    (
        8,
        "guardrails",
        Only(&["domain", "config", "telemetry", "store", "world"]),
    ),
    (
        9,
        "tools",
        Only(&[
            "domain",
            "config",
            "store",
            "world",
            "net",
            "systems",
            "guardrails::write",
        ]),
    ),
    (10, "planner", Only(&["domain", "config", "format", "world", "tools"])),
    (11, "engine", Below),
    (12, "relay", Below),
    (12, "mcp", Below),
    (13, "web", Below),
    (14, "app", Below),
    (15, "certify", Below),
    (16, "cli", Below),
    (17, "main", Only(&["cli"])),
];

fn row(name: &str) -> Option<&'static (u8, &'static str, Uses)> {
    ROWS.iter().find(|(_, row, _)| *row == name)
}

/// Vendors that only some places may name.
const FENCES: &[(&str, &[&str])] = &[
    ("actix_web", &["src/web/", "src/app.rs"]),
    ("redb", &["src/store/redb"]),
    ("reqwest", &["src/net/"]),
];

/// What is wrong with a source, one sentence each.
fn faults(source: &Source) -> Vec<String> {
    let at = |line: usize| format!("{}:{line}", source.path);
    let mut faults = Vec::new();
    if source.lines > LINES_MAX {
        faults.push(format!(
            "{}: {} lines, more than {LINES_MAX}",
            source.path, source.lines
        ));
    }
    if !source.first_line.starts_with("//! ") {
        faults.push(format!("{}: the first line is no `//!` sentence", source.path));
    }
    if !source.path.starts_with("src/") {
        return faults;
    }
    faults.extend(layer_faults(source));
    for (vendor, homes) in FENCES {
        if !homes.iter().any(|home| source.path.starts_with(home)) {
            let lines = source.vendor_lines(vendor);
            faults.extend(
                lines
                    .iter()
                    .map(|line| format!("{}: {vendor} belongs to {homes:?}", at(*line))),
            );
        }
    }
    let bare = source.bare_unwraps();
    faults.extend(
        bare.iter()
            .map(|line| format!("{}: unwrap or expect without a reason", at(*line))),
    );
    let unreasoned = source.unreasoned();
    faults.extend(
        unreasoned
            .iter()
            .map(|line| format!("{}: a lint is switched off without a reason", at(*line))),
    );
    let spanish = source.spanish_lines();
    faults.extend(
        spanish
            .iter()
            .map(|line| format!("{}: what people read belongs to templates/", at(*line))),
    );
    faults
}

fn layer_faults(source: &Source) -> Vec<String> {
    let module = source.module();
    let Some(home) = module.first() else { return Vec::new() };
    let Some((rank, _, uses)) = row(home) else {
        return vec![format!("{}: {home} has no row in the plan of the house", source.path)];
    };
    let mut faults = Vec::new();
    for named in source.own_paths() {
        let Some(target) = named.path.first() else { continue };
        let part = named
            .path
            .iter()
            .take(2)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("::");
        let fine = target == home
            || match (uses, row(target)) {
                (_, None) => target != "*",
                (Below, Some((below, ..))) => below < rank,
                (Only(allowed), Some(_)) => allowed.iter().any(|a| a == target || *a == part),
            };
        if !fine {
            faults.push(format!("{}:{}: {home} may not use {part}", source.path, named.line));
        }
    }
    faults
}

fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("a readable source");
                let name = path
                    .strip_prefix(root)
                    .expect("inside the crate")
                    .to_string_lossy()
                    .into_owned();
                found.push(Source::read(&name, &text));
            }
        }
    }
    found
}

#[test]
fn the_sources_keep_to_the_plan() {
    let mut all: Vec<Source> = ["src", "tests", "benches"].into_iter().flat_map(sources).collect();
    assert!(all.len() > 30, "only {} sources were found", all.len());
    let test_modules: Vec<_> = all.iter().flat_map(Source::test_modules).collect();
    for source in &mut all {
        let module = source.module();
        source.test_only = test_modules.iter().any(|tests| module.starts_with(tests));
    }
    let faults: Vec<String> = all.iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn rows_only_look_down() {
    for (rank, name, uses) in ROWS {
        let Only(allowed) = uses else { continue };
        for target in *allowed {
            let target = target.split("::").next().unwrap_or(target);
            assert!(
                row(target).is_some_and(|(below, ..)| below < rank),
                "{name} looks up to {target}"
            );
        }
    }
}

/// What a snippet in a file is blamed for.
fn blame(path: &str, code: &str) -> Vec<String> {
    faults(&Source::read(path, &format!("//! A file.\n{code}")))
}

#[test]
fn an_upward_import_is_caught_however_it_is_written() {
    for code in [
        "use crate::relay::Inbox;",
        "use crate::{domain::ids, relay::{self, inbox as i}};",
        "pub(crate) use crate::{\n    config::Config,\n    web,\n};",
        "fn f() { let x = crate::engine::Engine::new(); }",
        "fn f(x: &crate::engine::Engine) {}",
        "use super::super::relay::ingest;",
        "mod inner { use super::super::super::relay; }",
        "use super::super::{domain, relay};",
        "macro_rules! m { () => { $crate::web::State } }",
        "use crate::*;",
        "#[cfg(test)] mod tests { use crate::app; }",
    ] {
        let blamed = blame("src/store/deep.rs", code);
        assert!(!blamed.is_empty(), "{code}");
        assert!(blamed.iter().all(|b| b.contains("store may not use")), "{blamed:?}");
    }
}

#[test]
fn a_downward_import_passes_and_comments_and_texts_are_no_code() {
    for code in [
        "use crate::{domain::ids, telemetry::Metrics};",
        "use super::mod_of_ours; use self::inner::Thing; use crate::store::lease;",
        "// use crate::relay::Inbox;\n/* crate::web /* nested */ crate::app */",
        "const S: &str = \"use crate::relay;\"; const R: &str = r#\"crate::web::\"x\"\"#;",
        "const Q: char = '\"'; fn f<'a>(x: &'a str) -> char { '\\'' } // crate::app",
        "mod tests { use super::*; use super::inner; }",
    ] {
        assert_eq!(blame("src/store/deep.rs", code), Vec::<String>::new(), "{code}");
    }
    assert_eq!(
        blame("src/tools/field.rs", "use crate::guardrails::write::Confirmed;").len(),
        0
    );
    assert_eq!(blame("src/tools/field.rs", "use crate::guardrails::scope;").len(), 1);
    assert_eq!(
        blame("src/main.rs", "fn main() { relevo::cli::run(); relevo::app::start(); }").len(),
        1
    );
    assert_eq!(blame("src/novel/mod.rs", "use crate::domain;").len(), 1);
}

#[test]
fn a_vendor_outside_its_fence_is_caught() {
    for code in [
        "use actix_web::web;",
        "use ::actix_web::HttpResponse;",
        "fn f() -> actix_web::HttpResponse { todo }",
        "use {redb::Database, std::fs};",
        "use reqwest;",
    ] {
        assert_eq!(blame("src/relay/ingest.rs", code).len(), 1, "{code}");
    }
    assert_eq!(blame("src/web/hook.rs", "use actix_web::web;").len(), 0);
    assert_eq!(blame("src/store/redb/writer.rs", "use redb::Database;").len(), 0);
    let ours = "pub mod redb; pub use self::redb::RedbStore; enum S { R(redb::RedbStore) }";
    assert_eq!(blame("src/store/mod.rs", ours).len(), 0);
    assert_eq!(
        blame("src/store/mod.rs", "mod redb; fn f(d: ::redb::Database) {}").len(),
        1
    );
}

#[test]
fn a_careless_unwrap_a_long_file_and_a_missing_first_line_are_caught() {
    assert_eq!(
        blame(
            "src/net/http.rs",
            "fn f() { a.unwrap(); b.expect(\"x\"); c.unwrap_or(1); }"
        )
        .len(),
        2
    );
    assert_eq!(
        blame("src/net/http.rs", "#[cfg(test)]\nmod tests { fn f() { a.unwrap(); } }").len(),
        0
    );
    let declares = Source::read("src/net/mod.rs", "//! A file.\n#[cfg(test)]\nmod checks;\nmod http;");
    assert_eq!(declares.test_modules(), [["net", "checks"]]);
    let excused = "#[expect(clippy::expect_used, reason = \"it is constant\")]\nfn f() { a.expect(\"x\"); }";
    assert_eq!(blame("src/net/http.rs", excused).len(), 0);
    assert_eq!(
        blame("src/net/http.rs", &format!("{excused}\nfn g() {{ a.unwrap(); }}")).len(),
        1
    );
    assert_eq!(blame("src/net/http.rs", "#[allow(dead_code)]\nfn f() {}").len(), 1);
    assert_eq!(blame("src/net/http.rs", "const S: &str = \"¿Cuál sitio?\";").len(), 1);
    assert_eq!(blame("src/net/http.rs", &"\n".repeat(LINES_MAX)).len(), 1);
    assert_eq!(faults(&Source::read("tests/x.rs", "use std::fs;")).len(), 1);
}
