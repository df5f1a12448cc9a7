//! The HTTP doors.

pub mod loopback;
