//! Twilio's part: forms, signed, posted to our own routes over HTTP.

use std::time::Duration;

use secrecy::ExposeSecret;

use super::Door;
use crate::net::{Body, Fault, Http, Method, Request, Response};
use crate::twilio::signature::{Algorithm, sign};

/// Our own port answers at once or not at all.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of an answer: TwiML or a line of text.
const ANSWER_MAX: u64 = 4096;

/// Posts `form` to `target` (`/webhooks/twilio…`) as Twilio would.
pub async fn post(door: &Door<'_>, target: &str, form: &[(String, String)]) -> Result<Response, Fault> {
    let url = format!("{}{target}", base(door));
    let signature = sign(Algorithm::Sha1, door.simulator.auth_token.expose_secret(), &url, form);
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    for (name, value) in form {
        encoded.append_pair(name, value);
    }
    let request = Request {
        method: Method::Post,
        url: &url,
        basic: None,
        headers: &[("X-Twilio-Signature", &signature)],
        body: Body::Form(encoded.finish()),
        timeout: TIMEOUT,
        answer_max: ANSWER_MAX,
    };
    http(door)?.call(request).await
}

/// Where this service listens.
pub fn base(door: &Door<'_>) -> String {
    format!("http://{}", door.state.bound)
}

fn http<'d>(door: &'d Door<'_>) -> Result<&'d Http, Fault> {
    if door.http.get().is_none() {
        let made = Http::new().map_err(|_| Fault::Unsent(None))?;
        // Another request may have been first; either will do.
        let _ = door.http.set(made);
    }
    door.http.get().ok_or(Fault::Unsent(None))
}
