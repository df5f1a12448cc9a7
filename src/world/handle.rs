//! The handle by which everybody reaches the current World.

use std::sync::{Arc, PoisonError, RwLock};

use super::World;

/// A cheap, shared handle: `load` gives the current picture, `swap` puts a new one in its place.
#[derive(Debug, Clone)]
pub struct WorldHandle {
    // A plain lock: it is held for the copy of one pointer, and never across an await.
    current: Arc<RwLock<Arc<World>>>,
}

impl WorldHandle {
    /// A handle that begins with this picture.
    pub fn new(world: World) -> Self {
        Self {
            current: Arc::new(RwLock::new(Arc::new(world))),
        }
    }

    /// The current picture; it stays the same for whoever holds it.
    pub fn load(&self) -> Arc<World> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the picture whole.
    pub fn swap(&self, world: World) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(world);
    }
}
