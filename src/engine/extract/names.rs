//! Names in a text: zones, comunas and regions, sites, crews, people; one slip is forgiven.
//!
//! The gazetteer is made once per World. A name that several bear is reported with all of them,
//! never chosen; a surname that is also an ordinary word (*Torres*) counts only after a word
//! that announces a person.

use std::collections::{HashMap, HashSet};

use crate::domain::entities::Entities;
use crate::domain::ids::{CrewId, EmployeeId, SiteId, Zone};
use crate::domain::sets::Role;
use crate::domain::text::fold;
use crate::planner::features::mask;
use crate::planner::spelling::one_slip;
use crate::world::{PlaceKind, World};

/// The longest name in words (`San Vicente de Tagua Tagua`, `Torre` before it).
const NAME_WORDS_MAX: usize = 7;
/// Shorter names are read only as written.
const SLIP_LETTERS_MIN: usize = 5;

/// Everyday names of places; one counts only where the World holds its target.
const NICKNAMES: [(&str, &str); 12] = [
    ("antofa", "antofagasta"),
    ("conce", "concepcion"),
    ("valpo", "valparaiso"),
    ("vina", "vina del mar"),
    ("iqq", "iquique"),
    ("puerto montt", "puerto montt"),
    ("pto montt", "puerto montt"),
    ("pta arenas", "punta arenas"),
    ("punta arenas", "punta arenas"),
    ("tarapaca", "tarapaca"),
    ("copia", "copiapo"),
    ("conchali", "conchali"),
];

/// The regions by their numbers, as many still say them; one counts only where the World holds it.
const NUMBERED_REGIONS: [(&str, &str, &str); 15] = [
    ("primera", "i", "tarapaca"),
    ("segunda", "ii", "antofagasta"),
    ("tercera", "iii", "atacama"),
    ("cuarta", "iv", "coquimbo"),
    ("quinta", "v", "valparaiso"),
    ("sexta", "vi", "ohiggins"),
    ("septima", "vii", "maule"),
    ("octava", "viii", "biobio"),
    ("novena", "ix", "la araucania"),
    ("decima", "x", "los lagos"),
    ("undecima", "xi", "aysen"),
    ("duodecima", "xii", "magallanes"),
    ("decimocuarta", "xiv", "los rios"),
    ("decimoquinta", "xv", "arica y parinacota"),
    ("decimosexta", "xvi", "nuble"),
];

/// Words that announce a person.
const PERSON_WORDS: [&str; 24] = [
    "gestor",
    "gestora",
    "gestores",
    "tecnico",
    "tecnica",
    "supervisor",
    "supervisora",
    "jefe",
    "jefa",
    "don",
    "dona",
    "sr",
    "sra",
    "senor",
    "senora",
    "encargado",
    "encargada",
    "responsable",
    "manager",
    "quien",
    "colega",
    "analista",
    "ingeniero",
    "ingeniera",
];
/// Words after which a surname may stand, when it is no ordinary word.
const BEFORE_NAME: [&str; 22] = [
    "de",
    "del",
    "a",
    "al",
    "por",
    "tiene",
    "lleva",
    "es",
    "con",
    "para",
    "y",
    "el",
    "la",
    "of",
    "is",
    "do",
    "da",
    "cerro",
    "busca",
    "llama",
    "creo",
    "pendiente",
];

/// What a name means.
#[derive(Debug, Clone, Default)]
struct Meaning {
    zone: Option<Zone>,
    place: Option<String>,
    site: Vec<SiteId>,
    crew: Vec<CrewId>,
    /// Full or given-and-family names.
    person: Vec<EmployeeId>,
    /// A family name alone.
    surname: Vec<EmployeeId>,
    /// A given name alone.
    given: Vec<EmployeeId>,
}

/// Every name of a World.
#[derive(Debug, Default)]
pub struct Gazetteer {
    names: HashMap<String, Meaning>,
    /// The words of all names by length, for typing errors.
    words: HashMap<usize, Vec<String>>,
    known: HashSet<String>,
    /// The two letters that sites' ids begin with, in lower case.
    pub prefixes: HashSet<String>,
}

impl Gazetteer {
    /// Reads the names of a World.
    pub fn of(world: &World) -> Self {
        let mut gazetteer = Self::default();
        for zone in world.zones() {
            let name = fold(zone.as_str());
            gazetteer.add(&name, |m| m.zone = Some(zone.clone()));
        }
        let places: Vec<(String, String)> = world
            .places()
            .map(|p| (p.folded.to_owned(), world.place_text(p)))
            .collect();
        for region in world.places().filter(|p| p.kind == PlaceKind::Region) {
            for said in [
                format!("region {}", region.folded),
                format!("region de {}", region.folded),
            ] {
                gazetteer.add(&words_of(&said), |m| m.place = Some(world.place_text(region)));
            }
            let letters: String = region
                .folded
                .chars()
                .filter(|c| c.is_alphabetic() || *c == ' ')
                .collect();
            let numbered = NUMBERED_REGIONS.iter().filter(|(_, _, name)| letters == *name);
            for said in numbered.flat_map(|(ordinal, roman, _)| [ordinal, roman]) {
                gazetteer.add(&format!("{said} region"), |m| m.place = Some(world.place_text(region)));
            }
        }
        for (folded, name) in &places {
            gazetteer.add(&words_of(folded), |m| m.place = m.place.take().or(Some(name.clone())));
        }
        for (nickname, target) in NICKNAMES {
            if let Some((_, name)) = places.iter().find(|(folded, _)| folded == target) {
                gazetteer.add(nickname, |m| m.place = m.place.take().or(Some(name.clone())));
            }
        }
        for site in world.sites() {
            gazetteer.add(&words_of(&fold(&site.name)), |m| m.site.push(site.id.clone()));
            if let Some((prefix, _)) = site.id.as_str().split_once('-').filter(|(prefix, _)| prefix.len() == 2) {
                gazetteer.prefixes.insert(prefix.to_ascii_lowercase());
            }
        }
        for crew in world.crews() {
            let name = words_of(&fold(&crew.name));
            gazetteer.add(&name, |m| m.crew.push(crew.id.clone()));
        }
        for person in world.employees().iter().filter(|person| person.active) {
            let name = words_of(&fold(&person.name));
            gazetteer.add(&name, |m| m.person.push(person.id.clone()));
            let parts: Vec<&str> = name.split(' ').collect();
            if let [given, .., family] = parts.as_slice() {
                gazetteer.add(family, |m| m.surname.push(person.id.clone()));
                gazetteer.add(given, |m| m.given.push(person.id.clone()));
            }
        }
        gazetteer
    }

    fn add(&mut self, name: &str, note: impl FnOnce(&mut Meaning)) {
        note(self.names.entry(name.to_owned()).or_default());
        for word in name.split(' ').filter(|word| word.len() >= SLIP_LETTERS_MIN) {
            if self.known.insert(word.to_owned()) {
                self.words.entry(word.len()).or_default().push(word.to_owned());
            }
        }
    }

    /// The name's word that was meant by a word nobody knows.
    fn mended(&self, word: &str) -> Option<&String> {
        let lengths = word.len().saturating_sub(1)..=word.len() + 1;
        let near = |known: &&String| one_slip(word.as_bytes(), known.as_bytes());
        lengths
            .filter_map(|length| self.words.get(&length))
            .flatten()
            .find(near)
    }

    /// Takes the names out of the words. `ordinary` says whether a word is one of the trade's own.
    pub fn take(&self, words: &mut Vec<String>, world: &World, ordinary: impl Fn(&str) -> bool, found: &mut Entities) {
        for word in words.iter_mut() {
            let strange = word.len() >= SLIP_LETTERS_MIN
                && !word.starts_with('x')
                && !self.known.contains(word.as_str())
                && !ordinary(word);
            if let Some(meant) = strange.then(|| self.mended(word)).flatten() {
                *word = meant.clone();
            }
        }
        let mut at = 0;
        while at < words.len() {
            at += 1;
            let start = at - 1;
            let longest = NAME_WORDS_MAX.min(words.len() - start);
            for length in (1..=longest).rev() {
                let name = words.get(start..start + length).unwrap_or_default().join(" ");
                let Some(meaning) = self.names.get(&name) else { continue };
                let before = start
                    .checked_sub(1)
                    .and_then(|i| words.get(i))
                    .map_or("", String::as_str);
                let before_that = start
                    .checked_sub(2)
                    .and_then(|i| words.get(i))
                    .map_or("", String::as_str);
                let context = Context {
                    before,
                    before_that,
                    name: &name,
                    alone: words.len() == length,
                    ordinary: ordinary(&name),
                };
                if let Some((mask, absorbed)) = meaning.note(&context, world, found) {
                    let from = start.saturating_sub(absorbed);
                    words.splice(from..start + length, [mask.to_owned()]);
                    at = from + 1;
                    break;
                }
            }
        }
    }
}

struct Context<'a> {
    before: &'a str,
    before_that: &'a str,
    name: &'a str,
    /// The name is all that was written.
    alone: bool,
    /// The name is also an ordinary word.
    ordinary: bool,
}

impl Meaning {
    /// Notes what the name means here; returns the mask and how many words before it belong to it.
    fn note(&self, context: &Context<'_>, world: &World, found: &mut Entities) -> Option<(&'static str, usize)> {
        let announced = PERSON_WORDS.contains(&context.before) || PERSON_WORDS.contains(&context.before_that);
        let comuna = matches!(context.before, "comuna" | "ciudad" | "pueblo")
            || matches!(context.before_that, "comuna" | "ciudad");
        if !self.site.is_empty() {
            note_several(
                &self.site,
                context.name,
                &mut found.sites,
                |id| world.site(id).map(|s| s.name.clone()),
                &mut found.more.ambiguous,
            );
            return Some((mask::SITE, 0));
        }
        if !self.crew.is_empty() {
            note_several(
                &self.crew,
                context.name,
                &mut found.more.crews,
                |id| world.crew(id).map(|c| c.name.clone()),
                &mut found.more.ambiguous,
            );
            let absorbed = usize::from(context.before == "cuadrilla");
            return Some((mask::CREW, absorbed));
        }
        if announced || !self.person.is_empty() {
            let people = [&self.person, &self.surname, &self.given]
                .into_iter()
                .find(|list| !list.is_empty());
            if let Some(people) = people {
                let technician = |word: &str| matches!(word, "tecnico" | "tecnica" | "colega");
                if technician(context.before) || technician(context.before_that) {
                    let role = |id: &&EmployeeId| world.employee(id).is_some_and(|p| p.role == Role::Technician);
                    let technicians: Vec<EmployeeId> = people.iter().filter(role).cloned().collect();
                    if !technicians.is_empty() {
                        note_bearers(&technicians, context.name, world, found);
                        return Some((mask::PERSON, 0));
                    }
                }
                note_people(people, context.name, world, found);
                return Some((mask::PERSON, 0));
            }
        }
        if let Some(zone) = self.zone.as_ref().filter(|_| !comuna) {
            push(&mut found.zones, zone);
            return Some((mask::ZONE, zone_words(context)));
        }
        // *Santiago* means the metropolitan zone unless *comuna* is said (`catalog.toml`, rules.matching).
        let metropolitan = world.zones().iter().find(|z| z.as_str() == "metropolitana");
        if let Some(zone) = metropolitan.filter(|_| !comuna && context.name == "santiago") {
            push(&mut found.zones, zone);
            return Some((mask::ZONE, zone_words(context)));
        }
        if let Some(place) = &self.place {
            found.more.place = found.more.place.take().or_else(|| Some(place.clone()));
            let area = |word: &str| matches!(word, "comuna" | "ciudad" | "region");
            let absorbed = match (context.before, context.before_that) {
                (before, _) if area(before) => 1,
                ("de", before) if area(before) => 2,
                _ => 0,
            };
            return Some((mask::PLACE, absorbed));
        }
        let named_so =
            !self.surname.is_empty() && !context.ordinary && (context.alone || BEFORE_NAME.contains(&context.before));
        if named_so {
            note_people(&self.surname, context.name, world, found);
            return Some((mask::PERSON, 0));
        }
        // *las de Ximena*: a given name stands for whoever bears it.
        if !self.given.is_empty() && !context.ordinary {
            note_people(&self.given, context.name, world, found);
            return Some((mask::PERSON, 0));
        }
        None
    }
}

/// `zona norte`, `la zona norte`, `zn norte`: the word before belongs to the name.
fn zone_words(context: &Context<'_>) -> usize {
    usize::from(matches!(
        context.before,
        "zona" | "zn" | "zna" | "zone" | "region" | "macrozona" | "z"
    ))
}

fn push<T: PartialEq + Clone>(list: &mut Vec<T>, value: &T) {
    if !list.contains(value) {
        list.push(value.clone());
    }
}

/// One bearer is the one meant; several are all named.
fn note_several<T: PartialEq + Clone + ToString>(
    bearers: &[T],
    name: &str,
    list: &mut Vec<T>,
    name_of: impl Fn(&T) -> Option<String>,
    ambiguous: &mut Vec<(String, Vec<(String, String)>)>,
) {
    match bearers {
        [only] => push(list, only),
        several => {
            let named = several
                .iter()
                .map(|id| (id.to_string(), name_of(id).unwrap_or_default()));
            ambiguous.push((name.to_owned(), named.collect()));
        }
    }
}

/// A manager parameter matches managers only, so one manager among several bearers is the manager meant.
fn note_people(people: &[EmployeeId], name: &str, world: &World, found: &mut Entities) {
    let all: Vec<_> = people.iter().filter_map(|id| world.employee(id)).collect();
    let managers: Vec<_> = all.iter().filter(|p| p.role == Role::Manager).collect();
    if let [manager] = managers.as_slice() {
        push(&mut found.managers, &manager.name);
        push(&mut found.more.manager_ids, &manager.id);
    }
    let bearers = if all.len() > 1 && managers.len() > 1 {
        managers.iter().map(|p| p.id.clone()).collect()
    } else {
        people.to_vec()
    };
    note_bearers(&bearers, name, world, found);
}

/// One bearer is meant, several are all named.
fn note_bearers(people: &[EmployeeId], name: &str, world: &World, found: &mut Entities) {
    note_several(
        people,
        name,
        &mut found.more.employees,
        |id| world.employee(id).map(|p| p.name.clone()),
        &mut found.more.ambiguous,
    );
}

/// A folded name by its words, as a text is cut (`o'higgins` to `o higgins`).
fn words_of(folded: &str) -> String {
    folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
