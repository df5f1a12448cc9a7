//! The field: a task with everything about it, sites by distance.

use crate::domain::answer::{Answer, Item, Severity};
use crate::tools::answers::{CrewCard, FieldSite, FieldTask, NearestSites, Origin, PersonCard, SiteDistance};

use super::history::note_line;
use super::network::alarm_item;
use super::pen::{Pen, add, flat, hours, item, plain_item, say, titled, word, word_or_itself};
use super::sites::{access_line, active_tasks, address};
use super::task_row::{clocks, headline, held};
use super::what::beyond;

pub(super) fn details(pen: &Pen<'_>, answer: &FieldTask) -> Answer {
    let task = &answer.task;
    let mut shown = titled(headline(task));
    add(&mut shown, clocks(pen, task).join(" "));
    add(&mut shown, held(pen, task));
    match &answer.site {
        Some(site) => at_site(pen, &mut shown, site),
        None => add(&mut shown, say("field.no_site", &[("id", &task.site_id)])),
    }
    // A description that only repeats title and site says nothing new.
    if !answer.description.is_empty() && !answer.description.starts_with(&task.title) {
        add(
            &mut shown,
            say("field.description", &[("text", &flat(&answer.description))]),
        );
    }
    match &answer.crew {
        Some(crew) => shown.items.extend(crew_items(crew)),
        None => add(&mut shown, say("field.no_crew", &[])),
    }
    if answer.notes.is_empty() {
        shown.notes.push(say("field.no_notes", &[]));
    }
    let group = say("field.group_notes", &[]);
    let notes = answer
        .notes
        .iter()
        .map(|n| plain_item(note_line(pen, n), Severity::Low, Some(&group)));
    shown.items.extend(notes);
    shown.suggestions = super::sites::site_suggestions(task.site_id.as_str());
    shown
}

fn at_site(pen: &Pen<'_>, shown: &mut Answer, site: &FieldSite) {
    let status = word("site_status", site.status.as_str(), 1);
    add(
        shown,
        say(
            "field.site",
            &[("id", &site.id), ("name", &flat(&site.name)), ("status", &status)],
        ),
    );
    add(shown, address(&site.address, &site.comuna));
    add(shown, say("site.position", &[("lat", &site.lat), ("lon", &site.lon)]));
    add(shown, access_line(pen, &site.access));
    add(shown, contact(site));
    add(
        shown,
        say(
            "field.power",
            &[
                ("power", &word_or_itself("power", &site.power)),
                ("hours", &hours(site.battery_autonomy_h)),
            ],
        ),
    );
    let n = u64::try_from(site.alarms.len()).unwrap_or(u64::MAX);
    add(shown, say("field.alarms", &[("n", &n)]));
    let group = say("field.group_alarms", &[]);
    shown.items.extend(site.alarms.iter().map(|alarm| Item {
        group: Some(group.clone()),
        ..alarm_item(pen, alarm, true)
    }));
}

fn contact(site: &FieldSite) -> String {
    match &site.contact {
        Some(contact) => match &contact.phone {
            Some(phone) => say("site.contact", &[("name", &flat(&contact.name)), ("phone", phone)]),
            None => say("site.contact_no_phone", &[("name", &flat(&contact.name))]),
        },
        None if site.contact_hidden => say("site.contact_hidden", &[]),
        None => say("site.contact_none", &[]),
    }
}

/// The crew and, where they may be named, its people.
fn crew_items(crew: &CrewCard) -> Vec<Item> {
    let group = say("field.group_crew", &[]);
    let status = word("crew_status", crew.status.as_str(), 1);
    let head = say(
        "field.crew",
        &[("id", &crew.id), ("name", &flat(&crew.name)), ("status", &status)],
    );
    let members = crew.members.iter().map(member);
    std::iter::once(head)
        .chain(members)
        .map(|text| plain_item(text, Severity::Low, Some(&group)))
        .collect()
}

fn member(person: &PersonCard) -> String {
    let (name, role) = (flat(&person.name), word("role", person.role.as_str(), 1));
    match &person.phone {
        Some(phone) => say(
            "field.member_phone",
            &[("name", &name), ("role", &role), ("phone", phone)],
        ),
        None => say("field.member", &[("name", &name), ("role", &role)]),
    }
}

pub(super) fn nearest(_: &Pen<'_>, answer: &NearestSites) -> Answer {
    let n = answer.sites.len();
    let title = match from_site(&answer.origin) {
        Some(site) => say("near.title_site", &[("n", &n), ("site", &site)]),
        None => say("near.title_point", &[("n", &n)]),
    };
    if answer.sites.is_empty() {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    if answer.with_active_tasks {
        add(&mut shown, say("near.with_tasks", &[]));
    }
    // The order is by distance: all weigh the same.
    shown.items = answer
        .sites
        .iter()
        .map(|site| {
            let km = km(site.distance_km);
            let head = say(
                "near.row",
                &[("id", &site.id), ("name", &flat(&site.name)), ("km", &km)],
            );
            let state = say(
                "near.row_state",
                &[
                    ("comuna", &flat(&site.comuna)),
                    ("status", &word("site_status", site.status.as_str(), 1)),
                    ("tasks", &active_tasks(site.active_tasks)),
                ],
            );
            item(format!("{head}\n{state}"), Severity::Normal, &site.id)
        })
        .collect();
    shown.beyond = beyond(answer.total, answer.offset, n);
    let first = answer.sites.first();
    shown.suggestions = first
        .map(|s| say("ask.status_of_site", &[("id", &s.id)]))
        .into_iter()
        .collect();
    shown
}

pub(super) fn distance(_: &Pen<'_>, answer: &SiteDistance) -> Answer {
    let (id, name, km) = (&answer.site.id, flat(&answer.site.name), km(answer.distance_km));
    let line = match from_site(&answer.origin) {
        Some(site) => say(
            "near.distance_site",
            &[("id", id), ("name", &name), ("km", &km), ("site", &site)],
        ),
        None => say("near.distance_point", &[("id", id), ("name", &name), ("km", &km)]),
    };
    let mut shown = Answer::text(line).line(flat(&answer.address));
    shown.suggestions = vec![
        say("ask.status_of_site", &[("id", id)]),
        say("ask.access_of_site", &[("id", id)]),
    ];
    shown
}

pub(super) fn from_site(origin: &Origin) -> Option<String> {
    let site = origin.site.as_ref()?;
    Some(say("site.title", &[("id", &site.id), ("name", &flat(&site.name))]))
}

/// One decimal, always.
pub(super) fn km(figure: f64) -> String {
    format!("{figure:.1}")
}
