//! Which tasks a tool looks at: those of a zone or of all, the active ones by what is asked.

use crate::domain::ids::Zone;
use crate::domain::records::Task;
use crate::domain::sets::Criticality;

use super::contract::Cx;

impl<'a> Cx<'a> {
    /// The tasks of a zone, or all, in shown order.
    pub(super) fn tasks_in(&self, zone: Option<&'a Zone>) -> Box<dyn Iterator<Item = &'a Task> + 'a> {
        match zone {
            Some(zone) => Box::new(self.world.tasks_of_zone(zone)),
            None => Box::new(self.world.tasks().iter()),
        }
    }

    /// The active tasks of a zone and a criticality, where given, in shown order.
    pub(super) fn active_in(
        &self,
        zone: Option<&'a Zone>,
        criticality: Option<Criticality>,
    ) -> impl Iterator<Item = &'a Task> {
        self.world
            .active_tasks()
            .filter(move |task| zone.is_none_or(|zone| task.zone == *zone))
            .filter(move |task| criticality.is_none_or(|criticality| task.criticality == criticality))
    }
}
