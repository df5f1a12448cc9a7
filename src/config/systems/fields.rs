//! Our fields of each kind of record: what shape they have, and whether a system must give them.

use crate::domain::change::RecordKind;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A text, a word of a closed set or an id.
    Text,
    /// An instant.
    Instant,
    /// A number, with a fraction perhaps.
    Number,
    /// A whole number that is not negative.
    Whole,
    /// Yes or no.
    Flag,
    /// Several texts.
    Texts,
}

/// Whether it must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A row without it is no record.
    Must,
    /// Nothing stands for it.
    May,
    /// This stands for it.
    Else(&'static str),
    /// The field of this name stands for it.
    As(&'static str),
}

/// One field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Our name for it.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it must be there.
    pub need: Need,
}

const fn field(name: &'static str, shape: Shape, need: Need) -> Field {
    Field { name, shape, need }
}

const fn must(name: &'static str) -> Field {
    field(name, Shape::Text, Need::Must)
}

const fn may(name: &'static str) -> Field {
    field(name, Shape::Text, Need::May)
}

const fn text(name: &'static str) -> Field {
    field(name, Shape::Text, Need::Else(""))
}

const fn when(name: &'static str) -> Field {
    field(name, Shape::Instant, Need::May)
}

const fn began(name: &'static str) -> Field {
    field(name, Shape::Instant, Need::Must)
}

const fn number(name: &'static str) -> Field {
    field(name, Shape::Number, Need::May)
}

const SITES: &[Field] = &[
    must("id"),
    must("name"),
    must("zone"),
    text("region"),
    text("comuna"),
    text("address"),
    field("lat", Shape::Number, Need::Must),
    field("lon", Shape::Number, Need::Must),
    must("site_type"),
    field("technologies", Shape::Texts, Need::May),
    must("criticality"),
    must("status"),
    text("power"),
    number("battery_autonomy_h"),
    text("owner"),
    must("access_type"),
    text("contact_name"),
    text("contact_phone"),
    when("last_visit"),
];
const TASKS: &[Field] = &[
    must("id"),
    must("title"),
    text("description"),
    must("site_id"),
    // Until the site's is known.
    field("zone", Shape::Text, Need::Else("sin zona")),
    must("status"),
    must("criticality"),
    must("work_type"),
    may("manager_id"),
    may("crew_id"),
    may("technician_id"),
    began("created_at"),
    field("updated_at", Shape::Instant, Need::As("created_at")),
    when("due_at"),
    when("closed_at"),
    field("escalation_level", Shape::Whole, Need::Else("0")),
    may("alarm_id"),
];
const EVENTS: &[Field] = &[
    must("id"),
    must("task_id"),
    began("at"),
    must("kind"),
    may("author_id"),
    text("text"),
    may("from_value"),
    may("to_value"),
];
const ALARMS: &[Field] = &[
    must("id"),
    must("site_id"),
    must("severity"),
    must("name"),
    must("category"),
    text("element"),
    began("raised_at"),
    when("cleared_at"),
    field("acknowledged", Shape::Flag, Need::Else("false")),
    may("task_id"),
];
const CREWS: &[Field] = &[
    must("id"),
    must("name"),
    must("zone"),
    may("lead_id"),
    must("status"),
    may("current_task_id"),
    number("lat"),
    number("lon"),
    when("position_at"),
    text("vehicle"),
];
const EMPLOYEES: &[Field] = &[
    must("id"),
    must("name"),
    must("role"),
    may("zone"),
    may("crew_id"),
    text("phone"),
    text("email"),
    text("rut"),
    field("active", Shape::Flag, Need::Else("true")),
];
const ACCESS: &[Field] = &[
    must("id"),
    must("site_id"),
    must("status"),
    may("holder_id"),
    when("valid_from"),
    when("valid_to"),
    text("conditions"),
];
const PANEL: &[Field] = &[
    must("task_id"),
    field("priority", Shape::Whole, Need::Must),
    field("escalated", Shape::Flag, Need::Else("false")),
    may("escalated_to"),
    field("affected_customers", Shape::Whole, Need::Else("0")),
    text("comment"),
];
const INVENTORY: &[Field] = &[
    must("id"),
    must("site_id"),
    must("equipment"),
    text("vendor"),
    text("model"),
    field("quantity", Shape::Whole, Need::Else("1")),
    text("serial"),
    when("installed_at"),
];
const MONITORS: &[Field] = &[
    must("id"),
    must("site_id"),
    must("metric"),
    must("status"),
    number("value"),
    text("unit"),
    number("warning_threshold"),
    number("critical_threshold"),
    when("last_check"),
];

/// The fields of a kind, its id first.
pub const fn fields_of(kind: RecordKind) -> &'static [Field] {
    match kind {
        RecordKind::Sites => SITES,
        RecordKind::Tasks => TASKS,
        RecordKind::Events => EVENTS,
        RecordKind::Alarms => ALARMS,
        RecordKind::Crews => CREWS,
        RecordKind::Employees => EMPLOYEES,
        RecordKind::Access => ACCESS,
        RecordKind::Panel => PANEL,
        RecordKind::Inventory => INVENTORY,
        RecordKind::Monitors => MONITORS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_stands_once_and_the_id_first() {
        for kind in RecordKind::ALL {
            let fields = fields_of(*kind);
            let mut names: Vec<_> = fields.iter().map(|f| f.name).collect();
            assert!(["id", "task_id"].contains(&names[0]), "{kind:?}");
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{kind:?}");
        }
    }
}
