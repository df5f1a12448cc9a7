//! What a question names: ids, names, days, positions and the words of the closed sets.
//!
//! Text goes in, `Found` comes out: the entities, and the words of the question with every
//! entity masked, which is what the ranker looks at. Order matters: links before ids, ids
//! before names (`zona norte` must not eat `Cuadrilla Norte 1`'s number), days after zones
//! since a zone has its own clock.

mod dates;
mod ids;
mod links;
mod names;
mod sets;

use jiff::Timestamp;
use regex::{Captures, Regex};
use std::sync::LazyLock;

use crate::domain::entities::{Entities, MoreEntities};
use crate::domain::text::fold;
use crate::planner::features::{mask, mask_figures, raw_words};
use crate::planner::ranker::Ranker;
use crate::world::World;

pub use links::Located;
pub use names::Gazetteer;

/// What a text was found to say.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// What it names.
    pub entities: Entities,
    /// Its words, entities masked.
    pub words: Vec<String>,
    /// Its words with the figures as they stand; entities masked.
    pub figures: Vec<String>,
    /// The text without its links.
    pub rest: String,
    /// The same, folded.
    pub folded: String,
    /// Places on the map.
    pub located: Located,
}

static NUMERIC_DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(20[0-9]{2})-([0-9]{1,2})-([0-9]{1,2})|([0-9]{1,2})[/\-.]([0-9]{1,2})(?:[/\-.](20[0-9]{2}|[0-9]{2}))?)\b",
    )
});

/// A constant pattern. Word boundaries go by ASCII, which a folded text mostly is: an emoji in
/// it must not send the search down its slow road.
#[expect(clippy::expect_used, reason = "the patterns are constants, and a test uses each")]
pub(in crate::engine) fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace(r"\b", r"(?-u:\b)")).expect("a constant pattern")
}

/// Makes ready what is made at first use, so that nobody's first question pays for it.
pub fn warm(world: &World, gazetteer: &Gazetteer, ranker: &Ranker) {
    let text = "sitio 1, RM-1161, tarea 10001, alarma 50001, cu-an-01, 1/1/2026, https://maps.google.com/?q=1.5,2.5";
    extract(text, world, gazetteer, ranker, Timestamp::UNIX_EPOCH);
}

/// Finds what a text names.
pub fn extract(text: &str, world: &World, gazetteer: &Gazetteer, ranker: &Ranker, now: Timestamp) -> Found {
    let (rest, located) = links::take(text);
    let folded = fold(&rest);
    let mut entities = Entities::default();
    let dated = NUMERIC_DATE.replace_all(&folded, |m: &Captures<'_>| day_mark(m));
    let masked = ids::take(&dated, world, &gazetteer.prefixes, &mut entities);
    let mut words = raw_words(&masked);
    metropolitan(&mut words);
    gazetteer.take(&mut words, world, |word| ranker.knows(word), &mut entities);
    let zone = match entities.zones.as_slice() {
        [zone] => Some(zone.as_str()),
        _ => entities
            .sites
            .first()
            .and_then(|id| world.site(id))
            .map(|site| site.zone.as_str()),
    };
    let dated = dates::take(&mut words, now, world.times().of(zone));
    entities.date_range = dated.range;
    entities.more.period = dated.period;
    entities.more.hours = dated.hours;
    entities.more.unread_date = dated.unread;
    entities.more.location = located.point;
    sets::read(&words, &mut entities);
    let figures = words.clone();
    mask_figures(&mut words);
    Found {
        entities,
        words,
        figures,
        rest,
        folded,
        located,
    }
}

/// How many of the sites, tasks and zones of a question its parts have named so far.
#[derive(Debug, Default)]
pub struct Told {
    sites: usize,
    tasks: usize,
    zones: usize,
}

/// Of a list the ones that a part names, where each stands for itself; else all of them.
fn named<T: Clone>(list: &[T], mask: &str, whole: &[String], part: &[String], told: &mut usize) -> Vec<T> {
    let count = |words: &[String]| words.iter().filter(|word| *word == mask).count();
    let here = count(part);
    if count(whole) != list.len() || list.len() < 2 {
        return list.to_vec();
    }
    let from = *told;
    *told += here;
    let own: Vec<T> = list.iter().skip(from).take(here).cloned().collect();
    if own.is_empty() { list.to_vec() } else { own }
}

/// A part of a question: only what these of its words name.
pub fn part(found: &Found, words: Vec<String>, figures: Vec<String>, told: &mut Told) -> Found {
    let has = |mask: &str| words.iter().any(|word| word == mask);
    let whole = &found.entities;
    let mut entities = Entities {
        more: MoreEntities {
            unknown: whole.more.unknown.clone(),
            ambiguous: whole.more.ambiguous.clone(),
            location: whole.more.location,
            ..MoreEntities::default()
        },
        ..Entities::default()
    };
    if has(mask::SITE) {
        entities.sites = named(&whole.sites, mask::SITE, &found.words, &words, &mut told.sites);
    }
    if has(mask::TASK) {
        entities.task_ids = named(&whole.task_ids, mask::TASK, &found.words, &words, &mut told.tasks);
    }
    if has(mask::ZONE) {
        entities.zones = named(&whole.zones, mask::ZONE, &found.words, &words, &mut told.zones);
    }
    if has(mask::PLACE) {
        entities.more.place.clone_from(&whole.more.place);
    }
    if has(mask::PERSON) {
        entities.managers.clone_from(&whole.managers);
        entities.more.manager_ids.clone_from(&whole.more.manager_ids);
        entities.more.employees.clone_from(&whole.more.employees);
    }
    if has(mask::CREW) {
        entities.more.crews.clone_from(&whole.more.crews);
    }
    if has(mask::ALARM) {
        entities.more.alarms.clone_from(&whole.more.alarms);
    }
    if has(mask::RECORD) {
        entities.more.assets.clone_from(&whole.more.assets);
        entities.more.accesses.clone_from(&whole.more.accesses);
        entities.more.monitors.clone_from(&whole.more.monitors);
    }
    if has(mask::DATE) {
        entities.date_range.clone_from(&whole.date_range);
        entities.more.period.clone_from(&whole.more.period);
        entities.more.unread_date = whole.more.unread_date;
    }
    if figures.iter().any(|word| word == mask::NUMBER) {
        entities.more.hours = whole.more.hours;
    }
    sets::read(&figures, &mut entities);
    Found {
        entities,
        words,
        figures,
        ..found.clone()
    }
}

/// `12/11/2026` to `xday20261112`; a pair that is no day stays.
fn day_mark(m: &Captures<'_>) -> String {
    let figure = |group: usize| m.get(group).and_then(|g| g.as_str().parse::<u32>().ok());
    let (year, month, day) = match (figure(1), figure(4)) {
        (Some(year), _) => (year, figure(2).unwrap_or(0), figure(3).unwrap_or(0)),
        (None, _) => {
            let year = figure(6).map_or(0, |y| if y < 100 { 2000 + y } else { y });
            (year, figure(5).unwrap_or(0), figure(4).unwrap_or(0))
        }
    };
    if (1..=12).contains(&month) && (1..=31).contains(&day) {
        let mark = year * 10_000 + month * 100 + day;
        return format!(" xday{mark} ");
    }
    m.get(0).map_or(String::new(), |g| g.as_str().to_owned())
}

/// `RM`, `region metropolitana` and `gran santiago` mean the zone.
fn metropolitan(words: &mut [String]) {
    for word in words.iter_mut().filter(|word| *word == "rm") {
        "metropolitana".clone_into(word);
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::domain::clock::ZoneTimes;
    use crate::planner::examples::taught;

    fn sample() -> (World, Gazetteer, Ranker, Timestamp) {
        let now = "2026-11-23T15:00:00Z".parse().unwrap();
        let world = World::demo(now, ZoneTimes::new(TimeZone::get("America/Santiago").unwrap(), vec![])).unwrap();
        let gazetteer = Gazetteer::of(&world);
        (world, gazetteer, Ranker::train(&taught().unwrap()), now)
    }

    /// Sites, tasks, zones, managers, place, unknown ids and masked words of a text, on one line.
    fn told(text: &str, (world, gazetteer, ranker, now): &(World, Gazetteer, Ranker, Timestamp)) -> String {
        let found = extract(text, world, gazetteer, ranker, *now);
        let entities = &found.entities;
        let mut parts: Vec<String> = Vec::new();
        parts.extend(entities.sites.iter().map(ToString::to_string));
        parts.extend(entities.task_ids.iter().map(ToString::to_string));
        parts.extend(entities.zones.iter().map(ToString::to_string));
        parts.extend(entities.managers.clone());
        parts.extend(entities.more.place.iter().map(|p| format!("@{p}")));
        parts.extend(entities.more.crews.iter().map(ToString::to_string));
        parts.extend(entities.more.alarms.iter().map(ToString::to_string));
        parts.extend(entities.more.employees.iter().map(ToString::to_string));
        parts.extend(entities.more.unknown.iter().map(|u| format!("?{u}")));
        parts.extend(
            entities
                .more
                .ambiguous
                .iter()
                .map(|(name, all)| format!("{name}×{}", all.len())),
        );
        format!("{} | {}", parts.join(" "), found.words.join(" "))
    }

    #[test]
    fn people_name_things_in_many_ways() {
        let sample = sample();
        for (text, wanted) in [
            ("estado sitio 2", "SITE-002 | estado xsite"),
            ("estado SITE-002", "SITE-002 | estado xsite"),
            ("site002", "SITE-002 | xsite"),
            ("stio 2", "SITE-002 | xsite"),
            ("siito 2", "SITE-002 | xsite"),
            ("Sitio N° 002", "SITE-002 | xsite"),
            ("sitios 2 y 3", "SITE-002 SITE-003 | xsite"),
            ("SITE-OO2", "SITE-002 | xsite"),
            ("la T10001", "T-10001 | la xtask"),
            ("tarea 10001", "T-10001 | xtask"),
            ("t 10001", "T-10001 | xtask"),
            ("la 10001", "T-10001 | la xtask"),
            ("la 99999", " | la xnum"),
            ("estado SITE-999", "?SITE-999 | estado xsite"),
            ("T-99999", "?T-99999 | xtask"),
            ("2", " | xnum"),
            ("dame 2 tareas", " | dame xnum tareas"),
            ("tareas zn norte", "norte | tareas xzone"),
            ("tareas del norte", "norte | tareas del xzone"),
            ("zona nrote", "norte | xzone"),
            ("tareas en santiago", "metropolitana | tareas en xzone"),
            ("sitios RM", "metropolitana | sitios xzone"),
            ("comuna de santiago", "@comuna Santiago | xplace"),
            ("tareas en antofa", "@Antofagasta | tareas en xplace"),
            ("alarmas en iqique", "@Iquique | alarmas en xplace"),
            ("estado torre arica", "SITE-002 | estado xsite"),
            ("tareas del gestor Martínez", "martinez×2 | tareas del gestor xperson"),
            ("tareas de jorge martinez", "Jorge Martínez E-001 | tareas de xperson"),
            ("cuadrilla norte 1", "CU-AN-01 | xcrew"),
            ("alarma A-50001", "A-50001 | xalarm"),
            ("región de Antofagasta", "@región Antofagasta | xplace"),
            ("estado del sitio dos", "SITE-002 | estado del xsite"),
            ("torres en arica", "@Arica | torres en xplace"),
            ("tareas cerradas ayer zona sur", "sur | tareas cerradas xdate xzone"),
            ("sitio AC-7003", " | sitio xrecord"),
        ] {
            let told = told(text, &sample);
            assert_eq!(told, wanted, "{text}");
        }
    }
}
