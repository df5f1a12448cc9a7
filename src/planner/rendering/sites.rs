//! The card of a site, lists of sites, and who may enter.

use crate::domain::answer::{Answer, Item, Severity};
use crate::domain::sets::{AccessStatus, AccessType};
use crate::tools::Output;
use crate::tools::answers::{AccessCard, AccessLine, AccessRow, CriticalityCounts, SiteCard, SiteList, SiteRow};

use super::network::severities;
use super::pen::{Pen, add, flat, hours, item, list, say, severity_of, titled, word, word_or_itself};
use super::what::{beyond, given, in_zone, joined, plural};

pub(super) fn card(pen: &Pen<'_>, site: &SiteCard) -> Answer {
    let mut shown = titled(say("site.title", &[("id", &site.site_id), ("name", &flat(&site.name))]));
    let mut line = |text: String| add(&mut shown, text);
    line(say(
        "site.state",
        &[
            ("type", &word("site_type", site.site_type.as_str(), 1)),
            ("status", &word("site_status", site.status.as_str(), 1)),
            ("criticality", &word("site_criticality", site.criticality.as_str(), 1)),
        ],
    ));
    line(say(
        "site.tasks",
        &[
            ("n", &site.active_tasks),
            ("counts", &criticalities(&site.tasks_by_criticality)),
        ],
    ));
    line(say(
        "site.alarms",
        &[
            ("n", &site.active_alarms),
            ("counts", &severities(&site.alarms_by_severity)),
        ],
    ));
    line(access_line(pen, &site.access));
    line(say(
        "site.place",
        &[
            ("address", &address(&site.address, &site.comuna)),
            ("region", &flat(&site.region)),
            ("zone", &site.zone),
        ],
    ));
    line(say("site.position", &[("lat", &site.lat), ("lon", &site.lon)]));
    line(say(
        "site.technologies",
        &[("list", &flat(&site.technologies.join(", ")))],
    ));
    line(say(
        "site.power",
        &[
            ("power", &word_or_itself("power", &site.power)),
            ("hours", &hours(site.battery_autonomy_h)),
        ],
    ));
    line(say("site.owner", &[("owner", &flat(&site.owner))]));
    line(say("site.last_visit", &[("at", &pen.at_or_unknown(site.last_visit))]));
    shown.suggestions = site_suggestions(&site.site_id.to_string());
    shown
}

/// An address with its comuna, once where the address ends in it.
pub(super) fn address(address: &str, comuna: &str) -> String {
    let (address, comuna) = (flat(address), flat(comuna));
    if address.ends_with(&comuna) {
        return address;
    }
    say("site.address", &[("address", &address), ("comuna", &comuna)])
}

/// What one asks next about a site.
pub(super) fn site_suggestions(id: &str) -> Vec<String> {
    ["ask.tasks_of_site", "ask.alarms_of_site", "ask.access_of_site"]
        .map(|key| say(key, &[("id", &id)]))
        .into()
}

/// `1 crítica, 2 medias`, without those of none.
pub(super) fn criticalities(counts: &CriticalityCounts) -> String {
    let parts = [
        (counts.critical, "critical"),
        (counts.high, "high"),
        (counts.medium, "medium"),
        (counts.low, "low"),
    ];
    let there = parts.into_iter().filter(|(n, _)| *n > 0);
    let said: Vec<String> = there
        .map(|(n, criticality)| {
            say(
                "site.part",
                &[("n", &n), ("word", &word("criticality", criticality, n))],
            )
        })
        .collect();
    list(&said)
}

/// What the sites are and where: `caídos en zona norte`.
fn what_sites(output: &Output, n: u64) -> String {
    let many = plural(n);
    let parts = [
        given(output, "site_type").map(|of| say("site.of_type", &[("type", &word("site_type", of, many))])),
        given(output, "status").map(|status| word("site_status", status, many)),
        given(output, "criticality")
            .map(|of| say("site.of_criticality", &[("criticality", &word("criticality", of, 1))])),
        given(output, "text").map(|text| say("tasks.with_text", &[("text", &flat(text))])),
        given(output, "comuna")
            .or_else(|| given(output, "place"))
            .map(|place| say("tasks.in_place", &[("place", &flat(place))])),
        given(output, "zone").map(in_zone),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    joined(&parts)
}

pub(super) fn found(_: &Pen<'_>, answer: &SiteList, output: &Output) -> Answer {
    let n = answer.total;
    let what = what_sites(output, n);
    let title = say("site.count", &[("n", &n), ("what", &what)]);
    let mut shown = match (n, answer.sites.is_empty()) {
        (0, _) => return Answer::text(title),
        (_, true) => return Answer::text(say("site.nothing_there", &[("n", &n)])),
        _ => titled(title),
    };
    // The order is by id: all weigh the same.
    let same = |site| Item {
        severity: Severity::Normal,
        ..site_item(site)
    };
    shown.items = answer.sites.iter().map(same).collect();
    shown.beyond = beyond(n, answer.offset, answer.sites.len());
    let first = answer.sites.first();
    shown.suggestions = first
        .map(|site| say("ask.status_of_site", &[("id", &site.id)]))
        .into_iter()
        .collect();
    shown
}

/// A site of a list, in two lines.
pub(super) fn site_item(site: &SiteRow) -> Item {
    let head = say(
        "site.row",
        &[
            ("id", &site.id),
            ("name", &flat(&site.name)),
            ("comuna", &flat(&site.comuna)),
        ],
    );
    let state = say(
        "site.row_state",
        &[
            ("type", &word("site_type", site.site_type.as_str(), 1)),
            ("status", &word("site_status", site.status.as_str(), 1)),
            ("tasks", &say("site.active_tasks", &[("n", &site.active_tasks)])),
        ],
    );
    item(format!("{head}\n{state}"), severity_of(site.criticality), &site.id)
}

/// `Acceso: autorizado hasta 03/12 10:41 (Nombre). Llevar EPP y credencial`.
pub(super) fn access_line(pen: &Pen<'_>, access: &AccessLine) -> String {
    let entry = match access.access_type {
        AccessType::Free => Some(say("access.free", &[])),
        AccessType::Key => Some(say("access.key", &[])),
        AccessType::Escort => Some(say("access.escort", &[])),
        AccessType::Authorization => None,
    };
    let authorization = access.authorization.as_ref().map(|row| authorization(pen, row));
    let what = match (entry, authorization) {
        (None, None) => say("access.none", &[]),
        (None, Some(authorization)) => authorization,
        (Some(entry), None) => entry,
        (Some(entry), Some(authorization)) => {
            say("access.both", &[("entry", &entry), ("authorization", &authorization)])
        }
    };
    say("access.line", &[("what", &what)])
}

/// Where an authorisation stands, until when, who holds it, on what conditions.
fn authorization(pen: &Pen<'_>, row: &AccessRow) -> String {
    let mut text = word("access", row.status.as_str(), 1);
    if row.own {
        text = say("access.own", &[("status", &text)]);
    }
    let not_yet = row.valid_from.filter(|from| *from > pen.cx.now);
    let dated = match (row.status, not_yet, row.valid_to) {
        (AccessStatus::Authorized, Some(from), _) => Some(("access.from", from)),
        (AccessStatus::Authorized, None, Some(to)) => Some(("access.until", to)),
        // One that reads expired before its end was ended by the system: then its end says nothing.
        (AccessStatus::Expired, _, Some(to)) if to < pen.cx.now => Some(("access.since", to)),
        _ => None,
    };
    if let Some((key, at)) = dated {
        text = say(key, &[("status", &text), ("at", &pen.at(at))]);
    }
    if let Some(holder) = row.holder.as_ref().filter(|_| !row.own) {
        text = say("access.holder", &[("text", &text), ("name", &flat(&holder.name))]);
    }
    if !row.conditions.is_empty() {
        text = say(
            "access.conditions",
            &[("text", &text), ("conditions", &flat(&row.conditions))],
        );
    }
    text
}

pub(super) fn access(pen: &Pen<'_>, card: &AccessCard, output: &Output) -> Answer {
    let mut shown = titled(say(
        "access.title",
        &[("id", &card.site_id), ("name", &flat(&card.site_name))],
    ));
    add(&mut shown, access_line(pen, &card.line));
    let holder = given(output, "holder").and_then(|id| pen.cx.world.employee(&id.parse().ok()?));
    add(
        &mut shown,
        match holder {
            Some(holder) => say(
                "access.count_holder",
                &[("n", &card.total), ("name", &flat(&holder.name))],
            ),
            None => say("access.count", &[("n", &card.total)]),
        },
    );
    // The only one there is has been said above.
    let said = card.total == 1 && card.line.authorization.is_some();
    if !said {
        shown.items = card.authorizations.iter().map(|row| access_item(pen, row)).collect();
    }
    shown.beyond = beyond(card.total, card.offset, card.authorizations.len());
    let id = &card.site_id;
    shown.suggestions = vec![
        say("ask.status_of_site", &[("id", id)]),
        say("ask.tasks_of_site", &[("id", id)]),
    ];
    shown
}

/// An authorisation of a list; the order is best first, so all weigh the same.
fn access_item(pen: &Pen<'_>, row: &AccessRow) -> Item {
    let text = say("access.row", &[("id", &row.id), ("text", &authorization(pen, row))]);
    item(text, Severity::Normal, &row.id)
}

/// An authorisation on its own.
pub(super) fn authorization_text(pen: &Pen<'_>, row: &AccessRow) -> String {
    let text = authorization(pen, row);
    say("access.line", &[("what", &text)])
}

/// `3 tareas activas` and the like, with the right number.
pub(super) fn active_tasks(n: u64) -> String {
    say("site.active_tasks", &[("n", &n)])
}
