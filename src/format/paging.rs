//! Blocks of text onto pages: whole blocks in their order, the rest counted and promised.

use crate::domain::answer::Severity;

use super::cut::{cut, units};
use super::phrases;

/// What a block is; decides the space before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Line,
    Title,
    Item(Severity),
    Note,
}

/// One thing that is shown whole, unless it alone is longer than a page.
#[derive(Debug, Clone)]
pub struct Block {
    pub kind: Kind,
    /// As it is shown, markup included.
    pub text: String,
    /// The heading it stands under, as it is shown.
    pub heading: Option<String>,
    /// Its length; kept, since it is asked for often.
    units: usize,
    lines: Lines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Several,
}

impl Block {
    pub fn new(kind: Kind, text: String, heading: Option<String>) -> Self {
        Self {
            kind,
            units: units(&text),
            lines: if text.contains('\n') {
                Lines::Several
            } else {
                Lines::One
            },
            text,
            heading,
        }
    }

    fn is_item(&self) -> bool {
        matches!(self.kind, Kind::Item(_))
    }

    fn is_critical(&self) -> bool {
        matches!(self.kind, Kind::Item(Severity::Critical))
    }
}

/// Everything that is to be shown, in order.
pub struct Document {
    /// Lead lines, then items.
    pub blocks: Vec<Block>,
    /// Closing notes: on the first page unless they would push something critical off it.
    pub notes: Vec<Block>,
    /// The last line of every page; empty for none.
    pub footer: String,
    /// Rows that exist beyond the blocks.
    pub beyond: u64,
}

impl Document {
    /// The pages, at least one, each at most `max` units long.
    pub fn pages(self, max: usize) -> Vec<String> {
        let Self {
            mut blocks,
            mut notes,
            footer,
            beyond,
        } = self;
        let footer_units = if footer.is_empty() { 0 } else { units(&footer) + GAP };
        let last_end = footer_units + if beyond > 0 { units(&promise(beyond)) + GAP } else { 0 };
        let room = max.saturating_sub(footer_units + promise_units_max(missing(&blocks, beyond)) + GAP);
        let mut pages = Vec::new();
        let mut at = 0;
        loop {
            let rest = blocks.get(at..).unwrap_or_default();
            let whole = rest.iter().chain(&notes);
            if fitting(whole.clone(), max.saturating_sub(last_end)).0 == rest.len() + notes.len() {
                pages.push(compose(whole, &footer, (beyond > 0).then(|| promise(beyond))));
                return pages;
            }
            if rest.is_empty() {
                blocks = std::mem::take(&mut notes);
                at = 0;
                continue;
            }
            if pages.is_empty()
                && let Some(taken) = beside_notes(rest, &notes, room)
            {
                let left = promise(missing(rest.get(taken..).unwrap_or_default(), beyond));
                pages.push(compose(rest.iter().take(taken).chain(&notes), &footer, Some(left)));
                notes.clear();
                at = taken;
                continue;
            }
            let (taken, used) = fitting(rest.iter(), room);
            let next = at + taken + split(&mut blocks, at, taken, room, used);
            let page = blocks.get(at..next).unwrap_or_default();
            let left = promise(missing(blocks.get(next..).unwrap_or_default(), beyond));
            pages.push(compose(page.iter(), &footer, Some(left)));
            at = next;
        }
    }
}

/// How many blocks share the first page with the notes; None when the notes are long, or when
/// they would leave no item there or push a critical one off.
fn beside_notes(blocks: &[Block], notes: &[Block], room: usize) -> Option<usize> {
    let notes_units = fitting(notes.iter(), usize::MAX).1 + GAP;
    let (taken, _) = fitting(blocks.iter(), room.saturating_sub(notes_units));
    let shows_items = taken
        .checked_sub(1)
        .and_then(|last| blocks.get(last))
        .is_some_and(Block::is_item);
    let pushes_critical = blocks.get(taken).is_some_and(Block::is_critical);
    (!notes.is_empty() && notes_units <= room / 4 && shows_items && !pushes_critical).then_some(taken)
}

/// What a page usually takes, to allocate once.
const PAGE_BYTES: usize = 2048;

/// The longest gap between two parts of a page: an empty line.
const GAP: usize = 2;

/// Splits the block after the `taken` ones when no page could hold it whole and this one has
/// room for a good part of it (a fresh page always has). Returns how many more blocks this
/// page takes: 1 when it split, else 0.
fn split(blocks: &mut Vec<Block>, at: usize, taken: usize, room: usize, used: usize) -> usize {
    let cut_at = at + taken;
    let previous = taken.checked_sub(1).and_then(|i| blocks.get(at + i));
    let Some(block) = blocks.get(cut_at) else { return 0 };
    let too_long = joint_units(None, block) + block.units > room;
    let left = room.saturating_sub(used + joint_units(previous, block));
    if taken > 0 && (!too_long || left < room / 4) {
        return 0;
    }
    let Some((head, tail)) = cut(&block.text, left.max(1)) else {
        // It fits after all; only a page of nothing but footer comes here.
        return 1;
    };
    let parts = [head, tail].map(|part| Block::new(block.kind, part.to_owned(), block.heading.clone()));
    blocks.splice(cut_at..=cut_at, parts);
    1
}

/// How many items are still to come: a split one counts until its end is shown.
fn missing(left: &[Block], beyond: u64) -> u64 {
    let items = left.iter().filter(|block| block.is_item()).count() as u64;
    items.saturating_add(beyond)
}

fn promise(missing: u64) -> String {
    if missing == 0 {
        phrases().say("format.continues", &[])
    } else {
        phrases().say("format.more", &[("n", &missing)])
    }
}

/// The longest promise that a page may need, so that its room can be kept.
fn promise_units_max(missing: u64) -> usize {
    [0, 1, missing]
        .map(|n| units(&promise(n)))
        .into_iter()
        .max()
        .unwrap_or_default()
}

/// How many of the blocks fit together into `room`, and the units they take.
fn fitting<'a>(blocks: impl Iterator<Item = &'a Block>, room: usize) -> (usize, usize) {
    let (mut count, mut used, mut previous) = (0, 0, None);
    for block in blocks {
        let with = used + joint_units(previous, block) + block.units;
        if with > room {
            break;
        }
        (count, used, previous) = (count + 1, with, Some(block));
    }
    (count, used)
}

/// What stands between two blocks: the gap, and a heading where it changes.
fn joint<'a>(previous: Option<&Block>, block: &'a Block) -> (&'static str, Option<&'a str>) {
    let heading = block
        .heading
        .as_deref()
        .filter(|heading| previous.is_none_or(|previous| previous.heading.as_deref() != Some(heading)));
    let gap = match previous {
        None => "",
        Some(previous) => match (previous.kind, block.kind) {
            (Kind::Line | Kind::Title, Kind::Line) | (Kind::Note, Kind::Note) => "\n",
            (Kind::Item(_), Kind::Item(_))
                if heading.is_none() && previous.lines == Lines::One && block.lines == Lines::One =>
            {
                "\n"
            }
            _ => "\n\n",
        },
    };
    (gap, heading)
}

fn joint_units(previous: Option<&Block>, block: &Block) -> usize {
    let (gap, heading) = joint(previous, block);
    gap.len() + heading.map_or(0, |heading| units(heading) + 1)
}

fn compose<'a>(blocks: impl Iterator<Item = &'a Block>, footer: &str, promise: Option<String>) -> String {
    let mut page = String::with_capacity(PAGE_BYTES);
    let mut previous = None;
    for block in blocks {
        let (gap, heading) = joint(previous, block);
        page.push_str(gap);
        if let Some(heading) = heading {
            page.push_str(heading);
            page.push('\n');
        }
        page.push_str(&block.text);
        previous = Some(block);
    }
    let gap = |page: &str| if page.is_empty() { "" } else { "\n\n" };
    if !footer.is_empty() {
        page.push_str(gap(&page));
        page.push_str(footer);
    }
    if let Some(promise) = promise {
        page.push_str(gap(&page));
        page.push_str(&promise);
    }
    page
}
