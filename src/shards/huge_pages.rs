//! Large segments that stay are put on huge pages: who searches them looks up fewer translations.

use pith_engine::segment::{Segment, Snapshot};
use pith_net::rt::{self, Class};
use std::sync::Arc;
use std::time::Duration;

/// Smaller segments fit into the second table of translations with pages as they are.
const BYTES_MIN: usize = 16 << 20;

/// Most segments that go because they are merged go sooner than this.
const SETTLED: Duration = Duration::from_secs(5);

/// All segments of a shard.
pub fn settle_all(snapshot: &Snapshot) {
    snapshot.segments.iter().for_each(|view| settle(&view.segment));
}

/// Waits until the segment has settled; its bytes move then, as long as it is there.
pub fn settle(segment: &Arc<Segment>) {
    if segment.bytes().len() < BYTES_MIN {
        return;
    }
    let segment = Arc::downgrade(segment);
    rt::spawn_in(Class::Background, async move {
        rt::sleep(SETTLED).await;
        rt::on_huge_pages(|| segment.upgrade().map(|segment| segment.bytes().clone())).await;
    })
    .detach();
}
