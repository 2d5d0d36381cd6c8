//! What one core knows of the node.

/// The context of everything that runs on one core. There is one per core, shared by `Rc`.
#[derive(Debug)]
pub struct Core {
    id: usize,
}

impl Core {
    /// The number of this core, from 0.
    pub fn id(&self) -> usize {
        self.id
    }
}

#[cfg(test)]
impl Core {
    /// A core without shards or neighbours.
    pub fn for_test() -> Self {
        Self { id: 0 }
    }
}
