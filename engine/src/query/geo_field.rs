//! What the queries on places have in common.

use super::PlanContext;
use super::node::Node;
use crate::error::{Error, Result};
use crate::geo::Point;
use crate::mapping::number::java_f64;
use crate::mapping::{Family, Field};

/// Parameters of all of them.
#[derive(Debug, Default)]
pub struct GeoParams {
    pub ignore_unmapped: bool,
    validation: Validation,
}

/// What becomes of places that are none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Validation {
    #[default]
    Strict,
    Coerce,
    IgnoreMalformed,
}

impl Validation {
    pub fn parse(name: &str) -> Result<Self> {
        match name.to_ascii_uppercase().as_str() {
            "STRICT" => Ok(Self::Strict),
            "COERCE" => Ok(Self::Coerce),
            "IGNORE_MALFORMED" => Ok(Self::IgnoreMalformed),
            _ => Err(Error::illegal_argument(format!(
                "operator needs to be either [COERCE, IGNORE_MALFORMED, STRICT], but not [{name}]"
            ))),
        }
    }

    pub fn checked(self, point: Point, query: &str) -> Result<Point> {
        match self {
            Self::Coerce => Ok(point.normalized()),
            Self::Strict if !(-90.0..=90.0).contains(&point.lat) => {
                let lat = java_f64(point.lat);
                Err(Error::illegal_argument(format!("illegal latitude value [{lat}] for [{query}]")))
            }
            Self::Strict if !(-180.0..=180.0).contains(&point.lon) => {
                let lon = java_f64(point.lon);
                Err(Error::illegal_argument(format!("illegal longitude value [{lon}] for [{query}]")))
            }
            _ => Ok(point),
        }
    }
}

impl GeoParams {
    pub fn take(&mut self, key: &str, node: Node) -> Result<bool> {
        match key {
            "ignore_unmapped" => self.ignore_unmapped = node.bool()?,
            "validation_method" => self.validation = node.named(Validation::parse)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether places beyond the edges are taken for those that they would be if the map went on.
    pub fn coerces(&self) -> bool {
        self.validation == Validation::Coerce
    }

    pub fn checked(&self, point: Point, query: &str) -> Result<Point> {
        self.validation.checked(point, query)
    }
}

/// The geo field of this name; `None` where there is none and that is fine.
pub fn geo_field<'c>(cx: &'c PlanContext, name: &str, query: &str, ignore_unmapped: bool) -> Result<Option<&'c Field>> {
    match cx.field(name) {
        None if ignore_unmapped => Ok(None),
        None => Err(cx.error(format!("failed to find geo field [{name}]"))),
        Some(field) if matches!(field.family(), Family::GeoPoint | Family::GeoShape) => Ok(Some(field)),
        Some(field) => Err(cx.error(format!(
            "type [{}] for field [{name}] is not supported for [{query}] queries. Must be one of [geo_point] or [geo_shape]",
            field.type_name
        ))),
    }
}
