//! The filter of columns of one and two bits, by words: what is looked for is a function of a value's bits, which is computed for all the
//! values of a word at once. Compiled anew for each kind of processor, which makes vectors of it.

use super::column::Run;

/// The widest value for which this is the way.
pub const WIDTH_MAX: u8 = 2;

/// The low bits of values of two bits.
const LOW: u64 = 0x5555_5555_5555_5555;

/// Sets bit `i` of `words` where value `run.start + i`, of one or two bits, lies in `within`, and clears the other bits of these words.
#[inline(always)]
pub fn filter(bytes: &[u8], width: u8, run: Run, within: (u64, u64), words: &mut [u64]) {
    let words = &mut words[..run.len.div_ceil(64)];
    // All ones for each value that is looked for.
    let [zero, one, two, three] = [0, 1, 2, 3].map(|value| match within.0 <= value && value <= within.1 {
        true => u64::MAX,
        false => 0,
    });
    let from = run.start * width as usize;
    if width == 1 {
        each(bytes, from, words, |[word]| word & one | !word & zero);
    } else {
        let found = |word: u64| {
            let high = word >> 1;
            even_bits((word & three | !word & two) & high | (word & one | !word & zero) & !high)
        };
        each(bytes, from, words, |[low, high]| found(low) | found(high) << 32);
    }
    if let Some(last) = words.last_mut()
        && !run.len.is_multiple_of(64)
    {
        *last &= (1 << (run.len % 64)) - 1;
    }
}

/// Puts into each word of `out` what `f` makes of so many words of bits, which follow each other from bit `from` on. Behind the end
/// all bits are zero.
#[inline(always)]
fn each<const WORDS: usize>(bytes: &[u8], from: usize, out: &mut [u64], f: impl Fn([u64; WORDS]) -> u64) {
    let (bytes, shift) = (&bytes[(from / 8).min(bytes.len())..], from % 8);
    let all = bytes.as_chunks::<8>().0;
    let whole = if shift == 0 {
        let chunks = all.as_chunks::<WORDS>().0;
        for (out, words) in out.iter_mut().zip(chunks) {
            *out = f(words.map(u64::from_le_bytes));
        }
        chunks.len()
    } else {
        let next = all.get(1..).unwrap_or(&[]).as_chunks::<WORDS>().0;
        for ((out, words), next) in out.iter_mut().zip(all.as_chunks::<WORDS>().0).zip(next) {
            let word = |i: usize| u64::from_le_bytes(words[i]) >> shift | u64::from_le_bytes(next[i]) << (64 - shift);
            *out = f(std::array::from_fn(word));
        }
        next.len()
    };
    for (i, out) in out.iter_mut().enumerate().skip(whole) {
        *out = f(std::array::from_fn(|word| word_at(bytes, (i * WORDS + word) * 8, shift)));
    }
}

/// 64 bits from bit `shift` of byte `at` on, as far as there are any.
fn word_at(bytes: &[u8], at: usize, shift: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let (mut word, len) = ([0; 16], rest.len().min(9));
    word[..len].copy_from_slice(&rest[..len]);
    (u128::from_le_bytes(word) >> shift) as u64
}

/// The even bits of a word, one after the other.
#[inline(always)]
fn even_bits(word: u64) -> u64 {
    let word = word & LOW;
    let word = (word | word >> 1) & 0x3333_3333_3333_3333;
    let word = (word | word >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word | word >> 4) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word >> 8) & 0x0000_ffff_0000_ffff;
    (word | word >> 16) & 0xffff_ffff
}
