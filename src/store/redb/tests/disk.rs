//! When the disk is full, when the power fails, when another process is there.

use std::sync::Arc;
use std::time::Duration;

use super::{LEASE, effects, message, sid};
use crate::store::redb::RedbStore;
use crate::store::redb::faulty::Disk;
use crate::store::redb::shared::Place;
use crate::store::{Leasing, Store, StoreError, StoreLimits};

fn open(disk: &Disk) -> Store {
    Store::Redb(RedbStore::open_at(Place::Disk(disk.clone()), StoreLimits::default()).unwrap())
}

async fn put(store: &Store, n: u32) -> Result<crate::store::Ingested, StoreError> {
    store.ingest(message(n, "ana"), "ana", Duration::ZERO).await
}

#[tokio::test]
async fn a_second_process_is_told_that_the_data_is_held() {
    let directory = tempfile::TempDir::new().unwrap();
    let first = Store::open(directory.path(), StoreLimits::default()).unwrap();
    let second = Store::open(directory.path(), StoreLimits::default());
    assert!(matches!(second, Err(StoreError::Held(path)) if path == directory.path()));
    drop(first);
    Store::open(directory.path(), StoreLimits::default()).unwrap();
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let directory = tempfile::TempDir::new().unwrap();
    let file = directory.path().join("relevo.redb");
    std::fs::write(&file, "not a database, but somebody's notes").unwrap();
    assert!(matches!(
        Store::open(directory.path(), StoreLimits::default()),
        Err(StoreError::Corrupt(_))
    ));
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("not a database"));
}

#[tokio::test]
async fn data_of_a_later_program_is_refused() {
    let directory = tempfile::TempDir::new().unwrap();
    let store = Store::open(directory.path(), StoreLimits::default()).unwrap();
    store.meta_put("schema_version", "2").await.unwrap();
    drop(store);
    let refused = Store::open(directory.path(), StoreLimits::default());
    assert!(matches!(refused, Err(StoreError::Newer { found: 2, known: 1 })));
}

#[tokio::test]
async fn a_full_disk_takes_nothing_and_forgets_nothing() {
    let disk = Disk::default();
    let store = open(&disk);
    put(&store, 1).await.unwrap();
    let Leasing::Turn(turn) = store.lease(LEASE).await.unwrap() else {
        panic!()
    };

    disk.fill(true);
    for n in [2, 3] {
        let refused = put(&store, n).await.unwrap_err();
        assert!(
            matches!(refused, StoreError::Io(_)) && refused.may_retry(),
            "{refused:?}"
        );
    }
    assert!(store.health().failing.is_some());

    disk.fill(false);
    put(&store, 2).await.unwrap();
    assert_eq!(store.health().failing, None);
    assert_eq!(
        store.known(&[sid(1), sid(2), sid(3)]).await.unwrap(),
        [true, true, false]
    );
    let lost = store.ack(turn.lease, effects("ana", &["listo"])).await;
    assert!(matches!(lost, Err(StoreError::LeaseLost)), "leases were in memory");
    let Leasing::Turn(turn) = store.lease(LEASE).await.unwrap() else {
        panic!()
    };
    assert_eq!((turn.messages.len(), turn.attempt), (1, 2));
    store.ack(turn.lease, effects("ana", &["listo"])).await.unwrap();
    assert_eq!(store.depths().inbox, 1);
}

#[tokio::test]
async fn a_reader_during_a_failure_is_told_to_come_back_and_brings_the_store_back_itself() {
    let disk = Disk::default();
    let store = open(&disk);
    put(&store, 1).await.unwrap();
    disk.fill(true);
    put(&store, 2).await.unwrap_err();
    // Closed would end the workers, and the process with them.
    let refused = store.known(&[sid(1)]).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::Io(_)) && refused.may_retry(),
        "{refused:?}"
    );
    disk.fill(false);
    // Nobody writes: a webhook looks its sender up before it stores anything.
    let start = std::time::Instant::now();
    while store.known(&[sid(1)]).await.is_err() {
        assert!(start.elapsed() < Duration::from_secs(10), "it never came back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    put(&store, 2).await.unwrap();
}

#[tokio::test]
async fn a_damaged_file_is_an_error_whatever_is_damaged() {
    let directory = tempfile::TempDir::new().unwrap();
    let store = Store::open(directory.path(), StoreLimits::default()).unwrap();
    put(&store, 1).await.unwrap();
    drop(store);
    let file = directory.path().join("relevo.redb");
    let sound = std::fs::read(&file).unwrap();
    let cut = [0, 100, sound.len() / 2].map(|length| sound[..length].to_vec());
    let flipped = (0..sound.len()).step_by(4096).map(|at| {
        let mut bytes = sound.clone();
        bytes[at..].iter_mut().take(4096).for_each(|byte| *byte ^= 0xff);
        bytes
    });
    let mut refused = 0;
    for damaged in cut.into_iter().chain(flipped) {
        std::fs::write(&file, &damaged).unwrap();
        match Store::open(directory.path(), StoreLimits::default()) {
            Ok(_) => {}
            Err(StoreError::Corrupt(_)) => refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(refused > 3, "{refused}");
}

#[cfg(unix)]
#[tokio::test]
async fn what_we_make_is_readable_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let above = tempfile::TempDir::new().unwrap();
    let directory = above.path().join("data");
    let _store = Store::open(&directory, StoreLimits::default()).unwrap();
    for (path, mode) in [(directory.clone(), 0o700), (directory.join("relevo.redb"), 0o600)] {
        let found = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{path:?}");
    }
}

#[tokio::test]
async fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let disk = Disk::default();
    let store = open(&disk);
    let mut acknowledged = 0;
    for cut in 0..60_u32 {
        for _ in 0..5 {
            put(&store, acknowledged).await.unwrap();
            acknowledged += 1;
        }
        if cut % 3 == 0
            && let Leasing::Turn(turn) = store.lease(LEASE).await.unwrap()
        {
            store.ack(turn.lease, effects("ana", &["listo"])).await.unwrap();
        }
        let before = store.depths();
        disk.arm(u64::from(cut));
        put(&store, 1_000_000 + cut).await.unwrap();

        let after = open(&disk.after_power_cut());
        let sids: Vec<_> = (0..acknowledged).map(sid).collect();
        let known = after.known(&sids).await.unwrap();
        assert!(known.iter().all(|known| *known), "cut {cut}");
        let last = after.known(&[sid(1_000_000 + cut)]).await.unwrap()[0];
        assert_eq!(
            after.depths().inbox,
            before.inbox + u64::from(last),
            "cut {cut}: whole or not at all"
        );
        assert_eq!(after.depths().outbox, before.outbox, "cut {cut}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_share_one_sync() {
    let disk = Disk::default();
    let store = Arc::new(open(&disk));
    let before = disk.syncs();
    let callers: Vec<_> = (0..200)
        .map(|n| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { put(&store, n).await.unwrap() })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    let syncs = disk.syncs() - before;
    assert!(syncs < 200, "{syncs} syncs for 200 messages");
    assert_eq!(store.depths().inbox, 200);
}

#[tokio::test]
async fn a_writer_that_does_not_keep_up_says_so_at_once() {
    let disk = Disk::default();
    let limits = StoreLimits {
        queue_ops: 4,
        ..StoreLimits::default()
    };
    let store = Store::Redb(RedbStore::open_at(Place::Disk(disk.clone()), limits).unwrap());
    let stuck = disk.stuck();
    let mut waiting: Vec<_> = (0..40).map(|n| Box::pin(put(&store, n))).collect();
    let mut refused = 0;
    for caller in &mut waiting {
        if let std::task::Poll::Ready(result) = futures_util::poll!(caller) {
            assert!(matches!(result, Err(StoreError::Busy { .. })));
            refused += 1;
        }
    }
    assert!(refused >= 30, "{refused}");
    assert_eq!(store.health().waiting_max, 4);
    drop((stuck, waiting));
    store.flush().await.unwrap();
    assert_eq!(store.depths().inbox, 40 - refused);
}
