//! A figure and the word beside it: *31 abiertas* must be what is open, not merely be a figure
//! that some tool gave. Swapped labels pass any check of presence; here they do not.

use std::sync::LazyLock;

use regex::Regex;

use super::claims::NOUN;
use super::evidence::{Evidence, Labelled};
use super::facts::duration_unit;
use super::folded::{Folded, sentences, wordy};
use super::numbers::{Reading, pattern, readings, rounds_to, unit_seconds, word, words_pattern};
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
static SPANS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(\d+(?:[.,]\d+)?)\s*([a-z]+|%)"));

/// Figures that stand behind their word: `MTTR: 4.2 h`, `cumplimiento 92%`.
const NAMED: &[&str] = &["mttr", "cumplimiento"];

fn claim_of(label: &str) -> Option<Regex> {
    pattern(&format!(
        r"(?:^|[^\w.,-])(\d+|{})\s+(?:{NOUN}\s+)?(?:\w+\s+)?{label}",
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
        let keyed = evidence.labelled.iter().filter(|l| keys.is_match(&l.key));
        let mut values: Vec<f64> = keyed.map(|l| l.value).collect();
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

/// The labels of the tools' own schemas.
fn by_schema(answer: &Folded<'_>, evidence: &Evidence, claims: &mut Vec<Claim>) {
    let mut labels: Vec<&str> = evidence
        .labelled
        .iter()
        .flat_map(|l| l.labels.iter().map(String::as_str))
        .filter(|label| {
            label.chars().count() >= LABEL_CHARS_MIN && !GENERIC.contains(label) && answer.text.contains(label)
        })
        .collect();
    labels.sort_unstable();
    labels.dedup();
    for label in labels {
        let named: Vec<&Labelled> = evidence
            .labelled
            .iter()
            .filter(|l| l.labels.iter().any(|own| own == label))
            .collect();
        if named
            .iter()
            .any(|l| evidence.asked.iter().any(|asked| asked.contains(&l.key)))
            || named.iter().any(|l| duration_unit(&l.key).is_some())
        {
            continue;
        }
        let mut values: Vec<f64> = named.iter().map(|l| l.value).collect();
        let counted = evidence.known.derived.iter().filter(|fact| {
            let what = fact.key.split_once("==").map(|(_, what)| what.trim_matches('"'));
            what.is_some_and(|what| named.iter().any(|l| l.key == what))
        });
        values.extend(counted.map(|fact| fact.value));
        if let Some(claim) = claim_of(&format!(r"{}\b", regex::escape(label))) {
            bind(answer, &claim, &values, claims);
        }
    }
}

fn bind(answer: &Folded<'_>, claim: &Regex, values: &[f64], claims: &mut Vec<Claim>) {
    if values.is_empty() {
        return;
    }
    for found in claim.captures_iter(&answer.text) {
        let (Some(all), Some(figure)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let value = word(figure.as_str())
            .map(f64::from)
            .or_else(|| figure.as_str().parse::<f64>().ok());
        let matches = |p: &LazyLock<Option<Regex>>, text: &str| p.as_ref().is_some_and(|p| p.is_match(text));
        if matches(&HEDGED, answer.back(figure.start(), 20))
            || matches(&COMPARED, answer.rest(all.end()))
            || wordy(answer.before(figure.start()))
        {
            continue;
        }
        if value.is_some_and(|c| !values.iter().any(|x| rounds_to(*x, c, 0))) {
            let span = figure.start()..all.end();
            let new = Claim {
                text: answer.original(&span),
                kind: Kind::Label,
                verdict: Verdict::Unsupported,
                at: answer.place(&span),
            };
            if !claims.contains(&new) {
                claims.push(new);
            }
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
            let shown: Vec<(std::ops::Range<usize>, bool)> = SPANS
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
        assert!(HEDGED.is_some() && COMPARED.is_some() && SPANS.is_some());
    }
}
