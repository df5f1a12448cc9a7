//! What the tests share: the application under test and the world around it.
#![allow(dead_code)]

pub mod app;
pub mod browser;
pub mod fake_operator;
pub mod fake_smtp;
pub mod fake_twilio;
pub mod outbox_rig;
pub mod process;

pub use app::{NOBODY, TECHNICIAN, TestApp};
