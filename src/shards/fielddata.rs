//! Fielddata of a core: what was made of text fields, as long as their segments live, and the room that there is for more.

use crate::observe::Pressure;
use crate::tasks::{check_total, held_bytes, too_much};
use pith_engine::Result;
use pith_engine::segment::{Segment, Snapshot};
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

thread_local! {
    static MADE: RefCell<Vec<(Weak<Segment>, u64)>> = const { RefCell::new(vec![]) };
}

/// Bytes that fielddata takes on this core.
fn held() -> u64 {
    MADE.with_borrow_mut(|made| {
        made.retain(|(segment, _)| segment.strong_count() > 0);
        made.iter().map(|(_, bytes)| bytes).sum()
    })
}

/// Asks for room for the terms by document of a field, in all segments of a snapshot that lack them. Who has been given the room
/// makes them; it is given back when the segments go.
pub fn admit(pressure: &Pressure, snapshot: &Snapshot, field: &str) -> Result<()> {
    let lacking = snapshot.segments.iter().filter_map(|view| {
        let held = view.segment.field(field).filter(|held| held.lacks_fielddata())?;
        Some((&view.segment, held.fielddata_estimate(view.max_doc())))
    });
    let lacking: Vec<(&Arc<Segment>, u64)> = lacking.collect();
    let wanted = held() + lacking.iter().map(|(_, bytes)| bytes).sum::<u64>();
    let max = pressure.fielddata_bytes_max();
    if wanted > max {
        pressure.fielddata_tripped.fetch_add(1, Ordering::Relaxed);
        return Err(too_much("fielddata", field, wanted, max));
    }
    check_total(pressure, wanted.saturating_add(held_bytes()))?;
    MADE.with_borrow_mut(|made| made.extend(lacking.iter().map(|(segment, bytes)| (Arc::downgrade(segment), *bytes))));
    Ok(())
}
