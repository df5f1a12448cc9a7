//! What this machine has to give: the port, the data directory, and maybe a relay that runs already.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use super::report::Finding;
use crate::config::Config;
use crate::net::{Body, Http, Method, Request};
use crate::store::{Store, StoreError, StoreLimits};

/// A relay on this machine answers within this.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of an answer that are of interest.
const ANSWER_MAX: u64 = 16 * 1024;

/// Does a relay answer on the port of the settings?
pub async fn is_running(config: &Config, http: &Http) -> bool {
    let url = format!("http://{}/healthz", config.server.bind);
    let request = Request {
        method: Method::Get,
        url: &url,
        basic: None,
        headers: &[],
        body: Body::Empty,
        timeout: LOCAL_TIMEOUT,
        answer_max: ANSWER_MAX,
    };
    let Ok(answer) = http.call(request).await else {
        return false;
    };
    let health: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    health.get("service").is_some_and(|service| service == "relevo")
}

/// The port: free, or taken by the relay of this data directory.
pub fn port(config: &Config, running: bool) -> Finding {
    let bind = config.server.bind;
    if running {
        let found = format!("a relay is running on {bind}");
        return match opens(config) {
            // Data that nobody holds is not what that relay works on.
            Ok(()) => Finding::fatal(
                "port",
                format!("{found}, on other data than {}", config.server.data_dir.display()),
                "set RELEVO_DATA_DIR to that relay's directory to check it, or RELEVO_BIND to a free address",
            ),
            Err(_) => Finding::ok("port", found),
        };
    }
    match TcpListener::bind(bind) {
        Ok(_) => Finding::ok("port", format!("{bind} is free")),
        Err(error) => Finding::fatal(
            "port",
            format!("{bind}: {error}"),
            "set RELEVO_BIND to a free address, or stop what listens there",
        ),
    }
}

/// The data directory: writable, sound, and not another process's.
pub fn data_dir(config: &Config, running: bool) -> Finding {
    let about = "data directory";
    let dir = &config.server.data_dir;
    let shown = dir.display();
    let mend = "set RELEVO_DATA_DIR to a directory that this user may write";
    if !dir.exists() {
        // Nothing is made by a check: the nearest directory that is there has to let us.
        let parent = dir.ancestors().find(|a| a.exists()).unwrap_or(Path::new("."));
        return match writable(parent) {
            Ok(()) => Finding::ok(about, format!("{shown} will be made")),
            Err(error) => Finding::fatal(about, format!("{shown} can't be made: {error}"), mend),
        };
    }
    if let Err(error) = writable(dir) {
        return Finding::fatal(about, format!("{shown}: {error}"), mend);
    }
    match opens(config) {
        Ok(()) => Finding::ok(about, format!("{shown} is writable and sound")),
        Err(StoreError::Held(_)) if running => Finding::ok(about, format!("{shown} is held by the running relay")),
        Err(StoreError::Held(_)) => Finding::fatal(
            about,
            format!("{shown} is held by another process"),
            "stop that process, or set RELEVO_DATA_DIR to another directory",
        ),
        Err(error) => Finding::fatal(
            about,
            format!("{shown} can't be opened: {error}"),
            "restore it from a backup, or move it aside to begin anew",
        ),
    }
}

fn writable(dir: &Path) -> std::io::Result<()> {
    let probe = dir.join(format!(".relevo-check-{}", std::process::id()));
    fs::write(&probe, b"")?;
    fs::remove_file(&probe)
}

/// Opens what is there; where nothing was stored yet, there is nothing to open.
fn opens(config: &Config) -> Result<(), StoreError> {
    let dir = &config.server.data_dir;
    match Store::is_begun(dir) {
        true => Store::open(dir, StoreLimits::default()).map(drop),
        false => Ok(()),
    }
}
