//! A mail server on a port of this machine that keeps what it takes, and misbehaves when told to.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the next mail meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meets {
    /// It is taken.
    Taken,
    /// Its recipient is refused for good.
    Refused,
    /// The server is busy now.
    Busy,
    /// It is taken, and the answer never comes.
    TakenThenSilence,
    /// It is taken, and the connection breaks before the answer.
    TakenThenBreak,
    /// Nobody answers a new connection.
    Silence,
}

#[derive(Default)]
struct State {
    mails: Vec<String>,
    next: Vec<Meets>,
}

/// The server; ends when dropped.
pub struct FakeSmtp {
    state: Arc<Mutex<State>>,
    pub port: u16,
    server: JoinHandle<()>,
}

impl FakeSmtp {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                tokio::spawn(async move {
                    let _ = serve(stream, state).await;
                });
            }
        });
        Self { state, port, server }
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// What mails meet from now on, one after the other; after the last they are taken.
    pub fn next(&self, meets: &[Meets]) {
        self.state.lock().unwrap().next = meets.iter().rev().copied().collect();
    }

    /// Every mail taken, as it came.
    pub fn mails(&self) -> Vec<String> {
        self.state.lock().unwrap().mails.clone()
    }
}

impl Drop for FakeSmtp {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(stream: TcpStream, state: Arc<Mutex<State>>) -> std::io::Result<()> {
    let silent = state.lock().unwrap().next.last() == Some(&Meets::Silence);
    if silent {
        std::future::pending::<()>().await;
    }
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 fake ready\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        let meets = state.lock().unwrap().next.last().copied().unwrap_or(Meets::Taken);
        let answer: &[u8] = match (verb.as_str(), meets) {
            ("EHLO", _) => b"250-fake\r\n250 8BITMIME\r\n",
            ("RCPT", Meets::Refused) => {
                state.lock().unwrap().next.pop();
                b"550 no such user\r\n"
            }
            ("MAIL", Meets::Busy) => {
                state.lock().unwrap().next.pop();
                b"451 try later\r\n"
            }
            ("QUIT", _) => {
                write.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            ("DATA", _) => {
                write.write_all(b"354 go on\r\n").await?;
                let mut mail = String::new();
                while let Some(line) = lines.next_line().await? {
                    if line == "." {
                        break;
                    }
                    mail.push_str(&line);
                    mail.push('\n');
                }
                let meets = {
                    let mut state = state.lock().unwrap();
                    state.mails.push(mail);
                    state.next.pop()
                };
                match meets {
                    Some(Meets::TakenThenSilence) => std::future::pending().await,
                    Some(Meets::TakenThenBreak) => return Ok(()),
                    _ => b"250 taken\r\n",
                }
            }
            _ => b"250 ok\r\n",
        };
        write.write_all(answer).await?;
    }
    Ok(())
}
