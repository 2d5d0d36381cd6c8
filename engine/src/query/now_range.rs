//! Ranges of dates that name the present moment.

use crate::json::Value;
use crate::mapping::{Family, Field, Indexed, RangeBounds};
use crate::score::Plan;

/// Whether what a range asks for depends on when it does.
pub fn names_now(field: &Field, bounds: &RangeBounds) -> bool {
    let bounds = [bounds.gte, bounds.gt, bounds.lte, bounds.lt];
    let mut texts = bounds.into_iter().flatten().filter_map(Value::as_str);
    field.family() == Family::Date && texts.any(|text| text.starts_with("now"))
}

const ASKED: &str = "ApproximateScoreQuery(originalQuery=DateRangeIncludingNowQuery(";

/// How such a range reads, if a plan is one as it was asked.
pub fn text(plan: &Plan) -> Option<String> {
    let Plan::Custom(node) = plan else { return None };
    let text = matches!(node.0.written(), Some(Plan::Points(_))).then(|| node.0.to_string());
    text.filter(|text| text.starts_with(ASKED))
}

/// Such a range, from points that are not approximated: the reference says that it approximates it, and does not look into it.
pub fn written(field: &Field, plan: Plan) -> Plan {
    match plan {
        Plan::Points(points) if field.spec.indexed == Indexed::Points => {
            let text = format!("{ASKED}{}), approximationQuery=Approximate({}))", points.text, points.explained);
            Plan::Points(points).written_as(text)
        }
        // Of what a script gives nothing is said to be approximated then.
        Plan::Points(points) if field.derived.is_some() => {
            let text = points.text.clone();
            Plan::Points(points).written_as(text)
        }
        plan => plan,
    }
}
