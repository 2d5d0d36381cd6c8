//! `BitSet`, with the sizes that Java's takes.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, throw};
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{array, boolean, int, ok_bool, ok_int, unexpected};
use std::cell::RefCell;

const WORD: usize = 64;

#[derive(Clone, Debug, Default)]
pub struct Bits {
    /// As many as Java's would have room for.
    words: Vec<u64>,
    /// Whether the size was asked for, and stays when it is copied.
    sticky: bool,
}

impl Bits {
    fn with_room(bits: usize, sticky: bool) -> Self {
        Self { words: vec![0; bits.div_ceil(WORD)], sticky }
    }

    /// The words up to the last one that has a bit.
    fn used(&self) -> &[u64] {
        let len = self.words.iter().rposition(|word| *word != 0).map_or(0, |at| at + 1);
        &self.words[..len]
    }

    fn get(&self, at: usize) -> bool {
        self.words.get(at / WORD).is_some_and(|word| word >> (at % WORD) & 1 == 1)
    }

    /// One past the last bit that is set.
    fn len(&self) -> usize {
        let used = self.used();
        used.last().map_or(0, |last| used.len() * WORD - last.leading_zeros() as usize)
    }

    /// The first bit from `from` on that is as wanted.
    fn next(&self, from: usize, wanted: bool) -> Option<usize> {
        let flip = if wanted { 0 } else { u64::MAX };
        let mut word = (self.words.get(from / WORD)? ^ flip) & (u64::MAX << (from % WORD));
        let mut at = from / WORD;
        while word == 0 {
            at += 1;
            word = self.words.get(at)? ^ flip;
        }
        Some(at * WORD + word.trailing_zeros() as usize)
    }

    pub fn hash(&self) -> i32 {
        let mixed = self.used().iter().enumerate().fold(1234u64, |h, (i, word)| h ^ word.wrapping_mul(i as u64 + 1));
        (mixed >> 32 ^ mixed) as i32
    }

    pub fn text(&self) -> String {
        let set = std::iter::successors(self.next(0, true), |at| self.next(at + 1, true));
        let shown: Vec<String> = set.map(|at| at.to_string()).collect();
        format!("{{{}}}", shown.join(", "))
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.used() == other.used()
    }
}

fn bits(value: &Value) -> Result<&RefCell<Bits>, Failed> {
    match value.data() {
        Some(Data::BitSet(bits)) => Ok(bits),
        _ => Err(unexpected(value)),
    }
}

fn new(vm: &mut Vm, set: Bits) -> Outcome {
    vm.grow(set.words.len() * 8)?;
    vm.alloc(Data::BitSet(set.into()))
}

#[cold]
fn out_of_bounds(what: String) -> Failed {
    throw("IndexOutOfBoundsException", what)
}

fn place(value: &Value, name: &str) -> Result<usize, Failed> {
    let at = int(value)?;
    usize::try_from(at).map_err(|_| out_of_bounds(format!("{name} < 0: {at}")))
}

fn range(a: &[Value]) -> Result<(usize, usize), Failed> {
    let (from, to) = (place(&a[1], "fromIndex")?, place(&a[2], "toIndex")?);
    match from <= to {
        true => Ok((from, to)),
        false => Err(out_of_bounds(format!("fromIndex: {from} > toIndex: {to}"))),
    }
}

/// Makes room for so many words.
fn reserve(vm: &mut Vm, of: &Value, words: usize) -> Result<(), Failed> {
    let have = bits(of)?.borrow().words.len();
    if words > have {
        let wanted = words.max(have * 2);
        vm.grow((wanted - have) * 8)?;
        bits(of)?.borrow_mut().words.resize(wanted, 0);
    }
    Ok(())
}

/// Changes the words of a range by masks. What is beyond the room is there only where bits may be set.
fn change(vm: &mut Vm, of: &Value, (from, to): (usize, usize), grows: bool, f: impl Fn(u64, u64) -> u64) -> Outcome {
    if from == to {
        return Ok(Value::Null);
    }
    if grows {
        reserve(vm, of, to.div_ceil(WORD))?;
    }
    vm.work((to - from) / (WORD * 8) + 1)?;
    let mut set = bits(of)?.borrow_mut();
    let to = to.min(set.words.len() * WORD);
    for at in from / WORD..to.div_ceil(WORD) {
        let low = u64::MAX << from.saturating_sub(at * WORD).min(WORD - 1);
        let above = (to - at * WORD).min(WORD);
        let mask = low & (u64::MAX >> (WORD - above));
        set.words[at] = f(set.words[at], mask);
    }
    Ok(Value::Null)
}

fn one(value: &Value) -> Result<(usize, usize), Failed> {
    let at = place(value, "bitIndex")?;
    Ok((at, at + 1))
}

fn combine(vm: &mut Vm, a: &[Value], grows: bool, f: impl Fn(u64, u64) -> u64) -> Outcome {
    let other = bits(&a[1])?.borrow().used().to_vec();
    vm.work(other.len() / 8 + 1)?;
    if grows {
        reserve(vm, &a[0], other.len())?;
    }
    let mut set = bits(&a[0])?.borrow_mut();
    for (at, word) in set.words.iter_mut().enumerate() {
        *word = f(*word, other.get(at).copied().unwrap_or(0));
    }
    Ok(Value::Null)
}

fn previous(a: &[Value], wanted: bool) -> Outcome {
    let from = int(&a[1])?;
    if from < -1 {
        return Err(out_of_bounds(format!("fromIndex < -1: {from}")));
    }
    let set = bits(&a[0])?.borrow();
    let room = set.words.len() * WORD;
    if !wanted && from >= room as i32 {
        return Ok(Value::Int(from));
    }
    let found = (0..(from + 1).max(0) as usize).take(room).rev().find(|at| set.get(*at) == wanted);
    Ok(Value::Int(found.map_or(-1, |at| at as i32)))
}

fn next(a: &[Value], wanted: bool) -> Outcome {
    let from = place(&a[1], "fromIndex")?;
    let set = bits(&a[0])?.borrow();
    let beyond = if wanted { -1 } else { from.max(set.words.len() * WORD) as i32 };
    Ok(Value::Int(set.next(from, wanted).map_or(beyond, |at| at as i32)))
}

const ROWS: &[Row] = &[
    Row("new()", |vm, _| new(vm, Bits::with_room(WORD, false))),
    Row("new(int)", |vm, a| match usize::try_from(int(&a[0])?) {
        Ok(room) => {
            vm.grow(room / 8)?;
            new(vm, Bits::with_room(room, true))
        }
        Err(_) => Err(throw("NegativeArraySizeException", format!("nbits < 0: {}", int(&a[0])?))),
    }),
    Row("static BitSet valueOf(long[])", |vm, a| match &*array(&a[0])?.borrow() {
        Array::Long(words) => {
            let words: Vec<u64> = words.iter().map(|word| *word as u64).collect();
            let words = Bits { words, sticky: false }.used().to_vec();
            new(vm, Bits { words, sticky: false })
        }
        _ => Err(unexpected(&a[0])),
    }),
    Row("void and(BitSet)", |vm, a| combine(vm, a, false, |x, y| x & y)),
    Row("void andNot(BitSet)", |vm, a| combine(vm, a, false, |x, y| x & !y)),
    Row("void or(BitSet)", |vm, a| combine(vm, a, true, |x, y| x | y)),
    Row("void xor(BitSet)", |vm, a| combine(vm, a, true, |x, y| x ^ y)),
    Row("int cardinality()", |_, a| {
        ok_int(bits(&a[0])?.borrow().words.iter().map(|word| word.count_ones() as usize).sum())
    }),
    Row("void clear()", |_, a| {
        bits(&a[0])?.borrow_mut().words.fill(0);
        Ok(Value::Null)
    }),
    Row("void clear(int)", |vm, a| change(vm, &a[0], one(&a[1])?, false, |word, mask| word & !mask)),
    Row("void clear(int,int)", |vm, a| change(vm, &a[0], range(a)?, false, |word, mask| word & !mask)),
    Row("void flip(int)", |vm, a| change(vm, &a[0], one(&a[1])?, true, |word, mask| word ^ mask)),
    Row("void flip(int,int)", |vm, a| change(vm, &a[0], range(a)?, true, |word, mask| word ^ mask)),
    Row("void set(int)", |vm, a| change(vm, &a[0], one(&a[1])?, true, |word, mask| word | mask)),
    Row("void set(int,int)", |vm, a| change(vm, &a[0], range(a)?, true, |word, mask| word | mask)),
    Row("void set(int,int,boolean)", |vm, a| match boolean(&a[3])? {
        true => change(vm, &a[0], range(a)?, true, |word, mask| word | mask),
        false => change(vm, &a[0], range(a)?, false, |word, mask| word & !mask),
    }),
    Row("def clone()", |vm, a| {
        let copy = {
            let mut set = bits(&a[0])?.borrow_mut();
            if !set.sticky {
                let used = set.used().len();
                set.words.truncate(used);
            }
            set.clone()
        };
        new(vm, copy)
    }),
    Row("boolean intersects(BitSet)", |_, a| {
        let (x, y) = (bits(&a[0])?.borrow(), bits(&a[1])?.borrow());
        ok_bool(x.words.iter().zip(&y.words).any(|(x, y)| x & y != 0))
    }),
    Row("boolean isEmpty()", |_, a| ok_bool(bits(&a[0])?.borrow().used().is_empty())),
    Row("int length()", |_, a| ok_int(bits(&a[0])?.borrow().len())),
    Row("int nextClearBit(int)", |_, a| next(a, false)),
    Row("int nextSetBit(int)", |_, a| next(a, true)),
    Row("int previousClearBit(int)", |vm, a| {
        vm.work(bits(&a[0])?.borrow().words.len() * 2)?;
        previous(a, false)
    }),
    Row("int previousSetBit(int)", |vm, a| {
        vm.work(bits(&a[0])?.borrow().words.len() * 2)?;
        previous(a, true)
    }),
    Row("int size()", |_, a| ok_int(bits(&a[0])?.borrow().words.len() * WORD)),
    Row("byte[] toByteArray()", |vm, a| {
        let bytes = {
            let set = bits(&a[0])?.borrow();
            let bytes = set.used().iter().flat_map(|word| word.to_le_bytes()).map(|byte| byte as i8);
            bytes.take(set.len().div_ceil(8)).collect::<Vec<i8>>()
        };
        vm.grow(bytes.len())?;
        vm.alloc(Data::Array(Array::Byte(bytes).into()))
    }),
    Row("long[] toLongArray()", |vm, a| {
        let words: Vec<i64> = bits(&a[0])?.borrow().used().iter().map(|word| *word as i64).collect();
        vm.grow(words.len() * 8)?;
        vm.alloc(Data::Array(Array::Long(words).into()))
    }),
];

pub const CLASSES: &[ClassRow] = &[ClassRow::new("java.util.BitSet", &[], ROWS)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_and_shown() {
        let set = Bits { words: vec![0b1010, 0, 1, 0], sticky: false };
        assert_eq!((set.text().as_str(), set.len(), set.used().len()), ("{1, 3, 128}", 129, 3));
        assert_eq!(
            (set.next(2, true), set.next(1, false), set.next(4, true), set.next(129, true)),
            (Some(3), Some(2), Some(128), None)
        );
        assert_eq!(set, Bits { words: vec![0b1010, 0, 1], sticky: true });
    }
}
