//! How many copies of a shard have to be active: `wait_for_active_shards`.

use pith_engine::{Error, ErrorKind, Result};
use std::fmt;

/// How many copies of each shard a request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveShards {
    /// The primary and this many more, less one: the number of copies in all.
    Count(u32),
    All,
}

impl ActiveShards {
    /// Reads `wait_for_active_shards`.
    pub fn parse(text: &str) -> Result<Self> {
        if text == "all" {
            return Ok(Self::All);
        }
        match text.parse::<i32>() {
            Ok(count) if count >= 0 => Ok(Self::Count(count as u32)),
            Ok(_) => Err(Error::illegal_argument("shard count cannot be a negative value")),
            Err(_) => Err(Error::illegal_argument(format!("cannot parse ActiveShardCount[{text}]"))
                .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))),
        }
    }

    /// Whether more copies are asked for than there are.
    pub fn exceeds(self, replicas: u32) -> bool {
        matches!(self, Self::Count(count) if count > replicas.saturating_add(1))
    }
}

impl fmt::Display for ActiveShards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("ALL"),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}
