//! The outbox.

use std::time::{Duration, Instant};

use uuid::Uuid;

use super::{Bench, message, reply, sid};
use crate::domain::outbound::Delivery;
use crate::store::{Dead, Page, Settle, StoreError, StoreLimits};

async fn bodies(bench: &Bench) -> Vec<String> {
    let due = bench.store().outbox_due(100).await.unwrap();
    due.into_iter().map(|out| out.message.body).collect()
}

/// Enqueues one message to a conversation.
async fn enqueue(bench: &Bench, conversation: &str, body: &str) -> Uuid {
    bench.store().enqueue(vec![reply(conversation, body)]).await.unwrap()[0]
}

fn accepted(n: u32) -> Settle {
    Settle::Accepted { sid: sid(n) }
}

fn failed(reason: &str) -> Settle {
    Settle::Failed {
        code: Some("63024".into()),
        reason: reason.into(),
    }
}

fn later(after: Duration) -> Settle {
    Settle::Retry {
        after,
        code: Some("20429".into()),
        reason: "too many".into(),
    }
}

#[tokio::test]
async fn each_recipient_gets_one_message_at_a_time_in_order() {
    let mut bench = Bench::new();
    for (who, body) in [("ana", "1"), ("ana", "2"), ("beto", "3"), ("ana", "4")] {
        enqueue(&bench, who, body).await;
    }
    for (round, wanted) in [["1", "3"], ["2", ""], ["4", ""]].into_iter().enumerate() {
        bench.reopen();
        let wanted: Vec<_> = wanted.into_iter().filter(|body| !body.is_empty()).collect();
        assert_eq!(bodies(&bench).await, wanted);
        for (n, out) in (0..).zip(bench.store().outbox_due(100).await.unwrap()) {
            bench.store().outbox_start(out.id).await.unwrap();
            assert!(!bodies(&bench).await.contains(&out.message.body), "it is being sent");
            bench
                .store()
                .outbox_settle(out.id, accepted(10 * round as u32 + n))
                .await
                .unwrap();
        }
    }
    assert!(bodies(&bench).await.is_empty());
    assert_eq!(bench.store().depths().outbox, 0);
}

#[tokio::test]
async fn only_the_next_message_of_a_recipient_can_be_begun_and_only_once() {
    let bench = Bench::new();
    let (first, second) = (enqueue(&bench, "ana", "1").await, enqueue(&bench, "ana", "2").await);
    let refused = bench.store().outbox_start(second).await;
    assert!(matches!(refused, Err(StoreError::Conflict { .. })));
    let begun = bench.store().outbox_start(first).await.unwrap();
    assert_eq!((begun.delivery, begun.attempts), (Delivery::Sending, 1));
    assert_eq!(
        bench.store().outbound(first).await.unwrap(),
        None,
        "it has not left the outbox"
    );
    assert!(matches!(
        bench.store().outbox_start(first).await,
        Err(StoreError::Conflict { .. })
    ));
    assert!(matches!(
        bench.store().outbox_start(Uuid::nil()).await,
        Err(StoreError::NotFound(_))
    ));
}

#[tokio::test]
async fn a_retry_waits_and_holds_up_only_its_own_recipient() {
    let bench = Bench::new();
    let first = enqueue(&bench, "ana", "1").await;
    enqueue(&bench, "ana", "2").await;
    enqueue(&bench, "beto", "3").await;
    bench.store().outbox_start(first).await.unwrap();
    let again = Instant::now() + Duration::from_millis(80);
    let out = bench
        .store()
        .outbox_settle(first, later(Duration::from_millis(80)))
        .await
        .unwrap();
    assert_eq!(
        (out.delivery, out.error_code.as_deref()),
        (Delivery::Pending, Some("20429"))
    );
    assert_eq!(bodies(&bench).await, ["3"]);
    let beto = bench.store().outbox_due(1).await.unwrap()[0].id;
    bench.store().outbox_start(beto).await.unwrap();
    let next = bench.store().outbox_next_due().await.unwrap().unwrap();
    assert!(next >= again);
    tokio::time::sleep_until(next.into()).await;
    assert_eq!(bodies(&bench).await, ["1"]);
    assert_eq!(bench.store().outbox_start(first).await.unwrap().attempts, 2);
}

#[tokio::test]
async fn what_can_not_be_sent_is_a_dead_letter_and_the_next_one_goes() {
    let bench = Bench::new();
    let first = enqueue(&bench, "ana", "1").await;
    enqueue(&bench, "ana", "2").await;
    bench.store().outbox_start(first).await.unwrap();
    bench
        .store()
        .outbox_settle(first, failed("the number has no WhatsApp"))
        .await
        .unwrap();
    assert_eq!(bodies(&bench).await, ["2"]);
    let dead = bench.store().dead(&Page::default()).await.unwrap().rows;
    assert_eq!(
        (dead[0].code.as_deref(), dead[0].reason.as_str()),
        (Some("63024"), "the number has no WhatsApp")
    );
    let Dead::Outbound { outbound } = &dead[0].letter else {
        panic!("{dead:?}")
    };
    assert_eq!((outbound.id, outbound.delivery), (first, Delivery::Failed));
}

#[tokio::test]
async fn a_send_that_the_process_did_not_survive_has_an_unknown_outcome() {
    let mut bench = Bench::new();
    let first = enqueue(&bench, "ana", "1").await;
    enqueue(&bench, "ana", "2").await;
    bench.store().outbox_start(first).await.unwrap();
    assert!(
        bench.store().outbox_unsettled().await.unwrap().is_empty(),
        "its sender is alive"
    );
    bench.reopen();
    let unsettled = bench.store().outbox_unsettled().await.unwrap();
    assert_eq!(unsettled.iter().map(|out| out.id).collect::<Vec<_>>(), [first]);
    assert!(bodies(&bench).await.is_empty(), "it holds up its recipient");
    bench.store().outbox_settle(first, accepted(1)).await.unwrap();
    assert!(bench.store().outbox_unsettled().await.unwrap().is_empty());
    assert_eq!(bodies(&bench).await, ["2"]);
}

#[tokio::test]
async fn a_shrunk_message_is_sent_at_once_instead() {
    let mut bench = Bench::new();
    let first = enqueue(&bench, "ana", "demasiado largo").await;
    bench.store().outbox_start(first).await.unwrap();
    bench
        .store()
        .outbox_settle(first, Settle::Shrunk { body: "corto".into() })
        .await
        .unwrap();
    bench.reopen();
    let due = bench.store().outbox_due(1).await.unwrap();
    assert_eq!(
        (due[0].message.body.as_str(), due[0].shrunk, due[0].id),
        ("corto", true, first)
    );
}

#[tokio::test]
async fn outside_the_window_a_recipient_waits_until_they_write() {
    let mut bench = Bench::new();
    let first = enqueue(&bench, "ana", "1").await;
    enqueue(&bench, "ana", "2").await;
    bench.store().outbox_start(first).await.unwrap();
    bench
        .store()
        .outbox_settle(
            first,
            Settle::Window {
                reason: "24 h are over".into(),
            },
        )
        .await
        .unwrap();
    bench.reopen();
    assert!(bodies(&bench).await.is_empty());
    assert_eq!(bench.store().outbox_next_due().await.unwrap(), None);
    bench.ingest(1, "beto").await;
    assert!(bodies(&bench).await.is_empty(), "someone else has written");
    let woken = bench.store().outbox_wake().notified();
    bench.ingest(2, "ana").await;
    woken.await;
    assert_eq!(bodies(&bench).await, ["1"]);
    bench.reopen();
    assert_eq!(bodies(&bench).await, ["1"], "the window is open for good");
}

#[tokio::test]
async fn who_writes_while_a_message_is_found_out_of_time_has_opened_the_window() {
    let bench = Bench::new();
    let first = enqueue(&bench, "ana", "1").await;
    bench.store().outbox_start(first).await.unwrap();
    bench.ingest(1, "ana").await;
    let window = Settle::Window {
        reason: "24 h are over".into(),
    };
    bench.store().outbox_settle(first, window).await.unwrap();
    let next = bench.store().outbox_next_due().await.unwrap();
    assert!(next.is_some_and(|at| at <= Instant::now() + Duration::from_secs(2)));
}

#[tokio::test]
async fn a_full_outbox_refuses_all_of_a_turn_s_replies() {
    let bench = Bench::with(StoreLimits {
        outbox_messages: 2,
        ..StoreLimits::default()
    });
    enqueue(&bench, "ana", "1").await;
    bench.ingest(1, "ana").await;
    let turn = bench.lease().await;
    let refused = bench.store().ack(turn.lease, super::effects("ana", &["2", "3"])).await;
    assert!(matches!(refused, Err(StoreError::Full { .. })));
    assert_eq!(bodies(&bench).await, ["1"]);
    assert_eq!(bench.store().depths().inbox, 1);
    bench.store().enqueue(vec![reply("ana", "2")]).await.unwrap();
}

#[tokio::test]
async fn a_dead_letter_can_be_tried_again_or_dropped() {
    let mut bench = Bench::new();
    let first = enqueue(&bench, "ana", "1").await;
    bench.store().outbox_start(first).await.unwrap();
    bench.store().outbox_settle(first, failed("no")).await.unwrap();
    bench.ingest(7, "beto").await;
    let turn = bench.lease().await;
    bench.store().bury(turn.lease, "no", Vec::new()).await.unwrap();
    bench.reopen();
    let dead = bench.store().dead(&Page::default()).await.unwrap().rows;
    assert_eq!(dead.len(), 2);
    for letter in &dead {
        bench.store().dead_retry(letter.id).await.unwrap();
    }
    assert!(matches!(
        bench.store().dead_retry(dead[0].id).await,
        Err(StoreError::NotFound(_))
    ));
    bench.reopen();
    let due = bench.store().outbox_due(10).await.unwrap();
    assert_eq!(
        (due[0].id, due[0].attempts, due[0].delivery),
        (first, 0, Delivery::Pending)
    );
    let turn = bench.lease().await;
    assert_eq!((super::numbers(&turn), turn.attempt), (vec![7], 1));

    bench.store().bury(turn.lease, "still no", Vec::new()).await.unwrap();
    let dead = bench.store().dead(&Page::default()).await.unwrap().rows;
    bench.store().dead_drop(dead[0].id).await.unwrap();
    assert_eq!(bench.store().depths().dead, 0);
    let again = bench
        .store()
        .ingest(message(7, "beto"), "beto", Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(
        again,
        crate::store::Ingested::Duplicate,
        "a dropped message does not come back"
    );
}

#[tokio::test]
async fn the_oldest_dead_letter_gives_way() {
    let bench = Bench::with(StoreLimits {
        dead_letters: 2,
        ..StoreLimits::default()
    });
    for body in ["1", "2", "3"] {
        let id = enqueue(&bench, "ana", body).await;
        bench.store().outbox_settle(id, failed(body)).await.unwrap();
    }
    let dead = bench.store().dead(&Page::default()).await.unwrap().rows;
    assert_eq!(
        dead.iter().map(|letter| letter.reason.as_str()).collect::<Vec<_>>(),
        ["3", "2"]
    );
    assert_eq!(bench.store().depths().dead, 2);
}

#[tokio::test]
async fn a_cursor_of_no_page_is_an_error_and_not_the_front() {
    let bench = Bench::new();
    let after = |after: &str| Page {
        after: Some(after.to_owned()),
        limit: 1,
    };
    for tampered in ["abc", "-1", "18446744073709551616", "1\0"] {
        let page = after(tampered);
        let store = bench.store();
        assert!(matches!(store.outbox(&page).await, Err(StoreError::Cursor)));
        assert!(matches!(store.sent(&page).await, Err(StoreError::Cursor)));
        assert!(matches!(store.inbox(&page).await, Err(StoreError::Cursor)));
        assert!(matches!(store.dead(&page).await, Err(StoreError::Cursor)));
        assert!(matches!(store.conversations(&page).await, Err(StoreError::Cursor)));
        assert!(matches!(store.turns("ana", &page).await, Err(StoreError::Cursor)));
    }
}

#[tokio::test]
async fn lists_come_in_pages() {
    let bench = Bench::new();
    for n in 0..5_u32 {
        enqueue(&bench, &format!("p{n}"), &n.to_string()).await;
        bench.ingest(n, "ana").await;
    }
    let mut seen = Vec::new();
    let mut page = Page::first(2);
    loop {
        let listed = bench.store().outbox(&page).await.unwrap();
        seen.extend(listed.rows.into_iter().map(|out| out.message.body));
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4"]);
    for out in bench.store().outbox_due(10).await.unwrap() {
        let n: u32 = out.message.body.parse().unwrap();
        bench.store().outbox_settle(out.id, accepted(n)).await.unwrap();
    }
    let first = bench.store().sent(&Page::first(3)).await.unwrap();
    assert_eq!(first.rows[0].message.body, "4", "newest first");
    let rest = bench
        .store()
        .sent(&Page {
            after: first.next,
            limit: 3,
        })
        .await
        .unwrap();
    assert_eq!((rest.rows.len(), rest.next), (2, None));
    assert_eq!(bench.store().inbox(&Page::first(4)).await.unwrap().rows.len(), 4);
    let id = first.rows[0].id;
    assert_eq!(bench.store().outbound_by_sid(&sid(4)).await.unwrap().unwrap().id, id);
    assert_eq!(bench.store().outbound(id).await.unwrap().unwrap().sid, Some(sid(4)));
}
