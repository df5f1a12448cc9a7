//! What the engine is given and what it gives back.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::answer::Answer;
use crate::domain::caller::Caller;
use crate::domain::entities::Entities;
use crate::domain::geo::Point;

/// Which door a turn came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// A phone, through Twilio or the simulator.
    WhatsApp,
    /// The web chat.
    Web,
    /// `relevo ask`.
    Cli,
}

impl Channel {
    /// The word it is kept under.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WhatsApp => "whatsapp",
            Self::Web => "web",
            Self::Cli => "cli",
        }
    }
}

/// A pin as it was shared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedLocation {
    /// Where.
    pub point: Point,
    /// A forwarded pin is somebody else's: it is searched around, never taken as the sender's own position.
    pub forwarded: bool,
}

/// What a file is, by its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A picture.
    Photo,
    /// A voice note or other sound.
    Audio,
    /// A film.
    Video,
    /// A PDF, a sheet, a text.
    Document,
    /// A vCard.
    Contact,
    /// A sticker.
    Sticker,
    /// Anything else.
    Other,
}

impl Kind {
    /// The catalogue word, which is also the key of its phrase.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Photo => "photo",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Document => "document",
            Self::Contact => "contact",
            Self::Sticker => "sticker",
            Self::Other => "other",
        }
    }

    /// By MIME type; a WebP is a sticker on WhatsApp, where photos arrive as JPEG.
    pub fn of(content_type: &str) -> Self {
        let essence = content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match essence.split_once('/') {
            Some(("image", "webp")) => Self::Sticker,
            Some(("image", _)) => Self::Photo,
            Some(("audio", _)) => Self::Audio,
            Some(("video", _)) => Self::Video,
            Some(("text", "vcard" | "x-vcard" | "directory")) => Self::Contact,
            Some(("text", _)) => Self::Document,
            Some(("application", "octet-stream")) | None => Self::Other,
            Some(("application", _)) => Self::Document,
            Some(_) => Self::Other,
        }
    }
}

/// A file that arrived and was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaNote {
    /// What it is.
    pub kind: Kind,
    /// Its type, by content.
    pub content_type: String,
    /// Its size.
    pub bytes: u64,
    /// Under which id it is stored; None where nothing is kept.
    pub id: Option<Uuid>,
}

/// Everything one person sent at once.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Who asks.
    pub caller: Caller,
    /// Through which door.
    pub channel: Channel,
    /// What was written; several messages of a burst are joined by line breaks.
    pub text: String,
    /// What a pressed button or list row stands for.
    pub command: Option<String>,
    /// A pin.
    pub location: Option<SharedLocation>,
    /// A pin was sent but its position cannot be read (a polled message holds none).
    pub unreadable_pin: bool,
    /// Files that arrived and were stored.
    pub media: Vec<MediaNote>,
    /// Files that were announced but could not be fetched.
    pub media_failed: u32,
    /// The text of our earlier message that this one answers, or the id it was about.
    pub subject: Option<String>,
    /// What the conversation remembers, as the last reply of the engine left it.
    pub memory: Value,
    /// Something other than an answer of the engine was sent in between: a *sí* may be to that.
    pub interrupted: bool,
}

impl Turn {
    /// A turn of nothing but text, in a fresh conversation.
    pub fn text(caller: Caller, channel: Channel, text: impl Into<String>) -> Self {
        Self {
            caller,
            channel,
            text: text.into(),
            command: None,
            location: None,
            unreadable_pin: false,
            media: Vec::new(),
            media_failed: 0,
            subject: None,
            memory: Value::Null,
            interrupted: false,
        }
    }
}

/// What a turn comes to. As JSON it is the object that `relevo ask --json` and `/api/chat` print
/// (`INTERFACES.md`).
#[derive(Debug, Clone)]
pub struct Reply {
    /// The page to send: at most 1500 characters of plain text, never empty.
    pub text: String,
    /// The same, not truncated.
    pub full: String,
    /// Does `text` hold less than `full`?
    pub truncated: bool,
    /// What the web gets.
    pub markdown: String,
    /// The answer that these were made from.
    pub answer: Answer,
    /// What the conversation remembers from now on; bounded, opaque to everybody else.
    pub memory: Value,
    /// How it came about.
    pub trace: Trace,
}

/// Who planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// The deterministic planner.
    Offline,
}

/// Was the question about the trade?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeMark {
    /// Yes, small talk included.
    In,
    /// No.
    Out,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall {
    /// Which.
    pub tool: String,
    /// With what, resolved.
    pub params: Value,
    /// Did it answer?
    pub ok: bool,
    /// Rows that match, where the tool counts.
    pub count: Option<u64>,
    /// How long it took, in whole milliseconds.
    pub ms: u64,
    /// Of a tool that writes: was it only shown?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// From the cache?
    pub cached: bool,
    /// The step of the loop it belongs to, from 1.
    pub iteration: u32,
}

/// How a reply came about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// Who planned.
    pub provider: Provider,
    /// Was it about the trade?
    pub scope: ScopeMark,
    /// What the question names.
    pub entities: Entities,
    /// The calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Steps of the loop.
    pub iterations: u32,
    /// Answers sent back for correction.
    pub corrections: u32,
    /// Systems whose last picture was shown because they do not answer.
    pub degraded: Vec<String>,
    /// A write that waits for a yes.
    pub pending: Option<Value>,
    /// The whole turn, in whole milliseconds.
    pub ms: u64,
}

impl Trace {
    /// The trace as JSON without the calls, for whoever keeps those apart.
    pub fn without_calls(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(object) = value.as_object_mut() {
            object.remove("tool_calls");
        }
        value
    }
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Printed<'a> {
            reply: &'a str,
            full: &'a str,
            truncated: bool,
            markdown: &'a str,
            #[serde(flatten)]
            trace: &'a Trace,
        }
        let printed = Printed {
            reply: &self.text,
            full: &self.full,
            truncated: self.truncated,
            markdown: &self.markdown,
            trace: &self.trace,
        };
        printed.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_type() {
        for (content_type, kind) in [
            ("image/jpeg", Kind::Photo),
            ("image/webp", Kind::Sticker),
            ("audio/ogg; codecs=opus", Kind::Audio),
            ("application/pdf", Kind::Document),
            ("text/x-vcard", Kind::Contact),
            ("video/mp4", Kind::Video),
            ("application/octet-stream", Kind::Other),
            ("", Kind::Other),
        ] {
            assert_eq!(Kind::of(content_type), kind, "{content_type}");
        }
    }
}
