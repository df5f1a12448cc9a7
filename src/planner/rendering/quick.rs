//! The three lines about a site, and the short card of whatever an id or a name is.

use crate::domain::answer::{Answer, Severity};
use crate::tools::Output;
use crate::tools::answers::{
    AccessAt, AssetCard, Choices, CrewCard, Found, MonitorCard, PersonCard, SiteGlance, TaskStanding,
};

use super::network::alarm_state;
use super::pen::{Pen, add, duration, flat, item, list, say, titled, word};
use super::sites::{access_line, active_tasks, authorization_text, site_suggestions};
use super::task_row::standing;
use super::what::given;

/// `SITE-002 Torre Arica (…)`, then active tasks, critical alarms, access: plain lines.
pub(super) fn glance(pen: &Pen<'_>, site: &SiteGlance) -> Answer {
    let status = word("site_status", site.status.as_str(), 1);
    let first = say(
        "site.glance",
        &[
            ("id", &site.site_id),
            ("name", &flat(&site.name)),
            ("zone", &site.zone),
            ("status", &status),
        ],
    );
    let mut shown = Answer::text(first)
        .line(active_tasks(site.active_tasks))
        .line(say("site.critical_alarms", &[("n", &site.critical_alarms)]))
        .line(access_line(pen, &site.access));
    shown.suggestions = site_suggestions(site.site_id.as_str());
    shown
}

pub(super) fn found(pen: &Pen<'_>, answer: &Found, output: &Output) -> Answer {
    match answer {
        Found::Site(site) => glance(pen, site),
        Found::Task(task) => standing(pen, &TaskStanding { task: (**task).clone() }),
        Found::Alarm(alarm) => {
            let site = say(
                "site.title",
                &[("id", &alarm.site_id), ("name", &flat(&alarm.site_name))],
            );
            let head = say(
                "alarms.head",
                &[("id", &alarm.id), ("name", &flat(&alarm.name)), ("site", &site)],
            );
            let mut shown = Answer::text(head)
                .line(alarm_state(pen, alarm))
                .line(flat(&alarm.element));
            shown.suggestions = vec![
                say("ask.alarms_of_site", &[("id", &alarm.site_id)]),
                say("ask.status_of_site", &[("id", &alarm.site_id)]),
            ];
            shown
        }
        Found::Crew(crew) => crew_card(pen, crew),
        Found::Employee(person) => person_card(person),
        Found::Asset(asset) => asset_card(pen, asset),
        Found::Access(access) => access_card(pen, access),
        Found::Monitor(monitor) => monitor_card(pen, monitor),
        Found::Several(choices) => several(choices, given(output, "id").unwrap_or_default()),
    }
}

fn crew_card(pen: &Pen<'_>, crew: &CrewCard) -> Answer {
    let mut shown = Answer::text(say("card.crew_title", &[("id", &crew.id), ("name", &flat(&crew.name))]));
    add(
        &mut shown,
        say(
            "card.crew_state",
            &[
                ("status", &word("crew_status", crew.status.as_str(), 1)),
                ("zone", &crew.zone),
                ("tasks", &active_tasks(crew.active_tasks)),
            ],
        ),
    );
    if let Some(task) = &crew.current_task {
        add(&mut shown, say("card.crew_task", &[("task", task)]));
    }
    if let Some(lead) = &crew.lead {
        add(&mut shown, say("card.crew_lead", &[("name", &flat(&lead.name))]));
    }
    if !crew.members.is_empty() {
        let names: Vec<String> = crew.members.iter().map(with_phone).collect();
        add(&mut shown, say("card.crew_members", &[("list", &list(&names))]));
    }
    add(&mut shown, crew_position(pen, crew));
    let task = crew.current_task.as_ref();
    shown.suggestions = task.map(|task| say("ask.task", &[("id", task)])).into_iter().collect();
    shown
}

/// `Posición de hace 26 min`
pub(super) fn crew_position(pen: &Pen<'_>, crew: &CrewCard) -> String {
    match crew.position_at {
        Some(at) => {
            let hours = crate::world::kpi::hours_between(at, pen.cx.now);
            say("card.crew_position", &[("time", &duration(hours))])
        }
        None => say("card.crew_no_position", &[]),
    }
}

pub(super) fn with_phone(person: &PersonCard) -> String {
    match &person.phone {
        Some(phone) => format!("{} {phone}", flat(&person.name)),
        None => flat(&person.name),
    }
}

fn person_card(person: &PersonCard) -> Answer {
    let key = if person.active {
        "card.person_title"
    } else {
        "card.person_left"
    };
    let mut shown = Answer::text(say(key, &[("id", &person.id), ("name", &flat(&person.name))]));
    let place = match &person.zone {
        Some(zone) => say("zone.name", &[("zone", zone)]),
        None => say("card.no_zone", &[]),
    };
    let role = word("role", person.role.as_str(), 1);
    add(
        &mut shown,
        say("card.person_state", &[("role", &role), ("place", &place)]),
    );
    if let Some(crew) = &person.crew {
        add(&mut shown, say("card.person_crew", &[("name", &flat(&crew.name))]));
    }
    add(&mut shown, say("card.person_tasks", &[("n", &person.active_tasks)]));
    if person.contact_hidden {
        add(&mut shown, say("card.person_hidden", &[]));
    }
    if let Some(phone) = &person.phone {
        add(&mut shown, say("card.person_phone", &[("phone", phone)]));
    }
    if let Some(email) = &person.email {
        add(&mut shown, say("card.person_email", &[("email", email)]));
    }
    shown
}

fn asset_card(pen: &Pen<'_>, asset: &AssetCard) -> Answer {
    let where_it_is = say(
        "card.asset_where",
        &[("site", &asset.site.id), ("name", &flat(&asset.site.name))],
    );
    Answer::text(say(
        "card.asset_title",
        &[("id", &asset.id), ("equipment", &flat(&asset.equipment))],
    ))
    .line(say(
        "card.asset_model",
        &[
            ("vendor", &flat(&asset.vendor)),
            ("model", &flat(&asset.model)),
            ("quantity", &asset.quantity),
        ],
    ))
    .line(say("card.asset_serial", &[("serial", &flat(&asset.serial))]))
    .line(where_it_is)
    .line(say(
        "card.asset_installed",
        &[("at", &pen.at_or_unknown(asset.installed_at))],
    ))
}

fn access_card(pen: &Pen<'_>, access: &AccessAt) -> Answer {
    let row = &access.access;
    let title = say(
        "card.access_title",
        &[
            ("id", &row.id),
            ("site", &row.site_id),
            ("name", &flat(&access.site_name)),
        ],
    );
    let mut shown = Answer::text(title).line(authorization_text(pen, row));
    shown.suggestions = vec![say("ask.access_of_site", &[("id", &row.site_id)])];
    shown
}

fn monitor_card(pen: &Pen<'_>, monitor: &MonitorCard) -> Answer {
    let status = word("monitor_status", monitor.status.as_str(), 1);
    let value = match monitor.value {
        Some(value) => say(
            "card.monitor_value",
            &[("value", &value), ("unit", &flat(&monitor.unit))],
        ),
        None => say("card.monitor_no_value", &[]),
    };
    let site = say(
        "card.monitor_where",
        &[("site", &monitor.site.id), ("name", &flat(&monitor.site.name))],
    );
    Answer::text(say(
        "card.monitor_title",
        &[
            ("id", &monitor.id),
            ("metric", &flat(&monitor.metric)),
            ("status", &status),
        ],
    ))
    .line(value)
    .line(site)
    .line(say(
        "card.monitor_checked",
        &[("at", &pen.at_or_unknown(monitor.last_check))],
    ))
}

fn several(choices: &Choices, given: &str) -> Answer {
    let mut shown = titled(say("card.several", &[("n", &choices.total), ("given", &flat(given))]));
    let rows = choices.choices.iter().map(|choice| {
        let text = say("card.choice", &[("id", &choice.id), ("name", &flat(&choice.name))]);
        item(text, Severity::Normal, &choice.id)
    });
    shown.items = rows.collect();
    shown.suggestions = choices.choices.iter().take(3).map(|choice| choice.id.clone()).collect();
    shown
}
