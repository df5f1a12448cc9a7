//! Who may hold the phone, and where they may stand: drawn from the operator's own data.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Served, State, door};
use crate::domain::records::{Employee, Site};
use crate::domain::sets::Role;
use crate::format::phrases;
use crate::world::World;

/// Technicians to choose from, of as many zones as there are.
const TECHNICIANS_MAX: usize = 5;
/// Presets of the pin in each zone.
const PLACES_OF_ZONE: usize = 2;
/// A number of no employee.
const GUEST_PHONE: &str = "+56999999999";
/// A preset stands this far from its site, in degrees: a person beside the mast, some 60 m away.
const BESIDE: f64 = 0.0004;

/// A person of the cast.
#[derive(Serialize)]
pub struct Member {
    /// E.164, the key.
    pub phone: String,
    /// Shown, and sent as the profile's name.
    pub name: String,
    initials: String,
    about: String,
}

#[derive(Serialize)]
struct Place<'w> {
    id: &'w str,
    label: String,
    address: &'w str,
    lat: f64,
    lon: f64,
}

/// `GET /simulator/cast`: people, places, and a mark of this instance for what the page keeps.
pub async fn cast(state: web::Data<State>, request: HttpRequest) -> Served {
    let door = door(&state, &request)?;
    let world = door.parts.world.load();
    let sites = places(&world);
    let places: Vec<Place<'_>> = sites
        .iter()
        .map(|site| Place {
            id: site.id.as_str(),
            label: format!("{} · {}", site.name, site.id),
            address: &site.address,
            lat: rounded(site.point.lat + BESIDE),
            lon: rounded(site.point.lon - BESIDE),
        })
        .collect();
    Ok(HttpResponse::Ok().json(serde_json::json!({
        "people": members(&world),
        "places": places,
        "instance": instance(&door.simulator.auth_token),
    })))
}

/// The person with that phone, if the cast has them.
pub fn member(world: &World, phone: &str) -> Option<Member> {
    members(world).into_iter().find(|member| member.phone == phone)
}

/// Technicians of different zones, then one of each other role, then a stranger.
fn members(world: &World) -> Vec<Member> {
    let active = |role: Role| world.employees().iter().filter(move |e| e.active && e.role == role);
    let by_zone = world
        .zones()
        .iter()
        .filter_map(|zone| active(Role::Technician).find(|e| e.zone.as_ref() == Some(zone)));
    let mut chosen: Vec<&Employee> = by_zone.take(TECHNICIANS_MAX).collect();
    chosen.sort_by(|a, b| a.id.cmp(&b.id));
    chosen.extend(
        [Role::Supervisor, Role::Manager, Role::Noc]
            .into_iter()
            .filter_map(|role| active(role).next()),
    );
    let guest = Member {
        phone: GUEST_PHONE.to_owned(),
        name: phrases().say("format.simulator.guest", &[]),
        initials: "?".to_owned(),
        about: phrases().say("format.simulator.guest_about", &[]),
    };
    chosen.into_iter().map(employee).chain([guest]).collect()
}

fn employee(employee: &Employee) -> Member {
    let role = phrases().say(&format!("format.simulator.role.{}", employee.role), &[]);
    let zone = employee.zone.as_ref().map(ToString::to_string);
    let crew = employee.crew_id.as_ref().map(ToString::to_string);
    let about: Vec<String> = [Some(role), zone, crew].into_iter().flatten().collect();
    Member {
        phone: employee.phone.clone(),
        name: employee.name.clone(),
        initials: employee
            .name
            .split_whitespace()
            .filter_map(|word| word.chars().next())
            .take(2)
            .collect(),
        about: about.join(" · "),
    }
}

/// Two sites of each zone, those with the ids that people know best (`SITE-002`) first.
fn places(world: &World) -> Vec<&Site> {
    let known_best = |site: &&Site| (!site.id.as_str().starts_with("SITE-"), site.id.clone());
    let mut sites: Vec<&Site> = Vec::new();
    for zone in world.zones() {
        let mut of_zone: Vec<&Site> = world.sites().iter().filter(|site| site.zone == *zone).collect();
        of_zone.sort_by_key(known_best);
        sites.extend(of_zone.into_iter().take(PLACES_OF_ZONE));
    }
    sites.sort_by_key(known_best);
    sites
}

fn rounded(degrees: f64) -> f64 {
    (degrees * 1e5).round() / 1e5
}

/// A few digits that differ between instances and say nothing of the secret.
fn instance(token: &secrecy::SecretString) -> String {
    let digest = Sha256::digest(secrecy::ExposeSecret::expose_secret(token));
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
