//! Finding people, sites and places by what people type: phones, names, ids with a slip.

use crate::domain::ids::{SiteId, Zone};
use crate::domain::records::{Crew, Employee, Site};
use crate::domain::text::{fold, words_begin};

use super::{World, phone};

/// How many nearest names an answer offers.
pub const NEAREST_MAX: usize = 3;

/// A comuna or a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceKind {
    /// A municipality.
    Comuna,
    /// A region of the country.
    Region,
}

/// A place that the sites name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// Comuna or region.
    pub kind: PlaceKind,
    /// As the system writes it.
    pub name: &'a str,
    /// Folded, for comparison.
    pub folded: &'a str,
}

/// What a place's name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceMatch<'a> {
    /// A comuna, else a region.
    Place(Place<'a>),
    /// `santiago` and `RM` mean the metropolitan zone unless *comuna* is said.
    Zone(&'a Zone),
    /// Several, none of them exactly.
    Several(Vec<Place<'a>>),
    /// None.
    Unknown,
}

impl World {
    /// The active person who has this number, in any of its written forms.
    ///
    /// The exact form wins. A variant counts only when a single person has one: two people
    /// behind one number are nobody we know.
    pub fn employee_by_phone(&self, number: &str) -> Option<&Employee> {
        let digits = phone::digits(number);
        let exact = self.index.phones.get(&digits);
        let at = match exact {
            Some(at) => *at,
            None => {
                let mut found = phone::variants(&digits)
                    .into_iter()
                    .filter_map(|v| self.index.phones.get(&v));
                let first = *found.next()?;
                if found.any(|other| *other != first) {
                    return None;
                }
                first
            }
        };
        self.records.employees.get(at)
    }

    /// People whose name has words that begin so, by id; those who have left among them. An
    /// exact name stands alone.
    pub fn people_named(&self, folded: &str) -> Vec<&Employee> {
        named(folded, &self.index.people_names, &self.records.employees)
    }

    /// Sites whose name has words that begin so, by id. An exact name stands alone.
    pub fn sites_named(&self, folded: &str) -> Vec<&Site> {
        named(folded, &self.index.site_names, &self.records.sites)
    }

    /// Crews whose name has words that begin so, by id. An exact name stands alone.
    pub fn crews_named(&self, folded: &str) -> Vec<&Crew> {
        named(folded, &self.index.crew_names, &self.records.crews)
    }

    /// The comunas, then the regions, that sites stand in.
    pub fn places(&self) -> impl Iterator<Item = Place<'_>> {
        self.comunas().chain(self.regions())
    }

    fn comunas(&self) -> impl Iterator<Item = Place<'_>> {
        self.index.comunas.iter().map(|(name, folded)| Place {
            kind: PlaceKind::Comuna,
            name,
            folded,
        })
    }

    fn regions(&self) -> impl Iterator<Item = Place<'_>> {
        self.index.regions.iter().map(|(name, folded)| Place {
            kind: PlaceKind::Region,
            name,
            folded,
        })
    }

    /// A text that means this place and no other: `Iquique`, but `comuna Santiago` (the name
    /// alone is the zone) and `región Antofagasta` (the name alone is the comuna).
    pub fn place_text(&self, place: Place<'_>) -> String {
        if self.place(place.name) == PlaceMatch::Place(place) {
            return place.name.to_owned();
        }
        match place.kind {
            PlaceKind::Comuna => format!("comuna {}", place.name),
            PlaceKind::Region => format!("región {}", place.name),
        }
    }

    /// What a place's name means: comuna first, then region; whole names before beginnings.
    pub fn place(&self, text: &str) -> PlaceMatch<'_> {
        let folded = fold(text);
        let comuna_said = strip_words(&folded, &["comuna"]);
        let region_said = strip_words(&folded, &["region"]);
        if let Some(zone) = self.metropolitan(&folded) {
            return PlaceMatch::Zone(zone);
        }
        match (comuna_said, region_said) {
            (Some(name), _) => one_of(name, &[self.comunas().collect()]),
            (None, Some(name)) => one_of(name, &[self.regions().collect()]),
            (None, None) => one_of(&folded, &[self.comunas().collect(), self.regions().collect()]),
        }
    }

    /// The metropolitan zone, when one of its everyday names is said.
    fn metropolitan(&self, folded: &str) -> Option<&Zone> {
        let said = matches!(folded, "santiago" | "rm" | "gran santiago");
        self.zones()
            .iter()
            .find(|zone| said && zone.as_str() == "metropolitana")
    }

    /// The zone of that name: `norte`, `Zona Norte`, `RM`.
    pub fn zone_named(&self, text: &str) -> Option<&Zone> {
        let folded = fold(text);
        let name = strip_words(&folded, &["zona"]).unwrap_or(&folded);
        let same = self.zones().iter().find(|zone| fold(zone.as_str()) == name);
        same.or_else(|| self.metropolitan(name))
    }

    /// The sites whose id or name is nearest to what was typed, nearest first.
    pub fn nearest_site_ids(&self, text: &str) -> Vec<(&SiteId, &str)> {
        let typed = SiteId::parse(text).map_or_else(|_| text.trim().to_uppercase(), |id| id.to_string());
        let folded = fold(text);
        let names = self.index.site_names.iter().map(String::as_str);
        let is_id = folded.contains(|c: char| c.is_ascii_digit());
        let mut ranked: Vec<_> = self
            .records
            .sites
            .iter()
            .zip(names)
            .filter_map(|(site, name)| {
                let by_id = is_id.then(|| slips(site.id.as_str(), &typed));
                let by_name = likeness(name, &folded).map(|distance| (distance, 0));
                let nearest = by_id.into_iter().chain(by_name).min()?;
                Some((nearest, &site.id, site.name.as_str()))
            })
            .collect();
        ranked.sort();
        ranked
            .into_iter()
            .take(NEAREST_MAX)
            .map(|(_, id, name)| (id, name))
            .collect()
    }
}

/// How far a folded name, or one of its words, is from what was typed; None when it is more
/// different than alike.
pub(crate) fn likeness(name: &str, typed: &str) -> Option<usize> {
    let whole = strsim::osa_distance(name, typed);
    let words = name.split(' ').map(|word| strsim::osa_distance(word, typed));
    let nearest = words.chain([whole]).min()?;
    (nearest * 2 <= typed.chars().count()).then_some(nearest)
}

/// Edit distance, then how far apart the numbers are.
pub(crate) fn slips(known: &str, typed: &str) -> (usize, u64) {
    let number = |id: &str| phone::digits(id).parse::<u64>().unwrap_or(0);
    (
        strsim::osa_distance(known, typed),
        number(known).abs_diff(number(typed)),
    )
}

fn named<'a, T>(folded: &str, names: &[String], records: &'a [T]) -> Vec<&'a T> {
    let all = || names.iter().zip(records);
    let exact: Vec<_> = all()
        .filter(|(name, _)| *name == folded)
        .map(|(_, record)| record)
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    all()
        .filter(|(name, _)| words_begin(name, folded))
        .map(|(_, record)| record)
        .collect()
}

/// `comuna de temuco` without its first word and `de`; None when it does not begin so.
fn strip_words<'a>(folded: &'a str, first: &[&str]) -> Option<&'a str> {
    let (word, rest) = folded.split_once(' ')?;
    first.contains(&word).then(|| rest.strip_prefix("de ").unwrap_or(rest))
}

/// Whole names in each tier, then beginnings in each tier.
fn one_of<'a>(folded: &str, tiers: &[Vec<Place<'a>>]) -> PlaceMatch<'a> {
    for tier in tiers {
        if let Some(place) = tier.iter().find(|place| place.folded == folded) {
            return PlaceMatch::Place(*place);
        }
    }
    for tier in tiers {
        let mut begun: Vec<_> = tier
            .iter()
            .filter(|place| words_begin(place.folded, folded))
            .copied()
            .collect();
        match begun.len() {
            0 => {}
            1 => return begun.pop().map_or(PlaceMatch::Unknown, PlaceMatch::Place),
            _ => return PlaceMatch::Several(begun),
        }
    }
    PlaceMatch::Unknown
}
