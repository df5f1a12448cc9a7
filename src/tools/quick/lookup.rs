//! `quick_lookup`: what an id, or the name of a person, crew or site, is.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AccessId, AlarmId, AssetId, CrewId, EmployeeId, MonitorId, SiteId, TaskId};
use crate::domain::records::{Asset, Monitor};
use crate::domain::sets::MonitorStatus;
use crate::domain::text::fold;
use crate::tools::access::AccessRow;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::field::{CrewCard, PersonCard};
use crate::tools::params::RecordRef;
use crate::tools::resolve::not_found;
use crate::tools::rows::{AlarmRow, Named, TaskRow, figure};

use super::status::SiteGlance;

/// How many names a choice holds.
const CHOICES_MAX: usize = 200;

/// What an id of any kind, or the name of a person, crew or site, is: its short card, or the list to choose from.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuickLookup {
    /// an id of any kind, or the name of a person, crew or site
    pub id: RecordRef,
}

/// What it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "card", rename_all = "snake_case")]
pub enum Found {
    /// A task.
    Task(Box<TaskRow>),
    /// A site.
    Site(Box<SiteGlance>),
    /// An alarm.
    Alarm(AlarmRow),
    /// A crew.
    Crew(CrewCard),
    /// A person.
    Employee(PersonCard),
    /// A piece of equipment.
    Asset(AssetCard),
    /// An authorisation to enter a site.
    Access(AccessAt),
    /// A measured value.
    Monitor(MonitorCard),
    /// Several: choose one.
    Several(Choices),
}

impl Outcome for Found {
    fn count(&self) -> Option<u64> {
        match self {
            Self::Several(choices) => Some(choices.total),
            _ => Some(1),
        }
    }
}

/// What a name may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choices {
    /// How many match.
    #[schemars(extend("labels" = ["coincidencias", "resultados"]))]
    pub total: u64,
    /// Those that match: sites, then people, then crews.
    pub choices: Vec<Choice>,
}

/// One of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// `site`, `employee` or `crew`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// A piece of equipment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssetCard {
    /// Its id.
    pub id: AssetId,
    /// Where.
    pub site: Named,
    /// What it is.
    pub equipment: String,
    /// Who made it.
    pub vendor: String,
    /// Which model.
    pub model: String,
    /// How many.
    #[schemars(extend("labels" = ["cantidad", "unidades"]))]
    pub quantity: u32,
    /// Serial number.
    pub serial: String,
    /// When installed; null when not on record.
    #[schemars(with = "Option<String>")]
    pub installed_at: Option<Timestamp>,
}

/// An authorisation with the name of its site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccessAt {
    /// The site's name.
    pub site_name: String,
    /// The authorisation.
    #[serde(flatten)]
    pub access: AccessRow,
}

/// A measured value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonitorCard {
    /// Its id.
    pub id: MonitorId,
    /// Where.
    pub site: Named,
    /// What is measured.
    pub metric: String,
    /// What the monitor says of it.
    pub status: MonitorStatus,
    /// The value; null without a reading.
    #[schemars(extend("labels" = ["valor", "mide"]))]
    pub value: Option<f64>,
    /// Its unit.
    pub unit: String,
    /// The last reading; null when there was none.
    #[schemars(with = "Option<String>")]
    pub last_check: Option<Timestamp>,
}

pub(super) fn quick_lookup(cx: &Cx<'_>, args: &mut QuickLookup) -> Result<Found, ToolError> {
    let given = args.id.as_str().to_owned();
    let (id, found) = match by_id(cx, &given)? {
        Some(found) => found,
        None => by_name(cx, &given)?,
    };
    if let Some(id) = id {
        args.id.resolve(id);
    }
    Ok(found)
}

/// The record with its canonical id.
type Resolved = (Option<String>, Found);

/// None when the text has the form of no id.
fn by_id(cx: &Cx<'_>, given: &str) -> Result<Option<Resolved>, ToolError> {
    let world = cx.world;
    let found = |id: &str, card| Ok(Some((Some(id.to_owned()), card)));
    if let Ok(id) = SiteId::parse(given) {
        return found(id.as_str(), Found::Site(Box::new(cx.glance(cx.site(&id)?))));
    }
    if let Ok(id) = TaskId::parse(given) {
        return found(id.as_str(), Found::Task(Box::new(cx.task_row(cx.task(&id)?))));
    }
    if let Ok(id) = CrewId::parse(given) {
        return found(id.as_str(), Found::Crew(cx.crew_card(cx.crew(&id)?)));
    }
    if let Ok(id) = EmployeeId::parse(given) {
        cx.about_people()?;
        let people = world.employees().iter().map(|e| (e.id.as_str(), e.name.as_str()));
        let person = world
            .employee(&id)
            .ok_or_else(|| not_found("person", id.as_str(), people))?;
        return found(id.as_str(), Found::Employee(cx.person_card(person)));
    }
    let missing = |id: &str| not_found("record", id, std::iter::empty());
    if let Ok(id) = AlarmId::parse(given) {
        let alarms = world.alarms().iter().map(|a| (a.id.as_str(), a.name.as_str()));
        let alarm = world
            .alarm(&id)
            .ok_or_else(|| not_found("alarm", id.as_str(), alarms))?;
        return found(id.as_str(), Found::Alarm(cx.alarm_row(alarm)));
    }
    if let Ok(id) = AccessId::parse(given) {
        let access = world.access(&id).ok_or_else(|| missing(id.as_str()))?;
        let card = AccessAt {
            site_name: cx.site_name(&access.site_id),
            access: cx.access_row(access),
        };
        return found(id.as_str(), Found::Access(card));
    }
    if let Ok(id) = AssetId::parse(given) {
        let asset = world.asset(&id).ok_or_else(|| missing(id.as_str()))?;
        return found(id.as_str(), Found::Asset(asset_card(cx, asset)));
    }
    if let Ok(id) = MonitorId::parse(given) {
        let monitor = world.monitor(&id).ok_or_else(|| missing(id.as_str()))?;
        return found(id.as_str(), Found::Monitor(monitor_card(cx, monitor)));
    }
    Ok(None)
}

/// Sites, people and crews of that name. For a guest people do not exist.
fn by_name(cx: &Cx<'_>, given: &str) -> Result<Resolved, ToolError> {
    let folded = fold(given);
    let sites = cx.world.sites_named(&folded);
    let crews = cx.world.crews_named(&folded);
    let mut people = cx.world.people_named(&folded);
    people.retain(|_| cx.sees_names());
    match (sites.as_slice(), people.as_slice(), crews.as_slice()) {
        ([site], [], []) => Ok((Some(site.id.to_string()), Found::Site(Box::new(cx.glance(site))))),
        ([], [person], []) => Ok((Some(person.id.to_string()), Found::Employee(cx.person_card(person)))),
        ([], [], [crew]) => Ok((Some(crew.id.to_string()), Found::Crew(cx.crew_card(crew)))),
        ([], [], []) => {
            let nearest = cx.world.nearest_site_ids(given);
            Err(ToolError::NotFound {
                kind: "record",
                given: given.to_owned(),
                nearest: nearest
                    .iter()
                    .map(|(id, name)| (id.to_string(), (*name).to_owned()))
                    .collect(),
            })
        }
        _ => {
            let choice = |kind: &str, id: &str, name: &str| Choice {
                kind: kind.to_owned(),
                id: id.to_owned(),
                name: name.to_owned(),
            };
            let all = (sites.iter().map(|s| choice("site", s.id.as_str(), &s.name)))
                .chain(people.iter().map(|e| choice("employee", e.id.as_str(), &e.name)))
                .chain(crews.iter().map(|c| choice("crew", c.id.as_str(), &c.name)));
            let total = figure(sites.len() + people.len() + crews.len());
            let choices = all.take(CHOICES_MAX).collect();
            Ok((None, Found::Several(Choices { total, choices })))
        }
    }
}

fn site_named(cx: &Cx<'_>, id: &SiteId) -> Named {
    Named {
        id: id.to_string(),
        name: cx.site_name(id),
    }
}

fn asset_card(cx: &Cx<'_>, asset: &Asset) -> AssetCard {
    AssetCard {
        id: asset.id.clone(),
        site: site_named(cx, &asset.site_id),
        equipment: asset.equipment.clone(),
        vendor: asset.vendor.clone(),
        model: asset.model.clone(),
        quantity: asset.quantity,
        serial: asset.serial.clone(),
        installed_at: asset.installed_at,
    }
}

fn monitor_card(cx: &Cx<'_>, monitor: &Monitor) -> MonitorCard {
    MonitorCard {
        id: monitor.id.clone(),
        site: site_named(cx, &monitor.site_id),
        metric: monitor.metric.clone(),
        status: monitor.status,
        value: monitor.value,
        unit: monitor.unit.clone(),
        last_check: monitor.last_check,
    }
}
