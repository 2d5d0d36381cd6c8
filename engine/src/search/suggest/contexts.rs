//! Contexts of completions: which entries belong to those that a request names.

use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, Grid, Point, decode_geohash, geohash_precision, parse_distance, read_point};
use crate::json::{Value, parse};
use crate::mapping::{CompletionContext, CompletionEntry, CompletionOptions as FieldOptions, Field};
use crate::query::Node;
use crate::segment::StoredDoc;

/// The contexts of a request, as they are written: names with what is wanted of each.
#[derive(Clone, Debug, Default)]
pub struct WantedContexts(Vec<(String, Vec<Wanted>)>);

#[derive(Clone, Debug)]
struct Wanted {
    value: Value,
    boost: f32,
    /// Whether it is enough that a context begins like this.
    prefix: bool,
    precision: Option<u32>,
    neighbours: Vec<u32>,
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
    pub fn parse(node: Node) -> Result<Self> {
        let mut contexts = vec![];
        for field in node.fields() {
            let wanted = field.node.items_or_self().into_iter().map(wanted).collect::<Result<Vec<_>>>()?;
            contexts.push((field.key.to_owned(), wanted));
        }
        Ok(Self(contexts))
    }

    pub fn for_field(&self, field: &Field, options: &FieldOptions) -> Result<Option<Selection>> {
        if options.contexts.is_empty() {
            return match self.0.is_empty() {
                true => Ok(None),
                false => Err(Error::illegal_argument(format!("suggester [{}] doesn't expect any context", field.name))),
            };
        }
        let mut selected = vec![];
        for (name, wanted) in &self.0 {
            let Some(context) = options.contexts.iter().position(|context| context.name == *name) else {
                let names: Vec<&str> = options.contexts.iter().map(|context| context.name.as_str()).collect();
                return Err(Error::illegal_argument(format!(
                    "Unknown context name [{name}], must be one of [{}]",
                    names.join(", ")
                )));
            };
            for wanted in wanted {
                wanted.select(context, &options.contexts[context], &mut selected)?;
            }
        }
        if selected.is_empty() {
            return Err(Error::illegal_argument("Missing mandatory contexts in context query"));
        }
        Ok(Some(Selection(selected)))
    }
}

fn wanted(node: Node) -> Result<Wanted> {
    let mut wanted =
        Wanted { value: node.value.clone(), boost: 1.0, prefix: false, precision: None, neighbours: vec![] };
    if node.object().is_none_or(|map| map.get("context").is_none()) {
        return Ok(wanted);
    }
    for field in node.fields() {
        match field.key {
            "context" => wanted.value = field.node.value.clone(),
            "boost" => {
                let boost = field.node.i32()?;
                if boost <= 0 {
                    return Err(Error::illegal_argument("boost must be greater than 0"));
                }
                wanted.boost = boost as f32;
            }
            "prefix" => wanted.prefix = field.node.bool()?,
            "precision" => wanted.precision = Some(precision_of(field.node.value)?),
            "neighbours" => {
                let items = field.node.items_or_self();
                wanted.neighbours = items.iter().map(|item| precision_of(item.value)).collect::<Result<_>>()?;
            }
            _ => {}
        }
    }
    Ok(wanted)
}

impl Wanted {
    fn select(&self, context: usize, definition: &CompletionContext, selected: &mut Vec<Selected>) -> Result<()> {
        let mut add = |text: String, prefix| selected.push(Selected { context, text, boost: self.boost, prefix });
        if !definition.geo {
            if !matches!(
                self.value,
                Value::String(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Bool(_)
            ) {
                return Err(Error::new(
                    ErrorKind::XContentParse,
                    "category context must be an object, string, number or boolean",
                ));
            }
            add(self.value.to_text(), self.prefix);
            return Ok(());
        }
        let own = own_precision(definition)?;
        let precision = self.precision.unwrap_or(PRECISION_DEFAULT).min(own);
        let cell = geohash(read_point(&self.value, true)?, precision);
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
        let mut agreed: Vec<(f32, (String, String))> = vec![];
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
            if !agreed.iter().any(|(_, other)| *other == named) {
                agreed.push((best, named));
            }
        }
        // What is boosted more is found first, and equals by their texts.
        agreed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.1.cmp(&b.1.1)));
        Ok(boost.map(|boost| (boost, agreed.into_iter().map(|(_, named)| named).collect())))
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

/// Letters that the cells of a field have. Of a distance they are rather too few: what is found lies within it or farther.
fn own_precision(context: &CompletionContext) -> Result<u32> {
    let Some(given) = context.definition.get("precision") else { return Ok(PRECISION_DEFAULT) };
    let letters = precision_of(given)?;
    match given {
        Value::String(text) if text.parse::<i64>().is_err() => {
            let meters = parse_distance(text, DistanceUnit::METERS)?;
            Ok(if diagonal_meters(letters) < meters { (letters - 1).max(1) } else { letters })
        }
        _ => Ok(letters),
    }
}

/// The diagonal of a cell of so many letters at the equator, as the reference reckons it.
fn diagonal_meters(letters: u32) -> f64 {
    const EQUATOR: f64 = 2.0 * std::f64::consts::PI * 6_378_137.0;
    const POLAR: f64 = std::f64::consts::PI * 6_356_752.314_245;
    let bits = letters * 5;
    let (width, height) = (EQUATOR / f64::from(bits.div_ceil(2)).exp2(), POLAR / f64::from(bits / 2).exp2());
    width.hypot(height)
}

/// Letters of a geohash, or a distance that its cells are about as wide as.
fn precision_of(value: &Value) -> Result<u32> {
    let refuse = || Error::illegal_argument("precision must be between 1 and 12");
    let letters = match value {
        Value::String(text) => match text.parse::<i64>() {
            Ok(letters) => letters,
            Err(_) => i64::from(geohash_precision(parse_distance(text, DistanceUnit::METERS)?).clamp(1, 12)),
        },
        other => other.as_i64().ok_or_else(refuse)?,
    };
    u32::try_from(letters).ok().filter(|letters| (1..=12).contains(letters)).ok_or_else(refuse)
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
