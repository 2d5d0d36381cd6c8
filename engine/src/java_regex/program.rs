//! Expressions as instructions for the engine that tracks back.

use super::node::{At, Case, Kind, Node, Repeat};
use regex_syntax::hir::ClassUnicode;

/// Longer programs are refused.
const INSTRUCTIONS_MAX: usize = 200_000;

pub type Place = usize;

#[derive(Debug)]
pub enum Instruction {
    Char(char),
    Set(ClassUnicode),
    /// Both ways, the first one first.
    Either(Place, Place),
    Jump(Place),
    /// Keeps where the text stands.
    Save(usize),
    /// Goes to the place if nothing was passed since the slot was saved: what matches nothing is not repeated.
    LeaveIfEmpty(usize, Place),
    At(At),
    /// What stands ahead is matched by the instructions that follow, up to a `Done`.
    Ahead {
        negative: bool,
        then: Place,
    },
    /// The same of what stands behind, of so many characters, which ends where it began.
    Behind {
        negative: bool,
        width: (u32, Option<u32>),
        then: Place,
    },
    /// What follows, up to a `Done`, is not given up again.
    Atomic {
        then: Place,
    },
    BackReference {
        group: usize,
        case: Case,
    },
    Done,
}

#[derive(Debug)]
pub struct Program {
    pub instructions: Vec<Instruction>,
    /// Slots: two for each group, then those of loops.
    pub slots: usize,
}

impl Program {
    /// None if it would be too long.
    pub fn new(node: &Node, groups: usize) -> Option<Self> {
        let mut program = Self { instructions: vec![], slots: 2 * groups };
        program.add(node)?;
        program.push(Instruction::Done)?;
        Some(program)
    }

    fn here(&self) -> Place {
        self.instructions.len()
    }

    fn push(&mut self, instruction: Instruction) -> Option<Place> {
        if self.here() >= INSTRUCTIONS_MAX {
            return None;
        }
        self.instructions.push(instruction);
        Some(self.here() - 1)
    }

    fn add(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Empty => {}
            Node::Char(c) => drop(self.push(Instruction::Char(*c))?),
            Node::Set(set) => drop(self.push(Instruction::Set(set.clone()))?),
            Node::Seq(nodes) => nodes.iter().try_for_each(|node| self.add(node))?,
            Node::Any(nodes) => {
                let mut ends = vec![];
                for (number, node) in nodes.iter().enumerate() {
                    if number + 1 == nodes.len() {
                        self.add(node)?;
                        break;
                    }
                    let either = self.push(Instruction::Either(0, 0))?;
                    self.add(node)?;
                    ends.push(self.push(Instruction::Jump(0))?);
                    self.instructions[either] = Instruction::Either(either + 1, self.here());
                }
                let end = self.here();
                ends.into_iter().for_each(|at| self.instructions[at] = Instruction::Jump(end));
            }
            Node::Group(number, node) => {
                self.push(Instruction::Save(2 * number))?;
                self.add(node)?;
                self.push(Instruction::Save(2 * number + 1))?;
            }
            Node::Repeat(repeat) if repeat.kind == Kind::Possessive => {
                self.inner(Instruction::Atomic { then: 0 }, |program| program.repeat(repeat))?;
            }
            Node::Repeat(repeat) => self.repeat(repeat)?,
            Node::Look(look) => {
                let (negative, width) = (look.negative, look.width);
                let open = match look.ahead {
                    true => Instruction::Ahead { negative, then: 0 },
                    false => Instruction::Behind { negative, width, then: 0 },
                };
                self.inner(open, |program| program.add(&look.node))?;
            }
            Node::Atomic(node) => self.inner(Instruction::Atomic { then: 0 }, |program| program.add(node))?,
            Node::BackReference { group, case } => {
                self.push(Instruction::BackReference { group: *group, case: *case })?;
            }
            Node::At(at) => drop(self.push(Instruction::At(*at))?),
        }
        Some(())
    }

    /// A program of its own behind the instruction that runs it.
    fn inner(&mut self, open: Instruction, add: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let at = self.push(open)?;
        add(self)?;
        self.push(Instruction::Done)?;
        let behind = self.here();
        match &mut self.instructions[at] {
            Instruction::Ahead { then, .. } | Instruction::Behind { then, .. } | Instruction::Atomic { then } => {
                *then = behind;
            }
            _ => {}
        }
        Some(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Option<()> {
        let lazy = repeat.kind == Kind::Lazy;
        let either = |stay: Place, leave: Place| match lazy {
            true => Instruction::Either(leave, stay),
            false => Instruction::Either(stay, leave),
        };
        let can_be_empty = repeat.node.min_width() == 0;
        let slot = self.slots;
        self.slots += 1;
        // Ways out of the loop, which all lead behind it.
        let mut exits = vec![];
        let once = |program: &mut Self, exits: &mut Vec<Place>| {
            if can_be_empty {
                program.push(Instruction::Save(slot))?;
            }
            program.add(&repeat.node)?;
            if can_be_empty {
                exits.push(program.push(Instruction::LeaveIfEmpty(slot, 0))?);
            }
            Some(())
        };
        for _ in 0..repeat.min {
            once(self, &mut exits)?;
        }
        match repeat.max {
            Some(max) => {
                for _ in repeat.min..max {
                    exits.push(self.push(either(0, 0))?);
                    once(self, &mut exits)?;
                }
            }
            None => {
                let begin = self.push(either(0, 0))?;
                exits.push(begin);
                once(self, &mut exits)?;
                self.push(Instruction::Jump(begin))?;
            }
        }
        let end = self.here();
        for at in exits {
            self.instructions[at] = match self.instructions[at] {
                Instruction::LeaveIfEmpty(slot, _) => Instruction::LeaveIfEmpty(slot, end),
                _ => either(at + 1, end),
            };
        }
        Some(())
    }
}
