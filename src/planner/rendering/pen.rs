//! What every rendering writes with: words, durations, local times, the footer.

use std::fmt::Display;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::domain::answer::{Answer, Item, Line, Severity, Source};
use crate::domain::ids::Zone;
use crate::domain::period::Moment;
use crate::domain::sets::{AlarmSeverity, Criticality, System};
use crate::format::phrases;
use crate::tools::Cx;

/// The longest suggestion: a button of WhatsApp, characters.
const SUGGESTION_CHARS_MAX: usize = 20;
/// The longest free text of a record in a line, characters.
const DATA_CHARS_MAX: usize = 200;

/// A phrase of `templates/es/tools.toml`.
pub(super) fn say(key: &str, args: &[(&str, &dyn Display)]) -> String {
    phrases().say(&format!("tools.{key}"), args)
}

/// The word for a value of a closed set, singular or plural by `n`.
pub(super) fn word(set: &str, value: &str, n: u64) -> String {
    say(&format!("{set}.{value}"), &[("n", &n)])
}

/// The word for a value of an open set; the value itself when there is none.
pub(super) fn word_or_itself(set: &str, value: &str) -> String {
    let key = format!("{set}.{value}");
    if phrases().has(&format!("tools.{key}")) {
        say(&key, &[("n", &1)])
    } else {
        flat(value)
    }
}

/// `a, b y c`.
pub(super) fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => say("and", &[("list", &first.join(", ")), ("last", last)]),
    }
}

/// A record's free text on one line, at most 200 characters.
pub(super) fn flat(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(DATA_CHARS_MAX) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or(&line).trim_end()),
        None => line,
    }
}

/// Hours as people say them: `45 min`, `47 h`, `2 d 2 h`.
pub fn duration(hours: f64) -> String {
    let minutes = (hours.max(0.0) * 60.0).round();
    if minutes < 60.0 {
        return say("duration.min", &[("figure", &minutes)]);
    }
    let whole = hours.round();
    if whole < 48.0 {
        return say("duration.h", &[("figure", &whole)]);
    }
    let (days, rest) = ((whole / 24.0).floor(), whole % 24.0);
    if rest == 0.0 {
        say("duration.d", &[("figure", &days)])
    } else {
        say("duration.d_h", &[("days", &days), ("hours", &rest)])
    }
}

/// Hours that may not be known: `6 h` or N/D.
pub fn hours(figure: Option<f64>) -> String {
    match figure {
        Some(hours) => say("duration.h", &[("figure", &hours)]),
        None => say("no_figure", &[]),
    }
}

/// The severity that a criticality counts for.
pub(super) fn severity_of(criticality: Criticality) -> Severity {
    match criticality {
        Criticality::Critical => Severity::Critical,
        Criticality::High => Severity::High,
        Criticality::Medium => Severity::Normal,
        Criticality::Low => Severity::Low,
    }
}

/// The severity that an alarm's counts for.
pub(super) fn severity_of_alarm(severity: AlarmSeverity) -> Severity {
    match severity {
        AlarmSeverity::Critical => Severity::Critical,
        AlarmSeverity::Major => Severity::High,
        AlarmSeverity::Minor => Severity::Normal,
        AlarmSeverity::Warning => Severity::Low,
    }
}

/// A numbered item of a list.
pub(super) fn item(text: String, severity: Severity, subject: impl Display) -> Item {
    Item {
        text,
        severity,
        group: None,
        subject: Some(subject.to_string()),
        numbered: true,
    }
}

/// A line of a list that counts for no number and no subject.
pub(super) fn plain_item(text: String, severity: Severity, group: Option<&str>) -> Item {
    Item {
        text,
        severity,
        group: group.map(str::to_owned),
        subject: None,
        numbered: false,
    }
}

/// An answer that begins with a bold title.
pub(super) fn titled(text: String) -> Answer {
    Answer::default().title(text)
}

/// Who writes: the context, and the zone whose clock is shown.
pub(super) struct Pen<'a> {
    pub(super) cx: Cx<'a>,
    zone: Option<Zone>,
}

impl<'a> Pen<'a> {
    pub(super) fn new(cx: Cx<'a>, zone: Option<Zone>) -> Self {
        Self { cx, zone }
    }

    /// The time zone of the zone asked about, else the operator's.
    pub(super) fn tz(&self) -> &'a TimeZone {
        self.cx.tz(self.zone.as_ref())
    }

    /// An instant as the reader's clock shows it: `10:41` today, else `29/11 10:41`, with the
    /// year when it is another.
    pub(super) fn at(&self, instant: Timestamp) -> String {
        self.at_in(instant, self.tz())
    }

    /// The same by the clock of that zone.
    pub(super) fn at_zone(&self, instant: Timestamp, zone: &Zone) -> String {
        self.at_in(instant, self.cx.tz(Some(zone)))
    }

    fn at_in(&self, instant: Timestamp, tz: &TimeZone) -> String {
        let local = instant.to_zoned_datetime(tz.clone());
        let today = self.cx.now.to_zoned_datetime(tz.clone());
        let form = if local.date() == today.date() {
            "%H:%M"
        } else if local.year() == today.year() {
            "%d/%m %H:%M"
        } else {
            "%d/%m/%Y %H:%M"
        };
        local.strftime(form).to_string()
    }

    /// The local day of an instant: `29/11`.
    pub(super) fn day(&self, instant: Timestamp) -> String {
        instant
            .to_zoned_datetime(self.tz().clone())
            .strftime("%d/%m")
            .to_string()
    }

    /// An instant that may not be known.
    pub(super) fn at_or_unknown(&self, instant: Option<Timestamp>) -> String {
        instant.map_or_else(|| say("unknown", &[]), |at| self.at(at))
    }

    /// `zona norte`, or the whole network.
    pub(super) fn zone_title(&self, zone: Option<&Zone>) -> String {
        match zone {
            Some(zone) => say("zone.title", &[("zone", zone)]),
            None => say("zone.all", &[]),
        }
    }

    /// Puts the footer, the sources, and only suggestions that fit a button.
    pub(super) fn signed(&self, mut answer: Answer, systems: &[System]) -> Answer {
        answer.suggestions.retain(|s| s.chars().count() <= SUGGESTION_CHARS_MAX);
        answer.sources = systems
            .iter()
            .map(|system| Source {
                system: *system,
                as_of: self.cx.world.as_of(*system),
                live: self.cx.world.live(*system),
                down_since: self.cx.world.down_since(*system),
            })
            .collect();
        answer.footer = self.footer(&answer.sources);
        answer
    }

    /// `Tareas, Red y Sitios 10:41`: systems of one time stand together. One that does not answer says so first:
    /// `Tareas sin conexión desde 10:42; datos de las 10:41`.
    pub(super) fn footer(&self, sources: &[Source]) -> String {
        let mut groups: Vec<(&Source, Vec<String>)> = vec![];
        for source in sources {
            let name = word("source", source.system.as_str(), 1);
            let alike = |first: &Source| {
                first.live == source.live
                    && self.at(first.as_of) == self.at(source.as_of)
                    && first.down_since.map(|at| self.at(at)) == source.down_since.map(|at| self.at(at))
            };
            match groups.iter_mut().find(|(first, _)| alike(first)) {
                Some((_, names)) => names.push(name),
                None => groups.push((source, vec![name])),
            }
        }
        groups.sort_by_key(|(source, _)| source.live);
        let lines = groups.into_iter().map(|(source, names)| {
            let systems = list(&names);
            let never = source.as_of <= Timestamp::UNIX_EPOCH;
            if source.live {
                return say(
                    "source.line",
                    &[("systems", &systems), ("time", &self.at(source.as_of))],
                );
            }
            match source.down_since {
                None if never => say("source.unread", &[("systems", &systems)]),
                None => say(
                    "source.stale",
                    &[("systems", &systems), ("data", &self.data_of(source.as_of))],
                ),
                Some(since) if never => say(
                    "source.down_unread",
                    &[("systems", &systems), ("since", &self.since(since))],
                ),
                Some(since) => {
                    let args: [(&str, &dyn Display); 3] = [
                        ("systems", &systems),
                        ("since", &self.since(since)),
                        ("data", &self.data_of(source.as_of)),
                    ];
                    say("source.down", &args)
                }
            }
        });
        lines.collect::<Vec<_>>().join(" · ")
    }

    /// `10:42`, `ayer 10:42`, else `el 28/11 10:42`.
    fn since(&self, at: Timestamp) -> String {
        match self.days_ago(at) {
            0 => self.at(at),
            1 => say("source.yesterday", &[("time", &self.clock(at))]),
            _ => say("source.on_day", &[("day", &self.at(at))]),
        }
    }

    /// `datos de las 10:41`, `datos de ayer 10:41`, `datos del 28/11 10:41 (hace 2 días)`.
    fn data_of(&self, at: Timestamp) -> String {
        match self.days_ago(at) {
            0 => say("source.data_today", &[("time", &self.clock(at))]),
            1 => say("source.data_yesterday", &[("time", &self.clock(at))]),
            days => say("source.data_days", &[("day", &self.at(at)), ("n", &days)]),
        }
    }

    fn clock(&self, at: Timestamp) -> String {
        at.to_zoned_datetime(self.tz().clone()).strftime("%H:%M").to_string()
    }

    /// Local days between then and now.
    fn days_ago(&self, at: Timestamp) -> i64 {
        let day = |at: Timestamp| at.to_zoned_datetime(self.tz().clone()).date();
        let passed = day(at).until(day(self.cx.now)).map(|span| i64::from(span.get_days()));
        passed.unwrap_or_default().max(0)
    }
}

/// Adds a line when there is one.
pub(super) fn add(answer: &mut Answer, text: String) {
    answer.lead.push(Line { text, title: false });
}

impl Pen<'_> {
    /// A date or instant as an argument holds it: `2026-11-29` to `29/11`.
    pub(super) fn moment(&self, text: &str) -> String {
        match text.parse::<Moment>() {
            Ok(Moment::Day(day)) => day.strftime("%d/%m").to_string(),
            Ok(Moment::Instant(at)) => self.at(at),
            Err(_) => flat(text),
        }
    }
}
