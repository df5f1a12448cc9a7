//! Media records and the program's own values.

use jiff::Timestamp;
use uuid::Uuid;

use super::Bench;
use crate::store::MediaRecord;

fn record(n: u128, hash: &str, stored_at: &str) -> MediaRecord {
    MediaRecord {
        id: Uuid::from_u128(n),
        hash: hash.into(),
        content_type: "image/jpeg".into(),
        bytes: 3,
        file: format!("{hash}.jpg"),
        message: None,
        conversation: None,
        task_id: None,
        site_id: None,
        caption: None,
        stored_at: stored_at.parse().unwrap(),
        found: serde_json::Value::Null,
    }
}

#[tokio::test]
async fn a_file_is_found_by_its_id_and_by_its_content() {
    let mut bench = Bench::new();
    let photo = record(2, "abc", "2026-11-30T12:00:00Z");
    bench.store().media_put(photo.clone()).await.unwrap();
    bench.reopen();
    assert_eq!(bench.store().media(photo.id).await.unwrap(), Some(photo.clone()));
    assert_eq!(bench.store().media_by_hash("abc").await.unwrap(), Some(photo));
    assert_eq!(bench.store().media_by_hash("ab").await.unwrap(), None);
}

#[tokio::test]
async fn a_file_goes_with_the_last_record_that_needs_it() {
    let bench = Bench::new();
    let (old, new) = ("2026-01-01T00:00:00Z", "2026-11-30T12:00:00Z");
    for (n, hash, at) in [(1, "abc", old), (2, "abc", new), (3, "def", old), (4, "ghi", old)] {
        bench.store().media_put(record(n, hash, at)).await.unwrap();
    }
    let before: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
    let mut files = Vec::new();
    for _ in 0..4 {
        files.extend(bench.store().media_forget(before, 1).await.unwrap());
    }
    assert_eq!(files, ["def.jpg", "ghi.jpg"]);
    assert_eq!(
        bench.store().media_by_hash("abc").await.unwrap().unwrap().id,
        Uuid::from_u128(2)
    );
    let later: Timestamp = "2026-12-31T00:00:00Z".parse().unwrap();
    for _ in 0..3 {
        files.extend(bench.store().media_forget(later, 100).await.unwrap());
    }
    assert_eq!(files, ["def.jpg", "ghi.jpg", "abc.jpg"]);
}

#[tokio::test]
async fn the_program_keeps_values_for_itself() {
    let mut bench = Bench::new();
    assert_eq!(bench.store().meta_get("poller.cursor").await.unwrap(), None);
    bench.store().meta_put("poller.cursor", "2026-11-30").await.unwrap();
    bench.store().meta_put("poller.cursor", "2026-12-01").await.unwrap();
    bench.reopen();
    assert_eq!(
        bench.store().meta_get("poller.cursor").await.unwrap().as_deref(),
        Some("2026-12-01")
    );
}
