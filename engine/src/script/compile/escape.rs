//! What can happen to control flow at the end of a statement.

#[derive(Clone, Copy, Debug, Default)]
pub struct Escape {
    /// Every path leaves the function.
    pub method: bool,
    /// Every path leaves the loop around it.
    pub out_of_loop: bool,
    /// Nothing after it is reached.
    pub all: bool,
    pub any_continue: bool,
    pub any_break: bool,
}

impl Escape {
    pub fn leaves() -> Self {
        Self { method: true, out_of_loop: true, all: true, ..Self::default() }
    }

    /// What two branches of which one runs have in common.
    pub fn either(self, other: Self) -> Self {
        Self {
            method: self.method && other.method,
            out_of_loop: self.out_of_loop && other.out_of_loop,
            all: self.all && other.all,
            any_continue: self.any_continue || other.any_continue,
            any_break: self.any_break || other.any_break,
        }
    }
}
