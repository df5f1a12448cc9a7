//! What may pass: scope, writes, sanitising, limits.
