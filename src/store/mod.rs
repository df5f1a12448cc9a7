//! Durable state: what must not be lost.
