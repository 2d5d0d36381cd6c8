//! What a task that takes long tells of itself, and how it is slowed down.

/// How far a task is. It stays with the task.
pub trait Progress {
    fn told(&self) -> Told;

    /// The same, with what parts that still run have done.
    fn told_with_parts(&self) -> Told {
        self.told()
    }

    /// Sets how many documents a second are wanted.
    fn rethrottle(&self, speed: f32);

    /// The task is cancelled: whatever it waits for, it need not.
    fn cancelled(&self);
}

/// A status as JSON.
#[derive(Clone, Debug)]
pub struct Told {
    pub plain: Vec<u8>,
    /// The same with times for people.
    pub for_people: Vec<u8>,
}
