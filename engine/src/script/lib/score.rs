//! Functions of score scripts.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, illegal};
use super::super::term_counts;
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{double, int, text, unexpected};
use super::document::arc;
use super::time::Temporal;

fn saturation(_: &mut Vm, a: &[Value]) -> Outcome {
    let (value, k) = (double(&a[0])?, double(&a[1])?);
    Ok(Value::Double(value / (k + value)))
}

fn sigmoid(_: &mut Vm, a: &[Value]) -> Outcome {
    let (value, k, p) = (double(&a[0])?, double(&a[1])?, double(&a[2])?);
    Ok(Value::Double(value.powf(p) / (k.powf(p) + value.powf(p))))
}

#[derive(Clone, Copy)]
enum Shape {
    Linear,
    Exp,
    Gauss,
}

/// What is left of 1 at a distance.
fn decayed(shape: Shape, distance: f64, scale: f64, decay: f64) -> f64 {
    match shape {
        Shape::Linear => {
            let reach = scale / (1.0 - decay);
            ((reach - distance) / reach).max(0.0)
        }
        Shape::Exp => (decay.ln() / scale * distance).exp(),
        Shape::Gauss => {
            let factor = 0.5 / (-(scale * scale) / (2.0 * decay.ln()));
            (-distance * distance * factor).exp()
        }
    }
}

/// `decayNumeric*(origin, scale, offset, decay, value)`.
fn numeric(a: &[Value], shape: Shape) -> Outcome {
    let part = |i: usize| double(&a[i]);
    let (origin, scale, offset, decay, value) = (part(0)?, part(1)?, part(2)?, part(3)?, part(4)?);
    let distance = ((value - origin).abs() - offset).max(0.0);
    Ok(Value::Double(decayed(shape, distance, scale, decay)))
}

/// `decayDate*(origin, scale, offset, decay, date)`.
fn date(a: &[Value], shape: Shape) -> Outcome {
    let origin = text(&a[0])?;
    let origin = crate::mapping::DateFormat::parse("strict_date_optional_time||epoch_millis")
        .and_then(|f| f.parse_millis(&origin, false, &crate::mapping::date::Zone::fixed(0)))
        .map_err(|error| illegal(error.reason()))?;
    let (scale, offset) = (millis(&text(&a[1])?)?, millis(&text(&a[2])?)?);
    let Some(Data::Temporal(Temporal::Zoned(at))) = a[4].data() else { return Err(unexpected(&a[4])) };
    let distance = ((at.timestamp().as_millisecond() - origin).abs() as f64 - offset).max(0.0);
    Ok(Value::Double(decayed(shape, distance, scale, double(&a[3])?)))
}

fn millis(text: &str) -> Result<f64, Failed> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 6e4,
        "h" => 3.6e6,
        "d" => 8.64e7,
        _ if text == "0" => 1.0,
        _ => return Err(illegal(format!("failed to parse setting [] with value [{text}] as a time value"))),
    };
    digits.parse::<f64>().map(|v| v * factor).map_err(|_| illegal(format!("failed to parse [{text}]")))
}

/// `decayGeo*(origin, scale, offset, decay, point)`.
fn geo(a: &[Value], shape: Shape) -> Outcome {
    let origin = text(&a[0])?;
    let parsed =
        origin.split_once(',').and_then(|(lat, lon)| Some((lat.trim().parse().ok()?, lon.trim().parse().ok()?)));
    let Some(origin) = parsed else { return Err(illegal(format!("failed to parse [{origin}] as a point"))) };
    let (scale, offset) = (metres(&text(&a[1])?)?, metres(&text(&a[2])?)?);
    let Some(Data::GeoPoint(lat, lon)) = a[4].data() else { return Err(unexpected(&a[4])) };
    let distance = (arc(origin, (*lat, *lon)) - offset).max(0.0);
    Ok(Value::Double(decayed(shape, distance, scale, double(&a[3])?)))
}

fn metres(text: &str) -> Result<f64, Failed> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "m" | "meters" | "" => 1.0,
        "km" | "kilometers" => 1e3,
        "mi" | "miles" => 1609.344,
        "yd" => 0.9144,
        "ft" => 0.3048,
        "in" => 0.0254,
        "cm" => 0.01,
        "mm" => 0.001,
        "NM" | "nmi" | "nauticalmiles" => 1852.0,
        unit => return Err(illegal(format!("unknown unit [{unit}]"))),
    };
    digits.trim().parse::<f64>().map(|v| v * factor).map_err(|_| illegal(format!("failed to parse [{text}]")))
}

/// `randomScore(seed)` and `randomScore(seed, field)`.
fn random(vm: &mut Vm, a: &[Value]) -> Outcome {
    let seed = int(&a[0])?;
    let key = match a.get(1) {
        Some(field) => match &*text(field)? {
            "_seq_no" => super::super::doc::seq_no(vm)?.to_string(),
            field => {
                let object = super::super::doc::field(vm, field)?;
                super::plain(&vm.get_index(&object, &Value::Int(0))?)
            }
        },
        None => super::super::doc::id(vm)?.to_string(),
    };
    let salt = super::super::doc::salt(vm)?;
    Ok(Value::Double(crate::score::functions::random_number(seed, salt, key.as_bytes())))
}

pub const CLASSES: &[ClassRow] = &[ClassRow::new(
    "org.opensearch.script.ScoreFunctions",
    &[],
    &[
        Row("static double saturation(double,double)", saturation),
        Row("static double sigmoid(double,double,double)", sigmoid),
        Row("static double decayNumericLinear(double,double,double,double,double)", |_, a| numeric(a, Shape::Linear)),
        Row("static double decayNumericExp(double,double,double,double,double)", |_, a| numeric(a, Shape::Exp)),
        Row("static double decayNumericGauss(double,double,double,double,double)", |_, a| numeric(a, Shape::Gauss)),
        Row("static double decayDateLinear(String,String,String,double,ZonedDateTime)", |_, a| date(a, Shape::Linear)),
        Row("static double decayDateExp(String,String,String,double,ZonedDateTime)", |_, a| date(a, Shape::Exp)),
        Row("static double decayDateGauss(String,String,String,double,ZonedDateTime)", |_, a| date(a, Shape::Gauss)),
        Row("static double decayGeoLinear(String,String,String,double,GeoPoint)", |_, a| geo(a, Shape::Linear)),
        Row("static double decayGeoExp(String,String,String,double,GeoPoint)", |_, a| geo(a, Shape::Exp)),
        Row("static double decayGeoGauss(String,String,String,double,GeoPoint)", |_, a| geo(a, Shape::Gauss)),
        Row("static double randomScore(int)", random),
        Row("static double randomScore(int,String)", random),
        Row("static int termFreq(String,String)", |vm, a| {
            Ok(Value::Int(term_counts::term_freq(vm, &text(&a[0])?, &text(&a[1])?)?))
        }),
        Row("static long totalTermFreq(String,String)", |vm, a| {
            Ok(Value::Long(term_counts::total_term_freq(vm, &text(&a[0])?, &text(&a[1])?)?))
        }),
        Row("static long sumTotalTermFreq(String)", |vm, a| {
            Ok(Value::Long(term_counts::sum_total_term_freq(vm, &text(&a[0])?)?))
        }),
    ],
)];
