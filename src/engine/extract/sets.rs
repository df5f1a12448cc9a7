//! The words of the closed sets: states, criticality, kinds of work, alarms and sites, counts.

use crate::domain::entities::Entities;
use crate::domain::sets::{
    AccessStatus, AlarmCategory, AlarmSeverity, CrewStatus, Criticality, SiteStatus, SiteType, StatusFilter, WorkType,
};

/// A list longer than this is not asked for by number (`catalog.toml`: limit 1..=200).
const LIMIT_MAX: u32 = 200;

/// Reads the words; they stay as they are, since they say what is asked too.
pub fn read(words: &[String], found: &mut Entities) {
    let text = Text(words);
    let about_alarms = text.any(|w| w.starts_with("alarm") || w.starts_with("enlace") || w.starts_with("intrusi"));
    let about_sites = text.any(|w| matches!(w, "sitio" | "sitios" | "site" | "sites" | "torre" | "torres" | "nodos"));
    let about_tasks = text.any(|w| {
        w.starts_with("tarea")
            || w.starts_with("ticket")
            || w.starts_with("task")
            || w.starts_with("tarefa")
            || w.starts_with("trabajo")
    });
    for at in 0..words.len() {
        if text.left_out(at) {
            let named = text.status(at).is_some()
                || text.criticality(at, about_tasks).is_some()
                || text.severity(at, about_alarms).is_some()
                || text.work_type(at).is_some();
            found.more.left_out |= named || text.word(at).starts_with("reconoc");
            continue;
        }
        if let Some(criticality) = text.criticality(at, about_tasks) {
            push(&mut found.more.criticalities, criticality);
        }
        if let Some(status) = text.status(at) {
            push(&mut found.statuses, status);
        }
        found.criticality = found.criticality.or_else(|| text.criticality(at, about_tasks));
        found.more.severity = found.more.severity.or_else(|| text.severity(at, about_alarms));
        found.more.category = found.more.category.or_else(|| text.category(at));
        found.work_type = found.work_type.or_else(|| text.work_type(at));
        found.more.site_type = found.more.site_type.or_else(|| text.site_type(at, about_sites));
        found.more.site_status = found.more.site_status.or_else(|| text.site_status(at));
        found.more.crew_status = found.more.crew_status.or_else(|| text.crew_status(at));
        found.more.access_status = found.more.access_status.or_else(|| text.access_status(at));
        found.more.limit = found.more.limit.or_else(|| text.limit(at));
        if found.more.group_by.is_none() {
            found.more.group_by = text.group_by(at).map(str::to_owned);
        }
    }
    contrast(&mut found.statuses);
}

/// *abiertas* means active, unless another active state stands beside it (`catalog.toml`, rules.abiertas).
fn contrast(statuses: &mut [StatusFilter]) {
    let others = [StatusFilter::InProgress, StatusFilter::Stalled, StatusFilter::OnHold];
    if statuses.iter().any(|s| others.contains(s)) {
        for status in statuses.iter_mut().filter(|s| **s == StatusFilter::Active) {
            *status = StatusFilter::Open;
        }
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

struct Text<'a>(&'a [String]);

impl Text<'_> {
    fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", String::as_str)
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    fn any(&self, test: impl Fn(&str) -> bool) -> bool {
        self.0.iter().any(|word| test(word))
    }

    /// `no críticas`, `que no estén cerradas`, `excepto las bajas`, `sin reconocer`.
    fn left_out(&self, at: usize) -> bool {
        const LINKS: [&str; 9] = ["esten", "estan", "este", "esta", "sean", "son", "las", "los", "de"];
        let back = |steps: usize| at.checked_sub(steps).map_or("", |at| self.word(at));
        let linked = LINKS.contains(&back(1));
        let excludes = |word: &str| matches!(word, "excepto" | "salvo" | "menos");
        // *no, las críticas* corrects: there the *no* comes first.
        let denies = |steps: usize| back(steps) == "no" && at > steps;
        denies(1)
            || (linked && !matches!(back(1), "las" | "los" | "de") && denies(2))
            || excludes(back(1))
            || (linked && excludes(back(2)))
            || (back(1) == "sin" && self.word(at).starts_with("reconoc"))
    }

    fn status(&self, at: usize) -> Option<StatusFilter> {
        let word = self.word(at);
        let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
        let after_en = self.before(at) == "en";
        // An open door is no open task.
        if begins(&["abiert", "abert"]) && !self.before(at).starts_with("puerta") {
            return Some(StatusFilter::Active);
        }
        Some(match word {
            "open" | "vigentes" => StatusFilter::Active,
            "nuevas" | "nueva" | "nuevos" if self.before(at) != "mas" => StatusFilter::Open,
            "curso" | "progreso" | "ejecucion" | "atencion" if after_en => StatusFilter::InProgress,
            "proceso" if after_en => StatusFilter::InProgress,
            "espera" if after_en => StatusFilter::OnHold,
            "movimiento" | "avance" if self.before(at) == "sin" => StatusFilter::Stalled,
            "parada" | "paradas" | "parados" | "pegada" | "pegadas" | "pegados" => StatusFilter::Stalled,
            "cerro" | "cerraron" | "closed" => StatusFilter::Closed,
            _ if begins(&["pendient"]) => StatusFilter::Active,
            _ if begins(&["estanc", "stalled", "detenid", "trabad", "atorad", "congelad"]) => StatusFilter::Stalled,
            _ if begins(&["pausad", "suspendid"]) => StatusFilter::OnHold,
            _ if begins(&["cerrad", "finalizad", "terminad", "resuelt", "fechad", "concluid"]) => StatusFilter::Closed,
            _ if begins(&["cancelad", "anulad"]) => StatusFilter::Cancelled,
            "todos" | "cualquier"
                if matches!(self.word(at + 1), "los" | "estado") && self.any(|w| w.starts_with("estado")) =>
            {
                StatusFilter::Any
            }
            _ => return None,
        })
    }

    fn criticality(&self, at: usize, about_tasks: bool) -> Option<Criticality> {
        let word = self.word(at);
        let measured = |at: usize| matches!(self.word(at), "criticidad" | "prioridad");
        let beside = measured(at + 1) || at.checked_sub(1).is_some_and(measured);
        let after_tasks = self.before(at).starts_with("tarea") || self.before(at).starts_with("ticket");
        match word {
            _ if word.starts_with("critic") && word != "criticidad" => Some(Criticality::Critical),
            "kritica" | "kriticas" | "critical" => Some(Criticality::Critical),
            "urgente" | "urgentes" if about_tasks => Some(Criticality::Critical),
            "alta" | "altas" if beside || after_tasks || self.beside_another(at) => Some(Criticality::High),
            "media" | "medias" | "normal" if beside || after_tasks || self.beside_another(at) => {
                Some(Criticality::Medium)
            }
            "baja" | "bajas" if beside || after_tasks || self.beside_another(at) => Some(Criticality::Low),
            _ => None,
        }
    }

    /// `críticas y altas`: a measure joined to another.
    fn beside_another(&self, at: usize) -> bool {
        matches!(self.before(at), "y" | "o" | "e" | "u")
            && at.checked_sub(2).is_some_and(|at| {
                let word = self.word(at);
                word.starts_with("critic") || matches!(word, "alta" | "altas" | "media" | "medias")
            })
    }

    fn severity(&self, at: usize, about_alarms: bool) -> Option<AlarmSeverity> {
        match self.word(at) {
            word if about_alarms && word.starts_with("critic") => Some(AlarmSeverity::Critical),
            "mayor" | "mayores" | "major" => Some(AlarmSeverity::Major),
            "menor" | "menores" | "minor" => Some(AlarmSeverity::Minor),
            "advertencia" | "advertencias" | "warning" | "warnings" => Some(AlarmSeverity::Warning),
            _ => None,
        }
    }

    fn category(&self, at: usize) -> Option<AlarmCategory> {
        let word = self.word(at);
        let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
        Some(match () {
            () if begins(&["energia", "electric", "rectificador", "bateria", "generador", "voltaje"])
                || word == "luz" =>
            {
                AlarmCategory::Power
            }
            () if begins(&["fibra", "enlace", "transporte", "troncal", "microonda"]) => AlarmCategory::Transport,
            () if matches!(word, "vswr" | "radio" | "rf" | "rru" | "bbu" | "rtwp" | "pim") => AlarmCategory::Radio,
            () if begins(&["puerta", "intrus", "robo", "seguridad", "vandal"]) => AlarmCategory::Security,
            () if begins(&["temperatura", "humo", "inunda", "climatiz", "ambient"]) => AlarmCategory::Environment,
            () => return None,
        })
    }

    fn work_type(&self, at: usize) -> Option<WorkType> {
        let word = self.word(at);
        Some(match word {
            _ if word.starts_with("correctiv") || word == "corrective" => WorkType::Corrective,
            _ if word.starts_with("preventiv") || word == "preventive" => WorkType::Preventive,
            _ if word.starts_with("instalacion") => WorkType::Installation,
            _ if word.starts_with("auditoria") || word == "audit" => WorkType::Audit,
            "pop" => WorkType::Pop,
            "tot" => WorkType::Tot,
            _ => return None,
        })
    }

    fn site_type(&self, at: usize, about_sites: bool) -> Option<SiteType> {
        Some(match self.word(at) {
            "rooftop" | "rooftops" | "azotea" | "azoteas" => SiteType::Rooftop,
            "macro" | "macros" => SiteType::Macro,
            "small" if self.word(at + 1).starts_with("cell") => SiteType::SmallCell,
            "smallcell" | "smallcells" => SiteType::SmallCell,
            "repetidor" | "repetidores" | "repetidora" => SiteType::Repeater,
            "datacenter" | "datacenters" => SiteType::Datacenter,
            "data" if self.word(at + 1).starts_with("center") => SiteType::Datacenter,
            "pop" | "pops" if about_sites => SiteType::Pop,
            _ => return None,
        })
    }

    fn site_status(&self, at: usize) -> Option<SiteStatus> {
        let word = self.word(at);
        Some(match word {
            _ if word.starts_with("caid") || word.starts_with("botad") || word.starts_with("cayeron") => {
                SiteStatus::Down
            }
            "abajo" | "down" => SiteStatus::Down,
            "servicio"
                if matches!(self.before(at), "sin" | "de")
                    && (self.before(at) == "sin" || self.word(at.wrapping_sub(2)) == "fuera") =>
            {
                SiteStatus::Down
            }
            _ if word.starts_with("degrad") || word.starts_with("intermit") => SiteStatus::Degraded,
            "mantencion" | "mantenimiento" | "maintenance" if self.before(at) == "en" => SiteStatus::Maintenance,
            _ => return None,
        })
    }

    fn crew_status(&self, at: usize) -> Option<CrewStatus> {
        Some(match self.word(at) {
            "disponible" | "disponibles" | "libre" | "libres" => CrewStatus::Available,
            "ruta" | "camino" if self.before(at) == "en" => CrewStatus::EnRoute,
            _ => return None,
        })
    }

    fn access_status(&self, at: usize) -> Option<AccessStatus> {
        let word = self.word(at);
        Some(match () {
            () if word.starts_with("denegad") || word.starts_with("rechazad") => AccessStatus::Denied,
            () if word.starts_with("autorizad") => AccessStatus::Authorized,
            () => return None,
        })
    }

    /// `las 5 más antiguas`, `top 10`, `los 3 sitios más cercanos`, `dame 10 tareas`.
    fn limit(&self, at: usize) -> Option<u32> {
        let number = match self.word(at) {
            "dos" => 2,
            "tres" => 3,
            "cinco" => 5,
            "diez" => 10,
            word => word.parse().ok().filter(|n| (1..=LIMIT_MAX).contains(n))?,
        };
        let announced = matches!(
            self.before(at),
            "las" | "los" | "top" | "primeras" | "primeros" | "dame" | "muestrame" | "lista" | "ultimas" | "ultimos"
        );
        let counted = |word: &str| {
            word == "mas"
                || ["sitio", "tarea", "ticket", "alarma", "torre", "primer"]
                    .iter()
                    .any(|stem| word.starts_with(stem))
        };
        (announced && (counted(self.word(at + 1)) || matches!(self.before(at), "top" | "primeras" | "primeros")))
            .then_some(number)
    }

    /// `por gestor`, `por zona`: the catalogue's word.
    fn group_by(&self, at: usize) -> Option<&'static str> {
        // *qué gestor tiene más tareas*, *sitio con más alarmas*: each with its count.
        let most = matches!(self.word(at + 1), "con" | "tiene" | "tienen" | "hay") && self.word(at + 2) == "mas";
        if !matches!(self.before(at), "por" | "cada" | "by") && !most {
            return None;
        }
        Some(match self.word(at) {
            "zona" | "zonas" | "zone" => "zone",
            "estado" | "estados" | "status" => "status",
            "criticidad" | "prioridad" => "criticality",
            "gestor" | "gestora" | "gestores" | "manager" => "manager",
            "quien" if most => "manager",
            "sitio" | "sitios" | "site" => "site",
            "tipo" | "tipos" => "work_type",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::features::raw_words;

    fn sets(text: &str) -> Entities {
        let mut found = Entities::default();
        read(&raw_words(text), &mut found);
        found
    }

    #[test]
    fn open_means_active_unless_another_active_state_stands_beside_it() {
        assert_eq!(sets("tareas abiertas").statuses, [StatusFilter::Active]);
        assert_eq!(
            sets("abiertas y cerradas").statuses,
            [StatusFilter::Active, StatusFilter::Closed]
        );
        assert_eq!(
            sets("abiertas y estancadas").statuses,
            [StatusFilter::Open, StatusFilter::Stalled]
        );
        assert_eq!(sets("puertas abiertas").statuses, []);
        assert_eq!(sets("tareas en espera").statuses, [StatusFilter::OnHold]);
    }

    #[test]
    fn high_and_low_need_a_word_of_measure() {
        assert_eq!(sets("tareas con criticidad alta").criticality, Some(Criticality::High));
        assert_eq!(sets("alta temperatura").criticality, None);
        assert_eq!(sets("tareas criticas").criticality, Some(Criticality::Critical));
        assert_eq!(
            sets("alarmas criticas de energia").more.severity,
            Some(AlarmSeverity::Critical)
        );
        assert_eq!(
            sets("alarmas criticas de energia").more.category,
            Some(AlarmCategory::Power)
        );
    }

    #[test]
    fn a_count_is_asked_for_by_words() {
        assert_eq!(sets("las 5 mas antiguas").more.limit, Some(5));
        assert_eq!(sets("los 3 sitios mas cercanos").more.limit, Some(3));
        assert_eq!(sets("la 2").more.limit, None);
        assert_eq!(
            sets("cuantas tareas por gestor").more.group_by.as_deref(),
            Some("manager")
        );
    }
}
