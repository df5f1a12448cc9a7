//! A bulkhead: so many requests to one service at once, and no more; who waits too long is turned away.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of one service; clones share them.
#[derive(Debug, Clone)]
pub struct Bulkhead {
    places: Arc<Semaphore>,
    patience: Duration,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    _permit: OwnedSemaphorePermit,
}

/// Every place is taken, and was for as long as one waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests wait for this service")]
pub struct Full;

impl Bulkhead {
    /// `places` at once; who finds none waits for `patience`.
    pub fn new(places: usize, patience: Duration) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            patience,
        }
    }

    /// Takes a place.
    pub async fn enter(&self) -> Result<Place, Full> {
        let waited = tokio::time::timeout(self.patience, Arc::clone(&self.places).acquire_owned()).await;
        match waited {
            Ok(Ok(permit)) => Ok(Place { _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(Full),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn beyond_its_places_one_waits_and_is_then_turned_away() {
        let bulkhead = Bulkhead::new(1, Duration::from_millis(5));
        let first = bulkhead.enter().await.unwrap();
        assert_eq!(bulkhead.enter().await.unwrap_err(), Full);
        drop(first);
        assert!(bulkhead.enter().await.is_ok());
    }
}
