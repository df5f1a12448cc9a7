//! A headless Chromium, driven by WebDriver's HTTP protocol through `chromedriver`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a page may take for what should be quick.
const PATIENCE: Duration = Duration::from_secs(30);
/// The key under which WebDriver gives an element's id.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub struct Browser {
    driver: Child,
    session: String,
    http: reqwest::Client,
    _profile: TempDir,
}

impl Browser {
    /// A browser, or None where there is none: then the test says that it was skipped, which
    /// under `CI=true` is a failure.
    pub async fn start() -> Option<Self> {
        let chromium = ["chromium", "chromium-browser", "google-chrome"]
            .iter()
            .find_map(|name| in_path(name));
        let (Some(chromium), Some(driver)) = (chromium, in_path("chromedriver")) else {
            let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!ci, "CI=true needs Debian's packages chromium and chromium-driver");
            println!("SKIPPED: no chromium and chromedriver on this machine");
            return None;
        };
        relevo::net::install_crypto();
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let profile = tempfile::tempdir().unwrap();
        let driver = Command::new(driver)
            .arg(format!("--port={port}"))
            .env("HOME", profile.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let base = format!("http://127.0.0.1:{port}");
        let mut browser = Self {
            driver,
            session: base.clone(),
            http,
            _profile: profile,
        };
        browser.ready().await;
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            &format!("--user-data-dir={}", browser._profile.path().join("profile").display()),
        ];
        let options = json!({ "binary": chromium, "args": arguments });
        let wanted =
            json!({ "alwaysMatch": { "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } } });
        let opened = browser.post("/session", json!({ "capabilities": wanted })).await;
        browser.session = format!("{base}/session/{}", opened["sessionId"].as_str().unwrap());
        Some(browser)
    }

    async fn ready(&self) {
        let start = Instant::now();
        while self.http.get(format!("{}/status", self.session)).send().await.is_err() {
            assert!(start.elapsed() < PATIENCE, "chromedriver does not answer");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self
            .http
            .post(format!("{}{path}", self.session))
            .json(&body)
            .send()
            .await
            .unwrap();
        let status = answer.status();
        let mut answer: Value = answer.json().await.unwrap();
        assert!(status.is_success(), "{path}: {}", answer["value"]["message"]);
        answer["value"].take()
    }

    pub async fn open(&self, url: &str) {
        self.post("/url", json!({ "url": url })).await;
    }

    /// The outer size of the window.
    pub async fn window(&self, width: u32, height: u32) {
        self.post("/window/rect", json!({ "width": width, "height": height }))
            .await;
    }

    /// From now on the page is shown as on a phone of this size.
    pub async fn as_phone(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 2, "mobile": true });
        let command = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": metrics });
        self.post("/goog/cdp/execute", command).await;
    }

    async fn element(&self, css: &str) -> String {
        let found = self
            .post("/element", json!({ "using": "css selector", "value": css }))
            .await;
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Clicks as a person would: an element that is covered or hidden fails.
    pub async fn click(&self, css: &str) {
        let element = self.element(css).await;
        self.post(&format!("/element/{element}/click"), json!({})).await;
    }

    /// Types; for a file input, the path of a file.
    pub async fn keys(&self, css: &str, text: &str) {
        let element = self.element(css).await;
        self.post(&format!("/element/{element}/value"), json!({ "text": text }))
            .await;
    }

    /// What a script returns.
    pub async fn script(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": [] }))
            .await
    }

    /// Waits until a script returns something true, and gives it.
    pub async fn until(&self, script: &str) -> Value {
        let start = Instant::now();
        loop {
            let found = self.script(script).await;
            if !matches!(&found, Value::Null | Value::Bool(false)) && found != "" {
                return found;
            }
            if start.elapsed() > PATIENCE {
                self.screenshot("failure").await;
                panic!("still nothing: {script}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Keeps a picture under `target/artifacts`.
    pub async fn screenshot(&self, name: &str) -> PathBuf {
        let answer = self
            .http
            .get(format!("{}/screenshot", self.session))
            .send()
            .await
            .unwrap();
        let answer: Value = answer.json().await.unwrap();
        let picture = BASE64_STANDARD.decode(answer["value"].as_str().unwrap()).unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .parent()
            .unwrap()
            .join("artifacts");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{name}.png"));
        std::fs::write(&path, picture).unwrap();
        println!("kept {}", path.display());
        path
    }

    /// What the page's console has said: errors, warnings, refusals of the content policy.
    pub async fn console(&self) -> Vec<String> {
        let lines = self.post("/se/log", json!({ "type": "browser" })).await;
        let lines = lines.as_array().cloned().unwrap_or_default();
        lines
            .iter()
            .map(|line| line["message"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Closes the browser, then its driver.
    pub async fn end(self) {
        self.http.delete(&self.session).send().await.unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends with its driver's session; after a panic it is left to its driver's end.
        let children = Command::new("ps")
            .args(["-o", "pid=", "--ppid", &self.driver.id().to_string()])
            .output();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        for pid in String::from_utf8_lossy(&children.map(|c| c.stdout).unwrap_or_default()).split_whitespace() {
            let _ = Command::new("kill").arg(pid).status();
        }
    }
}

fn in_path(name: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
