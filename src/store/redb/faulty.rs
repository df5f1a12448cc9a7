//! A disk for tests: in memory, full on demand, and with a power cut that keeps what was synced and
//! of the rest whatever chance leaves, in pieces.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;

/// What a disk writes at once.
const SECTOR: usize = 512;

#[derive(Debug, Default)]
struct State {
    /// What the machine reads.
    seen: Vec<u8>,
    /// What a power cut leaves for certain.
    safe: Vec<u8>,
    /// What was written since the last sync.
    open: Vec<(usize, Vec<u8>)>,
    full: bool,
    syncs: u64,
    /// The seed of the power cut that falls into the next sync.
    armed: Option<u64>,
    /// What that cut would have left.
    cut: Option<Vec<u8>>,
}

impl State {
    fn left_by_power_cut(&self, seed: u64) -> Vec<u8> {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut left = self.safe.clone();
        // A file may have grown already, or not.
        if chance.bool() {
            left.resize(self.seen.len().max(left.len()), 0);
        }
        for (offset, bytes) in &self.open {
            for (n, sector) in bytes.chunks(SECTOR).enumerate() {
                let from = offset + n * SECTOR;
                if chance.bool()
                    && let Some(place) = left.get_mut(from..from + sector.len())
                {
                    place.copy_from_slice(sector);
                }
            }
        }
        left
    }
}

/// A disk; clones are the same disk.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

impl Disk {
    /// The same disk for a database to use.
    pub fn plug(&self) -> Self {
        self.clone()
    }

    pub fn fill(&self, full: bool) {
        self.state().full = full;
    }

    /// Nothing is read or written while the guard lives.
    pub fn stuck(&self) -> impl Drop + '_ {
        self.state()
    }

    /// How often it was synced.
    pub fn syncs(&self) -> u64 {
        self.state().syncs
    }

    /// The next sync is where the power fails: just before it counts, with everything still open.
    pub fn arm(&self, seed: u64) {
        self.state().armed = Some(seed);
    }

    /// The disk as the power cut would have left it; the machine of this test runs on meanwhile.
    pub fn after_power_cut(&self) -> Self {
        let left = self
            .state()
            .cut
            .take()
            .expect("a sync has happened since the disk was armed");
        Self(Arc::new(Mutex::new(State {
            seen: left.clone(),
            safe: left,
            ..State::default()
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn taking(&self) -> io::Result<MutexGuard<'_, State>> {
        let state = self.state();
        if state.full {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            Ok(state)
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().seen.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let (state, offset) = (self.state(), offset as usize);
        let bytes = state
            .seen
            .get(offset..offset + out.len())
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.taking()?.seen.resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.taking()?;
        if let Some(seed) = state.armed.take() {
            state.cut = Some(state.left_by_power_cut(seed));
        }
        state.safe = state.seen.clone();
        state.open.clear();
        state.syncs += 1;
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.taking()?;
        let offset = offset as usize;
        state
            .seen
            .get_mut(offset..offset + data.len())
            .ok_or(io::ErrorKind::UnexpectedEof)?
            .copy_from_slice(data);
        state.open.push((offset, data.to_vec()));
        Ok(())
    }
}
