//! Servers under test as child processes: started, watched by `/proc`, ended.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::load;
use super::{ACCOUNT, ADMIN_KEY, SENDER, TOKEN};

/// A server that is ended when dropped.
pub struct Server {
    /// Where it listens.
    pub authority: String,
    /// From its start to the first time it said it was ready.
    pub ready_after: Duration,
    child: Child,
    _data: tempfile::TempDir,
}

/// Runs a command on one core, where `taskset` is there and there are cores to choose from.
pub fn pinned(program: &Path, core: usize) -> Command {
    if pins() && Path::new("/usr/bin/taskset").exists() {
        let mut command = Command::new("/usr/bin/taskset");
        command.arg("-c").arg(core.to_string()).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// Cores of the machine, however this process is pinned.
pub fn cores() -> usize {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    cpus.lines().filter(|line| line.starts_with("processor")).count().max(1)
}

fn pins() -> bool {
    cores() > 1 && super::setting("BENCH_PIN", 1) == 1
}

/// Moves this process (and the threads it will start) to the other core.
pub fn pin_self() {
    if pins() {
        let own = std::process::id().to_string();
        let _ = Command::new("taskset")
            .args(["-cp", "1", &own])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

impl Server {
    /// The product, with its own settings on top of those of the bench.
    pub async fn relevo(twilio: &str, extra: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().expect("a data folder");
        let authority = format!("127.0.0.1:{}", free_port());
        let mut command = pinned(Path::new(env!("CARGO_BIN_EXE_relevo")), 0);
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default())
            .envs([
                ("RELEVO_BIND", authority.as_str()),
                ("RELEVO_ADMIN_KEY", ADMIN_KEY),
                ("LOG_LEVEL", "warn"),
            ])
            .env("RELEVO_DATA_DIR", data.path())
            .env("PUBLIC_URL", format!("http://{authority}"))
            .envs([
                ("TWILIO_ACCOUNT_SID", ACCOUNT),
                ("TWILIO_AUTH_TOKEN", TOKEN),
                ("TWILIO_WHATSAPP_FROM", SENDER),
            ])
            .envs([
                ("TWILIO_API_BASE", twilio),
                ("TWILIO_MESSAGING_BASE", twilio),
                ("TWILIO_CONTENT_BASE", twilio),
            ])
            .envs(extra.iter().copied());
        Self::start(command, authority, "/readyz", data).await
    }

    /// This bench again, in another role (see `peers`).
    pub async fn role(role: &str, core: usize) -> Self {
        let data = tempfile::tempdir().expect("a data folder");
        let authority = format!("127.0.0.1:{}", free_port());
        let mut command = pinned(&std::env::current_exe().expect("this program"), core);
        command
            .env("BENCH_ROLE", role)
            .env("BENCH_AUTHORITY", &authority)
            .env("BENCH_DATA", data.path());
        Self::start(command, authority, "/readyz", data).await
    }

    /// The FastAPI peer, by the Python that has its packages.
    pub async fn fastapi(python: &Path) -> Self {
        let data = tempfile::tempdir().expect("a data folder");
        let port = free_port().to_string();
        let authority = format!("127.0.0.1:{port}");
        let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
        let mut command = pinned(python, 0);
        command
            .args([
                "-m",
                "uvicorn",
                "fastapi_app:app",
                "--host",
                "127.0.0.1",
                "--port",
                &port,
                "--no-access-log",
            ])
            .args(["--log-level", "warning", "--backlog", "2048", "--app-dir"])
            .arg(app)
            .env("BENCH_DATA", data.path())
            .env("BENCH_URL", format!("http://{authority}/webhooks/twilio"))
            .env("TWILIO_AUTH_TOKEN", TOKEN);
        Self::start(command, authority, "/readyz", data).await
    }

    async fn start(mut command: Command, authority: String, path: &str, data: tempfile::TempDir) -> Self {
        let began = Instant::now();
        let log = std::fs::File::create(data.path().join("bench.stderr")).expect("a log file");
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("a server");
        let mut server = Self {
            authority,
            ready_after: Duration::ZERO,
            child,
            _data: data,
        };
        while load::get(&server.authority, path, "")
            .await
            .is_none_or(|(status, _)| status != 200)
        {
            let ended = server.child.try_wait().ok().flatten();
            if ended.is_some() || began.elapsed() > Duration::from_secs(30) {
                let log = std::fs::read_to_string(server._data.path().join("bench.stderr")).unwrap_or_default();
                panic!("the server is not ready ({ended:?}):\n{log}");
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        server.ready_after = began.elapsed();
        server
    }

    /// CPU time of the process so far, by ticks of 10 ms.
    pub fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let ticks: u64 = after
            .split(' ')
            .skip(11)
            .take(2)
            .filter_map(|n| n.parse::<u64>().ok())
            .sum();
        Duration::from_millis(ticks * 10)
    }

    /// Resident memory in MiB.
    pub fn resident(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap_or_default();
        line.trim()
            .trim_end_matches(" kB")
            .trim()
            .parse::<f64>()
            .unwrap_or(f64::NAN)
            / 1024.0
    }

    /// Bytes of its data folder.
    pub fn disk(&self) -> u64 {
        let files = std::fs::read_dir(self._data.path()).into_iter().flatten().flatten();
        files
            .filter_map(|f| f.metadata().ok())
            .filter(std::fs::Metadata::is_file)
            .map(|m| m.len())
            .sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
