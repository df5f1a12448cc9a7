//! `get_system_health`: how each service stands, and what waits in the relay.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::sets::Service;
use crate::systems::{Circuit, Standing};
use crate::tools::contract::{Cx, Outcome, ToolError};

/// Each external system: whether it is reachable, where its circuit breaker stands, its last error; and the relay's own queues.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthArgs {}

/// How a service stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum State {
    /// Its last call was answered soundly.
    Up,
    /// It was not.
    Down,
    /// It is set up and was not called yet.
    Unknown,
    /// It is embedded: there is nothing to reach.
    Embedded,
    /// It is not set up.
    NotSetUp,
}

/// A service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceRow {
    /// The catalogue's word for it.
    pub service: Service,
    /// How it stands.
    pub state: State,
    /// Its circuit breaker: `closed`, `open`, `half_open`; None where there is none.
    pub circuit: Option<String>,
    /// What went wrong last, in words without secrets or people.
    pub last_error: Option<String>,
    /// Since when it has not answered.
    #[schemars(with = "Option<String>")]
    pub down_since: Option<Timestamp>,
    /// When its data is from, for one that holds data.
    #[schemars(with = "Option<String>")]
    pub as_of: Option<Timestamp>,
}

/// What waits in the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queues {
    /// Messages to be answered.
    #[schemars(extend("labels" = ["por responder", "entrada", "en cola"]))]
    pub inbox: u64,
    /// Turns being answered.
    #[schemars(extend("labels" = ["en proceso", "respondiendo"]))]
    pub leased: u64,
    /// Messages to be sent.
    #[schemars(extend("labels" = ["por enviar", "salida"]))]
    pub outbox: u64,
    /// What could not be done.
    #[schemars(extend("labels" = ["fallidos", "no entregados"]))]
    pub dead: u64,
    /// Whether the store keeps up.
    pub keeps_up: bool,
}

/// How everything stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SystemHealth {
    /// Each service, in the catalogue's order.
    pub services: Vec<ServiceRow>,
    /// The relay's queues; None where a question is answered without them.
    pub queues: Option<Queues>,
}

impl Outcome for SystemHealth {}

pub(super) fn get_system_health(cx: &Cx<'_>, _: &mut HealthArgs) -> Result<SystemHealth, ToolError> {
    let services = Service::ALL.iter().map(|service| cx.service_row(*service)).collect();
    let store = cx.desk.and_then(|desk| desk.store.as_ref());
    let queues = store.map(|store| {
        let (depths, health) = (store.depths(), store.health());
        Queues {
            inbox: depths.inbox,
            leased: depths.leased,
            outbox: depths.outbox,
            dead: depths.dead,
            keeps_up: health.failing.is_none() && health.waiting < health.waiting_max,
        }
    });
    Ok(SystemHealth { services, queues })
}

impl Cx<'_> {
    /// Those on the board that serve a service, the one in trouble first.
    pub(super) fn standings(&self, service: Service) -> Vec<Standing> {
        let all = self
            .desk
            .and_then(|desk| desk.board.as_ref())
            .map(|board| board.standings());
        let mut serving: Vec<Standing> = all
            .unwrap_or_default()
            .into_iter()
            .filter(|s| s.serves.contains(&service.as_str()))
            .collect();
        serving.sort_by_key(|s| s.reachable);
        serving
    }

    fn service_row(&self, service: Service) -> ServiceRow {
        let standing = self.standings(service).into_iter().next();
        let system = service.system();
        let as_of = system.map(|system| self.world.as_of(system));
        let set_up = match service {
            Service::Email => self.desk.is_some_and(|desk| desk.mail.is_set()),
            Service::Whatsapp => self.desk.is_some_and(|desk| !desk.senders.is_empty()),
            Service::Model | Service::Tzzr => false,
            _ => true,
        };
        let state = match (&standing, system) {
            (Some(s), _) => match s.reachable {
                Some(true) => State::Up,
                Some(false) => State::Down,
                None => State::Unknown,
            },
            (None, Some(system)) if self.world.live(system) => State::Embedded,
            (None, Some(_)) => State::Down,
            (None, None) if set_up => State::Unknown,
            (None, None) => State::NotSetUp,
        };
        ServiceRow {
            service,
            state,
            circuit: standing.as_ref().map(|s| circuit(s.circuit).to_owned()),
            last_error: standing.as_ref().and_then(|s| s.last_error.clone()),
            down_since: standing
                .as_ref()
                .and_then(|s| s.down_since)
                .or_else(|| system.and_then(|system| self.world.down_since(system))),
            as_of: as_of.or(standing.and_then(|s| s.as_of)),
        }
    }
}

fn circuit(circuit: Circuit) -> &'static str {
    match circuit {
        Circuit::Closed => "closed",
        Circuit::Open => "open",
        Circuit::HalfOpen => "half_open",
    }
}
