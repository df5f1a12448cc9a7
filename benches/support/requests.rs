//! Signed webhooks as bytes, made before the clock starts: about 1.1 KB of form each, 5 % photos, 5 % pins.

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

use super::{ACCOUNT, SENDER, TOKEN};

/// What the messages say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// About 220 characters that end in the middle of a phrase: the turn waits for more.
    Long,
    /// Questions as technicians ask them, complete, answered at once.
    Questions,
}

const LONG: &str = "Hola, estoy en la torre y el equipo de energía sigue con la alarma desde ayer en la noche, \
ya revisé los rectificadores y el banco de baterías y quiero confirmar si la cuadrilla que venía en camino trae el repuesto o";

const QUESTIONS: [&str; 8] = [
    "estado sitio SITE-002",
    "alarmas activas zona norte",
    "resumen de tareas críticas estancadas en zona norte",
    "mis tareas",
    "estado tarea T-10001",
    "acceso sitio 3",
    "cuántas tareas abiertas hay en zona sur",
    "kpis de la semana",
];

/// `count` requests from `people` people, no two alike, for a server at `authority`.
/// `run` keeps the ids of one run apart from another's.
pub fn signed(authority: &str, run: u64, count: usize, people: usize, texts: Texts) -> Vec<Vec<u8>> {
    (0..count).map(|n| request(authority, run, n, people, texts)).collect()
}

fn request(authority: &str, run: u64, n: usize, people: usize, texts: Texts) -> Vec<u8> {
    let sid = format!("SM{run:08x}{n:024x}");
    let phone = format!("5698{:07}", n % people);
    let body = match (texts, n % 20) {
        (Texts::Long, 0 | 1) => String::new(),
        (Texts::Long, _) => format!("{n}: {LONG}"),
        (Texts::Questions, _) => QUESTIONS[n % QUESTIONS.len()].to_owned(),
    };
    let metadata = format!(
        "{{\"type\":\"whatsapp\",\"data\":{{\"context\":{{\"ProfileName\":\"Ana Técnica\",\"WaId\":\"{phone}\"}}}}}}"
    );
    let from = format!("whatsapp:+{phone}");
    let mut fields: Vec<(&str, String)> = vec![
        ("SmsMessageSid", sid.clone()),
        ("NumMedia", "0".into()),
        ("ProfileName", "Ana Técnica".into()),
        ("MessageType", "text".into()),
        ("SmsSid", sid.clone()),
        ("WaId", phone),
        ("SmsStatus", "received".into()),
        ("Body", body),
        ("To", SENDER.into()),
        ("NumSegments", "1".into()),
        ("ReferralNumMedia", "0".into()),
        ("MessageSid", sid.clone()),
        ("AccountSid", ACCOUNT.into()),
        ("ChannelMetadata", metadata),
        ("From", from),
        ("ApiVersion", "2010-04-01".into()),
    ];
    let mut set = |name: &str, value: String| {
        if let Some(field) = fields.iter_mut().find(|(n, _)| *n == name) {
            field.1 = value;
        }
    };
    match (texts, n % 20) {
        (Texts::Long, 0) => {
            set("MessageType", "image".into());
            set("NumMedia", "1".into());
            let url = format!("https://api.twilio.com/2010-04-01/Accounts/{ACCOUNT}/Messages/{sid}/Media/ME{n:032x}");
            fields.push(("MediaUrl0", url));
            fields.push(("MediaContentType0", "image/jpeg".into()));
        }
        (Texts::Long, 1) => {
            set("MessageType", "location".into());
            fields.push(("Latitude", "-18.50707".into()));
            fields.push(("Longitude", "-70.25496".into()));
        }
        _ => {}
    }
    let form = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&fields)
        .finish();
    let signature = signature(&format!("http://{authority}/webhooks/twilio"), &mut fields);
    format!(
        "POST /webhooks/twilio HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: TwilioProxy/1.1\r\nAccept: */*\r\n\
         X-Twilio-Signature: {signature}\r\nI-Twilio-Idempotency-Token: {run:08x}-{n}\r\n\
         Content-Type: application/x-www-form-urlencoded; charset=UTF-8\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    )
    .into_bytes()
}

/// Twilio's rule, written here once more, so that the bench does not trust the product's own.
fn signature(url: &str, fields: &mut [(&str, String)]) -> String {
    fields.sort();
    let mut mac = Hmac::<Sha1>::new_from_slice(TOKEN.as_bytes()).expect("any key length");
    mac.update(url.as_bytes());
    for (name, value) in fields.iter() {
        mac.update(name.as_bytes());
        mac.update(value.as_bytes());
    }
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}
