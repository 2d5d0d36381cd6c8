//! The terms of several shards put together.

use super::format::Format;
use super::keys::key_bytes;
use super::merge_order::merged;
use super::parse::Agg;
use super::partial::{Bucket, Key, KeyType, Partial, TermBucket, TermsBuckets, mismatch, reduce_buckets};
use super::reduce_context::ReduceContext;
use super::terms::{TermsConfig, comparable};
use crate::error::{Error, ErrorKind, Result};
use ahash::AHashMap;
use std::cell::OnceCell;
use std::cmp::Ordering;

/// Merges the terms of shards and reckons how far the counts may be off, as the reference does: a shard that cut its list
/// off may have up to its last count of any term that it did not return.
pub(crate) fn reduce_terms(
    agg: &Agg,
    config: &TermsConfig,
    parts: Vec<Partial>,
    cx: &mut ReduceContext,
) -> Result<TermsBuckets> {
    let shards = parts.len();
    let mut parts = parts
        .into_iter()
        .map(|p| match p {
            Partial::Terms(terms) => Ok(terms),
            _ => Err(mismatch()),
        })
        .collect::<Result<Vec<_>>>()?;
    let (doubles, unsigned) = promotion(&parts, config);
    let (mut format, mut key_type) = (Format::Unsaid, KeyType::Unmapped);
    let (mut other_count, mut error_sum) = (0, 0i64);
    let merged_before = parts.first().map_or(0, |part| part.error.max(0));
    let mut lists = Vec::with_capacity(shards);
    for part in &mut parts {
        if part.key_type != KeyType::Unmapped {
            let own = match part.key_type {
                KeyType::Long | KeyType::Unsigned if doubles => KeyType::Double,
                KeyType::Long if unsigned => KeyType::Unsigned,
                own => own,
            };
            check_types(agg, key_type, own)?;
            key_type = own;
            // Of several sources: an index that lacks one of them has no buckets, and tells nothing.
            if !part.buckets.is_empty() || !matches!(part.format, Format::Many(_)) {
                format.hear(&part.format);
            }
        }
        other_count += part.other_count;
        let shard_error = error_of(part, config);
        error_sum = if error_sum < 0 || shard_error < 0 { -1 } else { error_sum + shard_error };
        let keyed =
            part.buckets.drain(..).map(|bucket| (promoted(bucket.key, doubles, unsigned), shard_error, bucket.bucket));
        lists.push(keyed.collect());
    }
    let mut merged = by_key(in_order_of_merging(lists, config)?);
    if shards == 1 && error_sum >= 0 {
        // A single shard's counts are exact, whatever it cut off, unless they were merged before.
        error_sum = error_sum.min(merged_before);
        merged.iter_mut().for_each(|m| m.1 = 0);
    }
    // What is of one shard still is as much as a shard gives.
    let (size, least) = match cx.within_shard {
        true => (config.shard_size, config.shard_min_doc_count.min(config.min_doc_count)),
        false => (config.size, config.min_doc_count),
    };
    let mut buckets = Vec::with_capacity(merged.len());
    for (key, told_error, same) in merged {
        let error = if error_sum < 0 { -1 } else { error_sum + told_error };
        let bucket = reduce_buckets(&agg.subs, same, cx)?;
        if bucket.count >= least {
            buckets.push(TermBucket { key, error, bucket });
        }
    }
    buckets.sort_by(|a, b| compare(agg, config, a, b));
    if buckets.len() > size {
        other_count += buckets.drain(size..).map(|b| b.bucket.count).sum::<u64>();
    }
    cx.add_buckets(buckets.len())?;
    let (shard_size, count_max) = (config.shard_size, config.count_max);
    Ok(TermsBuckets {
        buckets,
        other_count,
        error: error_sum,
        format,
        key_type,
        shard_size,
        frequent: vec![],
        count_max,
    })
}

/// Whether whole numbers become doubles, and whether they become numbers without a sign. Doubles make doubles of them, if any are shown
/// as what they are; to whoever merges in a map the sign is none of their type.
fn promotion(parts: &[TermsBuckets], config: &TermsConfig) -> (bool, bool) {
    let any = |of: KeyType| parts.iter().any(|part| part.key_type == of);
    let plain =
        |part: &TermsBuckets| matches!(part.key_type, KeyType::Long | KeyType::Unsigned) && part.format.is_plain();
    let doubles = any(KeyType::Double) && parts.iter().any(plain);
    (doubles, config.merges_in_map && !doubles && any(KeyType::Unsigned))
}

fn promoted(key: Key, doubles: bool, unsigned: bool) -> Key {
    match key {
        key @ (Key::Long(_) | Key::Unsigned(_)) if doubles => Key::Double(key.as_f64()),
        Key::Long(number) if unsigned => Key::Unsigned(number as u64),
        key => key,
    }
}

/// How far the counts of a shard may be off; -1 where its order does not tell.
fn error_of(part: &TermsBuckets, config: &TermsConfig) -> i64 {
    match part.buckets.last() {
        Some(last) if part.buckets.len() >= part.shard_size && !config.order.is_key() => {
            match config.order.is_count_desc() {
                // What was merged before knows how far it may be off.
                true if part.error > 0 => part.error,
                true => last.bucket.count as i64,
                false => -1,
            }
        }
        _ => 0,
    }
}

/// A term of a shard: its key, how far the shard's counts may be off, and its bucket.
type Row = (Key, i64, Bucket);

/// The terms of all shards as the reference takes them: by their keys, downwards where that is their order, or as they come if it
/// merges them in a map.
fn in_order_of_merging(mut lists: Vec<Vec<Row>>, config: &TermsConfig) -> Result<Vec<Row>> {
    if config.merges_in_map {
        return Ok(lists.into_iter().flatten().collect());
    }
    let descends = config.order.is_key_desc();
    let compare = |a: &Row, b: &Row| if descends { b.0.compare(&a.0) } else { a.0.compare(&b.0) };
    lists.iter_mut().for_each(|list| list.sort_by(compare));
    let clash = OnceCell::new();
    let merged = merged(lists, |a, b| {
        // Keys of one source have been found to be of one type.
        if let (Key::Many(_), None) = (&a.0, clash.get())
            && let Some(told) = a.0.clash(&b.0)
        {
            _ = clash.set(told);
        }
        compare(a, b).is_lt()
    });
    clash.into_inner().map_or(Ok(merged), Err)
}

/// The buckets of each key together, with what is told of its error.
fn by_key(rows: Vec<Row>) -> Vec<(Key, i64, Vec<Bucket>)> {
    let mut places: AHashMap<Vec<u8>, usize> = AHashMap::new();
    let mut merged: Vec<(Key, i64, Vec<Bucket>)> = vec![];
    for (key, shard_error, bucket) in rows {
        let place = *places.entry(key_bytes(&key)).or_insert(merged.len());
        if place == merged.len() {
            merged.push((key, 0, vec![]));
        }
        let (key, error, same) = &mut merged[place];
        *error = told_error(key, *error, shard_error, same.is_empty());
        same.push(bucket);
    }
    merged
}

/// What the shards that returned a term take off the sum of all errors, with one of them more.
fn told_error(key: &Key, so_far: i64, shard_error: i64, is_first: bool) -> i64 {
    match key {
        // Of several sources it goes by the first shard alone.
        Key::Many(_) if is_first => -shard_error,
        Key::Many(_) => so_far,
        // A sum of -1 the reference takes for one that cannot be told, and adds nothing more.
        _ if so_far == -1 => -1,
        _ => so_far - shard_error,
    }
}

/// Refuses to merge keys that cannot be compared.
fn check_types(agg: &Agg, so_far: KeyType, part: KeyType) -> Result<()> {
    if so_far == KeyType::Unmapped || so_far == part {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::AggregationExecution,
        format!(
            "Merging/Reducing the aggregations failed when computing the aggregation [{}] because the field you gave in the aggregation query existed as two different types in two different indices",
            agg.name
        ),
    ))
}

fn compare(agg: &Agg, config: &TermsConfig, a: &TermBucket, b: &TermBucket) -> Ordering {
    config.order.compare(&agg.subs, &comparable(a), &comparable(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_add_up_as_the_reference_s() {
        let told = |key: &Key, errors: &[i64]| {
            errors.iter().enumerate().fold(0, |so_far, (i, error)| told_error(key, so_far, *error, i == 0))
        };
        let one = Key::Long(3);
        assert_eq!([told(&one, &[3, 0, 1]), told(&one, &[0, 1, 3]), told(&one, &[1, 3, 1])], [-4, -1, -1]);
        let several = Key::Many([Key::Long(3), Key::Long(4)].into());
        assert_eq!([told(&several, &[12, 16, 13]), told(&several, &[1, 16])], [-12, -1]);
    }
}
