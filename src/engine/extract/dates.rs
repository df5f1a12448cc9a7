//! Days in words: `hoy`, `ayer`, `la semana pasada`, `últimos 7 días`, `desde el lunes`, `en noviembre`.
//!
//! Calendar words mean whole local days of the zone asked about; a rolling period ends now
//! (`catalog.toml`, rules.week and rules.time_zone). The words found are masked.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::domain::entities::DateRange;
use crate::planner::features::mask;

/// What the words say of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dated {
    /// Days or instants.
    pub range: Option<DateRange>,
    /// A rolling period (`7d`, `24h`).
    pub period: Option<String>,
    /// A bare span of hours (`más de 72 horas`).
    pub hours: Option<f64>,
    /// A day was named that is still to come or is none (`mañana`, `31 de noviembre`).
    pub unread: bool,
}

/// A rolling period longer than this is no question of the day.
const DAYS_MAX: i64 = 3650;

/// Spans of time, in words.
const SPANS: [&str; 12] = [
    "minuto",
    "minutos",
    "semana",
    "semanas",
    "quincena",
    "mes",
    "meses",
    "trimestre",
    "semestre",
    "ano",
    "anos",
    "madrugada",
];

struct Reader<'a> {
    words: &'a mut Vec<String>,
    now: Timestamp,
    today: Date,
}

/// Finds the first span of time in the words and masks it.
pub fn take(words: &mut Vec<String>, now: Timestamp, tz: &TimeZone) -> Dated {
    let today = now.to_zoned_datetime(tz.clone()).date();
    let mut reader = Reader { words, now, today };
    let mut dated = Dated::default();
    let mut at = 0;
    while at < reader.words.len() {
        if let Some(used) = reader.to_come(at) {
            dated.unread = true;
            reader.mask(at, used, mask::DATE);
        } else if let Some((hours, used)) = reader.standing(at) {
            dated.hours = dated.hours.or(Some(hours));
            reader.mask(at, used, mask::NUMBER);
        } else if let Some((period, hours, used)) = reader.rolling(at) {
            if dated.range.is_none() {
                let from = now.checked_sub(Span::new().hours(hours)).unwrap_or(now);
                dated.range = Some(DateRange {
                    from: seconds(from),
                    to: seconds(reader.now),
                });
                dated.period = Some(period);
            }
            reader.mask(at, used, mask::DATE);
        } else if let Some((from, to, used)) = reader.calendar(at) {
            dated.range = dated.range.or(Some(DateRange {
                from: from.to_string(),
                to: to.to_string(),
            }));
            reader.mask(at, used, mask::DATE);
        } else if let Some(used) = reader.no_day(at) {
            dated.unread = true;
            reader.mask(at, used, mask::DATE);
        }
        at += 1;
    }
    // *la quincena pasada*, *la primera semana*: a time was said that is none of these.
    let left = (0..reader.words.len()).find(|at| {
        let by = matches!(reader.word(at.wrapping_sub(1)), "por" | "cada");
        SPANS.contains(&reader.word(*at)) && !by
    });
    if let Some(at) = left {
        dated.unread = true;
        reader.mask(at, 1, mask::DATE);
    }
    dated
}

fn seconds(instant: Timestamp) -> String {
    Timestamp::from_second(instant.as_second())
        .unwrap_or(instant)
        .to_string()
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// Do these words stand here?
    fn says(&self, at: usize, wanted: &[&str]) -> bool {
        wanted.iter().zip(at..).all(|(word, at)| self.word(at) == *word)
    }

    fn mask(&mut self, at: usize, used: usize, mask: &str) {
        let end = (at + used).min(self.words.len());
        self.words.splice(at..end, [mask.to_owned()]);
    }

    fn number(&self, at: usize) -> Option<i64> {
        match self.word(at) {
            "un" | "una" => Some(1),
            "dos" => Some(2),
            "tres" => Some(3),
            "cuatro" => Some(4),
            "cinco" => Some(5),
            "siete" => Some(7),
            "diez" => Some(10),
            "quince" => Some(15),
            "treinta" => Some(30),
            word => word.parse().ok().filter(|n| (1..=DAYS_MAX * 24).contains(n)),
        }
    }

    /// `48 horas`, `7 dias`, `2 semanas`, `48h`: hours, words used, and the catalogue's period.
    fn amount(&self, at: usize) -> Option<(String, i64, usize)> {
        let compact = self.word(at);
        let split = compact
            .find(|c: char| !c.is_ascii_digit())
            .and_then(|i| compact.split_at_checked(i));
        let (number, unit, used) = match split {
            Some((digits, unit)) if !digits.is_empty() => (digits.parse().ok()?, unit, 1),
            _ => (self.number(at)?, self.word(at + 1), 2),
        };
        let (hours, days) = match unit {
            "h" | "hora" | "horas" | "hour" | "hours" => (number, None),
            "d" | "dia" | "dias" | "day" | "days" => (number * 24, Some(number)),
            "semana" | "semanas" | "week" | "weeks" => (number * 168, Some(number * 7)),
            "mes" | "meses" | "month" | "months" => (number * 720, Some(number * 30)),
            _ => return None,
        };
        let sound = hours > 0 && hours <= DAYS_MAX * 24;
        sound.then(|| {
            (
                days.map_or_else(|| format!("{hours}h"), |d| format!("{d}d")),
                hours,
                used,
            )
        })
    }

    /// Words of a time still to come: `mañana`, `la próxima semana`, `el lunes que viene`.
    fn to_come(&self, at: usize) -> Option<usize> {
        let named = |at: usize| {
            let word = self.word(at);
            matches!(word, "semana" | "mes" | "ano" | "turno") || weekday(word).is_some()
        };
        let next = |at: usize| matches!(self.word(at), "proximo" | "proxima" | "proximos" | "proximas" | "next");
        match () {
            () if self.says(at, &["pasado", "manana"]) => Some(2),
            () if matches!(self.word(at), "manana" | "tomorrow" | "amanha") => {
                (self.word(at.wrapping_sub(1)) != "la").then_some(1)
            }
            () if next(at) && named(at + 1) => Some(2),
            () if next(at) => self.amount(at + 1).map(|(_, _, used)| used + 1),
            () if named(at) && next(at + 1) => Some(2),
            () if named(at) && self.says(at + 1, &["que", "viene"]) => Some(3),
            () => None,
        }
    }

    /// `31 de noviembre`: said as a day, and none.
    fn no_day(&self, at: usize) -> Option<usize> {
        let written = self.word(at).strip_prefix("xday").is_some();
        let spelt = self.number(at).is_some() && self.word(at + 1) == "de" && month(self.word(at + 2)).is_some();
        match (written, spelt) {
            (true, _) => Some(1),
            (false, true) => Some(3),
            (false, false) => None,
        }
    }

    /// Is something told that happened (`cerradas hace 2 días`), not how long something lasts?
    fn happened(&self) -> bool {
        self.words.iter().any(|word| {
            ["cerr", "cread", "finaliz", "termin", "resuel", "asignaron"]
                .iter()
                .any(|stem| word.starts_with(stem))
                || matches!(
                    word.as_str(),
                    "creo" | "crearon" | "abrio" | "abrieron" | "closed" | "created"
                )
        })
    }

    /// How long something stands still: `más de 48 horas`, `hace 3 días`, `llevan 72h`.
    fn standing(&self, at: usize) -> Option<(f64, usize)> {
        let lead = match () {
            () if self.says(at, &["mas", "de"]) || self.says(at, &["hace", "mas"]) => {
                2 + usize::from(self.says(at, &["hace", "mas", "de"]))
            }
            () if self.says(at, &["hace"]) && self.word(at.wrapping_sub(1)) != "desde" && !self.happened() => 1,
            () if self.says(at, &["llevan"]) || self.says(at, &["lleva"]) => {
                1 + 2 * usize::from(self.says(at + 1, &["mas", "de"]))
            }
            () => return None,
        };
        let (_, hours, used) = self.amount(at + lead)?;
        Some((hours as f64, lead + used))
    }

    /// `últimos 7 días`, `última semana`, `desde hace 3 días`, `24h`.
    fn rolling(&self, at: usize) -> Option<(String, i64, usize)> {
        let last = |word: &str| {
            matches!(
                word,
                "ultimo" | "ultima" | "ultimos" | "ultimas" | "pasadas" | "pasados" | "last" | "past"
            )
        };
        if last(self.word(at)) {
            if let Some((period, hours, used)) = self.amount(at + 1) {
                return Some((period, hours, used + 1));
            }
            return match self.word(at + 1) {
                "hora" | "horas" => Some(("1h".to_owned(), 1, 2)).filter(|_| self.word(at + 1) == "hora"),
                "dia" => Some(("24h".to_owned(), 24, 2)),
                "semana" => Some(("7d".to_owned(), 168, 2)),
                "mes" => Some(("30d".to_owned(), 720, 2)),
                "trimestre" => Some(("90d".to_owned(), 2160, 2)),
                _ => None,
            };
        }
        if self.says(at, &["desde", "hace"]) {
            return self
                .amount(at + 2)
                .map(|(period, hours, used)| (period, hours, used + 2));
        }
        // A compact period stands alone; `7 dias` needs a word before it to be one.
        let (period, hours, used) = self.amount(at)?;
        let alone = used == 1 || matches!(self.word(at.wrapping_sub(1)), "en" | "los" | "las" | "a");
        alone.then_some((period, hours, used))
    }

    fn calendar(&self, at: usize) -> Option<(Date, Date, usize)> {
        let today = self.today;
        let monday = self.monday();
        let month = today.first_of_month();
        let back = |date: Date, days: i64| date.checked_sub(Span::new().days(days)).unwrap_or(date);
        if let Some(found) = self.between(at) {
            return Some(found);
        }
        let week_past = (back(monday, 7), back(monday, 1));
        let month_past = (back(month, 1).first_of_month(), back(month, 1));
        let fixed: &[(&[&str], (Date, Date))] = &[
            (&["esta", "semana"], (monday, today)),
            (&["semana", "actual"], (monday, today)),
            (&["this", "week"], (monday, today)),
            (&["semana", "pasada"], week_past),
            (&["semana", "anterior"], week_past),
            (&["last", "week"], week_past),
            (&["fin", "de", "semana"], self.weekend()),
            (&["finde"], self.weekend()),
            (&["este", "mes"], (month, today)),
            (&["mes", "en", "curso"], (month, today)),
            (&["mes", "actual"], (month, today)),
            (&["mes", "pasado"], month_past),
            (&["mes", "anterior"], month_past),
            (&["este", "ano"], (today.first_of_year(), today)),
            (&["ano", "pasado"], self.year_past()),
            (&["ano", "anterior"], self.year_past()),
            (&["esta", "manana"], (today, today)),
            (&["esta", "tarde"], (today, today)),
            (&["anoche"], (back(today, 1), today)),
        ];
        // *de la semana* is this one, unless another is named.
        if self.says(at, &["de", "la", "semana"]) && !matches!(self.word(at + 3), "pasada" | "anterior") {
            return Some((monday, today, 3));
        }
        if self.says(at, &["del", "mes"]) && !matches!(self.word(at + 2), "pasado" | "anterior" | "de") {
            return Some((month, today, 2));
        }
        // *cerradas hace 2 días*: that day.
        if self.says(at, &["hace"]) && self.happened() {
            let (_, hours, used) = self.amount(at + 1).filter(|(_, hours, _)| hours % 24 == 0)?;
            let day = back(today, hours / 24);
            return Some((day, day, used + 1));
        }
        if let Some((words, (from, to))) = fixed.iter().find(|(words, _)| self.says(at, words)) {
            return Some((*from, *to, words.len()));
        }
        if let Some(found) = self.month(at) {
            return Some(found);
        }
        let (day, used) = self.day(at)?;
        Some((day, day, used))
    }

    /// `desde X [hasta Y]`, `del X al Y`, `entre X y Y`.
    fn between(&self, at: usize) -> Option<(Date, Date, usize)> {
        let article = |at: usize| usize::from(matches!(self.word(at), "el" | "las" | "la"));
        let first = at + 1 + article(at + 1);
        match self.word(at) {
            "desde" => {
                let (from, used) = self.day(first)?;
                let next = first + used;
                let to = matches!(self.word(next), "hasta" | "al" | "a").then(|| {
                    let start = next + 1 + article(next + 1);
                    self.day(start).map(|(day, used)| (day, start + used))
                });
                match to.flatten() {
                    Some((to, end)) if to >= from => Some((from, to, end - at)),
                    _ => Some((from, self.today, next - at)),
                }
            }
            "del" | "entre" => {
                let closing: &[&str] = if self.word(at) == "del" {
                    &["al", "hasta"]
                } else {
                    &["y"]
                };
                let (from_day, used) = self
                    .day(first)
                    .map_or_else(|| self.number(first).map(|n| (Err(n), 1)), |(d, u)| Some((Ok(d), u)))?;
                let next = first + used;
                if !closing.contains(&self.word(next)) {
                    return None;
                }
                let second = next + 1 + article(next + 1);
                let (to, used) = self.day(second).or_else(|| self.day_of_month(second))?;
                let from = match from_day {
                    Ok(day) => day,
                    // `del 3 al 10 de noviembre`: the first takes the month of the second.
                    Err(n) => Date::new(to.year(), to.month(), i8::try_from(n).ok()?).ok()?,
                };
                (from <= to).then_some((from, to, second + used - at))
            }
            _ => None,
        }
    }

    /// A day of this month (or the last one that had it) by its number alone.
    fn day_of_month(&self, at: usize) -> Option<(Date, usize)> {
        let number = i8::try_from(self.number(at)?).ok()?;
        let this = Date::new(self.today.year(), self.today.month(), number).ok()?;
        Some((this, 1))
    }

    /// One day: `hoy`, `ayer`, `lunes`, `3 de noviembre`, `12/11`, `2026-11-12`.
    fn day(&self, at: usize) -> Option<(Date, usize)> {
        let today = self.today;
        let back = |days: i64| today.checked_sub(Span::new().days(days)).ok();
        match self.word(at) {
            "hoy" | "today" | "hoje" => return Some((today, 1)),
            "ayer" | "yesterday" | "ontem" => return Some((back(1)?, 1)),
            "anteayer" | "antier" | "antiayer" | "antayer" => return Some((back(2)?, 1)),
            "antes" if self.says(at, &["antes", "de", "ayer"]) => return Some((back(2)?, 3)),
            _ => {}
        }
        if let Some(weekday) = weekday(self.word(at)) {
            let since = i64::from(today.weekday().since(weekday));
            let past = self.word(at + 1) == "pasado";
            let days = if past && since == 0 { 7 } else { since };
            return Some((back(days)?, 1 + usize::from(past)));
        }
        if let Some(date) = self
            .word(at)
            .strip_prefix("xday")
            .and_then(|digits| digits.parse::<i32>().ok())
        {
            let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
            let month = i8::try_from(month).ok()?;
            let day = i8::try_from(day).ok()?;
            let given = match i16::try_from(year).ok()? {
                0 => self.not_ahead(month, day)?,
                year => Date::new(year, month, day).ok()?,
            };
            return Some((given, 1));
        }
        // `3 de noviembre [de 2026]`
        let number = i8::try_from(self.number(at)?).ok()?;
        if self.word(at + 1) != "de" {
            return None;
        }
        let month = month(self.word(at + 2))?;
        match self.year(at + 3) {
            Some((year, used)) => Some((Date::new(year, month, number).ok()?, 3 + used)),
            None => Some((self.not_ahead(month, number)?, 3)),
        }
    }

    /// That day this year, or last year when it is still to come.
    fn not_ahead(&self, month: i8, day: i8) -> Option<Date> {
        let this = Date::new(self.today.year(), month, day).ok()?;
        if this <= self.today {
            Some(this)
        } else {
            Date::new(self.today.year() - 1, month, day).ok()
        }
    }

    /// `en noviembre`, `noviembre de 2025`.
    fn month(&self, at: usize) -> Option<(Date, Date, usize)> {
        let named = month(self.word(at))?;
        // *31 de febrero* is no February.
        if self.word(at.wrapping_sub(1)) == "de" && self.number(at.wrapping_sub(2)).is_some() {
            return None;
        }
        let (first, used) = match self.year(at + 1) {
            Some((year, used)) => (Date::new(year, named, 1).ok()?, 1 + used),
            None => (self.not_ahead(named, 1)?, 1),
        };
        Some((first, first.last_of_month().min(self.today.max(first)), used))
    }

    fn year(&self, at: usize) -> Option<(i16, usize)> {
        let skip = usize::from(matches!(self.word(at), "de" | "del"));
        let year: i16 = self.word(at + skip).parse().ok()?;
        (2000..=2100).contains(&year).then_some((year, 1 + skip))
    }

    fn monday(&self) -> Date {
        let since = i64::from(self.today.weekday().since(Weekday::Monday));
        self.today.checked_sub(Span::new().days(since)).unwrap_or(self.today)
    }

    fn year_past(&self) -> (Date, Date) {
        let last = self.today.first_of_year().yesterday().unwrap_or(self.today);
        (last.first_of_year(), last)
    }

    /// The last Saturday and Sunday; on a weekend, this one.
    fn weekend(&self) -> (Date, Date) {
        let since = i64::from(self.today.weekday().since(Weekday::Saturday));
        let saturday = self.today.checked_sub(Span::new().days(since)).unwrap_or(self.today);
        let sunday = saturday.tomorrow().unwrap_or(saturday);
        (saturday, sunday.min(self.today))
    }
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "lunes" | "monday" => Weekday::Monday,
        "martes" | "tuesday" => Weekday::Tuesday,
        "miercoles" | "wednesday" => Weekday::Wednesday,
        "jueves" | "thursday" => Weekday::Thursday,
        "viernes" | "friday" => Weekday::Friday,
        "sabado" | "saturday" => Weekday::Saturday,
        "domingo" | "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ];
    let word = if word == "setiembre" { "septiembre" } else { word };
    (1_i8..)
        .zip(MONTHS)
        .find(|(_, name)| *name == word)
        .map(|(number, _)| number)
}

#[cfg(test)]
mod tests;
