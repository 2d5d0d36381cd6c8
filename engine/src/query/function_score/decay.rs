//! The parameters of `gauss`, `exp` and `linear`.

use super::function::numbers;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, Point, parse_distance, read_point};
use crate::json::{self, Value, Writer};
use crate::mapping::{Exact, Family, Field};
use crate::query::PlanContext;
use crate::query::node::{Node, Source};
use crate::query::time_value::time_value_ms;
use crate::score::functions::{Decay, DecayOrigin, DecayShape, MultiValueMode};

#[derive(Debug)]
pub struct DecaySpec {
    shape: DecayShape,
    field: String,
    /// As they are written without white space: they are read for each shard, and what is wrong with them is told by its place in
    /// this text.
    params: Vec<u8>,
    mode: MultiValueMode,
}

const DEFAULT_DECAY: f64 = 0.5;
const MALFORMED: &str = "malformed score function score parameters.";

impl DecaySpec {
    pub fn parse(shape: DecayShape, node: Node) -> Result<Self> {
        let (mut found, mut mode) = (None, MultiValueMode::Min);
        for field in node.fields() {
            match (field.key, field.node.value) {
                (key, Value::Object(_)) => {
                    let mut params = Writer::new();
                    params.value(field.node.value);
                    found = Some((key.to_owned(), params.finish()));
                }
                ("multi_value_mode", _) => {
                    mode = MultiValueMode::of(&field.node.text()?).map_err(|error| error.at(field.node.pos()))?
                }
                _ => return Err(field.node.error(MALFORMED)),
            }
        }
        let (field, params) = found.ok_or_else(|| node.error_at_end(MALFORMED))?;
        Ok(Self { shape, field, params, mode })
    }

    pub fn bind(&self, cx: &PlanContext) -> Result<Decay> {
        let Some(field) = cx.field(&self.field) else {
            let error = Error::new(ErrorKind::Parsing, format!("unknown field [{}]", self.field));
            return Err(error.with("line", 1).with("col", 0));
        };
        let (params, source) = (json::parse(&self.params)?, Source::new(&self.params));
        let params = Node::root(&params, &source);
        match field.family() {
            Family::Date => self.dates(cx, field, params),
            // What is scaled counts for no number here.
            Family::Integer | Family::UnsignedLong | Family::Float if field.type_name != "scaled_float" => {
                self.numbers(field, params)
            }
            Family::GeoPoint => self.places(field, params),
            _ => {
                let (name, of) = (&self.field, type_text(field));
                let reason = format!("field [{name}] is of type [{of}], but only numeric types are supported.");
                Err(Error::new(ErrorKind::Parsing, reason).with("line", 1).with("col", 1))
            }
        }
    }

    fn numbers(&self, field: &Field, params: Node) -> Result<Decay> {
        let (mut scale, mut origin, mut offset, mut decay) = (None, None, 0.0, DEFAULT_DECAY);
        for param in params.fields() {
            match param.key {
                "scale" => scale = Some(param.node.f64()?),
                "origin" => origin = Some(param.node.f64()?),
                "offset" => offset = param.node.f64()?,
                "decay" => decay = param.node.f64()?,
                key => return Err(unsupported(key)),
            }
        }
        let (Some(scale), Some(origin)) = (scale, origin) else {
            let reason = "both [scale] and [origin] must be set for numeric fields.";
            return Err(Error::new(ErrorKind::Parse, reason));
        };
        self.made(DecayOrigin::Number(numbers(field)?, origin), scale, offset, decay)
    }

    fn dates(&self, cx: &PlanContext, field: &Field, params: Node) -> Result<Decay> {
        let (mut scale, mut origin, mut offset, mut decay) = (None, None, None, DEFAULT_DECAY);
        for param in params.fields() {
            match param.key {
                "scale" => scale = Some(param.node.text()?),
                "origin" => origin = Some(param.node.text()?),
                "offset" => offset = Some(param.node.text()?),
                "decay" => decay = param.node.f64()?,
                key => return Err(unsupported(key)),
            }
        }
        let origin = match origin {
            None => cx.dates.now_ms,
            Some(text) => match field.term(&Value::String(text), &cx.dates)? {
                Exact::Number(at) | Exact::Numbers(at, _) => at,
                _ => return Err(unsupported("origin")),
            },
        };
        let Some(scale) = scale else {
            return Err(Error::new(ErrorKind::Parse, "[scale] must be set for date fields."));
        };
        let scale = time_value_ms(&scale, "DecayFunctionParser.scale")?;
        let offset = match offset {
            Some(offset) => time_value_ms(&offset, "DecayFunctionParser.offset")?,
            None => 0,
        };
        let origin = DecayOrigin::Number(numbers(field)?, origin as f64);
        self.made(origin, scale as f64, offset as f64, decay)
    }

    fn places(&self, field: &Field, params: Node) -> Result<Decay> {
        let (mut scale, mut origin, mut offset, mut decay) = (None, Point { lat: 0.0, lon: 0.0 }, 0.0, DEFAULT_DECAY);
        let meters = |text: &str| parse_distance(text, DistanceUnit::METERS);
        for param in params.fields() {
            match param.key {
                "scale" => scale = Some(param.node.text()?),
                "origin" => origin = read_point(param.node.value, true)?,
                "offset" => offset = meters(&param.node.text()?)?,
                "decay" => decay = param.node.f64()?,
                key => return Err(unsupported(key)),
            }
        }
        let Some(scale) = scale else {
            return Err(Error::new(ErrorKind::Parse, "[origin] and [scale] must be set for geo fields."));
        };
        field.check_aggregatable()?;
        self.made(DecayOrigin::Place(field.name.clone(), origin), meters(&scale)?, offset, decay)
    }

    fn made(&self, origin: DecayOrigin, scale: f64, offset: f64, decay: f64) -> Result<Decay> {
        Decay::check(scale, decay, offset)?;
        Ok(Decay {
            shape: self.shape,
            origin,
            scale: self.shape.scale(scale, decay),
            offset,
            mode: self.mode,
            field: self.field.as_str().into(),
        })
    }
}

fn unsupported(key: &str) -> Error {
    Error::new(ErrorKind::Parse, format!("parameter [{key}] not supported!"))
}

/// The reference shows the class of the field's type.
fn type_text(field: &Field) -> String {
    let class = match field.family() {
        Family::Text => "TextFieldMapper$TextFieldType",
        Family::Keyword => "KeywordFieldMapper$KeywordFieldType",
        Family::Float => "ScaledFloatFieldMapper$ScaledFloatFieldType",
        Family::Boolean => "BooleanFieldMapper$BooleanFieldType",
        Family::Ip => "IpFieldMapper$IpFieldType",
        _ => return field.type_name.to_owned(),
    };
    format!("org.opensearch.index.mapper.{class}")
}
