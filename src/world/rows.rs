//! From a row of each table to its record. Columns are asked for in the order of the file.

use crate::domain::geo::Point;
use crate::domain::ids::Zone;
use crate::domain::records::{Access, Alarm, Asset, Crew, Employee, Monitor, PanelRow, Site, Task, TaskEvent};

use super::table::{LoadError, Row};

fn zone(row: &Row<'_>) -> Result<Zone, LoadError> {
    Zone::parse(row.cell("zone")?).map_err(|e| row.broken("zone", e.to_string()))
}

fn point(row: &Row<'_>) -> Result<Point, LoadError> {
    let (lat, lon) = (row.needed_number("lat")?, row.needed_number("lon")?);
    Point::new(lat, lon).map_err(|e| row.broken("lat", e.to_string()))
}

pub(super) fn site(row: &Row<'_>) -> Result<Site, LoadError> {
    Ok(Site {
        id: row.parse("site_id")?,
        name: row.filled("name")?,
        zone: zone(row)?,
        region: row.filled("region")?,
        comuna: row.filled("comuna")?,
        address: row.text("address")?,
        point: point(row)?,
        site_type: row.parse("site_type")?,
        technologies: row
            .cell("technologies")?
            .split('|')
            .filter(|t| !t.is_empty())
            .map(str::to_owned)
            .collect(),
        criticality: row.parse("criticality")?,
        status: row.parse("status")?,
        power: row.text("power")?,
        battery_autonomy_h: row.number("battery_autonomy_h")?,
        owner: row.text("owner")?,
        access_type: row.parse("access_type")?,
        contact_name: row.text("contact_name")?,
        contact_phone: row.text("contact_phone")?,
        last_visit: row.instant("last_visit_min_ago")?,
    })
}

pub(super) fn task(row: &Row<'_>) -> Result<Task, LoadError> {
    let task = Task {
        id: row.parse("task_id")?,
        title: row.filled("title")?,
        description: row.text("description")?,
        site_id: row.parse("site_id")?,
        zone: zone(row)?,
        status: row.parse("status")?,
        criticality: row.parse("criticality")?,
        work_type: row.parse("work_type")?,
        manager_id: row.optional("manager_id")?,
        crew_id: row.optional("crew_id")?,
        technician_id: row.optional("technician_id")?,
        created_at: row.needed_instant("created_min_ago")?,
        updated_at: row.needed_instant("updated_min_ago")?,
        due_at: row.instant("due_min_ago")?,
        closed_at: row.instant("closed_min_ago")?,
        escalation_level: row.whole("escalation_level")?,
        alarm_id: row.optional("alarm_id")?,
    };
    if task.escalation_level > 3 {
        return Err(row.broken("escalation_level", "the level is 0 (none) to 3".into()));
    }
    Ok(task)
}

pub(super) fn event(row: &Row<'_>) -> Result<TaskEvent, LoadError> {
    Ok(TaskEvent {
        id: row.parse("event_id")?,
        task_id: row.parse("task_id")?,
        at: row.needed_instant("at_min_ago")?,
        kind: row.parse("kind")?,
        author_id: row.optional("author_id")?,
        text: row.text("text")?,
        from_value: row.optional("from_value")?,
        media: vec![],
        to_value: row.optional("to_value")?,
    })
}

pub(super) fn alarm(row: &Row<'_>) -> Result<Alarm, LoadError> {
    Ok(Alarm {
        id: row.parse("alarm_id")?,
        site_id: row.parse("site_id")?,
        severity: row.parse("severity")?,
        name: row.filled("name")?,
        category: row.parse("category")?,
        element: row.text("element")?,
        raised_at: row.needed_instant("raised_min_ago")?,
        cleared_at: row.instant("cleared_min_ago")?,
        acknowledged: row.flag("acknowledged")?,
        task_id: row.optional("task_id")?,
    })
}

pub(super) fn crew(row: &Row<'_>) -> Result<Crew, LoadError> {
    Ok(Crew {
        id: row.parse("crew_id")?,
        name: row.filled("name")?,
        zone: zone(row)?,
        lead_id: row.optional("lead_employee_id")?,
        status: row.parse("status")?,
        current_task_id: row.optional("current_task_id")?,
        point: position(row)?,
        position_at: row.instant("position_min_ago")?,
        vehicle: row.text("vehicle")?,
    })
}

/// A crew's last position: both figures or none.
fn position(row: &Row<'_>) -> Result<Option<Point>, LoadError> {
    match (row.number("lat")?, row.number("lon")?) {
        (Some(lat), Some(lon)) => Point::new(lat, lon)
            .map(Some)
            .map_err(|e| row.broken("lat", e.to_string())),
        (None, None) => Ok(None),
        (Some(_), None) => Err(row.broken("lon", "a latitude without a longitude".into())),
        (None, Some(_)) => Err(row.broken("lat", "a longitude without a latitude".into())),
    }
}

pub(super) fn employee(row: &Row<'_>) -> Result<Employee, LoadError> {
    let zone_cell = |row: &Row<'_>| match row.cell("zone")? {
        "" => Ok(None),
        _ => zone(row).map(Some),
    };
    Ok(Employee {
        id: row.parse("employee_id")?,
        name: row.filled("name")?,
        role: row.parse("role")?,
        zone: zone_cell(row)?,
        crew_id: row.optional("crew_id")?,
        phone: row.text("phone")?,
        email: row.text("email")?,
        rut: row.text("rut")?,
        active: row.flag("active")?,
    })
}

pub(super) fn access(row: &Row<'_>) -> Result<Access, LoadError> {
    Ok(Access {
        id: row.parse("access_id")?,
        site_id: row.parse("site_id")?,
        status: row.parse("status")?,
        holder_id: row.optional("holder_id")?,
        valid_from: row.instant("valid_from_min_ago")?,
        valid_to: row.instant("valid_to_min_ago")?,
        conditions: row.text("conditions")?,
    })
}

pub(super) fn panel(row: &Row<'_>) -> Result<PanelRow, LoadError> {
    Ok(PanelRow {
        task_id: row.parse("task_id")?,
        priority: row.whole("priority")?,
        escalated: row.flag("escalated")?,
        escalated_to: row.optional("escalated_to")?,
        affected_customers: row.whole("affected_customers")?,
        comment: row.text("comment")?,
    })
}

pub(super) fn asset(row: &Row<'_>) -> Result<Asset, LoadError> {
    Ok(Asset {
        id: row.parse("asset_id")?,
        site_id: row.parse("site_id")?,
        equipment: row.filled("equipment")?,
        vendor: row.text("vendor")?,
        model: row.text("model")?,
        quantity: row.whole("quantity")?,
        serial: row.text("serial")?,
        installed_at: row.instant("installed_min_ago")?,
    })
}

pub(super) fn monitor(row: &Row<'_>) -> Result<Monitor, LoadError> {
    Ok(Monitor {
        id: row.parse("monitor_id")?,
        site_id: row.parse("site_id")?,
        metric: row.filled("metric")?,
        status: row.parse("status")?,
        value: row.number("value")?,
        unit: row.text("unit")?,
        warning_threshold: row.number("warning_threshold")?,
        critical_threshold: row.number("critical_threshold")?,
        last_check: row.instant("last_check_min_ago")?,
    })
}
