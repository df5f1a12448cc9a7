//! Cases from the field on signatures: proxies, queries, ports, parameters, tokens.

use relevo::config::Config;
use relevo::twilio::signature::{Algorithm, PublicUrl, Rejection, SETTINGS_HEADER, SIGNATURE_HEADER, Validator, sign};

pub const ACCOUNT: &str = "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub const TOKEN: &str = "7f3c2a9be1d04f5c8a6b0e1d2c3f4a5b";
pub const BASE: &str = "https://relay.example.com";
pub const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

pub fn validator(base: Option<&str>) -> Validator {
    let base = base.map(|base| PublicUrl::parse(base).unwrap());
    Validator::new(base).with_account(ACCOUNT, TOKEN.into(), None)
}

/// Does a form signed for `signed` verify when it is presented at `target` with these headers?
fn verifies(validator: &Validator, signed: &str, target: &str, more: &[(&str, &str)]) -> bool {
    let signature = sign(Algorithm::Sha1, TOKEN, signed, &[("Body", "hola")]);
    let headers = [&[FORM, (SIGNATURE_HEADER, signature.as_str())], more].concat();
    validator.verify("POST", target, &headers, b"Body=hola").is_ok()
}

#[test]
fn fc01_behind_tunnels_and_proxies_the_configured_public_url_is_what_was_signed() {
    let seen_by_the_app = [
        vec![("Host", "127.0.0.1:8080")],
        vec![("Host", "relay.example.com"), ("X-Forwarded-Proto", "http")],
        vec![
            ("Host", "10.0.0.7"),
            ("X-Forwarded-Host", "a.example, b.example"),
            ("X-Forwarded-Port", "8443"),
        ],
        vec![("Host", ""), ("X-Forwarded-Host", "")],
    ];
    let public = validator(Some(BASE));
    for headers in &seen_by_the_app {
        assert!(
            verifies(&public, &format!("{BASE}/webhooks/twilio"), "/webhooks/twilio", headers),
            "{headers:?}"
        );
    }
    // The proxy strips a prefix: it belongs to the public URL.
    let prefixed = validator(Some("https://example.com/relay/"));
    assert!(verifies(
        &prefixed,
        "https://example.com/relay/webhooks/twilio",
        "/webhooks/twilio",
        &[]
    ));
}

#[test]
fn fc04_forwarded_headers_steer_nothing_and_a_missing_token_is_a_start_up_error() {
    let forged = [
        ("Host", "127.0.0.1"),
        ("X-Forwarded-Host", "evil.example"),
        ("X-Forwarded-Proto", "https"),
    ];
    for base in [Some(BASE), None] {
        assert!(!verifies(&validator(base), "https://evil.example/w", "/w", &forged));
    }
    let settings = [
        ("TWILIO_ACCOUNT_SID", ACCOUNT),
        ("TWILIO_API_KEY_SID", "SK1"),
        ("TWILIO_API_KEY_SECRET", "s"),
        ("TWILIO_WHATSAPP_FROM", "whatsapp:+14155238886"),
        ("PUBLIC_URL", BASE),
    ];
    let error = load(&settings).unwrap_err();
    assert!(error.contains("TWILIO_AUTH_TOKEN"), "{error}");
}

pub fn load(settings: &[(&str, &str)]) -> Result<Config, String> {
    let env = settings
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    Config::load(&env).map_err(|e| e.to_string())
}

#[test]
fn fc07_the_raw_query_is_signed_and_never_one_that_was_written_again() {
    let public = validator(Some(BASE));
    for query in ["?b=1+2&a=%C3%B1", "?foo=1", "?From=%2B166892323", "?"] {
        let url = format!("{BASE}/w{query}");
        assert!(verifies(&public, &url, &format!("/w{query}"), &[]), "{query}");
    }
    assert!(!verifies(&public, &format!("{BASE}/w?b=2&a=1"), "/w?a=1&b=2", &[]));
}

#[test]
fn fc08_an_apostrophe_in_the_query_stays_as_it_is() {
    let target = "/w?name=William+O'hara";
    assert!(verifies(
        &validator(Some(BASE)),
        &format!("{BASE}{target}"),
        target,
        &[]
    ));
}

#[test]
fn fc10_a_get_with_an_escaped_sip_address_verifies() {
    let none: [(&str, &str); 0] = [];
    let signature = sign(Algorithm::Sha1, TOKEN, &format!("{BASE}/w?From=sip:ana@a.cl"), &none);
    let headers = [(SIGNATURE_HEADER, signature.as_str())];
    assert!(
        validator(Some(BASE))
            .verify("GET", "/w?From=sip%3Aana%40a.cl", &headers, b"")
            .is_ok()
    );
}

#[test]
fn fc14_the_port_may_or_may_not_be_signed() {
    let public = validator(Some("https://relay.example.com:8443"));
    for signed in ["https://relay.example.com:8443/w", "https://relay.example.com/w"] {
        assert!(verifies(&public, signed, "/w", &[]), "{signed}");
    }
    assert!(verifies(
        &validator(Some(BASE)),
        "https://relay.example.com:443/w",
        "/w",
        &[]
    ));
}

#[test]
fn fc16_repeated_empty_and_json_values_are_signed_as_they_are() {
    signed_as_they_are(&[("MessagingBinding.Address", "b"), ("MessagingBinding.Address", "a")]);
}

#[test]
fn fc17_empty_fields_are_kept() {
    signed_as_they_are(&[("FromZip", ""), ("FromCity", ""), ("Body", " con espacios ")]);
}

#[test]
fn fc19_a_value_that_holds_json_is_a_text() {
    signed_as_they_are(&[("AddOns", "{ \"b\" : 1,\"a\":[ ] }")]);
}

fn signed_as_they_are(fields: &[(&str, &str)]) {
    let signature = sign(Algorithm::Sha1, TOKEN, &format!("{BASE}/w"), fields);
    let body = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let headers = [FORM, (SIGNATURE_HEADER, signature.as_str())];
    let verified = validator(Some(BASE))
        .verify("POST", "/w", &headers, body.as_bytes())
        .unwrap();
    let pairs: Vec<(&str, &str)> = verified
        .get()
        .pairs()
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    assert_eq!(pairs, fields);
}

#[test]
fn fc20_the_content_type_may_have_parameters_and_another_one_is_refused() {
    let signature = sign(Algorithm::Sha1, TOKEN, &format!("{BASE}/w"), &[("Body", "hola")]);
    let with = |content_type: &str| {
        let headers = [("content-type", content_type), (SIGNATURE_HEADER, signature.as_str())];
        validator(Some(BASE))
            .verify("POST", "/w", &headers, b"Body=hola")
            .map(|_| ())
    };
    assert_eq!(with("Application/X-WWW-Form-URLEncoded; charset=UTF-8"), Ok(()));
    assert_eq!(with("multipart/form-data; boundary=x"), Err(Rejection::ContentType));
    assert_eq!(Rejection::ContentType.status(), 415);
}

#[test]
fn fc22_a_json_body_is_checked_as_the_bytes_that_came() {
    let body = "{\"texto\": \"señal\"}";
    let hash = "9f2c5de5e0d0b1f0a5f0c4d9f1b7b9a5f0c4d9f1b7b9a5f0c4d9f1b7b9a5f0c4";
    let target = format!("/w?bodySHA256={hash}");
    let none: [(&str, &str); 0] = [];
    let signature = sign(Algorithm::Sha1, TOKEN, &format!("{BASE}{target}"), &none);
    let headers = [
        ("Content-Type", "application/json"),
        (SIGNATURE_HEADER, signature.as_str()),
    ];
    let result = validator(Some(BASE)).verify("POST", &target, &headers, body.as_bytes());
    assert_eq!(
        result.unwrap_err(),
        Rejection::BodyHash,
        "a signed hash of another body"
    );
}

#[test]
fn fc23_each_account_has_its_own_token_and_a_stranger_none() {
    let sub = "ACbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    let both = validator(Some(BASE)).with_account(sub, "of the subaccount".into(), None);
    let check = |account: &str, token: &str| {
        let signature = sign(Algorithm::Sha1, token, &format!("{BASE}/w"), &[("AccountSid", account)]);
        let headers = [FORM, (SIGNATURE_HEADER, signature.as_str())];
        both.verify("POST", "/w", &headers, format!("AccountSid={account}").as_bytes())
            .map(|_| ())
    };
    assert_eq!(check(sub, "of the subaccount"), Ok(()));
    assert_eq!(check(sub, TOKEN), Err(Rejection::Mismatch));
    assert_eq!(
        check("ACcccccccccccccccccccccccccccccccc", TOKEN),
        Err(Rejection::Account)
    );
}

#[test]
fn fc25_two_tokens_hold_during_a_rotation_and_it_is_told_which_one_matched() {
    let rotating =
        Validator::new(Some(PublicUrl::parse(BASE).unwrap())).with_account(ACCOUNT, "new".into(), Some("old".into()));
    let by = |token: &str| {
        let signature = sign(Algorithm::Sha1, token, &format!("{BASE}/w"), &[("a", "1")]);
        let headers = [FORM, (SIGNATURE_HEADER, signature.as_str())];
        rotating.verify("POST", "/w", &headers, b"a=1").unwrap().by().label()
    };
    assert_eq!((by("new"), by("old")), ("primary", "secondary"));
}

#[test]
fn fc26_an_api_key_cannot_sign_and_a_shared_key_can() {
    let shared = Validator::new(Some(PublicUrl::parse(BASE).unwrap())).with_shared_key("k1", "shared".into());
    let signature = sign(Algorithm::Sha256, "shared", &format!("{BASE}/w"), &[("a", "1")]);
    let mut headers = vec![FORM, (SIGNATURE_HEADER, signature.as_str())];
    assert!(shared.verify("POST", "/w", &headers, b"a=1").is_err());
    headers.push((SETTINGS_HEADER, "key=k1,algorithm=HMAC_SHA256"));
    assert_eq!(
        shared.verify("POST", "/w", &headers, b"a=1").unwrap().by().label(),
        "shared_key"
    );
}
