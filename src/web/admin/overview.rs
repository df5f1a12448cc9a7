//! The relay at a glance: how much waits, how old what is known of each system is, what is on.

use actix_web::{HttpResponse, web};
use serde_json::{Value, json};

use super::{Answered, parts};
use crate::domain::sets::System;
use crate::web::health::readiness;
use crate::web::{Parts, State};

pub async fn overview(state: web::Data<State>) -> Answered {
    let parts = parts(&state)?;
    let config = &state.config;
    let (ready, health) = readiness(&state);
    Ok(HttpResponse::Ok().json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "ready": ready,
        "health": health,
        "queues": parts.store.depths(),
        "systems": of_systems(&state, parts),
        "operator": config.operator.name,
        "public_url": Some(config.server.public_url_shown()).filter(|url| !url.is_empty()),
        "twilio": {
            "configured": config.twilio.is_set(),
            "account_sid": Some(&config.twilio.account_sid).filter(|sid| !sid.is_empty()),
            "senders": config.twilio.senders(),
        },
        "simulator": config.simulator_on(),
        "business_time": config.clock.now(),
    })))
}

pub async fn systems(state: web::Data<State>) -> Answered {
    let parts = parts(&state)?;
    Ok(HttpResponse::Ok().json(json!({ "rows": of_systems(&state, parts), "next": null })))
}

pub async fn queues(state: web::Data<State>) -> Answered {
    Ok(HttpResponse::Ok().json(parts(&state)?.store.depths()))
}

fn of_systems(state: &State, parts: &Parts) -> Vec<Value> {
    let (world, now) = (parts.world.load(), state.config.clock.now());
    System::ALL
        .iter()
        .map(|system| {
            let as_of = world.as_of(*system);
            json!({
                "system": system,
                "live": world.live(*system),
                "as_of": as_of,
                "age_secs": now.duration_since(as_of).as_secs().max(0),
            })
        })
        .collect()
}
