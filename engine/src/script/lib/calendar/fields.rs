//! The fields of a `GregorianCalendar`, and the moment that they tell: which of them count if they contradict each other follows
//! `GregorianCalendar.selectFields` and `computeTime` of OpenJDK.

use super::super::super::error::{Failed, illegal};
use super::super::date_format::year_of_zone;
use super::days::{self, EPOCH_WEEKDAY};
use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, TimeZone};

pub const ERA: usize = 0;
pub const YEAR: usize = 1;
pub const MONTH: usize = 2;
pub const WEEK_OF_YEAR: usize = 3;
pub const WEEK_OF_MONTH: usize = 4;
pub const DAY_OF_MONTH: usize = 5;
pub const DAY_OF_YEAR: usize = 6;
pub const DAY_OF_WEEK: usize = 7;
pub const DAY_OF_WEEK_IN_MONTH: usize = 8;
pub const AM_PM: usize = 9;
pub const HOUR: usize = 10;
pub const HOUR_OF_DAY: usize = 11;
pub const MINUTE: usize = 12;
pub const SECOND: usize = 13;
pub const MILLISECOND: usize = 14;
pub const ZONE_OFFSET: usize = 15;
pub const DST_OFFSET: usize = 16;
/// The names of all fields, in their order, as constants and refusals have them.
pub const NAMES: [&str; 17] = [
    "ERA",
    "YEAR",
    "MONTH",
    "WEEK_OF_YEAR",
    "WEEK_OF_MONTH",
    "DAY_OF_MONTH",
    "DAY_OF_YEAR",
    "DAY_OF_WEEK",
    "DAY_OF_WEEK_IN_MONTH",
    "AM_PM",
    "HOUR",
    "HOUR_OF_DAY",
    "MINUTE",
    "SECOND",
    "MILLISECOND",
    "ZONE_OFFSET",
    "DST_OFFSET",
];
/// The least value of each field that is not lenient, and the greatest.
pub const LEAST: [i32; 17] = [0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, -46_800_000, 0];
pub const GREATEST: [i32; 17] =
    [1, 292_278_994, 11, 53, 6, 31, 366, 7, 6, 1, 11, 23, 59, 59, 999, 50_400_000, 7_200_000];

pub const MS_PER_DAY: i64 = 86_400_000;
/// A field that has been worked out of the moment; those that are set count from here on.
const COMPUTED: i32 = 1;

/// A moment and its fields in a zone. Setting a field leaves the others as they are until the next question.
#[derive(Clone, Debug)]
pub struct Calendar {
    pub zone: TimeZone,
    pub lenient: bool,
    /// From 1, Sunday.
    pub first_day: i32,
    /// Days that the first week of a year or month has in it at least.
    pub min_days: i32,
    values: [i32; 17],
    /// When each field was set: 0 if it was not.
    stamps: [i32; 17],
    next_stamp: i32,
    ms: i64,
    /// Whether the moment is that of the fields, and the fields are those of the moment.
    ms_known: bool,
    fields_known: bool,
    /// Whether each field is worked out, not only those that tell the moment.
    all_known: bool,
}

impl Calendar {
    pub fn new(zone: TimeZone, first_day: i32, min_days: i32, ms: i64) -> Self {
        let mut made = Self {
            zone,
            lenient: true,
            first_day,
            min_days,
            values: [0; 17],
            stamps: [0; 17],
            next_stamp: 2,
            ms: 0,
            ms_known: true,
            fields_known: false,
            all_known: false,
        };
        made.set_ms(ms);
        made
    }

    pub fn set_ms(&mut self, ms: i64) {
        (self.ms, self.ms_known) = (ms, true);
        self.compute_fields(None, None);
    }

    /// The moment that the fields tell, in milliseconds.
    pub fn ms(&mut self) -> Result<i64, Failed> {
        if !self.ms_known {
            self.compute_ms()?;
        }
        Ok(self.ms)
    }

    pub fn get(&mut self, field: usize) -> Result<i32, Failed> {
        self.complete()?;
        Ok(self.values[field])
    }

    /// The value as it was set, or worked out last.
    pub fn value(&self, field: usize) -> i32 {
        self.values[field]
    }

    /// Whether the moment is known without asking the fields.
    pub fn is_timed(&self) -> bool {
        self.ms_known
    }

    /// Whether the fields are those of the moment, and whether they all are worked out.
    pub fn known(&self) -> (bool, bool) {
        (self.fields_known, self.all_known)
    }

    /// Lets weeks begin with another day, or first weeks have more days: weeks that are not set are other ones then.
    pub fn set_weeks(&mut self, first_day: i32, min_days: i32) -> Result<(), Failed> {
        (self.first_day, self.min_days) = (first_day, min_days);
        let mut plain = Self { lenient: true, ..self.clone() };
        [WEEK_OF_MONTH, WEEK_OF_YEAR].into_iter().for_each(|field| plain.clear(field));
        for field in [WEEK_OF_MONTH, WEEK_OF_YEAR] {
            if self.stamps[field] == COMPUTED {
                self.values[field] = plain.get(field)?;
            }
        }
        Ok(())
    }

    /// The hours of a time of day that is set, as if they had been worked out.
    pub fn note_hours(&mut self, hours: i32) {
        (self.values[HOUR], self.values[AM_PM]) =
            (if (12..24).contains(&hours) { hours - 12 } else { hours }, i32::from((12..24).contains(&hours)));
        (self.stamps[HOUR], self.stamps[AM_PM]) = (COMPUTED, COMPUTED);
    }

    pub fn complete(&mut self) -> Result<(), Failed> {
        self.ms()?;
        if !self.fields_known {
            self.compute_fields(None, None);
        }
        self.all_known = true;
        Ok(())
    }

    pub fn set(&mut self, field: usize, value: i32) {
        self.values[field] = value;
        self.stamps[field] = self.next_stamp;
        self.next_stamp += 1;
        (self.ms_known, self.fields_known) = (false, false);
    }

    pub fn clear(&mut self, field: usize) {
        (self.values[field], self.stamps[field]) = (0, 0);
        (self.ms_known, self.fields_known, self.all_known) = (false, false, false);
    }

    pub fn is_set(&self, field: usize) -> bool {
        self.stamps[field] != 0
    }

    /// The fields are to be worked out once more: the zone is another.
    pub fn forget_fields(&mut self) {
        (self.fields_known, self.all_known) = (false, false);
    }

    /// The day since 1970 that the fields, which are known, tell.
    pub fn day(&self) -> i64 {
        (self.ms + self.offset()).div_euclid(MS_PER_DAY)
    }

    pub fn ms_of_day(&self) -> i64 {
        (self.ms + self.offset()).rem_euclid(MS_PER_DAY)
    }

    pub fn offset(&self) -> i64 {
        i64::from(self.values[ZONE_OFFSET]) + i64::from(self.values[DST_OFFSET])
    }

    /// The year, counted from both sides of zero.
    pub fn full_year(&self) -> i64 {
        let year = i64::from(self.values[YEAR]);
        if self.values[ERA] == 0 { 1 - year } else { year }
    }

    /// Whether both are the same moment, told in the same way.
    pub fn is_same(&self, other: &Self) -> bool {
        let (mut a, mut b) = (self.clone(), other.clone());
        let told = |of: &Self| (of.lenient, of.first_day, of.min_days);
        told(self) == told(other) && self.zone == other.zone && matches!((a.ms(), b.ms()), (Ok(a), Ok(b)) if a == b)
    }

    /// Works the fields out, by the offsets of the zone or those that are set.
    fn compute_fields(&mut self, raw: Option<i64>, saved: Option<i64>) {
        let found = offsets(&self.zone, self.ms);
        let (raw, saved) = (raw.unwrap_or(found.0), saved.unwrap_or(found.1));
        let whole = raw + saved;
        let local = self.ms.saturating_add(whole);
        let (day, of_day) = (local.div_euclid(MS_PER_DAY), local.rem_euclid(MS_PER_DAY));
        let (year, month, day_of_month) = days::civil(day);
        let (first_of_year, first_of_month) = (days::of(year, 1, 1), days::of(year, month, 1));
        let after_christ = year > 0;
        let hour = of_day / 3_600_000;
        let values = [
            i64::from(after_christ),
            if after_christ { year } else { 1 - year },
            month - 1,
            self.week_of_year(day, year),
            self.week_number(first_of_month, day),
            day_of_month,
            day - first_of_year + 1,
            (day + EPOCH_WEEKDAY).rem_euclid(7) + 1,
            (day_of_month - 1) / 7 + 1,
            hour / 12,
            hour % 12,
            hour,
            of_day / 60_000 % 60,
            of_day / 1_000 % 60,
            of_day % 1_000,
            raw,
            saved,
        ];
        self.values = values.map(|value| value as i32);
        self.stamps = [COMPUTED; 17];
        (self.fields_known, self.all_known) = (true, true);
    }

    /// The last day up to `day` that is of a day of the week.
    fn on_or_before(day: i64, weekday: i32) -> i64 {
        let shown = (day + EPOCH_WEEKDAY).rem_euclid(7) + 1;
        day - (shown - i64::from(weekday)).rem_euclid(7)
    }

    /// Where the first week begins of a year or month that begins with `first`.
    fn first_week(&self, first: i64) -> i64 {
        let begin = Self::on_or_before(first + 6, self.first_day);
        if begin - first >= i64::from(self.min_days) { begin - 7 } else { begin }
    }

    fn week_number(&self, first: i64, day: i64) -> i64 {
        (day - self.first_week(first)).div_euclid(7) + 1
    }

    fn week_of_year(&self, day: i64, year: i64) -> i64 {
        let week = self.week_number(days::of(year, 1, 1), day);
        if week == 0 {
            return self.week_number(days::of(year - 1, 1, 1), days::of(year, 1, 1) - 1);
        }
        let next = self.first_week(days::of(year + 1, 1, 1));
        if week >= 52 && day >= next { 1 } else { week }
    }

    /// How many weeks the year has, and the year that the week belongs to.
    pub fn week_year(&self) -> (i64, i64) {
        let (day, year) = (self.day(), self.full_year());
        let begin = |year: i64| self.first_week(days::of(year, 1, 1));
        let year = match day {
            day if day < begin(year) => year - 1,
            day if day >= begin(year + 1) => year + 1,
            _ => year,
        };
        ((begin(year + 1) - begin(year)) / 7, year)
    }

    /// The greatest value that a field can have in the year or month that the calendar, whose fields are known, is in.
    pub fn actual_maximum(&self, field: usize) -> i32 {
        let (year, month) = (self.full_year(), i64::from(self.values[MONTH]) + 1);
        let (first, last) = (days::of(year, month, 1), days::of(year, month + 1, 1) - 1);
        let of_month = last - first + 1;
        let found = match field {
            DAY_OF_MONTH => of_month,
            DAY_OF_YEAR => days::of(year + 1, 1, 1) - days::of(year, 1, 1),
            WEEK_OF_MONTH => self.week_number(first, last),
            WEEK_OF_YEAR => (self.first_week(days::of(year + 1, 1, 1)) - self.first_week(days::of(year, 1, 1))) / 7,
            DAY_OF_WEEK_IN_MONTH => {
                let day_of_month = i64::from(self.values[DAY_OF_MONTH]);
                (of_month - (day_of_month - 1) % 7 - 1) / 7 + 1
            }
            _ => return GREATEST[field],
        };
        found as i32
    }

    fn stamp_of_both(&self, a: usize, b: usize) -> i32 {
        if self.stamps[a] == 0 || self.stamps[b] == 0 { 0 } else { self.stamps[a].max(self.stamps[b]) }
    }

    /// The fields that tell the day of the year: those that were set last.
    fn day_fields(&self) -> Vec<usize> {
        let at = |field: usize| self.stamps[field];
        let mut of_month = at(DAY_OF_MONTH);
        let mut week_of_month = self.stamp_of_both(WEEK_OF_MONTH, DAY_OF_WEEK);
        let mut nth = self.stamp_of_both(DAY_OF_WEEK_IN_MONTH, DAY_OF_WEEK);
        let of_year = at(DAY_OF_YEAR);
        let mut week_of_year = self.stamp_of_both(WEEK_OF_YEAR, DAY_OF_WEEK);
        let mut best = [of_month, week_of_month, nth, of_year, week_of_year].into_iter().max().unwrap_or(0);
        if best == 0 {
            week_of_month = at(WEEK_OF_MONTH);
            nth = at(DAY_OF_WEEK_IN_MONTH).max(at(DAY_OF_WEEK));
            week_of_year = at(WEEK_OF_YEAR);
            best = week_of_month.max(nth).max(week_of_year);
            if best == 0 {
                of_month = at(MONTH);
                best = of_month;
            }
        }
        let with_weekday = |field: usize| match at(DAY_OF_WEEK) {
            0 => vec![field],
            _ => vec![field, DAY_OF_WEEK],
        };
        if best == of_month {
            return vec![MONTH, DAY_OF_MONTH];
        }
        let in_month = (best == week_of_month && at(WEEK_OF_MONTH) >= at(WEEK_OF_YEAR))
            || (best == nth && at(DAY_OF_WEEK_IN_MONTH) >= at(WEEK_OF_YEAR));
        if in_month {
            let by_week = match week_of_month == nth {
                true => at(WEEK_OF_MONTH) >= at(DAY_OF_WEEK_IN_MONTH),
                false => best == week_of_month,
            };
            let field = if by_week { WEEK_OF_MONTH } else { DAY_OF_WEEK_IN_MONTH };
            let mut fields = with_weekday(field);
            if !by_week && at(DAY_OF_WEEK_IN_MONTH) == 0 {
                fields.remove(0);
            }
            fields.push(MONTH);
            return fields;
        }
        if best == of_year { vec![DAY_OF_YEAR] } else { with_weekday(WEEK_OF_YEAR) }
    }

    /// The day that a year and the fields that count tell.
    fn day_of(&self, year: i64) -> i64 {
        let fields = self.day_fields();
        let counts = |field: usize| fields.contains(&field);
        let value = |field: usize| i64::from(self.values[field]);
        let month = if counts(MONTH) { value(MONTH) } else { 0 };
        let first = days::of(year, month + 1, 1);
        let weekday = if counts(DAY_OF_WEEK) { self.values[DAY_OF_WEEK] } else { self.first_day };
        let of_week = |number: i64| {
            let begin = self.first_week(first);
            let begin = if counts(DAY_OF_WEEK) { Self::on_or_before(begin + 6, weekday) } else { begin };
            begin + 7 * (number - 1)
        };
        if counts(DAY_OF_MONTH) {
            return if self.is_set(DAY_OF_MONTH) { first + value(DAY_OF_MONTH) - 1 } else { first };
        }
        if counts(WEEK_OF_MONTH) {
            return of_week(value(WEEK_OF_MONTH));
        }
        if counts(MONTH) {
            let nth = if counts(DAY_OF_WEEK_IN_MONTH) { value(DAY_OF_WEEK_IN_MONTH) } else { 1 };
            if nth >= 0 {
                return Self::on_or_before(first + 7 * nth - 1, weekday);
            }
            let length = days::of(year, month + 2, 1) - first;
            return Self::on_or_before(first + length + 7 * (nth + 1) - 1, weekday);
        }
        if counts(DAY_OF_YEAR) { first + value(DAY_OF_YEAR) - 1 } else { of_week(value(WEEK_OF_YEAR)) }
    }

    /// The time of day that the fields which were set last tell, in milliseconds.
    fn time_of_day(&self) -> i64 {
        let value = |field: usize| i64::from(self.values[field]);
        let of_day = self.stamps[HOUR_OF_DAY];
        let mut best = self.stamp_of_both(HOUR, AM_PM).max(of_day);
        if best == 0 {
            best = self.stamps[HOUR].max(self.stamps[AM_PM]);
        }
        let hours = match best {
            0 => 0,
            best if best == of_day => value(HOUR_OF_DAY),
            _ => value(HOUR) + if self.is_set(AM_PM) { 12 * value(AM_PM) } else { 0 },
        };
        ((hours * 60 + value(MINUTE)) * 60 + value(SECOND)) * 1_000 + value(MILLISECOND)
    }

    fn check(&self) -> Result<(), Failed> {
        let is_wrong = |field: &usize| {
            let value = self.values[*field];
            self.stamps[*field] > COMPUTED && !(LEAST[*field]..=GREATEST[*field]).contains(&value)
        };
        match (0..17).find(is_wrong).filter(|_| !self.lenient) {
            Some(field) => Err(illegal(NAMES[field])),
            None => Ok(()),
        }
    }

    fn compute_ms(&mut self) -> Result<(), Failed> {
        self.check()?;
        let asked = self.values;
        let year = if self.is_set(YEAR) { i64::from(self.values[YEAR]) } else { 1_970 };
        let year = match (self.is_set(ERA), self.values[ERA]) {
            (false, _) | (true, 1) => year,
            (true, 0) => 1 - year,
            _ => return Err(illegal("Invalid era")),
        };
        let of_day = self.time_of_day();
        let day = self.day_of(year) + of_day.div_euclid(MS_PER_DAY);
        let local = day * MS_PER_DAY + of_day.rem_euclid(MS_PER_DAY);
        let given = |field: usize| (self.stamps[field] > COMPUTED).then(|| i64::from(self.values[field]));
        let (raw, saved) = (given(ZONE_OFFSET), given(DST_OFFSET));
        let found = offsets(&self.zone, local - local_offset(&self.zone, local));
        self.ms = local - raw.unwrap_or(found.0) - saved.unwrap_or(found.1);
        let (stamps, next) = (self.stamps, self.next_stamp);
        self.ms_known = true;
        self.compute_fields(raw, saved);
        self.all_known = false;
        let changed = |field: &usize| stamps[*field] > COMPUTED && asked[*field] != self.values[*field];
        if let Some(field) = (0..17).find(changed).filter(|_| !self.lenient) {
            (self.values, self.stamps, self.next_stamp) = (asked, stamps, next);
            (self.ms_known, self.fields_known) = (false, false);
            let name = NAMES[field];
            return Err(illegal(format!("{name}: {} -> {}", asked[field], self.after_change(field))));
        }
        Ok(())
    }

    /// What a field that cannot be as it was asked would have become.
    fn after_change(&self, field: usize) -> i32 {
        let mut lenient = Self { lenient: true, ..self.clone() };
        lenient.get(field).unwrap_or_default()
    }
}

/// The first moment that Java knows other clocks for than those of today.
const CLOCKS_FROM_MS: i64 = -2_208_988_800_000;

/// How far the clocks of a zone are ahead at a moment as a rule, and how much summer time adds; in milliseconds.
fn offsets(zone: &TimeZone, ms: i64) -> (i64, i64) {
    let usual = i64::from(year_of_zone(zone).0) * 1_000;
    let Some(at) = Timestamp::from_millisecond(ms).ok().filter(|_| ms >= CLOCKS_FROM_MS) else { return (usual, 0) };
    let info = zone.to_offset_info(at);
    let whole = i64::from(info.offset().seconds()) * 1_000;
    match info.dst().is_dst() {
        true if (1..=7_200_000).contains(&(whole - usual)) => (usual, whole - usual),
        true => (whole - 3_600_000, 3_600_000),
        false => (whole, 0),
    }
}

/// How far the clocks are ahead that show a time: in a gap as before it, where they show it twice as the second time.
fn local_offset(zone: &TimeZone, local: i64) -> i64 {
    let shown = Timestamp::from_millisecond(local).map(|at| at.to_zoned(TimeZone::UTC).datetime());
    let Some(shown) = shown.ok().filter(|_| local >= CLOCKS_FROM_MS) else { return offsets(zone, local).0 };
    let offset = match zone.to_ambiguous_timestamp(shown).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { before, .. } => before,
        AmbiguousOffset::Fold { after, .. } => after,
    };
    i64::from(offset.seconds()) * 1_000
}
