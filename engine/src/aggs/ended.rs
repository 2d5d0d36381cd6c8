//! Where nothing is collected. The reference ends the collection of a segment for the `min` of a field that there is not; what has nothing
//! but such below it, and shows it documents at once, ends with it and counts nothing. `max` does not, nor does `min` beside anything else.

use super::kind::{Aggregator, Built, Kind, Owners, Subs};
use super::parse::Agg;
use super::profile::{Details, ProfiledAggregator};
use crate::error::{Error, ErrorKind, Result};
use crate::pace::Pace;
use crate::profile::{AggProfile, FetchProfile, QueryProfile};
use crate::query::ShardContext;
use crate::segment::SegmentView;

/// An aggregator that is shown no document.
struct Ended(Box<dyn Aggregator>);

impl Agg {
    /// What collects it on a shard.
    pub(crate) fn aggregator(&self, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let made = match cx.profile {
            Some(clock) => ProfiledAggregator::boxed(self, cx, clock),
            None => self.kind.aggregator(self, cx),
        };
        ended(made?, self, cx)
    }
}

/// Wraps what ends. Fails for kinds that pass the end on as an error of the shard.
fn ended(made: Box<dyn Aggregator>, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
    let kind: &dyn Kind = agg.kind.as_ref();
    let ends = match agg.subs.aggs.is_empty() {
        true => kind.ends_segments(cx),
        false => made.subs().is_some_and(Subs::end),
    };
    if !ends {
        return Ok(made);
    }
    match agg.type_name {
        "children" | "parent" if kind.leads_nowhere(cx) => Ok(Box::new(Ended(made))),
        "children" | "composite" | "parent" => Err(Error::without_reason(ErrorKind::CollectionTerminated)),
        _ if kind.defers(cx) => Ok(made),
        _ => Ok(Box::new(Ended(made))),
    }
}

impl Aggregator for Ended {
    /// Buckets without documents are those of the segments.
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.0.enter_segment(view)
    }

    fn at_top(&mut self) {
        self.0.at_top();
    }

    fn find_nothing(&mut self) {
        self.0.find_nothing();
    }

    fn collect(&mut self, _docs: &[u32], _owners: Owners<'_>) -> Result<()> {
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.0.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        self.0.build(owners, pace)
    }

    fn subs(&self) -> Option<&Subs> {
        self.0.subs()
    }

    fn ends(&self) -> bool {
        true
    }

    fn details(&self) -> Details {
        self.0.details()
    }

    fn asked_profile(&mut self) -> Vec<QueryProfile> {
        self.0.asked_profile()
    }

    fn fetch_profile(&mut self) -> Option<FetchProfile> {
        self.0.fetch_profile()
    }

    fn profile(&self) -> Option<(u32, AggProfile)> {
        self.0.profile()
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn the_least_of_a_field_that_there_is_not_ends_what_has_nothing_else() {
        let mapping = r#"{"properties":{"n":{"type":"long"},"k":{"type":"keyword"}}}"#;
        let cx = shard(mapping, &[&[r#"{"n":5,"k":"a"}"#, r#"{"n":7,"k":"b"}"#]]);
        let ask = |aggs: &str| search(&cx, &format!(r#"{{"size":0,"aggs":{{{aggs}}}}}"#));
        let filter = |below: &str| format!(r#""f":{{"filter":{{"match_all":{{}}}},"aggs":{{{below}}}}}"#);
        let (min, avg) = (r#""m":{"min":{"field":"no"}}"#, r#""a":{"avg":{"field":"n"}}"#);
        assert!(ask(&filter(min)).contains(r#""f":{"doc_count":0,"m":{"value":null}}"#));
        assert!(ask(&filter(&format!("{min},{avg}"))).contains(r#""f":{"doc_count":2,"#));
        assert!(ask(&filter(&min.replace("min", "max"))).contains(r#""f":{"doc_count":2,"#));
        assert!(ask(&filter(&filter(min))).contains(r#""f":{"doc_count":0,"f":{"doc_count":0,"#));
        let hist = format!(r#""h":{{"histogram":{{"field":"n","interval":1}},"aggs":{{{min}}}}}"#);
        assert!(ask(&hist).contains(r#""h":{"buckets":[]}"#));
        let waits = format!(r#""t":{{"terms":{{"field":"n"}},"aggs":{{{min}}}}}"#);
        assert!(ask(&waits).contains(r#"{"key":5,"doc_count":1,"m":{"value":null}}"#));
    }
}
