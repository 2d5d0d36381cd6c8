//! How keys and metrics are shown: as the field's own format has it, or as plain numbers.

use super::partial::Key;
use crate::geo::Grid;
use crate::json::{Writer, write_f64};
use crate::mapping::DocValueFormat;
use crate::mapping::number::NumberKind;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub enum Format {
    /// Plain numbers, without an `…_as_string`.
    Raw,
    /// Plain numbers as long as nobody says otherwise. Of results that are none of a shard's own: the first shard tells how those of all are
    /// shown, even if it does not know the field and has but plain numbers.
    Unsaid,
    Field(DocValueFormat),
    /// Of keys that are cells.
    Cell(Grid),
    /// Of keys that have a part from each of several sources.
    Many(Arc<[Format]>),
}

impl Format {
    /// Whether it shows numbers as what they are.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Format::Raw => true,
            Format::Field(format) => format.is_raw(),
            _ => false,
        }
    }

    /// Takes what another result says, where nobody has said anything.
    pub(crate) fn hear(&mut self, other: &Format) {
        if matches!(self, Format::Unsaid) {
            *self = other.clone();
        }
    }

    /// Of `unsigned_long` without a format of the request: the reference has one, which shows numbers as they are.
    pub(crate) fn is_unsigned(&self) -> bool {
        matches!(self, Format::Field(DocValueFormat::Raw(NumberKind::UnsignedLong)))
    }

    /// The text of `…_as_string`; `None` where plain numbers say all.
    pub(crate) fn text(&self, value: f64) -> Option<String> {
        match self {
            Format::Field(format) if !format.is_raw() || self.is_unsigned() => Some(format.double_text(value)),
            _ => None,
        }
    }

    /// The same for a whole number, of which no digit is lost.
    pub(crate) fn whole_text(&self, value: i64) -> Option<String> {
        match self {
            Format::Field(DocValueFormat::Decimal(_, format)) => Some(format.format_whole(value)),
            _ if self.is_unsigned() => Some((value as u64).to_string()),
            _ => self.text(value as f64),
        }
    }

    /// Writes `NAME_as_string` where the format has a text for the number. Unsigned numbers and flags are written as they are
    /// even there.
    pub(crate) fn write_as_string(&self, name: &str, value: f64, w: &mut Writer) {
        if self.is_unsigned() {
            w.key(&format!("{name}_as_string")).f64(value);
        } else if matches!(self, Format::Field(DocValueFormat::Boolean)) {
            w.key(&format!("{name}_as_string")).bool(value != 0.0);
        } else if let Some(text) = self.text(value) {
            w.key(&format!("{name}_as_string")).string(&text);
        }
    }

    /// The text of a number that has to be text, such as a key of an object.
    pub(crate) fn text_or_plain(&self, value: f64) -> String {
        self.text(value).unwrap_or_else(|| {
            let mut out = vec![];
            write_f64(&mut out, value);
            // What is not finite is written as a text, which this one is already.
            String::from_utf8(out).expect("numbers are ASCII").trim_matches('"').to_owned()
        })
    }

    /// A key as text.
    pub(crate) fn key_text(&self, key: &Key) -> String {
        match (key, self) {
            (Key::Bytes(bytes), Format::Field(format)) => format.bytes_text(bytes),
            (Key::Bytes(bytes), _) => String::from_utf8_lossy(bytes).into_owned(),
            (Key::Long(cell), Format::Cell(grid)) => grid.name(*cell),
            (Key::Long(value), _) => self.whole_text(*value).unwrap_or_else(|| value.to_string()),
            // A format of the request does not count here.
            (Key::Unsigned(value), _) => value.to_string(),
            (Key::Double(value), _) => self.text_or_plain(*value),
            (Key::Many(parts), Format::Many(formats)) => parts
                .iter()
                .zip(formats.iter())
                .map(|(part, format)| format.key_text(part))
                .collect::<Vec<_>>()
                .join("|"),
            (Key::Many(_), _) => String::new(),
        }
    }

    /// Writes a key as the natural form of its field: text where the field's format is text.
    pub(crate) fn write_formatted(&self, key: &Key, w: &mut Writer) {
        match (key, self) {
            (Key::Long(value), Format::Field(DocValueFormat::Boolean)) => _ = w.bool(*value != 0),
            (Key::Double(value), Format::Field(DocValueFormat::Boolean)) => _ = w.bool(*value != 0.0),
            (Key::Long(_), Format::Cell(_)) => _ = w.string(&self.key_text(key)),
            (Key::Long(value), _) if self.text(*value as f64).is_none() => _ = w.i64(*value),
            (Key::Unsigned(value), _) if self.is_unsigned() || self.text(*value as f64).is_none() => _ = w.u64(*value),
            (Key::Double(value), _) if self.text(*value).is_none() => _ = w.f64(*value),
            _ => _ = w.string(&self.key_text(key)),
        }
    }

    /// Writes `key`, and `key_as_string` where the format differs from the number.
    pub(crate) fn write_key(&self, key: &Key, w: &mut Writer) {
        w.key("key");
        match (key, self) {
            (Key::Bytes(bytes), Format::Field(format)) => {
                format.write_bytes(bytes, w);
                return;
            }
            (Key::Bytes(bytes), _) => {
                w.string(&String::from_utf8_lossy(bytes));
                return;
            }
            (Key::Long(_), Format::Cell(_)) => w.string(&self.key_text(key)),
            (Key::Long(value), _) => w.i64(*value),
            (Key::Unsigned(value), _) => {
                w.u64(*value);
                if !self.is_unsigned() && self.text(*value as f64).is_some() {
                    w.key("key_as_string").string(&value.to_string());
                }
                return;
            }
            (Key::Double(value), _) => w.f64(*value),
            (Key::Many(parts), Format::Many(formats)) => {
                w.begin_array();
                parts.iter().zip(formats.iter()).for_each(|(part, format)| format.write_formatted(part, w));
                w.end_array().key("key_as_string").string(&self.key_text(key))
            }
            (Key::Many(_), _) => w.null(),
        };
        let text = match key {
            Key::Long(value) => self.whole_text(*value),
            key => self.text(key.as_f64()),
        };
        if let Some(text) = text {
            w.key("key_as_string").string(&text);
        }
    }
}
