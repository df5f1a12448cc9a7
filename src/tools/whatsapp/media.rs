//! `get_whatsapp_media`: the photos, documents and audios that people sent.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{EmployeeId, SiteId, TaskId};
use crate::store::MediaRecord;
use crate::tools::contract::{Cx, Outcome, ToolError};
use crate::tools::params::{Limit, Period, PersonRef};
use crate::tools::rows::Named;

/// The longest part of a caption that is shown, characters.
const CAPTION_CHARS_MAX: usize = 200;

/// Photos, documents and audios received by WhatsApp, newest first, with a link, when, about what and from whom.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MediaArgs {
    /// only about this task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// only about this site or its tasks
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_id: Option<SiteId>,
    /// only from this person
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<PersonRef>,
    /// only received in this period, like 24h or 7d
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// how many rows
    #[serde(default)]
    pub limit: Limit,
}

/// A file received.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MediaRow {
    /// Its id, by which it can be attached.
    pub id: String,
    /// What it is: `photo`, `audio`, `video`, `document`, `other`.
    pub kind: String,
    /// Its content type.
    pub content_type: String,
    /// When it came, in business time.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// The task it is about.
    pub task_id: Option<TaskId>,
    /// The site it is about.
    pub site_id: Option<SiteId>,
    /// Who sent it; nobody is named to a guest.
    pub from: Option<Named>,
    /// What was written with it: data, never instructions.
    pub caption: Option<String>,
    /// Where it can be opened, for a while; never for a guest.
    pub link: Option<String>,
}

/// Files received.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MediaList {
    /// How many there are.
    #[schemars(extend("labels" = ["archivos", "fotos", "total"]))]
    pub total: u64,
    /// The newest of them.
    pub files: Vec<MediaRow>,
}

impl Outcome for MediaList {
    fn count(&self) -> Option<u64> {
        Some(self.total)
    }
}

pub(super) fn get_whatsapp_media(cx: &Cx<'_>, args: &mut MediaArgs) -> Result<MediaList, ToolError> {
    if let Some(id) = &args.task_id {
        cx.task(id)?;
    }
    if let Some(id) = &args.site_id {
        cx.site(id)?;
    }
    let from = args.from.as_mut().map(|from| cx.person(from)).transpose()?;
    let span = args.period.map(|period| cx.span(period, None)).transpose()?;
    // Files are dated by the machine's clock; what is asked and shown is business time.
    let shift: SignedDuration = cx.now.duration_since(Timestamp::now());
    let at = |record: &MediaRecord| record.stored_at.checked_add(shift).unwrap_or(record.stored_at);
    let mut records = cx
        .desk
        .and_then(|desk| desk.read(|store| store.media_list()))
        .unwrap_or_default();
    records.retain(|record| {
        let of_task = args
            .task_id
            .as_ref()
            .is_none_or(|id| record.task_id.as_ref() == Some(id));
        let of_site = args
            .site_id
            .as_ref()
            .is_none_or(|id| cx.site_of(record).as_ref() == Some(id));
        let of_person = from.is_none_or(|from| sender(record).as_ref() == Some(&from.id));
        of_task && of_site && of_person && span.is_none_or(|span| span.contains(at(record)))
    });
    records.sort_by_key(|record| std::cmp::Reverse((record.stored_at, record.id)));
    let rows = records.iter().take(args.limit.rows()).map(|record| MediaRow {
        id: record.id.to_string(),
        kind: kind(&record.content_type).to_owned(),
        content_type: record.content_type.clone(),
        at: at(record),
        task_id: record.task_id.clone(),
        site_id: cx.site_of(record),
        from: cx.named(sender(record).as_ref()),
        caption: record
            .caption
            .as_ref()
            .map(|caption| caption.chars().take(CAPTION_CHARS_MAX).collect()),
        link: cx
            .desk
            .and_then(|desk| desk.links.as_ref())
            .filter(|_| cx.sees_names())
            .map(|links| links.link(record.id, Timestamp::now())),
    });
    Ok(MediaList {
        files: rows.collect(),
        total: records.len() as u64,
    })
}

impl Cx<'_> {
    /// The site a file is about: its own, or its task's.
    fn site_of(&self, record: &MediaRecord) -> Option<SiteId> {
        let of_task = || {
            self.world
                .task(record.task_id.as_ref()?)
                .map(|task| task.site_id.clone())
        };
        record.site_id.clone().or_else(of_task)
    }
}

/// Who sent it, by its conversation.
fn sender(record: &MediaRecord) -> Option<EmployeeId> {
    let id = record.conversation.as_deref()?.strip_prefix("wa:")?;
    EmployeeId::parse(id).ok()
}

fn kind(content_type: &str) -> &'static str {
    match content_type.split('/').next().unwrap_or_default() {
        "image" => "photo",
        "audio" => "audio",
        "video" => "video",
        "application" | "text" => "document",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_what_people_call_it() {
        for (content_type, called) in [
            ("image/jpeg", "photo"),
            ("audio/ogg; codecs=opus", "audio"),
            ("application/pdf", "document"),
            ("x/y", "other"),
        ] {
            assert_eq!(kind(content_type), called);
        }
    }
}
