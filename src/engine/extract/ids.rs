//! Identifiers as people type them: `sitio 2`, `site002`, `stio 2`, `la T10001`, `tarea 10001`.
//!
//! Each is taken out of the text and a mask left in its place. What has the form of an id and
//! names nothing goes to `unknown`: it is said not to exist, never guessed. A bare number is
//! nothing here.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::domain::entities::Entities;
use crate::domain::ids::{AccessId, AlarmId, AssetId, CrewId, EmployeeId, MonitorId, SiteId, TaskId};
use crate::planner::features::mask;
use crate::world::World;

use super::pattern;

/// Between a word and its number.
const GAP: &str = r"[ _.#:\-‑–]*(?:(?:n[°ºo]?|nro|numero|num|id|codigo)[ .:]*)?";

/// The word *site* in its forms and slips, one number or several.
static SITE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:sit[ei]os?|sitois?|siti?os?|stios?|siitos?|sitos?|sitips?|sites?|siye|sitr|nodos?|emplazamientos?|estaciones|estacion){GAP}([0-9][0-9o]{{0,8}}|o+[0-9]+)\b((?:(?: ?, ?| y | e )(?:del? |el |los )?(?:(?:sitios?|sites?){GAP})?[0-9]{{1,4}}\b)*)"
    ))
});
static PREFIXED_SITE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b([a-z]{2})([ \-_‑–]?)([0-9]{3,4})\b"));
static TASK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:(?:tareas?|treas?|tickets?|tikets?|tiquetes?|tkts?|tks?|ots?|ordenes|orden|casos?|folios?|tasks?|tarefas?|incidencias?|la|de){GAP}t?[ ._\-‑–]?([0-9]{{5,9}})|(?:tareas?|tickets?|tikets?|ots?|casos?){GAP}([0-9]{{4}})|t[._\-‑–]([0-9]{{1,9}})|t([0-9]{{2,9}})|t ([0-9]{{4,9}}))\b"
    ))
});
static ALARM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:(?:alarmas?|alarms?){GAP}a?[ \-]?([0-9]{{4,9}})|a[\-‑–]([0-9]{{1,9}})|a([0-9]{{5,9}}))\b"
    ))
});
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:(cu[ \-]?[a-z]{2}[ \-]?[0-9]{1,3})|(as[\-]?[0-9]{3,9})|(ac[ \-]?[0-9]{3,9})|(e\-[0-9]{1,6}|e[0-9]{3})|(m\-[0-9]{1,6}|m[0-9]{3}))\b",
    )
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern("[0-9]+"));

/// `sitios 1 2 y 3`: several, with nothing between them.
static ROW: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b((?:sitios|sites|nodos) [0-9]{1,4}) ([0-9]{1,4})\b"));

/// Numbers as words, from one.
const NUMERALS: [&str; 12] = [
    "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce",
];
/// `sitio dos`.
static SPELT: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"\b(sitio|site|sitio numero) ({})\b", NUMERALS.join("|"))));

/// Takes the ids out of a folded text.
pub fn take(folded: &str, world: &World, prefixes: &HashSet<String>, found: &mut Entities) -> String {
    let folded = SPELT.replace_all(folded, |m: &Captures<'_>| {
        let word = m.get(2).map_or("", |g| g.as_str());
        let number = NUMERALS
            .iter()
            .zip(1..)
            .find(|(name, _)| **name == word)
            .map_or(0, |(_, n)| n);
        format!("{} {number}", m.get(1).map_or("", |g| g.as_str()))
    });
    if !folded.bytes().any(|b| b.is_ascii_digit()) {
        return folded.into_owned();
    }
    let folded = ROW.replace_all(&folded, "$1, $2");
    let text = OTHER.replace_all(&folded, |m: &Captures<'_>| other(m, world, found));
    let text = ALARM.replace_all(&text, |m: &Captures<'_>| {
        match AlarmId::parse(&format!("a{}", figure(m))) {
            Ok(id) => {
                known(
                    world.alarm(&id).is_some(),
                    id,
                    &mut found.more.alarms,
                    &mut found.more.unknown,
                );
                mask_of(mask::ALARM)
            }
            Err(_) => whole(m),
        }
    });
    let text = TASK.replace_all(&text, |m: &Captures<'_>| {
        match TaskId::parse(&format!("t{}", figure(m))) {
            Ok(id) => {
                let exists = world.task(&id).is_some();
                let article = ["la", "de"].into_iter().find(|word| whole(m).starts_with(word));
                // *la 12345* and *de 56980000001* are tasks only when there is such a task.
                if !exists && article.is_some() {
                    return whole(m);
                }
                known(exists, id, &mut found.task_ids, &mut found.more.unknown);
                format!("{} {} ", article.unwrap_or_default(), mask::TASK)
            }
            Err(_) => whole(m),
        }
    });
    let text = SITE.replace_all(&text, |m: &Captures<'_>| {
        let first = m.get(1).map_or("", |g| g.as_str()).replace('o', "0");
        let rest = m.get(2).map_or("", |g| g.as_str());
        for number in std::iter::once(first.as_str()).chain(NUMBER.find_iter(rest).map(|n| n.as_str())) {
            if let Ok(id) = SiteId::parse(&format!("site{number}")) {
                known(world.site(&id).is_some(), id, &mut found.sites, &mut found.more.unknown);
            }
        }
        mask_of(mask::SITE)
    });
    let text = PREFIXED_SITE.replace_all(&text, |m: &Captures<'_>| {
        let group = |n: usize| m.get(n).map_or("", |g| g.as_str());
        let (prefix, gap, digits) = (group(1), group(2), group(3));
        let ours = prefixes.contains(prefix);
        // Another operator's prefix counts as an id only when it is written like one.
        if !ours && (matches!(gap, "" | " ") || digits.len() != 4) {
            return whole(m);
        }
        match SiteId::parse(&format!("{prefix}{digits}")) {
            Ok(id) => {
                known(world.site(&id).is_some(), id, &mut found.sites, &mut found.more.unknown);
                mask_of(mask::SITE)
            }
            Err(_) => whole(m),
        }
    });
    text.into_owned()
}

fn other(m: &Captures<'_>, world: &World, found: &mut Entities) -> String {
    let group = |n: usize| m.get(n).map(|g| g.as_str());
    let more = &mut found.more;
    let masked = if let Some(id) = group(1).and_then(|t| CrewId::parse(t).ok()) {
        known(world.crew(&id).is_some(), id, &mut more.crews, &mut more.unknown);
        mask::CREW
    } else if let Some(id) = group(2).and_then(|t| AssetId::parse(t).ok()) {
        known(world.asset(&id).is_some(), id, &mut more.assets, &mut more.unknown);
        mask::RECORD
    } else if let Some(id) = group(3).and_then(|t| AccessId::parse(t).ok()) {
        known(world.access(&id).is_some(), id, &mut more.accesses, &mut more.unknown);
        mask::RECORD
    } else if let Some(id) = group(4).and_then(|t| EmployeeId::parse(t).ok()) {
        known(
            world.employee(&id).is_some(),
            id,
            &mut more.employees,
            &mut more.unknown,
        );
        mask::PERSON
    } else if let Some(id) = group(5).and_then(|t| MonitorId::parse(t).ok()) {
        known(world.monitor(&id).is_some(), id, &mut more.monitors, &mut more.unknown);
        mask::RECORD
    } else {
        return whole(m);
    };
    mask_of(masked)
}

fn known<T: PartialEq + ToString>(exists: bool, id: T, list: &mut Vec<T>, unknown: &mut Vec<String>) {
    if exists && !list.contains(&id) {
        list.push(id);
    } else if !exists && !unknown.contains(&id.to_string()) {
        unknown.push(id.to_string());
    }
}

/// The only figure group that matched.
fn figure<'a>(m: &Captures<'a>) -> &'a str {
    m.iter().skip(1).flatten().next().map_or("", |group| group.as_str())
}

fn whole(m: &Captures<'_>) -> String {
    m.get(0).map_or(String::new(), |g| g.as_str().to_owned())
}

fn mask_of(mask: &str) -> String {
    format!(" {mask} ")
}
