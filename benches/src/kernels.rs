//! The kernels of `pith_engine::codec::simd` by themselves: blocks of 128 integers from the first cache, columns from memory, and what is asked
//! of documents beside a loop that asks for one after the other.
//!
//! `scripts/dev bench kernels` runs it. Cycles are those of a chain of multiplications measured beside each row, so that what the
//! processor's clock does falls on both.

mod measure;

use measure::interleaved;
use pith_engine::codec::packed;
use pith_engine::codec::simd::column::{self, Run};
use pith_engine::codec::simd::{self, BLOCK};
use std::hint::black_box;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const ROUNDS: usize = 15;

/// Blocks that are unpacked in turns: at 25 bits 6 KB.
const BLOCKS: usize = 16;

/// Blocks that are unpacked before anything is measured.
const WARMING_BLOCKS: usize = 300_000;

/// More than the caches hold that are not shared.
const COLUMN_BYTES: usize = 64 << 20;

/// Steps of the chain that cycles are counted by, and what a step takes: a multiplication three, the other operation one.
const CHAIN: usize = 10_000;
const STEP_CYCLES: f64 = 4.0;

fn main() {
    blocks();
    columns();
    documents();
}

/// Numbers that look random, the same in each run.
fn noise(count: usize, width: u8) -> impl Iterator<Item = u64> {
    let mask = (1u64 << width) - 1;
    (0..count as u64).map(move |i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) & mask)
}

fn chain() {
    let mut value = black_box(1u64);
    for _ in 0..CHAIN {
        value = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995;
    }
    black_box(value);
}

fn blocks() {
    // A processor takes a while until it feeds its wide registers at full speed.
    let mut out = [0; BLOCK];
    (0..WARMING_BLOCKS).for_each(|_| simd::unpack(black_box(&[0; 256]), 8, black_box(&mut out)));
    println!("\n| bits | unpack, integers a cycle | unpack distances, integers a cycle |");
    println!("| --: | --: | --: |");
    for width in [1, 2, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 25] {
        let mut bytes = vec![];
        packed::pack(noise(BLOCK * BLOCKS, width), width, &mut bytes);
        // Lists go on behind a block.
        bytes.resize(bytes.len() + 64, 0);
        let block_bytes = packed::bytes_len(BLOCK, width);
        let starts: Vec<usize> = (0..BLOCKS).map(|block| block * block_bytes).collect();
        let (mut one, mut other) = ([0; BLOCK], [0; BLOCK]);
        let mut plain = || {
            for start in &starts {
                simd::unpack(&bytes[*start..], width, black_box(&mut one));
            }
        };
        let mut distances = || {
            for start in &starts {
                simd::unpack_deltas(&bytes[*start..], width, 7, black_box(&mut other));
            }
        };
        let [cycles, plain, distances] = interleaved(ROUNDS, [&mut chain, &mut plain, &mut distances]);
        let cycle = cycles / (CHAIN as f64 * STEP_CYCLES);
        let rate = |time: f64| (BLOCK * BLOCKS) as f64 / (time / cycle);
        println!("| {width} | {:.2} | {:.2} |", rate(plain), rate(distances));
    }
}

fn columns() {
    println!("\n| bits | filter, GB/s | reading the same bytes, GB/s | share | filter, values a cycle |");
    println!("| --: | --: | --: | --: | --: |");
    for width in [1u8, 2, 4, 7, 8, 12, 16, 20, 24, 32, 40, 52] {
        let count = COLUMN_BYTES * 8 / width as usize;
        let mut bytes = Vec::with_capacity(COLUMN_BYTES + 8);
        packed::pack(noise(count, width), width, &mut bytes);
        let mut words = vec![0; 1 << 10];
        let most = (1u64 << width) - 1;
        let within = (most / 3, most - most / 3);
        let mut filter = || {
            for start in (0..count).step_by(words.len() * 64) {
                let run = Run { start, len: (words.len() * 64).min(count - start) };
                column::filter(&bytes, width, run, within, black_box(&mut words));
            }
        };
        let mut read = || {
            let sum = bytes.as_chunks::<64>().0.iter().fold([0u64; 8], |mut sums, chunk| {
                let words = chunk.as_chunks::<8>().0;
                sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(u64::from_le_bytes(*word)));
                sums
            });
            black_box(sum);
        };
        let [cycles, filter, read] = interleaved(ROUNDS, [&mut chain, &mut filter, &mut read]);
        let speed = |micros: f64| bytes.len() as f64 / micros / 1e3;
        let cycle = cycles / (CHAIN as f64 * STEP_CYCLES);
        println!(
            "| {width} | {:.1} | {:.1} | {:.0}% | {:.1} |",
            speed(filter),
            speed(read),
            speed(filter) / speed(read) * 100.0,
            count as f64 / (filter / cycle)
        );
    }
}

/// Pairs of blocks, more than a processor can foresee.
const PAIRS: usize = 1 << 10;

/// What finds common documents, scores a range and compares letters, by how many of 128 are asked about.
fn documents() {
    let random: Vec<u64> = noise(PAIRS * BLOCK, 62).collect();
    let ascending = |from: usize, gap: u64| -> [u32; BLOCK] {
        let gaps = random[from..].iter().map(|number| 1 + (number >> 20) as u32 % gap as u32);
        let mut all = gaps.scan(0, |sum, gap| {
            *sum += gap;
            Some(*sum)
        });
        std::array::from_fn(|_| all.next().unwrap_or(u32::MAX))
    };
    let pairs: Vec<_> = (0..PAIRS).map(|pair| (ascending(pair * 64, 8), ascending(pair * 64 + BLOCK / 2, 4))).collect();
    println!("\n| documents of 128 | in common, cycles each | the loop | scored, cycles each | the loop |");
    println!("| --: | --: | --: | --: | --: |");
    for sparse in 0..4 {
        let word = |at: usize| (0..sparse).fold(u64::MAX, |word, by| word & random[at + by] << 3);
        let wanted: Vec<[u64; 2]> = (0..PAIRS).map(|pair| [word(pair * 8), word(pair * 8 + 4)]).collect();
        let count: u32 = wanted.iter().flatten().map(|word| word.count_ones()).sum();
        let both = || pairs.iter().zip(&wanted);
        let (mut places, mut found) = ([0; BLOCK], [0u64; 2]);
        let mut common = || {
            both().for_each(|((docs, others), wanted)| {
                black_box(simd::find_common(docs, *wanted, others, black_box(&mut places)));
            });
        };
        let mut merge = || {
            both().for_each(|((docs, others), wanted)| {
                let mut at = 0;
                for_each(*wanted, |i| {
                    while at < BLOCK - 1 && others[at] < docs[i] {
                        at += 1;
                    }
                    found[i / 64] |= u64::from(others[at] == docs[i]) << (i % 64);
                });
                black_box(&mut found);
            });
        };
        let (freqs, inverses) = ([3; BLOCK + simd::FREQS_PADDING], [0.4; BLOCK]);
        let (mut slots, mut others) = ([0.0; BLOCK], [0f32; BLOCK]);
        let mut add = || {
            wanted.iter().for_each(|docs| simd::add_scores(*docs, &freqs, &inverses, 2.2, black_box(&mut slots)));
        };
        let mut score = || {
            wanted.iter().for_each(|docs| {
                let mut freqs = freqs.iter();
                for_each(*docs, |at| {
                    let freq = freqs.next().map_or(0.0, |freq| *freq as f32);
                    others[at] += 2.2 - 2.2 / (1.0 + freq * inverses[at]);
                });
                black_box(&mut others);
            });
        };
        let runs: [&mut dyn FnMut(); 5] = [&mut chain, &mut common, &mut merge, &mut add, &mut score];
        let [cycles, common, merge, add, score] = interleaved(ROUNDS, runs);
        let each = |time: f64| time / (cycles / (CHAIN as f64 * STEP_CYCLES)) / f64::from(count);
        let [common, merge, add, score] = [common, merge, add, score].map(each);
        println!("| {:.0} | {common:.2} | {merge:.2} | {add:.2} | {score:.2} |", f64::from(count) / PAIRS as f64);
    }
}

fn for_each(words: [u64; 2], mut found: impl FnMut(usize)) {
    for (half, mut word) in words.into_iter().enumerate() {
        while word != 0 {
            found(half * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}
