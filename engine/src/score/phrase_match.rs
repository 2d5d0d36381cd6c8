//! How often a phrase stands in one document, given the positions of its terms.

use std::collections::HashMap;

/// Positions of a phrase that have terms in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// That of the first of them.
    pub first: usize,
    /// Whether they have other terms as well.
    pub mixed: bool,
}

impl Group {
    /// The groups of positions with these terms.
    pub fn of(positions: &[&[Vec<u8>]]) -> Vec<Self> {
        let mut firsts: Vec<usize> = (0..positions.len()).collect();
        let mut first_with: HashMap<&[u8], usize> = HashMap::new();
        for (at, terms) in positions.iter().enumerate() {
            for term in *terms {
                let other = *first_with.entry(term.as_slice()).or_insert(at);
                let (low, high) = (firsts[other].min(firsts[at]), firsts[other].max(firsts[at]));
                if low < high {
                    firsts.iter_mut().filter(|first| **first == high).for_each(|first| *first = low);
                }
            }
        }
        let mixed = |first: usize| {
            let mut members = (0..positions.len()).filter(|at| firsts[*at] == first);
            members.clone().count() > 1 && members.any(|at| positions[at].len() > 1)
        };
        firsts.iter().map(|first| Self { first: *first, mixed: mixed(*first) }).collect()
    }
}

/// One position of the phrase in one document.
pub struct Place {
    /// Where it stands in the phrase.
    offset: u32,
    group: Group,
    /// Where its terms stand in the document, ascending.
    pub positions: Vec<u32>,
    at: usize,
    /// The current position, relative to that in the phrase: known once [`Place::stand`] was called.
    relative: i64,
}

impl Place {
    pub fn new(offset: u32, group: Group) -> Self {
        Self { offset, group, positions: Vec::new(), at: 0, relative: 0 }
    }

    /// Goes to a position; false if there are not so many.
    #[inline]
    fn stand(&mut self, at: usize) -> bool {
        self.at = at;
        match self.positions.get(at) {
            Some(position) => {
                self.relative = i64::from(*position) - i64::from(self.offset);
                true
            }
            None => false,
        }
    }

    #[inline]
    fn next(&mut self) -> bool {
        self.stand(self.at + 1)
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
    if let Some(freq) = freq_of_single(places, slop).or_else(|| freq_of_two(places, slop, first_only)) {
        return freq;
    }
    if !places.iter_mut().all(|place| place.stand(0)) || !part_repeats(places) {
        return 0.0;
    }
    let repeats = places.iter().enumerate().any(|(at, place)| places[..at].iter().any(|p| p.group == place.group));
    let slop = i64::from(slop);
    let mut end = places.iter().map(|place| place.relative).max().unwrap_or(0);
    let mut freq = 0f32;
    let mut lag = lagging(places, usize::MAX);
    loop {
        let mut distance = end - places[lag].relative;
        let next_relative = places.get(lagging(places, lag)).map_or(i64::MAX, |next| next.relative);
        loop {
            if !places[lag].next() || repeats && !resolve_repeats(places, lag, &mut end) {
                if distance <= slop {
                    freq += 1.0 / (1.0 + distance as f32);
                }
                return freq;
            }
            let relative = places[lag].relative;
            end = end.max(relative);
            if relative > next_relative {
                break;
            }
            distance = distance.min(end - relative);
        }
        if distance <= slop {
            freq += 1.0 / (1.0 + distance as f32);
            if first_only {
                return freq;
            }
        }
        lag = lagging(places, usize::MAX);
    }
}

/// [`sloppy_freq`] where each place has one position, as is the rule, and no terms stand twice in the phrase.
#[inline]
fn freq_of_single(places: &[Place], slop: u32) -> Option<f32> {
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for (at, place) in places.iter().enumerate() {
        let [position] = place.positions.as_slice() else { return None };
        if places[..at].iter().any(|before| before.group == place.group) {
            return None;
        }
        let relative = i64::from(*position) - i64::from(place.offset);
        (least, most) = (least.min(relative), most.max(relative));
    }
    let distance = most.checked_sub(least)?;
    Some(if distance <= i64::from(slop) { 1.0 / (1.0 + distance as f32) } else { 0.0 })
}

/// [`sloppy_freq`] of two places without a term in common: their positions are gone through like two lists that are merged.
fn freq_of_two(places: &[Place], slop: u32, first_only: bool) -> Option<f32> {
    let [first, second] = places else { return None };
    if first.group == second.group || first.offset > second.offset {
        return None;
    }
    let relative = |place: &Place, position: u32| i64::from(position) - i64::from(place.offset);
    let (mut rest, mut beside) = (first.positions.as_slice(), second.positions.as_slice());
    // Among equals the one that stands earlier in the phrase lags.
    let mut lagging = first;
    let mut other = second;
    let mut freq = 0f32;
    while let (Some(own), Some(others)) = (rest.first(), beside.first()) {
        let (own, others) = (relative(lagging, *own), relative(other, *others));
        if own > others || (own == others && std::ptr::eq(lagging, second)) {
            (lagging, other) = (other, lagging);
            (rest, beside) = (beside, rest);
            continue;
        }
        let mut closest = others - own;
        rest = &rest[1..];
        while let Some(next) = rest.first().map(|next| relative(lagging, *next)).filter(|next| *next <= others) {
            closest = others - next;
            rest = &rest[1..];
        }
        if closest <= i64::from(slop) {
            freq += 1.0 / (1.0 + closest as f32);
            if first_only {
                break;
            }
        }
    }
    Some(freq)
}

/// The place with the smallest relative position (the earlier in the phrase among equals), leaving `but` out; no place if there is
/// no other.
#[inline]
fn lagging(places: &[Place], but: usize) -> usize {
    let (mut lag, mut least) = (usize::MAX, (i64::MAX, u32::MAX));
    for (at, place) in places.iter().enumerate() {
        let key = (place.relative, place.offset);
        if at != but && key < least {
            (lag, least) = (at, key);
        }
    }
    lag
}

/// Terms that stand several times in the phrase begin at different occurrences. False if there are too few.
fn part_repeats(places: &mut [Place]) -> bool {
    for i in 0..places.len() {
        if places[i].group.mixed {
            // Some do not stand at the same occurrence to begin with.
            if !resolve_repeats(places, i, &mut 0) {
                return false;
            }
            continue;
        }
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
        *end = (*end).max(places[current].relative);
        let position = places[current].positions[places[current].at];
        let group = places[current].group;
        let twin = (0..places.len())
            .find(|i| *i != current && places[*i].group == group && places[*i].positions[places[*i].at] == position);
        let Some(twin) = twin else { return true };
        let key = |i: usize| (places[i].relative, places[i].offset);
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
            .map(|(offset, group, positions)| Place {
                positions: positions.to_vec(),
                ..Place::new(*offset, Group { first: *group, mixed: false })
            })
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

    #[test]
    fn positions_with_a_term_in_common_need_two_occurrences() {
        let [a, b, c] = ["a", "b", "c"].map(|term| term.as_bytes().to_vec());
        let groups = Group::of(&[&[a.clone(), b.clone()], &[c], &[a], &[b]]);
        let (both, alone) = (Group { first: 0, mixed: true }, Group { first: 1, mixed: false });
        assert_eq!(groups, [both, alone, both, both]);
        let freq = |positions: [&[u32]; 2]| {
            let place = |at: usize| Place { positions: positions[at].to_vec(), ..Place::new(at as u32, both) };
            sloppy_freq(&mut [place(0), place(1)], 2, false)
        };
        assert_eq!(freq([&[3], &[3]]), 0.0);
        assert_eq!(freq([&[3, 4], &[4]]), 1.0);
    }

    /// Of two terms, each window between neighbours in the order of both: the closest that the one that lags behind comes to
    /// the other before it passes it.
    fn slow_freq_of_two(first: &[u32], second: &[u32], slop: i64) -> f32 {
        let lists = [first, second].map(|list| list.iter().map(|p| i64::from(*p)).collect::<Vec<_>>());
        let lists = [lists[0].clone(), lists[1].iter().map(|p| p - 1).collect()];
        let (mut at, mut freq) = ([0, 0], 0f32);
        loop {
            let here = [lists[0][at[0]], lists[1][at[1]]];
            let lag = usize::from(here[1] < here[0]);
            let other = here[1 - lag];
            let passed = lists[lag][at[lag]..].iter().take_while(|place| **place <= other).count();
            let closest = other - lists[lag][at[lag] + passed - 1];
            if closest <= slop {
                freq += 1.0 / (1.0 + closest as f32);
            }
            at[lag] += passed;
            if at[lag] == lists[lag].len() {
                return freq;
            }
        }
    }

    #[test]
    fn two_terms_agree_with_their_slow_twin() {
        let mut seed = 7u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..3_000 {
            let mut both: [Vec<u32>; 2] = [vec![], vec![]];
            for position in 0..60 {
                if below(4) == 0 {
                    both[below(2) as usize].push(position);
                }
            }
            if both.iter().any(Vec::is_empty) {
                continue;
            }
            let slop = below(8) as u32;
            let found = sloppy_freq(&mut places(&[(0, 0, &both[0]), (1, 1, &both[1])]), slop, false);
            assert_eq!(found, slow_freq_of_two(&both[0], &both[1], i64::from(slop)), "{both:?} {slop}");
        }
    }
}
