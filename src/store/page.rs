//! Lists in pages: a cursor that the caller hands back, and a bounded number of rows.

use serde::{Deserialize, Serialize};

/// Which page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// `Listed::next` of the page before; None begins at the front.
    #[serde(default)]
    pub after: Option<String>,
    /// Rows wanted; 0 and what exceeds `StoreLimits::page_rows` mean that limit.
    #[serde(default)]
    pub limit: usize,
}

impl Page {
    /// The first page of up to `limit` rows.
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    pub(super) fn rows(&self, max: usize) -> usize {
        if self.limit == 0 { max } else { self.limit.min(max) }
    }
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the next page begins; None when this is the last.
    pub next: Option<String>,
}
