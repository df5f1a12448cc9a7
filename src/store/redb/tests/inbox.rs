//! What comes in.

use std::time::Duration;

use super::{Bench, effects, message, numbers, sid};
use crate::domain::geo::Point;
use crate::domain::message::{Inbound, Origin, Pin};
use crate::store::{Ingested, StoreError, StoreLimits};

#[tokio::test]
async fn a_message_is_stored_once_however_often_it_comes() {
    let mut bench = Bench::new();
    let first = bench
        .store()
        .ingest(message(1, "ana"), "ana", Duration::ZERO)
        .await
        .unwrap();
    let second = bench
        .store()
        .ingest(message(1, "ana"), "ana", Duration::ZERO)
        .await
        .unwrap();
    assert_eq!((first, second), (Ingested::New, Ingested::Duplicate));
    let turn = bench.lease().await;
    assert_eq!(numbers(&turn), [1]);
    bench.store().ack(turn.lease, effects("ana", &["listo"])).await.unwrap();
    assert_eq!(
        bench
            .store()
            .ingest(message(1, "ana"), "ana", Duration::ZERO)
            .await
            .unwrap(),
        Ingested::Duplicate
    );
    bench.reopen();
    assert_eq!(
        bench
            .store()
            .ingest(message(1, "ana"), "ana", Duration::ZERO)
            .await
            .unwrap(),
        Ingested::Duplicate
    );
    assert!(bench.is_idle().await);
}

#[tokio::test]
async fn the_poller_can_ask_which_messages_are_known() {
    let bench = Bench::new();
    assert_eq!(bench.store().known(&[sid(1)]).await.unwrap(), [false]);
    bench.ingest(2, "ana").await;
    assert_eq!(
        bench.store().known(&[sid(1), sid(2), sid(3)]).await.unwrap(),
        [false, true, false]
    );
}

#[tokio::test]
async fn the_webhook_enriches_a_polled_message_that_waits() {
    let mut bench = Bench::new();
    let mut polled = message(1, "ana");
    polled.origin = Origin::Poll;
    polled.profile_name = None;
    polled.sent_at = Some("2026-11-30T12:00:00Z".parse().unwrap());
    let (seen, sent) = (polled.received_at, polled.sent_at);
    bench
        .store()
        .ingest(polled.clone(), "ana", Duration::ZERO)
        .await
        .unwrap();
    bench.ingest(2, "ana").await;
    bench.reopen();

    let mut full = message(1, "ana");
    full.pin = Some(Pin {
        point: Point::new(-33.4, -70.6).unwrap(),
        address: String::new(),
        label: String::new(),
    });
    let enriched = bench.store().ingest(full.clone(), "ana", Duration::ZERO).await.unwrap();
    assert_eq!(enriched, Ingested::Enriched);
    let again = bench.store().ingest(full, "ana", Duration::ZERO).await.unwrap();
    assert_eq!(again, Ingested::Duplicate, "it is complete now");
    assert_eq!(
        bench.store().ingest(polled, "ana", Duration::ZERO).await.unwrap(),
        Ingested::Duplicate
    );

    let turn = bench.lease().await;
    assert_eq!(numbers(&turn), [1, 2], "it keeps its place");
    let first = &turn.messages[0];
    assert!(first.pin.is_some() && first.profile_name.is_some() && first.origin == Origin::Webhook);
    assert_eq!((first.received_at, first.sent_at), (seen, sent), "it keeps its times");
}

#[tokio::test]
async fn the_webhook_is_too_late_once_the_polled_message_is_leased() {
    let bench = Bench::new();
    let polled = Inbound {
        origin: Origin::Poll,
        ..message(1, "ana")
    };
    bench.store().ingest(polled, "ana", Duration::ZERO).await.unwrap();
    let turn = bench.lease().await;
    let late = bench
        .store()
        .ingest(message(1, "ana"), "ana", Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(late, Ingested::Duplicate);
    assert_eq!(turn.messages[0].origin, Origin::Poll);
}

#[tokio::test]
async fn a_full_inbox_refuses_and_takes_again_when_there_is_room() {
    let bench = Bench::with(StoreLimits {
        inbox_messages: 1,
        ..StoreLimits::default()
    });
    bench.ingest(1, "ana").await;
    let refused = bench.store().ingest(message(2, "beto"), "beto", Duration::ZERO).await;
    assert!(matches!(&refused, Err(error @ StoreError::Full { .. }) if error.may_retry()));
    assert_eq!(
        bench.store().known(&[sid(2)]).await.unwrap(),
        [false],
        "the retry is no duplicate"
    );
    let turn = bench.lease().await;
    bench.store().ack(turn.lease, effects("ana", &[])).await.unwrap();
    bench.ingest(2, "beto").await;
}

#[tokio::test]
async fn whoever_waits_for_work_is_woken() {
    let bench = Bench::new();
    let woken = bench.store().inbox_wake().notified();
    bench.ingest(1, "ana").await;
    tokio::time::timeout(Duration::from_secs(5), woken).await.unwrap();
    let turn = bench.lease().await;
    let woken = bench.store().outbox_wake().notified();
    bench.store().ack(turn.lease, effects("ana", &["listo"])).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), woken).await.unwrap();
}

#[tokio::test]
async fn a_caller_that_hangs_up_undoes_nothing() {
    let bench = Bench::new();
    let mut ingest = Box::pin(bench.store().ingest(message(1, "ana"), "ana", Duration::ZERO));
    let handed_over = futures_util::poll!(&mut ingest);
    drop(ingest);
    assert!(handed_over.is_pending());
    bench.store().flush().await.unwrap();
    assert_eq!(numbers(&bench.lease().await), [1]);
}
