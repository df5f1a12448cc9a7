//! What must hold for every answer and every text, tried on thousands of them.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::cut::{cut, units};
use super::neutral::neutral;
use super::whatsapp::{self, PAGE_UNITS_MAX};
use super::{markdown, plain};
use crate::domain::answer::{Answer, Item, Line, Severity};

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-záéíóúñ]{1,12}",
        2 => (1..999_u32).prop_map(|n| format!("SITE-{n:03}")),
        2 => (10_000..99_999_u32).prop_map(|n| format!("T-{n}")),
        2 => Just("1.234,5".to_owned()),
        1 => Just("👩‍👩‍👧‍👦👍🏽🇨🇱".to_owned()),
        1 => Just("*ojo*".to_owned()),
        1 => "[a-z]{100,300}",
        1 => "[\u{300}-\u{304}\u{1f600}-\u{1f640}ﷺ一-龥]{1,20}",
    ]
}

fn text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec((word(), prop_oneof![9 => Just(" "), 1 => Just("\n")]), words)
        .prop_map(|words| words.into_iter().map(|(word, gap)| format!("{word}{gap}")).collect())
}

fn severity() -> impl Strategy<Value = Severity> {
    prop_oneof![
        Just(Severity::Critical),
        Just(Severity::High),
        Just(Severity::Normal),
        Just(Severity::Low)
    ]
}

/// Answers whose items begin with a mark of their own (`⟦7⟧`), by which a page shows that it holds them.
fn answer() -> impl Strategy<Value = Answer> {
    let line = (text(1..30), any::<bool>()).prop_map(|(text, title)| Line { text, title });
    let item = (text(1..40), severity(), prop::option::of("[A-C]"), any::<bool>());
    let items = prop::collection::vec(item, 0..40).prop_map(|items| {
        let items = items.into_iter().enumerate();
        let item = |(n, (text, severity, group, numbered))| Item {
            text: format!("⟦{n}⟧ {text}"),
            severity,
            group,
            subject: None,
            numbered,
        };
        items.map(item).collect::<Vec<_>>()
    });
    let ends = (prop::collection::vec(text(1..20), 0..4), text(0..10), 0..9_u64);
    (prop::collection::vec(line, 0..4), items, ends).prop_map(|(lead, items, (notes, footer, beyond))| Answer {
        lead,
        items,
        beyond,
        notes,
        footer,
        ..Answer::default()
    })
}

/// The marks on a page, in their order.
fn marks(page: &str) -> Vec<usize> {
    let marks = page.split('⟦').skip(1).filter_map(|part| part.split_once('⟧'));
    marks.filter_map(|(mark, _)| mark.parse().ok()).collect()
}

/// The last number of a page's promise, if it makes one.
fn promised(page: &str) -> Option<u64> {
    let line = page.lines().next_back()?;
    let n = line.strip_prefix("Faltan ").or_else(|| line.strip_prefix("Falta "))?;
    n.strip_suffix(". Responde MÁS para seguir.")?.parse().ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_page_is_too_long(answer in answer()) {
        for page in whatsapp::pages(&answer) {
            prop_assert!(page.encode_utf16().count() <= PAGE_UNITS_MAX);
            prop_assert!(page.chars().count() <= PAGE_UNITS_MAX);
        }
    }

    #[test]
    fn pages_hold_every_item_once_in_the_order_of_rank(answer in answer()) {
        let shown: Vec<usize> = whatsapp::pages(&answer).iter().flat_map(|page| marks(page)).collect();
        let mut ranked: Vec<usize> = (0..answer.items.len()).collect();
        ranked.sort_by_key(|n| answer.items[*n].severity);
        prop_assert_eq!(&shown, &ranked);
        prop_assert_eq!(marks(&whatsapp::full(&answer)), ranked.clone());
        let text = markdown::render(&answer);
        prop_assert_eq!(marks(&text), ranked);
    }

    #[test]
    fn nothing_critical_is_dropped_while_something_lesser_is_kept(answer in answer()) {
        let first = marks(&whatsapp::first(&answer).text);
        let least_kept = first.iter().map(|n| answer.items[*n].severity).max();
        let dropped = (0..answer.items.len()).filter(|n| !first.contains(n));
        let most_dropped = dropped.map(|n| answer.items[n].severity).min();
        prop_assert!(least_kept.is_none() || most_dropped.is_none() || least_kept <= most_dropped);
    }

    #[test]
    fn every_page_but_the_last_says_how_many_are_missing(answer in answer()) {
        let pages = whatsapp::pages(&answer);
        let total = answer.items.len() as u64 + answer.beyond;
        let mut seen = 0;
        for (at, page) in pages.iter().enumerate() {
            seen += marks(page).len() as u64;
            let last = at + 1 == pages.len();
            match promised(page) {
                // The end of a split item is still missing though its mark was shown.
                Some(n) => prop_assert!(n == total - seen || n == total - seen + 1),
                None if last => prop_assert_eq!(answer.beyond, 0),
                None => prop_assert!(page.ends_with("Sigue. Responde MÁS para seguir.")),
            }
        }
    }

    #[test]
    fn the_lead_comes_first_and_whole(answer in answer()) {
        let answer = Answer { footer: String::new(), notes: Vec::new(), ..answer };
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let is_promise = |line: &&str| promised(line).is_some() || line.starts_with("Sigue. ");
        let pages = whatsapp::pages(&answer).join("\n");
        let shown: String = pages.lines().filter(|line| !is_promise(line)).map(letters).collect();
        let lead: String = answer.lead.iter().map(|line| letters(&line.text)).collect();
        prop_assert!(shown.starts_with(&lead));
    }

}

proptest! {
    #[test]
    fn numbers_ids_and_graphemes_are_never_split(text in text(1..120), budget in 320..400_usize) {
        let tokens = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while let Some((head, tail)) = cut(rest, budget) {
            prop_assert!(!head.is_empty() && units(head) <= budget);
            parts.push(head);
            rest = tail;
        }
        parts.push(rest);
        // Words are shorter than the budget here, so that every cut is at white space.
        prop_assert_eq!(parts.iter().flat_map(|part| tokens(part)).collect::<Vec<_>>(), tokens(&text));
    }

    #[test]
    fn without_white_space_a_cut_is_at_a_grapheme_and_outside_of_ids(
        words in prop::collection::vec(prop_oneof!["[a-z]{1,9}", Just("SITE-002".to_owned()), Just("1.234,5".to_owned()), Just("👩‍👩‍👧‍👦".to_owned())], 5..80),
        budget in 20..60_usize,
    ) {
        let text = words.join(";");
        let boundaries: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
        let mut rest = text.as_str();
        let mut parts = Vec::new();
        while let Some((head, tail)) = cut(rest, budget) {
            prop_assert!(boundaries.contains(&(text.len() - tail.len())));
            parts.push(head);
            rest = tail;
        }
        parts.push(rest);
        for token in ["SITE-002", "1.234,5"] {
            let count = |text: &str| text.matches(token).count();
            prop_assert_eq!(parts.iter().map(|part| count(part)).sum::<usize>(), count(&text));
        }
    }

    #[test]
    fn data_never_works_as_markup(text in "[a-z*_~` .,\n>1-3]{0,60}") {
        let pair = |marker: &str| regex::Regex::new(&format!(r"(?m)(?:^|[^\pL\pN]){0}[^\s](?:[^\n]*[^\s\n])?{0}(?:$|[^\pL\pN])", regex::escape(marker))).unwrap();
        let safe = neutral(&text);
        for marker in ["*", "_", "~", "`"] {
            let found = pair(marker).find(&safe).map(|found| found.as_str().to_owned());
            // `**` has nothing between its markers.
            prop_assert!(found.as_deref().is_none_or(|found| found.trim_matches(|c: char| !marker.contains(c)).chars().all(|c| marker.contains(c))), "{:?} in {:?}", found, safe);
        }
        prop_assert_eq!(neutral(&safe), safe.clone());
        prop_assert_eq!(safe.chars().count(), text.chars().count());
    }

    #[test]
    fn plain_twice_is_plain_once(text in "[a-c#*_~`|>\\[\\]()<:\\-=+ \n1./\\\\]{0,120}") {
        let once = plain(&text);
        prop_assert_eq!(plain(&once), once);
    }

    #[test]
    fn plain_leaves_words_alone(words in prop::collection::vec("[a-zñ0-9]{1,8}([_.,-][a-z0-9]{1,5})?", 0..40)) {
        let text = words.join(" ");
        prop_assert_eq!(plain(&text), text);
    }
}
