//! An `Answer` to WhatsApp text and to Markdown.
