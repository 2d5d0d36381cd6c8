//! Questions that times are asked (`TemporalQuery`), what they are of (`IsoChronology`), and what is the same for all of them (`Temporal`).

use super::super::super::class::{ClassRow, Row, registry};
use super::super::super::error::{Failed, Outcome, illegal, throw};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{int, long, ok_bool, text, unexpected};
use super::super::function::native;
use super::adjust::adjusted;
use super::change::{plus, until};
use super::parsed::parse_with;
use super::parts::day_of;
use super::rows::{constant, date_of, formatter, moved, name, new, temporal, zone_of};
use super::text::format;
use super::with::with;
use super::{Temporal, UNITS, is_offset, year};
use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};

const ERAS: [&str; 2] = ["BCE", "CE"];

/// The smallest unit that a time is told to.
fn precision(vm: &mut Vm, of: &Value) -> Outcome {
    let unit = match of.data() {
        Some(Data::Temporal(Temporal::Date(_))) => "DAYS",
        Some(Data::Temporal(Temporal::Year(_))) => "YEARS",
        Some(Data::Temporal(Temporal::YearMonth(..))) => "MONTHS",
        Some(Data::Temporal(
            Temporal::Zoned(_) | Temporal::Offset(_) | Temporal::DateTime(_) | Temporal::Time(_) | Temporal::Instant(_),
        )) => "NANOS",
        Some(Data::Constant(class, ..)) => match registry().class(*class).simple {
            "DayOfWeek" => "DAYS",
            "Month" => "MONTHS",
            _ => return Ok(Value::Null),
        },
        _ => return Ok(Value::Null),
    };
    let at = UNITS.iter().position(|known| *known == unit).unwrap_or_default();
    constant(vm, "ChronoUnit", &UNITS, at)
}

/// The offset of a time, or of a zone that is one.
pub(super) fn offset_of(of: &Value) -> Option<Offset> {
    match of.data() {
        Some(Data::Temporal(Temporal::Zoned(at) | Temporal::Offset(at))) => Some(at.offset()),
        Some(Data::Temporal(Temporal::Zone(zone))) if is_offset(zone) => zone.to_fixed_offset().ok(),
        _ => None,
    }
}

/// The zone of a time that has one beside its offset.
fn region_of(of: &Value) -> Option<TimeZone> {
    match of.data() {
        Some(Data::Temporal(Temporal::Zoned(at))) => Some(at.time_zone().clone()),
        _ => None,
    }
}

fn chronology(vm: &mut Vm, of: &Value) -> Outcome {
    let has_one = match of.data() {
        Some(Data::Temporal(of)) => !matches!(of, Temporal::Instant(_) | Temporal::Time(_) | Temporal::Zone(_)),
        Some(Data::Constant(class, ..)) => registry().class(*class).simple == "Month",
        _ => false,
    };
    if has_one { iso(vm) } else { Ok(Value::Null) }
}

pub(super) fn iso(vm: &mut Vm) -> Outcome {
    constant(vm, "IsoChronology", &["ISO"], 0)
}

fn zone_or_null(vm: &mut Vm, zone: Option<TimeZone>) -> Outcome {
    zone.map_or(Ok(Value::Null), |zone| new(vm, Temporal::Zone(zone)))
}

fn part(vm: &mut Vm, part: Option<Temporal>) -> Outcome {
    part.map_or(Ok(Value::Null), |part| new(vm, part))
}

fn parts_of(of: &Value) -> Option<&Temporal> {
    match of.data() {
        Some(Data::Temporal(of)) => Some(of),
        _ => None,
    }
}

/// A query of the reference's own: what follows is what it is asked of.
macro_rules! query {
    ($name:literal, $run:expr) => {
        Row(concat!("static TemporalQuery ", $name, "()"), |vm, _| native(vm, "TemporalQuery", vec![], $run))
    };
}

const QUERIES: &[Row] = &[
    query!("chronology", |vm, a| chronology(vm, &a[0])),
    query!("precision", |vm, a| precision(vm, &a[0])),
    query!("zoneId", |vm, a| zone_or_null(vm, region_of(&a[0]))),
    query!("zone", |vm, a| zone_or_null(vm, region_of(&a[0]).or_else(|| offset_of(&a[0]).map(TimeZone::fixed)))),
    query!("offset", |vm, a| zone_or_null(vm, offset_of(&a[0]).map(TimeZone::fixed))),
    query!("localDate", |vm, a| part(vm, parts_of(&a[0]).and_then(Temporal::date).map(Temporal::Date))),
    query!("localTime", |vm, a| part(vm, parts_of(&a[0]).and_then(Temporal::time).map(Temporal::Time))),
];

/// What every class of times has under its own types too.
const TEMPORAL: &[Row] = &[
    Row("Temporal plus(TemporalAmount)", |vm, a| moved(vm, &a[0], &a[1], 1)),
    Row("Temporal minus(TemporalAmount)", |vm, a| moved(vm, &a[0], &a[1], -1)),
    Row("Temporal plus(long,TemporalUnit)", |vm, a| {
        let sum = plus(temporal(&a[0])?, long(&a[1])?, name(&a[2])?)?;
        new(vm, sum)
    }),
    Row("Temporal minus(long,TemporalUnit)", |vm, a| {
        let amount = long(&a[1])?.checked_neg().ok_or_else(|| throw("ArithmeticException", "long overflow"))?;
        let sum = plus(temporal(&a[0])?, amount, name(&a[2])?)?;
        new(vm, sum)
    }),
    Row("Temporal with(TemporalAdjuster)", adjusted),
    Row("Temporal with(TemporalField,long)", |vm, a| {
        let changed = with(temporal(&a[0])?, name(&a[1])?, long(&a[2])?)?;
        new(vm, changed)
    }),
    Row("long until(Temporal,TemporalUnit)", |_, a| {
        Ok(Value::Long(until(temporal(&a[0])?, temporal(&a[1])?, name(&a[2])?)?))
    }),
];

fn date(value: &Value) -> Result<Date, Failed> {
    temporal(value)?.date().ok_or_else(|| unexpected(value))
}

/// The era of what has a year.
pub(super) fn era(vm: &mut Vm, a: &[Value]) -> Outcome {
    let at = usize::from(date(&a[0])?.year() > 0);
    constant(vm, "IsoEra", &ERAS, at)
}

const OF_DATES: &[Row] = &[Row("IsoChronology getChronology()", |vm, _| iso(vm))];

const CHRONOLOGY: &[Row] = &[
    Row("String getId()", |vm, _| vm.string("ISO")),
    Row("String getCalendarType()", |vm, _| vm.string("iso8601")),
    Row("boolean isLeapYear(long)", |_, a| ok_bool(year::is_leap(long(&a[1])?))),
    Row("LocalDate date(int,int,int)", |vm, a| new(vm, Temporal::Date(date_of(&a[1..])?))),
    Row("LocalDate date(TemporalAccessor)", |vm, a| new(vm, Temporal::Date(date(&a[1])?))),
    Row("LocalDate dateEpochDay(long)", |vm, a| {
        let found = plus(&Temporal::Date(Date::constant(1970, 1, 1)), long(&a[1])?, "DAYS")?;
        new(vm, found)
    }),
    Row("LocalDate dateYearDay(int,int)", |vm, a| {
        let found = day_of(&a[1], &a[2])?;
        new(vm, found)
    }),
    Row("Period period(int,int,int)", |vm, a| new(vm, Temporal::Period(int(&a[1])?, int(&a[2])?, int(&a[3])?))),
    Row("IsoEra eraOf(int)", |vm, a| era_of(vm, int(&a[1])?)),
];

fn era_of(vm: &mut Vm, number: i32) -> Outcome {
    match usize::try_from(number).ok().filter(|at| *at < ERAS.len()) {
        Some(at) => constant(vm, "IsoEra", &ERAS, at),
        None => Err(throw("DateTimeException", format!("Invalid era: {number}"))),
    }
}

const ERA: &[Row] = &[
    Row("static IsoEra BCE", |vm, _| constant(vm, "IsoEra", &ERAS, 0)),
    Row("static IsoEra CE", |vm, _| constant(vm, "IsoEra", &ERAS, 1)),
    Row("static IsoEra of(int)", |vm, a| era_of(vm, int(&a[0])?)),
    Row("static IsoEra valueOf(String)", |vm, a| {
        let wanted = text(&a[0])?;
        match ERAS.iter().position(|known| *known == wanted) {
            Some(at) => constant(vm, "IsoEra", &ERAS, at),
            None => Err(illegal(format!("No enum constant java.time.chrono.IsoEra.{wanted}"))),
        }
    }),
];

fn rules(value: &Value) -> Result<TimeZone, Failed> {
    zone_of(super::super::iterators::inside(value)?)
}

fn instant(value: &Value) -> Result<jiff::Timestamp, Failed> {
    match temporal(value)? {
        Temporal::Instant(at) => Ok(*at),
        _ => Err(unexpected(value)),
    }
}

pub(super) fn local(value: &Value) -> Result<DateTime, Failed> {
    match temporal(value)? {
        Temporal::DateTime(local) => Ok(*local),
        _ => Err(unexpected(value)),
    }
}

/// The offset of a zone that always has the same: of an offset, and of what is named by one.
fn fixed(zone: &TimeZone) -> Option<Offset> {
    let named = |name: &str| ["UTC", "GMT", "UT", "Etc/"].iter().any(|prefix| name.starts_with(prefix));
    let by_name = zone.iana_name().is_some_and(named).then(|| zone.to_offset(jiff::Timestamp::UNIX_EPOCH));
    zone.to_fixed_offset().ok().or(by_name)
}

/// The offsets that a local time may have: none in a gap, two where it comes twice.
fn valid_offsets(zone: &TimeZone, local: DateTime) -> Vec<Offset> {
    use jiff::tz::AmbiguousOffset;
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => vec![offset],
        AmbiguousOffset::Gap { .. } => vec![],
        AmbiguousOffset::Fold { before, after } => vec![before, after],
    }
}

const RULES: &[Row] = &[
    Row("static ZoneRules of(ZoneOffset)", |vm, a| rules_of(vm, &a[0])),
    Row("ZoneOffset getOffset(Instant)", |vm, a| {
        let offset = rules(&a[0])?.to_offset(instant(&a[1])?);
        new(vm, Temporal::Zone(TimeZone::fixed(offset)))
    }),
    Row("boolean isDaylightSavings(Instant)", |_, a| {
        ok_bool(rules(&a[0])?.to_offset_info(instant(&a[1])?).dst().is_dst())
    }),
    Row("boolean isFixedOffset()", |_, a| ok_bool(fixed(&rules(&a[0])?).is_some())),
    Row("boolean isValidOffset(LocalDateTime,ZoneOffset)", |_, a| {
        let wanted = offset_of(&a[2]).ok_or_else(|| unexpected(&a[2]))?;
        ok_bool(valid_offsets(&rules(&a[0])?, local(&a[1])?).contains(&wanted))
    }),
    Row("List getValidOffsets(LocalDateTime)", |vm, a| {
        let offsets = valid_offsets(&rules(&a[0])?, local(&a[1])?);
        let offsets = offsets.into_iter().map(|offset| new(vm, Temporal::Zone(TimeZone::fixed(offset))));
        let offsets = offsets.collect::<Result<Vec<_>, _>>()?;
        vm.list(offsets)
    }),
];

fn rules_of(vm: &mut Vm, zone: &Value) -> Outcome {
    zone_of(zone)?;
    vm.alloc(Data::Wrapped(registry().find("ZoneRules").expect("the row is below"), zone.clone()))
}

const ZONE: &[Row] = &[
    Row("ZoneRules getRules()", |vm, a| rules_of(vm, &a[0])),
    Row("static ZoneId of(String,Map)", |vm, a| {
        let named = super::super::get(vm, &a[1], &a[0])?;
        super::rows::zone_named(vm, if named.is_null() { &a[0] } else { &named })
    }),
    Row("ZoneId normalized()", |vm, a| match fixed(&zone_of(&a[0])?) {
        Some(offset) => new(vm, Temporal::Zone(TimeZone::fixed(offset))),
        None => Ok(a[0].clone()),
    }),
    Row("static ZoneId from(TemporalAccessor)", |vm, a| {
        match region_of(&a[0]).or_else(|| offset_of(&a[0]).map(TimeZone::fixed)) {
            Some(zone) => new(vm, Temporal::Zone(zone)),
            None => Err(not_obtained("ZoneId", &a[0])),
        }
    }),
    Row("static ZoneId ofOffset(String,ZoneOffset)", |vm, a| {
        let (prefix, offset) = (text(&a[0])?, offset_of(&a[1]).ok_or_else(|| unexpected(&a[1]))?);
        let zone = match &*prefix {
            "" => TimeZone::fixed(offset),
            "GMT" | "UTC" | "UT" => {
                let shown = super::text::offset_text(offset);
                super::zone(&format!("{prefix}{}", if shown == "Z" { "" } else { &shown }))?
            }
            other => return Err(illegal(format!("prefix should be GMT, UTC or UT, is: {other}"))),
        };
        new(vm, Temporal::Zone(zone))
    }),
];

pub(super) fn not_obtained(what: &str, from: &Value) -> Failed {
    let has_date = parts_of(from).is_some_and(|of| of.date().is_some());
    not_obtained_of(what, has_date, &super::super::plain(from), &from.class_name())
}

/// What a class cannot be made of, with what is lacking in the first place.
#[cold]
pub(super) fn not_obtained_of(what: &str, has_date: bool, shown: &str, class: &str) -> Failed {
    let told = |what: &str| format!("Unable to obtain {what} from TemporalAccessor: {shown} of type {class}");
    let failed = throw("DateTimeException", told(what));
    let lacking = match what {
        "LocalDateTime" if has_date => "LocalTime",
        "LocalDateTime" => "LocalDate",
        "ZonedDateTime" | "ChronoZonedDateTime" => "ZoneId",
        "OffsetDateTime" => "ZoneOffset",
        "Instant" => {
            let field = throw("UnsupportedTemporalTypeException", "Unsupported field: InstantSeconds");
            return failed.made_by(*field);
        }
        _ => return failed,
    };
    failed.made_by(*throw("DateTimeException", told(lacking)))
}

/// The one field that an offset has.
fn total_seconds(a: &[Value]) -> Result<i32, Failed> {
    match name(&a[1])? {
        "OFFSET_SECONDS" => offset_of(&a[0]).map(Offset::seconds).ok_or_else(|| unexpected(&a[0])),
        other => Err(super::units::no_field(other)),
    }
}

const OFFSET: &[Row] = &[
    Row("static ZoneOffset from(TemporalAccessor)", |vm, a| match offset_of(&a[0]) {
        Some(offset) => new(vm, Temporal::Zone(TimeZone::fixed(offset))),
        None => Err(not_obtained("ZoneOffset", &a[0])),
    }),
    Row("boolean isSupported(TemporalField)", |_, a| ok_bool(name(&a[1])? == "OFFSET_SECONDS")),
    Row("int get(TemporalField)", |_, a| total_seconds(a).map(Value::Int)),
    Row("long getLong(TemporalField)", |_, a| total_seconds(a).map(|seconds| Value::Long(i64::from(seconds)))),
    Row("def query(TemporalQuery)", |vm, a| vm.call(&a[1], &a[..1])),
    Row("ValueRange range(TemporalField)", |vm, a| {
        total_seconds(a)?;
        new(vm, Temporal::Range([-64_800, -64_800, 64_800, 64_800]))
    }),
    Row("int compareTo(ZoneOffset)", |_, a| {
        let seconds = |of: &Value| offset_of(of).map(Offset::seconds).ok_or_else(|| unexpected(of));
        Ok(Value::Int(seconds(&a[1])? - seconds(&a[0])?))
    }),
];

/// A local time at the offset that is asked for, where the zone lets it have that one.
fn at_offset(vm: &mut Vm, a: &[Value], zone: &TimeZone, wanted: &Value, strict: bool) -> Outcome {
    let (local, valid) = (local(&a[0])?, valid_offsets(zone, local(&a[0])?));
    let wanted = offset_of(wanted).filter(|offset| valid.contains(offset));
    if strict && wanted.is_none() {
        let [local, offset, zone] = [0, 1, 2].map(|at| super::super::plain(&a[at]));
        let what = format!("ZoneOffset '{offset}' is not valid for LocalDateTime '{local}' in zone '{zone}'");
        return Err(throw("DateTimeException", what));
    }
    let at = match wanted {
        Some(offset) => offset.to_timestamp(local).map(|at| at.to_zoned(zone.clone())),
        None => local.to_zoned(zone.clone()),
    };
    new(vm, Temporal::Zoned(at.map_err(super::out_of_range)?.into()))
}

const ZONED: &[Row] = &[
    Row("static ZonedDateTime ofLocal(LocalDateTime,ZoneId,ZoneOffset)", |vm, a| {
        at_offset(vm, a, &zone_of(&a[1])?, &a[2], false)
    }),
    Row("static ZonedDateTime ofStrict(LocalDateTime,ZoneOffset,ZoneId)", |vm, a| {
        at_offset(vm, a, &zone_of(&a[2])?, &a[1], true)
    }),
    Row("static ZonedDateTime ofInstant(LocalDateTime,ZoneOffset,ZoneId)", |vm, a| {
        let offset = offset_of(&a[1]).ok_or_else(|| unexpected(&a[1]))?;
        let at = offset.to_timestamp(local(&a[0])?).map_err(super::out_of_range)?;
        new(vm, Temporal::Zoned(at.to_zoned(zone_of(&a[2])?).into()))
    }),
];

/// The moment of a local time at an offset.
pub(super) fn instant_at(of: &Value, offset: &Value) -> Result<jiff::Timestamp, Failed> {
    let offset = offset_of(offset).ok_or_else(|| unexpected(offset))?;
    offset.to_timestamp(local(of)?).map_err(super::out_of_range)
}

const FORMATTER: &[Row] = &[
    Row("def parse(CharSequence,TemporalQuery)", |vm, a| {
        let (pattern, zone) = formatter(&a[0])?;
        let parsed = parse_with("TemporalAccessor", &text(&a[1])?, pattern, zone)?;
        let parsed = new(vm, parsed)?;
        vm.call(&a[2], &[parsed])
    }),
    Row("void formatTo(TemporalAccessor,Appendable)", |vm, a| {
        let (pattern, zone) = formatter(&a[0])?;
        let shown = format(pattern, zone, temporal(&a[1])?)?;
        vm.grow(shown.len())?;
        super::super::builder::push(&a[2], &shown)?;
        Ok(Value::Null)
    }),
    Row("ZoneId getZone()", |vm, a| {
        let zone = formatter(&a[0])?.1.cloned();
        zone_or_null(vm, zone)
    }),
];

const YEAR: &[Row] = &[
    Row("LocalDate atMonthDay(MonthDay)", |vm, a| {
        let (Temporal::Year(year), Temporal::MonthDay(month, day)) = (temporal(&a[0])?, temporal(&a[1])?) else {
            return Err(unexpected(&a[1]));
        };
        let found = super::offset::at_year(*year, (*month, *day))?;
        new(vm, found)
    }),
    Row("boolean isValidMonthDay(MonthDay)", |_, a| {
        let Temporal::Year(year) = temporal(&a[0])? else { return Err(unexpected(&a[0])) };
        ok_bool(match a[1].data() {
            Some(Data::Temporal(Temporal::MonthDay(month, day))) => {
                (*month, *day) != (2, 29) || year::is_leap(i64::from(*year))
            }
            _ => false,
        })
    }),
];

/// An amount as a duration: periods have parts that last now longer, now less long.
fn duration(_: &mut Vm, a: &[Value]) -> Outcome {
    match temporal(&a[0])? {
        Temporal::Duration(_) => Ok(a[0].clone()),
        Temporal::Period(..) => {
            Err(throw("UnsupportedTemporalTypeException", "Unit must not have an estimated duration"))
        }
        _ => Err(unexpected(&a[0])),
    }
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow {
        name: "java.time.temporal.TemporalQuery",
        supers: &[],
        rows: &[Row("def queryFrom(TemporalAccessor)", |vm, a| vm.call(&a[0], &a[1..]))],
        functional: true,
    },
    ClassRow::new("java.time.temporal.TemporalQueries", &[], QUERIES),
    ClassRow::new(
        "java.time.temporal.QueriedMoreBase",
        &[],
        &[Row("def query(TemporalQuery)", |vm, a| vm.call(&a[1], &a[..1]))],
    ),
    ClassRow::new("java.time.temporal.TemporalMoreBase", &[], TEMPORAL),
    ClassRow::new("java.time.chrono.Chronology", &[], CHRONOLOGY),
    ClassRow::new("java.time.chrono.AbstractChronology", &["Chronology"], &[]),
    ClassRow::new(
        "java.time.chrono.IsoChronology",
        &["AbstractChronology"],
        &[Row("static IsoChronology INSTANCE", |vm, _| iso(vm))],
    ),
    ClassRow::new(
        "java.time.chrono.Era",
        &[],
        &[Row("int getValue()", |_, a| match a[0].data() {
            Some(Data::Constant(_, _, at)) => Ok(Value::Int(*at)),
            _ => Err(unexpected(&a[0])),
        })],
    ),
    ClassRow::new("java.time.chrono.IsoEra", &["Enum", "Era"], ERA),
    ClassRow::new("java.time.chrono.OfDatesMoreBase", &[], OF_DATES),
    ClassRow::new("java.time.zone.ZoneRules", &[], RULES),
    ClassRow::new("java.time.zone.ZoneMoreBase", &[], ZONE),
    ClassRow::new("java.time.zone.OfOffsetMoreBase", &[], OFFSET),
    ClassRow::new("java.time.zone.OfZonedMoreBase", &[], ZONED),
    ClassRow::new("java.time.format.FormatterMoreBase", &[], FORMATTER),
    ClassRow::new("java.time.YearMoreBase", &[], YEAR),
    ClassRow::new("java.time.OfDurationMoreBase", &[], &[Row("static Duration from(TemporalAmount)", duration)]),
    ClassRow::new(
        "java.time.OfPeriodMoreBase",
        &[],
        &[
            Row("IsoChronology getChronology()", |vm, _| iso(vm)),
            Row("static Period from(TemporalAmount)", |_, a| match temporal(&a[0])? {
                Temporal::Period(..) => Ok(a[0].clone()),
                _ => Err(throw("DateTimeException", "Unit must be Years, Months or Days, but was Seconds")),
            }),
        ],
    ),
];
