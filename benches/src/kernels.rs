//! The kernels of `pith_engine::codec::simd` by themselves: blocks of 128 integers from the first cache, columns from memory.
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
