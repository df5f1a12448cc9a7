//! Questions that a rule decides before any ranking: where an answer came from, fewer rows of the
//! last list, the figures of one manager, either of two conditions, and people's data asked for by
//! somebody unknown.

use serde_json::{Map, Value, json};

use crate::domain::answer::{Answer, Line};
use crate::domain::ids::EmployeeId;
use crate::domain::records::Employee;
use crate::domain::sets::Role;
use crate::domain::text::fold;
use crate::format::phrases;
use crate::planner::features::mask;
use crate::planner::lexicon::{is_common, lexicon};
use crate::planner::recipes::Recipe;
use crate::planner::rendering;
use crate::tools::{self, Spec};

use super::each::joined;
use super::extract::Found;
use super::flow::Flow;
use super::mapper;
use super::memory::{Call, Choice, Does};

/// What people say who doubt an answer or want to know where it comes from.
const WHY: [&str; 20] = [
    "por que dices",
    "por que dice",
    "por que me dices",
    "de donde sacas",
    "de donde sacaste",
    "de donde sale",
    "de donde salio",
    "de donde viene ese dato",
    "de donde vienen esos datos",
    "como sabes",
    "como lo sabes",
    "en que te basas",
    "cual es la fuente",
    "que fuente usas",
    "estas seguro",
    "de cuando es ese dato",
    "de cuando son esos datos",
    "why do you say",
    "how do you know",
    "where does that come from",
];
/// Longer questions ask for more than where an answer comes from.
const WHY_WORDS_MAX: usize = 9;
/// More rows than these are not asked for by `sólo 5`.
const FEWER_MAX: usize = 50;
/// The figures that are kept for each manager.
const FIGURES: [&str; 9] = [
    "mttr",
    "kpi",
    "indicador",
    "cumplimiento",
    "rendimiento",
    "desempen",
    "productividad",
    "compar",
    "metrica",
];
/// Ways to reach somebody.
const CONTACTS: [&str; 8] = ["telefono", "celular", "fono", "correo", "mail", "email", "rut", "anexo"];

impl Flow<'_> {
    /// The answer of the first rule that knows the question.
    pub fn by_rule(&mut self, found: &Found) -> Option<Answer> {
        self.why(found)
            .or_else(|| self.fewer(found))
            .or_else(|| self.peoples_data(found))
            .or_else(|| self.figures_of_people(found))
            .or_else(|| self.either(found))
    }

    /// `¿por qué dices eso?`: which tools answered last, from which systems, and how old it is.
    fn why(&mut self, found: &Found) -> Option<Answer> {
        let text = found.folded.split_whitespace().collect::<Vec<_>>().join(" ");
        let asked = WHY.iter().any(|phrase| text.contains(phrase));
        let named = found.words.iter().any(|word| mask::ENTITIES.contains(&word.as_str()));
        if !asked || named || found.words.len() > WHY_WORDS_MAX {
            return None;
        }
        let Some(last) = self.memory.last.clone() else {
            return Some(Answer::text(phrases().say("engine.why.nothing", &[])));
        };
        let recipe = last.recipe.as_deref().and_then(Recipe::named);
        let calls: Vec<(String, Map<String, Value>)> = match recipe {
            Some(recipe) => recipe
                .calls(&last.call.args)
                .into_iter()
                .map(|(tool, args)| (tool.to_owned(), args))
                .collect(),
            None => vec![(last.call.tool, last.call.args)],
        };
        let mut told = Answer::text(phrases().say("engine.why.lead", &[]));
        for (tool, args) in calls {
            let label = self.label(&tool, &args);
            told.lead.push(line(
                phrases().say("engine.why.tool", &[("what", &label), ("tool", &tool)]),
            ));
            let given: Vec<String> = args
                .iter()
                .filter(|(name, _)| name.as_str() != "offset")
                .map(|(name, value)| {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    format!("{name} = {value}")
                })
                .collect();
            if !given.is_empty() {
                let what = given.join(", ");
                told.lead
                    .push(line(phrases().say("engine.why.with", &[("what", &what)])));
            }
            let (answer, _) = self.exec.answer(&Call { tool, args });
            for source in answer.sources {
                if !told.sources.contains(&source) {
                    told.sources.push(source);
                }
            }
        }
        let now = self.exec.cx.now;
        for source in told.sources.clone() {
            let age = rendering::duration(now.duration_since(source.as_of).as_secs_f64() / 3600.0);
            let key = if source.live {
                "engine.why.live"
            } else {
                "engine.why.stale"
            };
            let system = phrases().say(&format!("tools.source.{}", source.system), &[]);
            told.lead
                .push(line(phrases().say(key, &[("system", &system), ("age", &age)])));
        }
        Some(rendering::footed(told, None, &self.exec.cx))
    }

    /// `sólo 5`, `las 3 primeras`: the last list, cut shorter.
    fn fewer(&mut self, found: &Found) -> Option<Answer> {
        let marks =
            |word: &str| matches!(word, "solo" | "solamente" | "top" | "maximo" | "only") || word.starts_with("primer");
        let marked = found.figures.iter().any(|word| marks(word));
        let only = found.words.iter().all(|word| {
            is_common(word) || marks(word) || word == mask::NUMBER || word == "muestra" || word == "muestrame"
        });
        if !marked || !only {
            return None;
        }
        let limit: usize = found.figures.iter().find_map(|word| word.parse().ok())?;
        let last = self.memory.last.clone().filter(|last| last.recipe.is_none())?;
        let takes = tools::find(&last.call.tool)?
            .params()
            .any(|(name, _, _)| name == "limit");
        if !takes || limit == 0 || limit > FEWER_MAX {
            return None;
        }
        let mut call = last.call;
        call.args.remove("offset");
        call.args.insert("limit".to_owned(), json!(limit));
        Some(self.run_and_remember(call))
    }

    /// How to reach people is for those the operator knows; and of many it is asked of whom.
    fn peoples_data(&mut self, found: &Found) -> Option<Answer> {
        let contact = |word: &str| {
            CONTACTS.iter().any(|stem| {
                word == *stem || word.strip_suffix('s') == Some(stem) || word.strip_suffix("es") == Some(stem)
            })
        };
        let at = found.words.iter().position(|word| contact(word))?;
        let sends = found
            .words
            .iter()
            .any(|word| lexicon().means(word, "send") && !contact(word));
        let record = found.words.iter().any(|word| {
            matches!(word.as_str(), mask::SITE | mask::TASK | mask::PLACE | mask::ZONE) || lexicon().means(word, "site")
        });
        let of_whom = found
            .words
            .iter()
            .skip(at + 1)
            .any(|word| matches!(word.as_str(), "de" | "del" | "of" | "do" | "da"));
        if sends
            || record
            || !of_whom
            || found
                .words
                .iter()
                .any(|word| word.starts_with("plantilla") || word == "templates")
        {
            return None;
        }
        if self.exec.cx.caller.is_guest() {
            return Some(Answer::text(phrases().say("engine.peoples_data", &[])));
        }
        let many = found.words.iter().any(|word| {
            ["gestores", "tecnicos", "supervisores", "managers", "todos", "todas"].contains(&word.as_str())
        });
        let named = found.words.iter().any(|word| mask::ENTITIES.contains(&word.as_str()));
        (many && !named).then(|| Answer::text(phrases().say("engine.contact_of_whom", &[])))
    }

    /// `mttr de Ximena Rojas`, `compara a … con …`, `mi mttr`: the rows of those managers.
    fn figures_of_people(&mut self, found: &Found) -> Option<Answer> {
        let figure = |word: &String| FIGURES.iter().any(|stem| word.starts_with(stem));
        if !found.words.iter().any(figure) || self.exec.cx.caller.is_guest() {
            return None;
        }
        let other = |word: &String| {
            ["tarea", "gestor", "zona", "sitio"]
                .iter()
                .any(|stem| word.starts_with(stem))
                || word == mask::ZONE
                || word == mask::SITE
        };
        let more = &found.entities.more;
        let mut people: Vec<EmployeeId> = more.manager_ids.clone();
        if people.is_empty() && mapper::own(found) && !found.words.iter().any(other) {
            let own = self
                .exec
                .cx
                .caller
                .person()
                .filter(|person| person.role == Role::Manager);
            people.extend(own.map(|person| person.id.clone()));
        }
        if people.is_empty() {
            return self.which_manager(found);
        }
        let spec = tools::find("get_kpi_by_manager")?;
        let mut args = mapper::map(spec, found).args;
        args.remove("zone");
        let mut answer = self.run_and_remember(Call {
            tool: spec.name().to_owned(),
            args,
        });
        let names: Vec<String> = people
            .iter()
            .filter_map(|id| self.exec.cx.world.employee(id).map(|person| person.name.clone()))
            .collect();
        answer
            .items
            .retain(|item| names.iter().any(|name| item.text.starts_with(name.as_str())));
        answer.beyond = 0;
        self.memory.beyond = None;
        self.memory.shown = answer.items.iter().map(|item| item.subject.clone()).collect();
        for name in names {
            if !answer.items.iter().any(|item| item.text.starts_with(name.as_str())) {
                answer
                    .notes
                    .insert(0, phrases().say("engine.no_figures_of", &[("name", &name)]));
            }
        }
        Some(answer)
    }

    /// Managers of the same surname: which of them?
    fn which_manager(&mut self, found: &Found) -> Option<Answer> {
        let (name, bearers) = found.entities.more.ambiguous.first()?;
        let manager = |id: &str| {
            let id = EmployeeId::parse(id).ok()?;
            self.exec
                .cx
                .world
                .employee(&id)
                .filter(|person| person.role == Role::Manager)
        };
        let choices: Vec<Choice> = bearers
            .iter()
            .filter_map(|(id, _)| manager(id))
            .map(|person| Choice {
                label: format!("{} {}", person.id, person.name),
                does: Does::Say(found.folded.replacen(name.as_str(), &fold(&person.name), 1)),
            })
            .collect();
        let lead = phrases().say("engine.which_person", &[("name", name)]);
        (choices.len() > 1).then(|| self.offer(lead, choices))
    }

    /// Whoever supervises or watches leads no tasks: that is said, with what there is instead.
    pub fn leads_none(&mut self, person: &Employee) -> Answer {
        let role = phrases().say(&format!("tools.role.{}", person.role), &[]);
        let lead = phrases().say("engine.leads_none", &[("name", &person.name), ("role", &role)]);
        let zone = person.zone.as_ref().map(|zone| Choice {
            label: format!("tareas zona {zone}"),
            does: Does::Say(format!("tareas zona {zone}")),
        });
        let card = Choice {
            label: person.name.clone(),
            does: Does::Say(person.id.to_string()),
        };
        self.offer(lead, zone.into_iter().chain([card]).collect())
    }

    /// A name that several bear, none of whom manages: which of them?
    pub fn which_of_them(&mut self, spec: &Spec, found: &Found) -> Option<Answer> {
        let more = &found.entities.more;
        let wanted = spec.params().any(|(param, _, _)| param == "manager") && more.manager_ids.is_empty();
        if !wanted || self.exec.cx.caller.is_guest() {
            return None;
        }
        let (name, bearers) = more.ambiguous.first()?;
        let person = |id: &str| {
            EmployeeId::parse(id)
                .ok()
                .and_then(|id| self.exec.cx.world.employee(&id))
        };
        let hands = |id: &str| person(id).is_some_and(|p| p.role != Role::Manager);
        if !bearers.iter().all(|(id, _)| hands(id)) {
            return None;
        }
        let choices = bearers.iter().map(|(id, full)| Choice {
            label: format!("{id} {full}"),
            does: Does::Say(found.folded.replacen(name.as_str(), &fold(full), 1)),
        });
        let choices = choices.collect();
        let lead = phrases().say("engine.which_person", &[("name", &name)]);
        Some(self.offer(lead, choices))
    }

    /// `tareas críticas o con más de 48 horas`: a list for each side of the *o*.
    fn either(&mut self, found: &Found) -> Option<Answer> {
        let text = found.folded.trim();
        let (left, right) = text.split_once(" o ").or_else(|| text.split_once(" or "))?;
        let e = &found.entities;
        let taken = [
            e.more.criticalities.len(),
            e.statuses.len(),
            e.zones.len(),
            e.sites.len(),
            e.task_ids.len(),
        ];
        if right.contains(" o ") || right.contains(" or ") || taken.iter().any(|n| *n > 1) {
            return None;
        }
        let noun_of = |text: &str| {
            text.split_whitespace()
                .find(|word| {
                    lexicon().means(word, "task") && !word.starts_with("pendient")
                        || word.starts_with("alarm")
                        || word.starts_with("sitio")
                })
                .map(str::to_owned)
        };
        let noun = noun_of(left)?;
        let zone = |found: &Found| found.entities.zones.first().cloned();
        let mut right = match noun_of(right) {
            Some(_) => right.to_owned(),
            None => format!("{noun} {right}"),
        };
        let (mut one, mut two) = (self.extract(left), self.extract(&right));
        match (zone(&one), zone(&two)) {
            (None, Some(zone)) => one = self.extract(&format!("{left} en zona {zone}")),
            (Some(zone), None) => {
                right = format!("{right} en zona {zone}");
                two = self.extract(&right);
            }
            _ => {}
        }
        let parts: Vec<(&'static str, Found)> = [one, two]
            .into_iter()
            .map(|part| {
                let tool = self
                    .list_by_conditions(&part)
                    .or_else(|| self.sure_tool(&part.words, mapper::masks(&part)))?;
                Some((tool, part))
            })
            .collect::<Option<_>>()?;
        let args = |(tool, part): &(&'static str, Found)| tools::find(tool).map(|spec| mapper::map(spec, part).args);
        if let [one, two] = parts.as_slice()
            && one.0 == two.0
            && args(one) == args(two)
        {
            return None;
        }
        let answers: Vec<Answer> = parts.into_iter().map(|(tool, part)| self.act(tool, &part)).collect();
        Some(joined(answers, &self.exec.cx))
    }
}

fn line(text: String) -> Line {
    Line { text, title: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_for_a_source_is_folded_as_questions_are() {
        for phrase in WHY {
            assert_eq!(fold(phrase), phrase);
        }
    }
}
