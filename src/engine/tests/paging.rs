//! `MÁS` goes through the whole list, beyond what one call fetches, and keeps its numbers.

use super::{Talk, engine};

/// The numbers and task ids that a page shows: (`51`, `T-11363`).
fn rows(page: &str) -> Vec<(usize, String)> {
    let row = |line: &str| {
        let (number, rest) = line.split_once(". T-")?;
        let id: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some((number.parse().ok()?, format!("T-{id}")))
    };
    page.lines().filter_map(row).collect()
}

#[test]
fn every_row_comes_once_and_is_numbered_through() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let mut shown = rows(&talk.ask("todas las tareas").text);
    for _ in 0..40 {
        let page = talk.ask("MÁS").text;
        if rows(&page).is_empty() {
            break;
        }
        assert!(
            !page.contains("240 tareas"),
            "the count stands on the first page only: {page}"
        );
        shown.extend(rows(&page));
    }
    let numbers: Vec<usize> = shown.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=240).collect::<Vec<_>>());
    let mut ids: Vec<&String> = shown.iter().map(|(_, id)| id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 240, "none twice");
}

#[test]
fn a_number_beyond_the_first_fetch_means_the_row_that_bears_it() {
    let engine = engine();
    let mut talk = Talk::new(&engine);
    let mut page = talk.ask("todas las tareas").text;
    while !rows(&page).iter().any(|(number, _)| *number == 60) {
        page = talk.ask("MÁS").text;
    }
    let (_, id) = rows(&page).into_iter().find(|(number, _)| *number == 60).unwrap();
    let card = talk.ask("dame la 60").text;
    assert!(card.contains(&id), "{id}: {card}");
    let first = talk.ask("la 2").text;
    assert!(first.contains("T-10668"), "{first}");
}
