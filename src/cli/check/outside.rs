//! The outside systems: found, reachable, accepted.

use std::time::Duration;

use secrecy::ExposeSecret;

use super::report::Finding;
use crate::cli::doors;
use crate::config::{Config, SANDBOX_SENDER};
use crate::net::{Body, Fault, Http, Method, Request, Response};
use crate::systems::{Smtp, Systems, WriteFault, first_world};
use crate::twilio::{Client, TwilioError};
use crate::world::WorldHandle;

/// One question to an outside system.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an answer that are of interest.
const ANSWER_MAX: u64 = 64 * 1024;

/// The account at Twilio: whether it takes our credentials.
pub async fn twilio(config: &Config, http: &Http) -> Vec<Finding> {
    let about = "twilio";
    let Some(client) = Client::new(&config.twilio, http.clone(), None) else {
        if doors::is_mute(config) {
            let found = "no account is set, and there is no simulator: no message can come in";
            return vec![Finding::mend(
                about,
                found,
                "set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_WHATSAPP_FROM",
            )];
        }
        let found = "no account is set: messages come from and go to the simulator";
        return vec![Finding::note(about, found)];
    };
    let mut findings = vec![account(config, &client).await];
    findings.push(senders(config));
    if config.twilio.auth_token.expose_secret().is_empty() {
        let found = "no Auth Token is set: webhooks are checked by TWILIO_SHARED_KEYS only";
        findings.push(Finding::note(about, found));
    }
    // Used for the typing indicator alone, so no answer at all is what matters.
    let messaging = &config.twilio.messaging_base;
    if *messaging != config.twilio.api_base
        && let Err(fault) = get(http, messaging).await
    {
        let found = format!("{messaging}: {fault}");
        let mend = "allow this host through the firewall: without it no typing indicator is shown";
        findings.push(Finding::mend("twilio messaging", found, mend));
    }
    findings
}

/// The mail server: reachable, and whether it lets us sign in.
pub async fn mail(config: &Config) -> Vec<Finding> {
    let about = "mail";
    let smtp = match Smtp::new(&config.mail) {
        Ok(None) => return vec![],
        Ok(Some(smtp)) => smtp,
        Err(error) => {
            return vec![Finding::fatal(
                about,
                error.to_string(),
                "mend SMTP_URL and the section [mail]",
            )];
        }
    };
    let mend = "check SMTP_URL: host, port, tls=required, user and password; until then no mail leaves";
    vec![match smtp.reach().await {
        Ok(()) => Finding::ok(about, "the mail server answers and lets us sign in".to_owned()),
        Err(WriteFault::Refused { reason }) => Finding::mend(about, reason, mend),
        Err(fault) => Finding::mend(about, fault.to_string(), mend),
    }]
}

/// The operator's systems: found, reachable, and the key accepted.
pub async fn systems(config: &Config, http: &Http) -> Vec<Finding> {
    if config.systems.is_empty() {
        return vec![];
    }
    let Ok(times) = config.zone_times() else { return vec![] };
    let Ok(world) = first_world(config, times) else {
        return vec![];
    };
    let systems = Systems::open(config, WorldHandle::new(world), http, None);
    let base = |name: &str| config.systems.get(name).map_or("", |system| system.base_url.as_str());
    let finding = |(name, looked): (String, Result<String, String>)| match looked {
        Ok(found) => Finding::ok("system", format!("{name}: {} answers: {found}", base(&name))),
        Err(fault) => {
            let mend = match fault.contains("key") {
                true => format!(
                    "set RELEVO__SYSTEMS__{}__AUTH__SECRET to a key that it accepts",
                    name.to_uppercase()
                ),
                false => format!("check systems.{name}.base_url, the network and the paths in its section"),
            };
            Finding::mend("system", format!("{name}: {}: {fault}", base(&name)), mend)
        }
    };
    systems.look().await.into_iter().map(finding).collect()
}

async fn account(config: &Config, client: &Client) -> Finding {
    let about = "twilio";
    let base = &config.twilio.api_base;
    let signed_in_by = match config.twilio.api_key_sid.is_empty() {
        true => "TWILIO_AUTH_TOKEN",
        false => "TWILIO_API_KEY_SECRET",
    };
    match client.account_status().await {
        Ok(status) if status == "active" => Finding::ok(about, format!("{base} accepts {signed_in_by}")),
        Ok(status) => Finding::mend(
            about,
            format!("the account is {status}"),
            "Twilio's console says why; until it is active nothing is delivered",
        ),
        Err(TwilioError::Refused { status: 401 | 403, .. }) => Finding::mend(
            about,
            format!("{base} refuses the credentials"),
            format!(
                "copy TWILIO_ACCOUNT_SID and {signed_in_by} anew from Twilio's console (Account, API keys and tokens)"
            ),
        ),
        Err(TwilioError::Refused { status: 404, .. }) => Finding::mend(
            about,
            format!("{base} knows no such account"),
            "copy TWILIO_ACCOUNT_SID anew from Twilio's console",
        ),
        Err(error) => Finding::mend(
            about,
            format!("{base}: {}", error.in_words()),
            "check the network, the proxy settings (HTTPS_PROXY) and the CA certificates of this machine",
        ),
    }
}

fn senders(config: &Config) -> Finding {
    let senders = config.twilio.senders();
    match senders.iter().any(|sender| sender == SANDBOX_SENDER) {
        true => Finding::note(
            "sender",
            format!(
                "{}: the sandbox, one message in 3 s, for people who joined it",
                senders.join(", ")
            ),
        ),
        false => Finding::ok("sender", senders.join(", ")),
    }
}

/// The public URL: set, and leading here. Only a running relay can prove the second.
pub async fn public_url(config: &Config, http: &Http, running: bool) -> Finding {
    let about = "public url";
    let (public, shown) = (&config.server.public_url, config.server.public_url_shown());
    if public.is_empty() {
        let found = match config.twilio.is_set() {
            true => format!(
                "not set: the poller works alone, every {} s; pins and buttons can't be read that way",
                config.relay.poll_secs
            ),
            false => "not set, and not needed without an account at Twilio".to_owned(),
        };
        return Finding::note(about, found);
    }
    if !public.starts_with("https://") {
        let mend = "set PUBLIC_URL to the https:// address that Twilio calls";
        return Finding::mend(about, format!("{shown} can be reached from this machine only"), mend);
    }
    if !running {
        return Finding::note(
            about,
            format!("{shown}: whether it leads here shows once the relay runs"),
        );
    }
    let url = format!("{public}/webhooks/twilio");
    match get(http, &url).await {
        // An unsigned request is refused by the relay itself: that refusal is the proof.
        Ok(answer) if answer.status == 400 => Finding::ok(about, format!("{shown} leads to the relay")),
        Ok(answer) if (300..400).contains(&answer.status) => Finding::mend(
            about,
            format!("{shown} is redirected ({})", answer.status),
            "Twilio follows a redirect with GET and loses the message: answer at the address itself",
        ),
        Ok(answer) => Finding::mend(
            about,
            format!(
                "{shown} answers {}, not the relay's 400 for an unsigned request",
                answer.status
            ),
            "let the proxy pass /webhooks/twilio to the relay unchanged (see the Caddyfile)",
        ),
        Err(fault) => Finding::mend(
            about,
            format!("{shown}: {fault}"),
            "check the name in DNS, the certificate, and that the proxy or the tunnel runs",
        ),
    }
}

async fn get(http: &Http, url: &str) -> Result<Response, Fault> {
    let request = Request {
        method: Method::Get,
        url,
        basic: None,
        headers: &[],
        body: Body::Empty,
        timeout: TIMEOUT,
        answer_max: ANSWER_MAX,
    };
    http.call(request).await
}
