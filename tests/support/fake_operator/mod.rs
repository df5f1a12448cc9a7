//! An operator's three systems, each on a port of its own and each with its product's habits: tickets like
//! Redmine, sites like NetBox, alarms with cursors and epoch times. Each can be told how to behave.

mod alarms;
mod sites;
mod tickets;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use super::fake_twilio::wire::{self, Answer, Asked};

pub const TICKETS_KEY: &str = "tickets-key-f00dface";
pub const SITES_KEY: &str = "sites-key-f00dface";
pub const ALARMS_KEY: &str = "alarms-key-f00dface";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Product {
    Tickets,
    Sites,
    Alarms,
}

/// How a system behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mood {
    #[default]
    Well,
    /// Every request gets this status.
    Fail(u16),
    Hang,
    Slow(Duration),
    Reset,
    /// Rows outside the filter among the others; for NetBox the filter is ignored altogether.
    Lie,
    /// No row at all, and a total that says nothing of it.
    Empty,
    /// Status 200 and a page of HTML.
    Html,
    /// Status 200 and an error inside.
    ErrorInside,
    /// Writes are answered with yes and not done.
    Swallow,
    /// Writes are done, and their answer is lost.
    LoseAnswers,
    /// Writes get this status, readings go on.
    RefuseWrites(u16),
    /// The next page's address is on another host.
    Astray,
    /// The same page again and again.
    Circle,
}

#[derive(Default)]
pub struct State {
    pub issues: Vec<Value>,
    pub users: Vec<Value>,
    pub sites: Vec<Value>,
    pub alarms: Vec<Value>,
    /// Journals by issue.
    pub journals: HashMap<u64, Vec<Value>>,
    moods: HashMap<Product, Mood>,
    asked: Vec<(Product, Asked)>,
    /// How often a write was really done.
    pub done: usize,
    pub now: String,
}

#[derive(Clone)]
pub struct FakeOperator {
    state: Arc<Mutex<State>>,
    bases: HashMap<Product, String>,
}

impl FakeOperator {
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(State {
            issues: tickets::issues(),
            users: tickets::users(),
            sites: sites::sites(),
            alarms: alarms::alarms(),
            now: "2026-11-30T15:00:00Z".to_owned(),
            ..State::default()
        }));
        let mut bases = HashMap::new();
        for product in [Product::Tickets, Product::Sites, Product::Alarms] {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let base = format!("http://{}", listener.local_addr().unwrap());
            bases.insert(product, base.clone());
            let state = Arc::clone(&state);
            tokio::spawn(wire::serve(listener, move |asked| {
                let (state, base) = (Arc::clone(&state), base.clone());
                async move { answer(&state, product, &base, asked).await }
            }));
        }
        Self { state, bases }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn tell(&self, product: Product, mood: Mood) {
        self.state().moods.insert(product, mood);
    }

    /// Requests to a system so far.
    pub fn asked(&self, product: Product) -> Vec<Asked> {
        let state = self.state();
        state
            .asked
            .iter()
            .filter(|(p, _)| *p == product)
            .map(|(_, a)| a.clone())
            .collect()
    }

    /// Requests of a system that change something.
    pub fn writes(&self) -> Vec<Asked> {
        let all = self.asked(Product::Tickets);
        all.into_iter().filter(|asked| asked.method != "GET").collect()
    }

    /// The settings that lead the worked example to this operator, in a test's rhythm.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut all = vec![("RELEVO_CONFIG".to_owned(), "deploy/systems.example.toml".to_owned())];
        for (name, product, key) in [
            ("TICKETS", Product::Tickets, TICKETS_KEY),
            ("INVENTORY", Product::Sites, SITES_KEY),
            ("ALARMS", Product::Alarms, ALARMS_KEY),
        ] {
            let mut set =
                |key: &str, value: &str| all.push((format!("RELEVO__SYSTEMS__{name}__{key}"), value.to_owned()));
            set("BASE_URL", &self.bases[&product]);
            set("AUTH__SECRET", key);
            set("SYNC_SECS", "1");
            set("FULL_SECS", "1");
            set("TIMEOUT_SECS", "1");
            set("TRIES_MAX", "2");
            set("RETRY_MS", "5");
            set("BREAKER_SECS", "1");
        }
        all
    }
}

async fn answer(state: &Mutex<State>, product: Product, base: &str, asked: Asked) -> Answer {
    let mood = {
        let mut state = state.lock().unwrap();
        state.asked.push((product, asked.clone()));
        state.moods.get(&product).copied().unwrap_or_default()
    };
    match mood {
        Mood::Fail(status) => return Answer::json(status, &json!({"errors": ["no"]})),
        Mood::Hang => return Answer::Hang,
        Mood::Reset => return Answer::Reset,
        Mood::Slow(by) => tokio::time::sleep(by).await,
        Mood::Html => {
            return Answer::Whole {
                status: 200,
                headers: vec![("Content-Type".into(), "text/html".into())],
                body: b"<html><body>Your instance is hibernating</body></html>".to_vec(),
            };
        }
        Mood::ErrorInside => {
            return Answer::json(
                200,
                &json!({"jsonrpc": "2.0", "error": {"code": -32602, "message": "Not authorized."}}),
            );
        }
        Mood::RefuseWrites(status) if asked.method != "GET" => {
            return Answer::json(status, &json!({"errors": ["Estado no es válido"]}));
        }
        _ => {}
    }
    let mut state = state.lock().unwrap();
    match product {
        Product::Tickets => tickets::answer(&mut state, mood, &asked),
        Product::Sites => sites::answer(&state, mood, base, &asked),
        Product::Alarms => alarms::answer(&state, mood, &asked),
    }
}

/// A parameter of the query.
fn param(asked: &Asked, name: &str) -> Option<String> {
    asked.query().into_iter().find(|(n, _)| n == name).map(|(_, v)| v)
}

fn number(asked: &Asked, name: &str, default: usize) -> usize {
    param(asked, name).map_or(default, |v| v.parse().unwrap())
}
