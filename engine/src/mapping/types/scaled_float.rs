//! `scaled_float`: decimals kept as whole multiples of `1 / scaling_factor`.

use super::numeric::build_number;
use super::{Built, FieldContext, TypeRow};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::number::{NumberKind, java_f64, value_as_f64};
use crate::mapping::params::{
    COERCE, DOC_VALUES, Default, IGNORE_MALFORMED, INDEX, Kind, META, Param, Params, SKIP_LIST, STORE,
};

pub static ROW: TypeRow =
    TypeRow { name: "scaled_float", params: PARAMS, fields_before: None, plain: true, check, build };

static PARAMS: &[Param] = &[
    INDEX,
    DOC_VALUES,
    STORE,
    IGNORE_MALFORMED,
    META,
    Param::new("scaling_factor", Kind::Own(read_factor), Default::None),
    COERCE,
    Param::new("null_value", Kind::Own(read_null_value), Default::None).nullable(),
    SKIP_LIST,
];

fn read_factor(_: &str, value: &Value) -> Result<Value> {
    value_as_f64(value).map(Value::Float)
}

fn read_null_value(_: &str, value: &Value) -> Result<Value> {
    let number = value_as_f64(value)?;
    if number.is_finite() {
        return Ok(Value::Float(number));
    }
    Err(Error::illegal_argument(format!("[scaled_float] only supports finite values, but got [{}]", java_f64(number))))
}

fn check(params: &mut Params, _: &FieldContext) -> Result<()> {
    match params.get(PARAMS, "scaling_factor").as_f64() {
        None => Err(Error::illegal_argument("Field [scaling_factor] is required")),
        Some(factor) if factor > 0.0 && factor.is_finite() => Ok(()),
        Some(factor) => Err(Error::illegal_argument(format!(
            "[scaling_factor] must be a positive number, got [{}]",
            java_f64(factor)
        ))),
    }
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let factor = params.get(PARAMS, "scaling_factor").as_f64().unwrap_or(1.0);
    build_number(NumberKind::Scaled(factor), PARAMS, params)
}
