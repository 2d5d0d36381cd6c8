//! The functions of `function_score`, one row each, and what they become for a mapping.

use super::decay::DecaySpec;
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::hash_code;
use crate::json::Value;
use crate::mapping::{DocValues, Family, Field};
use crate::query::PlanContext;
use crate::query::node::Node;
use crate::query::table::did_you_mean;
use crate::score::ScriptFunction;
use crate::score::functions::{
    DecayShape, FieldValue, Modifier, NumberSource, RandomScore, RandomSource, ScoreFunction, Weighted,
};
use crate::script::{Script, context};
use crate::search::ID_FIELDDATA_DEPRECATED;
use std::sync::Arc;

/// A function as it was written.
#[derive(Debug)]
pub struct FunctionSpec {
    kind: FunctionKind,
    weight: Option<f32>,
}

#[derive(Debug)]
enum FunctionKind {
    Weight,
    FieldValue { field: String, factor: f32, modifier: Modifier, missing: Option<f64> },
    Random { seed: Option<i32>, field: Option<String> },
    Decay(DecaySpec),
    Script(Arc<Script>),
}

const NAMES: &[&str] = &["exp", "field_value_factor", "gauss", "linear", "random_score", "script_score", "weight"];

impl FunctionSpec {
    /// Whether it gives other numbers each time.
    pub fn is_chance(&self) -> bool {
        matches!(self.kind, FunctionKind::Random { seed: None, .. })
    }

    /// `name: {…}`.
    pub fn parse(name: &str, node: Node) -> Result<Self> {
        let kind = match name {
            "field_value_factor" => field_value(node)?,
            "random_score" => random(node)?,
            "gauss" => FunctionKind::Decay(DecaySpec::parse(DecayShape::Gauss, node)?),
            "exp" => FunctionKind::Decay(DecaySpec::parse(DecayShape::Exp, node)?),
            "linear" => FunctionKind::Decay(DecaySpec::parse(DecayShape::Linear, node)?),
            "script_score" => FunctionKind::Script(script(node)?),
            _ => {
                let at = node.location(node.pos());
                let cause = Error::new(ErrorKind::NamedObjectNotFound, format!("{at} unknown field [{name}]"));
                // It is told as if the query were what is not known.
                let query = "function_score";
                let hint = did_you_mean(query, NAMES.iter().copied()).unwrap_or_default();
                return Err(node.error(format!("unknown query [{query}] {hint}")).caused_by(cause));
            }
        };
        Ok(Self { kind, weight: None })
    }

    pub fn weight_alone(weight: f32) -> Result<Self> {
        Self { kind: FunctionKind::Weight, weight: None }.weighted(weight)
    }

    pub fn weighted(self, weight: f32) -> Result<Self> {
        if weight < 0.0 {
            return Err(Error::illegal_argument("[weight] cannot be negative for a filtering function"));
        }
        Ok(Self { weight: Some(weight), ..self })
    }

    /// The function for the fields of a shard.
    pub fn bind(&self, cx: &PlanContext) -> Result<Arc<dyn ScoreFunction>> {
        let function: Option<Arc<dyn ScoreFunction>> = match &self.kind {
            FunctionKind::Weight => None,
            FunctionKind::FieldValue { field, factor, modifier, missing } => {
                let source = match cx.field(field) {
                    Some(found) => Some(numbers(found)?),
                    None if missing.is_some() => None,
                    None => {
                        let reason =
                            format!("Unable to find a field mapper for field [{field}]. No 'missing' value defined.");
                        return Err(Error::new(ErrorKind::General, reason));
                    }
                };
                let (factor, modifier, missing) = (*factor, *modifier, *missing);
                Some(Arc::new(FieldValue { field: field.as_str().into(), source, factor, modifier, missing }))
            }
            FunctionKind::Random { seed, field } => Some(Arc::new(bind_random(cx, *seed, field.as_deref())?)),
            FunctionKind::Decay(spec) => Some(Arc::new(spec.bind(cx)?)),
            FunctionKind::Script(script) => {
                let refused = |cause| cx.error("script_score: the script could not be loaded").caused_by(cause);
                script.check(&context::SCORE, cx.mapping).map_err(refused)?;
                Some(Arc::new(ScriptFunction(crate::query::script::bind(script, cx))))
            }
        };
        Ok(match (function, self.weight) {
            (Some(function), None) => function,
            (function, weight) => Arc::new(Weighted { function, weight: weight.unwrap_or(1.0) }),
        })
    }
}

/// The numbers of a field that has them.
pub fn numbers(field: &Field) -> Result<NumberSource> {
    let has_no_numbers = matches!(field.family(), Family::Id | Family::Index) || field.constant().is_some();
    if has_no_numbers || field.type_name == "flat_object" {
        return Err(not_numeric(field));
    }
    field.check_aggregatable()?;
    if field.spec.doc_values != DocValues::Numeric || field.family() == Family::GeoPoint {
        return Err(not_numeric(field));
    }
    let nanos = field.type_name == "date_nanos";
    Ok(NumberSource { field: field.name.clone(), kind: field.number_kind(), nanos })
}

/// A field whose values are no numbers where numbers are needed.
pub fn not_numeric(field: &Field) -> Error {
    crate::search::not_castable(field, "IndexNumericFieldData")
}

fn script(node: Node) -> Result<Arc<Script>> {
    let mut script = None;
    for inner in node.fields() {
        match (inner.key, inner.node.value) {
            ("script", _) => script = Some(crate::query::document_script_or_list(inner.node, "score-script")?),
            (key, _) => return Err(inner.node.error(format!("script_score query does not support [{key}]"))),
        }
    }
    script.ok_or_else(|| node.error_at_end("script_score requires 'script' field"))
}

fn field_value(node: Node) -> Result<FunctionKind> {
    let mut value = ValueOptions { field: None, factor: 1.0, modifier: Modifier::None, missing: None };
    for field in node.fields() {
        value.take(field.key, field.node)?;
    }
    let ValueOptions { field, factor, modifier, missing } = value;
    let field = field.ok_or_else(|| node.error_at_end("[field_value_factor] required field 'field' missing"))?;
    Ok(FunctionKind::FieldValue { field, factor, modifier, missing })
}

struct ValueOptions {
    field: Option<String>,
    factor: f32,
    modifier: Modifier,
    missing: Option<f64>,
}

impl ValueOptions {
    /// What lists and objects hold is taken for what they stand for.
    fn take(&mut self, key: &str, node: Node) -> Result<()> {
        match (key, node.value) {
            ("factor", Value::Array(_) | Value::Object(_)) => {
                return Err(node.error("[field_value_factor] field 'factor' does not support lists or objects"));
            }
            (_, Value::Array(_)) => return node.items().try_for_each(|item| self.take(key, item)),
            (_, Value::Object(_)) => {
                node.fields().try_for_each(|field| self.take(field.key, field.node))?;
                return Err(node.ends_all_around());
            }
            // What is no value is passed over.
            (_, Value::Null) => {}
            ("field", _) => self.field = Some(node.text()?),
            ("factor", _) => self.factor = node.f32()?,
            ("modifier", _) => self.modifier = Modifier::of(&node.text()?).map_err(|error| error.at(node.pos()))?,
            ("missing", _) => self.missing = Some(node.f64()?),
            (key, _) => return Err(node.error(format!("field_value_factor query does not support [{key}]"))),
        }
        Ok(())
    }
}

fn random(node: Node) -> Result<FunctionKind> {
    let mut random = Random::default();
    for field in node.fields() {
        random.take(field.key, field.node)?;
    }
    if random.seed.is_some() && random.field.is_none() {
        note("OpenSearch requires that a [field] parameter is provided when a [seed] is set");
        note(ID_FIELDDATA_DEPRECATED);
    }
    Ok(FunctionKind::Random { seed: random.seed, field: random.field })
}

#[derive(Default)]
struct Random {
    seed: Option<i32>,
    field: Option<String>,
}

impl Random {
    /// What lists and objects hold is taken for what they stand for.
    fn take(&mut self, key: &str, node: Node) -> Result<()> {
        match (key, node.value) {
            (_, Value::Array(_)) => return node.items().try_for_each(|item| self.take(key, item)),
            (_, Value::Object(_)) => {
                node.fields().try_for_each(|field| self.take(field.key, field.node))?;
                return Err(node.ends_all_around());
            }
            // What is no value is passed over.
            (_, Value::Null) => {}
            ("seed", Value::Int(number)) => {
                let short = i32::try_from(*number);
                self.seed = Some(short.unwrap_or((*number ^ (*number >> 32)) as i32));
            }
            ("seed", Value::String(text)) => self.seed = Some(hash_code(text)),
            ("seed", _) => {
                let kinds = if node.token() == "VALUE_NUMBER" { "int, long" } else { "int/long" };
                let token = node.token();
                return Err(node.error(format!("random_score seed must be an {kinds} or string, not '{token}'")));
            }
            ("field", _) => self.field = Some(node.text()?),
            (key, _) => return Err(node.error(format!("random_score query does not support [{key}]"))),
        }
        Ok(())
    }
}

/// What random numbers of a shard begin with, so that those of its neighbours are others.
pub fn salt(cx: &PlanContext) -> i32 {
    hash_code(cx.index).wrapping_shl(10) | cx.shard as i32
}

fn bind_random(cx: &PlanContext, seed: Option<i32>, field: Option<&str>) -> Result<RandomScore> {
    let salt = salt(cx);
    let now = cx.dates.now_ms;
    let of_now = (now ^ (now >> 32)) as i32;
    // Without a seed nothing is asked of a field.
    let Some(name) = seed.map(|_| field.unwrap_or("_id")) else {
        return Ok(RandomScore { seed: of_now, salt, source: RandomSource::Doc, field: None });
    };
    let Some(field) = cx.field(name) else {
        return Err(Error::illegal_argument(format!(
            "Field [{name}] is not mapped on [[{}/{}]] and cannot be used as a source of random numbers.",
            cx.index, cx.index_uuid
        )));
    };
    let source = match (field.family(), field.spec.doc_values) {
        (Family::Id, _) => RandomSource::Id,
        (_, DocValues::Numeric) => {
            RandomSource::Numbers(NumberSource { field: field.name.clone(), kind: field.number_kind(), nanos: false })
        }
        _ => {
            field.check_aggregatable()?;
            RandomSource::Bytes(field.name.clone())
        }
    };
    Ok(RandomScore { seed: seed.unwrap_or(of_now), salt, source, field: Some(field.name.to_string()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hash_as_in_java() {
        assert_eq!(hash_code("hello"), 99_162_322);
        assert_eq!(hash_code("polygenelubricants"), i32::MIN);
    }
}
