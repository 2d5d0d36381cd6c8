//! Sums of fractions as Java makes them: what each addition rounds away is kept beside the sum (W. Kahan, "Further remarks on reducing
//! truncation errors", 1965).

#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Compensated {
    sum: f64,
    /// What the sum has too much.
    excess: f64,
    /// The sum without any of that, which is right where the numbers are infinite.
    plain: f64,
}

impl Compensated {
    pub(in super::super) fn add(&mut self, number: f64) {
        self.plain += number;
        self.take(number);
    }

    fn take(&mut self, number: f64) {
        let number = number - self.excess;
        let sum = self.sum + number;
        self.excess = (sum - self.sum) - number;
        self.sum = sum;
    }

    /// Adds what was added to another one.
    pub(in super::super) fn join(&mut self, other: Self) {
        self.plain += other.plain;
        self.take(other.sum);
        self.take(-other.excess);
    }

    pub(in super::super) fn total(self) -> f64 {
        let total = self.sum - self.excess;
        if total.is_nan() && self.plain.is_infinite() { self.plain } else { total }
    }
}

impl FromIterator<f64> for Compensated {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut sum = Self::default();
        numbers.into_iter().for_each(|number| sum.add(number));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::Compensated;

    #[test]
    fn little_is_lost() {
        let total = |numbers: &[f64]| numbers.iter().copied().collect::<Compensated>().total();
        assert_eq!(total(&[0.1; 10]), 1.0);
        assert_eq!(total(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(total(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
        let mut joined: Compensated = [0.1; 4].into_iter().collect();
        joined.join([0.1; 6].into_iter().collect());
        assert_eq!(joined.total(), 1.0);
    }
}
