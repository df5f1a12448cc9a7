//! Names, parameters and schemas: what callers rely on.

use serde_json::{Value, json};

use super::kind;
use crate::domain::caller::Caller;
use crate::tools::fixture::call;
use crate::tools::{Disabled, MODULES, ToolError, specs};

/// The tools with their parameters, as `catalog.toml` names them; every list
/// also takes offset, and limit where the catalogue leaves it to the rule.
const CATALOGUE: [(&str, &str); 65] = [
    (
        "search_tasks",
        "status? site_id? zone? place? criticality? work_type? manager? crew_id? date_from? date_to? text? sort? limit? offset?",
    ),
    ("get_task_status", "task_id"),
    ("get_tasks_by_site", "site_id status? criticality? limit? offset?"),
    ("get_tasks_by_manager", "manager status? period? limit? offset?"),
    ("get_tasks_by_zone", "zone status? criticality? limit? offset?"),
    ("get_my_tasks", "status? limit? offset?"),
    ("get_task_timeline", "task_id limit? offset?"),
    ("get_task_sla", "task_id"),
    ("get_task_notes", "task_id limit? offset?"),
    ("count_tasks", "group_by status? zone? criticality? work_type? period?"),
    (
        "update_task_status",
        "task_id status? action? reason? location? dry_run? confirmation_token?",
    ),
    ("add_task_note", "task_id text media_ids? dry_run? confirmation_token?"),
    ("get_stalled_tasks", "zone? criticality? limit? offset?"),
    ("get_aging_tasks", "hours? zone? criticality? limit? offset?"),
    ("get_unassigned_tasks", "zone? criticality? limit? offset?"),
    ("get_sla_breaches", "zone? criticality? period? limit? offset?"),
    ("get_task_stats", "zone? period?"),
    ("get_kpi_summary", "zone? period?"),
    ("get_kpi_realtime", "zone?"),
    ("get_mttr", "zone? work_type? criticality? period?"),
    ("get_sla_compliance", "zone? criticality? period?"),
    ("get_kpi_trend", "metric zone? period? bucket"),
    ("get_backlog", "zone?"),
    ("get_kpi_by_manager", "zone? period? limit? offset?"),
    ("get_recurrence_patterns", "zone? period? min? limit? offset?"),
    ("get_field_task_details", "task_id"),
    ("find_nearest_sites", "location limit? with_active_tasks? offset?"),
    ("get_distance_to_site", "site_id location"),
    ("get_crew_status", "crew_id? zone? limit? offset?"),
    ("find_nearest_crews", "location available_only? limit? offset?"),
    (
        "create_field_task",
        "site_id title description? criticality work_type crew_id? dry_run? confirmation_token?",
    ),
    ("get_panel_summary", "zone? criticality?"),
    (
        "search_panel",
        "zone? criticality? escalated? priority? min_affected_customers? limit? offset?",
    ),
    ("get_escalations", "zone? level? limit? offset?"),
    ("get_priority_ranking", "zone? limit? offset?"),
    ("get_customer_impact", "zone? limit? offset?"),
    ("get_site_info", "site_id"),
    (
        "search_sites",
        "text? zone? place? site_type? status? criticality? comuna? limit? offset?",
    ),
    ("get_site_access", "site_id holder? limit? offset?"),
    ("get_site_inventory", "site_id equipment? limit? offset?"),
    ("get_site_contacts", "site_id"),
    ("get_site_history", "site_id period? limit? offset?"),
    ("get_daily_briefing", "zone?"),
    ("get_shift_handover", "zone? hours?"),
    ("classify_incident", "text site_id?"),
    ("compare_zones", "zones? period?"),
    ("analyze_site", "site_id period?"),
    ("get_network_health", "zone?"),
    ("get_site_alarms", "site_id severity? include_cleared? limit? offset?"),
    ("get_active_alarms", "zone? place? severity? category? limit? offset?"),
    ("correlate_alarms_tasks", "zone? site_id? limit? offset?"),
    (
        "send_email",
        "to subject? body? template? values? dry_run? confirmation_token?",
    ),
    ("list_email_templates", ""),
    ("create_email_draft", "to subject? body? template? values?"),
    (
        "send_whatsapp",
        "to text? template? values? media_ids? dry_run? confirmation_token?",
    ),
    ("get_whatsapp_media", "task_id? site_id? from? period? limit?"),
    ("list_whatsapp_templates", ""),
    ("get_system_health", ""),
    ("get_service_uptime", "service? period?"),
    ("get_service_latency", "service?"),
    ("get_monitor_status", "site_id? metric? status? limit? offset?"),
    ("get_monitor_alerts", "zone? limit? offset?"),
    ("get_monitor_thresholds", "metric?"),
    ("quick_lookup", "id"),
    ("quick_site_status", "site_id"),
];

#[test]
fn the_tools_are_those_of_the_catalogue_with_its_parameters() {
    let sorted = |text: &str| {
        let mut words: Vec<String> = text
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        words.sort();
        words
    };
    let actual: Vec<(&str, Vec<String>)> = specs()
        .iter()
        .map(|spec| {
            let mut params: Vec<String> = spec
                .params()
                .map(|(name, _, needed)| format!("{name}{}", if needed { "" } else { "?" }))
                .collect();
            params.sort();
            (spec.name(), params)
        })
        .collect();
    let expected: Vec<(&str, Vec<String>)> = CATALOGUE.iter().map(|(name, params)| (*name, sorted(params))).collect();
    assert_eq!(actual, expected);
}

#[test]
fn thirty_five_tools_are_known_and_not_run_as_many_a_module_as_the_catalogue_says() {
    let counts: Vec<String> = MODULES
        .iter()
        .map(|m| format!("{} {}", m.name, m.disabled.len()))
        .collect();
    assert_eq!(
        counts.join(", "),
        "tasks 8, tasks_extra 5, kpis 4, field 6, panel 3, sites 4, analysis 0, network 2, email 1, whatsapp 0, \
         health 0, monitors 1, quick 1"
    );
    let rows: Vec<&Disabled> = MODULES.iter().flat_map(|m| m.disabled).collect();
    assert_eq!(rows.len(), 35);
    let mut names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 35, "each stands once");
    let known = |name: &str| CATALOGUE.iter().any(|(tool, _)| *tool == name);
    for row in rows {
        assert!(
            !known(row.name) && crate::tools::find(row.name).is_none(),
            "{} is active",
            row.name
        );
        assert!(known(row.replacement), "{} for {}", row.replacement, row.name);
        assert!(row.since.parse::<jiff::civil::Date>().is_ok(), "{}", row.since);
    }
}

#[test]
fn a_disabled_tool_answers_with_its_reason_and_its_replacement() {
    let row = crate::tools::disabled("list_tasks").unwrap();
    assert_eq!(
        row.error().to_string(),
        "disabled since 2026-11-30: it goes by another name now; use search_tasks"
    );
    assert!(crate::tools::disabled("search_tasks").is_none());
    assert!(crate::tools::disabled("drop_table").is_none());
}

#[test]
fn the_thirteen_modules_stand_in_the_catalogues_order() {
    let names: Vec<&str> = MODULES.iter().map(|m| m.name).collect();
    assert_eq!(
        names.join(" "),
        "tasks tasks_extra kpis field panel sites analysis network email whatsapp health monitors quick"
    );
}

#[test]
fn the_catalogue_is_what_it_was() {
    let catalogue: Vec<Value> = specs()
        .iter()
        .map(|spec| {
            json!({
                "name": spec.name(),
                "module": spec.module,
                "systems": spec.tool.systems(),
                "description": spec.description,
                "schema": spec.schema,
            })
        })
        .collect();
    insta::assert_json_snapshot!(catalogue);
}

#[test]
fn the_disabled_rows_are_what_they_were() {
    let rows: Vec<String> = MODULES
        .iter()
        .flat_map(|m| m.disabled.iter().map(move |row| (m.name, row)))
        .map(|(module, row)| {
            format!(
                "{module} {}: {} ({}), use {}",
                row.name, row.reason, row.since, row.replacement
            )
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"));
}

#[test]
fn the_schemas_fit_a_models_context() {
    const BYTES_MAX: usize = 60 * 1024;
    let bytes: usize = specs()
        .iter()
        .map(|spec| spec.name().len() + spec.description.len() + spec.schema.to_string().len())
        .sum();
    assert!(bytes <= BYTES_MAX, "{bytes}");
}

#[test]
fn every_schema_is_portable_and_every_parameter_described() {
    for spec in specs() {
        let text = spec.schema.to_string();
        for unportable in [
            "\"$ref\"",
            "\"$defs\"",
            "\"$schema\"",
            "null",
            "uint",
            "\"oneOf\"",
            "\"allOf\"",
        ] {
            assert!(!text.contains(unportable), "{}: {unportable} in {text}", spec.name());
        }
        assert_eq!(spec.schema["type"], "object");
        assert_eq!(spec.schema["additionalProperties"], false, "{}", spec.name());
        assert!(
            !spec.description.is_empty() && spec.description.len() < 320,
            "{}",
            spec.name()
        );
        for (name, schema, _) in spec.params() {
            assert!(schema["description"].is_string(), "{} {name}", spec.name());
        }
    }
}

#[test]
fn what_an_entity_can_fill_says_which() {
    let entity = |tool: &str, param: &str| {
        let spec = crate::tools::find(tool).unwrap();
        spec.schema["properties"][param]["x-entity"]
            .as_str()
            .unwrap_or("-")
            .to_owned()
    };
    for (tool, param, expected) in [
        ("search_tasks", "site_id", "site"),
        ("search_tasks", "zone", "zone"),
        ("search_tasks", "status", "status"),
        ("search_tasks", "manager", "manager"),
        ("search_tasks", "date_from", "date_from"),
        ("search_tasks", "place", "place"),
        ("get_kpi_summary", "period", "period"),
        ("count_tasks", "group_by", "group_by"),
        ("find_nearest_sites", "location", "location"),
        ("find_nearest_sites", "limit", "limit"),
        ("search_sites", "status", "site_status"),
        ("get_active_alarms", "severity", "severity"),
        ("quick_lookup", "id", "record"),
        ("get_task_status", "task_id", "task"),
    ] {
        assert_eq!(entity(tool, param), expected, "{tool} {param}");
    }
}

#[test]
fn every_numeric_field_of_an_answer_has_labels() {
    fn walk(path: &str, schema: &Value, seen: &mut usize) {
        let is_number = |t: &Value| t == "integer" || t == "number";
        let types = &schema["type"];
        if is_number(types) || types.as_array().is_some_and(|all| all.iter().any(is_number)) {
            let labels = schema["labels"].as_array();
            assert!(labels.is_some_and(|l| !l.is_empty()), "{path} has no labels");
            *seen += 1;
        }
        if let Some(map) = schema.as_object() {
            for (key, inner) in map.iter().filter(|(key, _)| *key != "labels") {
                walk(&format!("{path}.{key}"), inner, seen);
            }
        }
        for (at, inner) in schema.as_array().into_iter().flatten().enumerate() {
            walk(&format!("{path}[{at}]"), inner, seen);
        }
    }
    let mut seen = 0;
    for spec in specs() {
        walk(spec.name(), &spec.output_schema, &mut seen);
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn labels_are_folded_words() {
    for spec in specs() {
        let text = spec.output_schema.to_string();
        for labels in text.split("\"labels\":[").skip(1) {
            let labels = labels.split(']').next().unwrap();
            assert_eq!(
                crate::domain::text::fold(labels),
                labels.to_lowercase(),
                "{}",
                spec.name()
            );
        }
    }
}

#[test]
fn an_invented_argument_is_answered_with_the_valid_ones() {
    let error = call(&Caller::Desk, "get_stalled_tasks", json!({"region": "norte"})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "region: unknown field `region`, expected one of `zone`, `criticality`, `limit`, `offset`"
    );
}

#[test]
fn a_bad_argument_is_named_with_what_it_may_be() {
    let desk = Caller::Desk;
    let message = |tool, args| match call(&desk, tool, args) {
        Err(ToolError::Arguments { field, message }) => format!("{field}: {message}"),
        other => panic!("{other:?}"),
    };
    let status = message("search_tasks", json!({"zone": "norte", "status": "urgente"}));
    assert!(
        status.starts_with("status: unknown variant `urgente`, expected one of `open`"),
        "{status}"
    );
    let limit = message("search_tasks", json!({"limit": 500}));
    assert_eq!(limit, "limit: 500 is out of range, use 1 to 200");
    assert_eq!(
        message("search_tasks", json!({"limit": 0})),
        "limit: 0 is out of range, use 1 to 200"
    );
    let period = message("get_kpi_summary", json!({"period": "una semana"}));
    assert!(period.starts_with("period: ") && period.contains("7d"), "{period}");
    let site = message("get_site_info", json!({"site_id": "AC-7003"}));
    assert_eq!(site, "site_id: `AC-7003` is not a site id like SITE-001 or RM-1161");
    let missing = message("get_distance_to_site", json!({"site_id": "SITE-001"}));
    assert_eq!(missing, "location: missing field `location`");
    let off_the_earth = message("find_nearest_sites", json!({"location": {"lat": 95, "lon": 0}}));
    assert!(off_the_earth.starts_with("location: "), "{off_the_earth}");
    let backwards = message(
        "search_tasks",
        json!({"date_from": "2026-11-30", "date_to": "2026-11-29"}),
    );
    assert_eq!(backwards, "date_to: date_to is before date_from");
    assert_eq!(kind(call(&desk, "get_site_info", json!([]))), "arguments ");
}

#[test]
fn null_and_nothing_are_the_same() {
    let desk = Caller::Desk;
    let with = call(&desk, "get_panel_summary", json!({"zone": null})).unwrap();
    let without = call(&desk, "get_panel_summary", Value::Null).unwrap();
    assert_eq!(with, without);
}

#[test]
fn the_echo_shows_what_was_resolved_and_the_defaults() {
    let desk = Caller::Desk;
    let params = |tool, args| call(&desk, tool, args).unwrap().params;
    assert_eq!(
        params(
            "search_tasks",
            json!({"site_id": "sitio 1", "manager": "jorge", "zone": "Zona NORTE"})
        ),
        json!({
            "status": "active", "site_id": "SITE-001", "zone": "norte", "manager": "E-001",
            "sort": "criticality", "limit": 50
        })
    );
    assert_eq!(params("get_kpi_summary", json!({})), json!({"period": "7d"}));
    assert_eq!(
        params("quick_lookup", json!({"id": "torre arica"})),
        json!({"id": "SITE-002"})
    );
    assert_eq!(
        params(
            "get_distance_to_site",
            json!({"site_id": "site2", "location": "-33.45, -70.66"})
        ),
        json!({"site_id": "SITE-002", "location": {"lat": -33.45, "lon": -70.66}})
    );
}
