//! How alike two words are: 1 for the same, 0 for nothing in common.

use crate::error::{Error, Result};

/// The measures that a request can name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distance {
    /// Edits with transpositions, as the dictionary was searched by: nothing is measured again.
    Internal,
    DamerauLevenshtein,
    Levenshtein,
    JaroWinkler,
    NGram,
}

impl Distance {
    pub fn named(name: &str) -> Result<Self> {
        Ok(match name.to_lowercase().as_str() {
            "internal" => Self::Internal,
            "damerau_levenshtein" => Self::DamerauLevenshtein,
            "levenshtein" => Self::Levenshtein,
            "jaro_winkler" => Self::JaroWinkler,
            "ngram" => Self::NGram,
            _ => return Err(Error::illegal_argument(format!("Illegal distance option {name}"))),
        })
    }

    /// `edits`: as the dictionary was searched by, of the shorter word's length.
    pub fn similarity(self, a: &str, b: &str, internal: f32) -> f32 {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        match self {
            Self::Internal => internal,
            Self::DamerauLevenshtein => by_edits(&a, &b, true),
            Self::Levenshtein => by_edits(&a, &b, false),
            Self::JaroWinkler => jaro_winkler(&a, &b),
            Self::NGram => by_ngrams(&a, &b),
        }
    }
}

fn by_edits(a: &[char], b: &[char], transpositions: bool) -> f32 {
    if a.is_empty() || b.is_empty() {
        return if a.len() == b.len() { 1.0 } else { 0.0 };
    }
    let longest = if transpositions { a.len().min(b.len()) } else { a.len().max(b.len()) };
    1.0 - edits(a, b, transpositions) as f32 / longest as f32
}

/// Insertions, deletions, replacements and, if they count as one, swaps of neighbours.
pub fn edits(a: &[char], b: &[char], transpositions: bool) -> usize {
    let width = b.len() + 1;
    let mut rows = [vec![0; width], (0..width).collect::<Vec<usize>>(), vec![0; width]];
    for i in 1..=a.len() {
        let [before, last, row] = &mut rows;
        row[0] = i;
        for j in 1..width {
            let same = a[i - 1] == b[j - 1];
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(!same));
            if transpositions && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

fn jaro_winkler(a: &[char], b: &[char]) -> f32 {
    const THRESHOLD: f32 = 0.7;
    let (short, long) = if a.len() > b.len() { (b, a) } else { (a, b) };
    let range = (long.len() / 2).saturating_sub(1);
    let mut partners: Vec<Option<usize>> = vec![None; short.len()];
    let mut taken = vec![false; long.len()];
    for (i, letter) in short.iter().enumerate() {
        let end = (i + range + 1).min(long.len());
        let found = (i.saturating_sub(range)..end).find(|at| !taken[*at] && long[*at] == *letter);
        if let Some(at) = found {
            (partners[i], taken[at]) = (Some(at), true);
        }
    }
    let ours = short.iter().zip(&partners).filter(|(_, partner)| partner.is_some()).map(|(letter, _)| letter);
    let theirs = long.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(letter, _)| letter);
    let matches = partners.iter().flatten().count();
    if matches == 0 {
        return 0.0;
    }
    let transpositions = ours.zip(theirs).filter(|(a, b)| a != b).count() / 2;
    let prefix = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let m = matches as f32;
    let jaro = (m / a.len() as f32 + m / b.len() as f32 + (m - transpositions as f32) / m) / 3.0;
    if jaro < THRESHOLD {
        return jaro;
    }
    jaro + (0.1f32).min(1.0 / long.len() as f32) * prefix as f32 * (1.0 - jaro)
}

/// By pairs of neighbours, the first of each word with a mark before it.
fn by_ngrams(source: &[char], target: &[char]) -> f32 {
    const N: usize = 2;
    let (sl, tl) = (source.len(), target.len());
    if sl == 0 || tl == 0 {
        return if sl == tl { 1.0 } else { 0.0 };
    }
    if sl < N || tl < N {
        let same = source.iter().zip(target).filter(|(a, b)| a == b).count();
        return same as f32 / sl.max(tl) as f32;
    }
    let marked: Vec<char> = std::iter::once('\0').chain(source.iter().copied()).collect();
    let mut last: Vec<f32> = (0..=sl).map(|i| i as f32).collect();
    for j in 1..=tl {
        let gram: Vec<char> = match j {
            1 => vec!['\0', target[0]],
            _ => vec![target[j - 2], target[j - 1]],
        };
        let mut row = vec![j as f32; sl + 1];
        for i in 1..=sl {
            let (mut cost, mut size) = (0, N);
            for (own, other) in marked[i - 1..=i].iter().zip(&gram) {
                if own != other {
                    cost += 1;
                } else if *own == '\0' {
                    // Marks are no characters that the words have in common.
                    size -= 1;
                }
            }
            let part = cost as f32 / size as f32;
            row[i] = (row[i - 1] + 1.0).min(last[i] + 1.0).min(last[i - 1] + part);
        }
        last = row;
    }
    1.0 - last[sl] / tl.max(sl) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_the_reference() {
        let of = |distance: Distance, other: &str| distance.similarity("nobl", other, 0.0);
        assert_eq!(of(Distance::JaroWinkler, "noble"), 0.96);
        assert_eq!(of(Distance::JaroWinkler, "nobel"), 0.9533333);
        assert_eq!(of(Distance::NGram, "noble"), 0.8);
        assert_eq!(of(Distance::NGram, "nobel"), 0.7);
        assert_eq!(of(Distance::DamerauLevenshtein, "nobel"), 0.75);
        assert_eq!(Distance::Levenshtein.similarity("serch", "search", 0.0), 0.8333333);
    }

    #[test]
    fn swaps_count_once() {
        let edits = |swaps| edits(&['a', 'b', 'c'], &['b', 'a', 'c'], swaps);
        assert_eq!((edits(true), edits(false)), (1, 2));
    }
}
