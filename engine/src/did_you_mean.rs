//! The "did you mean" of errors about unknown names, ranked as the reference ranks them.

/// The candidates that resemble `word` (similarity above one half), best first, ties by name.
/// Cost: O(candidates × word length × candidate length); words longer than 64 characters get no suggestion.
pub fn suggestions<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if word.len() > 64 {
        return vec![];
    }
    let mut scored: Vec<(f32, &str)> =
        candidates.into_iter().map(|c| (similarity(word, c), c)).filter(|(score, _)| *score > 0.5).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup();
    scored.into_iter().map(|(_, c)| c).collect()
}

/// ` did you mean [x]?`, ` did you mean any of [x, y]?` or nothing: what the reference appends to such errors.
pub fn suffix<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match suggestions(word, candidates).as_slice() {
        [] => String::new(),
        [one] => format!(" did you mean [{one}]?"),
        many => format!(" did you mean any of [{}]?", many.join(", ")),
    }
}

/// One minus the edit distance over the longer length, as Lucene's `LevenshteinDistance`; 0.0 where it is one half or less.
fn similarity(a: &str, b: &str) -> f32 {
    match a.is_ascii() && b.is_ascii() {
        true => similarity_of(a.as_bytes(), b.as_bytes()),
        false => {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            similarity_of(&a, &b)
        }
    }
}

fn similarity_of<T: PartialEq>(a: &[T], b: &[T]) -> f32 {
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    // From this distance on nobody cares: most names are given up after a look at their lengths, others in the middle.
    let too_far = longer.div_ceil(2);
    if longer - a.len().min(b.len()) >= too_far {
        return 0.0;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        let mut least = row[0];
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
            least = least.min(row[j + 1]);
        }
        if least >= too_far {
            return 0.0;
        }
    }
    1.0 - row[b.len()] as f32 / longer as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_by_similarity() {
        assert_eq!(suggestions("prety", ["pretty", "human", "preference"]), ["pretty"]);
        assert_eq!(suffix("fieldx", ["field", "format"]), " did you mean [field]?");
        assert_eq!(suffix("xyz", ["field"]), "");
        assert_eq!(suffix("größe", ["größen", "grossen"]), " did you mean [größen]?");
    }

    #[test]
    fn giving_up_early_changes_nothing_above_one_half() {
        let plain = |a: &str, b: &str| {
            let mut row: Vec<usize> = (0..=b.len()).collect();
            for (i, ca) in a.bytes().enumerate() {
                let mut diagonal = row[0];
                row[0] = i + 1;
                for (j, cb) in b.bytes().enumerate() {
                    let substituted = diagonal + usize::from(ca != cb);
                    diagonal = row[j + 1];
                    row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
                }
            }
            1.0 - row[b.len()] as f32 / a.len().max(b.len()) as f32
        };
        let names = [
            "index.refresh_interval",
            "index.refresh",
            "number_of_replicas",
            "number_of_shards",
            "a",
            "ab",
            "ba",
            "abc",
        ];
        for a in names {
            for b in names {
                let expected = Some(plain(a, b)).filter(|score| *score > 0.5);
                assert_eq!(Some(similarity(a, b)).filter(|score| *score > 0.5), expected, "{a} {b}");
            }
        }
    }
}
