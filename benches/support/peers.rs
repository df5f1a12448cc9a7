//! What relevo is measured beside: the floor in Rust, and FastAPI with SQLite.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use redb::{Database, Durability, TableDefinition};
use relevo::twilio::public_url::PublicUrl;
use relevo::twilio::signature::Validator;
use tokio::sync::{mpsc, oneshot};

use super::{ACCOUNT, TOKEN};

const MESSAGES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("messages");

/// Plays the role that this process was started for, and ends; returns when it has none.
pub fn play_role() {
    let Ok(role) = std::env::var("BENCH_ROLE") else { return };
    let authority = std::env::var("BENCH_AUTHORITY").expect("an address");
    let system = actix_web::rt::System::new();
    system.block_on(async move {
        match role.as_str() {
            "bare" => bare(&authority, None).await,
            "bare-redb" => {
                let folder = std::env::var("BENCH_DATA").expect("a folder");
                bare(&authority, Some(writer(Path::new(&folder)))).await;
            }
            "twilio" => twilio(&authority).await,
            other => panic!("no role {other}"),
        }
    });
    std::process::exit(0);
}

type Writes = mpsc::Sender<(String, Vec<u8>, oneshot::Sender<()>)>;

/// A handler that checks the signature and, with a writer, waits until the body is durable; nothing else.
async fn bare(authority: &str, writes: Option<Writes>) {
    let public = PublicUrl::parse(&format!("http://{authority}")).expect("a URL");
    let validator = Arc::new(Validator::new(Some(public)).with_account(ACCOUNT, TOKEN.into(), None));
    HttpServer::new(move || {
        App::new()
            .app_data(web::Data::new((validator.clone(), writes.clone())))
            .route("/readyz", web::get().to(HttpResponse::Ok))
            .route("/webhooks/twilio", web::post().to(checked))
    })
    .workers(1)
    .tcp_nodelay(true)
    .bind(authority)
    .expect("the port")
    .run()
    .await
    .expect("a server");
}

async fn checked(
    request: HttpRequest,
    body: web::Bytes,
    state: web::Data<(Arc<Validator>, Option<Writes>)>,
) -> HttpResponse {
    let headers: Vec<(&str, &str)> = request
        .headers()
        .iter()
        .filter_map(|(n, v)| Some((n.as_str(), v.to_str().ok()?)))
        .collect();
    let target = request.uri().path_and_query().map_or("/", |t| t.as_str());
    let Ok(form) = state.0.verify(request.method().as_str(), target, &headers, &body) else {
        return HttpResponse::Forbidden().finish();
    };
    if let Some(writes) = &state.1 {
        let sid = form.get().all("MessageSid").next().unwrap_or_default().to_owned();
        let (done, written) = oneshot::channel();
        if writes.send((sid, body.to_vec(), done)).await.is_err() || written.await.is_err() {
            return HttpResponse::ServiceUnavailable().finish();
        }
    }
    HttpResponse::Ok().content_type("text/xml").body("<Response/>")
}

/// One thread, one transaction for whatever has queued, one sync, then all are answered.
fn writer(folder: &Path) -> Writes {
    let database = Database::create(folder.join("bare.redb")).expect("a database");
    let (send, mut receive) = mpsc::channel::<(String, Vec<u8>, oneshot::Sender<()>)>(4096);
    std::thread::spawn(move || {
        let mut batch = Vec::new();
        while receive.blocking_recv_many(&mut batch, 512) > 0 {
            let mut write = database.begin_write().expect("a transaction");
            write.set_durability(Durability::Immediate).expect("durable");
            {
                let mut messages = write.open_table(MESSAGES).expect("a table");
                for (sid, body, _) in &batch {
                    messages.insert(sid.as_str(), body.as_slice()).expect("a row");
                }
            }
            write.commit().expect("a commit");
            for (_, _, done) in batch.drain(..) {
                let _ = done.send(());
            }
        }
    });
    send
}

/// A Twilio that lists nothing and accepts everything.
async fn twilio(authority: &str) {
    let accept = || async {
        let sid = format!("SM{:032x}", fastrand::u128(..));
        HttpResponse::Created().json(serde_json::json!({
            "sid": sid, "status": "queued", "direction": "outbound-api", "num_segments": "1", "num_media": "0",
            "error_code": null, "error_message": null, "account_sid": ACCOUNT, "body": "", "to": "", "from": "",
            "date_created": "Mon, 30 Nov 2026 12:00:00 +0000", "date_updated": "Mon, 30 Nov 2026 12:00:00 +0000",
            "date_sent": null, "price": null, "uri": "",
        }))
    };
    let list = || async {
        HttpResponse::Ok().json(serde_json::json!({
            "messages": [], "page": 0, "page_size": 50, "uri": "", "first_page_uri": "", "next_page_uri": null,
        }))
    };
    HttpServer::new(move || {
        App::new()
            .route("/readyz", web::get().to(HttpResponse::Ok))
            .default_service(web::post().to(accept))
            .route("/2010-04-01/Accounts/{account}/Messages.json", web::get().to(list))
            .route("/2010-04-01/Accounts/{account}/Messages.json", web::post().to(accept))
    })
    .workers(1)
    .tcp_nodelay(true)
    .bind(authority)
    .expect("the port")
    .run()
    .await
    .expect("a server");
}

/// The Python that has FastAPI, uvicorn, Twilio's library and the form parser, in a folder under `target/`.
pub fn python() -> Result<PathBuf, String> {
    if super::setting("BENCH_PEERS", 1) == 0 {
        return Err("BENCH_PEERS=0".into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers");
    let python = folder.join("bin/python");
    let works = |python: &Path| {
        let import = ["-c", "import fastapi, uvicorn, twilio.request_validator, multipart"];
        Command::new(python)
            .args(import)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    if works(&python) {
        return Ok(python);
    }
    let run = |program: &Path, arguments: &[&str]| {
        let done = Command::new(program).args(arguments).stdout(Stdio::null()).output();
        match done {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(format!(
                "{} failed: {}",
                program.display(),
                String::from_utf8_lossy(&output.stderr)
            )),
            Err(error) => Err(format!("{}: {error}", program.display())),
        }
    };
    let place = folder.to_string_lossy().into_owned();
    run(Path::new("python3"), &["-m", "venv", &place])?;
    let packages = [
        "-m",
        "pip",
        "install",
        "-q",
        "fastapi",
        "uvicorn[standard]",
        "twilio",
        "python-multipart",
    ];
    run(&python, &packages)?;
    if works(&python) {
        Ok(python)
    } else {
        Err("the packages do not import".into())
    }
}
