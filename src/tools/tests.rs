//! The catalogue and the answers of the tools on the demo operator.

use serde_json::json;

use super::fixture::call;
use crate::domain::caller::Caller;

#[test]
fn a_site_at_a_glance_is_three_tasks_no_critical_alarm_and_authorised() {
    let output = call(&Caller::Desk, "quick_site_status", json!({"site_id": "sitio 2"})).unwrap();
    assert_eq!(output.params, json!({"site_id": "SITE-002"}));
    assert_eq!(output.value["active_tasks"], 3);
    assert_eq!(output.value["critical_alarms"], 0);
    assert_eq!(output.value["access"]["authorization"]["status"], "authorized");
}

#[test]
fn zona_norte_has_twelve_critical_stalled_tasks() {
    let args = json!({"status": "stalled", "criticality": "critical", "zone": "Zona Norte"});
    let output = call(&Caller::Desk, "search_tasks", args).unwrap();
    assert_eq!(output.count, Some(12));
    assert_eq!(output.params["zone"], "norte");
}
