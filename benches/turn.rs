//! A turn in memory: the ranker, the entities, the formatter, and a whole offline turn, per message.
//!
//! `cargo bench --bench turn`. Setting: BENCH_PIN=0 without pinning. CPU time is that of this thread.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout
)]

mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relevo::config::Config;
use relevo::domain::caller::Caller;
use relevo::domain::clock::Clock;
use relevo::engine::extract::{Gazetteer, extract};
use relevo::engine::{Channel, Engine, EngineConfig, Turn};
use relevo::format::{markdown, whatsapp};
use relevo::planner::examples::taught;
use relevo::planner::ranker::Ranker;
use relevo::world::{World, WorldHandle};
use support::{figures, process};

/// What technicians ask, from the shortest to the recipe of five tools, and what nobody can place.
const QUESTIONS: [&str; 12] = [
    "estado sitio SITE-002",
    "hola",
    "mis tareas",
    "alarmas críticas activas en zona norte",
    "resumen de tareas críticas estancadas en zona norte",
    "cuantas tareas abiertas hay en la zona sur desde ayer",
    "estado de la tarea T10001 y quien es el jefe",
    "acseso torre arica",
    "tareas de Jorge Martínez",
    "sitios cerca de -18.507,-70.254",
    "kpis de la semana pasada zona metropolitana",
    "quiero una pizza con piña para la cuadrilla",
];

/// How long each part is measured.
const LASTING: Duration = Duration::from_secs(2);

fn main() {
    process::pin_self();
    figures::machine();
    let now: Timestamp = "2026-11-30T15:00:00Z".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = Config::for_testing(folder.path().to_owned()).unwrap();
    let times = config.zone_times().unwrap();

    println!("\n| part | per message | p50 us | p99 us | CPU us |\n| --- | --- | --- | --- | --- |");
    let began = Instant::now();
    let world = World::demo(now, times).unwrap();
    let loaded = began.elapsed();
    let began = Instant::now();
    let ranker = Ranker::train(&taught().unwrap());
    let trained = began.elapsed();
    let gazetteer = Gazetteer::of(&world);

    part("entities", |text| {
        drop(black_box(extract(text, &world, &gazetteer, &ranker, now)))
    });
    let found: Vec<_> = QUESTIONS
        .iter()
        .map(|text| extract(text, &world, &gazetteer, &ranker, now))
        .collect();
    let mut at = 0;
    part("ranker", |_| {
        at = (at + 1) % found.len();
        drop(black_box(ranker.rank(&found[at].words)));
    });

    let config = EngineConfig::of(&config);
    let engine = Engine::new(WorldHandle::new(world), Clock::Frozen(now), config).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answer = |text: &str| runtime.block_on(engine.answer(Turn::text(Caller::Desk, Channel::WhatsApp, text)));
    let answers: Vec<_> = QUESTIONS.iter().map(|text| answer(text).answer).collect();
    let mut at = 0;
    part("WhatsApp text", |_| {
        at = (at + 1) % answers.len();
        drop(black_box(whatsapp::first(&answers[at])));
    });
    part("Markdown", |_| {
        at = (at + 1) % answers.len();
        drop(black_box(markdown::render(&answers[at])));
    });
    let whole = part("a whole offline turn", |text| drop(black_box(answer(text))));

    println!(
        "\nat start: the World in {:.1} ms, the ranker in {:.1} ms",
        ms(loaded),
        ms(trained)
    );
    figures::verdict(
        "a whole offline turn, ms of CPU",
        whole / 1e3,
        "below 2",
        whole < 2_000.0,
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Measures one part over the questions in turn; microseconds of CPU a message.
fn part(name: &str, mut work: impl FnMut(&str)) -> f64 {
    for text in QUESTIONS {
        work(text);
    }
    let mut times = Vec::new();
    let (began, cpu) = (Instant::now(), on_cpu());
    while began.elapsed() < LASTING {
        for text in QUESTIONS {
            let asked = Instant::now();
            work(text);
            times.push(asked.elapsed());
        }
    }
    let cpu = (on_cpu() - cpu).as_secs_f64() * 1e6 / times.len() as f64;
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    let mean = began.elapsed().as_secs_f64() * 1e6 / times.len() as f64;
    println!(
        "| {name} | {mean:.1} us | {:.1} | {:.1} | {cpu:.1} |",
        at(0.5),
        at(0.99)
    );
    cpu
}

/// Time that this thread has had a core.
fn on_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_default();
    Duration::from_nanos(nanos)
}
