//! Load over real HTTP: raw keep-alive connections, closed loop and open loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Mutex, mpsc};

/// What came of one run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Time of each accepted request, sorted.
    pub times: Vec<Duration>,
    /// Requests refused or broken off.
    pub failed: usize,
    /// How long the run took.
    pub took: Duration,
}

impl Outcome {
    /// Accepted a second.
    pub fn rate(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64()
    }

    /// The time below which `share` of the accepted requests stayed, in milliseconds.
    pub fn percentile(&self, share: f64) -> f64 {
        let at = ((self.times.len() as f64 * share).ceil() as usize).saturating_sub(1);
        self.times.get(at).map_or(f64::NAN, |t| t.as_secs_f64() * 1e3)
    }

    fn finish(mut self, began: Instant) -> Self {
        self.took = began.elapsed();
        self.times.sort_unstable();
        self
    }

    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.failed += other.failed;
    }
}

/// One keep-alive connection; opened again after an error.
struct Connection {
    authority: String,
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

impl Connection {
    fn new(authority: &str) -> Self {
        Self {
            authority: authority.to_owned(),
            stream: None,
            buffer: vec![0; 16 * 1024],
        }
    }

    async fn open(&mut self) -> std::io::Result<()> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(&self.authority).await?;
            stream.set_nodelay(true)?;
            self.stream = Some(stream);
        }
        Ok(())
    }

    /// Sends a request and reads its whole answer; true when it was a 2xx.
    async fn ask(&mut self, request: &[u8]) -> bool {
        let deadline = Duration::from_secs(30);
        match tokio::time::timeout(deadline, self.exchange(request)).await {
            Ok(Ok(status)) => (200..300).contains(&status),
            _ => {
                self.stream = None;
                false
            }
        }
    }

    async fn exchange(&mut self, request: &[u8]) -> std::io::Result<u16> {
        self.open().await?;
        let Some(stream) = self.stream.as_mut() else {
            return Err(std::io::ErrorKind::NotConnected.into());
        };
        stream.write_all(request).await?;
        let mut filled = 0;
        loop {
            let read = stream.read(&mut self.buffer[filled..]).await?;
            if read == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            filled += read;
            if let Some((status, whole)) = answer(&self.buffer[..filled])
                && filled >= whole
            {
                return Ok(status);
            }
            if filled == self.buffer.len() {
                return Err(std::io::ErrorKind::OutOfMemory.into());
            }
        }
    }
}

/// Status and whole length of an answer, once its head is there.
fn answer(bytes: &[u8]) -> Option<(u16, usize)> {
    let head = bytes.windows(4).position(|w| w == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..head]).ok()?;
    let status = text.get(9..12)?.parse().ok()?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    Some((status, head + length.unwrap_or(0)))
}

/// `connections` clients, each asking again as soon as it was answered, until the time or the requests are out.
pub async fn closed(authority: &str, requests: Arc<Vec<Vec<u8>>>, connections: usize, lasting: Duration) -> Outcome {
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..connections {
        let (next, requests, mut connection) = (next.clone(), requests.clone(), Connection::new(authority));
        clients.spawn(async move {
            let mut outcome = Outcome::default();
            let _ = connection.open().await;
            while began.elapsed() < lasting {
                let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let asked = Instant::now();
                if connection.ask(request).await {
                    outcome.times.push(asked.elapsed());
                } else {
                    outcome.failed += 1;
                }
            }
            outcome
        });
    }
    gather(clients, began).await
}

/// Arrivals at `rate` a second by a Poisson process; the time of each counts from when it was due,
/// so a server that falls behind is charged for the queue before it.
pub async fn open(authority: &str, requests: Arc<Vec<Vec<u8>>>, rate: f64, connections: usize) -> Outcome {
    let (send, receive) = mpsc::unbounded_channel::<(usize, Instant)>();
    let receive = Arc::new(Mutex::new(receive));
    let mut clients = tokio::task::JoinSet::new();
    let opened = Arc::new(tokio::sync::Barrier::new(connections + 1));
    for _ in 0..connections {
        let (receive, requests, opened) = (receive.clone(), requests.clone(), opened.clone());
        let mut connection = Connection::new(authority);
        clients.spawn(async move {
            let mut outcome = Outcome::default();
            let _ = connection.open().await;
            opened.wait().await;
            loop {
                let job = receive.lock().await.recv().await;
                let Some((at, due)) = job else { break };
                if connection.ask(&requests[at]).await {
                    outcome.times.push(due.elapsed());
                } else {
                    outcome.failed += 1;
                }
            }
            outcome
        });
    }
    opened.wait().await;
    let began = Instant::now();
    let count = requests.len();
    // A thread of its own: the runtime's timers are too coarse (1 ms) for what is measured.
    let clock = std::thread::spawn(move || {
        let mut random = fastrand::Rng::with_seed(7);
        let mut due = began;
        for at in 0..count {
            due += Duration::from_secs_f64(-(1.0 - random.f64()).ln() / rate);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if send.send((at, due)).is_err() {
                return;
            }
        }
    });
    let outcome = gather(clients, began).await;
    let _ = clock.join();
    outcome
}

async fn gather(mut clients: tokio::task::JoinSet<Outcome>, began: Instant) -> Outcome {
    let mut all = Outcome::default();
    while let Some(one) = clients.join_next().await {
        all.add(one.unwrap_or_default());
    }
    all.finish(began)
}

/// One plain GET; the status and the body.
pub async fn get(authority: &str, path: &str, headers: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(authority).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.get(9..12)?.parse().ok()?;
    Some((status, text.split_once("\r\n\r\n")?.1.to_owned()))
}
