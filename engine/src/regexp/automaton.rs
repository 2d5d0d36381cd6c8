//! Regular expressions as deterministic automata, made within a bounded effort.

use super::syntax::Expr;
use crate::error::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::collections::HashMap;

/// A deterministic automaton over characters. State 0 is where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Dfa {
    states: Vec<State>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    accepts: bool,
    /// Inclusive ranges, ascending, apart from each other, with where they lead.
    next: Vec<(u32, u32, u32)>,
}

const LAST: u32 = 0x10_ffff;
/// Most states of the automata that expressions are first written as.
const NFA_STATES_MAX: usize = 100_000;

/// Most effort, whatever a request allows: some ten times what is allowed where it says nothing.
const EFFORT_MAX: usize = 1_000_000;

/// What it costs to make automata.
struct Effort {
    /// The reference's measure: sizes of the sets of states that are looked at, of states that characters lead to.
    spent: usize,
    limit: usize,
    /// States that were looked at here, where some are reached without a character.
    work: usize,
}

impl Effort {
    fn spend(&mut self, effort: usize, nfa: &Nfa) -> Result<()> {
        self.spent += effort;
        if self.spent < self.limit {
            return Ok(());
        }
        Err(self.exceeded(nfa))
    }

    fn work(&mut self, work: usize, nfa: &Nfa) -> Result<()> {
        self.work += work;
        if self.work < EFFORT_MAX {
            return Ok(());
        }
        Err(self.exceeded(nfa))
    }

    fn exceeded(&self, nfa: &Nfa) -> Error {
        let transitions: usize = nfa.states.iter().map(|state| state.next.len() + state.free.len()).sum();
        too_complex(format!(
            "Determinizing automaton with {} states and {transitions} transitions would require more than {} effort.",
            nfa.states.len(),
            self.limit / 10
        ))
    }
}

fn too_complex(reason: String) -> Error {
    Error::new(ErrorKind::TooComplexToDeterminize, reason)
}

impl Dfa {
    /// `max_states` bounds the effort, as in the reference.
    pub fn new(expr: &Expr, max_states: usize) -> Result<Self> {
        let mut effort = Effort { spent: 0, limit: max_states.saturating_mul(10).min(EFFORT_MAX), work: 0 };
        let nfa = Nfa::of(expr, &mut effort)?;
        determinize(&nfa, &mut effort)
    }

    pub fn matches(&self, text: &str) -> bool {
        let mut at = 0;
        for c in text.chars() {
            match self.step(at, c.into()) {
                Some(next) => at = next,
                None => return false,
            }
        }
        self.states[at].accepts
    }

    /// Whether every text matches.
    pub fn matches_everything(&self) -> bool {
        let whole = |state: &State| {
            let mut from = 0;
            let joined = state.next.iter().all(|range| range.0 <= std::mem::replace(&mut from, range.1 + 1));
            state.accepts && joined && from > LAST
        };
        self.states.iter().all(whole)
    }

    /// Whether no text matches.
    pub fn matches_nothing(&self) -> bool {
        !self.states.iter().any(|state| state.accepts)
    }

    /// Whether the texts that lead to a state match.
    pub fn accepts(&self, state: usize) -> bool {
        self.states[state].accepts
    }

    /// Where a character leads to from a state, of which 0 is the first; `None` where nothing may match any more.
    pub fn step(&self, state: usize, c: u32) -> Option<usize> {
        let next = &self.states[state].next;
        let after = next.partition_point(|(from, ..)| *from <= c);
        let (_, to, target) = next[..after].last()?;
        (c <= *to).then_some(*target as usize)
    }

    /// What all texts that match begin with.
    pub fn prefix(&self) -> String {
        let (mut prefix, mut at) = (String::new(), 0);
        // The automaton may go round in circles: a prefix never needs to be longer than it has states.
        for _ in 0..self.states.len() {
            match (self.states[at].accepts, self.states[at].next.as_slice()) {
                (false, [(from, to, target)]) if from == to => {
                    let Some(c) = char::from_u32(*from) else { break };
                    prefix.push(c);
                    at = *target as usize;
                }
                _ => break,
            }
        }
        prefix
    }

    /// All texts that this one does not match.
    fn complement(mut self) -> Self {
        let sink = self.states.len() as u32;
        self.states.push(State { accepts: false, next: vec![] });
        for state in &mut self.states {
            state.accepts = !state.accepts;
            let (mut whole, mut next) = (vec![], 0);
            for (from, to, target) in &state.next {
                if *from > next {
                    whole.push((next, from - 1, sink));
                }
                whole.push((*from, *to, *target));
                next = to + 1;
            }
            if next <= LAST {
                whole.push((next, LAST, sink));
            }
            state.next = whole;
        }
        self
    }

    /// Texts that both match.
    fn intersect(&self, other: &Self, effort: &mut Effort, nfa: &Nfa) -> Result<Self> {
        let mut numbers: HashMap<(usize, usize), u32> = HashMap::from([((0, 0), 0)]);
        let (mut states, mut open) = (vec![State::default()], vec![(0, 0)]);
        while let Some((a, b)) = open.pop() {
            effort.work(2, nfa)?;
            let mut next = vec![];
            for (from, to, target) in &self.states[a].next {
                for (other_from, other_to, other_target) in &other.states[b].next {
                    let (from, to) = (*from.max(other_from), *to.min(other_to));
                    if from > to {
                        continue;
                    }
                    let pair = (*target as usize, *other_target as usize);
                    let number = *numbers.entry(pair).or_insert_with(|| {
                        states.push(State::default());
                        open.push(pair);
                        states.len() as u32 - 1
                    });
                    next.push((from, to, number));
                }
            }
            next.sort_unstable();
            let accepts = self.states[a].accepts && other.states[b].accepts;
            states[numbers[&(a, b)] as usize] = State { accepts, next };
        }
        Ok(Self { states })
    }
}

/// An automaton with free moves, made of an expression piece by piece.
#[derive(Default)]
struct Nfa {
    states: Vec<NfaState>,
}

#[derive(Clone, Default)]
struct NfaState {
    accepts: bool,
    next: Vec<(u32, u32, usize)>,
    free: Vec<usize>,
}

impl Nfa {
    fn of(expr: &Expr, effort: &mut Effort) -> Result<Self> {
        let mut nfa = Self::default();
        let (start, end) = nfa.add(expr, effort)?;
        debug_assert_eq!(start, 0, "the first state starts");
        nfa.states[end].accepts = true;
        Ok(nfa)
    }

    fn state(&mut self) -> Result<usize> {
        if self.states.len() >= NFA_STATES_MAX {
            return Err(too_complex(format!("regular expression needs more than {NFA_STATES_MAX} states")));
        }
        self.states.push(NfaState::default());
        Ok(self.states.len() - 1)
    }

    /// Adds a piece; gives where it starts and where it ends.
    fn add(&mut self, expr: &Expr, effort: &mut Effort) -> Result<(usize, usize)> {
        let start = self.state()?;
        let end = match expr {
            Expr::Nil => start,
            Expr::Never => self.state()?,
            Expr::Set(ranges) => {
                let end = self.state()?;
                self.states[start].next.extend(ranges.iter().map(|(from, to)| (*from, *to, end)));
                end
            }
            Expr::Concat(parts) => {
                let mut at = start;
                for part in parts {
                    let (from, to) = self.add(part, effort)?;
                    self.states[at].free.push(from);
                    at = to;
                }
                at
            }
            Expr::Union(parts) => {
                let mut ends = vec![];
                for part in parts {
                    let (from, to) = self.add(part, effort)?;
                    self.states[start].free.push(from);
                    ends.push(to);
                }
                let end = self.state()?;
                ends.into_iter().for_each(|at| self.states[at].free.push(end));
                end
            }
            Expr::Repeat { inner, min, max } => self.repeat(start, inner, *min, *max, effort)?,
            Expr::Complement(inner) => {
                let nfa = Self::of(inner, effort)?;
                let dfa = determinize(&nfa, effort)?.complement();
                self.embed(start, &dfa)?
            }
            Expr::Intersection(a, b) => {
                let nfa = Self::of(a, effort)?;
                let a = determinize(&nfa, effort)?;
                let b = determinize(&Self::of(b, effort)?, effort)?;
                let dfa = a.intersect(&b, effort, &nfa)?;
                self.embed(start, &dfa)?
            }
            Expr::Named(name) => return Err(Error::illegal_argument(format!("'{name}' not found"))),
            Expr::Numbers { min, max, digits } => {
                let end = self.state()?;
                self.numbers(start, end, *min, *max, *digits)?;
                end
            }
        };
        Ok((start, end))
    }

    fn repeat(&mut self, start: usize, inner: &Expr, min: u32, max: Option<u32>, effort: &mut Effort) -> Result<usize> {
        if max.is_none() && is_empty(inner) {
            // What matches nothing matches nothing as often as you like either, as the reference has it.
            return self.state();
        }
        let mut at = start;
        for _ in 0..min {
            let (from, to) = self.add(inner, effort)?;
            self.states[at].free.push(from);
            at = to;
        }
        let end = self.state()?;
        match max {
            None => {
                let (from, to) = self.add(inner, effort)?;
                self.states[at].free.push(from);
                self.states[at].free.push(end);
                self.states[to].free.push(from);
                self.states[to].free.push(end);
            }
            Some(max) => {
                for _ in min..max {
                    self.states[at].free.push(end);
                    let (from, to) = self.add(inner, effort)?;
                    self.states[at].free.push(from);
                    at = to;
                }
                self.states[at].free.push(end);
            }
        }
        Ok(end)
    }

    /// Copies a deterministic automaton in; gives its one end.
    fn embed(&mut self, start: usize, dfa: &Dfa) -> Result<usize> {
        let end = self.state()?;
        let base = self.states.len();
        for _ in &dfa.states {
            self.state()?;
        }
        self.states[start].free.push(base);
        for (at, state) in dfa.states.iter().enumerate() {
            let next = state.next.iter().map(|(from, to, target)| (*from, *to, base + *target as usize)).collect();
            let free = if state.accepts { vec![end] } else { vec![] };
            self.states[base + at] = NfaState { accepts: false, next, free };
        }
        Ok(end)
    }

    /// The decimal numbers from `min` to `max`, digit by digit.
    fn numbers(&mut self, start: usize, end: usize, min: u32, max: u32, digits: usize) -> Result<()> {
        let length = |number: u32| number.to_string().len();
        let lengths = if digits > 0 { digits..=digits } else { length(min)..=length(max) };
        for width in lengths {
            let low = if digits > 0 { u64::from(min) } else { u64::from(min).max(10u64.pow(width as u32 - 1)) };
            let low = if width == 1 && digits == 0 { u64::from(min) } else { low };
            let high = u64::from(max).min(10u64.saturating_pow(width as u32) - 1);
            if low <= high {
                let pad = |number: u64| format!("{number:0width$}").into_bytes();
                self.digits(start, end, &pad(low), &pad(high), true, true)?;
            }
        }
        if digits == 0 {
            // Numbers without a fixed width may have zeros in front.
            self.states[start].next.push((u32::from('0'), u32::from('0'), start));
        }
        Ok(())
    }

    /// Digits between those of two numbers of the same length.
    fn digits(&mut self, at: usize, end: usize, low: &[u8], high: &[u8], at_low: bool, at_high: bool) -> Result<()> {
        let (Some(first_low), Some(first_high)) = (low.first(), high.first()) else {
            self.states[at].free.push(end);
            return Ok(());
        };
        let (from, to) = (if at_low { *first_low } else { b'0' }, if at_high { *first_high } else { b'9' });
        if !at_low && !at_high {
            let next = self.state()?;
            self.states[at].next.push((u32::from(b'0'), u32::from(b'9'), next));
            return self.digits(next, end, &low[1..], &high[1..], false, false);
        }
        for digit in from..=to {
            let next = self.state()?;
            self.states[at].next.push((u32::from(digit), u32::from(digit), next));
            let (low_now, high_now) = (at_low && digit == *first_low, at_high && digit == *first_high);
            self.digits(next, end, &low[1..], &high[1..], low_now, high_now)?;
        }
        Ok(())
    }

    /// The states reached without reading anything, sorted.
    fn close(&self, states: Vec<usize>) -> Vec<usize> {
        let mut seen: std::collections::BTreeSet<usize> = states.iter().copied().collect();
        let mut open = states;
        while let Some(at) = open.pop() {
            for next in &self.states[at].free {
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        seen.into_iter().collect()
    }
}

/// The subset construction.
/// Whether an expression is one that the reference has an automaton without states for.
fn is_empty(expr: &Expr) -> bool {
    match expr {
        Expr::Never => true,
        Expr::Concat(parts) => parts.iter().any(is_empty),
        Expr::Repeat { inner, min, max } => (*min > 0 || max.is_none()) && is_empty(inner),
        _ => false,
    }
}

fn determinize(nfa: &Nfa, effort: &mut Effort) -> Result<Dfa> {
    let first = nfa.close(vec![0]);
    let mut numbers: HashMap<Vec<usize>, u32> = HashMap::from([(first.clone(), 0)]);
    let (mut states, mut open) = (vec![State::default()], vec![(first, 1)]);
    while let Some((set, reached)) = open.pop() {
        effort.spend(reached, nfa)?;
        effort.work(set.len(), nfa)?;
        let number = numbers[&set] as usize;
        let mut next = vec![];
        for (from, to, targets) in pieces(nfa, &set) {
            let reached = targets.len();
            let targets = nfa.close(targets);
            effort.work(targets.len(), nfa)?;
            let target = match numbers.get(&targets) {
                Some(target) => *target,
                None => {
                    let target = states.len() as u32;
                    states.push(State::default());
                    numbers.insert(targets.clone(), target);
                    open.push((targets, reached));
                    target
                }
            };
            match next.last_mut() {
                Some((_, last, same)) if *same == target && *last + 1 == from => *last = to,
                _ => next.push((from, to, target)),
            }
        }
        states[number] = State { accepts: set.iter().any(|at| nfa.states[*at].accepts), next };
    }
    Ok(trim(Dfa { states }))
}

/// The characters that lead on from a set of states, cut where what they lead to changes.
fn pieces(nfa: &Nfa, set: &[usize]) -> Vec<(u32, u32, Vec<usize>)> {
    let mut edges: BTreeMap<u32, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for at in set {
        for (from, to, target) in &nfa.states[*at].next {
            edges.entry(*from).or_default().0.push(*target);
            edges.entry(to + 1).or_default().1.push(*target);
        }
    }
    let (mut out, mut begun) = (vec![], 0);
    let mut active: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, (begins, ends)) in edges {
        if !active.is_empty() && at > begun {
            out.push((begun, at - 1, active.keys().copied().collect()));
        }
        for target in ends {
            if let Some(count) = active.get_mut(&target) {
                *count -= 1;
                if *count == 0 {
                    active.remove(&target);
                }
            }
        }
        for target in begins {
            *active.entry(target).or_default() += 1;
        }
        begun = at;
    }
    out
}

/// Takes out transitions to states from which nothing is accepted.
fn trim(mut dfa: Dfa) -> Dfa {
    let mut sources: Vec<Vec<usize>> = vec![vec![]; dfa.states.len()];
    for (at, state) in dfa.states.iter().enumerate() {
        state.next.iter().for_each(|(_, _, target)| sources[*target as usize].push(at));
    }
    let mut alive: Vec<bool> = dfa.states.iter().map(|state| state.accepts).collect();
    let mut open: Vec<usize> = (0..alive.len()).filter(|at| alive[*at]).collect();
    while let Some(at) = open.pop() {
        for source in &sources[at] {
            if !std::mem::replace(&mut alive[*source], true) {
                open.push(*source);
            }
        }
    }
    for state in &mut dfa.states {
        state.next.retain(|(_, _, target)| alive[*target as usize]);
    }
    dfa
}

#[cfg(test)]
mod tests {
    use super::super::syntax::{Flags, parse};
    use super::*;

    fn dfa(text: &str) -> Dfa {
        Dfa::new(&parse(text, flags(text), false).unwrap(), 10_000).unwrap()
    }

    /// Complements have to be asked for.
    fn flags(text: &str) -> Flags {
        if text.contains('~') { Flags::of("COMPLEMENT|INTERSECTION").unwrap() } else { Flags::ALL }
    }

    #[test]
    fn what_matches() {
        for (pattern, yes, no) in [
            ("qu.*k|f[a-o]x", &["quick", "fox", "quk"][..], &["fux", "quic", ""][..]),
            ("a{2,3}b?", &["aa", "aaab"], &["a", "aaaa"]),
            ("(ab)+", &["ab", "abab"], &["", "aba"]),
            ("~(abc)", &["ab", "", "abcd"], &["abc"]),
            ("a.*&.*b", &["ab", "axb"], &["a", "b"]),
            ("x<5-12>", &["x5", "x12", "x9"], &["x4", "x13", "x"]),
            ("<01-12>", &["01", "12"], &["1", "13", "00"]),
            ("@", &["", "anything"], &[]),
            ("#", &[], &["", "a"]),
            ("#*a|b", &["b"], &["a", ""]),
            ("\\d\\w\\.", &["1a.", "2_."], &["aa.", "1ab"]),
            ("[^a-c]é", &["dé"], &["aé", "d"]),
            ("\"a.b\"", &["a.b"], &["axb"]),
        ] {
            let dfa = dfa(pattern);
            yes.iter().for_each(|text| assert!(dfa.matches(text), "{pattern} {text}"));
            no.iter().for_each(|text| assert!(!dfa.matches(text), "{pattern} {text}"));
        }
        assert_eq!(dfa("abc.*").prefix(), "abc");
        assert_eq!(dfa("a*").prefix(), "");
    }

    #[test]
    fn few_states_take_little_effort() {
        for (pattern, enough) in [("qu.*k", 2), ("(a|b)*c{2,50}", 20)] {
            assert!(Dfa::new(&parse(pattern, Flags::ALL, false).unwrap(), enough).is_ok(), "{pattern}");
        }
        assert!(Dfa::new(&parse(".*a.{8}", Flags::ALL, false).unwrap(), 20).is_err());
    }

    #[test]
    fn effort_is_bounded() {
        for pattern in [".*a.{30}", "(a{1000}){1000}", "~(.*a.{30})", "(.*a.{20})&(.*b.{20})"] {
            let expr = parse(pattern, flags(pattern), false).unwrap();
            let error = Dfa::new(&expr, 10_000).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TooComplexToDeterminize, "{pattern}");
            assert!(Dfa::new(&expr, usize::MAX).is_err(), "{pattern}");
        }
    }
}
