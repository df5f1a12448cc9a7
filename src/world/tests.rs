//! Loading, checking, finding.

use jiff::tz::TimeZone;

use super::table::Table;
use super::*;
use crate::domain::text::fold;

fn now() -> Timestamp {
    "2026-11-30T13:41:00Z".parse().unwrap()
}

fn times() -> ZoneTimes {
    ZoneTimes::new(TimeZone::get("America/Santiago").unwrap(), vec![])
}

fn world() -> World {
    World::demo(now(), times()).unwrap()
}

/// A World of changed demo records.
fn changed(change: impl FnOnce(&mut Records)) -> World {
    let mut records = World::demo_records(now());
    change(&mut records);
    let fresh = Freshness {
        as_of: now(),
        live: true,
    };
    World::build(records, vec![], fresh, times())
}

const SITES: &str = "site_id,name,zone,region,comuna,address,lat,lon,site_type,technologies,criticality,status,power,battery_autonomy_h,owner,access_type,contact_name,contact_phone,last_visit_min_ago\n";
const GOOD: &str = "SITE-001,Torre,norte,Tarapacá,Iquique,\"Camino 1, Iquique\",-20.2,-70.1,macro,2G|4G,high,active,grid,8,propio,key,,,60\n";

fn sites(text: &str) -> Result<Vec<Site>, LoadError> {
    Table::new("sites.csv", text, now()).read(rows::site, |site| site.id.as_str())
}

/// The site of a row in which one cell is replaced.
fn with_cell(from: &str, to: &str) -> Result<Site, LoadError> {
    assert!(GOOD.contains(from));
    sites(&format!("{SITES}{}", GOOD.replace(from, to))).map(|mut all| all.remove(0))
}

#[test]
fn the_ten_tables_are_loaded_whole() {
    let w = world();
    let counts = [
        w.sites().len(),
        w.tasks().len(),
        w.alarms().len(),
        w.crews().len(),
        w.employees().len(),
    ];
    assert_eq!(counts, [180, 1529, 543, 21, 73]);
    let rest = [
        w.records.events.len(),
        w.records.accesses.len(),
        w.records.panel.len(),
        w.records.assets.len(),
        w.monitors().len(),
    ];
    assert_eq!(rest, [6054, 127, 106, 722, 120]);
    assert_eq!(w.warnings(), [] as [&str; 0]);
    let zones: Vec<&str> = w.zones().iter().map(Zone::as_str).collect();
    assert_eq!(zones, ["norte", "metropolitana", "centro", "sur", "austral"]);
}

#[test]
fn a_broken_row_names_its_file_line_and_column() {
    let text = format!(
        "{SITES}{GOOD}{}",
        GOOD.replace("SITE-001", "SITE-002").replace("-20.2", "north")
    );
    let error = sites(&text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sites.csv, line 3, column lat: `north` is not a number"
    );
}

#[test]
fn each_kind_of_broken_cell_is_refused_in_its_column() {
    for (from, to, column) in [
        ("SITE-001", "torre", "site_id"),
        ("Torre", "", "name"),
        ("norte", "", "zone"),
        ("-20.2", "", "lat"),
        ("-20.2", "-95", "lat"),
        ("macro", "palo", "site_type"),
        ("high", "urgent", "criticality"),
        ("60", "ayer", "last_visit_min_ago"),
        ("60", "1e300", "last_visit_min_ago"),
    ] {
        let error = with_cell(from, to).unwrap_err();
        assert_eq!((error.line, error.column.as_str()), (2, column), "{to}: {error}");
    }
}

#[test]
fn a_row_of_another_length_and_a_missing_column_are_refused() {
    let error = sites(&format!("{SITES}SITE-001,Torre\n")).unwrap_err();
    assert_eq!(
        (error.line, error.problem.as_str()),
        (2, "the row has 2 cells, the header 19")
    );
    let error = sites("site_id\nSITE-001\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "sites.csv, line 2, column name: the column is missing"
    );
}

#[test]
fn a_line_inside_quotes_does_not_move_the_line_numbers() {
    let two_lines = GOOD.replace("Camino 1, Iquique", "Camino 1\nIquique");
    let broken = GOOD.replace("SITE-001", "SITE-002").replace("macro", "palo");
    let error = sites(&format!("{SITES}{two_lines}{broken}")).unwrap_err();
    assert_eq!((error.line, error.column.as_str()), (4, "site_type"));
}

#[test]
fn an_id_stands_only_once() {
    let error = sites(&format!("{SITES}{GOOD}{GOOD}")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sites.csv, line 3, column site_id: the id stands already in line 2"
    );
}

#[test]
fn the_same_id_written_otherwise_is_the_same_id() {
    let error = sites(&format!("{SITES}{GOOD}{}", GOOD.replace("SITE-001", "site1"))).unwrap_err();
    assert_eq!((error.line, error.column.as_str()), (3, "site_id"));
}

#[test]
fn an_age_may_be_minutes_an_instant_never_or_nothing() {
    let visit = |cell: &str| with_cell("60", cell).unwrap().last_visit;
    let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    assert_eq!(visit("60"), at("2026-11-30T12:41:00Z"));
    assert_eq!(visit("0"), Some(now()), "an age of 0 is now");
    assert_eq!(visit("-90"), at("2026-11-30T15:11:00Z"));
    assert_eq!(visit("2026-01-02T03:04:05Z"), at("2026-01-02T03:04:05Z"));
    for none in [
        "",
        "never",
        "Never",
        "1970-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "9223372036854775807",
    ] {
        assert_eq!(visit(none), None, "{none}");
    }
}

#[test]
fn a_number_at_the_sentinel_is_no_number() {
    let site = with_cell(",8,", ",9223372036854775807,").unwrap();
    assert_eq!(site.battery_autonomy_h, None);
    assert_eq!(with_cell(",8,", ",,").unwrap().battery_autonomy_h, None);
}

#[test]
fn what_names_something_unknown_is_kept_and_warned_of() {
    let w = changed(|r| {
        r.tasks[0].site_id = SiteId::parse("SITE-900").unwrap();
        r.crews[0].lead_id = EmployeeId::parse("E-900").ok();
    });
    let task = &World::demo_records(now()).tasks[0].id;
    assert!(w.task(task).is_some());
    assert_eq!(
        w.warnings(),
        [
            format!("{task} names a site that is not there: SITE-900"),
            "CU-AN-01 names a lead that is not there: E-900".to_owned(),
        ]
    );
}

#[test]
fn tasks_stand_most_critical_then_oldest_and_every_group_keeps_that() {
    let w = world();
    let key = |t: &Task| (t.criticality, t.created_at, t.id.clone());
    assert!(w.tasks().is_sorted_by_key(key));
    assert!(w.active_tasks().is_sorted_by_key(key));
    let norte = Zone::parse("norte").unwrap();
    assert!(w.tasks_of_zone(&norte).is_sorted_by_key(key));
    assert_eq!(w.tasks_of_zone(&norte).count(), 286);
}

#[test]
fn the_panel_is_ordered_and_a_closed_task_has_left_it() {
    let w = world();
    assert_eq!(w.panel().count(), 106);
    let key = |(row, task): &(&PanelRow, &Task)| (row.priority, std::cmp::Reverse(row.affected_customers), task.due_at);
    assert!(w.panel().map(|pair| key(&pair)).is_sorted());
    let first = w.panel().next().unwrap().1.id.clone();
    let w = changed(|r| {
        let task = r.tasks.iter_mut().find(|t| t.id == first).unwrap();
        task.status = crate::domain::sets::TaskStatus::Cancelled;
    });
    assert_eq!(w.panel().count(), 105);
}

#[test]
fn a_person_is_found_by_any_written_form_of_the_number() {
    let w = changed(|r| {
        r.employees[0].phone = "+52 55 1234 5678".into();
        r.employees[1].phone = "+5491123456789".into();
        r.employees[2].phone = "+55 11 98765-4321".into();
    });
    let id = |number: &str| w.employee_by_phone(number).map(|e| e.id.as_str());
    assert_eq!(id("whatsapp:+5215512345678"), Some("E-001"));
    assert_eq!(id("525512345678"), Some("E-001"));
    assert_eq!(id("+541123456789"), Some("E-002"));
    assert_eq!(id("+551187654321"), Some("E-003"));
    assert_eq!(id("whatsapp:+56980000022"), Some("E-022"));
    assert_eq!(id("+56999999999"), None);
    assert_eq!(id(""), None);
}

#[test]
fn a_variant_never_outdoes_the_exact_number() {
    let w = changed(|r| {
        r.employees[0].phone = "+525512345678".into();
        r.employees[1].phone = "+5215512345678".into();
    });
    let id = |number: &str| w.employee_by_phone(number).map(|e| e.id.as_str());
    assert_eq!(
        (id("+525512345678"), id("+5215512345678")),
        (Some("E-001"), Some("E-002"))
    );
}

#[test]
fn somebody_who_has_left_is_an_unknown_number() {
    let w = world();
    let left = w.employees().iter().find(|e| !e.active).unwrap();
    assert!(w.employee_by_phone(&left.phone).is_none());
    assert!(w.employee(&left.id).is_some());
    assert!(w.members_of(left.crew_id.as_ref().unwrap()).all(|e| e.id != left.id));
}

#[test]
fn names_match_by_the_beginnings_of_words_and_a_whole_name_stands_alone() {
    let w = world();
    let people = |text: &str| {
        w.people_named(&fold(text))
            .iter()
            .map(|e| e.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(people("MARTINEZ"), ["E-001", "E-010", "E-022"]);
    assert_eq!(people("jorge mart"), ["E-001"]);
    assert_eq!(people("tinez"), [] as [String; 0]);
    let sites = |text: &str| w.sites_named(&fold(text)).len();
    assert_eq!(sites("Torre Arica"), 1);
    assert!(sites("torre ari") >= 1);
}

#[test]
fn a_place_is_a_comuna_first_then_a_region_and_santiago_is_the_zone() {
    let w = world();
    let kind = |text: &str| match w.place(text) {
        PlaceMatch::Place(place) => format!("{:?} {}", place.kind, place.name),
        PlaceMatch::Zone(zone) => format!("zone {zone}"),
        PlaceMatch::Several(all) => format!("{} places", all.len()),
        PlaceMatch::Unknown => "unknown".into(),
    };
    assert_eq!(kind("antofagasta"), "Comuna Antofagasta");
    assert_eq!(kind("región de Antofagasta"), "Region Antofagasta");
    assert_eq!(kind("Tarapaca"), "Region Tarapacá");
    assert_eq!(kind("Santiago"), "zone metropolitana");
    assert_eq!(kind("RM"), "zone metropolitana");
    assert_eq!(kind("comuna de Santiago"), "Comuna Santiago");
    assert_eq!(kind("la serena"), "Comuna La Serena");
    assert_eq!(kind("vina"), "Comuna Viña del Mar");
    assert!(kind("san").ends_with("places"), "{}", kind("san"));
    assert_eq!(kind("atlantis"), "unknown");
}

#[test]
fn the_nearest_sites_are_those_a_slip_away() {
    let w = world();
    let nearest = |text: &str| {
        w.nearest_site_ids(text)
            .iter()
            .map(|(id, _)| id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(nearest("SITE-999").first().map(String::as_str), Some("SITE-099"));
    assert_eq!(nearest("torre arika").first().map(String::as_str), Some("SITE-002"));
    assert_eq!(nearest("zzzz"), [] as [String; 0]);
}

#[test]
fn a_reader_keeps_the_picture_it_began_with() {
    let handle = WorldHandle::new(world());
    let before = handle.load();
    handle.swap(changed(|r| r.tasks.clear()));
    assert_eq!((before.tasks().len(), handle.load().tasks().len()), (1529, 0));
}

#[test]
fn each_system_is_as_old_as_it_is() {
    let records = World::demo_records(now());
    let old: Timestamp = "2026-11-30T10:00:00Z".parse().unwrap();
    let stale = Freshness {
        as_of: old,
        live: false,
    };
    let fresh = Freshness {
        as_of: now(),
        live: true,
    };
    let w = World::build(records, vec![(System::Tasks, stale)], fresh, times());
    assert_eq!((w.as_of(System::Tasks), w.live(System::Tasks)), (old, false));
    assert_eq!((w.as_of(System::Sites), w.live(System::Sites)), (now(), true));
}
