//! How much the store holds, and for how long; every bound has a name and a unit.

/// The bounds of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreLimits {
    /// Operations that may wait for the writer; a message beyond is refused as busy (503 to Twilio).
    pub queue_ops: usize,
    /// Operations in one transaction, so that no caller waits behind an endless one.
    pub batch_ops: usize,
    /// Rows of one page of any list.
    pub page_rows: usize,
    /// Messages that may wait in the inbox.
    pub inbox_messages: usize,
    /// Messages that may wait in the outbox.
    pub outbox_messages: usize,
    /// Dead letters kept; the oldest gives way.
    pub dead_letters: usize,
    /// Messages of one turn; what exceeds it becomes the next turn.
    pub turn_messages: usize,
    /// Longest wait of a conversation's first message for the rest of its turn, in milliseconds.
    pub hold_total_ms: u64,
    /// Failures after which a turn goes to the dead letters.
    pub attempts: u32,
    /// Bytes of one stored value.
    pub row_bytes: usize,
    /// Bytes of memory for the database's pages.
    pub cache_bytes: usize,
    /// Days a message id is remembered against repeats.
    pub sids_kept_days: u32,
    /// Turns kept of one conversation.
    pub turns_per_conversation: u64,
    /// Days a message that left the outbox is kept.
    pub sent_kept_days: u32,
    /// Days a silent conversation is kept; an opt-out is kept for ever.
    pub conversations_kept_days: u32,
    /// Days a dead letter is kept.
    pub dead_kept_days: u32,
    /// Days a message waits for its recipient to write again before it is a dead letter.
    pub window_wait_days: u32,
    /// Receipts kept for messages whose id is not known yet.
    pub early_receipts: u64,
    /// Minutes such a receipt is kept.
    pub early_receipts_kept_minutes: u32,
    /// Orders remembered against repeats; the oldest gives way.
    pub orders: usize,
    /// Audit rows kept; the oldest gives way.
    pub audit_rows: usize,
    /// Milliseconds between two rounds of tidying.
    pub sweep_every_ms: u64,
    /// Rows one round of tidying looks at in each table.
    pub sweep_rows: usize,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            queue_ops: 4_096,
            batch_ops: 512,
            page_rows: 200,
            inbox_messages: 200_000,
            outbox_messages: 200_000,
            dead_letters: 10_000,
            turn_messages: 50,
            hold_total_ms: 10_000,
            attempts: 5,
            row_bytes: 1024 * 1024,
            cache_bytes: 16 * 1024 * 1024,
            sids_kept_days: 90,
            turns_per_conversation: 200,
            sent_kept_days: 30,
            conversations_kept_days: 365,
            dead_kept_days: 90,
            window_wait_days: 7,
            early_receipts: 10_000,
            early_receipts_kept_minutes: 60,
            orders: 100_000,
            audit_rows: 200_000,
            sweep_every_ms: 60_000,
            sweep_rows: 1_000,
        }
    }
}
