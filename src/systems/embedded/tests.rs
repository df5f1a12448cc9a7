//! Orders on the demo operator: what changes, what is written about it, and what is refused.

use jiff::tz::TimeZone;

use super::*;
use crate::domain::clock::ZoneTimes;
use crate::domain::geo::Point;

fn now() -> Timestamp {
    "2026-11-30T13:41:00Z".parse().unwrap()
}

fn world() -> World {
    World::demo(now(), ZoneTimes::new(TimeZone::UTC, vec![])).unwrap()
}

fn order(by: Option<&str>, change: Change) -> Order {
    Order {
        id: Uuid::nil(),
        change,
        by: by.map(|id| EmployeeId::parse(id).unwrap()),
        at: now(),
    }
}

fn update(task: &str, status: Option<TaskStatus>, action: Option<TaskAction>) -> Change {
    Change::UpdateTask {
        task_id: TaskId::parse(task).unwrap(),
        status,
        action,
        reason: Some("quedó".to_owned()),
        at_point: None,
    }
}

fn of<T: serde::de::DeserializeOwned>(effect: &Effect, kind: RecordKind) -> Vec<T> {
    let of_kind = effect.records.iter().filter(|put| put.kind == kind);
    of_kind
        .map(|put| serde_json::from_value(put.value.clone()).unwrap())
        .collect()
}

#[test]
fn closing_a_task_closes_it_now_and_writes_why() {
    let (world, change) = (world(), update("T-10001", Some(TaskStatus::Closed), None));
    let effect = perform(&world, &order(Some("E-027"), change)).unwrap();
    let [task] = of::<Task>(&effect, RecordKind::Tasks).try_into().unwrap();
    assert_eq!(
        (task.status, task.closed_at, task.updated_at),
        (TaskStatus::Closed, Some(now()), now())
    );
    let [event] = of::<TaskEvent>(&effect, RecordKind::Events).try_into().unwrap();
    assert_eq!(
        (
            event.kind,
            event.text.as_str(),
            event.from_value.as_deref(),
            event.to_value.as_deref()
        ),
        (EventKind::Closed, "quedó", Some("stalled"), Some("closed"))
    );
    assert_eq!(event.author_id.unwrap().as_str(), "E-027");
    let known = world.records().events.iter();
    assert!(known.clone().all(|e| e.id < event.id), "{}", event.id);
}

#[test]
fn who_takes_a_task_has_it_and_their_crew_too() {
    let effect = perform(
        &world(),
        &order(Some("E-022"), update("T-10001", None, Some(TaskAction::Take))),
    )
    .unwrap();
    let [task] = of::<Task>(&effect, RecordKind::Tasks).try_into().unwrap();
    assert_eq!(task.technician_id.unwrap().as_str(), "E-022");
    assert_eq!(task.crew_id.unwrap().as_str(), "CU-AN-01");
    assert_eq!(task.status, TaskStatus::Stalled);
}

#[test]
fn who_arrives_brings_the_crew_to_the_site_and_the_task_in_progress() {
    let change = Change::UpdateTask {
        task_id: TaskId::parse("T-10001").unwrap(),
        status: None,
        action: Some(TaskAction::Arrived),
        reason: None,
        at_point: Some(Point::new(-23.6, -70.4).unwrap()),
    };
    let effect = perform(&world(), &order(Some("E-022"), change)).unwrap();
    let [task] = of::<Task>(&effect, RecordKind::Tasks).try_into().unwrap();
    assert_eq!(task.status, TaskStatus::InProgress);
    let [crew] = of::<Crew>(&effect, RecordKind::Crews).try_into().unwrap();
    assert_eq!((crew.status, crew.position_at), (CrewStatus::OnSite, Some(now())));
    assert_eq!(crew.current_task_id.unwrap().as_str(), "T-10001");
    assert_eq!(crew.point.unwrap().lat, -23.6);
}

#[test]
fn escalating_goes_one_level_up_and_stops_at_the_highest() {
    let world = world();
    let change = update("T-10001", None, Some(TaskAction::Escalate));
    let effect = perform(&world, &order(None, change)).unwrap();
    let [task] = of::<Task>(&effect, RecordKind::Tasks).try_into().unwrap();
    assert_eq!(task.escalation_level, 3);
    let [row] = of::<PanelRow>(&effect, RecordKind::Panel).try_into().unwrap();
    let to = world.employee(&row.escalated_to.unwrap()).unwrap();
    assert!(row.escalated && to.role == Role::Noc, "{:?}", to.role);
    let top = world
        .tasks()
        .iter()
        .find(|t| t.escalation_level == 3 && t.status.is_active())
        .unwrap();
    let change = update(top.id.as_str(), None, Some(TaskAction::Escalate));
    assert!(matches!(
        perform(&world, &order(None, change)),
        Err(WriteFault::Refused { .. })
    ));
}

#[test]
fn a_new_task_has_the_next_number_and_is_due_by_its_criticality() {
    let change = Change::CreateTask {
        site_id: SiteId::parse("SITE-002").unwrap(),
        title: "Sin energía".to_owned(),
        description: None,
        criticality: Criticality::Critical,
        work_type: WorkType::Corrective,
        crew_id: Some(CrewId::parse("CU-AN-01").unwrap()),
    };
    let world = world();
    let effect = perform(&world, &order(None, change)).unwrap();
    let [task] = of::<Task>(&effect, RecordKind::Tasks).try_into().unwrap();
    assert_eq!((task.id.as_str(), effect.reference.as_str()), ("T-11530", "T-11530"));
    assert_eq!(task.due_at.unwrap(), now() + SignedDuration::from_hours(8));
    assert_eq!(task.zone, world.site(&task.site_id).unwrap().zone);
    assert_eq!(of::<TaskEvent>(&effect, RecordKind::Events).len(), 2);
}

#[test]
fn nothing_happens_to_a_task_that_is_over_or_not_there() {
    let world = world();
    let over = world.tasks().iter().find(|t| !t.status.is_active()).unwrap();
    for task in [over.id.as_str(), "T-99999"] {
        let change = update(task, None, Some(TaskAction::Escalate));
        assert!(matches!(
            perform(&world, &order(None, change)),
            Err(WriteFault::Refused { .. })
        ));
    }
}
