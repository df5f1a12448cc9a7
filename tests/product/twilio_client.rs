//! The REST client against the fake: what it asks, what it concludes, where its credentials go.

use std::time::Duration;

use jiff::Timestamp;
use relevo::domain::message::MessageSid;
use relevo::net::Http;
use relevo::twilio::{Client, MediaError, Outcome, Outgoing};

use crate::support::fake_twilio::{ACCOUNT, Call, FakeTwilio, Fault, File, SENDER};

const ANA: &str = "whatsapp:+56980000022";
const SOON: Duration = Duration::from_secs(8);

fn client(fake: &FakeTwilio) -> Client {
    let config = fake.config(true, &[("RELEVO__TWILIO__TIMEOUT_SECS", "1")]);
    Client::new(&config.twilio, Http::new().unwrap(), None).unwrap()
}

fn hello(body: &str) -> Outgoing<'_> {
    Outgoing {
        to: ANA,
        from: SENDER,
        body,
        content: None,
        media_url: None,
        status_callback: None,
    }
}

#[tokio::test]
async fn a_message_is_sent_with_its_callback_and_read_back() {
    let fake = FakeTwilio::start().await;
    let client = client(&fake);
    let callback = "https://relay.example.com/webhooks/twilio/status?outbox=1";
    let sent = client
        .send(Outgoing {
            content: None,
            media_url: None,
            status_callback: Some(callback),
            ..hello("¿qué? + & =")
        })
        .await
        .unwrap();
    let kept = fake.sends().remove(0);
    assert_eq!(
        (kept.body.as_str(), kept.callback.as_deref()),
        ("¿qué? + & =", Some(callback))
    );
    let listed = client.message(&sent.sid).await.unwrap();
    assert_eq!(listed.body.as_deref(), Some("¿qué? + & ="));
    assert_eq!(client.account_status().await.unwrap(), "active");
    fake.end();
}

#[tokio::test]
async fn each_fault_of_a_send_says_whether_it_may_have_been_taken() {
    let fake = FakeTwilio::start().await;
    for (fault, outcome, taken) in [
        (Fault::Limited(2), Outcome::None, 0),
        (Fault::Refuse(400, 21211), Outcome::None, 0),
        (Fault::Refuse(500, 20500), Outcome::Unknown, 0),
        (Fault::DoneThen(500), Outcome::Unknown, 1),
        (Fault::DoneThenReset, Outcome::Unknown, 1),
        (Fault::DoneThenBreakOff, Outcome::Unknown, 1),
        (Fault::DoneThenHang, Outcome::Unknown, 1),
        (Fault::Reset, Outcome::Unknown, 0),
    ] {
        let before = fake.sends().len();
        fake.next(Call::Send, fault.clone());
        let error = client(&fake).send(hello("a")).await.unwrap_err();
        assert_eq!(error.outcome(), outcome, "{fault:?}: {error}");
        assert_eq!(fake.sends().len() - before, taken, "{fault:?}");
    }
    assert_eq!(fake.hidden(), 4);
    fake.end();
}

#[tokio::test]
async fn a_sent_message_is_found_by_recipient_text_and_time() {
    let fake = FakeTwilio::start().await;
    let client = client(&fake);
    let began = Timestamp::now();
    for n in 0..120 {
        client.send(hello(&format!("mensaje {n}"))).await.unwrap();
    }
    fake.next(Call::Send, Fault::DoneThen(500));
    client.send(hello("el buscado")).await.unwrap_err();
    let found = client.find_sent(hello("el buscado"), began).await.unwrap();
    assert_eq!(found.len(), 1);
    let oldest = client.find_sent(hello("mensaje 0"), began).await.unwrap();
    assert_eq!(oldest.len(), 1, "on a later page");
    assert!(client.find_sent(hello("nunca"), began).await.unwrap().is_empty());
    let later = began + jiff::SignedDuration::from_mins(10);
    assert!(client.find_sent(hello("el buscado"), later).await.unwrap().is_empty());
    fake.end();
}

#[tokio::test]
async fn refused_credentials_open_the_circuit_at_once() {
    let fake = FakeTwilio::start().await;
    let config = fake.config(true, &[("TWILIO_AUTH_TOKEN", "wrong")]);
    let client = Client::new(&config.twilio, Http::new().unwrap(), None).unwrap();
    let error = client.send(hello("a")).await.unwrap_err();
    assert_eq!(error.code().as_deref(), Some("20003"));
    assert!(client.open_for().is_some());
    client.send(hello("a")).await.unwrap_err();
    assert_eq!(fake.asked(Call::Send).len(), 1);
}

#[tokio::test]
async fn a_next_page_elsewhere_is_not_asked() {
    let fake = FakeTwilio::start().await;
    let client = client(&fake);
    for next in [
        "https://attacker.example/2010-04-01/Accounts/x/Messages.json?Page=1",
        "/2010-04-01/Accounts/ACcccccccccccccccccccccccccccccccc/Messages.json?Page=1",
        "/2010-04-01/Accounts.json?",
        "@attacker.example/",
    ] {
        assert!(client.next_page(next).await.is_err(), "{next}");
    }
    assert!(fake.asked(Call::List).is_empty());
}

/// A message with one file and that file's URL.
fn file(fake: &FakeTwilio, file: File) -> (MessageSid, String) {
    let sid = fake.receive(ANA, &[], vec![file], Timestamp::now());
    (
        sid.clone(),
        format!("{}/2010-04-01/Accounts/{ACCOUNT}/Messages/{sid}/Media/", fake.base()),
    )
}

#[tokio::test]
async fn a_fresh_file_is_waited_for_and_its_redirect_followed_without_credentials() {
    let fake = FakeTwilio::start().await;
    let client = client(&fake);
    let (sid, _) = file(
        &fake,
        File {
            absent: 1,
            ..File::new("image/jpeg", b"\xff\xd8\xff photo")
        },
    );
    let media = client.media_list(&sid).await.unwrap();
    assert_eq!(media[0].content_type, "image/jpeg");
    let download = client
        .media_bytes(&media[0].url, ACCOUNT, &sid, 1000, SOON)
        .await
        .unwrap();
    assert_eq!(download.bytes, b"\xff\xd8\xff photo");
    assert_eq!(fake.asked(Call::Media).len(), 2);
    fake.end();
}

#[tokio::test]
async fn a_file_too_large_astray_or_not_ours_is_refused() {
    let fake = FakeTwilio::start().await;
    let client = client(&fake);
    let (sid, _) = file(&fake, File::new("image/jpeg", &[0; 2000]));
    let url = client.media_list(&sid).await.unwrap().remove(0).url;
    let error = client.media_bytes(&url, ACCOUNT, &sid, 1000, SOON).await.unwrap_err();
    assert!(matches!(error, MediaError::TooLarge { max: 1000 }));
    let other = MessageSid::parse("MM00000000000000000000000000000001").unwrap();
    let error = client.media_bytes(&url, ACCOUNT, &other, 1000, SOON).await.unwrap_err();
    assert!(matches!(error, MediaError::NotOurs));
    let astray = File {
        astray: Some("http://169.254.169.254/latest".into()),
        ..File::new("image/jpeg", b"x")
    };
    let (sid, _) = file(&fake, astray);
    let url = client.media_list(&sid).await.unwrap().remove(0).url;
    let error = client.media_bytes(&url, ACCOUNT, &sid, 1000, SOON).await.unwrap_err();
    assert!(matches!(error, MediaError::Astray));
    assert!(!error.may_pass());
    fake.end();
}

#[tokio::test]
async fn a_slow_file_ends_at_its_deadline() {
    let fake = FakeTwilio::start().await;
    let client = client(&fake);
    let (sid, _) = file(&fake, File::new("image/jpeg", b"x"));
    let url = client.media_list(&sid).await.unwrap().remove(0).url;
    fake.next(Call::Store, Fault::Hang);
    let time = Duration::from_millis(300);
    let error = client.media_bytes(&url, ACCOUNT, &sid, 1000, time).await.unwrap_err();
    assert!(matches!(error, MediaError::TooSlow), "{error:?}");
}

#[tokio::test]
async fn the_typing_indicator_names_the_inbound_message() {
    let fake = FakeTwilio::start().await;
    let sid = fake.receive(ANA, &[("Body", "hola")], Vec::new(), Timestamp::now());
    client(&fake).typing(&sid).await.unwrap();
    assert_eq!(fake.typing(), [sid.as_str()]);
    fake.end();
}
