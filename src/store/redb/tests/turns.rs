//! Turns: when they are due, who has them, how they end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Bench, LEASE, address, effects, message, numbers, reply};
use crate::store::{Dead, Leasing, Page, Retried, StoreError, StoreLimits};

#[tokio::test]
async fn a_turn_holds_all_that_waits_in_order_and_what_comes_later_waits_for_the_next() {
    let bench = Bench::new();
    for n in [1, 2, 3] {
        bench.ingest(n, "ana").await;
    }
    let turn = bench.lease().await;
    assert_eq!(numbers(&turn), [1, 2, 3]);
    bench.ingest(4, "ana").await;
    assert!(bench.is_idle().await, "one turn of a conversation at a time");
    bench.store().ack(turn.lease, effects("ana", &["uno"])).await.unwrap();
    assert_eq!(numbers(&bench.lease().await), [4]);
}

#[tokio::test]
async fn conversations_are_leased_side_by_side_the_longest_due_first() {
    let bench = Bench::new();
    for (n, who) in [(1, "ana"), (2, "beto"), (3, "ana"), (4, "carla")] {
        bench.ingest(n, who).await;
    }
    let mut order = Vec::new();
    for _ in 0..3 {
        order.push(bench.lease().await.conversation.id);
    }
    order[1..].sort();
    assert_eq!(order.len(), 3);
    assert_eq!(bench.store().depths().leased, 3);
    assert!(bench.is_idle().await);
}

#[tokio::test]
async fn a_turn_is_due_when_its_newest_message_has_been_held() {
    let bench = Bench::new();
    let begun = Instant::now();
    let hold = Duration::from_millis(150);
    bench.store().ingest(message(1, "ana"), "ana", hold).await.unwrap();
    tokio::time::sleep(Duration::from_millis(80)).await;
    bench.store().ingest(message(2, "ana"), "ana", hold).await.unwrap();
    let Leasing::Idle { next_due: Some(due) } = bench.store().lease(LEASE).await.unwrap() else {
        panic!("it is held");
    };
    assert!(
        due >= begun + Duration::from_millis(230),
        "the second message begins the wait anew"
    );
    tokio::time::sleep_until(due.into()).await;
    assert_eq!(numbers(&bench.lease().await), [1, 2]);
}

#[tokio::test]
async fn a_complete_command_ends_the_wait_of_what_was_written_before() {
    let bench = Bench::new();
    bench
        .store()
        .ingest(message(1, "ana"), "ana", Duration::from_secs(30))
        .await
        .unwrap();
    assert!(bench.is_idle().await);
    bench
        .store()
        .ingest(message(2, "ana"), "ana", Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(numbers(&bench.lease().await), [1, 2]);
}

#[tokio::test]
async fn no_stream_of_messages_holds_a_turn_for_longer_than_the_cap() {
    let bench = Bench::with(StoreLimits {
        hold_total_ms: 100,
        ..StoreLimits::default()
    });
    let begun = Instant::now();
    bench
        .store()
        .ingest(message(1, "ana"), "ana", Duration::from_secs(30))
        .await
        .unwrap();
    bench
        .store()
        .ingest(message(2, "ana"), "ana", Duration::from_secs(30))
        .await
        .unwrap();
    let Leasing::Idle { next_due: Some(due) } = bench.store().lease(LEASE).await.unwrap() else {
        panic!("it is held");
    };
    assert!(due <= begun + Duration::from_millis(150));
    tokio::time::sleep_until(due.into()).await;
    assert_eq!(numbers(&bench.lease().await), [1, 2]);
}

#[tokio::test]
async fn after_opening_everything_is_due() {
    let mut bench = Bench::new();
    bench
        .store()
        .ingest(message(1, "ana"), "ana", Duration::from_secs(30))
        .await
        .unwrap();
    assert!(bench.is_idle().await);
    bench.reopen();
    assert_eq!(numbers(&bench.lease().await), [1]);
}

#[tokio::test]
async fn a_full_turn_does_not_wait_and_the_rest_is_the_next_turn() {
    let bench = Bench::with(StoreLimits {
        turn_messages: 2,
        ..StoreLimits::default()
    });
    for n in 1..=3 {
        bench
            .store()
            .ingest(message(n, "ana"), "ana", Duration::from_secs(5))
            .await
            .unwrap();
    }
    let turn = bench.lease().await;
    assert_eq!(numbers(&turn), [1, 2]);
    bench.store().ack(turn.lease, effects("ana", &[])).await.unwrap();
    assert!(bench.is_idle().await, "the third is held as a turn of its own");
}

#[tokio::test]
async fn an_expired_lease_comes_back_and_the_first_holder_changes_nothing() {
    let bench = Bench::new();
    bench.ingest(1, "ana").await;
    let Leasing::Turn(slow) = bench.store().lease(Duration::from_millis(30)).await.unwrap() else {
        panic!()
    };
    let Leasing::Idle { next_due } = bench.store().lease(LEASE).await.unwrap() else {
        panic!()
    };
    tokio::time::sleep_until(next_due.unwrap().into()).await;
    let quick = bench.lease().await;
    assert_eq!((slow.attempt, quick.attempt), (1, 2));

    let refused = bench.store().ack(slow.lease, effects("ana", &["tarde"])).await;
    assert!(matches!(refused, Err(StoreError::LeaseLost)));
    assert!(bench.store().outbox_due(10).await.unwrap().is_empty());
    assert!(bench.store().conversation("ana").await.unwrap().is_none());

    bench
        .store()
        .ack(quick.lease, effects("ana", &["a tiempo"]))
        .await
        .unwrap();
    assert_eq!(bench.store().outbox_due(10).await.unwrap()[0].message.body, "a tiempo");
}

#[tokio::test]
async fn an_expired_lease_that_nobody_took_over_still_counts() {
    let bench = Bench::new();
    bench.ingest(1, "ana").await;
    let Leasing::Turn(turn) = bench.store().lease(Duration::from_millis(1)).await.unwrap() else {
        panic!()
    };
    tokio::time::sleep(Duration::from_millis(20)).await;
    bench.store().ack(turn.lease, effects("ana", &["listo"])).await.unwrap();
    assert!(bench.is_idle().await);
}

#[tokio::test]
async fn a_lease_can_be_extended_by_its_holder_only() {
    let bench = Bench::new();
    bench.ingest(1, "ana").await;
    let Leasing::Turn(turn) = bench.store().lease(Duration::from_millis(30)).await.unwrap() else {
        panic!()
    };
    bench.store().extend(&turn.lease, LEASE).await.unwrap();
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert!(bench.is_idle().await);
    bench.store().ack(turn.lease, effects("ana", &[])).await.unwrap();
}

#[tokio::test]
async fn an_ack_is_one_change() {
    let mut bench = Bench::new();
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    assert_eq!(turn.conversation.memory, json!(null));
    let ids = bench
        .store()
        .ack(turn.lease, effects("ana", &["uno", "dos"]))
        .await
        .unwrap();
    bench.reopen();

    assert!(bench.is_idle().await);
    let due = bench.store().outbox_due(10).await.unwrap();
    assert_eq!(
        due.iter().map(|out| out.id).collect::<Vec<_>>(),
        ids[..1],
        "one at a time to one person"
    );
    let conversation = bench.store().conversation("ana").await.unwrap().unwrap();
    assert_eq!(conversation.memory, json!({ "said": ["uno", "dos"] }));
    assert_eq!(conversation.reply_to, Some(address("ana")));
    assert_eq!(conversation.our_number.as_deref(), Some("whatsapp:+14155238886"));
    assert_eq!(conversation.turns, 1);
    let turns = bench.store().turns("ana", &Page::default()).await.unwrap();
    assert_eq!(
        (turns.rows[0].reply.as_str(), &turns.rows[0].replies),
        ("uno dos", &ids)
    );
}

#[tokio::test]
async fn the_next_turn_finds_the_memory_of_the_last() {
    let bench = Bench::new();
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    bench.store().ack(turn.lease, effects("ana", &["uno"])).await.unwrap();
    bench.ingest(2, "ana").await;
    let turn = bench.lease().await;
    assert_eq!(turn.conversation.memory, json!({ "said": ["uno"] }));
    assert_eq!((turn.attempt, turn.conversation.turns), (1, 1));
}

#[tokio::test]
async fn five_failures_make_a_dead_letter_and_its_sender_is_told() {
    let mut bench = Bench::new();
    bench.ingest(1, "ana").await;
    for attempt in 1..=5 {
        let turn = bench.lease().await;
        assert_eq!(turn.attempt, attempt);
        let words = vec![reply("ana", "No pude responder.")];
        let retried = bench
            .store()
            .retry(turn.lease, Duration::ZERO, "the model is down", words)
            .await
            .unwrap();
        assert_eq!(retried, if attempt < 5 { Retried::Again } else { Retried::Buried });
        let inbox = bench.store().inbox(&Page::default()).await.unwrap().rows;
        let entry = inbox
            .first()
            .map(|entry| (entry.attempt, entry.reason.clone().unwrap()));
        assert_eq!(entry, (attempt < 5).then(|| (attempt, "the model is down".into())));
        bench.reopen();
    }
    assert!(bench.is_idle().await);
    assert_eq!(
        bench.store().outbox_due(10).await.unwrap().len(),
        1,
        "the last words, once"
    );
    let dead = bench.store().dead(&Page::default()).await.unwrap().rows;
    let Dead::Inbound {
        conversation,
        messages,
        attempts,
    } = &dead[0].letter
    else {
        panic!("{dead:?}")
    };
    assert_eq!((conversation.as_str(), messages.len(), *attempts), ("ana", 1, 5));
    assert_eq!(dead[0].reason, "the model is down");
    assert_eq!(bench.store().depths().dead, 1);
}

#[tokio::test]
async fn what_was_written_after_a_failed_turn_is_not_buried_with_it() {
    let bench = Bench::new();
    bench.ingest(1, "ana").await;
    for _ in 0..4 {
        let turn = bench.lease().await;
        bench
            .store()
            .retry(turn.lease, Duration::ZERO, "no", Vec::new())
            .await
            .unwrap();
    }
    bench.ingest(2, "ana").await;
    let turn = bench.lease().await;
    assert_eq!(numbers(&turn), [1], "a turn keeps its messages");
    let retried = bench
        .store()
        .retry(turn.lease, Duration::ZERO, "no", Vec::new())
        .await
        .unwrap();
    assert_eq!(retried, Retried::Buried);
    let turn = bench.lease().await;
    assert_eq!((numbers(&turn), turn.attempt), (vec![2], 1));
}

#[tokio::test]
async fn a_failed_turn_waits_before_it_is_tried_again() {
    let bench = Bench::new();
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    let again = Instant::now() + Duration::from_millis(80);
    bench
        .store()
        .retry(turn.lease, Duration::from_millis(80), "no", Vec::new())
        .await
        .unwrap();
    let Leasing::Idle { next_due } = bench.store().lease(LEASE).await.unwrap() else {
        panic!("too early")
    };
    assert!(next_due.unwrap() >= again);
    tokio::time::sleep_until(next_due.unwrap().into()).await;
    assert_eq!(bench.lease().await.attempt, 2);
}

#[tokio::test]
async fn a_turn_that_kills_the_process_is_counted() {
    let mut bench = Bench::new();
    bench.ingest(1, "ana").await;
    for attempt in 1..=6 {
        assert_eq!(bench.lease().await.attempt, attempt);
        bench.reopen();
    }
    let turn = bench.lease().await;
    bench
        .store()
        .bury(turn.lease, "it kills the process", vec![reply("ana", "Lo siento.")])
        .await
        .unwrap();
    assert!(bench.is_idle().await);
    assert_eq!(bench.store().depths().dead, 1);
}

#[tokio::test]
async fn a_released_turn_is_due_at_once_and_not_counted() {
    let mut bench = Bench::new();
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    bench
        .store()
        .defer(turn.lease, std::time::Duration::ZERO, Vec::new())
        .await
        .unwrap();
    bench.reopen();
    let turn = bench.lease().await;
    assert_eq!(turn.attempt, 1);
    bench
        .store()
        .retry(turn.lease, Duration::ZERO, "no", Vec::new())
        .await
        .unwrap();
    let turn = bench.lease().await;
    bench
        .store()
        .defer(turn.lease, std::time::Duration::ZERO, Vec::new())
        .await
        .unwrap();
    assert_eq!(bench.lease().await.attempt, 2);
}

#[tokio::test]
async fn a_forgiven_attempt_does_not_count_and_takes_nothing_from_who_has_the_turn_now() {
    let mut bench = Bench::new();
    bench.ingest(1, "ana").await;
    for _ in 0..3 {
        bench.lease().await;
        bench.reopen();
    }
    bench.store().forgive("ana").await.unwrap();
    bench.reopen();
    let turn = bench.lease().await;
    assert_eq!(turn.attempt, 3);
    bench.store().forgive("ana").await.unwrap();
    bench.store().forgive("nobody").await.unwrap();
    bench.store().ack(turn.lease, effects("ana", &["listo"])).await.unwrap();
    bench.store().forgive("ana").await.unwrap();
    bench.ingest(2, "ana").await;
    assert_eq!(bench.lease().await.attempt, 1);
}

#[tokio::test]
async fn a_turn_whose_worker_has_gone_before_it_came_is_due_at_once_and_not_counted() {
    let bench = Bench::new();
    bench.ingest(1, "ana").await;
    let mut lease = Box::pin(bench.store().lease(LEASE));
    assert!(futures_util::poll!(&mut lease).is_pending());
    drop(lease);
    bench.store().flush().await.unwrap();
    bench.store().flush().await.unwrap();
    assert_eq!(bench.lease().await.attempt, 1);
}

#[tokio::test]
async fn a_deferred_turn_waits_even_when_it_is_full() {
    let bench = Bench::with(StoreLimits {
        turn_messages: 1,
        ..StoreLimits::default()
    });
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    bench
        .store()
        .defer(turn.lease, Duration::from_secs(9), vec![reply("ana", "Un momento.")])
        .await
        .unwrap();
    assert!(bench.is_idle().await);
    assert_eq!(bench.store().outbox_due(9).await.unwrap().len(), 1);
    bench.ingest(2, "ana").await;
    assert!(bench.is_idle().await);
}
