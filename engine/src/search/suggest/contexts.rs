//! Contexts of completions: which entries belong to those that a request names.

use super::parse::unknown_field;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, Grid, Point, decode_geohash, geohash_precision, parse_distance, read_point};
use crate::json::{Value, parse};
use crate::mapping::{CompletionContext, CompletionEntry, CompletionOptions as FieldOptions, Field};
use crate::query::{Node, Source};
use crate::segment::StoredDoc;

/// The contexts of a request, as they are written. They are read when the field is known: what is wrong with them, shards tell.
#[derive(Clone, Debug)]
pub struct WantedContexts(Value);

/// What is wanted of one context.
struct Wanted {
    value: Place,
    boost: f32,
    /// Whether it is enough that a context begins like this.
    prefix: bool,
    precision: Option<u32>,
    neighbours: Vec<u32>,
}

enum Place {
    Category(String),
    At(Point),
}

/// The same for a field: texts to compare with.
pub struct Selection(Vec<Selected>);

struct Selected {
    /// Place among the field's contexts.
    context: usize,
    text: String,
    boost: f32,
    prefix: bool,
}

/// The boost of an entry, and the names and values that it shares with the request.
pub type Agreement = (f32, Vec<(String, String)>);

/// Letters of a geohash where nothing says how many.
const PRECISION_DEFAULT: u32 = 6;

impl WantedContexts {
    pub fn new(contexts: &Value) -> Self {
        Self(contexts.clone())
    }

    pub fn for_field(wanted: Option<&Self>, field: &Field, options: &FieldOptions) -> Result<Option<Selection>> {
        if options.contexts.is_empty() {
            return match wanted {
                None => Ok(None),
                Some(_) => {
                    Err(Error::illegal_argument(format!("suggester [{}] doesn't expect any context", field.name)))
                }
            };
        }
        let mut selected = vec![];
        if let Some(Self(written)) = wanted {
            // The reader's places are those of what is written anew.
            let text = written.to_bytes();
            let (value, source) = (parse(&text)?, Source::new(&text));
            for field in Node::root(&value, &source).fields() {
                let context = position_of(field.key, &options.contexts)?;
                for item in field.node.items_or_self() {
                    let definition = &options.contexts[context];
                    let wanted = if definition.geo { wanted_place(item) } else { wanted_category(item) };
                    wanted?.select(context, definition, &mut selected)?;
                }
            }
        }
        if selected.is_empty() {
            return Err(Error::illegal_argument("Missing mandatory contexts in context query"));
        }
        Ok(Some(Selection(selected)))
    }
}

fn position_of(name: &str, contexts: &[CompletionContext]) -> Result<usize> {
    let names = || contexts.iter().map(|context| context.name.as_str()).collect::<Vec<_>>().join(", ");
    contexts
        .iter()
        .position(|context| context.name == name)
        .ok_or_else(|| Error::illegal_argument(format!("Unknown context name [{name}], must be one of [{}]", names())))
}

impl Wanted {
    fn of(value: Place) -> Self {
        Self { value, boost: 1.0, prefix: false, precision: None, neighbours: vec![] }
    }
}

fn boost(node: Node) -> Result<f32> {
    match node.i32()? {
        boost if boost > 0 => Ok(boost as f32),
        _ => Err(Error::illegal_argument("boost must be greater than 0").at(node.last_pos())),
    }
}

fn wanted_category(node: Node) -> Result<Wanted> {
    let refuse = |what: &str| Error::new(ErrorKind::XContentParse, format!("category context must be {what}"));
    match node.value {
        Value::Object(_) => {}
        value if is_text(value) => return Ok(Wanted::of(Place::Category(value.to_text()))),
        _ => return Err(refuse("an object, string, number or boolean")),
    }
    let (mut text, mut wanted) = (None, Wanted::of(Place::Category(String::new())));
    for field in node.fields() {
        let read = match field.key {
            "context" if is_text(field.node.value) => {
                text = Some(field.node.value.to_text());
                Ok(())
            }
            "boost" => boost(field.node).map(|boost| wanted.boost = boost),
            "prefix" => field.node.bool().map(|prefix| wanted.prefix = prefix),
            _ => Err(refuse("")),
        };
        // Whatever it is that is wrong, the reference has but these words for it.
        read.map_err(|_| refuse("a string, number or boolean"))?;
    }
    let text = text.ok_or_else(|| Error::new(ErrorKind::NullPointer, "category must not be null"))?;
    Ok(Wanted { value: Place::Category(text), ..wanted })
}

fn is_text(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_)
    )
}

fn wanted_place(node: Node) -> Result<Wanted> {
    const KNOWN: &[&str] = &["neighbours", "precision", "boost", "context", "lat", "lon"];
    match node.value {
        Value::Object(_) => {}
        Value::String(text) => return Ok(Wanted::of(Place::At(decode_geohash(text)?))),
        _ => return Err(Error::new(ErrorKind::Parse, "geo context must be an object or string")),
    }
    let (mut wanted, mut point, mut lat, mut lon) = (Wanted::of(Place::Category(String::new())), None, None, None);
    for field in node.fields() {
        let (value, at) = (field.node, field.node.last_pos());
        let unfit = || {
            let reason = format!(
                "{} [geo] {} doesn't support values of type: {}",
                value.location(value.pos()),
                field.key,
                value.token()
            );
            Err(Error::new(ErrorKind::XContentParse, reason))
        };
        let read = match (field.key, value.value) {
            ("context", Value::Object(_)) => read_point(value.value, true).map(|read| point = Some(read)),
            ("context", _) => return unfit(),
            ("boost", _) => boost(value).map(|boost| wanted.boost = boost),
            ("lat", _) => value.f64().map(|read| lat = Some(read)),
            ("lon", _) => value.f64().map(|read| lon = Some(read)),
            ("precision", Value::Int(_) | Value::Float(_) | Value::String(_)) => {
                precision_of("precision", value.value).map(|letters| wanted.precision = Some(letters))
            }
            ("precision", _) => return unfit(),
            ("neighbours", _) => {
                let letters =
                    value.items_or_self().iter().map(|item| precision_of("neighbour value", item.value)).collect();
                Result::map(letters, |letters| wanted.neighbours = letters)
            }
            (key, _) => return Err(unknown_field(node, field.key_pos, "geo", key, KNOWN)),
        };
        read.map_err(|cause| node.failed_field("geo", field.key, cause.at(at)))?;
    }
    let point = match (point, lat, lon) {
        (Some(point), _, _) => point,
        (None, Some(lat), Some(lon)) => Point { lat, lon },
        _ => return Err(Error::new(ErrorKind::NullPointer, "geoPoint must not be null")),
    };
    Ok(Wanted { value: Place::At(point), ..wanted })
}

impl Wanted {
    fn select(self, context: usize, definition: &CompletionContext, selected: &mut Vec<Selected>) -> Result<()> {
        let mut add = |text: String, prefix| selected.push(Selected { context, text, boost: self.boost, prefix });
        let point = match self.value {
            Place::Category(text) => {
                add(text, self.prefix);
                return Ok(());
            }
            Place::At(point) => point,
        };
        let own = own_precision(definition)?;
        let precision = self.precision.unwrap_or(PRECISION_DEFAULT).min(own);
        let cell = geohash(point, precision);
        let mut cells = vec![cell.clone()];
        // Cells of the field's own size have those around them with them; larger ones only as far as they are asked for.
        if self.neighbours.is_empty() && precision == own {
            cells.extend(with_neighbours(&cell));
        }
        for letters in self.neighbours.iter().filter(|letters| **letters < precision) {
            cells.extend(with_neighbours(cell.get(..*letters as usize).unwrap_or(&cell)));
        }
        for cell in cells {
            let part = (cell.len() as u32) < own;
            add(cell, part);
        }
        Ok(())
    }
}

impl Selection {
    /// The contexts in which an entry and the request agree, and the highest boost of them; none if there are none.
    pub fn of(
        &self,
        entry: &CompletionEntry,
        options: &FieldOptions,
        stored: impl FnOnce() -> Result<StoredDoc>,
    ) -> Result<Option<Agreement>> {
        let values = values_of(entry, options, stored)?;
        let mut boost: Option<f32> = None;
        let mut agreed: Vec<(String, String)> = vec![];
        for (context, value) in values {
            let fits = |selected: &&Selected| {
                selected.context == context
                    && (value == selected.text || (selected.prefix && value.starts_with(&selected.text)))
            };
            let Some(best) = self.0.iter().filter(fits).map(|selected| selected.boost).reduce(f32::max) else {
                continue;
            };
            boost = Some(boost.map_or(best, |boost: f32| boost.max(best)));
            let named = (options.contexts[context].name.clone(), value);
            if !agreed.contains(&named) {
                agreed.push(named);
            }
        }
        Ok(boost.map(|boost| (boost, agreed)))
    }
}

/// The contexts of an entry, by their places: its own, and where it says nothing those that other fields say.
fn values_of(
    entry: &CompletionEntry,
    options: &FieldOptions,
    stored: impl FnOnce() -> Result<StoredDoc>,
) -> Result<Vec<(usize, String)>> {
    let mut values = vec![];
    let mut open = vec![];
    for (at, context) in options.contexts.iter().enumerate() {
        let own: Vec<&String> =
            entry.contexts.iter().filter(|(name, _)| *name == context.name).map(|(_, value)| value).collect();
        match (&context.path, own.is_empty()) {
            (Some(path), true) => open.push((at, path)),
            _ => values.extend(own.into_iter().filter_map(|text| Some((at, context_value(context, text)?)))),
        }
    }
    if open.is_empty() {
        return Ok(values);
    }
    let Some(source) = stored()?.source else { return Ok(values) };
    let source = parse(&source)?;
    for (at, path) in open {
        let mut found = vec![];
        collect(&source, path, &mut found);
        let context = &options.contexts[at];
        values.extend(found.into_iter().filter_map(|value| Some((at, context_value(context, &value.to_text())?))));
    }
    Ok(values)
}

/// What stands under a dotted path; places are kept whole.
fn collect<'v>(value: &'v Value, path: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) if !path.is_empty() => items.iter().for_each(|item| collect(item, path, found)),
        Value::Array(items) if items.first().is_some_and(|first| first.as_f64().is_none()) => {
            items.iter().for_each(|item| collect(item, path, found));
        }
        value if path.is_empty() => found.push(value),
        Value::Object(map) => {
            for (key, inner) in map.iter() {
                match path.strip_prefix(key) {
                    Some("") => collect(inner, "", found),
                    Some(rest) if rest.starts_with('.') => collect(inner, &rest[1..], found),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// A context of a document as it is compared: places by their cells.
fn context_value(context: &CompletionContext, text: &str) -> Option<String> {
    if !context.geo {
        return Some(text.to_owned());
    }
    let precision = own_precision(context).ok()?;
    let value = match text.starts_with(['{', '[']) {
        true => parse(text.as_bytes()).ok()?,
        false => Value::from(text),
    };
    Some(geohash(read_point(&value, true).ok()?, precision))
}

/// Letters that the cells of a field have.
fn own_precision(context: &CompletionContext) -> Result<u32> {
    match context.definition.get("precision") {
        Some(given) => letters_of("precision", given.as_i64().map(|letters| letters.clamp(1, 12))),
        None => Ok(PRECISION_DEFAULT),
    }
}

/// Letters of a geohash, or a distance that its cells are about as wide as.
fn precision_of(what: &str, value: &Value) -> Result<u32> {
    let letters = match value {
        Value::String(text) => match text.parse::<i64>() {
            Ok(letters) => Some(letters),
            Err(_) => Some(i64::from(geohash_precision(parse_distance(text, DistanceUnit::METERS)?).clamp(1, 12))),
        },
        other => other.as_i64(),
    };
    letters_of(what, letters)
}

fn letters_of(what: &str, letters: Option<i64>) -> Result<u32> {
    letters
        .and_then(|letters| u32::try_from(letters).ok())
        .filter(|letters| (1..=12).contains(letters))
        .ok_or_else(|| Error::illegal_argument(format!("{what} must be between 1 and 12")))
}

/// The cell of so many letters that a point lies in.
fn geohash(point: Point, letters: u32) -> String {
    Grid::Geohash.name(Grid::Geohash.cell(point, letters as u8))
}

/// A cell and the cells around it.
fn with_neighbours(cell: &str) -> Vec<String> {
    let bits = cell.len() as u32 * 5;
    let (lon_bits, lat_bits) = (bits.div_ceil(2), bits / 2);
    let (width, height) = (360.0 / f64::from(lon_bits).exp2(), 180.0 / f64::from(lat_bits).exp2());
    let Ok(corner) = decode_geohash(cell) else { return vec![cell.to_owned()] };
    let (lat, lon) = (corner.lat + height / 2.0, corner.lon + width / 2.0);
    let mut cells = vec![cell.to_owned()];
    for (up, right) in (-1..=1).flat_map(|up| (-1..=1).map(move |right| (f64::from(up), f64::from(right)))) {
        let (lat, lon) = (lat + up * height, lon + right * width);
        // Around the date line, but not over the poles.
        let lon = if lon > 180.0 { lon - 360.0 } else { lon };
        let lon = if lon < -180.0 { lon + 360.0 } else { lon };
        if lat.abs() <= 90.0 {
            let cell = geohash(Point { lat, lon }, cell.len() as u32);
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_their_neighbours() {
        assert_eq!(geohash(Point { lat: 1.0, lon: 2.0 }, 5), "s01mt");
        let around = with_neighbours("s01mt");
        assert_eq!(around.len(), 9);
        assert!(around.contains(&"s01mw".to_owned()), "{around:?}");
    }
}
