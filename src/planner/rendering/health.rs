//! How the services stand, their uptime and their latency, and the relay's queues.

use std::fmt::Display;

use crate::domain::answer::{Answer, Severity};
use crate::domain::sets::Service;
use crate::format::phrases;
use crate::tools::Output;
use crate::tools::answers::{Latency, ServiceRow, State, SystemHealth, Uptime};

use super::pen::{Pen, add, flat, plain_item, titled};
use super::what::{Form, period};

fn say(key: &str, args: &[(&str, &dyn Display)]) -> String {
    phrases().say(&format!("messages.health.{key}"), args)
}

fn called(service: Service) -> String {
    say(&format!("service.{service}"), &[])
}

pub(super) fn standing(pen: &Pen<'_>, answer: &SystemHealth) -> Answer {
    let down = answer.services.iter().filter(|row| row.state == State::Down).count();
    let title = if down == 0 {
        say("title_ok", &[])
    } else {
        say("title_down", &[("n", &down)])
    };
    let mut shown = titled(title);
    shown.items = answer
        .services
        .iter()
        .map(|row| {
            let severity = if row.state == State::Down {
                Severity::Critical
            } else {
                Severity::Normal
            };
            plain_item(service(pen, row), severity, None)
        })
        .collect();
    if let Some(queues) = answer.queues {
        let args: &[(&str, &dyn Display)] = &[
            ("inbox", &queues.inbox),
            ("leased", &queues.leased),
            ("outbox", &queues.outbox),
            ("dead", &queues.dead),
        ];
        add(&mut shown, say("queues", args));
        if !queues.keeps_up {
            add(&mut shown, say("behind", &[]));
        }
    }
    shown
}

fn service(pen: &Pen<'_>, row: &ServiceRow) -> String {
    let key = match row.state {
        State::Up => "state.up",
        State::Down => "state.down",
        State::Unknown => "state.unknown",
        State::Embedded => "state.embedded",
        State::NotSetUp => "state.not_set_up",
    };
    let mut state = say(key, &[]);
    if let Some(since) = row.down_since.filter(|_| row.state == State::Down) {
        state = say("since", &[("state", &state), ("time", &pen.at(since))]);
    }
    let data = row.as_of.map(|at| say("data", &[("time", &pen.at(at))]));
    let circuit = row
        .circuit
        .as_deref()
        .filter(|circuit| *circuit != "closed")
        .map(|circuit| {
            let word = say(&format!("circuit.{circuit}"), &[]);
            say("in_circuit", &[("circuit", &word)])
        });
    let error = row
        .last_error
        .as_deref()
        .filter(|_| row.state == State::Down)
        .map(|error| say("error", &[("error", &flat(error))]));
    let or_empty = Option::unwrap_or_default;
    let args: &[(&str, &dyn Display)] = &[
        ("service", &called(row.service)),
        ("state", &state),
        ("data", &or_empty(data)),
        ("circuit", &or_empty(circuit)),
        ("error", &or_empty(error)),
    ];
    say("row", args)
}

pub(super) fn uptime(pen: &Pen<'_>, answer: &Uptime, output: &Output) -> Answer {
    let asked = output.params.get("period");
    let period = period(pen, asked, answer.from, answer.to, Form::Alone);
    let what = say("period", &[("period", &period)]);
    let mut shown = titled(say("uptime", &[("what", &what)]));
    if answer.services.iter().all(|row| row.uptime_pct.is_none()) {
        add(&mut shown, say("none", &[]));
        return shown;
    }
    let rows = answer.services.iter().map(|row| {
        let service = called(row.service);
        let text = match row.uptime_pct {
            None => say("unmeasured", &[("service", &service)]),
            Some(pct) => {
                let pct = format!("{pct:.1}");
                let args: &[(&str, &dyn Display)] = &[
                    ("service", &service),
                    ("pct", &pct),
                    ("ok", &row.ok),
                    ("probes", &row.probes),
                ];
                say("uptime_row", args)
            }
        };
        plain_item(text, Severity::Normal, None)
    });
    shown.items = rows.collect();
    shown
}

pub(super) fn latency(answer: &Latency) -> Answer {
    let mut shown = titled(say("latency", &[]));
    if answer.services.iter().all(|row| row.p50_ms.is_none()) {
        add(&mut shown, say("none", &[]));
        return shown;
    }
    let rows = answer.services.iter().map(|row| {
        let service = called(row.service);
        let text = match (row.p50_ms, row.p95_ms, row.p99_ms) {
            (Some(p50), Some(p95), Some(p99)) => {
                let args: &[(&str, &dyn Display)] = &[
                    ("service", &service),
                    ("p50", &p50),
                    ("p95", &p95),
                    ("p99", &p99),
                    ("probes", &row.probes),
                ];
                say("latency_row", args)
            }
            _ => say("unmeasured", &[("service", &service)]),
        };
        plain_item(text, Severity::Normal, None)
    });
    shown.items = rows.collect();
    shown
}
