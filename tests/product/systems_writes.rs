//! Writes to a system outside: each arrives once, and what came of it is seen by reading.

use jiff::Timestamp;
use relevo::config::Config;
use relevo::domain::change::{Change, Order, RecordKind};
use relevo::domain::ids::{SiteId, TaskId};
use relevo::domain::sets::{Criticality, TaskAction, TaskStatus, WorkType};
use relevo::net::Http;
use relevo::systems::{Stepped, Systems, WriteFault, first_world};
use relevo::world::WorldHandle;
use serde_json::{Value, json};

use crate::support::fake_operator::{FakeOperator, Mood, Product};

/// The worked example's systems on this operator, read once.
async fn read(operator: &FakeOperator) -> Systems {
    let mut env: std::collections::BTreeMap<String, String> = operator.settings().into_iter().collect();
    env.insert("RELEVO_NOW".into(), crate::support::app::NOW.into());
    let config = Config::load(&env).unwrap();
    let world = WorldHandle::new(first_world(&config, config.zone_times().unwrap()).unwrap());
    let systems = Systems::open(&config, world, &Http::new().unwrap(), None);
    for mut syncer in systems.syncers(config.clock) {
        assert!(matches!(syncer.step().await, Stepped::Fresh(_)));
    }
    systems
}

fn order(change: Change) -> Order {
    Order {
        id: uuid::Uuid::now_v7(),
        change,
        by: None,
        at: crate::support::app::NOW.parse::<Timestamp>().unwrap(),
    }
}

fn close(id: &str) -> Order {
    order(Change::UpdateTask {
        task_id: TaskId::parse(id).unwrap(),
        status: Some(TaskStatus::Closed),
        action: None,
        reason: Some("Quedó en servicio".to_owned()),
        at_point: None,
    })
}

fn put(effect: &relevo::domain::change::Effect, kind: RecordKind) -> &Value {
    &effect.records.iter().find(|put| put.kind == kind).unwrap().value
}

#[tokio::test]
async fn a_write_reaches_the_system_once_and_comes_back_as_its_own_record() {
    let operator = FakeOperator::start().await;
    let systems = read(&operator).await;
    let order = close("T-00001");
    let effect = systems.perform(&order).await.unwrap();
    assert_eq!((effect.reference.as_str(), operator.state().done), ("T-00001", 1));
    let task = put(&effect, RecordKind::Tasks);
    assert_eq!(
        (&task["status"], &task["title"]),
        (&json!("closed"), &json!("Falla de prueba 1"))
    );
    let sent: Value = serde_json::from_slice(&operator.writes()[0].body).unwrap();
    assert_eq!(sent["issue"]["status_id"], 5);
    assert!(
        sent["issue"]["notes"]
            .as_str()
            .unwrap()
            .contains(&order.id.simple().to_string())
    );
    systems.picture().put(effect.records).await.unwrap();
    assert!(systems.verify(&order).await.unwrap().is_some());
}

#[tokio::test]
async fn an_action_a_note_and_a_new_task_are_the_systems_own_calls() {
    let operator = FakeOperator::start().await;
    let systems = read(&operator).await;
    let task_id = TaskId::parse("T-00002").unwrap();
    let act = order(Change::UpdateTask {
        task_id: task_id.clone(),
        status: None,
        action: Some(TaskAction::Escalate),
        reason: None,
        at_point: None,
    });
    systems.perform(&act).await.unwrap();
    assert_eq!(operator.state().issues[1]["custom_fields"][4]["value"], "1");
    let note = order(Change::AddNote {
        task_id,
        text: "Falta llave".to_owned(),
        media: vec![],
    });
    systems.perform(&note).await.unwrap();
    let journals = operator.state().journals[&2].clone();
    assert!(
        journals[0]["notes"].as_str().unwrap().starts_with("Escalada"),
        "{journals:?}"
    );
    assert!(
        journals[1]["notes"].as_str().unwrap().starts_with("Falta llave"),
        "{journals:?}"
    );
    let create = order(Change::CreateTask {
        site_id: SiteId::parse("SITE-003").unwrap(),
        title: "Cambio de baterías".to_owned(),
        description: None,
        criticality: Criticality::High,
        work_type: WorkType::Corrective,
        crew_id: None,
    });
    let effect = systems.perform(&create).await.unwrap();
    assert_eq!(effect.reference, "T-00121");
    let task = put(&effect, RecordKind::Tasks);
    assert_eq!(
        (&task["site_id"], &task["criticality"]),
        (&json!("SITE-003"), &json!("high"))
    );
    assert_eq!(operator.state().done, 3);
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_the_write_is_never_sent_again() {
    let operator = FakeOperator::start().await;
    let systems = read(&operator).await;
    operator.tell(Product::Tickets, Mood::LoseAnswers);
    let effect = systems.perform(&close("T-00001")).await.unwrap();
    assert_eq!(put(&effect, RecordKind::Tasks)["status"], "closed");
    let create = order(Change::CreateTask {
        site_id: SiteId::parse("SITE-003").unwrap(),
        title: "Cambio de baterías".to_owned(),
        description: None,
        criticality: Criticality::High,
        work_type: WorkType::Corrective,
        crew_id: None,
    });
    let effect = systems.perform(&create).await.unwrap();
    assert_eq!(effect.reference, "T-00121");
    assert_eq!(operator.state().done, 2);
    assert_eq!(operator.writes().len(), 2);
    // Later, after a crash, the same is seen by reading alone.
    let seen = systems.verify(&create).await.unwrap().unwrap();
    assert_eq!((seen.reference.as_str(), operator.writes().len()), ("T-00121", 2));
}

#[tokio::test]
async fn a_write_that_was_swallowed_with_a_yes_is_found_out() {
    let operator = FakeOperator::start().await;
    let systems = read(&operator).await;
    operator.tell(Product::Tickets, Mood::Swallow);
    let order = close("T-00001");
    let fault = systems.perform(&order).await.unwrap_err();
    assert!(matches!(fault, WriteFault::Refused { .. }), "{fault:?}");
    assert_eq!(systems.verify(&order).await, Ok(None));
    assert_eq!(operator.writes().len(), 1);
}

#[tokio::test]
async fn a_refusal_an_outage_and_a_silence_are_told_apart() {
    let operator = FakeOperator::start().await;
    let systems = read(&operator).await;
    operator.tell(Product::Tickets, Mood::RefuseWrites(422));
    let fault = systems.perform(&close("T-00001")).await.unwrap_err();
    assert_eq!(fault.to_string(), "the system refused: it answered with status 422");
    operator.tell(Product::Tickets, Mood::Hang);
    assert_eq!(
        systems.perform(&close("T-00001")).await.unwrap_err(),
        WriteFault::Unknown
    );
    assert_eq!(operator.writes().len(), 2, "what may have arrived is not sent again");
    operator.tell(Product::Tickets, Mood::Fail(500));
    // Until the circuit opens an answer of the server may mean anything; then nothing leaves.
    let mut last = WriteFault::Unknown;
    for _ in 0..6 {
        last = systems.perform(&close("T-00001")).await.unwrap_err();
    }
    assert_eq!(last, WriteFault::Unsent);
    assert_eq!(operator.state().done, 0);
}
