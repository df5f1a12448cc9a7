//! relevo: a WhatsApp field relay that answers technicians from the operator's own systems.
//!
//! A message comes in by `web` (signed webhook) or `relay::poller`, is made durable by
//! `relay::ingest` in the `store`, is answered by the `engine` from the `world`, and leaves by
//! `relay::outbox` through `twilio`. Modules in reading order:

pub mod domain;

pub mod config;

pub mod format;

pub mod telemetry;

pub mod cache;
pub mod net;
pub mod store;

pub mod world;

pub mod auth;
pub mod systems;
pub mod twilio;

pub mod guardrails;
pub mod tools;

pub mod planner;

pub mod engine;

pub mod relay;

pub mod web;

pub mod app;

pub mod certify;

pub mod cli;
