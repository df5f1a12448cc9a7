//! From a tool chosen to an answer: the arguments it lacks are sought in the conversation, the
//! call is run, and what was shown is remembered.

use serde_json::{Map, Value, json};

use crate::domain::answer::{Answer, Item, Severity};
use crate::domain::ids::{AlarmId, SiteId, TaskId};
use crate::domain::sets::StatusFilter;
use crate::domain::text::fold;
use crate::format::{phrases, whatsapp};
use crate::planner::lexicon::lexicon;
use crate::planner::recipes::Recipe;
use crate::planner::{rendering, slots};
use crate::tools::{self, Output, Spec, ToolError};

use super::executor::Failed;
use super::extract::Found;
use super::flow::Flow;
use super::memory::{Beyond, Call, Last};
use super::{kept, mapper};

impl Flow<'_> {
    /// Answers a question with a tool; what of the question the tool cannot take is said.
    pub fn act(&mut self, tool: &str, found: &Found) -> Answer {
        if let Some(answer) = self.message_of(tool, &found.rest) {
            return answer;
        }
        if let Some(answer) = self.write_chosen(tool, found) {
            return answer;
        }
        if let Some(answer) = self.unknown_id(found) {
            return answer;
        }
        let masks = mapper::masks(found);
        let listed = slots::family_of(tool).contains(&"search_tasks");
        let says_tasks = found.words.iter().any(|word| lexicon().means(word, "task"));
        let of_tasks = listed || matches!(tool, "count_tasks" | "get_my_tasks");
        if (of_tasks || (says_tasks && self.of_many(tool)))
            && let Some(answer) = self.own_tasks(found)
        {
            return answer;
        }
        let wider = slots::wider(tool, &self.engine.needs, &masks);
        // *las más antiguas* is an order of all active tasks, unless *estancadas* is said.
        let said_stalled = found.entities.statuses.contains(&StatusFilter::Stalled) || mapper::sort(found).is_none();
        let stalled = wider.is_some() && tool == "get_stalled_tasks" && said_stalled;
        // *por gestor*, *por zona*: what is counted, whatever list was thought of.
        let many = found
            .words
            .iter()
            .any(|word| word.starts_with("cuant") || word.starts_with("quant"));
        let counts = self.engine.needs.iter().find(|n| n.tool == "count_tasks");
        let counted = listed
            && (found.entities.more.group_by.is_some()
                || (many && wider.is_none() && counts.is_some_and(|n| n.lacks(&masks).is_empty())));
        // *panel p2*: its rows of one priority or level.
        let of_one_rank = ["priority", "level"]
            .iter()
            .any(|rank| super::asked::of(rank, found).is_some());
        let tool = match tool {
            _ if counted => "count_tasks",
            "get_panel_summary" if of_one_rank => "search_panel",
            // Around a place named there are the sites of that place.
            "find_nearest_sites" if masks.place && !masks.site && found.entities.more.location.is_none() => {
                "search_sites"
            }
            _ => wider.unwrap_or(tool),
        };
        // *tareas del sitio*: of which one? The conversation may know.
        let tool = match kept::of_a_site(found).then(|| slots::family_of(tool)).as_deref() {
            Some(family) if family.contains(&"get_tasks_by_site") => "get_tasks_by_site",
            Some(family) if family.contains(&"get_site_alarms") => "get_site_alarms",
            _ => tool,
        };
        let before = self.exec.calls.len();
        let answer = self.act_with(tool, found, stalled);
        self.with_unkept(answer, before, found)
    }

    /// Does a tool answer for many, with no record that it must be given?
    fn of_many(&self, tool: &str) -> bool {
        let needs = self.engine.needs.iter().find(|n| n.tool == tool);
        needs.is_some_and(|n| n.must.is_empty() && n.takes.contains("criticality"))
    }

    fn act_with(&mut self, tool: &str, found: &Found, stalled: bool) -> Answer {
        let Some(spec) = tools::find(tool) else {
            return super::words::no_tool();
        };
        let mapped = mapper::map(spec, found);
        let mut call = Call {
            tool: tool.to_owned(),
            args: mapped.args,
        };
        if stalled && spec.params().any(|(param, _, _)| param == "status") {
            call.args.insert("status".to_owned(), json!(StatusFilter::Stalled));
        }
        if let Some(answer) = self.of_somebodys_crew(spec, found) {
            return answer;
        }
        // A list of sites or tasks, one by one: each its own short answer.
        if let Some(answer) = self.each(&call, found) {
            return answer;
        }
        for missing in &mapped.missing {
            if let Some(value) = self.conversations_own(&missing.entity) {
                call.args.insert(missing.param.clone(), value);
                continue;
            }
            if missing.entity == "site" {
                if let Some(answer) = self.site_by_number(&call, found) {
                    return answer;
                }
                if let Some(answer) = self.site_by_place(&call, &missing.param, found) {
                    return answer;
                }
                if let Some((name, candidates)) = found
                    .entities
                    .more
                    .ambiguous
                    .first()
                    .filter(|(_, all)| all.iter().all(|(id, _)| SiteId::parse(id).is_ok()))
                {
                    return self.ambiguous(&call, &missing.param, name, candidates);
                }
            }
            if missing.entity == "task"
                && let Some(id) = self.task_by_number(found)
            {
                call.args.insert(missing.param.clone(), json!(id));
                continue;
            }
            if missing.entity == "record"
                && let Some(name) = name_asked_for(found)
            {
                call.args.insert(missing.param.clone(), json!(name));
                continue;
            }
        }
        self.run_or_ask(call)
    }

    /// The tasks of somebody who manages none: those of their crew, and that is said.
    fn of_somebodys_crew(&mut self, spec: &Spec, found: &Found) -> Option<Answer> {
        if let Some(answer) = self.which_of_them(spec, found) {
            return Some(answer);
        }
        let more = &found.entities.more;
        let asked = spec.params().any(|(param, _, _)| param == "manager")
            && more.manager_ids.is_empty()
            && more.ambiguous.is_empty();
        let [id] = more.employees.as_slice() else { return None };
        let person = self
            .exec
            .cx
            .world
            .employee(id)
            .filter(|_| asked && !self.exec.cx.caller.is_guest())?;
        let Some(crew) = person.crew_id.as_ref() else {
            return Some(self.leads_none(person));
        };
        let wide = tools::find("search_tasks")?;
        let mut args = mapper::map(wide, found).args;
        args.remove("manager");
        args.insert("crew_id".to_owned(), json!(crew));
        let own: Vec<String> = self
            .exec
            .cx
            .world
            .tasks()
            .iter()
            .filter(|task| task.technician_id.as_ref() == Some(id))
            .map(|task| task.id.to_string())
            .collect();
        let mut answer = self.run_or_ask(Call {
            tool: wide.name().to_owned(),
            args,
        });
        let theirs = |item: &Item| item.subject.as_ref().is_some_and(|id| own.contains(id));
        let n = answer.items.iter().filter(|item| theirs(item)).count();
        let note = phrases().say(
            if n > 0 { "engine.crew_of" } else { "engine.crew_only" },
            &[("name", &person.name), ("crew", crew), ("n", &n)],
        );
        if n > 0 {
            // Their own come first, in the order they had; then the crew's others.
            let heading = |key: &str| phrases().say(key, &[("name", &person.name), ("crew", crew)]);
            let (own, others) = (heading("engine.own_of"), heading("engine.others_of"));
            let (mine, rest): (Vec<Item>, Vec<Item>) = answer.items.into_iter().partition(|item| theirs(item));
            let grouped = |items: Vec<Item>, heading: String| {
                items.into_iter().map(move |item| Item {
                    group: Some(heading.clone()),
                    severity: Severity::Normal,
                    ..item
                })
            };
            answer.items = grouped(mine, own).chain(grouped(rest, others)).collect();
            self.memory.shown = answer.items.iter().map(|item| item.subject.clone()).collect();
        }
        kept::remark(&mut answer, note);
        Some(answer)
    }

    /// What the conversation knows of a missing argument.
    fn conversations_own(&self, entity: &str) -> Option<Value> {
        let subject = self.memory.subject.as_deref()?;
        match entity {
            "site" => SiteId::parse(subject)
                .ok()
                .or_else(|| self.site_of_task(subject))
                .or_else(|| {
                    let alarm = AlarmId::parse(subject).ok()?;
                    self.exec.cx.world.alarm(&alarm).map(|alarm| alarm.site_id.clone())
                })
                .map(|id| json!(id)),
            "task" => TaskId::parse(subject).ok().map(|id| json!(id)),
            "record" => Some(json!(subject)),
            _ => None,
        }
    }

    /// The site where the task talked about is.
    pub fn site_of_task(&self, id: &str) -> Option<SiteId> {
        let task = TaskId::parse(id).ok()?;
        self.exec.cx.world.task(&task).map(|task| task.site_id.clone())
    }

    /// `estado de arica`: the site of that name, or the choice among several.
    pub fn site_by_place(&mut self, call: &Call, param: &str, found: &Found) -> Option<Answer> {
        let place = found.entities.more.place.as_ref()?;
        let sites = self.exec.cx.world.sites_named(&fold(place));
        match sites.as_slice() {
            [] => None,
            [only] => {
                let mut call = call.clone();
                call.args.insert(param.to_owned(), json!(only.id));
                Some(self.run_or_ask(call))
            }
            several => {
                let candidates: Vec<(String, String)> =
                    several.iter().map(|s| (s.id.to_string(), s.name.clone())).collect();
                Some(self.ambiguous(call, param, place, &candidates))
            }
        }
    }

    /// A name that several sites bear: which one?
    fn ambiguous(&mut self, call: &Call, param: &str, name: &str, candidates: &[(String, String)]) -> Answer {
        let error = ToolError::Ambiguous {
            given: name.to_owned(),
            candidates: candidates.to_vec(),
        };
        let answer = rendering::failure(&call.tool, &error, &self.exec.cx);
        self.memory.menu = self.choices_for(call, param, candidates);
        answer
    }

    /// Runs a call and remembers what it showed; a failure that names others offers them.
    pub fn run_and_remember(&mut self, call: Call) -> Answer {
        let (mut answer, outcome) = self.exec.answer(&call);
        match &outcome {
            Ok(output) if output.basis.is_some() => {
                self.pend(&call.tool, output, &mut answer);
                self.talked_about(output);
            }
            Ok(output) => self.remember(call, output, &answer, None),
            Err(Failed::Tool(error)) => {
                if let Some(asked) = self.ask_what_a_write_lacks(&call, error) {
                    return asked;
                }
                self.offer_named(&call, error);
            }
            Err(Failed::Cap(_) | Failed::NoTool) => {}
        }
        answer
    }

    /// Runs a recipe.
    pub fn cook(&mut self, recipe: Recipe, asked: &Map<String, Value>) -> Answer {
        self.exec.step();
        let calls = recipe.calls(asked);
        let mut outputs: Vec<(&'static str, Output)> = Vec::new();
        for (tool, args) in &calls {
            match self.exec.run(tool, args) {
                Ok(output) => outputs.push((tool, output)),
                Err(Failed::Tool(error)) if outputs.is_empty() => {
                    let call = Call {
                        tool: (*tool).to_owned(),
                        args: args.clone(),
                    };
                    self.offer_named(&call, &error);
                    return rendering::failure(tool, &error, &self.exec.cx);
                }
                // A part that gives nothing leaves the rest of the summary standing.
                Err(_) => {}
            }
        }
        let answer = recipe.render(&outputs, &self.exec.cx);
        if let (Some((tool, args)), Some((_, output))) = (calls.into_iter().next(), outputs.first()) {
            self.remember(
                Call {
                    tool: tool.to_owned(),
                    args,
                },
                output,
                &answer,
                Some(recipe),
            );
        }
        answer
    }

    /// The arguments a recipe is asked with: those of its widest tool.
    pub fn asked_of_recipe(found: &Found) -> Map<String, Value> {
        let spec = tools::find("search_tasks");
        let mut args = spec.map(|spec| mapper::map(spec, found).args).unwrap_or_default();
        // The words of a summary are no words to look for.
        args.remove("text");
        args
    }

    fn remember(&mut self, call: Call, output: &Output, answer: &Answer, recipe: Option<Recipe>) {
        let memory = &mut self.memory;
        // After a card of one thing the list before it can still be pointed at.
        if memory.shown.len() > 1 {
            memory.earlier = std::mem::take(&mut memory.shown);
        }
        let shown = whatsapp::subjects(answer)
            .into_iter()
            .take(self.engine.config.limits.shown_max);
        memory.shown = shown.map(|id| id.map(str::to_owned)).collect();
        if memory.shown.len() > 1 {
            memory.earlier.clear();
        }
        let param = |name: &str| output.params.get(name).and_then(Value::as_str).map(str::to_owned);
        let only = match memory.shown.as_slice() {
            [only] => only.clone(),
            _ => None,
        };
        memory.subject = param("task_id")
            .or_else(|| param("site_id"))
            .or_else(|| param("id"))
            .or(only);
        memory.beyond = (answer.beyond > 0).then(|| {
            let mut further = call.clone();
            let offset = output.count.unwrap_or_default().saturating_sub(answer.beyond);
            further.args.insert("offset".to_owned(), json!(offset));
            Beyond { call: further }
        });
        memory.last = Some(Last {
            call,
            recipe: recipe.map(|r| r.name().to_owned()),
        });
    }

    /// After *no such site* or *several of that name*: the names offered can be chosen by number.
    fn offer_named(&mut self, call: &Call, error: &ToolError) {
        let (kind, candidates) = match error {
            ToolError::NotFound { kind, nearest, .. } => (Some(*kind), nearest),
            ToolError::Ambiguous { candidates, .. } => (None, candidates),
            ToolError::Arguments { .. } | ToolError::Refused { .. } | ToolError::Disabled { .. } => return,
        };
        let Some(spec) = tools::find(&call.tool) else { return };
        let fits = |entity: &str| match kind {
            Some(kind) => {
                entity == kind || entity == "record" || (entity == "recipient" && matches!(kind, "person" | "crew"))
            }
            None => matches!(entity, "manager" | "person" | "recipient" | "record" | "place"),
        };
        let param = spec.params().find_map(|(param, schema, _)| {
            let entity = schema.get("x-entity").and_then(Value::as_str)?;
            (call.args.contains_key(param) && fits(entity)).then_some(param)
        });
        if let Some(param) = param {
            self.memory.menu = self.choices_for(call, param, candidates);
        }
    }

    /// The last question with what the new one changes; None when it cannot be changed so.
    pub fn turned(&mut self, found: &Found, drop_zone: bool) -> Option<Answer> {
        let last = self.memory.last.clone()?;
        if let Some(recipe) = last.recipe.as_deref().and_then(Recipe::named) {
            let asked = merged(&last.call.args, Self::asked_of_recipe(found), drop_zone);
            return Some(self.cook(recipe, &asked));
        }
        // The widest member of a family takes every change; the arguments then choose the member.
        let family = slots::family_of(&last.call.tool);
        let change = family
            .iter()
            .copied()
            .chain([last.call.tool.as_str()])
            .find_map(|tool| {
                let args = mapper::map(tools::find(tool)?, found).args;
                let args: Map<String, Value> = args
                    .into_iter()
                    .filter(|(name, _)| !matches!(name.as_str(), "text" | "group_by"))
                    .collect();
                (!args.is_empty()).then_some(args)
            });
        let change = match change {
            Some(change) => change,
            None if drop_zone => Map::new(),
            None => return self.not_by(&last.call.tool, found),
        };
        let args = merged(&last.call.args, change, drop_zone);
        let names: Vec<&str> = args.keys().map(String::as_str).collect();
        let tool = slots::member_for(&last.call.tool, &names)?;
        let before = self.exec.calls.len();
        let answer = self.run_or_ask(Call {
            tool: tool.to_owned(),
            args,
        });
        Some(self.with_unkept(answer, before, found))
    }
}

/// The old arguments with the new ones over them; where things are is said by one of them only.
fn merged(old: &Map<String, Value>, new: Map<String, Value>, drop_zone: bool) -> Map<String, Value> {
    const WHERE: [&str; 3] = ["site_id", "zone", "place"];
    let mut args = old.clone();
    args.remove("offset");
    if drop_zone || WHERE.iter().any(|name| new.contains_key(*name)) {
        args.retain(|name, _| !WHERE.contains(&name.as_str()));
    }
    // An order was of the list that is now another.
    if new.contains_key("status") {
        args.remove("sort");
    }
    if new.contains_key("date_from") {
        args.remove("period");
    }
    args.extend(new);
    args
}

/// `busca torre norte`: the words after the verb, for a look-up by name.
fn name_asked_for(found: &Found) -> Option<String> {
    const VERBS: [&str; 22] = [
        "busca",
        "buscar",
        "que",
        "es",
        "quien",
        "ficha",
        "datos",
        "de",
        "del",
        "la",
        "el",
        "a",
        "dame",
        "dime",
        "cual",
        "detalle",
        "info",
        "informacion",
        "por",
        "favor",
        "who",
        "is",
    ];
    let words: Vec<&str> = found
        .folded
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|w| !w.is_empty())
        .collect();
    let name: Vec<&str> = words
        .into_iter()
        .skip_while(|word| VERBS.contains(word))
        .take(6)
        .collect();
    (!name.is_empty()).then(|| name.join(" "))
}
