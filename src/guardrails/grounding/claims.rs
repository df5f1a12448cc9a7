//! The claims of a text in their order: each piece is read once, by the first that knows it.

use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::Date;
use regex::{Captures, Regex};

use super::evidence::Evidence;
use super::facts::{Fact, Facts, bare_id};
use super::folded::{Folded, wordy};
use super::numbers::{Reading, readings, rounds_to, unit_seconds, word};
use super::patterns::{PATTERNS, month};
use super::{Claim, Kind, Verdict};

/// How a figure is hedged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hedge {
    Exact,
    About,
    MoreThan,
    LessThan,
}

/// Reads the claims of a text.
pub(super) fn read(answer: &Folded<'_>, evidence: &Evidence, claims: &mut Vec<Claim>) {
    let mut reading = Claims {
        blocks: blocks(&answer.text),
        text: answer.clone(),
        evidence,
        known: with_pairs(answer, evidence),
        claims,
    };
    reading.layout();
    reading.ids();
    reading.dates();
    reading.times();
    reading.percents();
    reading.compound();
    reading.durations();
    reading.zeros();
    reading.numbers();
    reading.words();
}

/// What follows from two figures that the text shows both.
struct Pairs {
    derived: Vec<Fact>,
    percents: Vec<Fact>,
}

fn with_pairs(answer: &Folded<'_>, evidence: &Evidence) -> Pairs {
    let mut shown: Vec<f64> = Vec::new();
    for found in PATTERNS.figure.iter().flat_map(|figure| figure.find_iter(&answer.text)) {
        shown.extend(readings(found.as_str()).into_iter().map(|r| r.value));
    }
    let is_shown = |value: f64| shown.iter().any(|s| (s - value).abs() < 1e-9);
    let mut pairs = Pairs {
        derived: Vec::new(),
        percents: Vec::new(),
    };
    for pair in &evidence.known.pairs {
        if is_shown(pair.operands.0) && is_shown(pair.operands.1) {
            let list = if pair.percent {
                &mut pairs.percents
            } else {
                &mut pairs.derived
            };
            list.push(Fact {
                value: pair.value,
                key: String::new(),
                row: None,
            });
        }
    }
    pairs
}

/// The paragraphs and list items of a text.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = vec![0];
    let mut at = 0;
    let mut blank = false;
    for line in text.split_inclusive('\n') {
        let item = line.trim_start().starts_with("- ")
            || PATTERNS
                .markers
                .as_ref()
                .and_then(|m| m.find(line))
                .is_some_and(|m| m.start() == 0);
        if at > 0 && (blank || item) {
            starts.push(at);
        }
        blank = line.trim().is_empty();
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(from, to)| from..to).collect()
}

/// A text being read.
struct Claims<'t, 'e> {
    text: Folded<'t>,
    blocks: Vec<Range<usize>>,
    evidence: &'e Evidence,
    known: Pairs,
    claims: &'e mut Vec<Claim>,
}

impl Claims<'_, '_> {
    fn claim(&mut self, kind: Kind, span: &Range<usize>, verdict: Verdict) {
        self.claims.push(Claim {
            text: self.text.original(span),
            kind,
            verdict,
            at: self.text.place(span),
        });
        self.text.eat(span);
    }

    /// Every match of a pattern as it now stands: its span and its parts.
    fn matches(&self, pattern: Option<&Regex>) -> Vec<(Range<usize>, Vec<Option<String>>)> {
        let parts = |found: &Captures<'_>| {
            found
                .iter()
                .map(|part| part.map(|m| m.as_str().to_owned()))
                .collect::<Vec<_>>()
        };
        let all = pattern.iter().flat_map(|p| p.captures_iter(&self.text.text));
        all.filter_map(|found| Some((found.get(0)?.range(), parts(&found))))
            .collect()
    }

    /// May a fact stand for a figure at this place? One of a long list's row only beside its name.
    fn near(&self, fact: &Fact, at: usize) -> bool {
        let Some(row) = fact.row else { return true };
        let block = self.blocks.iter().find(|block| block.contains(&at));
        let text = block.and_then(|block| self.text.whole_folded(block));
        let names = self.evidence.known.rows.get(row);
        match (text, names) {
            (Some(text), Some(names)) => names.iter().any(|name| text.contains(name.as_str())),
            _ => false,
        }
    }

    fn hit(&self, facts: &[Fact], reading: Reading, hedge: Hedge, at: usize) -> bool {
        let c = reading.value;
        facts.iter().any(|fact| {
            let e = fact.value;
            let fits = rounds_to(e, c, reading.decimals)
                || match hedge {
                    Hedge::Exact => false,
                    Hedge::About => e != 0.0 && (e - c).abs() <= 0.1 * e.abs(),
                    Hedge::MoreThan => e > c && c >= 0.8 * e,
                    Hedge::LessThan => e < c && c <= 1.2 * e,
                };
            fits && self.near(fact, at)
        })
    }

    fn hedge(&self, at: usize) -> Hedge {
        let before = self.text.back(at, 20);
        let says = |p: &Option<Regex>| p.as_ref().is_some_and(|p| p.is_match(before));
        if says(&PATTERNS.more) {
            Hedge::MoreThan
        } else if says(&PATTERNS.less) {
            Hedge::LessThan
        } else if says(&PATTERNS.about) {
            Hedge::About
        } else {
            Hedge::Exact
        }
    }

    /// Addresses of pages and the numbers of a list say nothing.
    fn layout(&mut self) {
        for pattern in [PATTERNS.urls.as_ref(), PATTERNS.markers.as_ref()] {
            for (span, _) in self.matches(pattern) {
                self.text.eat(&span);
            }
        }
    }

    fn ids(&mut self) {
        for (span, parts) in self.matches(PATTERNS.ids.as_ref()) {
            let id = bare_id(parts.first().cloned().flatten().unwrap_or_default().as_str());
            let masked = self.text.rest(span.end).starts_with(['*', '•']);
            let known = |facts: &Facts| facts.ids.contains(&id) || facts.ids.contains(id.trim_start_matches('+'));
            let verdict = if known(&self.evidence.known) || masked {
                Verdict::Grounded
            } else if known(&self.evidence.echoed) {
                Verdict::Echoed
            } else {
                Verdict::Unsupported
            };
            self.claim(Kind::Id, &span, verdict);
        }
    }

    fn dates(&mut self) {
        for (span, parts) in self.matches(PATTERNS.dates.as_ref()) {
            let part = |n: usize| parts.get(n).cloned().flatten();
            let number = |n: usize| part(n).and_then(|text| text.parse::<i16>().ok());
            let (year, month, day) = if let Some(year) = number(1) {
                (Some(year), number(2), number(3))
            } else if let Some(day) = number(4) {
                let year = number(6).map(|y| if y < 100 { 2000 + y } else { y });
                (year, number(5), Some(day))
            } else {
                let month = part(8).and_then(|name| month(&name));
                (number(9), month, number(7))
            };
            let (Some(month), Some(day)) = (month, day) else {
                continue;
            };
            if !(1..=12).contains(&month) || !(1..=31).contains(&day) || self.text.rest(span.end).starts_with('%') {
                continue;
            }
            let is = |date: &Date| {
                i16::from(date.month()) == month
                    && i16::from(date.day()) == day
                    && year.is_none_or(|y| y == date.year())
            };
            let today = self.evidence.reader.zones.first().map(|zone| {
                let now = self.evidence.reader.now.to_zoned_datetime(zone.clone());
                now.date()
            });
            let near = today.into_iter().flat_map(|today| {
                [-1, 0, 1]
                    .into_iter()
                    .filter_map(move |days: i64| today.checked_add(days.days()).ok())
            });
            let verdict = if self.evidence.known.dates.iter().any(is) {
                Verdict::Grounded
            } else if self.evidence.echoed.dates.iter().any(is) {
                Verdict::Echoed
            } else if near.into_iter().any(|date| is(&date)) {
                Verdict::Exempt
            } else {
                Verdict::Unsupported
            };
            self.claim(Kind::Date, &span, verdict);
        }
    }

    fn times(&mut self) {
        for (span, parts) in self.matches(PATTERNS.times.as_ref()) {
            let part = |n: usize| parts.get(n).cloned().flatten().and_then(|text| text.parse::<i8>().ok());
            let (Some(hour), Some(minute)) = (part(1), part(2)) else {
                continue;
            };
            let verdict = if self.evidence.known.times.contains(&(hour, minute)) {
                Verdict::Grounded
            } else if self.evidence.echoed.times.contains(&(hour, minute)) {
                Verdict::Echoed
            } else {
                Verdict::Unsupported
            };
            self.claim(Kind::Time, &span, verdict);
        }
    }

    /// The first of the verdicts that one of the readings earns.
    fn judge(&self, figure: &str, stores: &[(&[Fact], Verdict)], at: usize) -> Verdict {
        let hedge = self.hedge(at);
        for (facts, verdict) in stores {
            let hedge = if *verdict == Verdict::Echoed {
                Hedge::Exact
            } else {
                hedge
            };
            if readings(figure).into_iter().any(|r| self.hit(facts, r, hedge, at)) {
                return *verdict;
            }
        }
        Verdict::Unsupported
    }

    fn percents(&mut self) {
        // Fields whose unit depends on what is measured.
        let measures = |fact: &&Fact| {
            matches!(fact.key.as_str(), "value" | "warning" | "critical" | "min" | "max")
                || fact.key.ends_with("threshold")
        };
        let unit_free: Vec<Fact> = self.evidence.known.numbers.iter().filter(measures).cloned().collect();
        for (span, parts) in self.matches(PATTERNS.percents.as_ref()) {
            let figure = parts.get(1).cloned().flatten().unwrap_or_default();
            let verdict = self.judge(
                &figure,
                &[
                    (&self.evidence.known.percents, Verdict::Grounded),
                    (&self.evidence.known.percents_derived, Verdict::Derived),
                    (&self.known.percents, Verdict::Derived),
                    (&unit_free, Verdict::Derived),
                    (&self.evidence.echoed.percents, Verdict::Echoed),
                ],
                span.start,
            );
            self.claim(Kind::Percent, &span, verdict);
        }
    }

    /// `4 h 12 min`, `2 d 5 h`.
    fn compound(&mut self) {
        for (span, parts) in self.matches(PATTERNS.compound.as_ref()) {
            let part = |n: usize| parts.get(n).cloned().flatten().unwrap_or_default();
            let (Some(large), Some(small)) = (unit_seconds(&part(2)), unit_seconds(&part(4))) else {
                continue;
            };
            // `12 h 30 h` is two spans; after hours an `m` is minutes.
            let Some(rest) = part(3).parse::<f64>().ok().filter(|_| small < large) else {
                continue;
            };
            let spans = readings(&part(1))
                .into_iter()
                .map(|r| (r.value * large + rest * small, small))
                .collect::<Vec<_>>();
            let verdict = self.span_verdict(&spans, span.start);
            self.claim(Kind::Duration, &span, verdict);
        }
    }

    fn durations(&mut self) {
        for (span, parts) in self.matches(PATTERNS.duration.as_ref()) {
            let part = |n: usize| parts.get(n).cloned().flatten().unwrap_or_default();
            if wordy(self.text.before(span.start)) {
                continue;
            }
            let Some(unit) = unit_seconds(&part(2)) else { continue };
            let figures = readings(&part(1));
            let spans: Vec<(f64, f64)> = figures
                .iter()
                .map(|r| (r.value * unit, unit / 10_f64.powi(r.decimals)))
                .collect();
            let mut verdict = self.span_verdict(&spans, span.start);
            if verdict == Verdict::Unsupported {
                verdict = self.bare(&figures, unit, span.start);
            }
            self.claim(Kind::Duration, &span, verdict);
        }
    }

    /// Spans of time with what the smallest unit shown is, against the known ones.
    fn span_verdict(&self, spans: &[(f64, f64)], at: usize) -> Verdict {
        let hedge = self.hedge(at);
        let (known, echoed) = (&self.evidence.known, &self.evidence.echoed);
        let stores = [
            (&known.durations, Verdict::Grounded),
            (&known.durations_derived, Verdict::Derived),
            (&echoed.durations, Verdict::Echoed),
        ];
        for (facts, verdict) in stores {
            for (c, unit) in spans {
                let fits = |fact: &&Fact| {
                    let e = fact.value;
                    let exact = (e - c).abs() <= unit / 2.0 + 1e-6;
                    let hedged = match hedge {
                        Hedge::Exact => false,
                        Hedge::About => (e - c).abs() <= 0.1 * e,
                        Hedge::MoreThan => e > *c && *c >= 0.8 * e,
                        Hedge::LessThan => e < *c && *c <= 1.2 * e,
                    };
                    (exact || hedged) && self.near(fact, at)
                };
                if facts.iter().any(|fact| fits(&fact)) {
                    return verdict;
                }
            }
        }
        // *más de 48 h* where how many are beyond 48 was counted, or asked for by its key.
        let counted = |hours: f64| {
            let beyond = format!(">{hours}");
            let in_key = format!("{hours}h");
            known.derived.iter().any(|f| f.key.ends_with(&beyond))
                || known.numbers.iter().any(|f| f.key.contains(&in_key))
        };
        if matches!(hedge, Hedge::MoreThan | Hedge::LessThan)
            && spans.iter().any(|(c, _)| counted((c / 3600.0).floor()))
        {
            return Verdict::Derived;
        }
        Verdict::Unsupported
    }

    /// A figure whose field does not say its unit.
    fn bare(&self, figures: &[Reading], unit: f64, at: usize) -> Verdict {
        let unit_free = |fact: &Fact| super::facts::duration_unit(&fact.key).is_none_or(|own| own == unit);
        let fits = |facts: &[Fact]| {
            let facts: Vec<Fact> = facts.iter().filter(|fact| unit_free(fact)).cloned().collect();
            figures.iter().any(|r| self.hit(&facts, *r, Hedge::Exact, at))
        };
        if fits(&self.evidence.known.numbers) {
            Verdict::Derived
        } else if fits(&self.evidence.echoed.numbers) {
            Verdict::Echoed
        } else {
            Verdict::Unsupported
        }
    }

    /// *No hay alarmas*: some list was empty, or some figure is zero.
    fn zeros(&mut self) {
        for (span, parts) in self.matches(PATTERNS.zero.as_ref()) {
            let said = parts.first().cloned().flatten().unwrap_or_default();
            // *sin gestor*, *sin tarea* are states of a thing, and *sin tareas activas* is none.
            let state = said.starts_with("sin ") && !said.ends_with('s') && !said.contains("tareas");
            if state || said.contains("sin gestor") || said.contains("sin asign") {
                continue;
            }
            let known = &self.evidence.known;
            let zero = |facts: &[Fact]| facts.iter().any(|fact| fact.value == 0.0);
            let grounded = known.empty || zero(&known.numbers) || zero(&known.derived);
            let verdict = if grounded {
                Verdict::Grounded
            } else {
                Verdict::Unsupported
            };
            self.claim(Kind::Zero, &span, verdict);
        }
    }

    fn numbers(&mut self) {
        for (span, parts) in self.matches(PATTERNS.figure.as_ref()) {
            let inside = |c: Option<char>| wordy(c) || matches!(c, Some('-' | '/'));
            let before = self.text.before(span.start);
            let negative = before == Some('-') && !wordy(self.text.before(span.start.saturating_sub(1)));
            if (inside(before) && !negative) || matches!(before, Some('.' | ',')) {
                continue;
            }
            let after = self.text.after(span.end);
            if wordy(after) || after == Some('-') {
                continue;
            }
            let figure = parts.first().cloned().flatten().unwrap_or_default();
            let verdict = self.judge(
                &figure,
                &[
                    (&self.evidence.known.numbers, Verdict::Grounded),
                    (&self.evidence.known.derived, Verdict::Derived),
                    (&self.known.derived, Verdict::Derived),
                    (&self.evidence.echoed.numbers, Verdict::Echoed),
                ],
                span.start,
            );
            self.claim(Kind::Number, &span, verdict);
        }
    }

    fn words(&mut self) {
        for (span, parts) in self.matches(PATTERNS.words.as_ref()) {
            let part = |n: usize| parts.get(n).cloned().flatten().unwrap_or_default();
            let tens = word(&part(1)).unwrap_or_default();
            let figure = f64::from(tens + word(&part(2)).unwrap_or_default());
            let one = matches!(part(1).as_str(), "un" | "una" | "uno") && part(2).is_empty();
            let counts = PATTERNS
                .only_one
                .as_ref()
                .is_some_and(|p| p.is_match(self.text.back(span.start, 12)));
            if one && !counts {
                continue;
            }
            let reading = Reading {
                value: figure,
                decimals: 0,
            };
            let (known, echoed) = (&self.evidence.known, &self.evidence.echoed);
            let hit = |facts: &[Fact]| self.hit(facts, reading, Hedge::Exact, span.start);
            let verdict = if hit(&known.numbers) || hit(&known.derived) {
                Verdict::Grounded
            } else if hit(&echoed.numbers) {
                Verdict::Echoed
            } else {
                Verdict::Unsupported
            };
            self.claim(Kind::NumberWord, &span, verdict);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_paragraphs_and_items() {
        let text = "título\n\n1. uno\nsigue\n2. dos\n\n- tres\n";
        let parts: Vec<&str> = blocks(text).into_iter().map(|b| text.get(b).unwrap().trim()).collect();
        assert_eq!(parts, ["título", "1. uno\nsigue", "2. dos", "- tres"]);
    }
}
