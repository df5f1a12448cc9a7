//! Mails for a person to send, and media records as a list: what is read by whoever asks.

use uuid::Uuid;

use super::RedbStore;
use super::tables::{self, decode, encode, reading};
use crate::store::records::{MailDraft, MediaRecord};
use crate::store::{MEDIA_LISTED_MAX, StoreError};

impl RedbStore {
    pub(in crate::store) async fn draft_put(&self, draft: MailDraft) -> Result<(), StoreError> {
        let bytes = encode("mail draft", &draft, self.limits().row_bytes)?;
        self.write(move |work| work.tables.drafts()?.put(draft.id.as_u128(), bytes.as_slice()))
            .await
    }

    pub(in crate::store) fn draft(&self, id: Uuid) -> Result<Option<MailDraft>, StoreError> {
        self.one(tables::DRAFTS, id.as_u128(), |bytes| decode("mail draft", bytes))
    }

    pub(in crate::store) fn drafts(&self, limit: usize) -> Result<Vec<MailDraft>, StoreError> {
        let txn = self.reading()?;
        let Some(table) = reading(&txn, tables::DRAFTS)? else {
            return Ok(Vec::new());
        };
        let newest = table.range::<u128>(..)?.rev().take(limit.min(self.limits().page_rows));
        newest.map(|row| decode("mail draft", row?.1.value())).collect()
    }

    pub(in crate::store) fn media_list(&self) -> Result<Vec<MediaRecord>, StoreError> {
        let txn = self.reading()?;
        let Some(table) = reading(&txn, tables::MEDIA)? else {
            return Ok(Vec::new());
        };
        let rows = table.range::<u128>(..)?.take(MEDIA_LISTED_MAX);
        rows.map(|row| decode("media record", row?.1.value())).collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::store::{Store, StoreLimits};

    #[tokio::test]
    async fn a_draft_is_kept_and_the_newest_is_listed_first() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreLimits::default()).unwrap();
        let draft = |n: u128| MailDraft {
            id: Uuid::from_u128(n),
            at: Timestamp::UNIX_EPOCH,
            by: None,
            to: vec!["ana@example.com".to_owned()],
            subject: format!("asunto {n}"),
            body: "hola".to_owned(),
        };
        for n in 1..=3 {
            store.draft_put(draft(n)).await.unwrap();
        }
        assert_eq!(store.draft(Uuid::from_u128(2)).await.unwrap(), Some(draft(2)));
        assert_eq!(store.drafts(2).await.unwrap(), [draft(3), draft(2)]);
        assert_eq!(store.draft(Uuid::from_u128(9)).await.unwrap(), None);
    }
}
