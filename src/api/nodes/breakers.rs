//! Parts of `_nodes/stats` about memory and the machine: the breakers, control groups, what the disks did.

use crate::cluster::{BREAKERS, breaker_bytes, breaker_overhead};
use crate::coordinate::Core;
use crate::observe::control_groups::{ControlGroups, DeviceFigures};
use crate::settings::units::bytes_text;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::sync::atomic::Ordering;

/// What the breakers let through, hold and have refused. `held` is what the requests of all cores hold, `fielddata` what was made of
/// text fields.
pub fn write_breakers(core: &Core, memory_bytes: u64, held: u64, fielddata: u64, w: &mut Writer) -> Result<()> {
    let (state, pressure) = (core.state(), &core.facts()?.pressure);
    let bodies = pressure.bodies.held() as u64;
    w.key("breakers").begin_object();
    for (name, prefix) in BREAKERS {
        let (used, tripped) = match name {
            "request" => (held, pressure.tripped.load(Ordering::Relaxed)),
            "fielddata" => (fielddata, pressure.fielddata_tripped.load(Ordering::Relaxed)),
            "in_flight_requests" => (bodies, pressure.bodies.refused()),
            _ => (held + fielddata + bodies, pressure.total_tripped.load(Ordering::Relaxed)),
        };
        let limit = breaker_bytes(&state, prefix, memory_bytes).min(i64::MAX as u64);
        w.key(name).begin_object();
        w.key("limit_size_in_bytes").u64(limit).key("limit_size").string(&bytes_text(limit));
        w.key("estimated_size_in_bytes").u64(used).key("estimated_size").string(&bytes_text(used));
        w.key("overhead").f64(breaker_overhead(&state, prefix)).key("tripped").u64(tripped).end_object();
    }
    w.end_object();
    Ok(())
}

/// `cgroup` of `os`: nothing where the kernel tells of none.
pub fn write_cgroup(groups: &ControlGroups, w: &mut Writer) {
    let Some(path) = &groups.path else { return };
    w.key("cgroup").begin_object();
    w.key("cpuacct").begin_object().key("control_group").string(path);
    w.key("usage_nanos").u64(groups.usage_ns).end_object();
    w.key("cpu").begin_object().key("control_group").string(path);
    w.key("cfs_period_micros").i64(groups.period_us).key("cfs_quota_micros").i64(groups.quota_us);
    w.key("stat").begin_object();
    w.key("number_of_elapsed_periods").u64(groups.periods);
    w.key("number_of_times_throttled").u64(groups.throttled);
    w.key("time_throttled_nanos").u64(groups.throttled_ns).end_object().end_object();
    w.key("memory").begin_object().key("control_group").string(&groups.memory_path);
    w.key("limit_in_bytes").string(&groups.memory_limit);
    w.key("usage_in_bytes").string(&groups.memory_used).end_object().end_object();
}

/// `io_stats` of `fs`: what the device of the data folder did since the machine has started.
pub fn write_io_stats(device: Option<&DeviceFigures>, w: &mut Writer) {
    let Some(device) = device else { return };
    let figures = |w: &mut Writer| {
        w.key("operations").u64(device.reads + device.writes);
        w.key("read_operations").u64(device.reads).key("write_operations").u64(device.writes);
        w.key("read_kilobytes").u64(device.read_kilobytes).key("write_kilobytes").u64(device.written_kilobytes);
        w.key("read_time").u64(device.read_ms).key("write_time").u64(device.write_ms);
        w.key("queue_size").u64(device.queued_ms).key("io_time_in_millis").u64(device.busy_ms).end_object();
    };
    w.key("io_stats").begin_object().key("devices").begin_array();
    w.begin_object().key("device_name").string(&device.name);
    figures(w);
    w.end_array().key("total").begin_object();
    figures(w);
    w.end_object();
}
