//! Which segments to merge: tiers, as Lucene's default policy has them.
//!
//! Segments are thought to stand in tiers of sizes, each some ten times the one below. A shard may have about
//! `segments_per_tier` segments per tier; with more, or with too many deleted documents, the cheapest merge is chosen: the
//! one of segments most alike in size, better if it drops many deleted documents.

/// The settings of `index.merge.policy.*`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MergeSettings {
    pub segments_per_tier: f64,
    pub max_merge_at_once: usize,
    pub max_merged_segment_bytes: u64,
    /// Smaller segments count as this large, so that many tiny ones do not pile up.
    pub floor_segment_bytes: u64,
    /// Deleted documents per hundred that are put up with.
    pub deletes_pct_allowed: f64,
}

impl Default for MergeSettings {
    fn default() -> Self {
        Self {
            segments_per_tier: 10.0,
            max_merge_at_once: 10,
            max_merged_segment_bytes: 5 << 30,
            floor_segment_bytes: 16 << 20,
            deletes_pct_allowed: 20.0,
        }
    }
}

/// What the policy knows of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentSize {
    pub bytes: u64,
    pub max_doc: u32,
    pub deleted: u32,
    /// It is part of a merge that runs.
    pub merging: bool,
}

impl SegmentSize {
    /// What it would take without its deleted documents.
    fn live_bytes(&self) -> u64 {
        if self.max_doc == 0 {
            return self.bytes;
        }
        (self.bytes as f64 * (1.0 - f64::from(self.deleted) / f64::from(self.max_doc))) as u64
    }

    fn deleted_pct(&self) -> f64 {
        100.0 * f64::from(self.deleted) / f64::from(self.max_doc.max(1))
    }
}

/// The merges to run now: places in `sizes`, ascending in each, none in two.
pub fn plan_merges(sizes: &[SegmentSize], settings: &MergeSettings) -> Vec<Vec<usize>> {
    let total_docs: u64 = sizes.iter().map(|size| u64::from(size.max_doc)).sum();
    let total_deleted: u64 = sizes.iter().map(|size| u64::from(size.deleted)).sum();
    let total_deleted_pct = 100.0 * total_deleted as f64 / total_docs.max(1) as f64;
    // A segment over half the largest size can only be merged to be rid of its deleted documents.
    let too_big = |size: &SegmentSize| {
        size.live_bytes() > settings.max_merged_segment_bytes / 2
            && (total_deleted_pct <= settings.deletes_pct_allowed || size.deleted_pct() <= settings.deletes_pct_allowed)
    };
    let mut eligible: Vec<usize> = (0..sizes.len()).filter(|i| !sizes[*i].merging && !too_big(&sizes[*i])).collect();
    eligible.sort_by_key(|i| std::cmp::Reverse(sizes[*i].live_bytes()));
    let allowed = allowed_segments(sizes.iter().filter(|size| !too_big(size)), settings);
    let allowed_deleted = settings.deletes_pct_allowed * total_docs as f64 / 100.0;
    let merging = sizes.iter().filter(|size| size.merging).count();
    let mut plans = vec![];
    loop {
        let deleted: u64 = eligible.iter().map(|i| u64::from(sizes[*i].deleted)).sum();
        let few = eligible.len() + merging + plans.len() <= allowed;
        if few && deleted as f64 <= allowed_deleted {
            return plans;
        }
        let Some(mut best) = best_candidate(sizes, &eligible, few, settings) else { return plans };
        eligible.retain(|i| !best.contains(i));
        best.sort_unstable();
        plans.push(best);
    }
}

fn allowed_segments<'a>(sizes: impl Iterator<Item = &'a SegmentSize> + Clone, settings: &MergeSettings) -> usize {
    let Some(least) = sizes.clone().map(SegmentSize::live_bytes).min() else { return 0 };
    let factor = settings.segments_per_tier.min(settings.max_merge_at_once as f64).max(2.0);
    let largest = settings.max_merged_segment_bytes.max(1) as f64;
    let mut left = sizes.map(|size| size.live_bytes() as f64).sum::<f64>();
    let mut level = (least.max(settings.floor_segment_bytes).max(1) as f64).min(largest);
    let mut allowed = 0.0;
    loop {
        let on_level = left / level;
        if on_level < settings.segments_per_tier || level >= largest {
            allowed += on_level.ceil();
            return allowed.max(settings.segments_per_tier) as usize;
        }
        allowed += settings.segments_per_tier;
        left -= settings.segments_per_tier * level;
        level = (level * factor).min(largest);
    }
}

/// The merge with the least score, lower being better, of those that start at each of `eligible` (by size, descending).
fn best_candidate(
    sizes: &[SegmentSize],
    eligible: &[usize],
    few: bool,
    settings: &MergeSettings,
) -> Option<Vec<usize>> {
    let most = settings.max_merge_at_once.min(settings.segments_per_tier as usize).max(2);
    let mut best: Option<(f64, Vec<usize>)> = None;
    for start in 0..eligible.len() {
        let (mut candidate, mut bytes, mut hit_too_large) = (vec![], 0, false);
        for i in &eligible[start..] {
            let more = sizes[*i].live_bytes();
            if candidate.len() == most {
                break;
            }
            if bytes + more > settings.max_merged_segment_bytes {
                hit_too_large = true;
                if !candidate.is_empty() {
                    // A smaller one may still fit.
                    continue;
                }
            }
            candidate.push(*i);
            bytes += more;
        }
        // Rewriting a single segment pays only where it drops documents.
        if candidate.len() < 2 && (sizes[candidate[0]].deleted == 0 || !few) {
            continue;
        }
        let score = score(sizes, &candidate, hit_too_large, most, settings);
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn score(
    sizes: &[SegmentSize],
    candidate: &[usize],
    hit_too_large: bool,
    most: usize,
    settings: &MergeSettings,
) -> f64 {
    let floored = |bytes: u64| bytes.max(settings.floor_segment_bytes) as f64;
    let before: u64 = candidate.iter().map(|i| sizes[*i].bytes).sum();
    let after: u64 = candidate.iter().map(|i| sizes[*i].live_bytes()).sum();
    let after_floored: f64 = candidate.iter().map(|i| floored(sizes[*i].live_bytes())).sum();
    let skew =
        if hit_too_large { 1.0 / most as f64 } else { floored(sizes[candidate[0]].live_bytes()) / after_floored };
    // Gently prefer small merges, strongly those that drop deleted documents.
    skew * (after as f64).powf(0.05) * (after as f64 / before.max(1) as f64).powi(2)
}

/// The merges that bring a shard to at most `max_segments` segments, and rid it of deleted documents if that is one.
/// Run them, and ask again until there is nothing to do.
pub fn plan_forced_merge(sizes: &[SegmentSize], max_segments: usize) -> Vec<Vec<usize>> {
    let max_segments = max_segments.max(1);
    let mut idle: Vec<usize> = (0..sizes.len()).filter(|i| !sizes[*i].merging).collect();
    if sizes.len() <= max_segments {
        let rewrite = |i: &usize| max_segments == 1 && sizes[*i].deleted > 0;
        return idle.into_iter().filter(rewrite).map(|i| vec![i]).collect();
    }
    // Merging the smallest ones writes least.
    idle.sort_by_key(|i| sizes[*i].live_bytes());
    idle.truncate(sizes.len() - max_segments + 1);
    idle.sort_unstable();
    if idle.len() < 2 { vec![] } else { vec![idle] }
}

/// The merge of small segments that pays where nothing is written for a while: every search goes through all of them, and the policy
/// puts up with many. None with deleted documents, which scores go by until they are dropped; and none that is larger than
/// twice the smaller ones together, so that a document is written anew only where its segment grows by half at least. Neighbours only: nobody
/// asked for the merge, so documents keep their order.
pub fn plan_small_merge(sizes: &[SegmentSize], settings: &MergeSettings) -> Option<Vec<usize>> {
    let small = |size: &SegmentSize| !size.merging && size.deleted == 0 && size.bytes <= settings.floor_segment_bytes;
    let mut best = 0..0;
    for start in 0..sizes.len() {
        let (mut sum, mut largest) = (0, 0);
        let run = sizes[start..].iter().take(settings.max_merge_at_once).take_while(|size| small(size));
        for (more, size) in run.enumerate() {
            (sum, largest) = (sum + size.bytes, largest.max(size.bytes));
            if sum > settings.max_merged_segment_bytes {
                break;
            }
            if more >= best.len() && more > 0 && largest <= 2 * (sum - largest) {
                best = start..start + more + 1;
            }
        }
    }
    (!best.is_empty()).then(|| best.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn size(bytes: u64, deleted: u32) -> SegmentSize {
        SegmentSize { bytes, max_doc: 1_000, deleted, merging: false }
    }

    #[test]
    fn few_segments_are_left_alone_and_many_are_merged() {
        let settings = MergeSettings::default();
        assert!(plan_merges(&[], &settings).is_empty());
        assert!(plan_merges(&[size(MB, 0); 10], &settings).is_empty());
        assert_eq!(plan_merges(&[size(MB, 0); 11], &settings), [(0..10).collect::<Vec<_>>()]);
        let mut running = [size(MB, 0); 11];
        running[3].merging = true;
        assert_eq!(plan_merges(&running, &settings)[0].len(), 10);
    }

    #[test]
    fn segments_alike_in_size_are_merged_and_order_is_kept() {
        let settings = MergeSettings::default();
        let mut sizes = vec![size(2_000 * MB, 0)];
        sizes.extend([size(20 * MB, 0); 21]);
        let plan = &plan_merges(&sizes, &settings)[0];
        assert!(!plan.contains(&0) && plan.is_sorted());
    }

    #[test]
    fn full_segments_are_merged_only_for_their_deletes() {
        let settings = MergeSettings::default();
        let full = size(4 << 30, 0);
        assert!(plan_merges(&[full; 30], &settings).is_empty());
        let half_deleted = size(4 << 30, 500);
        assert!(!plan_merges(&[half_deleted; 2], &settings).is_empty());
    }

    #[test]
    fn small_segments_are_merged_where_that_is_worth_it() {
        let settings = MergeSettings::default();
        let plan = |sizes: &[SegmentSize]| plan_small_merge(sizes, &settings);
        assert_eq!(plan(&[]), None);
        assert_eq!(plan(&[size(MB, 0)]), None);
        assert_eq!(plan(&[size(MB, 0); 3]), Some(vec![0, 1, 2]));
        assert_eq!(plan(&[size(17 * MB, 0), size(MB, 0), size(2 * MB, 0)]), Some(vec![1, 2]));
        assert_eq!(plan(&[size(9 * MB, 0), size(MB, 0), size(2 * MB, 0)]), Some(vec![1, 2]));
        assert_eq!(plan(&[size(9 * MB, 0), size(MB, 0)]), None);
        assert_eq!(plan(&[size(MB, 0), size(9 * MB, 0), size(MB, 0)]), None, "documents keep their order");
        assert_eq!(plan(&[size(MB, 0), size(MB, 1)]), None);
        assert_eq!(plan(&[SegmentSize { merging: true, ..size(MB, 0) }, size(MB, 0)]), None);
        assert_eq!(plan(&[size(MB, 0); 30]).map(|plan| plan.len()), Some(10));
        let bounded = MergeSettings { max_merged_segment_bytes: 2 * MB, ..settings };
        assert_eq!(plan_small_merge(&[size(MB, 0); 3], &bounded), Some(vec![0, 1]));
    }

    #[test]
    fn forced_merges_reach_their_number() {
        let sizes = [size(9, 0), size(1, 0), size(5, 0), size(2, 0)];
        assert_eq!(plan_forced_merge(&sizes, 1), [[0, 1, 2, 3]]);
        assert_eq!(plan_forced_merge(&sizes, 3), [[1, 3]]);
        assert!(plan_forced_merge(&sizes, 4).is_empty());
        assert_eq!(plan_forced_merge(&[size(9, 1)], 1), [[0]]);
        assert!(plan_forced_merge(&[size(9, 0)], 1).is_empty());
    }
}
