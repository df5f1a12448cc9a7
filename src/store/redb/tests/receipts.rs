//! Delivery receipts.

use proptest::prelude::*;
use uuid::Uuid;

use super::{Bench, reply, sid};
use crate::domain::outbound::{Delivery, Outbound};
use crate::store::{Receipt, Receipted, Settle};

async fn sending(bench: &Bench) -> Uuid {
    let id = bench.store().enqueue(vec![reply("ana", "hola")]).await.unwrap()[0];
    bench.store().outbox_start(id).await.unwrap();
    id
}

async fn sent(bench: &Bench) -> Uuid {
    let id = sending(bench).await;
    bench
        .store()
        .outbox_settle(id, Settle::Accepted { sid: sid(1) })
        .await
        .unwrap();
    id
}

fn receipt(outbox: Option<Uuid>, n: u32, delivery: Delivery) -> Receipt {
    Receipt {
        outbox,
        sid: sid(n),
        delivery,
        error_code: None,
        reason: None,
    }
}

fn failure(outbox: Option<Uuid>, n: u32, code: &str) -> Receipt {
    let delivery = Delivery::Failed;
    Receipt {
        outbox,
        sid: sid(n),
        delivery,
        error_code: Some(code.into()),
        reason: Some("why".into()),
    }
}

async fn stands(bench: &Bench, id: Uuid) -> Outbound {
    bench.store().outbound(id).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_delivery_never_goes_down() {
    let bench = Bench::new();
    let id = sent(&bench).await;
    let apply = async |delivery| bench.store().receipt(receipt(Some(id), 1, delivery)).await.unwrap();
    assert!(matches!(apply(Delivery::Delivered).await, Receipted::Applied(out) if out.delivery == Delivery::Delivered));
    for stale in [
        Delivery::Sent,
        Delivery::Delivered,
        Delivery::Accepted,
        Delivery::Failed,
    ] {
        assert_eq!(apply(stale).await, Receipted::Stale, "{stale:?}");
    }
    assert!(matches!(apply(Delivery::Read).await, Receipted::Applied(_)));
    assert_eq!(stands(&bench, id).await.delivery, Delivery::Read);
}

#[tokio::test]
async fn what_failed_stays_failed_and_keeps_its_reason() {
    let mut bench = Bench::new();
    let id = sent(&bench).await;
    bench.store().receipt(failure(None, 1, "63015")).await.unwrap();
    bench.reopen();
    assert_eq!(
        bench.store().receipt(receipt(None, 1, Delivery::Failed)).await.unwrap(),
        Receipted::Stale
    );
    assert_eq!(
        bench
            .store()
            .receipt(receipt(None, 1, Delivery::Delivered))
            .await
            .unwrap(),
        Receipted::Stale
    );
    let out = stands(&bench, id).await;
    assert_eq!(
        (out.delivery, out.error_code.as_deref()),
        (Delivery::Failed, Some("63015"))
    );
    assert_eq!(out.reason.as_deref(), Some("why"));
}

#[tokio::test]
async fn a_reason_that_comes_with_a_repeated_failure_is_kept() {
    let bench = Bench::new();
    let id = sent(&bench).await;
    bench
        .store()
        .receipt(receipt(Some(id), 1, Delivery::Failed))
        .await
        .unwrap();
    assert_eq!(
        bench
            .store()
            .receipt(failure(Some(id), 1, "InvalidSandboxRequest"))
            .await
            .unwrap(),
        Receipted::Stale
    );
    assert_eq!(
        stands(&bench, id).await.error_code.as_deref(),
        Some("InvalidSandboxRequest")
    );
}

#[tokio::test]
async fn a_receipt_before_the_id_is_known_waits_for_it() {
    let mut bench = Bench::new();
    let id = sending(&bench).await;
    for delivery in [Delivery::Delivered, Delivery::Sent] {
        assert_eq!(
            bench.store().receipt(receipt(None, 1, delivery)).await.unwrap(),
            Receipted::Unknown
        );
    }
    bench.reopen();
    let out = bench
        .store()
        .outbox_settle(id, Settle::Accepted { sid: sid(1) })
        .await
        .unwrap();
    assert_eq!(out.delivery, Delivery::Delivered);
    assert_eq!(stands(&bench, id).await.delivery, Delivery::Delivered);
}

#[tokio::test]
async fn a_receipt_with_our_id_answers_a_send_whose_outcome_is_unknown() {
    let mut bench = Bench::new();
    let id = sending(&bench).await;
    bench.reopen();
    let applied = bench
        .store()
        .receipt(receipt(Some(id), 1, Delivery::Sent))
        .await
        .unwrap();
    assert!(matches!(applied, Receipted::Applied(out) if out.sid == Some(sid(1))));
    assert!(bench.store().outbox_unsettled().await.unwrap().is_empty());
    let retry = Settle::Retry {
        after: std::time::Duration::ZERO,
        code: None,
        reason: "timed out".into(),
    };
    let out = bench.store().outbox_settle(id, retry).await.unwrap();
    assert_eq!(out.delivery, Delivery::Sent, "it is not sent twice");
    assert!(bench.store().outbox_due(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_receipt_stops_a_retry_that_has_not_begun() {
    let bench = Bench::new();
    let id = sending(&bench).await;
    let retry = Settle::Retry {
        after: std::time::Duration::ZERO,
        code: None,
        reason: "timed out".into(),
    };
    bench.store().outbox_settle(id, retry).await.unwrap();
    bench
        .store()
        .receipt(receipt(Some(id), 1, Delivery::Delivered))
        .await
        .unwrap();
    assert!(bench.store().outbox_due(10).await.unwrap().is_empty());
    assert_eq!(stands(&bench, id).await.delivery, Delivery::Delivered);
}

#[tokio::test]
async fn a_failure_reported_later_brings_the_message_back_to_its_place() {
    let mut bench = Bench::new();
    let id = sent(&bench).await;
    let next = bench.store().enqueue(vec![reply("ana", "después")]).await.unwrap()[0];
    bench.store().receipt(failure(Some(id), 1, "63016")).await.unwrap();
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
    bench.reopen();
    assert!(bench.store().outbox_due(10).await.unwrap().is_empty());
    assert!(matches!(
        bench.store().outbox_start(next).await,
        Err(crate::store::StoreError::Conflict { .. })
    ));

    assert_eq!(
        bench.store().receipt(failure(Some(id), 1, "63016")).await.unwrap(),
        Receipted::Stale
    );
    bench.ingest(1, "ana").await;
    assert_eq!(bench.store().outbox_due(10).await.unwrap()[0].id, id);
    bench.store().outbox_start(id).await.unwrap();
    assert_eq!(
        bench.store().receipt(failure(Some(id), 1, "63016")).await.unwrap(),
        Receipted::Stale,
        "an earlier try"
    );
    bench
        .store()
        .outbox_settle(id, Settle::Accepted { sid: sid(2) })
        .await
        .unwrap();
    bench
        .store()
        .receipt(receipt(Some(id), 2, Delivery::Delivered))
        .await
        .unwrap();
    assert_eq!(stands(&bench, id).await.delivery, Delivery::Delivered);
}

#[tokio::test]
async fn a_failure_that_overtakes_the_answer_is_not_undone_by_it() {
    let bench = Bench::new();
    let id = sending(&bench).await;
    bench.store().receipt(failure(Some(id), 1, "63016")).await.unwrap();
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
    let out = bench
        .store()
        .outbox_settle(id, Settle::Accepted { sid: sid(1) })
        .await
        .unwrap();
    assert_eq!(out.delivery, Delivery::Pending);
    assert!(bench.store().outbox_due(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn receipts_for_strangers_are_bounded() {
    let bench = Bench::with(crate::store::StoreLimits {
        early_receipts: 2,
        ..crate::store::StoreLimits::default()
    });
    for n in 1..=3 {
        assert_eq!(
            bench.store().receipt(receipt(None, n, Delivery::Sent)).await.unwrap(),
            Receipted::Unknown
        );
    }
    for (n, wanted) in [(1, Delivery::Sent), (2, Delivery::Sent), (3, Delivery::Accepted)] {
        let id = sending(&bench).await;
        let out = bench
            .store()
            .outbox_settle(id, Settle::Accepted { sid: sid(n) })
            .await
            .unwrap();
        assert_eq!(out.delivery, wanted);
    }
}

const REPORTED: [Delivery; 4] = [Delivery::Accepted, Delivery::Sent, Delivery::Delivered, Delivery::Read];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever the order, the repetitions, the moment of the answer to the send and the restarts:
    /// the message stands where its highest receipt says.
    #[test]
    fn receipts_may_come_in_any_order(
        reported in prop::collection::vec((0_usize..4, any::<bool>()), 1..8),
        answered_after in 0_usize..8,
        reopened_after in 0_usize..8,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut bench = Bench::new();
            let id = sending(&bench).await;
            for (n, (delivery, ours)) in reported.iter().enumerate() {
                if n == answered_after {
                    bench.store().outbox_settle(id, Settle::Accepted { sid: sid(1) }).await.unwrap();
                }
                if n == reopened_after {
                    bench.reopen();
                }
                bench.store().receipt(receipt(ours.then_some(id), 1, REPORTED[*delivery])).await.unwrap();
            }
            bench.store().outbox_settle(id, Settle::Accepted { sid: sid(1) }).await.unwrap();
            let highest = reported.iter().map(|(delivery, _)| REPORTED[*delivery]).max().unwrap();
            assert_eq!(stands(&bench, id).await.delivery, highest);
        });
    }
}
