//! From an `Answer` to what people read: WhatsApp text with pages, Markdown for the web.
//!
//! Pure and low in the house: it knows the words (`phrases`) and the forms of the channels,
//! nothing of where an answer came from.

mod phrases;

pub use phrases::{Phrases, phrases};
