//! The engine over the demo operator, as people use it.
