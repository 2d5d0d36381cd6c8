//! The engine that tracks back: ways are tried in the order of Java's, within a number of steps.

use super::node::{At, Case};
use super::program::{Instruction, Place, Program};
use crate::analysis::char_table::{is_digit, is_letter, is_mark};

/// Marks a slot that holds nothing.
const NONE: usize = usize::MAX;

/// Most ways that are remembered to be gone back to, and slots to be restored.
const UNDO_MAX: usize = 2 << 20;

/// Characters of a group that are compared in the time of a step.
const COMPARED_A_STEP: usize = 16;

/// Programs in programs lie no deeper than groups do.
const DEPTH_MAX: usize = 400;

/// A search took more steps than it may.
#[derive(Debug)]
pub struct TooManySteps;

/// What is gone back to.
enum Undo {
    Slot(usize, usize),
    Way(Place, usize),
}

pub struct Search<'t> {
    program: &'t Program,
    text: &'t str,
    /// Where the search begins.
    from: usize,
    pub slots: Vec<usize>,
    steps: usize,
    undo: Vec<Undo>,
}

impl<'t> Search<'t> {
    pub fn new(program: &'t Program, text: &'t str, from: usize, steps: usize) -> Self {
        Self { program, text, from, slots: vec![NONE; program.slots], steps, undo: vec![] }
    }

    /// Finds the first match; it has to go on to the end if it must be `whole`.
    pub fn find(&mut self, whole: bool) -> Result<bool, TooManySteps> {
        let mut start = self.from;
        loop {
            // What fails leaves the slots as they were.
            if let Some(end) = self.run(0, start, whole.then_some(self.text.len()), 0)? {
                (self.slots[0], self.slots[1]) = (start, end);
                return Ok(true);
            }
            match self.text[start..].chars().next() {
                Some(c) if !whole => start += c.len_utf8(),
                _ => return Ok(false),
            }
        }
    }

    /// Runs the program from a place on until it is done, at `end` if that is given. What it saved stays, unless it fails.
    fn run(
        &mut self,
        place: Place,
        at: usize,
        end: Option<usize>,
        depth: usize,
    ) -> Result<Option<usize>, TooManySteps> {
        if depth > DEPTH_MAX {
            return Err(TooManySteps);
        }
        let base = self.undo.len();
        let (mut place, mut at) = (place, at);
        let program = self.program;
        loop {
            self.charge(1)?;
            if self.undo.len() >= UNDO_MAX {
                return Err(TooManySteps);
            }
            let next = match &program.instructions[place] {
                Instruction::Done if end.is_none_or(|end| end == at) => {
                    self.forget_ways(base);
                    return Ok(Some(at));
                }
                Instruction::Done => None,
                Instruction::Char(c) => {
                    self.next_char(at).filter(|next| next == c).map(|c| (place + 1, at + c.len_utf8()))
                }
                Instruction::Set(set) => {
                    let is_in = |c: &char| {
                        let ranges = set.ranges();
                        let behind = ranges.partition_point(|range| range.start() <= *c);
                        behind > 0 && ranges[behind - 1].end() >= *c
                    };
                    self.next_char(at).filter(is_in).map(|c| (place + 1, at + c.len_utf8()))
                }
                Instruction::Either(first, second) => {
                    self.undo.push(Undo::Way(*second, at));
                    Some((*first, at))
                }
                Instruction::Jump(to) => Some((*to, at)),
                Instruction::Save(slot) => {
                    self.undo.push(Undo::Slot(*slot, self.slots[*slot]));
                    self.slots[*slot] = at;
                    Some((place + 1, at))
                }
                Instruction::LeaveIfEmpty(slot, to) => {
                    Some(if self.slots[*slot] == at { (*to, at) } else { (place + 1, at) })
                }
                Instruction::At(what) => self.stands(*what, at).then_some((place + 1, at)),
                Instruction::BackReference { group, case } => self.again(*group, *case, at)?.map(|at| (place + 1, at)),
                Instruction::Atomic { then } => self.run(place + 1, at, None, depth + 1)?.map(|at| (*then, at)),
                Instruction::Ahead { negative, then } => {
                    let found = self.look(place + 1, at, None, *negative, depth)?;
                    (found != *negative).then_some((*then, at))
                }
                Instruction::Behind { negative, width, then } => {
                    let mut found = false;
                    for from in self.places_behind(at, *width) {
                        found = self.look(place + 1, from, Some(at), *negative, depth)?;
                        if found {
                            break;
                        }
                    }
                    (found != *negative).then_some((*then, at))
                }
            };
            (place, at) = match next.or_else(|| self.go_back(base)) {
                Some(next) => next,
                None => return Ok(None),
            };
        }
    }

    fn look(
        &mut self,
        place: Place,
        at: usize,
        end: Option<usize>,
        negative: bool,
        depth: usize,
    ) -> Result<bool, TooManySteps> {
        let base = self.undo.len();
        let found = self.run(place, at, end, depth + 1)?.is_some();
        if found && negative {
            // What stood there is forgotten.
            while self.undo.len() > base {
                if let Some(Undo::Slot(slot, before)) = self.undo.pop() {
                    self.slots[slot] = before;
                }
            }
        }
        Ok(found)
    }

    /// The last way that was not taken, with everything as it was then.
    fn go_back(&mut self, base: usize) -> Option<(Place, usize)> {
        while self.undo.len() > base {
            match self.undo.pop()? {
                Undo::Way(place, at) => return Some((place, at)),
                Undo::Slot(slot, before) => self.slots[slot] = before,
            }
        }
        None
    }

    /// Leaves what was saved to be undone, but no other ways.
    fn forget_ways(&mut self, base: usize) {
        let mut kept = base;
        for at in base..self.undo.len() {
            if matches!(self.undo[at], Undo::Slot(..)) {
                self.undo.swap(kept, at);
                kept += 1;
            }
        }
        self.undo.truncate(kept);
    }

    fn next_char(&self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    /// Whether what stands before the marks that end at `at` is a letter or a digit, of any script.
    fn has_base(&self, at: usize) -> bool {
        self.text[..at].chars().rev().find(|c| !is_mark(*c)).is_some_and(|c| is_letter(c) || is_digit(c))
    }

    /// Places from which it is so many characters to `at`, the nearest first.
    fn places_behind(&self, at: usize, (min, max): (u32, Option<u32>)) -> impl Iterator<Item = usize> + use<'t> {
        let before = self.text[..at].char_indices().rev().map(|(place, _)| place);
        let all = std::iter::once(at).chain(before);
        let most = max.map_or(usize::MAX, |max| max.saturating_sub(min) as usize + 1);
        all.skip(min as usize).take(most)
    }

    /// Behind what the group matched, if it stands here again.
    fn again(&mut self, group: usize, case: Case, at: usize) -> Result<Option<usize>, TooManySteps> {
        let slot = |at: usize| self.slots.get(at).copied().filter(|place| *place != NONE);
        let (Some(from), Some(to)) = (slot(2 * group), slot(2 * group + 1)) else { return Ok(None) };
        if from > to {
            return Ok(None);
        }
        self.charge((to - from) / COMPARED_A_STEP)?;
        let mut here = at;
        for wanted in self.text[from..to].chars() {
            match self.next_char(here) {
                Some(found) if is_same(wanted, found, case) => here += found.len_utf8(),
                _ => return Ok(None),
            }
        }
        Ok(Some(here))
    }

    fn charge(&mut self, steps: usize) -> Result<(), TooManySteps> {
        self.steps = self.steps.checked_sub(steps).ok_or(TooManySteps)?;
        Ok(())
    }

    fn stands(&self, what: At, at: usize) -> bool {
        let rest = &self.text[at..];
        match what {
            At::Begin => at == 0,
            At::End => rest.is_empty(),
            At::SearchBegin => at == self.from,
            At::LineBegin { unix: true } => at == 0 || self.char_before(at) == Some('\n') && !rest.is_empty(),
            At::LineBegin { unix: false } => {
                let before = self.char_before(at);
                // Between the two of a break there is no line, nor at the end.
                let breaks = before.is_none_or(|c| is_break(c, false)) && !rest.is_empty();
                breaks && !(before == Some('\r') && rest.starts_with('\n'))
            }
            At::LineEnd { unix } => {
                let next = rest.chars().next();
                let inside = self.char_before(at) == Some('\r') && next == Some('\n') && !unix;
                next.is_none_or(|c| is_break(c, unix)) && !inside
            }
            At::EndOrBreak { unix } => {
                let inside = self.char_before(at) == Some('\r') && rest == "\n" && !unix;
                let mut chars = rest.chars();
                let is_last = match (chars.next(), chars.as_str()) {
                    (None, _) => true,
                    (Some('\r'), "\n") => !unix,
                    (Some(c), "") => is_break(c, unix),
                    _ => false,
                };
                is_last && !inside
            }
            At::WordBorder { unicode, negative } => {
                let before = self.char_before(at);
                let is_word = |c: char, begin: usize| is_word(c, unicode) || is_mark(c) && self.has_base(begin);
                let left = before.is_some_and(|c| is_word(c, at - c.len_utf8()));
                (left != rest.chars().next().is_some_and(|c| is_word(c, at))) != negative
            }
        }
    }
}

fn is_break(c: char, unix: bool) -> bool {
    c == '\n' || !unix && matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_word(c: char, unicode: bool) -> bool {
    match unicode {
        true => regex_syntax::is_word_character(c),
        false => c.is_ascii_alphanumeric() || c == '_',
    }
}

fn is_same(a: char, b: char, case: Case) -> bool {
    match case {
        Case::Sensitive => a == b,
        Case::Ascii => a.eq_ignore_ascii_case(&b),
        Case::Unicode => a == b || a.to_uppercase().eq(b.to_uppercase()) || a.to_lowercase().eq(b.to_lowercase()),
    }
}
