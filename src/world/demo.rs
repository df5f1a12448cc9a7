//! The demo operator: ten tables embedded in the binary, so that nothing needs configuring.
//!
//! Their instants are ages in minutes. They are anchored at each start and never persisted;
//! no person, site or phone in them exists.

use jiff::Timestamp;

use super::Records;
use super::rows;
use super::table::{LoadError, Table};

/// Reads the ten embedded tables with `anchor` as their now.
pub(super) fn records(anchor: Timestamp) -> Result<Records, LoadError> {
    macro_rules! table {
        ($file:literal, $row:path, $id:ident) => {
            Table::new($file, include_str!(concat!("demo/", $file)), anchor).read($row, |record| record.$id.as_str())?
        };
    }
    Ok(Records {
        sites: table!("sites.csv", rows::site, id),
        tasks: table!("tasks.csv", rows::task, id),
        events: table!("task_events.csv", rows::event, id),
        alarms: table!("alarms.csv", rows::alarm, id),
        crews: table!("crews.csv", rows::crew, id),
        employees: table!("employees.csv", rows::employee, id),
        accesses: table!("access.csv", rows::access, id),
        panel: table!("panel.csv", rows::panel, task_id),
        assets: table!("inventory.csv", rows::asset, id),
        monitors: table!("monitors.csv", rows::monitor, id),
    })
}
