//! Orders are carried out once, counted by the hour, and end together with what they changed.

use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::Bench;
use crate::domain::change::{Change, Order, RecordKind, RecordPut};
use crate::domain::ids::{EmployeeId, TaskId};
use crate::store::{AuditRow, Begun, Outcome, Page};

fn order(n: u128, by: &str) -> Order {
    Order {
        id: Uuid::from_u128(n),
        change: Change::AddNote {
            task_id: TaskId::parse("T-10001").unwrap(),
            text: "x".into(),
            media: vec![],
        },
        by: Some(EmployeeId::parse(by).unwrap()),
        at: Timestamp::UNIX_EPOCH,
    }
}

fn done() -> Outcome {
    Outcome {
        ok: true,
        reference: "T-10001".into(),
        reason: None,
    }
}

fn record(id: &str, n: u32) -> RecordPut {
    RecordPut {
        kind: RecordKind::Tasks,
        id: id.into(),
        value: json!({ "n": n }),
    }
}

#[tokio::test]
async fn an_order_begun_and_not_ended_is_unknown_and_one_that_ended_is_done_with_its_records() {
    let mut bench = Bench::new();
    let first = order(1, "E-022");
    assert_eq!(bench.store().write_begin(first.clone(), 3).await.unwrap(), Begun::Fresh);
    bench.reopen();
    let begun = bench.store().write_begin(first.clone(), 3).await.unwrap();
    assert_eq!(begun, Begun::Unknown(first.clone()));
    let puts = vec![record("T-10001", 1)];
    bench
        .store()
        .write_finish(first.id, done(), puts, vec![])
        .await
        .unwrap();
    bench.reopen();
    assert_eq!(
        bench.store().write_begin(first.clone(), 3).await.unwrap(),
        Begun::Done(done())
    );
    assert_eq!(
        bench.store().order(first.id).await.unwrap(),
        Some((first, Some(done())))
    );
    let kept = bench.store().records(RecordKind::Tasks).await.unwrap();
    assert_eq!(kept, [("T-10001".to_owned(), json!({ "n": 1 }))]);
    assert!(bench.store().records(RecordKind::Events).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_fourth_order_of_an_hour_waits_and_what_was_not_done_does_not_count() {
    let bench = Bench::new();
    let before = Timestamp::now();
    for n in 1..=3 {
        assert_eq!(
            bench.store().write_begin(order(n, "E-022"), 3).await.unwrap(),
            Begun::Fresh
        );
    }
    let Begun::Busy(next) = bench.store().write_begin(order(4, "E-022"), 3).await.unwrap() else {
        panic!("the fourth was begun")
    };
    assert!(
        next > before && next <= Timestamp::now() + jiff::SignedDuration::from_hours(1),
        "{next}"
    );
    assert_eq!(
        bench.store().write_begin(order(5, "E-023"), 3).await.unwrap(),
        Begun::Fresh
    );
    bench.store().write_forget(Uuid::from_u128(1)).await.unwrap();
    assert_eq!(
        bench.store().write_begin(order(4, "E-022"), 3).await.unwrap(),
        Begun::Fresh
    );
    let failed = Outcome { ok: false, ..done() };
    bench
        .store()
        .write_finish(Uuid::from_u128(2), failed, vec![], vec![])
        .await
        .unwrap();
    assert_eq!(
        bench.store().write_begin(order(6, "E-022"), 3).await.unwrap(),
        Begun::Fresh
    );
}

#[tokio::test]
async fn kinds_are_emptied_and_filled_in_one_step() {
    let bench = Bench::new();
    let puts = vec![record("T-10001", 1), record("T-10002", 2)];
    bench.store().records_put(puts).await.unwrap();
    let meta = vec![("operator".to_owned(), "import".to_owned())];
    let replaced = bench
        .store()
        .records_replace(vec![RecordKind::Tasks], vec![record("T-9", 9)], meta);
    replaced.await.unwrap();
    let kept = bench.store().records(RecordKind::Tasks).await.unwrap();
    assert_eq!(kept, [("T-9".to_owned(), json!({ "n": 9 }))]);
    assert_eq!(
        bench.store().meta_get("operator").await.unwrap().as_deref(),
        Some("import")
    );
}

#[tokio::test]
async fn the_audit_is_read_newest_first() {
    let bench = Bench::new();
    let row = |what: &str| AuditRow {
        at: Timestamp::UNIX_EPOCH,
        who: "E-022".into(),
        channel: "whats_app".into(),
        what: what.into(),
        tool: None,
        params: json!({}),
        order: None,
        reason: None,
    };
    bench
        .store()
        .audit(vec![row("previewed"), row("executed")])
        .await
        .unwrap();
    let listed = bench.store().audit_list(&Page::first(1)).await.unwrap();
    assert_eq!(listed.rows, [row("executed")]);
    let next = Page {
        after: listed.next,
        limit: 1,
    };
    assert_eq!(bench.store().audit_list(&next).await.unwrap().rows, [row("previewed")]);
}
