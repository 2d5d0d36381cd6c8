//! Looking terms up in the dictionaries of all segments: what fuzzy terms and prefixes of phrases expand to.

use super::PlanContext;
use crate::score::{BlendedTerm, BoolPlan, Plan};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a fuzzy term allows.
#[derive(Clone, Copy, Debug)]
pub struct FuzzyOptions {
    pub edits: u8,
    pub prefix_length: usize,
    pub max_expansions: usize,
    pub transpositions: bool,
}

/// Terms that begin with `prefix`: the first ones of the first segment, then of the next, as the reference takes them.
pub fn terms_with_prefix(cx: &PlanContext, field: &str, prefix: &str, max_expansions: usize) -> Vec<Vec<u8>> {
    let mut found = std::collections::BTreeSet::new();
    for view in &cx.snapshot.segments {
        let Some(terms) = view.segment.field(field).and_then(|field| field.terms()) else { continue };
        let mut iter = terms.prefix(prefix.as_bytes());
        while found.len() < max_expansions {
            let Some((term, _)) = iter.next() else { break };
            found.insert(term.to_vec());
        }
    }
    found.into_iter().collect()
}

/// The closest terms to `text`, each boosted by how close it is, all with the statistics of the most frequent.
pub fn fuzzy_plan(cx: &PlanContext, field: &Arc<str>, text: &str, options: FuzzyOptions) -> Plan {
    if options.edits == 0 {
        return Plan::term(field, text);
    }
    let wanted: Vec<char> = text.chars().collect();
    let prefix: String = wanted.iter().take(options.prefix_length).collect();
    let mut found: BTreeMap<Vec<u8>, (usize, u64, u64)> = BTreeMap::new();
    let mut distance = Distance::new(&wanted, usize::from(options.edits), options.transpositions);
    for view in &cx.snapshot.segments {
        let Some(terms) = view.segment.field(field).and_then(|field| field.terms()) else { continue };
        let mut iter = terms.prefix(prefix.as_bytes());
        while let Some((term, info)) = iter.next() {
            let Some(edits) = std::str::from_utf8(term).ok().and_then(|term| distance.to(term)) else { continue };
            let entry = found.entry(term.to_vec()).or_insert((edits, 0, 0));
            entry.1 += u64::from(info.doc_freq);
            entry.2 += info.total_term_freq;
        }
    }
    let boost = |term: &[u8], edits: usize| {
        let length = String::from_utf8_lossy(term).chars().count().min(wanted.len()).max(1);
        if edits == 0 { 1.0 } else { 1.0 - edits as f32 / length as f32 }
    };
    let mut best: Vec<(f32, Vec<u8>, u64, u64)> = (found.into_iter())
        .map(|(term, (edits, df, ttf))| (boost(&term, edits), term, df, ttf))
        .filter(|(boost, ..)| *boost > 0.0)
        .collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    best.truncate(options.max_expansions.min(cx.limits.max_clause_count));
    best.sort_by(|a, b| a.1.cmp(&b.1));
    let doc_freq = best.iter().map(|(_, _, df, _)| *df).max().unwrap_or(0);
    let total_term_freq = best.iter().map(|(_, _, _, ttf)| *ttf).sum();
    let should: Vec<Plan> = (best.into_iter())
        .map(|(boost, term, _, _)| {
            Plan::Blended(BlendedTerm { field: field.clone(), term, doc_freq, total_term_freq }).boosted(boost)
        })
        .collect();
    match should.len() {
        0 => Plan::nothing("no fuzzy matches"),
        _ => Plan::Bool(BoolPlan { should, ..BoolPlan::default() }),
    }
}

/// Edit distance to one text, in bounded time per term: only a band of the matrix around the diagonal is looked at.
struct Distance<'a> {
    wanted: &'a [char],
    max: usize,
    transpositions: bool,
    rows: [Vec<usize>; 3],
    term: Vec<char>,
}

impl<'a> Distance<'a> {
    fn new(wanted: &'a [char], max: usize, transpositions: bool) -> Self {
        Self { wanted, max, transpositions, rows: [vec![], vec![], vec![]], term: vec![] }
    }

    /// The distance of `term`, if it is within the bound.
    fn to(&mut self, term: &str) -> Option<usize> {
        // A byte is at most one character and at least a quarter: most terms need no look at their characters.
        if term.len() > (self.wanted.len() + self.max) * 4 || term.len() + self.max < self.wanted.len() {
            return None;
        }
        self.term.clear();
        self.term.extend(term.chars());
        let (n, m) = (self.wanted.len(), self.term.len());
        if n.abs_diff(m) > self.max {
            return None;
        }
        let far = self.max + 1;
        for row in &mut self.rows {
            row.clear();
            row.resize(n + 1, far);
        }
        let [before, previous, current] = &mut self.rows;
        for (j, slot) in previous.iter_mut().enumerate() {
            *slot = j.min(far);
        }
        for i in 1..=m {
            current.fill(far);
            let (lo, hi) = (i.saturating_sub(self.max), (i + self.max).min(n));
            if lo == 0 {
                current[0] = i.min(far);
            }
            let mut least = current[0];
            for j in lo.max(1)..=hi {
                let same = self.term[i - 1] == self.wanted[j - 1];
                let mut value = previous[j - 1] + usize::from(!same);
                value = value.min(previous[j] + 1).min(current[j - 1] + 1);
                if self.transpositions
                    && i > 1
                    && j > 1
                    && self.term[i - 1] == self.wanted[j - 2]
                    && self.term[i - 2] == self.wanted[j - 1]
                {
                    value = value.min(before[j - 2] + 1);
                }
                current[j] = value.min(far);
                least = least.min(value);
            }
            if least > self.max && before[..].iter().all(|v| *v > self.max) {
                return None;
            }
            std::mem::swap(before, previous);
            std::mem::swap(previous, current);
        }
        (previous[n] <= self.max).then_some(previous[n])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_within_a_band() {
        let wanted: Vec<char> = "quick".chars().collect();
        let mut two = Distance::new(&wanted, 2, true);
        for (term, expected) in [
            ("quick", Some(0)),
            ("quikc", Some(1)),
            ("qick", Some(1)),
            ("quiick", Some(1)),
            ("uick", Some(1)),
            ("brown", None),
            ("quack", Some(1)),
            ("qiuc", Some(2)),
            ("qui", Some(2)),
            ("q", None),
        ] {
            assert_eq!(two.to(term), expected, "{term}");
        }
        assert_eq!(Distance::new(&wanted, 1, false).to("quikc"), None);
    }
}
