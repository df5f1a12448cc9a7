//! Conversations and the people in them.

use std::time::Duration;

use serde_json::json;

use super::{Bench, address, effects, message};
use crate::domain::message::{Address, Inbound};
use crate::store::{Page, StoreLimits, TurnEffects, TurnRecord};

#[tokio::test]
async fn an_opt_out_is_kept_until_it_is_taken_back() {
    let mut bench = Bench::new();
    for (n, said) in [(1, Some(true)), (2, None), (3, Some(false))] {
        bench.ingest(n, "ana").await;
        let turn = bench.lease().await;
        let effects = TurnEffects {
            opted_out: said,
            ..effects("ana", &[])
        };
        bench.store().ack(turn.lease, effects).await.unwrap();
        bench.reopen();
        let conversation = bench.store().conversation("ana").await.unwrap().unwrap();
        assert_eq!(conversation.opted_out, n < 3);
    }
}

#[tokio::test]
async fn a_message_with_a_business_id_binds_the_two_addresses() {
    let bench = Bench::new();
    let business = Address::parse("whatsapp:CL.4566546130240823").unwrap();
    bench.store().bind(&address("ana"), Some("E-001")).await.unwrap();
    let both = Inbound {
        external_id: Some(business.clone()),
        ..message(1, "ana")
    };
    bench.store().ingest(both, "ana", Duration::ZERO).await.unwrap();
    assert_eq!(
        bench.store().person_of(&business).await.unwrap().as_deref(),
        Some("E-001")
    );
    assert_eq!(bench.lease().await.conversation.person.as_deref(), Some("E-001"));

    bench.store().bind(&business, Some("E-002")).await.unwrap();
    assert_eq!(
        bench.store().person_of(&address("ana")).await.unwrap().as_deref(),
        Some("E-002")
    );
    let known = bench.store().addresses(&Page::default()).await.unwrap().rows;
    assert_eq!(known.len(), 2);
    assert!(known.iter().all(|known| known.also.len() == 1));
}

#[tokio::test]
async fn a_web_turn_is_remembered_without_an_inbox() {
    let bench = Bench::new();
    let turn = TurnRecord {
        reply: "hola".into(),
        ..TurnRecord::default()
    };
    bench.store().remember("web-1", turn, json!({ "n": 1 })).await.unwrap();
    let conversation = bench.store().conversation("web-1").await.unwrap().unwrap();
    assert_eq!((conversation.memory, conversation.reply_to), (json!({ "n": 1 }), None));
}

#[tokio::test]
async fn conversations_are_listed_by_their_last_turn_page_by_page() {
    let bench = Bench::new();
    for (n, who) in [(1, "ana"), (2, "beto"), (3, "carla"), (4, "ana")] {
        bench.ingest(n, who).await;
        let turn = bench.lease().await;
        bench.store().ack(turn.lease, effects(who, &[])).await.unwrap();
    }
    let first = bench.store().conversations(&Page::first(2)).await.unwrap();
    let second = bench
        .store()
        .conversations(&Page {
            after: first.next.clone(),
            limit: 2,
        })
        .await
        .unwrap();
    let ids = |rows: &[crate::store::ConversationSummary]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
    assert_eq!(
        (ids(&first.rows), ids(&second.rows)),
        (vec!["ana".into(), "carla".into()], vec!["beto".into()])
    );
    assert_eq!((first.rows[0].turns, second.next), (2, None));
}

#[tokio::test]
async fn of_a_conversation_the_newest_turns_are_kept() {
    let bench = Bench::with(StoreLimits {
        turns_per_conversation: 3,
        ..StoreLimits::default()
    });
    for n in 1..=5_u64 {
        let turn = TurnRecord {
            ms: n,
            ..TurnRecord::default()
        };
        bench.store().remember("web-1", turn, json!(null)).await.unwrap();
    }
    let turns = bench.store().turns("web-1", &Page::default()).await.unwrap().rows;
    assert_eq!(turns.iter().map(|turn| turn.ms).collect::<Vec<_>>(), [5, 4, 3]);
    assert_eq!(bench.store().conversation("web-1").await.unwrap().unwrap().turns, 5);
}

#[tokio::test]
async fn a_memory_above_the_limit_is_refused_and_the_turn_can_be_ended_otherwise() {
    let bench = Bench::with(StoreLimits {
        row_bytes: 4_000,
        ..StoreLimits::default()
    });
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    let huge = TurnEffects {
        memory: json!("x".repeat(5_000)),
        ..effects("ana", &["hola"])
    };
    let lease = turn.lease;
    let refused = bench.store().ack(lease, huge).await;
    assert_eq!(refused.unwrap_err().code(), "too_large");
    assert_eq!(bench.store().depths().outbox, 0);
}

#[tokio::test]
async fn an_unbound_address_belongs_to_nobody() {
    let bench = Bench::new();
    bench.store().bind(&address("ana"), Some("E-001")).await.unwrap();
    bench.store().bind(&address("ana"), None).await.unwrap();
    assert_eq!(bench.store().person_of(&address("ana")).await.unwrap(), None);
    bench.ingest(1, "ana").await;
    assert_eq!(bench.lease().await.conversation.person, None);
}
