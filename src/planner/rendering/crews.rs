//! Crews: what they do, and which is nearest.

use crate::domain::answer::{Answer, Item, Severity};
use crate::tools::answers::{CrewCard, CrewList, CrewRow, CrewStatusCounts, NearCrew, NearestCrews};

use super::field::{from_site, km};
use super::pen::{Pen, add, flat, item, list, say, titled, word};
use super::quick::{crew_position, with_phone};
use super::sites::active_tasks;
use super::what::{beyond, in_zone, joined};

pub(super) fn found(pen: &Pen<'_>, answer: &CrewList) -> Answer {
    let zone = answer.zone.as_ref().map(|zone| in_zone(zone.as_str()));
    let what = joined(&zone.into_iter().collect::<Vec<_>>());
    let title = say("crews.title", &[("n", &answer.total), ("what", &what)]);
    if answer.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    if answer.total > 1 {
        add(&mut shown, by_status(&answer.by_status));
    }
    let alone = answer.total == 1;
    // The available ones come first, whatever each works on: all weigh the same.
    shown.items = answer.crews.iter().map(|row| crew_item(pen, row, alone)).collect();
    shown.beyond = beyond(answer.total, answer.offset, answer.crews.len());
    let task = answer.crews.iter().find_map(|row| row.doing.as_ref());
    shown.suggestions = task.map(|t| say("ask.task", &[("id", &t.id)])).into_iter().collect();
    shown
}

/// `3 disponibles, 1 en ruta y 1 fuera de turno`, without those of none.
fn by_status(counts: &CrewStatusCounts) -> String {
    let parts = [
        (counts.available, "available"),
        (counts.en_route, "en_route"),
        (counts.on_site, "on_site"),
        (counts.off_shift, "off_shift"),
    ];
    let there = parts.into_iter().filter(|(n, _)| *n > 0);
    let said: Vec<String> = there
        .map(|(n, status)| say("site.part", &[("n", &n), ("word", &word("crew_status", status, n))]))
        .collect();
    list(&said)
}

fn crew_item(pen: &Pen<'_>, row: &CrewRow, with_phones: bool) -> Item {
    let card = &row.card;
    let head = say("crews.head", &[("id", &card.id), ("name", &flat(&card.name))]);
    let mut lines = vec![head, state(card)];
    lines.extend(row.doing.as_ref().map(|task| {
        say(
            "crews.doing",
            &[
                ("id", &task.id),
                ("title", &flat(&task.title)),
                ("site", &task.site_id),
                ("name", &flat(&task.site_name)),
            ],
        )
    }));
    if !card.members.is_empty() {
        let members = card.members.iter();
        let names: Vec<String> = members
            .map(|person| {
                if with_phones {
                    with_phone(person)
                } else {
                    flat(&person.name)
                }
            })
            .collect();
        lines.push(say("card.crew_members", &[("list", &list(&names))]));
    }
    if with_phones {
        lines.push(crew_position(pen, card));
    }
    item(lines.join("\n"), Severity::Normal, &card.id)
}

fn state(card: &CrewCard) -> String {
    let status = word("crew_status", card.status.as_str(), 1);
    say(
        "crews.state",
        &[("status", &status), ("tasks", &active_tasks(card.active_tasks))],
    )
}

pub(super) fn nearest(pen: &Pen<'_>, answer: &NearestCrews) -> Answer {
    let n = answer.crews.len();
    let to = match from_site(&answer.origin) {
        Some(site) => say("crews.to_site", &[("site", &site)]),
        None => say("crews.to_point", &[]),
    };
    let key = if answer.available_only {
        "crews.nearest_available"
    } else {
        "crews.nearest"
    };
    let title = say(key, &[("n", &n), ("to", &to)]);
    if n == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    // The order is by distance: all weigh the same.
    shown.items = answer.crews.iter().map(|crew| near_item(pen, crew)).collect();
    shown.beyond = beyond(answer.total, answer.offset, n);
    if answer.without_position > 0 {
        shown
            .notes
            .push(say("crews.without_position", &[("n", &answer.without_position)]));
    }
    shown
}

fn near_item(pen: &Pen<'_>, crew: &NearCrew) -> Item {
    let card = &crew.card;
    let head = say(
        "near.row",
        &[
            ("id", &card.id),
            ("name", &flat(&card.name)),
            ("km", &km(crew.distance_km)),
        ],
    );
    let position = crew_position(pen, card);
    item(
        format!("{head}\n{}. {position}", state(card)),
        Severity::Normal,
        &card.id,
    )
}
