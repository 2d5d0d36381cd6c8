//! Similarities as `index.similarity.*` describes them: a row per type.

use super::divergence::{AfterEffect, BasicModel, Divergence};
use super::independence::Independence;
use super::information::{Distribution, Information, Lambda};
use super::language_model::{Dirichlet, JelinekMercer};
use super::normalization::Normalization;
use super::scripted::Scripted;
use super::{Similarity, SimilarityKind};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, java_double};
use crate::score::{B, K1};
use std::collections::BTreeMap;

/// The settings of one similarity, by what follows its name.
pub type Params = BTreeMap<String, String>;

/// A type: its name, the settings that it knows (all, if there are none), and how it is read.
struct Row(&'static str, &'static [&'static str], fn(&Params) -> Result<Similarity>);

const NORMALIZATIONS: [&str; 5] =
    ["normalization", "normalization.h1.c", "normalization.h2.c", "normalization.h3.c", "normalization.z.z"];

static ROWS: &[Row] = &[
    Row("BM25", &["k1", "b", "discount_overlaps"], |params| bm25(params, false)),
    Row("LegacyBM25", &["k1", "b", "discount_overlaps"], |params| bm25(params, true)),
    Row("boolean", &["type"], |_| Ok(Similarity::of(SimilarityKind::Boolean))),
    Row("classic", &[], |_| Err(no_classic())),
    Row(
        "DFR",
        &[
            "basic_model",
            "after_effect",
            NORMALIZATIONS[0],
            NORMALIZATIONS[1],
            NORMALIZATIONS[2],
            NORMALIZATIONS[3],
            NORMALIZATIONS[4],
        ],
        divergence,
    ),
    Row(
        "IB",
        &[
            "distribution",
            "lambda",
            NORMALIZATIONS[0],
            NORMALIZATIONS[1],
            NORMALIZATIONS[2],
            NORMALIZATIONS[3],
            NORMALIZATIONS[4],
        ],
        information,
    ),
    Row("DFI", &["independence_measure"], independence),
    Row("LMDirichlet", &["mu"], dirichlet),
    Row("LMJelinekMercer", &["lambda"], jelinek_mercer),
    Row("scripted", &[], scripted),
];

/// What is said of the similarity that is no more.
pub fn no_classic() -> Error {
    Error::illegal_argument(
        "The [classic] similarity may not be used anymore. Please use the [BM25] similarity or build a custom [scripted] similarity instead.",
    )
}

/// Reads the similarity of this name, which may not be that of a type.
pub fn read(name: &str, params: &Params) -> Result<Similarity> {
    if ROWS.iter().any(|row| row.0 == name) {
        let reason = format!("illegal value for [index.similarity.{name}] cannot redefine built-in similarity");
        return Err(Error::illegal_argument(reason));
    }
    let Some(kind) = params.get("type") else {
        return Err(Error::illegal_argument(format!("Similarity [{name}] must have an associated type")));
    };
    let Some(Row(_, known, parse)) = ROWS.iter().find(|row| row.0 == kind) else {
        return Err(Error::illegal_argument(format!("Unknown Similarity type [{kind}] for [{name}]")));
    };
    if !known.is_empty() {
        let unknown: Vec<&str> =
            params.keys().map(String::as_str).filter(|key| *key != "type" && !known.contains(key)).collect();
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            return Err(Error::illegal_argument(format!(
                "Unknown settings for similarity of type [{kind}]: [{unknown}]"
            )));
        }
    }
    parse(params)
}

fn float(params: &Params, key: &str, default: f32) -> Result<f32> {
    let Some(text) = params.get(key) else { return Ok(default) };
    match text.trim() {
        "NaN" => Ok(f32::NAN),
        "Infinity" => Ok(f32::INFINITY),
        "-Infinity" => Ok(f32::NEG_INFINITY),
        _ => java_double(text).map(|number| number as f32).map_err(|cause| {
            Error::new(ErrorKind::Settings, format!("Failed to parse float setting [{key}] with value [{text}]"))
                .caused_by(cause)
        }),
    }
}

/// A number of a setting that must be at least zero. `name`: what the message calls it.
fn non_negative(params: &Params, key: &str, default: f32, name: &str) -> Result<f32> {
    let value = float(params, key, default)?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(negative(value, name)) }
}

fn negative(value: f32, name: &str) -> Error {
    let value = crate::score::float_text(value);
    Error::illegal_argument(format!("illegal {name} value: {value}, must be a non-negative finite value"))
}

fn discount_overlaps(params: &Params) -> Result<bool> {
    match params.get("discount_overlaps").map(String::as_str) {
        None | Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(other) => Err(Error::illegal_argument(format!(
            "Failed to parse value [{other}] as only [true] or [false] are allowed."
        ))),
    }
}

fn text<'a>(params: &'a Params, key: &str) -> &'a str {
    params.get(key).map_or("null", String::as_str)
}

fn bm25(params: &Params, legacy: bool) -> Result<Similarity> {
    let (k1, b) = (float(params, "k1", K1)?, float(params, "b", B)?);
    let discount_overlaps = discount_overlaps(params)?;
    if !k1.is_finite() || k1 < 0.0 {
        return Err(negative(k1, "k1"));
    }
    if !(0.0..=1.0).contains(&b) {
        let b = crate::score::float_text(b);
        return Err(Error::illegal_argument(format!("illegal b value: {b}, must be between 0 and 1")));
    }
    Ok(Similarity { kind: SimilarityKind::Bm25 { k1, b, legacy }, discount_overlaps })
}

fn normalization(params: &Params) -> Result<Normalization> {
    let c = |key: &str, default: f32, name: &str| non_negative(params, key, default, name);
    Ok(match text(params, "normalization") {
        "no" => Normalization::No,
        "h1" => Normalization::H1 { c: c("normalization.h1.c", 1.0, "c")? },
        "h2" => Normalization::H2 { c: c("normalization.h2.c", 1.0, "c")? },
        "h3" => Normalization::H3 { mu: c("normalization.h3.c", 800.0, "mu")? },
        "z" => {
            let z = float(params, "normalization.z.z", 0.3)?;
            if !(z > 0.0 && z < 0.5) {
                let z = crate::score::float_text(z);
                return Err(Error::illegal_argument(format!("illegal z value: {z}, must be in the range (0 .. 0.5)")));
            }
            Normalization::Z { z }
        }
        other => return Err(Error::illegal_argument(format!("Unsupported Normalization [{other}]"))),
    })
}

fn divergence(params: &Params) -> Result<Similarity> {
    let model = match text(params, "basic_model") {
        "g" => BasicModel::G,
        "if" => BasicModel::If,
        "in" => BasicModel::In,
        "ine" => BasicModel::Ine,
        gone @ ("be" | "d" | "p") => {
            let reason = format!("Basic model [{gone}] isn't supported anymore, please use another model.");
            return Err(Error::illegal_argument(reason));
        }
        other => {
            let reason = format!("Unsupported BasicModel [{other}], expected one of [ine, in, g, if]");
            return Err(Error::illegal_argument(reason));
        }
    };
    let effect = match text(params, "after_effect") {
        "b" => AfterEffect::B,
        "l" => AfterEffect::L,
        "no" => {
            let reason = "After effect [no] isn't supported anymore, please use another effect.";
            return Err(Error::illegal_argument(reason));
        }
        other => {
            let reason = format!("Unsupported AfterEffect [{other}], expected one of [b, l]");
            return Err(Error::illegal_argument(reason));
        }
    };
    let normalization = normalization(params)?;
    Ok(Similarity::of(SimilarityKind::Divergence(Divergence { model, effect, normalization })))
}

fn information(params: &Params) -> Result<Similarity> {
    let distribution = match text(params, "distribution") {
        "ll" => Distribution::LogLogistic,
        "spl" => Distribution::SmoothedPowerLaw,
        other => return Err(Error::illegal_argument(format!("Unsupported Distribution [{other}]"))),
    };
    let lambda = match text(params, "lambda") {
        "df" => Lambda::DocFreq,
        "ttf" => Lambda::TotalTermFreq,
        other => return Err(Error::illegal_argument(format!("Unsupported Lambda [{other}]"))),
    };
    let normalization = normalization(params)?;
    Ok(Similarity::of(SimilarityKind::Information(Information { distribution, lambda, normalization })))
}

fn independence(params: &Params) -> Result<Similarity> {
    let measure = match text(params, "independence_measure") {
        "standardized" => Independence::Standardized,
        "saturated" => Independence::Saturated,
        "chisquared" => Independence::ChiSquared,
        other => {
            let reason = format!(
                "Unsupported IndependenceMeasure [{other}], expected one of [standardized, saturated, chisquared]"
            );
            return Err(Error::illegal_argument(reason));
        }
    };
    Ok(Similarity::of(SimilarityKind::Independence(measure)))
}

fn dirichlet(params: &Params) -> Result<Similarity> {
    let mu = non_negative(params, "mu", 2000.0, "mu")?;
    Ok(Similarity::of(SimilarityKind::Dirichlet(Dirichlet { mu })))
}

fn jelinek_mercer(params: &Params) -> Result<Similarity> {
    let lambda = float(params, "lambda", 0.1)?;
    if !(lambda > 0.0 && lambda <= 1.0) {
        return Err(Error::illegal_argument("lambda must be in the range (0 .. 1]"));
    }
    Ok(Similarity::of(SimilarityKind::JelinekMercer(JelinekMercer { lambda })))
}

/// A script from settings, whose keys stand one by one.
fn script(params: &Params, prefix: &str) -> Option<Value> {
    let mut script = Map::new();
    for (key, text) in params {
        let Some(key) = key.strip_prefix(prefix) else { continue };
        let mut path = key.split('.').peekable();
        let mut map = &mut script;
        while let Some(part) = path.next() {
            if path.peek().is_none() {
                map.insert(part, Value::from(text));
                break;
            }
            if !matches!(map.get(part), Some(Value::Object(_))) {
                map.insert(part, Value::Object(Map::new()));
            }
            let Some(Value::Object(below)) = map.get_mut(part) else { break };
            map = below;
        }
    }
    (!script.is_empty()).then_some(Value::Object(script))
}

fn scripted(params: &Params) -> Result<Similarity> {
    let discount_overlaps = discount_overlaps(params)?;
    let scripted = Scripted {
        script: script(params, "script.").unwrap_or_else(|| Value::Object(Map::new())),
        weight_script: script(params, "weight_script."),
    };
    Ok(Similarity { kind: SimilarityKind::Scripted(scripted), discount_overlaps })
}
