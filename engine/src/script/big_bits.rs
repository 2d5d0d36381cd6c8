//! Whole numbers of many digits as bits: two's complement, with as many bits of the sign before them as are wanted.

use super::big::{Big, too_large};
use super::error::Failed;

impl Big {
    /// The lowest limbs of its two's complement.
    fn complement(&self, len: usize) -> Vec<u32> {
        let mut limbs = self.limbs().to_vec();
        limbs.resize(len.max(limbs.len()), 0);
        if self.signum() < 0 {
            negate(&mut limbs);
        }
        limbs
    }

    /// The number that a two's complement stands for.
    fn of_complement(mut limbs: Vec<u32>) -> Result<Self, Failed> {
        let negative = limbs.last().is_some_and(|limb| limb >> 31 == 1);
        if negative {
            negate(&mut limbs);
        }
        Self::new(negative, limbs)
    }

    /// Both numbers, limb by limb.
    pub fn bitwise(&self, other: &Self, f: impl Fn(u32, u32) -> u32) -> Result<Self, Failed> {
        let len = self.limbs().len().max(other.limbs().len()) + 1;
        let (a, b) = (self.complement(len), other.complement(len));
        Self::of_complement(a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect())
    }

    pub fn not(&self) -> Result<Self, Failed> {
        self.negated().sub(&Self::from(1))
    }

    /// Two to the power of `at`.
    pub fn bit(at: u64) -> Result<Self, Failed> {
        Self::from(1).shifted_left(at)
    }

    pub fn shifted_left(&self, by: u64) -> Result<Self, Failed> {
        if self.is_zero() {
            return Ok(self.clone());
        }
        let whole = usize::try_from(by / 32).unwrap_or(usize::MAX);
        if whole > Self::LIMBS_MAX {
            return Err(too_large());
        }
        let mut limbs = vec![0; whole];
        let mut carry = 0u64;
        for limb in self.limbs() {
            carry |= u64::from(*limb) << (by % 32);
            limbs.push(carry as u32);
            carry >>= 32;
        }
        limbs.push(carry as u32);
        Self::new(self.signum() < 0, limbs)
    }

    /// Shifted to the right, rounded towards the least.
    pub fn shifted_right(&self, by: u64) -> Result<Self, Failed> {
        if self.signum() < 0 {
            return self.not()?.shifted_right(by)?.not();
        }
        let whole = usize::try_from(by / 32).unwrap_or(usize::MAX);
        let rest = self.limbs().get(whole..).unwrap_or_default();
        let above = rest.iter().skip(1).chain(std::iter::once(&0));
        let moved =
            rest.iter().zip(above).map(|(low, high)| ((u64::from(*high) << 32 | u64::from(*low)) >> (by % 32)) as u32);
        Self::new(false, moved.collect())
    }

    /// What differs from the bits of the sign.
    fn telling(&self) -> Result<Self, Failed> {
        if self.signum() < 0 { self.not() } else { Ok(self.clone()) }
    }

    pub fn test_bit(&self, at: usize) -> Result<bool, Failed> {
        let limb = self.telling()?.limbs().get(at / 32).copied().unwrap_or(0);
        Ok((limb >> (at % 32) & 1 == 1) != (self.signum() < 0))
    }

    pub fn bit_length(&self) -> Result<u32, Failed> {
        let of = self.telling()?;
        Ok(of.limbs().last().map_or(0, |high| of.limbs().len() as u32 * 32 - high.leading_zeros()))
    }

    pub fn bit_count(&self) -> Result<u32, Failed> {
        Ok(self.telling()?.limbs().iter().map(|limb| limb.count_ones()).sum())
    }

    pub fn lowest_set_bit(&self) -> Option<u32> {
        let at = self.limbs().iter().position(|limb| *limb != 0)?;
        Some(at as u32 * 32 + self.limbs()[at].trailing_zeros())
    }
}

fn negate(limbs: &mut [u32]) {
    let mut carry = true;
    for limb in limbs {
        (*limb, carry) = (!*limb).overflowing_add(u32::from(carry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_those_of_small_numbers(a in any::<i64>(), b in any::<i64>(), c in any::<u32>(), by in 0u64..60) {
            let (a, b) = (i128::from(a) * i128::from(c), i128::from(b));
            let (x, y) = (Big::from(a), Big::from(b));
            let small = |value: Result<Big, Failed>| value.unwrap().to_i128();
            prop_assert_eq!(small(x.bitwise(&y, |a, b| a & b)), Some(a & b));
            prop_assert_eq!(small(x.bitwise(&y, |a, b| a | b)), Some(a | b));
            prop_assert_eq!(small(x.bitwise(&y, |a, b| a ^ b)), Some(a ^ b));
            prop_assert_eq!(small(x.not()), Some(!a));
            prop_assert_eq!(small(y.shifted_left(by)), Some(b << by));
            prop_assert_eq!(small(x.shifted_right(by)), Some(a >> by));
            prop_assert_eq!(x.test_bit(by as usize).unwrap(), a >> by & 1 == 1);
            prop_assert_eq!(x.bit_count().unwrap(), if a < 0 { a.count_zeros() } else { a.count_ones() });
            prop_assert_eq!(x.bit_length().unwrap(), 128 - if a < 0 { (!a).leading_zeros() } else { a.leading_zeros() });
            prop_assert_eq!(x.lowest_set_bit(), (a != 0).then(|| a.trailing_zeros()));
            prop_assert_eq!(x.to_f64(), a as f64);
        }
    }
}
