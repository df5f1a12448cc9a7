//! `create_field_task`: a new task, with the SLA it would get and the ones it may be.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::change::Change;
use crate::domain::ids::{CrewId, SiteId, TaskId, Zone};
use crate::domain::records::Site;
use crate::domain::sets::{Criticality, WorkType};
use crate::domain::text::fold;
use crate::guardrails::write::Confirmed;
use crate::tools::analysis::{alike, category_of};
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{NoteText, TitleText};
use crate::tools::rows::{Named, TaskRow};
use crate::tools::writing::{ConfirmationToken, DryRun, Preview};

/// How many active tasks like it are named.
const ALIKE_MAX: usize = 3;
/// Words shorter than this tell no title from another.
const WORD_CHARS_MIN: usize = 4;

/// Creates a task at a site. Shows the SLA it would get and active tasks it may be; nothing is created before a person confirms.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTask {
    /// the site, like SITE-001
    pub site_id: SiteId,
    /// what is to be done, in one line
    pub title: TitleText,
    /// what is known, in a few lines
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-entity" = "description"))]
    pub description: Option<NoteText>,
    /// how critical; it decides when the task is due
    pub criticality: Criticality,
    /// what kind of work
    pub work_type: WorkType,
    /// the crew that does it, like CU-AN-03
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crew_id: Option<CrewId>,
    /// only shows what would be created; a confirmation comes with its token
    #[serde(default)]
    pub dry_run: DryRun,
    /// the token of the preview that a person said yes to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_token: Option<ConfirmationToken>,
}

/// The task that would be created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewTask {
    /// Where.
    pub site: Named,
    /// The site's zone.
    pub zone: Zone,
    /// What it would be called.
    pub title: String,
    /// What is known.
    pub description: Option<String>,
    /// How critical.
    pub criticality: Criticality,
    /// What kind of work.
    pub work_type: WorkType,
    /// The crew that does it.
    pub crew: Option<Named>,
    /// Hours it would get.
    #[schemars(extend("labels" = ["sla", "horas de sla", "sla de"]))]
    pub sla_hours: i64,
    /// When it would be due.
    #[schemars(with = "String")]
    pub due_at: Timestamp,
    /// Active tasks of the site that it may be.
    pub alike: Vec<TaskRow>,
}

impl Outcome for NewTask {}

impl Preview for NewTask {
    fn basis(&self) -> Value {
        let alike: Vec<&TaskId> = self.alike.iter().map(|task| &task.id).collect();
        json!({ "alike": alike })
    }
}

pub(super) fn preview(cx: &Cx<'_>, args: &mut CreateTask) -> Result<NewTask, ToolError> {
    let site = cx.site(&args.site_id)?;
    let crew = args.crew_id.as_ref().map(|id| cx.crew(id)).transpose()?;
    let sla_hours = args.criticality.sla_hours();
    let due_at = cx.now.checked_add(SignedDuration::from_hours(sla_hours));
    Ok(NewTask {
        site: Named {
            id: site.id.to_string(),
            name: site.name.clone(),
        },
        zone: site.zone.clone(),
        title: args.title.as_str().to_owned(),
        description: args.description.as_ref().map(|text| text.as_str().to_owned()),
        criticality: args.criticality,
        work_type: args.work_type,
        crew: crew.map(|crew| Named {
            id: crew.id.to_string(),
            name: crew.name.clone(),
        }),
        sla_hours,
        due_at: due_at.unwrap_or(cx.now),
        alike: may_be(cx, site, args.title.as_str()),
    })
}

#[expect(clippy::unnecessary_wraps, reason = "what every tool that writes is asked")]
pub(super) fn commit(_: &Confirmed, _: &Cx<'_>, args: &CreateTask) -> Result<Change, ToolError> {
    Ok(Change::CreateTask {
        site_id: args.site_id.clone(),
        title: args.title.as_str().to_owned(),
        description: args.description.as_ref().map(|text| text.as_str().to_owned()),
        criticality: args.criticality,
        work_type: args.work_type,
        crew_id: args.crew_id.clone(),
    })
}

/// Active tasks of the site that speak of the same: by what they are about, else by their words.
fn may_be(cx: &Cx<'_>, site: &Site, title: &str) -> Vec<TaskRow> {
    let mut rows = alike(cx, site, category_of(title));
    let folded = fold(title);
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= WORD_CHARS_MIN)
        .collect();
    let shares = |other: &str| {
        let other = fold(other);
        let shared = words
            .iter()
            .filter(|word| other.split(' ').any(|o| o == **word))
            .count();
        shared > 0 && shared * 2 >= words.len()
    };
    let active = cx.world.tasks_of_site(&site.id).filter(|t| t.status.is_active());
    for task in active.filter(|task| shares(&task.title)) {
        if rows.len() < ALIKE_MAX && rows.iter().all(|row| row.id != task.id) {
            rows.push(cx.task_row(task));
        }
    }
    rows
}
