//! Days in words, on a Monday in November.

use super::*;
use crate::planner::features::raw_words;

/// Monday, 23 November 2026, noon in Santiago.
fn read(text: &str) -> (Dated, String) {
    let mut words = raw_words(text);
    let now = "2026-11-23T15:00:00Z".parse().unwrap();
    let dated = take(&mut words, now, &TimeZone::get("America/Santiago").unwrap());
    (dated, words.join(" "))
}

#[test]
fn calendar_words_are_whole_local_days() {
    for (text, from, to) in [
        ("tareas de hoy", "2026-11-23", "2026-11-23"),
        ("cerradas ayer", "2026-11-22", "2026-11-22"),
        ("anteayer", "2026-11-21", "2026-11-21"),
        ("antes de ayer", "2026-11-21", "2026-11-21"),
        ("mttr de la semana pasada", "2026-11-16", "2026-11-22"),
        ("numeros de la semana", "2026-11-23", "2026-11-23"),
        ("la semana pasada", "2026-11-16", "2026-11-22"),
        ("esta semana", "2026-11-23", "2026-11-23"),
        ("el lunes", "2026-11-23", "2026-11-23"),
        ("el lunes pasado", "2026-11-16", "2026-11-16"),
        ("desde el viernes", "2026-11-20", "2026-11-23"),
        ("desde el lunes hasta hoy", "2026-11-23", "2026-11-23"),
        ("en noviembre", "2026-11-01", "2026-11-23"),
        ("en diciembre", "2025-12-01", "2025-12-31"),
        ("octubre de 2025", "2025-10-01", "2025-10-31"),
        ("este mes", "2026-11-01", "2026-11-23"),
        ("el mes pasado", "2026-10-01", "2026-10-31"),
        ("del 3 al 10 de noviembre", "2026-11-03", "2026-11-10"),
        ("entre el 3 y el 10", "2026-11-03", "2026-11-10"),
        ("3 de diciembre", "2025-12-03", "2025-12-03"),
        ("el fin de semana", "2026-11-21", "2026-11-22"),
        ("desde xday20261101", "2026-11-01", "2026-11-23"),
        ("el xday1112", "2026-11-12", "2026-11-12"),
    ] {
        let range = read(text).0.range.unwrap_or_else(|| panic!("{text}"));
        assert_eq!((range.from.as_str(), range.to.as_str()), (from, to), "{text}");
    }
}

#[test]
fn a_rolling_period_ends_now() {
    for (text, period) in [
        ("mttr ultimos 7 dias", "7d"),
        ("ultimas 24 horas", "24h"),
        ("ultima semana", "7d"),
        ("kpi 30d", "30d"),
        ("ult 3 dias", "3d"),
        ("desde hace 2 dias", "2d"),
        ("las ultimas 2 semanas", "14d"),
    ] {
        let dated = read(text).0;
        assert_eq!(dated.period.as_deref(), Some(period), "{text}");
        assert_eq!(dated.range.unwrap().to, "2026-11-23T15:00:00Z");
    }
}

#[test]
fn how_long_something_stands_still_is_no_date() {
    for (text, hours) in [
        ("sin movimiento hace 48 horas", 48.0),
        ("mas de 3 dias sin avance", 72.0),
        ("llevan mas de 72h", 72.0),
    ] {
        let dated = read(text).0;
        assert_eq!((dated.hours, dated.range), (Some(hours), None), "{text}");
    }
}

#[test]
fn the_words_of_a_date_are_masked() {
    assert_eq!(read("tareas cerradas la semana pasada").1, "tareas cerradas la xdate");
    assert_eq!(read("dame 5 tareas").1, "dame 5 tareas");
    assert_eq!(
        read("que trabajos tengo para manana").1,
        "que trabajos tengo para xdate"
    );
}

#[test]
fn impossible_dates_are_nothing() {
    for text in ["31 de febrero", "el 40 de mayo", "ultimos 999999 dias", "xday20261350"] {
        assert_eq!(read(text).0.range, None, "{text}");
    }
}
