//! The composition root: settings to a running service, and why it ended.
//!
//! The port first, then the store and the World, then the workers. The caller owns the edges:
//! the settings and the signal to stop.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::config::secret::InstanceSecret;
use crate::config::{Config, MediaLinks};
use crate::engine::{Engine, EngineConfig, Writes};
use crate::net::Http;
use crate::relay::media::Media;
use crate::relay::outbox::Outbox;
use crate::relay::poller::Poller;
use crate::relay::{Answering, Inbox, Ingest, Typing};
use crate::store::{Store, StoreLimits};
use crate::systems::{self, Smtp, Systems, kept};
use crate::telemetry::{Depths, Metrics, Redactor};
use crate::tools::desk::Desk;
use crate::twilio::Client;
use crate::twilio::public_url::PublicUrl;
use crate::twilio::signature::Validator;
use crate::web::{self, Parts, Simulator, State};
use crate::world::WorldHandle;

/// The number of the phone in the browser's other end; no number of any network.
const SIMULATOR_SENDER: &str = "whatsapp:+56900000000";
/// Its account, of the form that Twilio's have.
const SIMULATOR_ACCOUNT: &str = "AC00000000000000000000000000000000";
/// How often the gauges are set.
const HOUSEKEEPING: Duration = Duration::from_secs(10);

/// A running service.
pub struct Running {
    /// Where it listens.
    pub addr: SocketAddr,
    /// What its handlers share, for whoever runs it in their own process.
    pub state: Arc<State>,
    shutdown: CancellationToken,
    server: ServerHandle,
    tasks: JoinSet<&'static str>,
    drain: Duration,
}

/// Starts the service; on return it answers.
pub async fn start(config: Config, redactor: &Arc<Redactor>) -> anyhow::Result<Running> {
    crate::net::install_crypto();
    let config = Arc::new(config);
    let listener = TcpListener::bind(config.server.bind)
        .with_context(|| format!("RELEVO_BIND: cannot listen on {}", config.server.bind))?;
    let addr = listener.local_addr()?;
    let metrics = Metrics::new();
    let state = Arc::new(State::new(
        Arc::clone(&config),
        Arc::clone(&metrics),
        addr,
        tokio::runtime::Handle::current(),
    ));
    let server = web::server(Arc::clone(&state), listener)?;
    let mut running = Running {
        addr,
        state,
        shutdown: CancellationToken::new(),
        server: server.handle(),
        tasks: JoinSet::new(),
        drain: Duration::from_secs(config.server.drain_secs),
    };
    running.tasks.spawn(async move {
        let _ = server.await;
        "server"
    });
    match running.open(&config, &metrics, redactor).await {
        Ok(()) => Ok(running),
        Err(e) => {
            running.stop().await;
            Err(e)
        }
    }
}

impl Running {
    /// Opens the store and the World, starts the workers, and lets messages in.
    async fn open(
        &mut self,
        config: &Arc<Config>,
        metrics: &Arc<Metrics>,
        redactor: &Arc<Redactor>,
    ) -> anyhow::Result<()> {
        let dir = config.server.data_dir.clone();
        let secret = InstanceSecret::load(config.secret.as_ref(), &dir)
            .with_context(|| format!("RELEVO_DATA_DIR: {} cannot be used", dir.display()))?;
        let limits = store_limits(config);
        let times = config.zone_times()?;
        let clock = config.clock;
        let links = MediaLinks::new(
            &secret,
            &config.server.public_url,
            &format!("http://{}", self.addr),
            config.media.link_mins,
        );
        let (settings, counted) = (Arc::clone(config), Arc::clone(metrics));
        let (store, world, systems) = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
            let store = Store::open(&dir, limits)?;
            let world = WorldHandle::new(systems::first_world(&settings, times)?);
            let systems = Systems::open(&settings, world.clone(), &Http::new()?, Some(&counted));
            Ok((store, world, systems))
        })
        .await??;
        kept::load(&store, &systems).await?;
        systems.recall(&store).await?;
        let desk = Desk {
            store: Some(store.clone()),
            links: Some(links.clone()),
            board: Some(systems.board().clone()),
            senders: own_senders(config),
            ..Desk::of(config)
        };
        let per_hour = config.relay.writes_per_hour_max;
        let engine_config = EngineConfig {
            metrics: Arc::clone(metrics),
            desk: Some(Arc::new(desk)),
            writes: Some(Writes::new(store.clone(), systems.clone(), per_hour)),
            ..EngineConfig::of(config)
        };
        let picture = world.clone();
        let learn = move || Engine::new(picture, clock, engine_config);
        let engine = Arc::new(tokio::task::spawn_blocking(learn).await??);
        store.count_in(Arc::clone(metrics));
        if let Some(mail) = Smtp::new(&config.mail)? {
            systems.mail_by(mail);
        }
        redactor.learn_names(world.load().employees().iter().map(|e| e.name.as_str()));
        let masks = Arc::clone(redactor);
        systems
            .picture()
            .watch(move |world| masks.learn_names(world.employees().iter().map(|e| e.name.as_str())));
        for syncer in systems.syncers(clock) {
            self.worker("sync", syncer.run(self.shutdown.clone()));
        }

        let simulator = config.simulator_on().then(|| Simulator {
            account_sid: SIMULATOR_ACCOUNT.to_owned(),
            auth_token: secret.derive("simulator"),
            sender: SIMULATOR_SENDER.to_owned(),
        });
        let client = match config.twilio.is_set() {
            true => Client::new(&config.twilio, Http::new()?, Some(Arc::clone(metrics))),
            false => None,
        };
        let accounts = client
            .iter()
            .cloned()
            .chain(self.simulator_client(config, simulator.as_ref())?)
            .collect();
        let media = Media::new(store.clone(), accounts, config, Arc::clone(metrics));
        self.worker("media", media.clone().tidy_until(self.shutdown.clone()));
        let outbox = Outbox::new(store.clone(), client.clone(), config, Arc::clone(metrics));
        let outbox = Arc::new(outbox.with_links(links.clone()).with_board(systems.board().clone()));
        let ingest = Arc::new(Ingest::new(
            store.clone(),
            world.clone(),
            Arc::clone(metrics),
            &config.relay,
            own_senders(config),
        ));
        let typing = Typing::new(client.clone(), Duration::from_millis(config.relay.typing_after_ms));
        let answering = Answering::new(
            store.clone(),
            world.clone(),
            Arc::clone(&engine),
            media.clone(),
            typing,
            &config.relay,
            config.guests_welcome(),
        );
        let inbox = Arc::new(Inbox::new(store.clone(), answering, Arc::clone(metrics), &config.relay));
        self.worker("inbox", inbox.run(self.shutdown.clone()));
        self.worker("outbox", Arc::clone(&outbox).run(self.shutdown.clone()));
        if let Some(client) = client {
            let (ingest, outbox) = (Arc::clone(&ingest), Arc::clone(&outbox));
            let poller = Poller::new(store.clone(), client, ingest, outbox, config, Arc::clone(metrics));
            self.worker("poller", poller.run(self.shutdown.clone()));
        }
        self.worker(
            "housekeeping",
            housekeeping(store.clone(), Arc::clone(metrics), self.shutdown.clone()),
        );
        let validator = validator(config, simulator.as_ref())?;
        self.state.open(Parts {
            store,
            world,
            engine,
            outbox,
            ingest,
            media,
            links,
            validator,
            simulator,
        });
        Ok(())
    }

    /// A client of the phone in the browser, which serves its files as Twilio would.
    fn simulator_client(&self, config: &Config, simulator: Option<&Simulator>) -> anyhow::Result<Option<Client>> {
        let Some(simulator) = simulator else { return Ok(None) };
        let account = crate::config::Twilio {
            account_sid: simulator.account_sid.clone(),
            auth_token: simulator.auth_token.clone(),
            account_tokens: String::new().into(),
            api_key_sid: String::new(),
            api_base: format!("http://{}/simulator", self.addr),
            ..config.twilio.clone()
        };
        Ok(Client::new(&account, Http::new()?, None))
    }

    fn worker(&mut self, name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(async move {
            work.await;
            name
        });
    }

    /// Works until `signal`, or until a worker ends by itself, which is an error.
    pub async fn until(mut self, signal: impl Future<Output = ()>) -> anyhow::Result<()> {
        tokio::select! {
            () = signal => {
                tracing::info!("stopping: what runs may end within {} s", self.drain.as_secs());
                self.stop().await;
                Ok(())
            }
            ended = self.tasks.join_next() => {
                let cause = match ended {
                    Some(Ok(name)) => format!("the {name} ended by itself"),
                    Some(Err(e)) => format!("a worker failed: {e}"),
                    None => "no worker is left".to_owned(),
                };
                self.stop().await;
                anyhow::bail!(cause)
            }
        }
    }

    /// Lets what runs end within the drain time, then closes the store.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        let graceful = self.server.stop(true);
        let drained = timeout(self.drain, async {
            graceful.await;
            while self.tasks.join_next().await.is_some() {}
        });
        if drained.await.is_err() {
            tracing::warn!("not everything ended in time; what was under way comes back at the next start");
            self.tasks.shutdown().await;
        }
        // The last handle of the store closes it; whoever opens the data next finds it free.
        drop(self.state);
        tracing::info!("stopped");
    }
}

/// Our numbers, the one that messages begin from first.
fn own_senders(config: &Config) -> Vec<String> {
    let simulator = config.simulator_on().then(|| SIMULATOR_SENDER.to_owned());
    config.twilio.senders().into_iter().chain(simulator).collect()
}

/// The store's bounds as the settings have them.
pub(crate) fn store_limits(config: &Config) -> StoreLimits {
    StoreLimits {
        queue_ops: config.store.queue_max,
        hold_total_ms: config.relay.hold_max_ms,
        attempts: config.relay.attempts_max,
        cache_bytes: config.store.cache_bytes,
        sids_kept_days: config.store.sids_days,
        turns_per_conversation: config.store.turns_max as u64,
        ..StoreLimits::default()
    }
}

/// The signatures that are accepted: the account's, subaccounts', shared keys, the simulator's.
fn validator(config: &Config, simulator: Option<&Simulator>) -> anyhow::Result<Validator> {
    let given = |secret: &SecretString| (!secret.expose_secret().is_empty()).then(|| secret.clone());
    let public = match config.server.public_url.as_str() {
        "" => None,
        url => Some(PublicUrl::parse(url)?),
    };
    let mut validator = Validator::new(public);
    if let Some(token) = given(&config.twilio.auth_token) {
        validator = validator.with_account(
            &config.twilio.account_sid,
            token,
            given(&config.twilio.auth_token_secondary),
        );
    }
    for (account, token) in crate::config::Twilio::pairs(&config.twilio.account_tokens) {
        validator = validator.with_account(&account, token, None);
    }
    for (id, key) in crate::config::Twilio::pairs(&config.twilio.shared_keys) {
        validator = validator.with_shared_key(&id, key);
    }
    if let Some(simulator) = simulator {
        validator = validator.with_account(&simulator.account_sid, simulator.auth_token.clone(), None);
    }
    Ok(validator)
}

/// Sets the gauges.
async fn housekeeping(store: Store, metrics: Arc<Metrics>, shutdown: CancellationToken) {
    loop {
        let depths = store.depths();
        metrics.depths(Depths {
            inbox: depths.inbox,
            leased: depths.leased,
            outbox: depths.outbox,
            dead: depths.dead,
        });
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(HOUSEKEEPING) => {}
        }
    }
}
