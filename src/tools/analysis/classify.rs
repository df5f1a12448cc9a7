//! `classify_incident`: a proposal of what somebody's account is, with the reasons.
//!
//! Words decide first (`signs.toml`). What is known of the site then only raises the
//! criticality: a site that is down, a critical alarm of the same kind, a critical site.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AlarmId, SiteId, Zone};
use crate::domain::records::Site;
use crate::domain::sets::{AlarmCategory, AlarmSeverity, Criticality, SiteStatus, WorkType};
use crate::domain::text::fold;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::IncidentText;
use crate::tools::rows::{Named, TaskRow};

use super::signs;

/// How many active tasks like it are named.
const ALIKE_MAX: usize = 3;

/// Proposes work type, category and criticality for an incident told in anybody's words, with the reasons; a site makes it surer. Nothing is created.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassifyIncident {
    /// what has happened, in anybody's words
    pub text: IncidentText,
    /// the site it is about, like SITE-001
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_id: Option<SiteId>,
}

/// What an incident is proposed to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IncidentClass {
    /// The site it is about.
    pub site: Option<Named>,
    /// The site's zone.
    pub site_zone: Option<Zone>,
    /// What kind of work.
    pub work_type: WorkType,
    /// What it is about; null when no word says so.
    pub category: Option<AlarmCategory>,
    /// How critical.
    pub criticality: Criticality,
    /// Hours a new task of this criticality gets.
    #[schemars(extend("labels" = ["sla", "horas de sla", "sla de"]))]
    pub sla_hours: i64,
    /// Why, what decided first.
    pub reasons: Vec<Reason>,
    /// Active tasks of the same category at the site: it may be one of them.
    pub alike: Vec<TaskRow>,
}

impl Outcome for IncidentClass {}

/// One reason, with what it speaks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// What it is.
    pub because: Because,
    /// The words of the account.
    pub words: Option<String>,
    /// The alarm.
    pub alarm_id: Option<AlarmId>,
    /// The category it speaks for.
    pub category: Option<AlarmCategory>,
    /// The work type it speaks for.
    pub work_type: Option<WorkType>,
    /// The criticality it speaks for.
    pub criticality: Option<Criticality>,
}

/// What a reason is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Because {
    /// Words of the account.
    Words,
    /// Nothing in the account says more: what most incidents are.
    Nothing,
    /// The site is down.
    SiteDown,
    /// The site has an active critical alarm of that category.
    CriticalAlarm,
    /// The site is critical: one step more.
    CriticalSite,
}

impl Because {
    /// Its key among the phrases.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Nothing => "nothing",
            Self::SiteDown => "site_down",
            Self::CriticalAlarm => "critical_alarm",
            Self::CriticalSite => "critical_site",
        }
    }
}

impl Reason {
    fn of_site(because: Because, criticality: Criticality) -> Self {
        Self {
            because,
            words: None,
            alarm_id: None,
            category: None,
            work_type: None,
            criticality: Some(criticality),
        }
    }
}

pub(super) fn classify_incident(cx: &Cx<'_>, args: &mut ClassifyIncident) -> Result<IncidentClass, ToolError> {
    let site = args.site_id.as_ref().map(|id| cx.site(id)).transpose()?;
    let found = signs::found_in(&fold(args.text.as_str()));
    let category = found.iter().find_map(|(sign, _)| sign.category);
    let said = found.iter().find_map(|(sign, _)| sign.work_type);
    let work_type = said.unwrap_or(WorkType::Corrective);
    // What the equipment's failing would mean says nothing about planned work on it.
    let counts = found
        .iter()
        .filter(|(sign, _)| sign.work_type.is_none_or(|w| w == work_type));
    let mut criticality = counts.filter_map(|(sign, _)| sign.criticality).min();
    let mut reasons: Vec<Reason> = found
        .iter()
        .map(|(sign, words)| Reason {
            because: Because::Words,
            words: Some(words.clone()),
            alarm_id: None,
            category: sign.category,
            work_type: sign.work_type,
            criticality: sign.criticality,
        })
        .collect();
    if reasons.is_empty() {
        reasons.push(Reason::of_site(Because::Nothing, Criticality::Medium));
    }
    if let Some(site) = site.filter(|_| work_type == WorkType::Corrective) {
        let raised = raised_by(cx, site, category, criticality.unwrap_or(Criticality::Medium));
        criticality = raised.iter().filter_map(|r| r.criticality).chain(criticality).min();
        reasons.extend(raised);
    }
    let criticality = criticality.unwrap_or(Criticality::Medium);
    Ok(IncidentClass {
        site: site.map(|site| Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        }),
        site_zone: site.map(|site| site.zone.clone()),
        work_type,
        category,
        criticality,
        sla_hours: criticality.sla_hours(),
        reasons,
        alike: site.map(|site| alike(cx, site, category)).unwrap_or_default(),
    })
}

/// What is known of the site and makes it worse than the words say.
fn raised_by(cx: &Cx<'_>, site: &Site, category: Option<AlarmCategory>, said: Criticality) -> Vec<Reason> {
    let mut reasons = vec![];
    if site.status == SiteStatus::Down {
        reasons.push(Reason::of_site(Because::SiteDown, Criticality::Critical));
    }
    let mut alarms = cx.world.alarms_of_site(&site.id).filter(|a| a.cleared_at.is_none());
    let alarm = alarms.find(|a| a.severity == AlarmSeverity::Critical && Some(a.category) == category);
    if let Some(alarm) = alarm {
        reasons.push(Reason {
            alarm_id: Some(alarm.id.clone()),
            category,
            ..Reason::of_site(Because::CriticalAlarm, Criticality::Critical)
        });
    }
    if site.criticality == Criticality::Critical {
        let one_more = match said {
            Criticality::Critical | Criticality::High => Criticality::Critical,
            Criticality::Medium => Criticality::High,
            Criticality::Low => Criticality::Medium,
        };
        reasons.push(Reason::of_site(Because::CriticalSite, one_more));
    }
    reasons
}

/// What a text speaks of, by its words.
pub fn category_of(text: &str) -> Option<AlarmCategory> {
    let found = signs::found_in(&fold(text));
    found.into_iter().find_map(|(sign, _)| sign.category)
}

/// Active corrective tasks of the site whose title speaks of the same.
pub fn alike(cx: &Cx<'_>, site: &Site, category: Option<AlarmCategory>) -> Vec<TaskRow> {
    let active = cx.world.tasks_of_site(&site.id).filter(|t| t.status.is_active());
    active
        .filter(|t| t.work_type == WorkType::Corrective && category.is_some() && category_of(&t.title) == category)
        .take(ALIKE_MAX)
        .map(|t| cx.task_row(t))
        .collect()
}
