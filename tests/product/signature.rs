//! Twilio signatures and forms: the published and generated vectors, row by row.

use serde_json::Value;

use relevo::domain::message::Inbound;
use relevo::domain::outbound::Delivery;
use relevo::twilio::inbound::{self, BadInbound};
use relevo::twilio::public_url::PublicUrl;
use relevo::twilio::signature::{Algorithm, Rejection, SETTINGS_HEADER, SIGNATURE_HEADER, Secret, Validator, sign};

const ACCOUNT: &str = "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const TOKEN: &str = "12345";
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8");
const JSON: (&str, &str) = ("Content-Type", "application/json");

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/twilio_signature.json")).unwrap()
}

fn rows(key: &str) -> Vec<Value> {
    vectors()[key].as_array().unwrap().clone()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

fn params(row: &Value) -> Vec<(String, String)> {
    let pair = |p: &Value| (p[0].as_str().unwrap().to_owned(), p[1].as_str().unwrap().to_owned());
    row["params"].as_array().unwrap().iter().map(pair).collect()
}

fn encode(params: &[(String, String)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(params)
        .finish()
}

/// The base to configure and the target on the wire for a URL.
fn cut(url: &str) -> (PublicUrl, &str) {
    let after = url.find("://").unwrap() + 3;
    let path = url[after..].find(['/', '?']).map_or(url.len(), |at| at + after);
    (PublicUrl::parse(&url[..path]).unwrap(), &url[path..])
}

fn validator(base: PublicUrl, token: &str, settings: &str) -> Validator {
    let validator = Validator::new(Some(base));
    match settings.split(',').find_map(|piece| piece.strip_prefix("key=")) {
        Some(key) => validator.with_shared_key(key, token.into()),
        None => validator.with_account(ACCOUNT, token.into(), None),
    }
}

#[test]
fn every_official_and_generated_signature_verifies() {
    for row in rows("vectors") {
        let id = text(&row, "id");
        let params = params(&row);
        let json = row.get("body").is_some();
        let body = row["raw_body"].as_str().map_or_else(|| encode(&params), str::to_owned);
        let body = if json { text(&row, "body").to_owned() } else { body };
        let (base, target) = cut(text(&row, "url"));
        let settings = text(&row, "settings_header");
        let validator = validator(base, text(&row, "token"), settings);
        let mut headers = vec![
            if json { JSON } else { FORM },
            (SIGNATURE_HEADER, text(&row, "signature")),
        ];
        if !settings.is_empty() {
            headers.push((SETTINGS_HEADER, settings));
        }
        let verified = validator.verify("POST", target, &headers, body.as_bytes());
        let verified = verified.unwrap_or_else(|e| panic!("{id}: {e}"));
        assert_eq!(verified.get().pairs(), params, "{id}: decoded fields");
        let by = if settings.is_empty() {
            Secret::Primary
        } else {
            Secret::Shared
        };
        assert_eq!(verified.by(), by, "{id}");

        let algorithm = if text(&row, "algorithm") == "HMAC_SHA256" {
            Algorithm::Sha256
        } else {
            Algorithm::Sha1
        };
        let signed = sign(algorithm, text(&row, "token"), text(&row, "url"), &params);
        assert_eq!(signed, text(&row, "signature"), "{id}: signing");
    }
}

#[test]
fn every_row_of_the_acceptance_matrix_is_decided_as_recommended() {
    for row in rows("validate") {
        let id = text(&row, "id");
        let presented = text(&row, "presented_url");
        let (base, target) = cut(presented);
        let headers = [FORM, (SIGNATURE_HEADER, text(&row, "signature"))];
        let body = encode(&params(&row));
        let result = validator(base, text(&row, "token"), "").verify("POST", target, &headers, body.as_bytes());
        assert_eq!(
            result.is_ok(),
            row["recommended_accept"],
            "{id}: {} {result:?}",
            text(&row, "note")
        );
        if let Err(rejection) = result {
            assert_eq!(rejection, Rejection::Mismatch, "{id}");
        }
    }
}

#[test]
fn every_json_row_is_decided_as_recommended() {
    for row in rows("validate_json") {
        let (base, target) = cut(text(&row, "presented_url"));
        let headers = [JSON, (SIGNATURE_HEADER, text(&row, "signature"))];
        let validator = validator(base, text(&row, "token"), "");
        let result = validator.verify("POST", target, &headers, text(&row, "body").as_bytes());
        assert_eq!(
            result.is_ok(),
            row["recommended_accept"],
            "{}: {result:?}",
            text(&row, "id")
        );
    }
}

#[test]
fn every_settings_header_names_its_secret_and_hash() {
    for row in rows("settings_header") {
        let header = text(&row, "header");
        let algorithm = if text(&row, "hash") == "sha256" {
            Algorithm::Sha256
        } else {
            Algorithm::Sha1
        };
        let shared = text(&row, "secret") == "SharedKey secret";
        let secret = if shared { "shared" } else { TOKEN };
        let signature = sign(algorithm, secret, "https://a.cl/w", &[("a", "1")]);
        let mut validator =
            Validator::new(Some(PublicUrl::parse("https://a.cl").unwrap())).with_account(ACCOUNT, TOKEN.into(), None);
        for key in ["k1", "k", "a", "a=b"] {
            validator = validator.with_shared_key(key, "shared".into());
        }
        let headers = [FORM, (SIGNATURE_HEADER, signature.as_str()), (SETTINGS_HEADER, header)];
        let result = validator.verify("POST", "/w", &headers, b"a=1");
        match row["supported"].as_bool().unwrap() {
            true => assert_eq!(result.unwrap().by() == Secret::Shared, shared, "{header}"),
            false => assert_eq!(result.unwrap_err(), Rejection::Algorithm, "{header}"),
        }
    }
}

fn samples() -> Vec<Value> {
    include_str!("../vectors/twilio_inbound.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn pairs(row: &Value) -> Vec<(String, String)> {
    let fields = row["params"].as_object().unwrap();
    fields
        .iter()
        .map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned()))
        .collect()
}

fn verified(
    fields: &[(String, String)],
    target: &str,
) -> relevo::twilio::signature::Verified<relevo::twilio::form::Form> {
    let base = PublicUrl::parse("https://a.cl").unwrap();
    let signature = sign(Algorithm::Sha1, TOKEN, &base.join(target), fields);
    let headers = [FORM, (SIGNATURE_HEADER, signature.as_str())];
    let validator = Validator::new(Some(base)).with_account(ACCOUNT, TOKEN.into(), None);
    validator
        .verify("POST", target, &headers, encode(fields).as_bytes())
        .unwrap()
}

fn message(id: &str) -> Inbound {
    let row = samples().into_iter().find(|row| row["id"] == id).unwrap();
    inbound::parse(&verified(&pairs(&row), "/w"), jiff::Timestamp::UNIX_EPOCH).unwrap()
}

#[test]
fn every_inbound_sample_keeps_each_of_its_fields() {
    for row in samples().iter().filter(|row| text(row, "kind") != "status") {
        let fields = pairs(row);
        let message = inbound::parse(&verified(&fields, "/w"), jiff::Timestamp::UNIX_EPOCH).unwrap();
        let kept = serde_json::to_string(&message).unwrap();
        for (name, value) in fields.iter().filter(|(name, _)| !name.ends_with("Forwarded")) {
            let value = if matches!(name.as_str(), "NumMedia") {
                value.clone()
            } else {
                serde_json::to_string(value).unwrap()
            };
            let value = if matches!(name.as_str(), "Latitude" | "Longitude") {
                value.trim_matches('"').to_owned()
            } else {
                value
            };
            assert!(
                value == "\"\"" || kept.contains(&value),
                "{}: {name}={value} lost in {kept}",
                text(row, "id")
            );
        }
    }
}

#[test]
fn the_samples_read_as_what_they_are() {
    assert_eq!(message("in-text").body, "estado sitio SITE-002");
    assert_eq!(message("in-text-empty").body, "");
    assert_eq!(message("in-emoji").body, "👍🏽");
    let button = message("in-button");
    assert_eq!(button.command.as_deref(), Some(r#"{"action":"confirm","token":"abc"}"#));
    assert_eq!(button.reply_to.unwrap().as_str(), "MM00000000000000000000000000000008");
    assert_eq!(button.external_id.unwrap().as_str(), "whatsapp:MX.4566546130240823");
    assert!(!button.forwarded);
    assert_eq!(message("in-button-type").command.as_deref(), Some("yes"));
    assert_eq!(message("in-list").command.as_deref(), Some("opt-2"));
    let photo = message("in-image-caption");
    assert_eq!(
        (photo.body.as_str(), photo.media.len(), photo.num_media),
        ("tablero quemado", 1, 1)
    );
    assert_eq!(message("in-voice").media[0].content_type, "audio/ogg");
    let pin = message("in-location").pin.unwrap();
    assert_eq!((pin.point.lat, pin.label.as_str()), (-33.4372, "SITE-002"));
    assert_eq!(message("in-location-bare").pin.unwrap().address, "");
    assert_eq!(message("in-referral").extra["ReferralSourceType"], "post");
    assert_eq!(message("in-bsuid").from.phone(), None);
    assert_eq!(message("in-unsupported").message_type, "unsupported");
}

#[test]
fn every_status_sample_reads_as_its_rank_and_code() {
    let statuses: Vec<Value> = samples()
        .into_iter()
        .filter(|row| text(row, "kind") == "status")
        .collect();
    assert!(!statuses.is_empty());
    for row in statuses {
        let update = inbound::receipt(&verified(
            &pairs(&row),
            "/s?outbox=0192f0c1-2345-7abc-8def-0123456789ab",
        ))
        .unwrap();
        let (delivery, code) = match text(&row, "id") {
            "st-sent" => (Delivery::Sent, None),
            "st-delivered" => (Delivery::Delivered, None),
            "st-read" => (Delivery::Read, None),
            "st-failed-63018" => (Delivery::Failed, Some("63018")),
            "st-failed-noerr" => (Delivery::Failed, None),
            "st-nonnumeric" => (Delivery::Failed, Some("InvalidSandboxRequest")),
            other => panic!("a new sample {other}"),
        };
        assert_eq!(
            (update.delivery, update.error_code.as_deref()),
            (delivery, code),
            "{row}"
        );
        assert!(update.outbox.is_some());
    }
}

#[test]
fn missing_repeated_and_malformed_fields_are_named() {
    let good = pairs(&samples()[0]);
    let read = |fields: &[(String, String)]| inbound::parse(&verified(fields, "/w"), jiff::Timestamp::UNIX_EPOCH);
    let without = |name: &str| good.iter().filter(|(n, _)| n != name).cloned().collect::<Vec<_>>();
    let with = |name: &str, value: &str| [without(name), vec![(name.to_owned(), value.to_owned())]].concat();
    for name in ["MessageSid", "From", "To", "AccountSid"] {
        assert_eq!(read(&without(name)).unwrap_err(), BadInbound::Missing(name));
    }
    for name in ["MessageSid", "Body", "From"] {
        let twice = [
            good.clone(),
            vec![good.iter().find(|(n, _)| n == name).unwrap().clone()],
        ]
        .concat();
        assert_eq!(read(&twice).unwrap_err(), BadInbound::Repeated(name));
    }
    assert_eq!(
        read(&with("From", "+56911111111")).unwrap_err(),
        BadInbound::Malformed("From")
    );
    assert_eq!(
        read(&with("NumMedia", "many")).unwrap_err(),
        BadInbound::Malformed("NumMedia")
    );
    assert_eq!(
        read(&with("MessageSid", "SM1")).unwrap_err(),
        BadInbound::Malformed("MessageSid")
    );
    assert_eq!(read(&without("Body")).unwrap().body, "");
    assert!(read(&with("Forwarded", "true")).unwrap().forwarded);
}

#[test]
fn no_field_is_larger_than_what_it_is_and_no_reply_comes_from_what_is_no_sender() {
    let good = pairs(&samples()[0]);
    let read = |name: &str, value: &str| {
        let mut fields = good.clone();
        fields.retain(|(n, _)| n != name);
        fields.push((name.to_owned(), value.to_owned()));
        inbound::parse(&verified(&fields, "/w"), jiff::Timestamp::UNIX_EPOCH)
    };
    assert_eq!(read("NumMedia", "4294967295").unwrap().num_media, 20);
    for lie in ["-1", "4294967296", "1.5", "1e3", " 1"] {
        assert_eq!(read("NumMedia", lie).unwrap_err(), BadInbound::Malformed("NumMedia"));
    }
    for sender in [
        "+14155238886",
        "whatsapp:",
        "whatsapp:+1\n+2",
        "MG00000000000000000000000000000000",
    ] {
        assert_eq!(read("To", sender).unwrap_err(), BadInbound::Malformed("To"));
    }
    let long = "\u{1b}é".repeat(3_000);
    assert_eq!(read("MessageType", &long).unwrap().message_type.chars().count(), 400);
    assert_eq!(
        read("ProfileName", &long)
            .unwrap()
            .profile_name
            .unwrap()
            .chars()
            .count(),
        400
    );
    let failed = [
        ("MessageSid", "SM00000000000000000000000000000001"),
        ("AccountSid", ACCOUNT),
        ("MessageStatus", "failed"),
        ("ErrorCode", &long),
        ("ChannelStatusMessage", &long),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let receipt = inbound::receipt(&verified(&failed, "/w")).unwrap();
    assert_eq!(receipt.error_code.unwrap().chars().count(), 400);
    assert_eq!(receipt.detail.unwrap().chars().count(), 400);
}

#[test]
fn a_pin_off_the_earth_stays_as_text_and_costs_no_message() {
    let mut fields = pairs(&samples()[0]);
    fields.extend([
        ("Latitude".to_owned(), "-95".to_owned()),
        ("Longitude".to_owned(), "0".to_owned()),
    ]);
    let message = inbound::parse(&verified(&fields, "/w"), jiff::Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(message.pin, None);
    assert_eq!(message.extra["Latitude"], "-95");
}

#[test]
fn both_tokens_hold_during_a_rotation_and_each_account_has_its_own() {
    let base = || PublicUrl::parse("https://a.cl").unwrap();
    let other = "ACbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    let validator = Validator::new(Some(base()))
        .with_account(ACCOUNT, "new".into(), Some("old".into()))
        .with_account(other, "sub".into(), None);
    let check = |account: &str, token: &str| {
        let fields = [("AccountSid", account)];
        let signature = sign(Algorithm::Sha1, token, "https://a.cl/w", &fields);
        let headers = [FORM, (SIGNATURE_HEADER, signature.as_str())];
        let body = format!("AccountSid={account}");
        validator
            .verify("POST", "/w", &headers, body.as_bytes())
            .map(|v| v.by())
    };
    assert_eq!(check(ACCOUNT, "new"), Ok(Secret::Primary));
    assert_eq!(check(ACCOUNT, "old"), Ok(Secret::Secondary));
    assert_eq!(check(other, "sub"), Ok(Secret::Primary));
    assert_eq!(check(other, "new"), Err(Rejection::Mismatch));
    assert_eq!(
        check("ACcccccccccccccccccccccccccccccccc", "new"),
        Err(Rejection::Account)
    );
}

#[test]
fn forwarding_headers_never_steer_the_url() {
    let signature = sign(Algorithm::Sha1, TOKEN, "https://evil.example/w", &[("a", "1")]);
    let headers = [
        FORM,
        (SIGNATURE_HEADER, signature.as_str()),
        ("Host", "evil.example"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "evil.example"),
    ];
    for base in [Some(PublicUrl::parse("https://a.cl").unwrap()), None] {
        let validator = Validator::new(base).with_account(ACCOUNT, TOKEN.into(), None);
        assert_eq!(
            validator.verify("POST", "/w", &headers, b"a=1").unwrap_err(),
            Rejection::Mismatch
        );
    }
}

#[test]
fn without_a_public_url_the_host_header_is_what_was_called() {
    let validator = Validator::new(None).with_account(ACCOUNT, TOKEN.into(), None);
    let signature = sign(Algorithm::Sha1, TOKEN, "http://127.0.0.1:8080/w", &[("a", "1")]);
    let mut headers = vec![FORM, (SIGNATURE_HEADER, signature.as_str())];
    assert_eq!(
        validator.verify("POST", "/w", &headers, b"a=1").unwrap_err(),
        Rejection::Host
    );
    headers.push(("host", "127.0.0.1:8080"));
    assert!(validator.verify("POST", "/w", &headers, b"a=1").is_ok());
}

#[test]
fn a_get_is_signed_by_its_url_alone_and_its_fields_are_the_query() {
    let validator =
        Validator::new(Some(PublicUrl::parse("https://a.cl").unwrap())).with_account(ACCOUNT, TOKEN.into(), None);
    for (signed, target) in [
        ("/w?From=%2B166892323", "/w?From=%2B166892323"),
        ("/w?From=sip:ana@a.cl", "/w?From=sip%3Aana%40a.cl"),
    ] {
        let none: [(&str, &str); 0] = [];
        let signature = sign(Algorithm::Sha1, TOKEN, &format!("https://a.cl{signed}"), &none);
        let verified = validator
            .verify("GET", target, &[(SIGNATURE_HEADER, signature.as_str())], b"")
            .unwrap();
        assert!(verified.get().first("From").is_some());
    }
}

#[test]
fn what_is_no_webhook_at_all_is_refused_with_its_reason() {
    let validator =
        Validator::new(Some(PublicUrl::parse("https://a.cl").unwrap())).with_account(ACCOUNT, TOKEN.into(), None);
    let signed = (SIGNATURE_HEADER, "x");
    let refused = |method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]| {
        let rejection = validator.verify(method, target, headers, body).unwrap_err();
        (rejection.status(), rejection)
    };
    let xml = ("Content-Type", "text/xml");
    assert_eq!(
        refused("POST", "/w", &[FORM], b"a=1"),
        (400, Rejection::MissingSignature)
    );
    let repeated = Rejection::Repeated(SIGNATURE_HEADER);
    assert_eq!(refused("POST", "/w", &[FORM, signed, signed], b"a=1"), (400, repeated));
    assert_eq!(
        refused("POST", "/w", &[xml, signed], b"a=1"),
        (415, Rejection::ContentType)
    );
    assert_eq!(refused("POST", "/w", &[signed], b"a=1"), (415, Rejection::ContentType));
    assert_eq!(refused("PUT", "/w", &[FORM, signed], b"a=1"), (405, Rejection::Method));
    assert_eq!(
        refused("POST", "http://a.cl/w", &[FORM, signed], b"a=1"),
        (400, Rejection::Target)
    );
    assert_eq!(refused("POST", "/w", &[FORM, signed], b"a=%FF").0, 400);
    let two = b"AccountSid=AC1&AccountSid=AC2";
    assert_eq!(
        refused("POST", "/w", &[FORM, signed], two),
        (400, Rejection::Repeated("AccountSid"))
    );
    let bare = Validator::new(Some(PublicUrl::parse("https://a.cl").unwrap()));
    let rejection = bare.verify("POST", "/w", &[FORM, signed], b"a=1").unwrap_err();
    assert_eq!((rejection.status(), rejection), (500, Rejection::NoSecret));
}
