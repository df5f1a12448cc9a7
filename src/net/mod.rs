//! The way out: HTTP client, breaker, limits per outside service.
