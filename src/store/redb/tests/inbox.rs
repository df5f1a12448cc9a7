//! The inbox.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Bench, LEASE, address, effects, message, numbers, sid};
use crate::domain::geo::Point;
use crate::domain::message::{Address, Origin, Pin};
use crate::store::{Dead, Ingested, Leasing, Page, Retried, StoreError, StoreLimits, TurnRecord};

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
    let polled = crate::domain::message::Inbound {
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
        let words = vec![super::reply("ana", "No pude responder.")];
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
        .bury(
            turn.lease,
            "it kills the process",
            vec![super::reply("ana", "Lo siento.")],
        )
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
    bench.store().release(turn.lease).await.unwrap();
    bench.reopen();
    let turn = bench.lease().await;
    assert_eq!(turn.attempt, 1);
    bench
        .store()
        .retry(turn.lease, Duration::ZERO, "no", Vec::new())
        .await
        .unwrap();
    let turn = bench.lease().await;
    bench.store().release(turn.lease).await.unwrap();
    assert_eq!(bench.lease().await.attempt, 2);
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

#[tokio::test]
async fn an_opt_out_is_kept_until_it_is_taken_back() {
    let mut bench = Bench::new();
    for (n, said) in [(1, Some(true)), (2, None), (3, Some(false))] {
        bench.ingest(n, "ana").await;
        let turn = bench.lease().await;
        let effects = crate::store::TurnEffects {
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
    let both = crate::domain::message::Inbound {
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
