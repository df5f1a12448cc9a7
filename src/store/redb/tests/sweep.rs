//! What is older than its limit goes.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{Bench, effects, message, reply, sid};
use crate::domain::message::Inbound;
use crate::domain::outbound::Delivery;
use crate::store::{Ingested, Page, Receipt, Settle, StoreLimits, TurnRecord};

/// A round of tidying after every batch.
fn always() -> StoreLimits {
    StoreLimits {
        sweep_every_ms: 0,
        ..StoreLimits::default()
    }
}

/// Two batches: the first makes the sweeper run, the second has it behind itself.
async fn swept(bench: &Bench) {
    for _ in 0..2 {
        bench.store().flush().await.unwrap();
    }
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::now()
        .checked_sub(SignedDuration::from_hours(24 * days))
        .unwrap()
}

#[tokio::test]
async fn message_ids_are_forgotten_after_their_days_a_few_at_a_time() {
    let bench = Bench::with(StoreLimits {
        sweep_rows: 2,
        ..always()
    });
    for n in 0..6 {
        let old = Inbound {
            received_at: days_ago(if n % 2 == 0 { 91 } else { 89 }),
            ..message(n, "ana")
        };
        bench.store().ingest(old, "ana", Duration::ZERO).await.unwrap();
    }
    for _ in 0..6 {
        swept(&bench).await;
    }
    let sids: Vec<_> = (0..6).map(sid).collect();
    assert_eq!(
        bench.store().known(&sids).await.unwrap(),
        [false, true, false, true, false, true]
    );
    assert_eq!(bench.store().depths().inbox, 6, "what waits is not touched");
}

#[tokio::test]
async fn what_was_sent_is_forgotten_with_its_id() {
    let bench = Bench::with(StoreLimits {
        sent_kept_days: 0,
        ..always()
    });
    let id = bench.store().enqueue(vec![reply("ana", "hola")]).await.unwrap()[0];
    let settled = bench
        .store()
        .outbox_settle(id, Settle::Accepted { sid: sid(1) })
        .await
        .unwrap();
    assert_eq!(settled.delivery, Delivery::Accepted);
    tokio::time::sleep(Duration::from_millis(5)).await;
    swept(&bench).await;
    assert_eq!(bench.store().outbound_by_sid(&sid(1)).await.unwrap(), None);
    assert!(bench.store().sent(&Page::default()).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn a_silent_conversation_is_forgotten_but_not_its_opt_out() {
    let bench = Bench::with(StoreLimits {
        conversations_kept_days: 0,
        ..always()
    });
    bench
        .store()
        .remember("web-1", TurnRecord::default(), json!("secret"))
        .await
        .unwrap();
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    let out = crate::store::TurnEffects {
        opted_out: Some(true),
        ..effects("ana", &[])
    };
    bench.store().ack(turn.lease, out).await.unwrap();
    swept(&bench).await;
    assert_eq!(bench.store().conversation("web-1").await.unwrap(), None);
    assert!(
        bench
            .store()
            .turns("web-1", &Page::default())
            .await
            .unwrap()
            .rows
            .is_empty()
    );
    let ana = bench.store().conversation("ana").await.unwrap().unwrap();
    assert_eq!((ana.opted_out, ana.memory), (true, json!(null)));

    bench.ingest(2, "ana").await;
    assert!(bench.lease().await.conversation.opted_out);
}

#[tokio::test]
async fn dead_letters_and_early_receipts_have_their_time() {
    let bench = Bench::with(StoreLimits {
        dead_kept_days: 0,
        early_receipts_kept_minutes: 0,
        ..always()
    });
    let id = bench.store().enqueue(vec![reply("ana", "hola")]).await.unwrap()[0];
    let failed = Settle::Failed {
        code: None,
        reason: "no".into(),
    };
    bench.store().outbox_settle(id, failed).await.unwrap();
    let early = Receipt {
        outbox: None,
        sid: sid(9),
        delivery: Delivery::Read,
        error_code: None,
        reason: None,
    };
    bench.store().receipt(early).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    swept(&bench).await;
    assert_eq!(bench.store().depths().dead, 0);
    let id = bench.store().enqueue(vec![reply("ana", "hola")]).await.unwrap()[0];
    let out = bench
        .store()
        .outbox_settle(id, Settle::Accepted { sid: sid(9) })
        .await
        .unwrap();
    assert_eq!(out.delivery, Delivery::Accepted);
}

#[tokio::test]
async fn nobody_waits_for_ever_for_a_recipient_to_write() {
    let bench = Bench::with(StoreLimits {
        window_wait_days: 0,
        ..always()
    });
    let id = bench.store().enqueue(vec![reply("ana", "hola")]).await.unwrap()[0];
    bench
        .store()
        .outbox_settle(
            id,
            Settle::Window {
                reason: "24 h are over".into(),
            },
        )
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    swept(&bench).await;
    assert_eq!((bench.store().depths().outbox, bench.store().depths().dead), (0, 1));
    assert_eq!(
        bench.store().dead(&Page::default()).await.unwrap().rows[0].reason,
        "24 h are over"
    );
    assert_eq!(
        bench
            .store()
            .ingest(message(1, "ana"), "ana", Duration::ZERO)
            .await
            .unwrap(),
        Ingested::New
    );
}
