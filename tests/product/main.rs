//! The product as its users meet it: signed webhooks over HTTP, a fake Twilio that misbehaves, a real database.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout
)]

#[path = "../support/mod.rs"]
mod support;

mod admin;
mod ask;
mod cases_signature;
mod cases_twilio;
mod cli;
mod crash;
mod email;
mod health;
mod inbox;
mod media;
mod ops;
mod outbox;
mod poller;
mod sandbox;
mod signature;
mod simulator;
mod systems;
mod systems_writes;
mod twilio_client;
mod webhook;
mod whatsapp_out;
mod world;
mod writes;
