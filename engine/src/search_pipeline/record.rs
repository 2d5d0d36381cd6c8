//! What a verbose run tells of its steps.

use crate::error::Error;
use crate::json::Writer;

/// The steps that ran, in their order.
#[derive(Debug, Default)]
pub struct Records(Vec<Record>);

#[derive(Debug)]
pub(super) struct Record {
    pub kind: &'static str,
    pub tag: Option<String>,
    pub took_ms: u64,
    pub failure: Option<Error>,
    /// JSON of what went in, and of what came out.
    pub input: Vec<u8>,
    pub output: Option<Vec<u8>>,
}

impl Records {
    pub(super) fn push(&mut self, record: Record) {
        self.0.push(record);
    }

    /// Whether no step ran at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the value of `processor_results`.
    pub fn write(&self, w: &mut Writer) {
        w.begin_array();
        for record in &self.0 {
            w.begin_object().key("processor_name").string(record.kind);
            if let Some(tag) = &record.tag {
                w.key("tag").string(tag);
            }
            w.key("duration_millis").u64(record.took_ms);
            w.key("status").string(if record.failure.is_some() { "fail" } else { "success" });
            if let Some(error) = &record.failure {
                w.key("error").string(error.reason());
            }
            w.key("input_data").raw(&record.input).key("output_data");
            match &record.output {
                Some(output) => w.raw(output),
                None => w.null(),
            };
            w.end_object();
        }
        w.end_array();
    }
}
