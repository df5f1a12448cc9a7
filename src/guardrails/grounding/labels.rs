//! A figure and the word beside it: *31 abiertas* must be what is open, not merely be a figure
//! that some tool gave. Swapped labels pass any check of presence; here they do not.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::evidence::{Evidence, Labelled};
use super::facts::duration_unit;
use super::folded::{Folded, sentences, wordy};
use super::numbers::{Reading, pattern, readings, rounds_to, unit_seconds, word, words_pattern};
use super::patterns::NOUN;
use super::{Claim, Kind, Verdict};

/// Words that name a state of what is counted, with the keys that hold it, for answers of tools
/// whose schema has no labels.
const KEYS: &[(&str, &str)] = &[
    ("abiert", "open|abiert"),
    ("cerrad", "closed|cerrad"),
    ("escalad", "escalat|escalad"),
    ("sin gestor", "unassigned|sin_asignar"),
    ("sin asignar", "unassigned|sin_asignar"),
    ("en breach", "breach|overdue|vencid"),
    ("vencid", "breach|overdue|vencid"),
    ("estancad", "stalled|estancad"),
    ("alarmas? critic", "critical|critic"),
    ("tareas? activ", "active_tasks|tareas_activas"),
];

/// Labels that name no state: any figure may stand before them.
const GENERIC: &[&str] = &[
    "tareas",
    "total",
    "en total",
    "alarmas",
    "sitios",
    "cuadrillas",
    "equipos",
    "registros",
    "veces",
    "valor",
    "notas",
    "monitores",
    "filas",
    "clientes",
    "gestores",
    "movimientos",
    "unidades",
    "cantidad",
    "coincidencias",
    "resultados",
    "horas",
    "sobre",
    "desde",
    "quedan",
    "hace",
    "lleva",
    "umbral",
    "nivel",
    "prioridad",
    "posicion",
    "eventos",
    "accesos",
    "patrones",
    "comentarios",
    "personas",
    "promedio",
    "mediana",
    "ultimas",
    "restan",
    "distancia",
];
/// A label shorter than this is a unit or a sign.
const LABEL_CHARS_MIN: usize = 5;

struct Compiled {
    label: String,
    keys: Option<Regex>,
    claim: Option<Regex>,
}

static TABLE: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    let rows = KEYS.iter().map(|(label, keys)| Compiled {
        label: (*label).to_owned(),
        keys: pattern(keys),
        claim: claim_of(label),
    });
    rows.collect()
});

static HEDGED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?:\by\s|(?:mas de|sobre|menos de|casi|cerca de|alrededor de|unas|unos|aprox\w*\.?)\s*)\*?$")
});
static COMPARED: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^\w*\s+(?:mas|menos) que"));
static PHRASES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:^|[^\w.,:/-])(\d+|{})((?:[ \t]+[a-z]+){{1,5}})",
        words_pattern()
    ))
});
static SPANS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(\d+(?:[.,]\d+)?)\s*([a-z]+|%)"));

/// Figures that stand behind their word: `MTTR: 4.2 h`, `cumplimiento 92%`.
const NAMED: &[&str] = &["mttr", "cumplimiento"];

fn claim_of(label: &str) -> Option<Regex> {
    pattern(&format!(
        r"(?:^|[^\w.,:/-])(\d+|{})[ \t]+(?:{NOUN}[ \t]+)?(?:\w+[ \t]+)?{label}",
        words_pattern()
    ))
}

/// Reads the labelled figures of a text; only what is wrong becomes a claim.
pub(super) fn read(answer: &Folded<'_>, evidence: &Evidence, claims: &mut Vec<Claim>) {
    for row in TABLE.iter() {
        let (Some(keys), Some(claim)) = (&row.keys, &row.claim) else {
            continue;
        };
        // What was asked for by this word is what every figure of the answer is.
        if !answer
            .text
            .contains(row.label.split('?').next().unwrap_or_default().trim_end_matches('s'))
            || evidence.asked.iter().any(|asked| keys.is_match(asked))
        {
            continue;
        }
        let keyed = evidence
            .labelled
            .iter()
            .filter(|l| l.labels.is_empty() && keys.is_match(&l.key));
        let mut values: Vec<f64> = keyed.map(|l| l.value).collect();
        if values.is_empty() && evidence.labelled.iter().any(|l| !l.labels.is_empty()) {
            continue;
        }
        let counted = evidence.known.derived.iter().filter(|fact| {
            let what = fact.key.split_once("==").map(|(_, what)| what);
            what.is_some_and(|what| keys.find(what.trim_start_matches('"')).is_some_and(|m| m.start() == 0))
        });
        values.extend(counted.map(|fact| fact.value));
        bind(answer, claim, &values, claims);
    }
    by_schema(answer, evidence, claims);
    named(answer, evidence, claims);
}

/// The labels of the tools' own schemas. A phrase may hold several (*12 tareas críticas
/// activas*): its figure is that of one of them, or what was asked for by such words.
fn by_schema(answer: &Folded<'_>, evidence: &Evidence, claims: &mut Vec<Claim>) {
    let counted: Vec<(&Labelled, Vec<&str>)> = evidence
        .labelled
        .iter()
        .filter(|l| duration_unit(&l.key).is_none())
        .map(|l| {
            (
                l,
                l.labels
                    .iter()
                    .map(String::as_str)
                    .filter(|label| names_state(label))
                    .collect(),
            )
        })
        .filter(|(_, labels): &(_, Vec<&str>)| !labels.is_empty())
        .collect();
    if counted.is_empty() {
        return;
    }
    for found in PHRASES.iter().flat_map(|phrases| phrases.captures_iter(&answer.text)) {
        let (Some(figure), Some(words)) = (found.get(1), found.get(2)) else {
            continue;
        };
        let words_are = format!(" {} ", singular(words.as_str()));
        let mut said = 0;
        let mut values: Vec<f64> = evidence.totals.clone();
        for (labelled, labels) in &counted {
            if labels
                .iter()
                .any(|label| words_are.contains(&format!(" {} ", singular(label))))
            {
                if evidence
                    .asked
                    .iter()
                    .any(|asked| asked.contains(&format!("\"{}\"", labelled.key)))
                {
                    // The whole answer is of these: its figures all are.
                    said = 0;
                    break;
                }
                said += 1;
                values.push(labelled.value);
                let of_rows = evidence.known.derived.iter().filter(|fact| {
                    let what = fact.key.split_once("==").map(|(_, what)| what.trim_matches('"'));
                    what == Some(labelled.key.as_str())
                });
                values.extend(of_rows.map(|fact| fact.value));
            }
        }
        if said > 0 {
            judge(answer, figure.range(), figure.start()..words.end(), &values, claims);
        }
    }
}

/// Does a label say what state the counted things are in? *Activas*, *sin gestor*; not *tareas*.
fn names_state(label: &str) -> bool {
    label.chars().count() >= LABEL_CHARS_MIN
        && !GENERIC.contains(&label)
        && !label.contains(|c: char| c.is_ascii_digit())
        && (label.ends_with('s') || ["en ", "sin ", "fuera "].iter().any(|head| label.starts_with(head)))
}

/// The words without the `s` of the plural.
fn singular(words: &str) -> String {
    let words = words
        .split_whitespace()
        .map(|word| word.strip_suffix('s').unwrap_or(word));
    words.collect::<Vec<_>>().join(" ")
}

fn bind(answer: &Folded<'_>, claim: &Regex, values: &[f64], claims: &mut Vec<Claim>) {
    if values.is_empty() {
        return;
    }
    for found in claim.captures_iter(&answer.text) {
        if let (Some(all), Some(figure)) = (found.get(0), found.get(1)) {
            judge(answer, figure.range(), figure.start()..all.end(), values, claims);
        }
    }
}

/// A figure that stands with words must be one of these values, unless it is hedged or compared.
fn judge(answer: &Folded<'_>, figure: Range<usize>, span: Range<usize>, values: &[f64], claims: &mut Vec<Claim>) {
    let text = answer.text.get(figure.clone()).unwrap_or_default();
    let value = word(text).map(f64::from).or_else(|| text.parse::<f64>().ok());
    let matches = |p: &LazyLock<Option<Regex>>, text: &str| p.as_ref().is_some_and(|p| p.is_match(text));
    if matches(&HEDGED, answer.back(figure.start, 20))
        || matches(&COMPARED, answer.rest(span.end))
        || wordy(answer.before(figure.start))
    {
        return;
    }
    if value.is_some_and(|c| !values.iter().any(|x| rounds_to(*x, c, 0))) {
        let new = Claim {
            text: answer.original(&span),
            kind: Kind::Label,
            verdict: Verdict::Unsupported,
            at: answer.place(&span),
        };
        if !claims.iter().any(|old| old.kind == Kind::Label && old.at.0 == new.at.0) {
            claims.push(new);
        }
    }
}

/// `MTTR: 6 h`: of the spans that the sentence shows, one must be the figure of that name.
fn named(answer: &Folded<'_>, evidence: &Evidence, claims: &mut Vec<Claim>) {
    for name in NAMED {
        let own: Vec<&Labelled> = evidence
            .labelled
            .iter()
            .filter(|l| l.key == *name || l.labels.iter().any(|label| label == name))
            .collect();
        if own.is_empty() {
            continue;
        }
        for (from, to) in sentences(&answer.text) {
            let Some(at) = answer.text.get(from..to).and_then(|text| text.find(name)) else {
                continue;
            };
            let start = from + at + name.len();
            let tail = answer.text.get(start..to).unwrap_or_default();
            let tail = tail.split([',', ';']).next().unwrap_or_default();
            let shown: Vec<(Range<usize>, bool)> = SPANS
                .iter()
                .flat_map(|spans| spans.captures_iter(tail))
                .filter_map(|found| {
                    let unit = found.get(2)?.as_str();
                    let fits = readings(found.get(1)?.as_str())
                        .into_iter()
                        .map(|r| is_one_of(&own, r, unit));
                    let fits: Vec<bool> = fits.collect::<Option<_>>()?;
                    let span = found.get(0)?.range();
                    Some((start + span.start..start + span.end, fits.contains(&true)))
                })
                .collect();
            if let Some((span, _)) = shown.last().filter(|_| shown.iter().all(|(_, fits)| !fits)) {
                claims.push(Claim {
                    text: answer.original(&(from + at..span.end)),
                    kind: Kind::Label,
                    verdict: Verdict::Unsupported,
                    at: answer.place(&(from + at..span.end)),
                });
            }
        }
    }
}

/// Is a figure with its unit one of these? None when the unit is none of time or share.
fn is_one_of(own: &[&Labelled], shown: Reading, unit: &str) -> Option<bool> {
    if unit == "%" {
        let share = |l: &&Labelled| [l.value, l.value * 100.0];
        return Some(
            own.iter()
                .flat_map(share)
                .any(|x| rounds_to(x, shown.value, shown.decimals)),
        );
    }
    let seconds = unit_seconds(unit)?;
    let resolution = seconds / 10_f64.powi(shown.decimals);
    let mut spans = own.iter().map(|l| l.value * duration_unit(&l.key).unwrap_or(3600.0));
    Some(spans.any(|e| (e - shown.value * seconds).abs() <= resolution / 2.0 + 1e-6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_compiles() {
        for row in TABLE.iter() {
            assert!(row.keys.is_some() && row.claim.is_some(), "{}", row.label);
        }
        assert!(PHRASES.is_some() && HEDGED.is_some() && COMPARED.is_some() && SPANS.is_some());
    }
}
