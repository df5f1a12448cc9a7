//! From what an argument names to the record it means, or to an error that helps.

use crate::domain::geo::Point;
use crate::domain::ids::{CrewId, EmployeeId, SiteId, TaskId, Zone};
use crate::domain::records::{Crew, Employee, Site, Task};
use crate::domain::sets::Role;
use crate::domain::text::fold;
use crate::world::{NEAREST_MAX, PlaceKind, PlaceMatch, likeness, slips};

use super::contract::{Cx, ToolError};
use super::params::{AtSite, ComunaName, Location, ManagerRef, PersonRef, PlaceName};

/// Where a list looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Area {
    Comuna(String),
    Region(String),
    Zone(Zone),
}

impl Area {
    pub(super) fn holds(&self, site: &Site) -> bool {
        match self {
            Self::Comuna(name) => site.comuna == *name,
            Self::Region(name) => site.region == *name,
            Self::Zone(zone) => site.zone == *zone,
        }
    }
}

impl<'a> Cx<'a> {
    /// The site of that id.
    pub(super) fn site(&self, id: &SiteId) -> Result<&'a Site, ToolError> {
        self.world.site(id).ok_or_else(|| {
            let nearest = self.world.nearest_site_ids(id.as_str());
            let nearest = nearest.into_iter().map(|(id, name)| (id.to_string(), name.to_owned()));
            ToolError::NotFound {
                kind: "site",
                given: id.to_string(),
                nearest: nearest.collect(),
            }
        })
    }

    /// The task of that id.
    pub(super) fn task(&self, id: &TaskId) -> Result<&'a Task, ToolError> {
        self.world.task(id).ok_or_else(|| {
            let all = self.world.tasks().iter().map(|t| (t.id.as_str(), t.title.as_str()));
            not_found("task", id.as_str(), all)
        })
    }

    /// The crew of that id.
    pub(super) fn crew(&self, id: &CrewId) -> Result<&'a Crew, ToolError> {
        self.world.crew(id).ok_or_else(|| {
            let all = self.world.crews().iter().map(|c| (c.id.as_str(), c.name.as_str()));
            not_found("crew", id.as_str(), all)
        })
    }

    /// The zone named, put in its canonical form.
    pub(super) fn zone(&self, zone: &mut Zone) -> Result<&'a Zone, ToolError> {
        let Some(known) = self.world.zone_named(zone.as_str()) else {
            let zones = self.world.zones().iter();
            return Err(ToolError::NotFound {
                kind: "zone",
                given: zone.to_string(),
                nearest: zones.map(|z| (z.to_string(), z.to_string())).collect(),
            });
        };
        *zone = known.clone();
        Ok(known)
    }

    /// The same for a zone that need not be given.
    pub(super) fn zone_of(&self, zone: &mut Option<Zone>) -> Result<Option<&'a Zone>, ToolError> {
        zone.as_mut().map(|zone| self.zone(zone)).transpose()
    }

    /// The manager named; the argument becomes the id.
    pub(super) fn manager(&self, given: &mut ManagerRef) -> Result<&'a Employee, ToolError> {
        let found = self.person_named("manager", given.as_str(), |e| e.role == Role::Manager)?;
        given.resolve(found.id.as_str());
        Ok(found)
    }

    /// Any person named; the argument becomes the id.
    pub(super) fn person(&self, given: &mut PersonRef) -> Result<&'a Employee, ToolError> {
        let found = self.person_named("person", given.as_str(), |_| true)?;
        given.resolve(found.id.as_str());
        Ok(found)
    }

    fn person_named(
        &self,
        kind: &'static str,
        given: &str,
        admits: impl Fn(&Employee) -> bool,
    ) -> Result<&'a Employee, ToolError> {
        self.about_people()?;
        let mut found: Vec<&'a Employee> = match EmployeeId::parse(given) {
            Ok(id) => self.world.employee(&id).into_iter().collect(),
            Err(_) => self.world.people_named(&fold(given)),
        };
        found.retain(|e| admits(e));
        match found.as_slice() {
            [one] => Ok(*one),
            [] => {
                let all = self.world.employees().iter().filter(|e| admits(e));
                Err(nearest_names(
                    kind,
                    given,
                    all.map(|e| (e.id.as_str(), e.name.as_str())),
                ))
            }
            several => Err(ToolError::Ambiguous {
                given: given.to_owned(),
                candidates: several.iter().map(|e| (e.id.to_string(), e.name.clone())).collect(),
            }),
        }
    }

    /// The comuna or region that a place means, the argument put so that it means nothing
    /// else. A place that means a zone becomes the zone, where none is given.
    pub(super) fn place(
        &self,
        given: &mut Option<PlaceName>,
        zone: &mut Option<Zone>,
    ) -> Result<Option<Area>, ToolError> {
        let Some(place) = given else { return Ok(None) };
        match self.area(place.as_str())? {
            Area::Zone(named) if zone.is_none() => {
                *given = None;
                *zone = Some(named);
                Ok(None)
            }
            area => {
                if let Area::Comuna(name) | Area::Region(name) = &area {
                    let kind = if matches!(area, Area::Comuna(_)) {
                        PlaceKind::Comuna
                    } else {
                        PlaceKind::Region
                    };
                    let known = self.world.places().find(|p| p.kind == kind && p.name == name);
                    place.resolve(known.map_or_else(|| name.clone(), |known| self.world.place_text(known)));
                }
                Ok(Some(area))
            }
        }
    }

    /// The comuna named, nothing else.
    pub(super) fn comuna(&self, given: &mut ComunaName) -> Result<Area, ToolError> {
        let area = self.area(&format!("comuna {}", given.as_str()))?;
        if let Area::Comuna(name) = &area {
            given.resolve(name.clone());
        }
        Ok(area)
    }

    fn area(&self, given: &str) -> Result<Area, ToolError> {
        match self.world.place(given) {
            PlaceMatch::Place(place) => Ok(match place.kind {
                PlaceKind::Comuna => Area::Comuna(place.name.to_owned()),
                PlaceKind::Region => Area::Region(place.name.to_owned()),
            }),
            PlaceMatch::Zone(zone) => Ok(Area::Zone(zone.clone())),
            PlaceMatch::Several(places) => Err(ToolError::Ambiguous {
                given: given.to_owned(),
                candidates: places.iter().map(|p| (p.name.to_owned(), p.name.to_owned())).collect(),
            }),
            PlaceMatch::Unknown => Err(nearest_names(
                "place",
                given,
                self.world.places().map(|p| (p.name, p.name)),
            )),
        }
    }

    /// The point of a location, and the site when it names one; a text becomes what it means.
    pub(super) fn location(&self, given: &mut Location) -> Result<(Point, Option<&'a Site>), ToolError> {
        if let Location::Text(text) = given {
            *given = match (Point::parse(&text.0), SiteId::parse(&text.0)) {
                (Ok(point), _) => Location::Point(point),
                (_, Ok(site_id)) => Location::Site(AtSite { site_id }),
                (Err(point), Err(_)) => return Err(ToolError::argument("location", point.to_string())),
            };
        }
        match given {
            Location::Point(point) => Ok((*point, None)),
            Location::Site(at) => {
                let site = self.site(&at.site_id)?;
                Ok((site.point, Some(site)))
            }
            Location::Text(_) => Err(ToolError::argument("location", "a location is needed")),
        }
    }
}

/// Not found, with the nearest ids.
pub(super) fn not_found<'n>(
    kind: &'static str,
    given: &str,
    known: impl Iterator<Item = (&'n str, &'n str)>,
) -> ToolError {
    let mut ranked: Vec<_> = known.map(|(id, name)| (slips(id, given), id, name)).collect();
    ranked.sort();
    ToolError::NotFound {
        kind,
        given: given.to_owned(),
        nearest: ranked
            .into_iter()
            .take(NEAREST_MAX)
            .map(|(_, id, name)| (id.to_owned(), name.to_owned()))
            .collect(),
    }
}

/// Not found, with the names that read most alike.
fn nearest_names<'n>(kind: &'static str, given: &str, known: impl Iterator<Item = (&'n str, &'n str)>) -> ToolError {
    let folded = fold(given);
    let mut ranked: Vec<_> = known
        .filter_map(|(id, name)| likeness(&fold(name), &folded).map(|distance| (distance, id, name)))
        .collect();
    ranked.sort();
    ToolError::NotFound {
        kind,
        given: given.to_owned(),
        nearest: ranked
            .into_iter()
            .take(NEAREST_MAX)
            .map(|(_, id, name)| (id.to_owned(), name.to_owned()))
            .collect(),
    }
}
