//! How long a slice of work may take.

/// Asked between chunks of work. Made of plain functions so that the engine needs no clock or runtime of its own.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Whether the core is wanted by others.
    pub should_yield: fn() -> bool,
    /// Milliseconds of a clock that never goes back.
    pub clock_ms: fn() -> u64,
    /// Nanoseconds of such a clock: how long a chunk of work took.
    pub clock_ns: fn() -> u64,
}

impl Budget {
    /// Never yields, never times out.
    pub fn unlimited() -> Self {
        Self { should_yield: || false, clock_ms: || 0, clock_ns: || 0 }
    }
}

/// What a slice ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Done,
    /// There is more to do; call `run` again.
    Yield,
}
