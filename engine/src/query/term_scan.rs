//! Looking terms up in the dictionaries of all segments: what fuzzy terms and prefixes of phrases expand to.

use super::PlanContext;
use super::rewrite::{FoundTerm, Rewrite, ScoredTerm};
use crate::error::Result;
use crate::score::{MultiTerm, Plan, TermSet};
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
    let written = format!("{field}:{text}~{}", options.edits);
    let plan = match options.edits {
        0 => Ok(Plan::term(field, text)),
        _ => Rewrite::Default.of_terms(field, fuzzy_terms(cx, field, text, options, options.max_expansions)),
    };
    plan.unwrap_or_else(|error| Plan::nothing(error.reason())).written_as(written)
}

/// A fuzzy term with a `rewrite` of its own.
pub fn rewritten_fuzzy(
    cx: &PlanContext,
    field: &Arc<str>,
    text: &str,
    options: FuzzyOptions,
    rewrite: &Rewrite,
) -> Result<Plan> {
    rewrite.check()?;
    let limit = match rewrite {
        Rewrite::Default => return Ok(fuzzy_plan(cx, field, text, options)),
        Rewrite::TopTerms(n) | Rewrite::TopTermsBoost(n) | Rewrite::TopTermsBlended(n) => *n,
        _ => usize::MAX,
    };
    let written = format!("{field}:{text}~{}", options.edits);
    let terms = fuzzy_terms(cx, field, text, options, limit);
    if *rewrite == Rewrite::Constant {
        let set = TermSet::Terms(terms.into_iter().map(|term| term.found.term).collect());
        return Ok(Plan::MultiTerm(MultiTerm { field: field.clone(), set, text: written }));
    }
    Ok(rewrite.of_terms(field, terms)?.written_as(written))
}

/// The closest `limit` terms to `text`, in their order.
pub fn fuzzy_terms(cx: &PlanContext, field: &str, text: &str, options: FuzzyOptions, limit: usize) -> Vec<ScoredTerm> {
    let wanted: Vec<char> = text.chars().collect();
    let prefix: String = wanted.iter().take(options.prefix_length).collect();
    let mut found: BTreeMap<Vec<u8>, (usize, u64, u64)> = BTreeMap::new();
    let mut distance = Distance::new(&wanted, usize::from(options.edits), options.transpositions);
    for view in &cx.snapshot.segments {
        let Some(terms) = view.segment.field(field).and_then(|field| field.terms()) else { continue };
        let mut iter = terms.prefix(prefix.as_bytes());
        while let Some((term, info)) = iter.next() {
            let Ok(text) = std::str::from_utf8(term) else { continue };
            match distance.to(text) {
                Step::Within(edits) => {
                    let entry = found.entry(term.to_vec()).or_insert((edits, 0, 0));
                    entry.1 += u64::from(info.doc_freq);
                    entry.2 += info.total_term_freq;
                }
                Step::Without => {}
                Step::SkipTo(target) => iter.seek_ge(&target),
            }
        }
    }
    let boost = |term: &[u8], edits: usize| {
        let length = String::from_utf8_lossy(term).chars().count().min(wanted.len()).max(1);
        if edits == 0 { 1.0 } else { 1.0 - edits as f32 / length as f32 }
    };
    let scored = |(term, (edits, doc_freq, total_term_freq)): (Vec<u8>, (usize, u64, u64))| ScoredTerm {
        boost: boost(&term, edits),
        found: FoundTerm { term, doc_freq, total_term_freq },
    };
    let mut best: Vec<ScoredTerm> = found.into_iter().map(scored).filter(|term| term.boost > 0.0).collect();
    best.sort_by(|a, b| b.boost.total_cmp(&a.boost).then_with(|| a.found.term.cmp(&b.found.term)));
    best.truncate(limit.min(cx.limits.max_clause_count));
    best.sort_by(|a, b| a.found.term.cmp(&b.found.term));
    best
}

/// The most edits a fuzzy term can allow, and so the width of the band around the diagonal of the matrix.
const MAX_EDITS: usize = 2;
const BAND: usize = 2 * MAX_EDITS + 1;

/// One row of the matrix: cell `k` of row `i` is for the first `i + k - MAX_EDITS` characters of the wanted text.
type Row = [u8; BAND];

/// Edit distance of terms in ascending order to one text. The rows of what a term shares with the one before are kept, and
/// where no term with a prefix can be near enough, all of them are passed over.
struct Distance<'a> {
    wanted: &'a [char],
    max: u8,
    transpositions: bool,
    /// The characters of `wanted`, sorted: all others are alike.
    alphabet: Vec<char>,
    /// A prefix of the last term that can still be near enough, and the row after each of its lengths.
    term: Vec<char>,
    rows: Vec<Row>,
}

/// What became of a term.
#[derive(Debug, PartialEq)]
enum Step {
    Within(usize),
    Without,
    /// Nothing before this one is near enough.
    SkipTo(Vec<u8>),
}

impl<'a> Distance<'a> {
    fn new(wanted: &'a [char], max: usize, transpositions: bool) -> Self {
        let mut alphabet = wanted.to_vec();
        alphabet.sort_unstable();
        alphabet.dedup();
        let max = max.min(MAX_EDITS) as u8;
        let mut first = [max + 1; BAND];
        for (j, cell) in first[MAX_EDITS..].iter_mut().enumerate().take(wanted.len() + 1) {
            *cell = (j as u8).min(max + 1);
        }
        Self { wanted, max, transpositions, alphabet, term: vec![], rows: vec![first] }
    }

    fn to(&mut self, term: &str) -> Step {
        let shared = term.chars().zip(&self.term).take_while(|(a, b)| a == *b).count();
        self.term.truncate(shared);
        self.rows.truncate(shared + 1);
        for next in term.chars().skip(shared) {
            let row = self.row_after(next);
            if self.is_hopeless(&row) {
                return Step::SkipTo(self.next_hope(next));
            }
            self.term.push(next);
            self.rows.push(row);
        }
        let cell = (self.wanted.len() + MAX_EDITS).checked_sub(self.term.len());
        let last = cell.and_then(|cell| self.rows.last()?.get(cell));
        match last {
            Some(edits) if *edits <= self.max => Step::Within(usize::from(*edits)),
            _ => Step::Without,
        }
    }

    fn row_after(&self, next: char) -> Row {
        let far = self.max + 1;
        let i = self.rows.len();
        let previous = &self.rows[i - 1];
        let mut row = [far; BAND];
        for k in 0..BAND {
            let Some(j) = (i + k).checked_sub(MAX_EDITS).filter(|j| *j <= self.wanted.len()) else { continue };
            if j == 0 {
                row[k] = (i as u8).min(far);
                continue;
            }
            let mut cell = previous[k] + u8::from(self.wanted[j - 1] != next);
            if k + 1 < BAND {
                cell = cell.min(previous[k + 1] + 1);
            }
            if k > 0 {
                cell = cell.min(row[k - 1] + 1);
            }
            if self.transpositions
                && i > 1
                && j > 1
                && self.wanted[j - 2] == next
                && self.term.last() == Some(&self.wanted[j - 1])
            {
                cell = cell.min(self.rows[i - 2][k] + 1);
            }
            row[k] = cell.min(far);
        }
        row
    }

    /// No term that goes on after `row` is near enough. A transposition reaches back by two rows.
    fn is_hopeless(&self, row: &Row) -> bool {
        let before = self.rows.last().filter(|_| self.transpositions);
        row.iter().all(|cell| *cell > self.max) && before.is_none_or(|row| row.iter().all(|cell| *cell >= self.max))
    }

    /// The first term after all those that go on with `tried`, which cannot be near enough, that may be.
    fn next_hope(&self, tried: char) -> Vec<u8> {
        let mut target: String = self.term.iter().collect();
        let after = self.alphabet.partition_point(|letter| *letter <= tried);
        match self.alphabet[after..].iter().find(|letter| !self.is_hopeless(&self.row_after(**letter))) {
            Some(letter) => {
                target.push(*letter);
                target.into_bytes()
            }
            // No text has this byte: it is after all that have the prefix.
            None => [target.as_bytes(), &[0xff]].concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_within_a_band() {
        let wanted: Vec<char> = "quick".chars().collect();
        let to = |term: &str, max, transpositions| match Distance::new(&wanted, max, transpositions).to(term) {
            Step::Within(edits) => Some(edits),
            _ => None,
        };
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
            assert_eq!(to(term, 2, true), expected, "{term}");
        }
        assert_eq!(to("quikc", 1, false), None);
    }

    /// The whole matrix.
    fn distance(a: &[char], b: &[char], transpositions: bool) -> usize {
        let mut cells = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                cells[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => {
                        let replaced = cells[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                        replaced.min(cells[i - 1][j] + 1).min(cells[i][j - 1] + 1)
                    }
                };
                if transpositions && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    cells[i][j] = cells[i][j].min(cells[i - 2][j - 2] + 1);
                }
            }
        }
        cells[a.len()][b.len()]
    }

    #[test]
    fn passing_over_terms_loses_none() {
        let mut terms = vec![String::new()];
        for from in 0.. {
            if terms[from].chars().count() == 5 {
                break;
            }
            for letter in ['a', 'b', 'é', 'z'] {
                let longer = format!("{}{letter}", terms[from]);
                terms.push(longer);
            }
        }
        terms.sort();
        for wanted in ["", "a", "ab", "béa", "abba", "zazé", "abéab", "bbbbbbb"] {
            let wanted: Vec<char> = wanted.chars().collect();
            for (max, transpositions) in [(1, true), (1, false), (2, true), (2, false)] {
                let mut scan = Distance::new(&wanted, max, transpositions);
                let (mut at, mut found) = (0, vec![]);
                while let Some(term) = terms.get(at) {
                    at += 1;
                    match scan.to(term) {
                        Step::Within(edits) => found.push((term.clone(), edits)),
                        Step::Without => {}
                        Step::SkipTo(target) => at += terms[at..].partition_point(|t| t.as_bytes() < &target[..]),
                    }
                }
                let all = (terms.iter())
                    .map(|term| (term.clone(), distance(&wanted, &term.chars().collect::<Vec<_>>(), transpositions)))
                    .filter(|(_, edits)| *edits <= max);
                assert_eq!(found, all.collect::<Vec<_>>(), "{wanted:?} {max} {transpositions}");
            }
        }
    }
}
