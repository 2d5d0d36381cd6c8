//! `pith serve`.

use crate::node::{self, ConfigSources};
use crate::observe::logging;
use clap::{Args, ValueEnum};
use pith_net::rt::{self, StopSignal};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// A YAML file; keys as in opensearch.yml, nested or dotted.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting; goes before the file. May be given several times.
    #[arg(short = 'E', value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// The folder for everything that is kept.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where clients connect [default: 127.0.0.1:9200]. Port 0 takes a free one and logs it.
    #[arg(long, value_name = "ADDR:PORT")]
    http: Option<String>,
    /// Where other nodes connect [default: 127.0.0.1:9300].
    #[arg(long, value_name = "ADDR:PORT")]
    transport: Option<String>,
    /// How many cores to use, or which: `4` or `0,2,4-7` [default: all].
    #[arg(long, value_name = "N|LIST")]
    cores: Option<String>,
    /// Serve on addresses that others can reach although nothing asks them who they are.
    #[arg(long)]
    insecure: bool,
    /// How log lines look.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log: LogFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

pub fn serve(args: ServeArgs) -> Result<(), String> {
    let config = node::Config::resolve(ConfigSources {
        file: args.config,
        settings: args.settings,
        data: args.data,
        http: args.http,
        transport: args.transport,
        cores: args.cores,
        insecure: args.insecure,
    })?;
    // Before there are threads. Profilers find no names in code that was moved.
    let moved = if std::env::var_os("PITH_SMALL_PAGES").is_some() { Ok(0) } else { rt::huge_text() };
    rt::preflight()?;
    // As early as a thread may be: who is asked to stop before anything has begun stops in order.
    let stop = StopSignal::install().map_err(|error| format!("signals cannot be handled: {error}"))?;
    let format = match args.log {
        LogFormat::Text => logging::Format::Text,
        LogFormat::Json => logging::Format::Json,
    };
    logging::init(format, &config.settings).map_err(|error| format!("the log cannot be started: {error}"))?;
    if let Some(error) = moved.err() {
        tracing::warn!("the program's code stays on small pages: {error}");
    }
    let result = node::run(config, stop);
    logging::flush();
    result
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("[{text}] is not KEY=VALUE"))?;
    Ok((key.trim().to_owned(), value.to_owned()))
}
