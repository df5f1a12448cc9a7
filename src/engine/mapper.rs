//! From entities to a tool's arguments, by what its schema says each parameter is (`x-entity`).

use serde_json::{Map, Value, json};

use crate::domain::ids::{SiteId, TaskId};
use crate::domain::sets::{AlarmSeverity, Criticality, StatusFilter, TaskStatus};
use crate::planner::features::mask;
use crate::planner::lexicon::lexicon;
use crate::planner::slots::Masks;
use crate::tools::Spec;

use super::asked;
use super::extract::Found;

/// A required parameter that nothing in the question fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The parameter's name.
    pub param: String,
    /// What it is (`site`, `task`, `location`, …).
    pub entity: String,
}

/// Arguments as far as the question gives them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mapped {
    /// The arguments found.
    pub args: Map<String, Value>,
    /// What is still needed.
    pub missing: Vec<Missing>,
}

/// The longest text handed to a tool as words to look for, characters.
const TEXT_CHARS_MAX: usize = 120;

/// The status of a task that a filter names alone.
pub fn task_status(filter: StatusFilter) -> Option<TaskStatus> {
    filter.as_str().parse().ok()
}

/// Fills a tool's parameters from what a question names.
pub fn map(spec: &Spec, found: &Found) -> Mapped {
    let mut mapped = Mapped::default();
    for (param, schema, required) in spec.params() {
        let entity = schema.get("x-entity").and_then(Value::as_str).unwrap_or_default();
        let value = match param {
            _ if entity == "status_to" => super::flow::Flow::status_told(found),
            // Words of a fault are looked for in tasks; in sites they would be names.
            "text" if entity == "text" && spec.name() != "search_tasks" => None,
            // *las que vencen hoy*: the day is when they are due, and no list is kept to that.
            "date_from" | "date_to" | "period" if sort(found) == Some("due") || for_a_day(found) => None,
            "include_cleared" => flag(found, &["historial", "historicas", "todas", "cerradas", "despejadas"]),
            "with_active_tasks" => flag(found, &["tareas", "tarea", "pendientes", "trabajo"]),
            // *compara norte y sur*: one zone alone is compared with all.
            _ if schema.get("type").is_some_and(|t| t == "array") => {
                Some(json!(found.entities.zones)).filter(|_| entity == "zone" && found.entities.zones.len() > 1)
            }
            _ => of_entity(entity, found),
        };
        match value.filter(|value| allowed(schema, value)) {
            Some(value) => _ = mapped.args.insert(param.to_owned(), value),
            None if required => mapped.missing.push(Missing {
                param: param.to_owned(),
                entity: entity.to_owned(),
            }),
            None => {}
        }
    }
    // A site that stands for a position is not also what is looked for.
    if spec.params().any(|(_, schema, _)| is(schema, "site"))
        && mapped.args.get("location").is_some_and(|l| l.get("site_id").is_some())
    {
        two_sites(&mut mapped, found);
    }
    mapped
}

/// `distancia entre SITE-001 y SITE-002`: from the first, to the second. One site alone is where
/// one wants to go, never where one is.
fn two_sites(mapped: &mut Mapped, found: &Found) {
    match found.entities.sites.as_slice() {
        [from, to, ..] => {
            mapped.args.insert("location".to_owned(), json!({ "site_id": from }));
            mapped.args.insert("site_id".to_owned(), json!(to));
        }
        _ => {
            mapped.args.remove("location");
            mapped.missing.push(Missing {
                param: "location".to_owned(),
                entity: "location".to_owned(),
            });
        }
    }
}

fn is(schema: &Value, entity: &str) -> bool {
    schema.get("x-entity").and_then(Value::as_str) == Some(entity)
}

/// A closed set admits only its words.
fn allowed(schema: &Value, value: &Value) -> bool {
    schema
        .get("enum")
        .and_then(Value::as_array)
        .is_none_or(|words| words.contains(value))
}

fn flag(found: &Found, words: &[&str]) -> Option<Value> {
    let said = found.figures.iter().any(|word| words.contains(&word.as_str()));
    said.then_some(Value::Bool(true))
}

fn of_entity(entity: &str, found: &Found) -> Option<Value> {
    let entities = &found.entities;
    let more = &entities.more;
    let text = |value: Option<&dyn ToString>| value.map(|v| Value::from(v.to_string()));
    macro_rules! first {
        ($list:expr) => {
            text($list.first().map(|v| v as &dyn ToString))
        };
    }
    match entity {
        "site" => first!(entities.sites)
            .or_else(|| unknown(found, |id| SiteId::parse(id).is_ok() && TaskId::parse(id).is_err())),
        "task" => first!(entities.task_ids).or_else(|| unknown(found, |id| TaskId::parse(id).is_ok())),
        "zone" => first!(entities.zones),
        "status" => status(found).map(|s| json!(s)),
        "criticality" => entities.criticality.map(|c| json!(c)),
        "work_type" => entities.work_type.map(|w| json!(w)),
        // One of several namesakes is never chosen: the tool is given the name and lists them.
        "manager" => first!(more.manager_ids)
            .or_else(|| namesakes(found))
            .or_else(|| first!(more.employees)),
        "person" => first!(more.employees).or_else(|| namesakes(found)),
        "crew" => first!(more.crews),
        "record" => first!(more.alarms)
            .or_else(|| first!(more.assets))
            .or_else(|| first!(more.accesses))
            .or_else(|| first!(more.monitors))
            .or_else(|| first!(more.crews))
            .or_else(|| namesakes(found))
            .or_else(|| first!(more.employees))
            .or_else(|| first!(more.manager_ids))
            .or_else(|| first!(entities.task_ids))
            .or_else(|| first!(entities.sites))
            .or_else(|| first!(more.unknown)),
        "place" => more.place.as_ref().map(|p| json!(p)),
        "date_from" => entities.date_range.as_ref().map(|r| json!(r.from)),
        "date_to" => entities.date_range.as_ref().map(|r| json!(r.to)),
        "period" => match (&more.period, &entities.date_range) {
            (Some(period), _) => Some(json!(period)),
            (None, Some(range)) => Some(json!({ "from": range.from, "to": range.to })),
            (None, None) => None,
        },
        "location" => more
            .location
            .map(|point| json!({ "lat": point.lat, "lon": point.lon }))
            .or_else(|| entities.sites.first().map(|id| json!({ "site_id": id }))),
        "limit" => more.limit.map(|n| json!(n)),
        // *y las críticas?* after alarms: the word is the same.
        "severity" => more.severity.map(|s| json!(s)).or_else(|| {
            let critical = entities.criticality == Some(Criticality::Critical);
            critical.then(|| json!(AlarmSeverity::Critical))
        }),
        "category" => more.category.map(|c| json!(c)),
        "site_type" => more.site_type.map(|t| json!(t)),
        "site_status" => more.site_status.map(|s| json!(s)),
        "crew_status" => more.crew_status.map(|s| json!(s)),
        "access_status" => more.access_status.map(|s| json!(s)),
        "group_by" => Some(json!(more.group_by.as_deref().unwrap_or(default_group(found)))),
        "sort" => sort(found).map(|s| json!(s)),
        "text" => topic(found).map(|t| json!(t)),
        _ => asked::of(entity, found),
    }
}

/// An id of the right form that names nothing: the tool says so, with the nearest ones.
fn unknown(found: &Found, is_kind: impl Fn(&str) -> bool) -> Option<Value> {
    found
        .entities
        .more
        .unknown
        .iter()
        .find(|id| is_kind(id))
        .map(|id| json!(id))
}

fn namesakes(found: &Found) -> Option<Value> {
    let people = |all: &[(String, String)]| all.iter().all(|(id, _)| id.starts_with("E-"));
    found
        .entities
        .more
        .ambiguous
        .iter()
        .find(|(_, all)| people(all))
        .map(|(name, _)| json!(name))
}

/// What to count by when nothing is said: zones, or criticality within one.
fn default_group(found: &Found) -> &'static str {
    if found.entities.zones.is_empty() {
        "zone"
    } else {
        "criticality"
    }
}

/// The status asked for; what is over beside what is not means all of them.
fn status(found: &Found) -> Option<StatusFilter> {
    let over = |s: &StatusFilter| matches!(s, StatusFilter::Closed | StatusFilter::Cancelled);
    let statuses = &found.entities.statuses;
    if statuses.iter().any(over) && !statuses.iter().all(over) {
        return Some(StatusFilter::Any);
    }
    statuses.first().copied()
}

/// The order asked for.
pub fn sort(found: &Found) -> Option<&'static str> {
    let any = |stems: &[&str]| {
        found
            .figures
            .iter()
            .any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    };
    if any(&["antigu", "viej"]) {
        Some("oldest")
    } else if any(&["recient", "nueva", "nuevo"]) {
        Some("newest")
    } else if any(&["vence", "vencid", "vencimiento", "plazo"]) {
        Some("due")
    } else {
        None
    }
}

/// The kinds of entities and conditions in a question, for the choice of the tool.
pub fn masks(found: &Found) -> Masks {
    let topic = topic(found).is_some();
    let more = &found.entities.more;
    let words = &found.figures;
    let begins = |stems: &[&str]| words.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    let pair = |first: &str, second: &[&str]| {
        words
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a == first && second.contains(&b.as_str())))
    };
    let lasting = more.hours.is_some();
    let stands = begins(&["estanc", "parad", "detenid", "trabad", "atorad", "pegad", "congelad"]);
    let other = |status: &StatusFilter| match status {
        StatusFilter::Active => false,
        // *sin movimiento hace 3 días* is a time more than a state.
        StatusFilter::Stalled => stands || !lasting,
        _ => true,
    };
    Masks {
        critical: found.entities.criticality.is_some() || more.severity.is_some(),
        work_type: found.entities.work_type.is_some(),
        topic,
        sort: sort(found).is_some(),
        unassigned: pair(
            "sin",
            &["gestor", "gestora", "gestores", "asignar", "dueno", "responsable"],
        ) || pair("sem", &["gestor", "dono", "responsavel", "atribuir"])
            || pair("s", &["gestor", "asignar"])
            || pair("without", &["manager", "owner"])
            || begins(&["unassigned"]),
        field: !topic && more.category.is_some(),
        overdue: overdue(found),
        some_crew: words.iter().any(|word| word == "cuadrilla" || word == "cuadrillas")
            && found.entities.more.crews.is_empty()
            && !pair("mi", &["cuadrilla"])
            && !pair("sin", &["cuadrilla", "cuadrillas"]),
        over: found.entities.statuses.contains(&StatusFilter::Closed) || begins(&["despejad"]),
        due_day: for_a_day(found)
            || begins(&["vencen", "vencer", "venceran", "vencimiento"])
            || words.iter().any(|word| word == "vence"),
        lasting,
        escalated: begins(&["escalad"]),
        level: words
            .windows(2)
            .any(|pair| matches!(pair, [nivel, n] if nivel == "nivel" && n.bytes().all(|b| b.is_ascii_digit()))),
        crewless: pair("sin", &["cuadrilla", "cuadrillas", "tecnico", "tecnicos", "movil"]),
        left_out: more.left_out,
        mine: own(found),
        status: found.entities.statuses.iter().any(other),
        ..Masks::of(&found.words)
    }
}

/// `para hoy`: what is to be done by then, not what began then.
fn for_a_day(found: &Found) -> bool {
    found
        .words
        .windows(2)
        .any(|pair| matches!(pair, [para, day] if para == "para" && day == mask::DATE))
}

/// Past its due time: `vencidas`, `fuera de plazo`, `atrasadas`.
pub fn overdue(found: &Found) -> bool {
    let words = &found.figures;
    let said = words.iter().any(|word| {
        ["vencid", "atrasad", "incumplid"]
            .iter()
            .any(|stem| word.starts_with(stem))
            || matches!(word.as_str(), "breach" | "breached" | "overdue")
    });
    let outside = words.windows(3).any(|three| match three {
        [fuera, _, what] => fuera == "fuera" && matches!(what.as_str(), "plazo" | "sla"),
        _ => false,
    });
    said || outside
}

/// Does the asker speak of what is theirs (`mis`, `mías`, `tengo`, `me toca`)?
pub fn own(found: &Found) -> bool {
    let words = &found.words;
    let theirs = |word: &str| {
        matches!(
            word,
            "mis" | "mi" | "mia" | "mias" | "mio" | "mios" | "my" | "minhas" | "minha" | "meus" | "tengo"
        )
    };
    let to_me = |pair: &[String]| match pair {
        [me, verb] => me == "me" && (verb.starts_with("toca") || verb.starts_with("asign") || verb.starts_with("qued")),
        _ => false,
    };
    let must = |pair: &[String]| matches!(pair, [tengo, que] if tengo == "tengo" && que == "que");
    (words.iter().any(|word| theirs(word)) || words.windows(2).any(to_me)) && !words.windows(2).any(must)
}

/// Words of a fault that a list of tasks is searched for: `tareas de energía`.
fn topic(found: &Found) -> Option<String> {
    const TOPICS: [&str; 6] = ["power", "transport", "security", "environment", "fault", "radio"];
    const STEMS: [&str; 10] = [
        "vswr",
        "celda",
        "sincronismo",
        "antena",
        "rru",
        "ampliacion",
        "limpieza",
        "tarjeta",
        "climatiz",
        "autonomia",
    ];
    // These name a whole field of faults; no task says them.
    const FIELDS: [&str; 6] = ["energia", "luz", "electric", "transporte", "seguridad", "senal"];
    let word = found.figures.iter().find(|word| {
        let topic = TOPICS.iter().any(|concept| lexicon().means(word, concept));
        let named = topic || STEMS.iter().any(|stem| word.starts_with(stem));
        named && !FIELDS.iter().any(|field| word.starts_with(field))
    })?;
    // The beginning of a word matches its forms: *baterías*, *batería*.
    let stem = word
        .strip_suffix("es")
        .filter(|w| w.len() > 5)
        .or_else(|| word.strip_suffix('s'))
        .unwrap_or(word);
    Some(stem.chars().take(TEXT_CHARS_MAX).collect())
}
