//! What is plain without any ranking: a noun alone, a number alone, a list by its conditions;
//! and what is plainly unknown: a place, zone or person that nobody of ours is called.

use serde_json::Map;

use crate::domain::answer::Answer;
use crate::domain::text::fold;
use crate::format::phrases;
use crate::planner::features::mask;
use crate::planner::lexicon::{is_common, lexicon};
use crate::planner::slots::{self, Masks};

use super::ask::CHOICES_MAX;
use super::extract::Found;
use super::flow::Flow;
use super::kept::is_record_number;
use super::mapper;
use super::memory::{Call, Choice, Does};
use super::rules::position;

/// Shorter words are too often slips or slang to be said unknown.
const LETTERS_MIN: usize = 4;
/// A name this many slips away is offered.
const SLIPS_MAX: usize = 2;
/// Words after which a place, a zone or a person is named.
const ANNOUNCE: [&str; 19] = [
    "en",
    "zona",
    "zn",
    "comuna",
    "ciudad",
    "region",
    "pueblo",
    "sector",
    "de",
    "del",
    "gestor",
    "gestora",
    "tecnico",
    "tecnica",
    "supervisor",
    "supervisora",
    "don",
    "cuadrilla",
    "xperson",
];
/// What stands between such a word and the name.
const ARTICLES: [&str; 4] = ["la", "el", "las", "los"];
/// Words that ask for a list or put conditions to it, and nothing else.
const CONDITIONS: [&str; 51] = [
    "antigu",
    "viej",
    "recient",
    "nuev",
    "mas",
    "esten",
    "critic",
    "alta",
    "media",
    "baja",
    "abiert",
    "activ",
    "cerrad",
    "estanc",
    "parad",
    "pendient",
    "curso",
    "espera",
    "progreso",
    "cancelad",
    "anulad",
    "preventiv",
    "correctiv",
    "instalacion",
    "auditoria",
    "mayor",
    "menor",
    "advertencia",
    "vencid",
    "plazo",
    "caid",
    "degrad",
    "mantencion",
    "mantenimiento",
    "hubo",
    "existen",
    "quedan",
    "tenemos",
    "total",
    "actual",
    "todas",
    "todos",
    "cuant",
    "lista",
    "muestra",
    "vigent",
    "escalad",
    "estado",
    "reconoc",
    "gestor",
    "criticidad",
];

/// A word that somebody took for a name.
pub struct Strange {
    /// As typed, folded.
    pub word: String,
    /// It was called a zone.
    zone: bool,
}

impl Flow<'_> {
    /// A noun and nothing else: of which one?
    pub fn noun_alone(&mut self, found: &Found) -> Option<Answer> {
        let mut said = found.words.iter().filter(|word| !is_common(word));
        let noun = match (said.next(), said.next(), said.next()) {
            (Some(noun), None, None) => noun,
            // *torre 1*: a number that is no id is asked about.
            (Some(noun), Some(number), None)
                if number == mask::NUMBER && matches!(noun.as_str(), "torre" | "antena" | "celda" | "azotea") =>
            {
                let nth = found.figures.iter().find_map(|word| position(word))?;
                return Some(self.nth(nth));
            }
            _ => return None,
        };
        Some(match noun.as_str() {
            "sitio" | "site" | "torre" | "antena" => self.act("quick_site_status", found),
            "tarea" | "ticket" | "task" => self.act("get_field_task_details", found),
            "gestor" | "gestora" => self.act("get_tasks_by_manager", found),
            "cuadrilla" | "cuadrillas" | "brigada" | "brigadas" | "crew" | "crews" => {
                self.act("get_crew_status", found)
            }
            "zona" | "zone" if found.entities.more.group_by.is_none() => {
                self.which_zone(phrases().say("engine.which_zone", &[]), None)
            }
            _ => return None,
        })
    }

    /// The zones as choices: alone, or in the place of an unknown one.
    fn which_zone(&mut self, lead: String, instead: Option<(&str, &str)>) -> Answer {
        let zones = self.exec.cx.world.zones().iter();
        let choices = zones.map(|zone| {
            let say = match instead {
                Some((text, word)) => text.replacen(word, zone.as_str(), 1),
                None => zone.to_string(),
            };
            Choice {
                label: say.clone(),
                does: Does::Say(say),
            }
        });
        let choices = choices.collect();
        self.offer(lead, choices)
    }

    /// A long number and nothing else: what it may stand for, never a guess.
    pub fn number_alone(&mut self, found: &Found) -> Option<Answer> {
        let said: Vec<&String> = found.figures.iter().filter(|word| !is_common(word)).collect();
        if said.is_empty() || !said.iter().all(|word| is_record_number(word)) {
            return None;
        }
        let named: Vec<(String, String)> = said.iter().flat_map(|digits| self.numbered(digits)).collect();
        let list: Vec<&str> = said.iter().map(|word| word.as_str()).collect();
        let shown = list.join(", ");
        if named.is_empty() {
            return Some(Answer::text(phrases().say("engine.number_unknown", &[("n", &shown)])));
        }
        let call = Call {
            tool: "quick_lookup".to_owned(),
            args: Map::new(),
        };
        let mut choices = self.choices_for(&call, "id", &named);
        for (choice, (id, _)) in choices.iter_mut().zip(&named) {
            choice.does = Does::Say(id.clone());
        }
        Some(self.offer(phrases().say("engine.numbered", &[("n", &shown)]), choices))
    }

    /// `tareas canceladas zona norte`: a list by its conditions, every word of which is known.
    pub fn list_by_conditions(&self, found: &Found) -> Option<&'static str> {
        let masks = mapper::masks(found);
        let (mut tasks, mut alarms, mut sites, mut count) = (false, false, false, false);
        for word in found.words.iter().filter(|word| !is_common(word)) {
            let means = |concept: &str| lexicon().means(word, concept);
            match word.as_str() {
                mask::NUMBER | mask::ZONE | mask::PLACE | mask::DATE | mask::SITE => {}
                mask::PERSON | mask::CREW | "mias" | "mios" => tasks = true,
                _ if word.starts_with("alarm") => alarms = true,
                "sitio" | "sitios" | "sites" | "torres" => sites = true,
                _ if means("task") => tasks = true,
                _ if means("count") => count = true,
                _ if ["repetidor", "rooftop", "azotea", "datacenter", "macro", "small", "cell"]
                    .iter()
                    .any(|kind| word.starts_with(kind))
                    && found.entities.more.site_type.is_some() =>
                {
                    sites = true;
                }
                "quien" | "mas" if found.entities.more.group_by.is_some() => {}
                "zona" | "zonas" if found.entities.more.group_by.is_some() => {}
                _ if CONDITIONS.iter().any(|stem| word.starts_with(stem)) || means("list") => {}
                _ => return None,
            }
        }
        // *cuántas preventivas cerradas*: what is closed or preventive is a task.
        let of_tasks = !found.entities.statuses.is_empty()
            || found.entities.work_type.is_some()
            || found.entities.criticality.is_some();
        let tasks = tasks || (count && of_tasks && !alarms && !sites);
        let tool = match (tasks, alarms, sites) {
            (true, false, false) if count => "count_tasks",
            (true, false, false) => "search_tasks",
            (false, true, _) => "get_active_alarms",
            (false, false, true) if !masks.site => "search_sites",
            _ => return None,
        };
        (!masks.task).then(|| slots::chosen(tool, &self.engine.needs, &masks))
    }

    /// A last word that is none of ours, right after what is listed: `alarmas chiloé`.
    pub fn unread_word(&self, found: &Found) -> Option<Strange> {
        let mended = self.engine.ranker.mended(&found.words);
        let (last, meant) = (found.words.last()?, mended.last()?);
        let before = found.words.iter().rev().nth(1)?;
        let listed = ["alarm", "sitio", "site", "torre", "acces"]
            .iter()
            .any(|noun| before.starts_with(noun))
            || lexicon().means(before, "task");
        let unread = last == meant
            && last.len() >= LETTERS_MIN
            && !last.starts_with('x')
            && last.chars().all(char::is_alphabetic)
            && !is_common(last)
            && !self.engine.ranker.knows(last);
        (listed && unread).then(|| Strange {
            word: last.clone(),
            zone: false,
        })
    }

    /// The first word that is announced as a name and is none of ours.
    pub fn strange(&self, found: &Found) -> Option<Strange> {
        let words = &found.words;
        let mended = self.engine.ranker.mended(words);
        words.iter().zip(&mended).enumerate().find_map(|(at, (word, mended))| {
            let mut before = words
                .iter()
                .take(at)
                .rev()
                .skip_while(|word| ARTICLES.contains(&word.as_str()));
            let announced = before.next().filter(|word| ANNOUNCE.contains(&word.as_str()))?;
            let zone = matches!(announced.as_str(), "zona" | "zn");
            let known = mended != word || self.engine.ranker.knows(word) || is_common(word);
            let strange = word.len() >= LETTERS_MIN && !word.starts_with('x') && word.chars().all(char::is_alphabetic);
            // *zona este* is called a zone, however common the word.
            let called = zone && matches!(word.as_str(), "este" | "oeste" | "oriente" | "poniente" | "costa");
            (strange && !known || called).then(|| Strange {
                word: word.clone(),
                zone,
            })
        })
    }

    /// An unknown name is said to be unknown, with the nearest of ours and what can be had without it.
    pub fn not_known(&mut self, strange: &Strange, tools: &[&str], found: &Found) -> Answer {
        let text = found.folded.trim().to_owned();
        if strange.zone {
            let lead = phrases().say("engine.not_known_zone", &[("what", &strange.word)]);
            return self.which_zone(lead, Some((&text, &strange.word)));
        }
        let near = |name: &str| {
            let name = fold(name);
            (strange.word.len() > LETTERS_MIN && strsim::osa_distance(&name, &strange.word) <= SLIPS_MAX)
                .then_some(name)
        };
        let places = self.exec.cx.world.places().filter_map(|place| near(place.folded));
        let given = self
            .exec
            .cx
            .world
            .employees()
            .iter()
            .filter(|_| !self.exec.cx.caller.is_guest());
        let given = given.filter_map(|person| near(person.name.split(' ').next()?));
        let mut names: Vec<String> = places.chain(given).collect();
        names.sort();
        names.dedup();
        let nearest = names.iter().map(|name| {
            let say = text.replacen(&strange.word, name, 1);
            Choice {
                label: say.clone(),
                does: Does::Say(say),
            }
        });
        let mut choices: Vec<Choice> = nearest.take(CHOICES_MAX).collect();
        let rest = CHOICES_MAX.saturating_sub(choices.len());
        choices.extend(self.choices_of(tools, found).into_iter().take(rest));
        self.offer(phrases().say("engine.not_known", &[("what", &strange.word)]), choices)
    }

    /// With a site in the place's stead: the tool that needs one, if that is sure.
    pub fn as_a_site(&self, found: &Found) -> Option<&'static str> {
        let place = found
            .entities
            .more
            .place
            .as_ref()
            .filter(|_| found.entities.sites.is_empty())?;
        if self.exec.cx.world.sites_named(&fold(place)).is_empty() {
            return None;
        }
        let mut words = found.words.clone();
        for word in words.iter_mut().filter(|word| *word == mask::PLACE) {
            mask::SITE.clone_into(word);
        }
        let masks = Masks {
            site: true,
            place: false,
            ..mapper::masks(found)
        };
        let tool = self.sure_tool(&words, masks)?;
        let needs = self.engine.needs.iter().find(|n| n.tool == tool)?;
        needs.must.contains("site").then_some(tool)
    }

    /// *y cuántas son*: how many the last answer counted.
    pub fn how_many(&mut self, found: &Found) -> Option<Answer> {
        let counts = found.words.iter().any(|word| word.starts_with("cuant"));
        let only = found.words.iter().all(|word| {
            is_common(word)
                || word.starts_with("cuant")
                || matches!(word.as_str(), "total" | "entonces" | "todas" | "todos")
        });
        let last = self.memory.last.clone().filter(|_| counts && only)?;
        if last.recipe.is_some() {
            return None;
        }
        let mut call = last.call;
        call.args.remove("offset");
        let answer = self.run_and_remember(call);
        Some(Answer {
            items: Vec::new(),
            beyond: 0,
            suggestions: Vec::new(),
            ..answer
        })
    }
}

/// Words of greeting and courtesy before the question say nothing of it.
pub fn without_courtesy(found: &mut Found) {
    const OPENERS: [&str; 22] = [
        "hola",
        "holi",
        "ola",
        "alo",
        "buenas",
        "buenos",
        "buen",
        "hi",
        "hello",
        "hey",
        "wena",
        "wenas",
        "oi",
        "bom",
        "boa",
        "estimado",
        "estimada",
        "estimados",
        "saludos",
        "oye",
        "oiga",
        "disculpa",
    ];
    const AFTER: [&str; 38] = [
        "necesito",
        "quiero",
        "ver",
        "conocer",
        "dia",
        "dias",
        "tardes",
        "tarde",
        "noches",
        "noche",
        "relevo",
        "bot",
        "todos",
        "que",
        "tal",
        "me",
        "nos",
        "puede",
        "pueden",
        "puedes",
        "podria",
        "podrian",
        "podrias",
        "indicar",
        "indicarme",
        "decir",
        "decirme",
        "quisiera",
        "favor",
        "por",
        "saber",
        "consultar",
        "una",
        "consulta",
        "disculpe",
        "hola",
        "buenos",
        "buenas",
    ];
    let named = found.words.iter().any(|word| word == mask::SITE || word == mask::TASK);
    if named && found.words.len() == found.figures.len() {
        // Haste is no condition of one record.
        let hasty = |word: &String| matches!(word.as_str(), "urgente" | "urgentemente" | "altiro" | "rapido");
        found.words.retain(|word| !hasty(word));
        found.figures.retain(|word| !hasty(word));
    }
    let wishes = matches!(found.words.as_slice(), [wish, know, ..]
        if matches!(wish.as_str(), "necesito" | "quiero" | "quisiera") && matches!(know.as_str(), "saber" | "consultar" | "conocer" | "ver"));
    let opened = wishes || found.words.first().is_some_and(|word| OPENERS.contains(&word.as_str()));
    if !opened {
        return;
    }
    let rest = found
        .words
        .iter()
        .skip(1)
        .take_while(|word| AFTER.contains(&word.as_str()))
        .count();
    let skip = 1 + rest;
    if skip < found.words.len() {
        found.words.drain(..skip);
        found.figures.drain(..skip.min(found.figures.len()));
    }
    // *muchas gracias* at the end.
    const THANKS: [&str; 7] = ["gracias", "muchas", "mil", "por", "favor", "saludos", "atento"];
    while found.words.len() > 1 && found.words.last().is_some_and(|word| THANKS.contains(&word.as_str())) {
        found.words.pop();
        found.figures.pop();
    }
}
