//! Which core a connection should live on.
//!
//! A request whose work is done on another core costs both of them a message, and often a sleep. A connection whose requests all go to one
//! other core is therefore handed over to it, between two requests; and because all clients of one busy shard would otherwise meet on
//! its core, connections leave a core that has no time left while another has. Both need more requests every time, so that a
//! connection does not flap.

use crate::mesh::Visits;

/// Requests in a row that went to one other core, before the connection follows them for the first time.
const FOLLOW_AFTER: u32 = 16;

/// Requests on one core before the connection may leave it for a calmer one, the first time.
const LEAVE_AFTER: u32 = 64;

/// Every move doubles both, up to here; then the connection stays.
const MOVES_MAX: u8 = 8;

/// Requests on one core that make one move forgotten.
const FORGET_AFTER: u32 = 16_384;

/// A core is followed to only when it is busy for less than this share of its time, in thousandths.
const FOLLOW_BUSY_MAX: u32 = 600;

/// A core that is busy for this share of its time is left for one that is busy for less than the other.
const LEAVE_BUSY_MIN: u32 = 950;
const CALM_BUSY_MAX: u32 = 500;

/// What one connection remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Affinity {
    /// The last requests went to this core, and how many of them.
    target: usize,
    streak: u32,
    /// Requests since it came to its core.
    here: u32,
    moves: u8,
}

impl Affinity {
    /// A request was answered on core `own`.
    pub fn served(&mut self, own: usize, visits: Visits) {
        self.here += 1;
        if self.here.is_multiple_of(FORGET_AFTER) {
            self.moves = self.moves.saturating_sub(1);
        }
        match visits {
            Visits::None => {}
            Visits::One(core) if core != own && core == self.target => self.streak += 1,
            Visits::One(core) if core != own => (self.target, self.streak) = (core, 1),
            Visits::One(_) | Visits::Several => self.streak = 0,
        }
    }

    /// The core to move to; `busy` tells of each of `cores` how busy it is, in thousandths of its time.
    pub fn wish(&self, own: usize, cores: usize, busy: impl Fn(usize) -> u32) -> Option<usize> {
        if self.moves >= MOVES_MAX {
            return None;
        }
        if self.streak >= FOLLOW_AFTER << self.moves && busy(self.target) < FOLLOW_BUSY_MAX {
            return Some(self.target);
        }
        if self.here < LEAVE_AFTER << self.moves || self.streak > 0 || busy(own) < LEAVE_BUSY_MIN {
            return None;
        }
        let (calmest, calm) = (0..cores).map(|core| (core, busy(core))).min_by_key(|&(_, busy)| busy)?;
        (calm < CALM_BUSY_MAX && calmest != own).then_some(calmest)
    }

    /// What it remembers on its next core.
    pub fn moved(self) -> Self {
        Self { moves: self.moves + 1, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(affinity: Affinity, own: usize, visits: Visits, requests: u32) -> Affinity {
        let mut affinity = affinity;
        (0..requests).for_each(|_| affinity.served(own, visits));
        affinity
    }

    #[test]
    fn a_connection_follows_a_streak_to_a_core_that_has_time() {
        let calm = |_| 100;
        let affinity = after(Affinity::default(), 0, Visits::One(2), FOLLOW_AFTER - 1);
        assert_eq!(affinity.wish(0, 4, calm), None);
        // Requests that need no shard neither count nor break the streak.
        let affinity = after(affinity, 0, Visits::None, 5);
        let affinity = after(affinity, 0, Visits::One(2), 1);
        assert_eq!(affinity.wish(0, 4, calm), Some(2));
        assert_eq!(affinity.wish(0, 4, |core| if core == 2 { FOLLOW_BUSY_MAX } else { 0 }), None);
        for breaking in [Visits::One(0), Visits::Several] {
            assert_eq!(after(affinity, 0, breaking, 1).wish(0, 4, calm), None);
        }
        assert_eq!(after(affinity, 0, Visits::One(3), 1).wish(0, 4, calm), None);
    }

    #[test]
    fn every_move_makes_the_next_one_harder() {
        let mut affinity = Affinity::default();
        for moves in 0..MOVES_MAX {
            let needed = FOLLOW_AFTER << moves;
            assert_eq!(after(affinity, 0, Visits::One(1), needed - 1).wish(0, 2, |_| 0), None);
            assert_eq!(after(affinity, 0, Visits::One(1), needed).wish(0, 2, |_| 0), Some(1));
            affinity = affinity.moved();
        }
        assert_eq!(after(affinity, 0, Visits::One(1), FORGET_AFTER - 1).wish(0, 2, |_| 0), None);
        assert_eq!(after(affinity, 0, Visits::One(1), FORGET_AFTER).wish(0, 2, |_| 0), Some(1));
    }

    #[test]
    fn a_core_without_time_is_left_for_a_calm_one() {
        let affinity = after(Affinity::default(), 1, Visits::One(1), LEAVE_AFTER);
        let busy = [700, 990, 300, 400];
        assert_eq!(affinity.wish(1, 4, |core| busy[core]), Some(2));
        assert_eq!(affinity.wish(1, 4, |core| busy[core].max(CALM_BUSY_MAX)), None);
        assert_eq!(affinity.wish(1, 4, |core| busy[core].min(LEAVE_BUSY_MIN - 1)), None);
        assert_eq!(Affinity::default().wish(1, 4, |core| busy[core]), None);
    }
}
