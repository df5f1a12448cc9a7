//! The store as its callers use it, on a real file, and on a disk that fails on demand.

mod conversations;
mod disk;
mod inbox;
mod kill;
mod ledger;
mod media;
mod order;
mod outbox;
mod receipts;
mod sweep;
mod turns;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;

use crate::domain::message::{Address, Inbound, MessageSid, Origin};
use crate::domain::outbound::{NewOutbound, Purpose};
use crate::store::{LeasedTurn, Leasing, Store, StoreLimits, TurnEffects, TurnRecord};

/// Longer than any test.
const LEASE: Duration = Duration::from_secs(60);

/// A store in a directory of its own.
struct Bench {
    store: Option<Store>,
    directory: TempDir,
    limits: StoreLimits,
}

impl Bench {
    fn new() -> Self {
        Self::with(StoreLimits::default())
    }

    fn with(limits: StoreLimits) -> Self {
        let directory = TempDir::new().unwrap();
        let store = Store::open(directory.path(), limits.clone()).unwrap();
        Self {
            store: Some(store),
            directory,
            limits,
        }
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// What a restart does: everything in memory is gone.
    fn reopen(&mut self) {
        self.store = None;
        self.store = Some(Store::open(self.directory.path(), self.limits.clone()).unwrap());
    }

    async fn ingest(&self, n: u32, conversation: &str) {
        self.store()
            .ingest(message(n, conversation), conversation, Duration::ZERO)
            .await
            .unwrap();
    }

    async fn lease(&self) -> LeasedTurn {
        match self.store().lease(LEASE).await.unwrap() {
            Leasing::Turn(turn) => *turn,
            Leasing::Idle { next_due } => panic!("nothing to lease before {next_due:?}"),
        }
    }

    async fn is_idle(&self) -> bool {
        matches!(self.store().lease(LEASE).await.unwrap(), Leasing::Idle { .. })
    }
}

fn sid(n: u32) -> MessageSid {
    MessageSid::parse(&format!("SM{n:032x}")).unwrap()
}

fn address(conversation: &str) -> Address {
    let digits: u32 = conversation.bytes().map(u32::from).sum();
    Address::parse(&format!("whatsapp:+5698{digits:07}")).unwrap()
}

/// The n-th message, from the person of a conversation.
fn message(n: u32, conversation: &str) -> Inbound {
    Inbound {
        sid: sid(n),
        account: "AC00000000000000000000000000000000".into(),
        from: address(conversation),
        to: "whatsapp:+14155238886".into(),
        body: format!("estado sitio {n}"),
        command: None,
        pin: None,
        media: Vec::new(),
        num_media: 0,
        message_type: "text".into(),
        profile_name: Some("Ana".into()),
        wa_id: None,
        external_id: None,
        reply_to: None,
        forwarded: false,
        extra: BTreeMap::new(),
        origin: Origin::Webhook,
        sent_at: None,
        received_at: Timestamp::now(),
    }
}

fn reply(conversation: &str, body: &str) -> NewOutbound {
    NewOutbound {
        conversation: conversation.into(),
        to: address(conversation),
        from: "whatsapp:+14155238886".into(),
        body: body.into(),
        purpose: Purpose::Reply,
        answers: Vec::new(),
        suggestions: Vec::new(),
        template: None,
        media: None,
    }
}

fn effects(conversation: &str, bodies: &[&str]) -> TurnEffects {
    TurnEffects {
        replies: bodies.iter().map(|body| reply(conversation, body)).collect(),
        turn: TurnRecord {
            at: Timestamp::now(),
            reply: bodies.join(" "),
            ..TurnRecord::default()
        },
        memory: json!({ "said": bodies }),
        ..TurnEffects::default()
    }
}

fn numbers(turn: &LeasedTurn) -> Vec<u32> {
    turn.messages
        .iter()
        .map(|message| message.body.rsplit(' ').next().unwrap().parse().unwrap())
        .collect()
}
