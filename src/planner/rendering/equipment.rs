//! What stands at a site and what is measured there, and whom to call.

use crate::domain::answer::{Answer, Item, Severity};
use crate::domain::sets::{AccessType, MonitorStatus};
use crate::tools::Output;
use crate::tools::answers::{
    AssetRow, MonitorAlerts, MonitorList, MonitorPage, MonitorRow, MonitorThresholds, SiteContacts, SiteInventory,
    Threshold,
};

use super::pen::{Pen, add, flat, item, list, plain_item, say, titled, word, word_or_itself};
use super::what::{beyond, given, in_zone, joined, plural};

pub(super) fn inventory(_: &Pen<'_>, answer: &SiteInventory, output: &Output) -> Answer {
    let site = say(
        "site.title",
        &[("id", &answer.site.id), ("name", &flat(&answer.site.name))],
    );
    let called = given(output, "equipment").map(|name| say("tasks.with_text", &[("text", &flat(name))]));
    let what = joined(&called.into_iter().collect::<Vec<_>>());
    let title = say(
        "inventory.title",
        &[("n", &answer.total), ("site", &site), ("what", &what)],
    );
    if answer.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    // The order is by id: all weigh the same.
    shown.items = answer.assets.iter().map(asset_item).collect();
    shown.beyond = beyond(answer.total, answer.offset, answer.assets.len());
    shown.suggestions = super::sites::site_suggestions(&answer.site.id);
    shown
}

fn asset_item(asset: &AssetRow) -> Item {
    let head = say(
        "card.asset_title",
        &[("id", &asset.id), ("equipment", &flat(&asset.equipment))],
    );
    let model = say(
        "card.asset_model",
        &[
            ("vendor", &flat(&asset.vendor)),
            ("model", &flat(&asset.model)),
            ("quantity", &asset.quantity),
        ],
    );
    let serial = say("inventory.serial", &[("serial", &flat(&asset.serial))]);
    item(format!("{head}\n{model}, {serial}"), Severity::Normal, &asset.id)
}

pub(super) fn contacts(_: &Pen<'_>, answer: &SiteContacts) -> Answer {
    let mut shown = titled(say(
        "site.title",
        &[("id", &answer.site.id), ("name", &flat(&answer.site.name))],
    ));
    let contact = match (&answer.name, &answer.phone) {
        (Some(name), Some(phone)) => say("site.contact", &[("name", &flat(name)), ("phone", phone)]),
        (None, Some(phone)) => say("contacts.phone", &[("phone", phone)]),
        (Some(name), None) if answer.phone_hidden => say("contacts.phone_hidden", &[("name", &flat(name))]),
        (Some(name), None) => say("site.contact_no_phone", &[("name", &flat(name))]),
        (None, None) if answer.on_record => say("site.contact_hidden", &[]),
        (None, None) => say("site.contact_none", &[]),
    };
    add(&mut shown, contact);
    add(&mut shown, say("site.owner", &[("owner", &flat(&answer.owner))]));
    let entry = match answer.access_type {
        AccessType::Free => say("access.free", &[]),
        AccessType::Key => say("access.key", &[]),
        AccessType::Escort => say("access.escort", &[]),
        AccessType::Authorization => say("contacts.authorization", &[]),
    };
    add(&mut shown, say("access.line", &[("what", &entry)]));
    let id = &answer.site.id;
    shown.suggestions = vec![
        say("ask.access_of_site", &[("id", id)]),
        say("ask.status_of_site", &[("id", id)]),
    ];
    shown
}

pub(super) fn monitors(pen: &Pen<'_>, answer: &MonitorList) -> Answer {
    let n = answer.page.total;
    let mut what = vec![];
    what.extend(answer.status.map(|s| word("monitor_status", s.as_str(), plural(n))));
    let metric = answer.metric.as_deref().map(|metric| word_or_itself("metric", metric));
    what.extend(metric.map(|metric| say("monitors.of_metric", &[("metric", &metric)])));
    let site = answer.site_id.as_ref();
    what.extend(site.map(|site| say("tasks.at_site", &[("site", &site)])));
    let at_site = site.is_some();
    page(
        pen,
        &answer.page,
        say("monitors.title", &[("n", &n), ("what", &joined(&what))]),
        at_site,
    )
}

pub(super) fn alerts(pen: &Pen<'_>, answer: &MonitorAlerts) -> Answer {
    let n = answer.page.total;
    let zone = answer.zone.as_ref().map(|zone| in_zone(zone.as_str()));
    let what = joined(&zone.into_iter().collect::<Vec<_>>());
    page(
        pen,
        &answer.page,
        say("monitors.alerts", &[("n", &n), ("what", &what)]),
        false,
    )
}

fn page(pen: &Pen<'_>, page: &MonitorPage, title: String, at_site: bool) -> Answer {
    if page.total == 0 {
        return Answer::text(title);
    }
    let mut shown = titled(title);
    let by = &page.by_status;
    let parts = [
        (by.critical, "critical"),
        (by.warning, "warning"),
        (by.unknown, "unknown"),
        (by.ok, "ok"),
    ];
    let there: Vec<String> = parts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, status)| say("site.part", &[("n", &n), ("word", &word("monitor_status", status, n))]))
        .collect();
    // One status needs no breakdown.
    if there.len() > 1 {
        add(&mut shown, list(&there));
    }
    shown.items = page.monitors.iter().map(|m| monitor_item(pen, m, at_site)).collect();
    shown.beyond = beyond(page.total, page.offset, page.monitors.len());
    let first = page.monitors.first();
    shown.suggestions = first
        .map(|m| say("ask.status_of_site", &[("id", &m.site_id)]))
        .into_iter()
        .collect();
    shown
}

/// `M-002 voltaje de batería, SITE-111`, then `crítico: 44.62 V (crítico desde 46 V), 10:39`.
fn monitor_item(pen: &Pen<'_>, monitor: &MonitorRow, at_site: bool) -> Item {
    let metric = word_or_itself("metric", &monitor.metric);
    let head = if at_site {
        say("monitors.head", &[("id", &monitor.id), ("metric", &metric)])
    } else {
        say(
            "monitors.head_site",
            &[
                ("id", &monitor.id),
                ("metric", &metric),
                ("site", &monitor.site_id),
                ("name", &flat(&monitor.site_name)),
            ],
        )
    };
    let unit = flat(&monitor.unit);
    let value = match monitor.value {
        Some(value) => say("monitors.value", &[("value", &value), ("unit", &unit)]),
        None => say("unknown", &[]),
    };
    let status = word("monitor_status", monitor.status.as_str(), 1);
    let mut state = say("monitors.state", &[("status", &status), ("value", &value)]);
    // A value that is well needs no threshold beside it.
    let crossed = match monitor.status {
        MonitorStatus::Critical => monitor.critical_threshold.map(|t| ("monitors.critical_from", t)),
        MonitorStatus::Warning => monitor.warning_threshold.map(|t| ("monitors.warning_from", t)),
        MonitorStatus::Ok | MonitorStatus::Unknown => None,
    };
    if let Some((key, threshold)) = crossed {
        state = say(key, &[("state", &state), ("threshold", &threshold), ("unit", &unit)]);
    }
    let checked = pen.at_or_unknown(monitor.last_check);
    let state = say("monitors.checked", &[("state", &state), ("at", &checked)]);
    let severity = match monitor.status {
        MonitorStatus::Critical => Severity::Critical,
        MonitorStatus::Warning => Severity::High,
        MonitorStatus::Unknown => Severity::Normal,
        MonitorStatus::Ok => Severity::Low,
    };
    item(format!("{head}\n{state}"), severity, &monitor.id)
}

pub(super) fn thresholds(_: &Pen<'_>, answer: &MonitorThresholds) -> Answer {
    if answer.thresholds.is_empty() {
        return Answer::text(say("monitors.no_thresholds", &[]));
    }
    let mut shown = titled(say("monitors.thresholds", &[]));
    let rows = answer.thresholds.iter();
    shown.items = rows
        .map(|row| plain_item(threshold_line(row), Severity::Normal, None))
        .collect();
    shown
}

/// `voltaje de batería: advertencia bajo 48 V, crítico bajo 46 V (30 monitores)`
fn threshold_line(row: &Threshold) -> String {
    let side = match row.low_is_bad {
        Some(true) => "monitors.below",
        Some(false) => "monitors.above",
        None => "monitors.at",
    };
    let unit = flat(&row.unit);
    let bound = |figure: Option<f64>| match figure {
        Some(figure) => say(side, &[("figure", &figure), ("unit", &unit)]),
        None => say("unknown", &[]),
    };
    say(
        "monitors.threshold",
        &[
            ("metric", &word_or_itself("metric", &row.metric)),
            ("warning", &bound(row.warning)),
            ("critical", &bound(row.critical)),
            ("monitors", &say("monitors.count", &[("n", &row.monitors)])),
        ],
    )
}
