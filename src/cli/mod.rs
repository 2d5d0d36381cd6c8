//! The command line: `pith serve` runs a node, `pith load` feeds documents to one.
//!
//! - `serve`: the node's flags. `load`: reading, sending, progress. `client`: the small HTTP client that `load` uses.
//!
//! What this room does not know: how a node is built (`node`), or anything of indexes; `load` speaks to a node as every
//! client does.

mod client;
mod load;
mod serve;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A clustered document search engine that speaks the OpenSearch REST interface.
#[derive(Debug, Parser)]
#[command(name = "pith", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a node in the foreground.
    Serve(serve::ServeArgs),
    /// Load documents into an index over HTTP.
    Load(load::LoadArgs),
}

/// Exit status: 0 all went well, 1 it did not, 2 the command line is wrong.
pub fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(args) => serve::serve(args),
        Command::Load(args) => load::load(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            crate::observe::logging::flush();
            eprintln!("pith: {message}");
            ExitCode::FAILURE
        }
    }
}
