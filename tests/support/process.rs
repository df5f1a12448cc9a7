//! The program itself as a process of its own: started, killed without warning, started again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a start may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server process on a port that it keeps over restarts.
pub struct Server {
    pub addr: SocketAddr,
    env: BTreeMap<String, String>,
    log: PathBuf,
    child: Option<Child>,
}

impl Server {
    /// Ready to start in `dir` with `settings`.
    pub fn new(dir: &Path, settings: &[(String, String)]) -> Self {
        // The port is free at this moment; the program takes it a moment later.
        let addr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut env: BTreeMap<String, String> = settings.iter().cloned().collect();
        env.insert("RELEVO_BIND".into(), addr.to_string());
        env.insert("RELEVO_DATA_DIR".into(), dir.join("data").to_str().unwrap().into());
        Self {
            addr,
            env,
            log: dir.join("log"),
            child: None,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Starts the process and waits until its port is open.
    pub fn start(&mut self) {
        let log: File = OpenOptions::new().create(true).append(true).open(&self.log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_relevo"))
            .arg("serve")
            .env_clear()
            .envs(&self.env)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let start = Instant::now();
        while TcpStream::connect(self.addr).is_err() {
            assert!(start.elapsed() < PATIENCE, "it did not start: {}", self.logged());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// SIGKILL, and the corpse is buried.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// SIGTERM; how long it took to end, and its exit code.
    pub fn terminate(&mut self) -> (Duration, Option<i32>) {
        let mut child = self.child.take().unwrap();
        let start = Instant::now();
        let told = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap();
        assert!(told.success());
        let code = child.wait().unwrap().code();
        (start.elapsed(), code)
    }

    /// Everything it logged, over all restarts.
    pub fn logged(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
