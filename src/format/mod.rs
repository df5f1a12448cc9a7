//! From an `Answer` to what people read: WhatsApp text with pages, Markdown for the web.
//!
//! Pure and low in the house: it knows the words (`phrases`) and the forms of the channels,
//! nothing of where an answer came from. What comes in is plain text of the operator's systems,
//! of people and of models; whatever markup stands in it is data and is shown as such
//! (`neutral`), or, where a model wrote it as Markdown, taken off (`plain`).

mod cut;
pub mod markdown;
mod neutral;
mod paging;
mod phrases;
mod plain;
#[cfg(test)]
mod properties;
pub mod whatsapp;

pub use phrases::{Phrases, phrases};
pub use plain::plain;
