//! The operational picture: one immutable, indexed snapshot.
