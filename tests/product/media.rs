//! Files that come with messages: fetched safely, known by their content, stored once.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use relevo::domain::message::{Inbound, MessageSid};
use relevo::net::Http;
use relevo::relay::media::{About, Media};
use relevo::store::{Store, StoreLimits};
use relevo::telemetry::Metrics;
use relevo::twilio::Client;
use tempfile::TempDir;

use crate::support::fake_twilio::{ACCOUNT, Call, FakeTwilio, Fault, File, SENDER};

const ANA: &str = "whatsapp:+56980000022";
const PHOTO: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF una foto";
const VOICE: &[u8] = b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0OpusHead";

struct Rig {
    fake: FakeTwilio,
    media: Media,
    client: Client,
    dir: TempDir,
    metrics: std::sync::Arc<Metrics>,
}

impl Rig {
    async fn start(settings: &[(&str, &str)]) -> Self {
        let fake = FakeTwilio::start().await;
        let dir = tempfile::tempdir().unwrap();
        let data = [("RELEVO_DATA_DIR", dir.path().to_str().unwrap())];
        let config = fake.config(true, &[&data, settings].concat());
        let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
        let client = Client::new(&config.twilio, Http::new().unwrap(), None).unwrap();
        let metrics = Metrics::new();
        let media = Media::new(store, vec![client.clone()], &config, metrics.clone());
        Self {
            fake,
            media,
            client,
            dir,
            metrics,
        }
    }

    /// A message with these files, as its webhook would bring it.
    async fn message(&self, files: Vec<File>) -> Inbound {
        let sid = self.fake.receive(ANA, &[], files, Timestamp::now());
        let media = self.client.media_list(&sid).await.unwrap();
        let mut message = inbound(&sid);
        message.num_media = media.len() as u32;
        message.media = media;
        message
    }

    /// Every file in the media folder, without its shelf.
    fn files(&self) -> Vec<String> {
        let mut names = Vec::new();
        for shelf in std::fs::read_dir(self.dir.path().join("media")).into_iter().flatten() {
            for file in std::fs::read_dir(shelf.unwrap().path()).unwrap() {
                names.push(file.unwrap().file_name().into_string().unwrap());
            }
        }
        names
    }
}

fn inbound(sid: &MessageSid) -> Inbound {
    serde_json::from_value(serde_json::json!({
        "sid": sid, "account": ACCOUNT, "from": ANA, "to": SENDER, "body": "", "command": null, "pin": null,
        "media": [], "num_media": 0, "message_type": "image", "profile_name": null, "wa_id": null,
        "external_id": null, "reply_to": null, "forwarded": false, "extra": {}, "origin": "webhook",
        "sent_at": null, "received_at": Timestamp::now(),
    }))
    .unwrap()
}

#[tokio::test]
async fn a_fresh_photo_is_waited_for_and_stored_by_what_it_is() {
    let rig = Rig::start(&[]).await;
    let photo = File {
        absent: 1,
        ..File::new("application/pdf", PHOTO)
    };
    let message = rig.message(vec![photo]).await;
    let fetched = rig.media.fetch(&[&message], &About::default()).await;
    assert_eq!(fetched.failed, 0);
    let record = &fetched.stored[0];
    assert_eq!(
        (record.content_type.as_str(), record.bytes),
        ("image/jpeg", PHOTO.len() as u64)
    );
    assert_eq!(record.message.as_ref(), Some(&message.sid));
    assert_eq!(std::fs::read(rig.media.path(record)).unwrap(), PHOTO);
    rig.fake.end();
}

#[tokio::test]
async fn the_same_file_twice_is_two_records_and_one_file_and_a_second_try_fetches_nothing() {
    let rig = Rig::start(&[]).await;
    let first = rig.message(vec![File::new("image/jpeg", PHOTO)]).await;
    let second = rig
        .message(vec![
            File::new("image/jpeg", PHOTO),
            File::new("audio/ogg; codecs=opus", VOICE),
        ])
        .await;
    let fetched = rig.media.fetch(&[&first, &second], &About::default()).await;
    let types: Vec<&str> = fetched.stored.iter().map(|r| r.content_type.as_str()).collect();
    assert_eq!(types, ["image/jpeg", "image/jpeg", "audio/ogg"]);
    assert_ne!(fetched.stored[0].id, fetched.stored[1].id);
    assert_eq!(fetched.stored[0].file, fetched.stored[1].file);
    assert_eq!(rig.files().len(), 2, "{:?}", rig.files());

    rig.fake.forget_asked();
    let again = rig.media.fetch(&[&first, &second], &About::default()).await;
    assert_eq!(again, fetched);
    assert!(rig.fake.asked(Call::Media).is_empty());
    rig.fake.end();
}

#[tokio::test]
async fn what_cannot_be_had_is_counted_and_the_rest_is_kept() {
    let rig = Rig::start(&[("RELEVO__MEDIA__BYTES_MAX", "100"), ("RELEVO__MEDIA__FILES_MAX", "3")]).await;
    let large = File::new("image/jpeg", &[0xff; 200]);
    let astray = File {
        astray: Some("https://attacker.example/x".into()),
        ..File::new("image/jpeg", PHOTO)
    };
    let fine = File::new("image/jpeg", PHOTO);
    let message = rig
        .message(vec![large, astray, fine, File::new("image/jpeg", b"beyond the limit")])
        .await;
    let fetched = rig.media.fetch(&[&message], &About::default()).await;
    assert_eq!((fetched.stored.len(), fetched.failed), (1, 3));
    assert_eq!(rig.files().len(), 1);
    assert!(
        rig.metrics
            .render()
            .contains("relevo_media_total{result=\"refused\"} 2")
    );
    rig.fake.end();
}

#[tokio::test]
async fn a_forged_url_gets_no_request_at_all() {
    let rig = Rig::start(&[]).await;
    let mut message = rig.message(vec![File::new("image/jpeg", PHOTO)]).await;
    let good = message.media[0].url.clone();
    rig.fake.forget_asked();
    for url in [
        good.replace(ACCOUNT, "ACbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"),
        good.replace(message.sid.as_str(), "MM00000000000000000000000000000001"),
        "https://attacker.example/x".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        message.media[0].url = url;
        assert_eq!(rig.media.fetch(&[&message], &About::default()).await.failed, 1);
    }
    message.media[0].url = good;
    message.account = "ACbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb".to_owned();
    assert_eq!(
        rig.media.fetch(&[&message], &About::default()).await.failed,
        1,
        "an account of somebody else"
    );
    assert!(rig.fake.asked(Call::Media).is_empty() && rig.fake.asked(Call::Store).is_empty());
}

#[tokio::test]
async fn a_polled_message_whose_list_is_missing_counts_its_files_as_failed() {
    let rig = Rig::start(&[]).await;
    let mut message = rig.message(vec![File::new("image/jpeg", PHOTO)]).await;
    message.media.clear();
    assert_eq!(rig.media.fetch(&[&message], &About::default()).await.failed, 1);
}

#[tokio::test]
async fn a_file_that_hangs_ends_within_its_time() {
    let rig = Rig::start(&[("RELEVO__MEDIA__TIMEOUT_SECS", "1")]).await;
    let message = rig.message(vec![File::new("image/jpeg", PHOTO)]).await;
    rig.fake.next(Call::Store, Fault::Hang);
    let start = Instant::now();
    assert_eq!(rig.media.fetch(&[&message], &About::default()).await.failed, 1);
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_file_past_its_days_goes_with_its_record_and_can_be_fetched_anew() {
    let rig = Rig::start(&[("RELEVO__MEDIA__KEEP_DAYS", "30")]).await;
    let message = rig.message(vec![File::new("image/jpeg", PHOTO)]).await;
    assert_eq!(rig.media.fetch(&[&message], &About::default()).await.stored.len(), 1);
    let days = |days: i64| Timestamp::now() + jiff::SignedDuration::from_hours(24 * days);
    assert_eq!(rig.media.tidy(days(29)).await.unwrap().files, 0);
    assert_eq!(rig.files().len(), 1);
    assert_eq!(rig.media.tidy(days(31)).await.unwrap().files, 1);
    assert_eq!(rig.files().len(), 0);
    // An old turn that is tried again finds its file as on the first day.
    assert_eq!(rig.media.fetch(&[&message], &About::default()).await.stored.len(), 1);
    assert_eq!(rig.files().len(), 1);
}

#[tokio::test]
async fn all_files_together_stay_within_their_bytes() {
    let rig = Rig::start(&[
        ("RELEVO__MEDIA__FOLDER_BYTES_MAX", "1000"),
        ("RELEVO__MEDIA__BYTES_MAX", "1000"),
    ])
    .await;
    for n in 0..5_u8 {
        let photo = [PHOTO, &[n; 300]].concat();
        let message = rig.message(vec![File::new("image/jpeg", &photo)]).await;
        assert_eq!(rig.media.fetch(&[&message], &About::default()).await.stored.len(), 1);
    }
    assert_eq!(rig.media.tidy(Timestamp::now()).await.unwrap().files, 2);
    assert_eq!(rig.files().len(), 3);
}
