//! What a file is about: the task or site that its caption names, else what the conversation is on.

use crate::domain::ids::{SiteId, TaskId};
use crate::domain::message::Inbound;
use crate::world::World;

/// What the files of some messages are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The conversation they came with.
    pub conversation: String,
    /// The task.
    pub task_id: Option<TaskId>,
    /// The site; a task's own when only the task is named.
    pub site_id: Option<SiteId>,
}

impl About {
    /// By what is written with them; `subject` is the id that the conversation was on. Only what the
    /// picture holds counts.
    pub fn of(messages: &[&Inbound], conversation: String, subject: Option<&str>, world: &World) -> Self {
        let mut about = Self {
            conversation,
            ..Self::default()
        };
        for message in messages {
            about.read(&message.body, world);
        }
        if about.task_id.is_none() && about.site_id.is_none() {
            about.read(subject.unwrap_or_default(), world);
        }
        if let Some(task) = about.task_id.as_ref().and_then(|id| world.task(id)) {
            about.site_id.get_or_insert_with(|| task.site_id.clone());
        }
        about
    }

    fn read(&mut self, text: &str, world: &World) {
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .filter(|word| !word.is_empty())
            .collect();
        // An id may stand apart: `sitio 2`, `T 10001`; a task is also called by its number alone.
        let pairs = words.windows(2).map(|pair| pair.join(" "));
        let alone = words.iter().map(|word| (*word).to_owned());
        for candidate in alone.chain(pairs) {
            let number = candidate.len() >= 5 && candidate.bytes().all(|b| b.is_ascii_digit());
            let as_task = if number {
                format!("T-{candidate}")
            } else {
                candidate.clone()
            };
            if let Some(task) = TaskId::parse(&as_task).ok().and_then(|id| world.task(&id)) {
                self.task_id.get_or_insert_with(|| task.id.clone());
            } else if let Some(site) = SiteId::parse(&candidate).ok().and_then(|id| world.site(&id)) {
                self.site_id.get_or_insert_with(|| site.id.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::domain::clock::ZoneTimes;

    fn about(caption: &str, subject: Option<&str>) -> (Option<String>, Option<String>) {
        let world = World::demo(Timestamp::UNIX_EPOCH, ZoneTimes::new(TimeZone::UTC, vec![])).unwrap();
        let mut about = About::default();
        about.read(caption, &world);
        if about == About::default() {
            about = About::of(&[], String::new(), subject, &world);
        }
        (
            about.task_id.map(|id| id.to_string()),
            about.site_id.map(|id| id.to_string()),
        )
    }

    #[test]
    fn the_caption_says_what_a_file_is_about_else_the_conversation() {
        assert_eq!(about("antes, tarea 10005", None).0.as_deref(), Some("T-10005"));
        assert_eq!(about("foto del sitio 2", None).1.as_deref(), Some("SITE-002"));
        assert_eq!(about("tablero", Some("SITE-002")).1.as_deref(), Some("SITE-002"));
        let (task, site) = about("", Some("T-10005"));
        assert!(task.is_some() && site.is_some(), "a task brings its site");
        assert_eq!(about("99999 son muchos", None), (None, None), "no such task");
    }
}
