//! `relevo ask`: one turn through the same engine, without a network and without a port.
//!
//! Without `--conversation` nothing is written and nothing is read but the files named. With it,
//! the thread's memory is taken from the data directory and put back, so that *más* and *la
//! tercera* work from one call to the next.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgAction;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::CliError;
use crate::app;
use crate::config::Config;
use crate::domain::caller::{Caller, Person};
use crate::domain::geo::Point;
use crate::domain::ids::EmployeeId;
use crate::domain::records::Employee;
use crate::engine::{Channel, Engine, EngineConfig, Kind, MediaNote, Reply, SharedLocation, Turn, Writes};
use crate::store::{Asked, Store, StoreError, TurnRecord};
use crate::systems::{Systems, kept};
use crate::world::{World, WorldHandle};

/// The longest name of a thread, characters.
const CONVERSATION_CHARS_MAX: usize = 80;

/// `relevo ask`
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object instead of the reply alone
    #[arg(long)]
    json: bool,
    /// Who asks: a phone or an id like E-022; without it the control room
    #[arg(long = "as", value_name = "PHONE|E-id")]
    caller: Option<String>,
    /// Keeps the thread in the data directory under this name
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// A file sent along; may be repeated
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    media: Vec<PathBuf>,
    /// A location pin, in degrees
    #[arg(long, value_name = "LAT,LON", allow_hyphen_values = true)]
    location: Option<String>,
    /// The question
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

/// Asks, prints, and keeps the thread when one is named.
pub fn run(args: &Args, config: &Config) -> Result<ExitCode, CliError> {
    let media = args
        .media
        .iter()
        .map(|path| file(path, config.media.bytes_max))
        .collect::<Result<Vec<_>, _>>()?;
    let location = args.location.as_deref().map(location).transpose()?;
    let text = args.text.join(" ");
    // An empty text is a message like any other and has its reply; none at all is a slip.
    if args.text.is_empty() && media.is_empty() && location.is_none() {
        return Err(CliError::Usage("what is the question? (relevo ask TEXT)".to_owned()));
    }
    let times = config.zone_times().map_err(CliError::usage)?;
    let world = WorldHandle::new(World::demo(config.clock.now(), times).map_err(CliError::failed)?);
    let caller = caller(args.caller.as_deref(), config, &world.load())?;
    let thread = args
        .conversation
        .as_deref()
        .map(|id| Thread::open(id, config))
        .transpose()?;

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CliError::failed)?;
    let systems = Systems::embedded(world.clone());
    let mut engine_config = EngineConfig::of(config);
    if let Some(thread) = &thread {
        // What was changed in the demo operator, by whichever door, is what is asked about.
        let loaded = runtime.block_on(kept::load(&thread.store, &systems));
        loaded.map_err(CliError::failed)?;
        engine_config.writes = Some(Writes::new(
            thread.store.clone(),
            systems,
            config.relay.writes_per_hour_max,
        ));
    }
    let engine = Engine::new(world, config.clock, engine_config).map_err(CliError::failed)?;
    let reply = runtime.block_on(async {
        let memory = match &thread {
            Some(thread) => thread.memory().await?,
            None => Value::Null,
        };
        let turn = Turn {
            location,
            media,
            memory,
            ..Turn::text(caller, Channel::Cli, text.clone())
        };
        let reply = engine.answer(turn).await;
        if let Some(thread) = &thread {
            thread.keep(&text, &reply).await?;
        }
        Ok::<_, CliError>(reply)
    })?;
    let printed = match args.json {
        true => writeln!(
            std::io::stdout(),
            "{}",
            serde_json::to_string(&reply).map_err(CliError::failed)?
        ),
        false => writeln!(std::io::stdout(), "{}", reply.text),
    };
    match printed {
        // `relevo ask … | head` has seen enough: that is no failure.
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        printed => printed.map(|()| ExitCode::SUCCESS).map_err(CliError::failed),
    }
}

/// A phone that nobody has is a guest, as it would be on WhatsApp; an id that nobody has is a slip.
fn caller(given: Option<&str>, config: &Config, world: &World) -> Result<Caller, CliError> {
    let Some(given) = given else { return Ok(Caller::Desk) };
    let active = |employee: Option<&Employee>| employee.filter(|e| e.active).map(person);
    if let Ok(id) = EmployeeId::parse(given) {
        let found = active(world.employee(&id)).map(Caller::Person);
        return found.ok_or_else(|| CliError::Usage(format!("--as: {id} is nobody who works here now")));
    }
    if !given.chars().any(|c| c.is_ascii_digit()) {
        return Err(CliError::Usage(
            "--as: a phone like +56912345678 or an id like E-022 is needed".to_owned(),
        ));
    }
    match active(world.employee_by_phone(given)) {
        Some(person) => Ok(Caller::Person(person)),
        None if config.guests_welcome() => Ok(Caller::Guest),
        None => Err(CliError::Usage(
            "--as: this number is not registered, and guests are refused".to_owned(),
        )),
    }
}

fn person(employee: &Employee) -> Person {
    Person {
        id: employee.id.clone(),
        name: employee.name.clone(),
        role: employee.role,
        zone: employee.zone.clone(),
        crew_id: employee.crew_id.clone(),
    }
}

fn location(text: &str) -> Result<SharedLocation, CliError> {
    let point = Point::parse(text).map_err(|e| CliError::Usage(format!("--location: {e} (-18.48,-70.31)")))?;
    Ok(SharedLocation {
        point,
        forwarded: false,
    })
}

/// A file, named by what it holds and not by what it is called.
fn file(path: &Path, bytes_max: u64) -> Result<MediaNote, CliError> {
    let refused = |problem: String| CliError::Usage(format!("--media {}: {problem}", path.display()));
    let size = std::fs::metadata(path).map_err(|e| refused(e.to_string()))?.len();
    if size > bytes_max {
        return Err(refused(format!("{size} bytes, at most {bytes_max} are taken")));
    }
    let bytes = std::fs::read(path).map_err(|e| refused(e.to_string()))?;
    let content_type = match infer::get(&bytes) {
        Some(kind) => kind.mime_type(),
        None if bytes.starts_with(b"BEGIN:VCARD") => "text/vcard",
        None if std::str::from_utf8(&bytes).is_ok() => "text/plain",
        None => "application/octet-stream",
    };
    Ok(MediaNote {
        kind: Kind::of(content_type),
        content_type: content_type.to_owned(),
        bytes: size,
        id: None,
    })
}

/// A thread kept in the data directory.
struct Thread {
    id: String,
    store: Store,
}

impl Thread {
    fn open(name: &str, config: &Config) -> Result<Self, CliError> {
        let sound = !name.trim().is_empty()
            && name.chars().count() <= CONVERSATION_CHARS_MAX
            && !name.chars().any(char::is_control);
        if !sound {
            return Err(CliError::Usage(format!(
                "--conversation: a name of 1 to {CONVERSATION_CHARS_MAX} characters is needed"
            )));
        }
        let dir = &config.server.data_dir;
        let store = Store::open(dir, app::store_limits(config)).map_err(|e| match e {
            StoreError::Held(_) => CliError::Usage(format!(
                "the data in {} is held by a running service: ask there, or leave out --conversation",
                dir.display()
            )),
            other => CliError::usage(other),
        })?;
        // A thread of its own kind: no name given here may reach a technician's conversation.
        Ok(Self {
            id: format!("cli:{}", name.trim()),
            store,
        })
    }

    async fn memory(&self) -> Result<Value, CliError> {
        let conversation = self.store.conversation(&self.id).await.map_err(CliError::failed)?;
        Ok(conversation.map_or(Value::Null, |c| c.memory))
    }

    async fn keep(&self, text: &str, reply: &Reply) -> Result<(), CliError> {
        let record = TurnRecord {
            at: Timestamp::now(),
            asked: vec![Asked {
                sid: None,
                text: text.to_owned(),
                kind: String::new(),
            }],
            reply: reply.text.clone(),
            tool_calls: json!(reply.trace.tool_calls),
            trace: reply.trace.without_calls(),
            ms: reply.trace.ms,
            ..TurnRecord::default()
        };
        self.store
            .remember(&self.id, record, reply.memory.clone())
            .await
            .map_err(CliError::failed)?;
        self.store.flush().await.map_err(CliError::failed)
    }
}
