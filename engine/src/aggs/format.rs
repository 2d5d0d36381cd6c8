//! How keys and metrics are shown: as the field's own format has it, or as plain numbers.

use super::partial::Key;
use crate::json::{Writer, write_f64};
use crate::mapping::DocValueFormat;

#[derive(Debug, Clone)]
pub(crate) enum Format {
    /// Plain numbers, without an `…_as_string`.
    Raw,
    Field(DocValueFormat),
}

impl Format {
    /// The text of `…_as_string`; `None` where plain numbers say all.
    pub(crate) fn text(&self, value: f64) -> Option<String> {
        match self {
            Format::Field(format) if !format.is_raw() => Some(format.double_text(value)),
            _ => None,
        }
    }

    /// The text of a number that has to be text, such as a key of an object.
    pub(crate) fn text_or_plain(&self, value: f64) -> String {
        self.text(value).unwrap_or_else(|| {
            let mut out = vec![];
            write_f64(&mut out, value);
            String::from_utf8(out).expect("numbers are ASCII")
        })
    }

    /// Writes `key`, and `key_as_string` where the format differs from the number.
    pub(crate) fn write_key(&self, key: &Key, w: &mut Writer) {
        w.key("key");
        match (key, self) {
            (Key::Bytes(bytes), Format::Field(format)) => {
                format.write_bytes(bytes, w);
                return;
            }
            (Key::Bytes(bytes), Format::Raw) => {
                w.string(&String::from_utf8_lossy(bytes));
                return;
            }
            (Key::Long(value), _) => w.i64(*value),
            (Key::Double(value), _) => w.f64(*value),
        };
        if let Some(text) = self.text(key.as_f64()) {
            w.key("key_as_string").string(&text);
        }
    }
}
