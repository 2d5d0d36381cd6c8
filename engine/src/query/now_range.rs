//! Ranges of dates that name the present moment.

use crate::json::Value;
use crate::mapping::{Family, Field, Indexed, RangeBounds};
use crate::score::{Plan, PointSet};

/// Whether what a range asks for depends on when it does.
pub fn names_now(field: &Field, bounds: &RangeBounds) -> bool {
    let bounds = [bounds.gte, bounds.gt, bounds.lte, bounds.lt];
    let mut texts = bounds.into_iter().flatten().filter_map(Value::as_str);
    field.family() == Family::Date && texts.any(|text| text.starts_with("now"))
}

const ASKED: &str = "ApproximateScoreQuery(originalQuery=DateRangeIncludingNowQuery(";

/// Whether a plan is such a range as it was asked.
pub fn is_asked(plan: &Plan) -> bool {
    let Plan::Custom(node) = plan else { return false };
    matches!(node.0.written(), Some(Plan::Points(_))) && node.0.to_string().starts_with(ASKED)
}

/// How such a range reads as it was asked.
pub fn asked(points: &PointSet) -> String {
    format!("{ASKED}{}), approximationQuery=Approximate({}))", points.text, points.explained)
}

/// Such a range, from points that are not approximated: the reference says that it approximates it, and does not look into it.
pub fn written(field: &Field, plan: Plan) -> Plan {
    match plan {
        Plan::Points(points) if field.spec.indexed == Indexed::Points => {
            let text = asked(&points);
            Plan::Points(points).written_as(text)
        }
        // What only goes over values has nothing to be approximated, but is rewritten as well.
        plan if field.spec.indexed != Indexed::Points && field.derived.is_none() => {
            let text = format!("DateRangeIncludingNowQuery({plan})");
            plan.written_as(text)
        }
        // Of what a script gives nothing is said to be approximated then.
        Plan::Points(points) if field.derived.is_some() => {
            let text = points.text.clone();
            Plan::Points(points).written_as(text)
        }
        plan => plan,
    }
}
