//! A small HTTP/1.1 server whose connections can misbehave: hang, reset, break off.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    /// Path and query, raw.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    pub fn query(&self) -> Vec<(String, String)> {
        pairs(self.target.split_once('?').map_or("", |(_, query)| query).as_bytes())
    }

    pub fn form(&self) -> Vec<(String, String)> {
        pairs(&self.body)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

fn pairs(bytes: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(bytes).into_owned().collect()
}

/// What the connection does next.
#[derive(Debug, Clone)]
pub enum Answer {
    Whole {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// Says nothing and keeps the connection.
    Hang,
    /// TCP reset.
    Reset,
    /// Announces more than it sends.
    BreakOff,
}

impl Answer {
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::Whole {
            status,
            headers: vec![("Content-Type".into(), "application/json".into())],
            body: body.to_string().into_bytes(),
        }
    }
}

/// Serves until the listener's task is dropped.
pub async fn serve<F, A>(listener: TcpListener, answer: F)
where
    F: Fn(Asked) -> A + Send + Sync + 'static,
    A: Future<Output = Answer> + Send + 'static,
{
    let answer = Arc::new(answer);
    while let Ok((socket, _)) = listener.accept().await {
        let answer = Arc::clone(&answer);
        tokio::spawn(async move {
            let _ = connection(socket, &*answer).await;
        });
    }
}

async fn connection<F, A>(mut socket: TcpStream, answer: &F) -> std::io::Result<()>
where
    F: Fn(Asked) -> A,
    A: Future<Output = Answer>,
{
    socket.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some(asked) = read(&mut socket, &mut buffer).await? {
        match answer(asked).await {
            Answer::Whole { status, headers, body } => {
                let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                head.push_str("\r\n");
                socket.write_all(head.as_bytes()).await?;
                socket.write_all(&body).await?;
            }
            Answer::Hang => tokio::time::sleep(Duration::from_secs(3600)).await,
            Answer::Reset => return reset(socket),
            Answer::BreakOff => {
                socket
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nx")
                    .await?;
                return Ok(());
            }
        }
    }
    Ok(())
}

#[allow(
    deprecated,
    reason = "zero linger is the one way to send a reset; with it nothing blocks"
)]
fn reset(socket: TcpStream) -> std::io::Result<()> {
    socket.set_linger(Some(Duration::ZERO))
}

async fn read(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<Asked>> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            break at;
        }
        if socket.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8(buffer[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap().split(' ');
    let (method, target) = (first.next().unwrap().to_owned(), first.next().unwrap().to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut asked = Asked {
        method,
        target,
        headers,
        body: Vec::new(),
    };
    let length: usize = asked.header("content-length").map_or(0, |n| n.parse().unwrap());
    while buffer.len() < end + 4 + length {
        if socket.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    asked.body = buffer[end + 4..end + 4 + length].to_vec();
    buffer.drain(..end + 4 + length);
    Ok(Some(asked))
}
