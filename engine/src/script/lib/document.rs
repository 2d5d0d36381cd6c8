//! Classes of the values of documents: `doc['field']`.

use super::super::class::{ClassRow, Row};
use super::super::doc;
use super::super::error::{Failed, Outcome, illegal, throw};
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{double, int, text, unexpected};
use crate::geo::decode_geohash;

/// Mean radius of the earth in metres.
const EARTH_RADIUS_M: f64 = 6_371_008.771_4;

fn slot(value: &Value) -> Result<u32, Failed> {
    match value.data() {
        Some(Data::DocValues(slot)) => Ok(*slot),
        _ => Err(unexpected(value)),
    }
}

fn first(vm: &mut Vm, a: &[Value]) -> Outcome {
    doc::value(vm, slot(&a[0])?)
}

fn get(vm: &mut Vm, a: &[Value]) -> Outcome {
    doc::get(vm, slot(&a[0])?, int(&a[1])?)
}

macro_rules! values {
    ($name:literal, $get:literal, $value:literal) => {
        values!("org.opensearch.index.fielddata.ScriptDocValues.", $name, $get, $value)
    };
    ($outer:literal, $name:literal, $get:literal, $value:literal) => {
        ClassRow::new(
            concat!($outer, $name),
            &["List"],
            &[Row(concat!($get, " get(int)"), get), Row(concat!($value, " getValue()"), first)],
        )
    };
}

fn point(value: &Value) -> Result<(f64, f64), Failed> {
    match value.data() {
        Some(Data::GeoPoint(lat, lon)) => Ok((*lat, *lon)),
        _ => Err(unexpected(value)),
    }
}

fn point_of(vm: &mut Vm, a: &[Value]) -> Result<(f64, f64), Failed> {
    point(&first(vm, a)?)
}

fn is_missing(vm: &mut Vm, a: &[Value]) -> Result<bool, Failed> {
    Ok(doc::count(vm, slot(&a[0])?)? == 0)
}

/// Great circle distance in metres.
pub(super) fn arc((lat1, lon1): (f64, f64), (lat2, lon2): (f64, f64)) -> f64 {
    let (p1, p2) = (lat1.to_radians(), lat2.to_radians());
    let (dp, dl) = (p2 - p1, (lon2 - lon1).to_radians());
    let h = (dp / 2.0).sin().powi(2) + p1.cos() * p2.cos() * (dl / 2.0).sin().powi(2);
    2.0 * EARTH_RADIUS_M * h.sqrt().min(1.0).asin()
}

fn plane((lat1, lon1): (f64, f64), (lat2, lon2): (f64, f64)) -> f64 {
    let x = (lon2 - lon1).to_radians() * ((lat2 + lat1).to_radians() / 2.0).cos();
    let y = (lat2 - lat1).to_radians();
    x.hypot(y) * EARTH_RADIUS_M
}

fn to(a: &[Value]) -> Result<(f64, f64), Failed> {
    Ok((double(&a[1])?, double(&a[2])?))
}

fn coordinates(vm: &mut Vm, a: &[Value], latitude: bool) -> Outcome {
    let points = doc::items(vm, slot(&a[0])?)?;
    let numbers = points.iter().map(|p| point(p).map(|(lat, lon)| if latitude { lat } else { lon }));
    let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
    vm.alloc(Data::Array(Array::Double(numbers).into()))
}

fn cell(value: &Value) -> Result<(f64, f64), Failed> {
    let point = decode_geohash(&text(value)?).map_err(|error| illegal(error.reason()))?;
    Ok((point.lat, point.lon))
}

const GEO_POINTS: &[Row] = &[
    Row("GeoPoint get(int)", get),
    Row("GeoPoint getValue()", first),
    Row("double getLat()", |vm, a| point_of(vm, a).map(|(lat, _)| Value::Double(lat))),
    Row("double getLon()", |vm, a| point_of(vm, a).map(|(_, lon)| Value::Double(lon))),
    Row("double[] getLats()", |vm, a| coordinates(vm, a, true)),
    Row("double[] getLons()", |vm, a| coordinates(vm, a, false)),
    Row("double arcDistance(double,double)", |vm, a| Ok(Value::Double(arc(point_of(vm, a)?, to(a)?)))),
    Row("double arcDistanceWithDefault(double,double,double)", |vm, a| match is_missing(vm, a)? {
        true => Ok(a[3].clone()),
        false => Ok(Value::Double(arc(point_of(vm, a)?, to(a)?))),
    }),
    Row("double planeDistance(double,double)", |vm, a| Ok(Value::Double(plane(point_of(vm, a)?, to(a)?)))),
    Row("double planeDistanceWithDefault(double,double,double)", |vm, a| match is_missing(vm, a)? {
        true => Ok(a[3].clone()),
        false => Ok(Value::Double(plane(point_of(vm, a)?, to(a)?))),
    }),
    Row("double geohashDistance(String)", |vm, a| Ok(Value::Double(arc(point_of(vm, a)?, cell(&a[1])?)))),
    Row("double geohashDistanceWithDefault(String,double)", |vm, a| match is_missing(vm, a)? {
        true => Ok(a[2].clone()),
        false => Ok(Value::Double(arc(point_of(vm, a)?, cell(&a[1])?))),
    }),
];

pub const CLASSES: &[ClassRow] = &[
    values!("Longs", "Long", "long"),
    values!("Doubles", "Double", "double"),
    values!("Booleans", "Boolean", "boolean"),
    values!("Strings", "String", "String"),
    values!("org.opensearch.index.mapper.IpFieldMapper.IpFieldType.", "IpScriptDocValues", "String", "String"),
    values!("Dates", "ZonedDateTime", "ZonedDateTime"),
    values!("BytesRefs", "BytesRef", "BytesRef"),
    values!("UnsignedLongs", "BigInteger", "BigInteger"),
    ClassRow::new("org.opensearch.index.fielddata.ScriptDocValues.GeoPoints", &["List"], GEO_POINTS),
    ClassRow::new(
        "org.opensearch.common.geo.GeoPoint",
        &[],
        &[
            Row("double getLat()", |_, a| point(&a[0]).map(|(lat, _)| Value::Double(lat))),
            Row("double getLon()", |_, a| point(&a[0]).map(|(_, lon)| Value::Double(lon))),
        ],
    ),
    ClassRow::new(
        "org.opensearch.index.query.IntervalFilterScript.Interval",
        &[],
        &[
            Row("int getStart()", |vm, a| interval(vm, a, "start")),
            Row("int getEnd()", |vm, a| interval(vm, a, "end")),
            Row("int getGaps()", |vm, a| interval(vm, a, "gaps")),
        ],
    ),
    ClassRow::new(
        "org.opensearch.analysis.common.AnalysisPredicateScript.Token",
        &[],
        &[
            Row("CharSequence getTerm()", |vm, a| interval(vm, a, "term")),
            Row("int getPosition()", |vm, a| interval(vm, a, "position")),
            Row("int getPositionIncrement()", |vm, a| interval(vm, a, "positionIncrement")),
            Row("int getPositionLength()", |vm, a| interval(vm, a, "positionLength")),
            Row("int getStartOffset()", |vm, a| interval(vm, a, "startOffset")),
            Row("int getEndOffset()", |vm, a| interval(vm, a, "endOffset")),
            Row("String getType()", |vm, a| interval(vm, a, "type")),
            Row("boolean isKeyword()", |vm, a| interval(vm, a, "keyword")),
        ],
    ),
];

/// Intervals and tokens are passed as maps of their properties.
fn interval(vm: &mut Vm, a: &[Value], name: &str) -> Outcome {
    let key = Value::text(name);
    let value = super::get(vm, &a[0], &key)?;
    match value {
        Value::Null => Err(illegal(format!("no [{name}]"))),
        value => Ok(value),
    }
}

/// What `params._fields` has of a field, and averages that scripts make.
pub const STORED_CLASSES: &[ClassRow] = &[
    ClassRow::new(
        "org.opensearch.search.aggregations.metrics.ScriptedAvg",
        &[],
        &[
            Row("new(double,long)", |vm, a| super::wrapped(vm, "ScriptedAvg", a.to_vec())),
            Row("double getSum()", |vm, a| nth(vm, a, 0)),
            Row("long getCount()", |vm, a| nth(vm, a, 1)),
        ],
    ),
    ClassRow::new(
        "org.opensearch.search.lookup.FieldLookup",
        &[],
        &[
            Row("boolean isEmpty()", |_, a| first_stored(a).map(|first| Value::Bool(first.is_null()))),
            Row("def getValue()", |_, a| first_stored(a)),
            Row("List getValues()", |_, a| super::iterators::inside(&a[0]).cloned()),
        ],
    ),
];

fn nth(vm: &mut Vm, a: &[Value], at: usize) -> Outcome {
    let parts = super::items_of(vm, super::iterators::inside(&a[0])?)?;
    Ok(parts.get(at).cloned().unwrap_or_default())
}

/// The first of the stored values, which there has to be.
fn first_stored(a: &[Value]) -> Outcome {
    let first = match super::iterators::inside(&a[0])?.data() {
        Some(Data::List(list)) => list.borrow().items.first().cloned(),
        _ => None,
    };
    first.ok_or_else(|| throw("IndexOutOfBoundsException", "Index 0 out of bounds for length 0"))
}
