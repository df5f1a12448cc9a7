//! A question in, an answer out, with the effects it has.
