//! `alias`: another name of a field. It is resolved when a mapping is compiled and never becomes a field itself.

use super::{Built, FieldContext, TypeRow};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::params::{Default, Kind, Param, Params, java_text};

pub const NAME: &str = "alias";

pub static ROW: TypeRow = TypeRow { name: NAME, params: PARAMS, fields_before: None, plain: false, check, build };

static PARAMS: &[Param] = &[Param::new("path", Kind::Text, Default::None).changeable().nullable()];

/// The field that an alias stands for.
pub fn path(params: &Params) -> String {
    java_text(params.get(PARAMS, "path"))
}

fn check(params: &mut Params, cx: &FieldContext) -> Result<()> {
    if params.get(PARAMS, "path") == &Value::Null {
        return Err(Error::new(
            ErrorKind::MapperParsing,
            format!("The [path] property must be specified for field [{}].", cx.short_name()),
        ));
    }
    Ok(())
}

fn build(_: &Params, cx: &FieldContext) -> Result<Built> {
    Err(Error::new(ErrorKind::IllegalState, format!("alias [{}] is no field", cx.name)))
}
