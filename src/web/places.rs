//! Places for requests before authentication: so many at once, and none is held by being slow.
//!
//! Anybody may open a connection and send a body byte by byte. When every place is taken, the
//! newcomer gets that of whoever has been sending for longest: Twilio's bodies arrive within
//! milliseconds, so it is a slow stranger who goes.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio::time::timeout;

/// How long a newcomer waits for the place of one that was asked to leave.
const WAIT: Duration = Duration::from_millis(500);

/// The places of one service.
#[derive(Debug)]
pub struct Places {
    free: Semaphore,
    sending: Mutex<Sending>,
}

/// Those whose bodies are still arriving, the oldest first.
#[derive(Debug, Default)]
struct Sending {
    next: u64,
    by_age: BTreeMap<u64, oneshot::Sender<()>>,
}

/// One request's place, given back when dropped.
#[derive(Debug)]
pub struct Place<'p> {
    places: &'p Places,
    number: u64,
    asked_to_leave: oneshot::Receiver<()>,
    _permit: SemaphorePermit<'p>,
}

/// Somebody else needed the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushedOut;

impl Places {
    /// So many at once.
    pub fn new(max: usize) -> Self {
        Self {
            free: Semaphore::new(max),
            sending: Mutex::default(),
        }
    }

    /// A place, if need be that of the slowest sender; None when all are at work.
    pub async fn enter(&self) -> Option<Place<'_>> {
        let permit = match self.free.try_acquire() {
            Ok(permit) => permit,
            Err(_) => {
                let (_, slowest) = self.sending().by_age.pop_first()?;
                let _ = slowest.send(());
                timeout(WAIT, self.free.acquire()).await.ok()?.ok()?
            }
        };
        let (leave, asked_to_leave) = oneshot::channel();
        let mut sending = self.sending();
        let number = sending.next;
        sending.next += 1;
        sending.by_age.insert(number, leave);
        drop(sending);
        Some(Place {
            places: self,
            number,
            asked_to_leave,
            _permit: permit,
        })
    }

    fn sending(&self) -> std::sync::MutexGuard<'_, Sending> {
        // A panic between these few lines leaves a map that is still a map.
        self.sending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// Receives the body; the place is only safe from newcomers once that is done.
    pub async fn receive<T>(&mut self, body: impl Future<Output = T>) -> Result<T, PushedOut> {
        let received = tokio::select! {
            biased;
            body = body => Ok(body),
            _ = &mut self.asked_to_leave => Err(PushedOut),
        };
        self.places.sending().by_age.remove(&self.number);
        received
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.places.sending().by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn the_slowest_sender_gives_way_and_who_works_does_not() {
        let places = Places::new(2);
        let mut working = places.enter().await.unwrap();
        assert_eq!(working.receive(ready(1)).await, Ok(1));
        let mut slow = places.enter().await.unwrap();
        let slow = async move { slow.receive(pending::<()>()).await };
        let newcomer = async {
            let mut place = places.enter().await.unwrap();
            place.receive(ready(2)).await
        };
        assert_eq!(tokio::join!(slow, newcomer), (Err(PushedOut), Ok(2)));
        let mut third = places.enter().await.unwrap();
        assert_eq!(third.receive(ready(3)).await, Ok(3));
        assert!(places.enter().await.is_none(), "all are at work");
        drop(third);
        assert!(places.enter().await.is_some());
    }

    #[tokio::test]
    async fn nothing_is_left_of_those_who_hang_up() {
        let places = Places::new(1);
        for _ in 0..100 {
            drop(places.enter().await.unwrap());
        }
        assert!(places.sending().by_age.is_empty());
    }
}
