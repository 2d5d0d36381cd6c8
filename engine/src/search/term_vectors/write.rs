//! Vectors as they are shown.

use super::request::TermVectorsRequest;
use super::vectors::{Counts, FieldCounts, Occurrence, Vector};
use crate::error::Result;
use crate::java_order::{slot, slots_of};
use crate::json::Writer;
use crate::mapping::base64;
use crate::pace::Pace;
use crate::query::ShardContext;
use std::collections::HashMap;

/// Writes the vectors by the names of their fields, in the order of Java's hash map.
pub(super) async fn write(
    mut vectors: Vec<Vector>,
    request: &TermVectorsRequest,
    cx: &ShardContext,
    pace: &Pace,
) -> Result<Vec<u8>> {
    let slots = slots_of(vectors.len());
    vectors.sort_by(|a, b| (slot(&a.field, slots), &a.field).cmp(&(slot(&b.field, slots), &b.field)));
    let mut w = Writer::new();
    w.begin_object();
    for vector in &vectors {
        let (counts, in_shard) = vector.field_counts(cx);
        let scores = best(vector, request, counts, in_shard, cx);
        w.key(&vector.field).begin_object();
        if request.field_statistics {
            w.key("field_statistics").begin_object();
            w.key("sum_doc_freq").u64(counts.sum_doc_freq);
            w.key("doc_count").u64(counts.doc_count);
            w.key("sum_ttf").u64(counts.sum_total_term_freq).end_object();
        }
        w.key("terms").begin_object();
        for (term, places) in &vector.terms {
            pace.tick(places.len() as u32 + 1).await;
            let score = match &scores {
                Some(scores) => match scores.get(term) {
                    Some(score) => Some(*score),
                    None => continue,
                },
                None => None,
            };
            w.key(&String::from_utf8_lossy(term)).begin_object();
            if let Some(Counts { doc_freq, total_term_freq }) =
                request.term_statistics.then(|| vector.counts(term, in_shard, cx)).flatten()
            {
                w.key("doc_freq").u64(doc_freq).key("ttf").u64(total_term_freq);
            }
            w.key("term_freq").u64(places.len() as u64);
            write_places(vector, places, &mut w);
            if let Some(score) = score {
                w.key("score").f32(score);
            }
            w.end_object();
        }
        w.end_object().end_object();
    }
    w.end_object();
    Ok(w.finish())
}

/// The terms that the request's filter chooses, with their scores.
fn best(
    vector: &Vector,
    request: &TermVectorsRequest,
    of_field: FieldCounts,
    in_shard: bool,
    cx: &ShardContext,
) -> Option<HashMap<Vec<u8>, f32>> {
    let filter = request.filter?;
    let terms = vector
        .terms
        .iter()
        .map(|(term, places)| (term.as_slice(), places.len(), vector.counts(term, in_shard, cx).unwrap_or_default()));
    Some(filter.best(terms, of_field.doc_count))
}

fn write_places(vector: &Vector, places: &[Occurrence], w: &mut Writer) {
    if !vector.positions && !vector.offsets && !vector.payloads {
        return;
    }
    w.key("tokens").begin_array();
    for place in places {
        w.begin_object();
        if vector.positions {
            w.key("position").u64(place.position.into());
        }
        if vector.offsets {
            w.key("start_offset").u64(place.start.into()).key("end_offset").u64(place.end.into());
        }
        if vector.payloads && !place.payload.is_empty() {
            w.key("payload").string(&base64(&place.payload));
        }
        w.end_object();
    }
    w.end_array();
}
