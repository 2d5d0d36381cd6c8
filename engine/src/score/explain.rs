//! How a score came about: a tree of values and descriptions, as the reference words them.

use super::{Plan, Weight};
use crate::error::Result;
use crate::json::Writer;
use crate::segment::SegmentView;

/// One node of an explanation. `matched` is false for the explanation of a document that does not match.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub matched: bool,
    pub value: Number,
    pub description: String,
    pub details: Vec<Explanation>,
}

/// Counts are written as integers, everything else as floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Float(f32),
    Double(f64),
    Int(u64),
    Long(i64),
}

impl Explanation {
    pub fn matching(value: f32, description: impl Into<String>, details: Vec<Explanation>) -> Self {
        Self { matched: true, value: Number::Float(value), description: description.into(), details }
    }

    pub fn count(value: u64, description: impl Into<String>) -> Self {
        Self { matched: true, value: Number::Int(value), description: description.into(), details: vec![] }
    }

    pub fn no_match(description: impl Into<String>, details: Vec<Explanation>) -> Self {
        Self { matched: false, value: Number::Float(0.0), description: description.into(), details }
    }

    pub fn score(&self) -> f32 {
        match self.value {
            Number::Float(value) => value,
            Number::Double(value) => value as f32,
            Number::Int(value) => value as f32,
            Number::Long(value) => value as f32,
        }
    }

    /// The value as texts contain it.
    pub fn value_text(&self) -> String {
        match self.value {
            Number::Float(value) => float_text(value),
            Number::Double(value) => double_text(value),
            Number::Int(value) => value.to_string(),
            Number::Long(value) => value.to_string(),
        }
    }

    /// The tree as text, a line each.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write_text(0, &mut out);
        out
    }

    fn write_text(&self, depth: usize, out: &mut String) {
        out.push_str(&"  ".repeat(depth));
        out.push_str(&format!("{} = {}\n", self.value_text(), self.description));
        self.details.iter().for_each(|detail| detail.write_text(depth + 1, out));
    }

    /// The same of a query that has a name, which shows where a function goes over it.
    pub fn named(self, name: Option<&str>) -> Self {
        match name.filter(|name| !name.is_empty()) {
            Some(name) => Self { description: format!("{} (_name: {name})", self.description), ..self },
            None => self,
        }
    }

    /// The same with another value.
    pub fn valued(self, value: Number) -> Self {
        Self { value, ..self }
    }

    /// Writes `{"value":…,"description":…,"details":[…]}`.
    pub fn write(&self, w: &mut Writer) {
        w.begin_object();
        w.key("value");
        match self.value {
            Number::Float(value) => w.f32(value),
            Number::Double(value) => w.f64(value),
            Number::Int(value) => w.u64(value),
            Number::Long(value) => w.i64(value),
        };
        w.key("description").string(&self.description).key("details").begin_array();
        for detail in &self.details {
            detail.write(w);
        }
        w.end_array().end_object();
    }
}

/// A double in Java's notation, as descriptions contain it.
pub fn double_text(value: f64) -> String {
    let mut out = Vec::new();
    crate::json::write_f64(&mut out, value);
    java_exponent(&String::from_utf8(out).expect("digits are ASCII"))
}

/// Java writes exponents with a capital letter and without a plus sign.
fn java_exponent(text: &str) -> String {
    text.replace('"', "").replace("e+", "E").replace('e', "E")
}

/// A float in Java's notation, as descriptions contain it.
pub fn float_text(value: f32) -> String {
    let mut out = Vec::new();
    crate::json::write_f32(&mut out, value);
    java_exponent(&String::from_utf8(out).expect("digits are ASCII"))
}

/// The explanation of a clause whose scores nobody asks for: the reference keeps those in its cache, which only knows
/// whether they match.
pub fn unscored(weight: &mut dyn Weight, plan: &Plan, view: &SegmentView, doc: u32) -> Result<Explanation> {
    let matched = match weight.scorer(view)? {
        Some(mut scorer) => scorer.doc() <= doc && scorer.advance(doc) == doc,
        None => false,
    };
    // What scores all alike does nothing there, nor do boosts and functions: it is what they hold.
    let mut asked = plan;
    loop {
        let inner = match asked.unscored() {
            Plan::Constant(inner) | Plan::Boost(inner, _) => inner,
            inner => inner,
        };
        if std::ptr::eq(inner, asked) {
            break;
        }
        asked = inner;
    }
    let text = asked.unscored_text();
    Ok(match matched {
        true => Explanation::matching(1.0, text, vec![]),
        false => Explanation::no_match(format!("{text} doesn't match id {doc}"), vec![]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_counts_as_integers() {
        let tree = Explanation::matching(0.5, "sum of:", vec![Explanation::count(3, "n")]);
        let mut w = Writer::new();
        tree.write(&mut w);
        assert_eq!(
            String::from_utf8(w.finish()).unwrap(),
            r#"{"value":0.5,"description":"sum of:","details":[{"value":3,"description":"n","details":[]}]}"#
        );
    }
}
