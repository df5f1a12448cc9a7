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
        ($file:literal, $row:path) => {
            Table::new($file, include_str!(concat!("demo/", $file)), anchor).read($row)?
        };
    }
    Ok(Records {
        sites: table!("sites.csv", rows::site),
        tasks: table!("tasks.csv", rows::task),
        events: table!("task_events.csv", rows::event),
        alarms: table!("alarms.csv", rows::alarm),
        crews: table!("crews.csv", rows::crew),
        employees: table!("employees.csv", rows::employee),
        accesses: table!("access.csv", rows::access),
        panel: table!("panel.csv", rows::panel),
        assets: table!("inventory.csv", rows::asset),
        monitors: table!("monitors.csv", rows::monitor),
    })
}
