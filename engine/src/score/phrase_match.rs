//! How often a phrase stands in one document, given the positions of its terms.

/// One position of the phrase in one document.
pub struct Place {
    /// Where it stands in the phrase.
    offset: u32,
    /// Positions of the phrase with the same terms have the same group.
    group: usize,
    /// Where its terms stand in the document, ascending.
    pub positions: Vec<u32>,
    at: usize,
}

impl Place {
    pub fn new(offset: u32, group: usize) -> Self {
        Self { offset, group, positions: Vec::new(), at: 0 }
    }

    /// The current position, relative to that in the phrase.
    fn relative(&self) -> i64 {
        i64::from(self.positions[self.at]) - i64::from(self.offset)
    }

    fn next(&mut self) -> bool {
        self.at += 1;
        self.at < self.positions.len()
    }
}

/// How many times the places follow each other exactly. With `first_only` 1 is enough. Where places have `alternatives`
/// several of them may stand at one position: those of the first place count as often, others once.
pub fn exact_freq(places: &mut [Place], first_only: bool, alternatives: bool) -> f32 {
    // The place with the fewest positions proposes, the others are asked.
    let fewest = (0..places.len()).min_by_key(|i| places[*i].positions.len());
    let Some(lead) = (if alternatives { Some(0) } else { fewest }) else { return 0.0 };
    places.iter_mut().for_each(|place| place.at = 0);
    let mut freq = 0u32;
    'next: for n in 0..places[lead].positions.len() {
        let start = i64::from(places[lead].positions[n]) - i64::from(places[lead].offset);
        if start < 0 {
            continue;
        }
        for (i, place) in places.iter_mut().enumerate() {
            if i == lead {
                continue;
            }
            let wanted = start + i64::from(place.offset);
            while place.positions.get(place.at).is_some_and(|p| i64::from(*p) < wanted) {
                place.at += 1;
            }
            match place.positions.get(place.at) {
                None => break 'next,
                Some(p) if i64::from(*p) != wanted => continue 'next,
                Some(_) => {}
            }
        }
        freq += 1;
        if first_only {
            break;
        }
    }
    freq as f32
}

/// The sum of `1 / (1 + distance)` over matches no further apart than `slop`, found as the reference finds them: the place
/// that lags behind moves on until it no longer does, and the closest it came counts.
pub fn sloppy_freq(places: &mut [Place], slop: u32, first_only: bool) -> f32 {
    if places.iter().any(|place| place.positions.is_empty()) {
        return 0.0;
    }
    places.iter_mut().for_each(|place| place.at = 0);
    if !part_repeats(places) {
        return 0.0;
    }
    let slop = i64::from(slop);
    let mut end = places.iter().map(Place::relative).max().unwrap_or(0);
    let mut freq = 0f32;
    let mut lag = lagging(places, None);
    loop {
        let mut distance = end - places[lag].relative();
        let next = lagging(places, Some(lag));
        let next_relative = if next == lag { i64::MAX } else { places[next].relative() };
        loop {
            if !places[lag].next() || !resolve_repeats(places, lag, &mut end) {
                if distance <= slop {
                    freq += 1.0 / (1.0 + distance as f32);
                }
                return freq;
            }
            end = end.max(places[lag].relative());
            if places[lag].relative() > next_relative {
                break;
            }
            distance = distance.min(end - places[lag].relative());
        }
        if distance <= slop {
            freq += 1.0 / (1.0 + distance as f32);
            if first_only {
                return freq;
            }
        }
        lag = lagging(places, None);
    }
}

/// The place with the smallest relative position (the earlier in the phrase among equals), leaving `but` out.
fn lagging(places: &[Place], but: Option<usize>) -> usize {
    (0..places.len())
        .filter(|i| Some(*i) != but)
        .min_by_key(|i| (places[*i].relative(), places[*i].offset))
        .unwrap_or(but.unwrap_or(0))
}

/// Terms that stand several times in the phrase begin at different occurrences. False if there are too few.
fn part_repeats(places: &mut [Place]) -> bool {
    for i in 0..places.len() {
        let before = places[..i].iter().filter(|place| place.group == places[i].group).count();
        for _ in 0..before {
            if !places[i].next() {
                return false;
            }
        }
    }
    true
}

/// After `moved` moved: no two places of one group may stand on the same occurrence; the lesser of two that do moves on.
fn resolve_repeats(places: &mut [Place], moved: usize, end: &mut i64) -> bool {
    let mut current = moved;
    loop {
        *end = (*end).max(places[current].relative());
        let position = places[current].positions[places[current].at];
        let group = places[current].group;
        let twin = (0..places.len())
            .find(|i| *i != current && places[*i].group == group && places[*i].positions[places[*i].at] == position);
        let Some(twin) = twin else { return true };
        let key = |i: usize| (places[i].relative(), places[i].offset);
        current = if key(current) < key(twin) { current } else { twin };
        if !places[current].next() {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(positions: &[(u32, usize, &[u32])]) -> Vec<Place> {
        positions
            .iter()
            .map(|(offset, group, positions)| Place { positions: positions.to_vec(), ..Place::new(*offset, *group) })
            .collect()
    }

    #[test]
    fn exact_phrases_are_counted() {
        assert_eq!(exact_freq(&mut places(&[(0, 0, &[1, 5, 9]), (1, 1, &[2, 7, 10])]), false, false), 2.0);
        assert_eq!(exact_freq(&mut places(&[(0, 0, &[1, 5, 9]), (1, 1, &[2, 7, 10])]), true, false), 1.0);
        assert_eq!(exact_freq(&mut places(&[(0, 0, &[3]), (2, 1, &[4])]), false, false), 0.0);
        assert_eq!(exact_freq(&mut places(&[(0, 0, &[0, 0]), (1, 1, &[1])]), false, true), 2.0);
        assert_eq!(exact_freq(&mut places(&[(0, 0, &[0]), (1, 1, &[1, 1])]), false, true), 1.0);
    }

    #[test]
    fn sloppy_phrases_weigh_distance() {
        // "quick … fox" with two words between.
        assert_eq!(sloppy_freq(&mut places(&[(0, 0, &[1]), (1, 1, &[4])]), 2, false), 1.0 / 3.0);
        assert_eq!(sloppy_freq(&mut places(&[(0, 0, &[1]), (1, 1, &[4])]), 1, false), 0.0);
        // The other way round costs two.
        assert_eq!(sloppy_freq(&mut places(&[(0, 0, &[2]), (1, 1, &[1])]), 2, false), 1.0 / 3.0);
    }

    #[test]
    fn a_repeated_word_needs_two_occurrences() {
        assert_eq!(sloppy_freq(&mut places(&[(0, 0, &[3]), (1, 0, &[3])]), 5, false), 0.0);
        assert_eq!(sloppy_freq(&mut places(&[(0, 0, &[3, 4]), (1, 0, &[3, 4])]), 5, false), 1.0);
    }
}
