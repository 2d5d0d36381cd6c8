//! Profiles as the answer shows them.

use super::{
    AGG_CALL_NAMES, AggProfile, Breakdown, CollectorProfile, FETCH_CALL_NAMES, FetchProfile, PHASE_CALL_NAMES,
    QUERY_CALL_NAMES, QueryProfile, ShardProfile, call,
};
use crate::json::Writer;

/// How profiles are shown.
#[derive(Clone, Copy)]
struct Style {
    /// With times for people beside the nanoseconds.
    human: bool,
    /// With the fields of a search in slices, of which there is one.
    sliced: bool,
}

/// Writes the object of one shard.
pub fn write_shard(id: &str, profile: &ShardProfile, human: bool, w: &mut Writer) {
    let style = Style { human, sliced: profile.sliced };
    w.begin_object().key("id").string(id);
    // Shards are reached without a network.
    w.key("inbound_network_time_in_millis").u64(0).key("outbound_network_time_in_millis").u64(0);
    w.key("searches").begin_array();
    for search in &profile.searches {
        w.begin_object().key("query").begin_array();
        search.queries.iter().for_each(|query| style.query(query, w));
        w.end_array().key("rewrite_time").u64(search.rewrite_ns).key("collector").begin_array();
        style.collector(&search.collector, w);
        w.end_array().end_object();
    }
    w.end_array().key("aggregations").begin_array();
    profile.aggs.iter().for_each(|agg| style.agg(agg, w));
    w.end_array().key("fetch").begin_array();
    profile.fetch.iter().for_each(|fetch| style.fetch(fetch, w));
    w.end_array().end_object();
}

impl Style {
    fn query(self, query: &QueryProfile, w: &mut Writer) {
        w.begin_object().key("type").string(&query.type_name).key("description").string(&query.description);
        // Weights are made once for all slices.
        let total = query.breakdown.total_ns();
        self.times(total, total - query.breakdown.0[call::CREATE_WEIGHT].ns(), w);
        // What is asked beside the search's query belongs to no slice.
        let sliced = self.sliced && !query.aside;
        let mut fields = fields(&query.breakdown, &QUERY_CALL_NAMES);
        if sliced {
            spread(&mut fields, &["create_weight"]);
        }
        write_breakdown(fields, w);
        if !query.children.is_empty() {
            w.key("children").begin_array();
            query.children.iter().for_each(|child| self.query(child, w));
            w.end_array();
        }
        w.end_object();
    }

    fn collector(self, collector: &CollectorProfile, w: &mut Writer) {
        w.begin_object().key("name").string(&collector.name).key("reason").string(collector.reason);
        self.time(collector.ns, w);
        if self.sliced {
            w.key("reduce_time_in_nanos").u64(0);
            slice_times(collector.ns, w);
            w.key("slice_count").u64(1);
        }
        if !collector.children.is_empty() {
            w.key("children").begin_array();
            collector.children.iter().for_each(|child| self.collector(child, w));
            w.end_array();
        }
        w.end_object();
    }

    fn agg(self, agg: &AggProfile, w: &mut Writer) {
        w.begin_object().key("type").string(&agg.type_name).key("description").string(&agg.description);
        let total = agg.breakdown.total_ns();
        self.times(total, total, w);
        let mut fields = fields(&agg.breakdown, &AGG_CALL_NAMES);
        if self.sliced {
            spread(
                &mut fields,
                &["build_aggregation_count", "initialize_count", "post_collection_count", "reduce_count"],
            );
        }
        write_breakdown(fields, w);
        if !agg.debug.is_empty() {
            w.key("debug").begin_object();
            for (key, value) in &agg.debug {
                w.key(key).value(value);
            }
            w.end_object();
        }
        if !agg.children.is_empty() {
            w.key("children").begin_array();
            agg.children.iter().for_each(|child| self.agg(child, w));
            w.end_array();
        }
        w.end_object();
    }

    fn fetch(self, fetch: &FetchProfile, w: &mut Writer) {
        let name = match &fetch.name {
            Some(name) => format!("fetch_{name}"),
            None => "fetch".to_owned(),
        };
        w.begin_object().key("type").string(&name).key("description").string(&name);
        self.time(fetch.breakdown.total_ns(), w);
        write_breakdown(fields(&fetch.breakdown, &FETCH_CALL_NAMES), w);
        if !fetch.phases.is_empty() {
            w.key("children").begin_array();
            for (name, breakdown) in &fetch.phases {
                w.begin_object().key("type").string(name).key("description").string(name);
                self.time(breakdown.total_ns(), w);
                write_breakdown(fields(breakdown, &PHASE_CALL_NAMES), w);
                w.end_object();
            }
            w.end_array();
        }
        w.end_object();
    }

    /// A time with those of the slices. For people they come first, all of them.
    fn times(self, ns: u64, of_slice: u64, w: &mut Writer) {
        if !self.sliced {
            return self.time(ns, w);
        }
        if self.human {
            w.key("time").string(&time_text(ns.into()));
            for key in ["max_slice_time", "min_slice_time", "avg_slice_time"] {
                w.key(key).string(&time_text(of_slice.into()));
            }
        }
        w.key("time_in_nanos").u64(ns);
        slice_times(of_slice, w);
    }

    fn time(self, ns: u64, w: &mut Writer) {
        if self.human {
            w.key("time").string(&time_text(ns.into()));
        }
        w.key("time_in_nanos").u64(ns);
    }
}

/// The numbers of a breakdown with their names.
fn fields<const N: usize>(breakdown: &Breakdown<N>, names: &[&str; N]) -> Vec<(String, u64)> {
    let timers = names.iter().zip(&breakdown.0);
    timers
        .flat_map(|(name, timer)| [((*name).to_owned(), timer.ns()), (format!("{name}_count"), timer.count())])
        .collect()
}

/// Adds what the slices had at least, at most and on average: all the same, as there is one.
fn spread(fields: &mut Vec<(String, u64)>, without: &[&str]) {
    let spread = fields.iter().filter(|(name, _)| !without.iter().any(|skip| name.starts_with(skip)));
    let more: Vec<(String, u64)> = spread
        .flat_map(|(name, value)| ["avg", "max", "min"].map(|prefix| (format!("{prefix}_{name}"), *value)))
        .collect();
    fields.extend(more);
    fields.sort();
}

fn write_breakdown(fields: Vec<(String, u64)>, w: &mut Writer) {
    w.key("breakdown").begin_object();
    for (name, value) in fields {
        w.key(&name).u64(value);
    }
    w.end_object();
}

fn slice_times(ns: u64, w: &mut Writer) {
    w.key("max_slice_time_in_nanos").u64(ns).key("min_slice_time_in_nanos").u64(ns);
    w.key("avg_slice_time_in_nanos").u64(ns);
}

/// `2.5ms` of nanoseconds: in the largest unit that is not below one, with one digit behind the point, cut off rather than
/// rounded, and none if it would be zero.
pub fn time_text(ns: u128) -> String {
    const UNITS: &[(u128, &str)] = &[
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "micros"),
    ];
    let Some((size, unit)) = UNITS.iter().find(|(size, _)| ns >= *size) else { return format!("{ns}nanos") };
    let tenths = ns * 10 / size;
    match tenths % 10 {
        0 => format!("{}{unit}", tenths / 10),
        tenth => format!("{}.{tenth}{unit}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_for_people() {
        let shown = [0, 999, 1_000, 1_550, 101_108_598, 2_000_000_000, 90_000_000_000].map(time_text);
        assert_eq!(shown, ["0nanos", "999nanos", "1micros", "1.5micros", "101.1ms", "2s", "1.5m"]);
    }

    #[test]
    fn times_of_slices_for_people() {
        let mut w = Writer::new();
        w.begin_object();
        Style { human: true, sliced: true }.times(2_500, 1_000, &mut w);
        w.end_object();
        let shown = r#"{"time":"2.5micros","max_slice_time":"1micros","min_slice_time":"1micros","avg_slice_time":"1micros","time_in_nanos":2500,"max_slice_time_in_nanos":1000,"min_slice_time_in_nanos":1000,"avg_slice_time_in_nanos":1000}"#;
        assert_eq!(String::from_utf8(w.finish()).unwrap(), shown);
    }
}
