//! Mails for a person to send, and media records as a list: what is read by whoever asks.

use uuid::Uuid;

use super::RedbStore;
use super::read::{cursor, nothing};
use super::tables::{self, decode, encode, reading};
use crate::store::records::{MailDraft, MediaRecord};
use crate::store::{Listed, MEDIA_LISTED_MAX, Page, StoreError};

impl RedbStore {
    pub(in crate::store) async fn draft_put(&self, draft: MailDraft) -> Result<(), StoreError> {
        let bytes = encode("mail draft", &draft, self.limits().row_bytes)?;
        self.write(move |work| work.tables.drafts()?.put(draft.id.as_u128(), bytes.as_slice()))
            .await
    }

    pub(in crate::store) fn drafts(&self, page: &Page) -> Result<Listed<MailDraft>, StoreError> {
        let before = cursor::<Uuid>(page)?.map_or(u128::MAX, |id| id.as_u128());
        let txn = self.reading()?;
        let Some(table) = reading(&txn, tables::DRAFTS)? else {
            return Ok(nothing());
        };
        let rows = table.range(..before)?.rev();
        let rows = rows.map(|entry| entry.map(|(key, bytes)| (Uuid::from_u128(key.value()), bytes)));
        self.list(
            page,
            rows,
            |(id, _)| id.to_string(),
            |(_, bytes)| decode("mail draft", bytes.value()).map(Some),
        )
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
        let newest = store.drafts(&Page::first(2)).await.unwrap();
        assert_eq!(newest.rows, [draft(3), draft(2)]);
        let rest = Page {
            after: newest.next,
            limit: 2,
        };
        assert_eq!(store.drafts(&rest).await.unwrap().rows, [draft(1)]);
    }
}
