//! Pith's engine beside tantivy: the same documents, the same tokens, the same queries, one thread, one process.
//!
//! - `corpus`: documents and queries
//! - `pith`, `peer`: an index of either side, and how a query runs on it
//! - `measure`: thread CPU time, interleaved
//! - `report`: rows
//!
//! `scripts/dev bench engine` runs it; `--help` lists what it takes.

mod corpus;
mod measure;
mod peer;
mod pith;
mod report;

use clap::Parser;
use corpus::{Collect, Query};
use std::path::PathBuf;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Documents that both sides return.
pub const TOP: usize = 10;

#[derive(Parser)]
#[command(about = "Pith's engine beside tantivy")]
struct Args {
    /// Corpora to run.
    #[arg(default_values_t = [String::from("rfc")])]
    corpora: Vec<String>,
    /// Folder of CORPUS.ndjson.
    #[arg(long, default_value = "../corpora")]
    corpora_dir: PathBuf,
    /// Folder of the queries, CORPUS.ndjson.
    #[arg(long, default_value = "../shared/corpora/queries")]
    queries_dir: PathBuf,
    /// Where built indexes are kept.
    #[arg(long, default_value = "target/bench-indexes")]
    cache_dir: PathBuf,
    /// Most documents to index of a corpus.
    #[arg(long, default_value_t = usize::MAX)]
    docs: usize,
    /// Repetitions of each query on each side; the median counts. With 0 each runs once and no clock is read, for profilers that
    /// count instructions.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Classes whose names start with this.
    #[arg(long, default_value = "")]
    only: String,
    /// Leave tantivy out.
    #[arg(long)]
    alone: bool,
    /// Print a row per query.
    #[arg(long)]
    queries: bool,
    /// Build the indexes anew.
    #[arg(long)]
    rebuild: bool,
}

fn main() {
    let args = Args::parse();
    for name in &args.corpora {
        if let Err(error) = run(&args, name) {
            eprintln!("{name}: {error}");
            std::process::exit(1);
        }
    }
}

fn run(args: &Args, name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let docs = args.corpora_dir.join(format!("{name}.ndjson"));
    let queries = corpus::queries(&args.queries_dir.join(format!("{name}.ndjson")), &args.only)?;
    let size = if args.docs == usize::MAX { "all".to_owned() } else { args.docs.to_string() };
    let cache = args.cache_dir.join(format!("{name}-{size}"));
    std::fs::create_dir_all(&cache)?;
    let field = corpus::text_field(name);
    let texts = || corpus::texts(&docs, field, args.docs);
    let mut pith = pith::Side::open(&cache, args.rebuild, field, texts)?;
    let mut peer = if args.alone { None } else { Some(peer::Side::open(&cache, args.rebuild, texts)?) };
    println!("{name}: {} documents", pith.doc_count());
    let mut report = report::Report::new(args.queries);
    for class in queries.chunk_by(|a, b| a.class == b.class) {
        let runs: Vec<report::Run> = (class.iter())
            .map(|query| run_query(query, &mut pith, peer.as_mut(), args.rounds))
            .collect::<Result<_, _>>()?;
        report.class(&class[0], runs);
    }
    report.finish();
    Ok(())
}

fn run_query(
    query: &Query,
    pith: &mut pith::Side,
    peer: Option<&mut peer::Side>,
    rounds: usize,
) -> Result<report::Run, Box<dyn std::error::Error>> {
    let own = pith.prepare(query)?;
    let found = pith.run(&own);
    let Some(peer) = peer else {
        let [ours] = measure::interleaved(rounds, [&mut || _ = pith.run(&own)]);
        return Ok(report::Run { text: query.text.clone(), ours, theirs: f64::NAN, total: found.total, agrees: true });
    };
    let expected = peer.run(query)?;
    let agrees = found.agrees(&expected, query.collect != Collect::Count);
    if !agrees {
        eprintln!("{} {:?}: {found:?} and {expected:?}", query.class, query.text);
    }
    let total = expected.total.or(found.total);
    let [ours, theirs] = measure::interleaved(rounds, [&mut || _ = pith.run(&own), &mut || _ = peer.run(query)]);
    Ok(report::Run { text: query.text.clone(), ours, theirs, total, agrees })
}

/// What a query found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// None where nobody counted.
    pub total: Option<u64>,
    pub top: Vec<(u32, f32)>,
}

impl Found {
    /// Whether totals (where both sides counted) and the best scores agree; documents may differ where scores tie within
    /// rounding.
    fn agrees(&self, other: &Self, top: bool) -> bool {
        let near = |a: f32, b: f32| (a - b).abs() <= 2e-5 * a.abs().max(b.abs());
        let totals = self.total.is_none() || other.total.is_none() || self.total == other.total;
        let scores = self.top.len() == other.top.len() && self.top.iter().zip(&other.top).all(|(a, b)| near(a.1, b.1));
        totals && (!top || scores)
    }
}
