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
}

/// A rolling period longer than this is no question of the day.
const DAYS_MAX: i64 = 3650;

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
        if let Some((hours, used)) = reader.standing(at) {
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
        } else if reader.word(at) == "manana" && reader.word(at.wrapping_sub(1)) != "la" {
            reader.mask(at, 1, mask::DATE);
        }
        at += 1;
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

    /// How long something stands still: `más de 48 horas`, `hace 3 días`, `llevan 72h`.
    fn standing(&self, at: usize) -> Option<(f64, usize)> {
        let lead = match () {
            () if self.says(at, &["mas", "de"]) || self.says(at, &["hace", "mas"]) => {
                2 + usize::from(self.says(at, &["hace", "mas", "de"]))
            }
            () if self.says(at, &["hace"]) && self.word(at.wrapping_sub(1)) != "desde" => 1,
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
            (&["del", "mes"], (month, today)),
            (&["mes", "pasado"], month_past),
            (&["mes", "anterior"], month_past),
            (&["este", "ano"], (today.first_of_year(), today)),
            (&["esta", "manana"], (today, today)),
            (&["esta", "tarde"], (today, today)),
            (&["anoche"], (back(today, 1), today)),
        ];
        // *de la semana* is this one, unless another is named.
        if self.says(at, &["de", "la", "semana"]) && !matches!(self.word(at + 3), "pasada" | "anterior") {
            return Some((monday, today, 3));
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
mod tests {
    use super::*;
    use crate::planner::features::raw_words;

    /// Monday, 23 November 2026, noon in Santiago.
    fn read(text: &str) -> (Dated, String) {
        let mut words = raw_words(text);
        let now = "2026-11-23T15:00:00Z".parse().unwrap();
        let dated = take(&mut words, now, &TimeZone::get("America/Santiago").unwrap());
        (dated, words.join(" "))
    }

    #[test]
    fn calendar_words_are_whole_local_days() {
        for (text, from, to) in [
            ("tareas de hoy", "2026-11-23", "2026-11-23"),
            ("cerradas ayer", "2026-11-22", "2026-11-22"),
            ("anteayer", "2026-11-21", "2026-11-21"),
            ("antes de ayer", "2026-11-21", "2026-11-21"),
            ("mttr de la semana pasada", "2026-11-16", "2026-11-22"),
            ("numeros de la semana", "2026-11-23", "2026-11-23"),
            ("la semana pasada", "2026-11-16", "2026-11-22"),
            ("esta semana", "2026-11-23", "2026-11-23"),
            ("el lunes", "2026-11-23", "2026-11-23"),
            ("el lunes pasado", "2026-11-16", "2026-11-16"),
            ("desde el viernes", "2026-11-20", "2026-11-23"),
            ("desde el lunes hasta hoy", "2026-11-23", "2026-11-23"),
            ("en noviembre", "2026-11-01", "2026-11-23"),
            ("en diciembre", "2025-12-01", "2025-12-31"),
            ("octubre de 2025", "2025-10-01", "2025-10-31"),
            ("este mes", "2026-11-01", "2026-11-23"),
            ("el mes pasado", "2026-10-01", "2026-10-31"),
            ("del 3 al 10 de noviembre", "2026-11-03", "2026-11-10"),
            ("entre el 3 y el 10", "2026-11-03", "2026-11-10"),
            ("3 de diciembre", "2025-12-03", "2025-12-03"),
            ("el fin de semana", "2026-11-21", "2026-11-22"),
            ("desde xday20261101", "2026-11-01", "2026-11-23"),
            ("el xday1112", "2026-11-12", "2026-11-12"),
        ] {
            let range = read(text).0.range.unwrap_or_else(|| panic!("{text}"));
            assert_eq!((range.from.as_str(), range.to.as_str()), (from, to), "{text}");
        }
    }

    #[test]
    fn a_rolling_period_ends_now() {
        for (text, period) in [
            ("mttr ultimos 7 dias", "7d"),
            ("ultimas 24 horas", "24h"),
            ("ultima semana", "7d"),
            ("kpi 30d", "30d"),
            ("ult 3 dias", "3d"),
            ("desde hace 2 dias", "2d"),
            ("las ultimas 2 semanas", "14d"),
        ] {
            let dated = read(text).0;
            assert_eq!(dated.period.as_deref(), Some(period), "{text}");
            assert_eq!(dated.range.unwrap().to, "2026-11-23T15:00:00Z");
        }
    }

    #[test]
    fn how_long_something_stands_still_is_no_date() {
        for (text, hours) in [
            ("sin movimiento hace 48 horas", 48.0),
            ("mas de 3 dias sin avance", 72.0),
            ("llevan mas de 72h", 72.0),
        ] {
            let dated = read(text).0;
            assert_eq!((dated.hours, dated.range), (Some(hours), None), "{text}");
        }
    }

    #[test]
    fn the_words_of_a_date_are_masked() {
        assert_eq!(read("tareas cerradas la semana pasada").1, "tareas cerradas la xdate");
        assert_eq!(read("dame 5 tareas").1, "dame 5 tareas");
        assert_eq!(
            read("que trabajos tengo para manana").1,
            "que trabajos tengo para xdate"
        );
    }

    #[test]
    fn impossible_dates_are_nothing() {
        for text in ["31 de febrero", "el 40 de mayo", "ultimos 999999 dias", "xday20261350"] {
            assert_eq!(read(text).0.range, None, "{text}");
        }
    }
}
