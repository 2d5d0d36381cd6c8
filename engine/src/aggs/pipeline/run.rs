//! The walk over merged results: below before above, and at each level in the order of dependence.

use super::path::bucket_value;
use super::table::{Beside, Pipeline, Sibling, Work};
use super::value::PipelineValue;
use crate::aggs::parse::{Agg, Level};
use crate::aggs::partial::Partial;
use crate::error::Result;
use crate::pace::check_wanted;

/// Computes all pipelines of a tree.
pub(crate) fn run(level: &Level, results: &mut Vec<Partial>) -> Result<()> {
    for (agg, partial) in level.aggs.iter().zip(results.iter_mut()) {
        run_below(agg, partial)?;
    }
    for pipeline in &level.pipelines {
        check_wanted()?;
        if let Work::Sibling(work) = &pipeline.work {
            let value = beside(pipeline, work.as_ref(), &Beside { level, results })?;
            results.push(Partial::Pipeline(value));
        }
    }
    Ok(())
}

/// Fails by the first format that is none: below before above.
pub(crate) fn check_formats(level: &Level) -> Result<()> {
    level.aggs.iter().try_for_each(|agg| check_formats(&agg.subs))?;
    level.pipelines.iter().find_map(|pipeline| pipeline.fault.clone()).map_or(Ok(()), Err)
}

fn run_below(agg: &Agg, partial: &mut Partial) -> Result<()> {
    if agg.subs.is_plain() {
        return Ok(());
    }
    for bucket in partial.buckets_mut() {
        check_wanted()?;
        for (sub, result) in agg.subs.aggs.iter().zip(bucket.subs.iter_mut()) {
            run_below(sub, result)?;
        }
    }
    for pipeline in &agg.subs.pipelines {
        check_wanted()?;
        match &pipeline.work {
            Work::Sibling(work) => {
                for bucket in partial.buckets_mut() {
                    let beside_it = Beside { level: &agg.subs, results: &bucket.subs };
                    let value = beside(pipeline, work.as_ref(), &beside_it)?;
                    bucket.subs.push(Partial::Pipeline(value));
                }
            }
            Work::Parent(work) => work.apply(&pipeline.paths, agg, partial)?,
        }
    }
    Ok(())
}

/// The result of a sibling: its numbers are those of the buckets of the aggregation that its path begins with.
fn beside(pipeline: &Pipeline, work: &dyn Sibling, beside: &Beside<'_>) -> Result<PipelineValue> {
    let mut values = vec![];
    if let Some((first, rest)) = pipeline.paths.first().and_then(|path| path.names.split_first())
        && let Some((agg, partial)) = beside.find(first)
    {
        for (i, bucket) in partial.buckets().into_iter().enumerate() {
            let value = bucket_value(agg, bucket, partial.key_number(i), rest, work.gap())?;
            if let Some(value) = value.filter(|value| !value.is_nan()) {
                values.push((agg.kind.bucket_key(partial, i), value));
            }
        }
    }
    Ok(work.compute(values))
}

#[cfg(test)]
mod tests {
    use crate::pace::while_wanted;
    use crate::search::tests::{search, shard};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn what_nobody_waits_for_ends() {
        let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":1}"#]]);
        let request = r#"{"size":0,"aggs":{"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"bucket_script":{"buckets_path":{"c":"_count"},"script":"params.c * 2"}}}}}}"#;
        let run = |abandoned: bool| while_wanted(Arc::new(AtomicBool::new(abandoned)), || search(&cx, request));
        assert!(run(false).contains(r#""s":{"value":2.0}"#), "{}", run(false));
        assert!(run(true).contains("nobody waits for the answer any more"), "{}", run(true));
    }
}
