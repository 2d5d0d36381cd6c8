//! `fingerprint`: a hash of fields, the same for documents that have the same in them.
//!
//! What is hashed is `|<path>|<length>:<value>` for each value in the order of paths, and a `|` at the end.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use super::super::{Document, METADATA};
use crate::error::{Error, Result};
use crate::java_order::java_hashed_text;
use crate::json::{Map, Value};
use ahash::AHashSet;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::Digest;

/// Names of methods; the version is that of the reference in which the way of hashing last changed.
const METHODS: [(&str, Method); 4] = [
    ("MD5@2.16.0", |text| md5::Md5::digest(text).to_vec()),
    ("SHA-1@2.16.0", |text| sha1::Sha1::digest(text).to_vec()),
    ("SHA-256@2.16.0", |text| sha2::Sha256::digest(text).to_vec()),
    ("SHA3-256@2.16.0", |text| sha3::Sha3_256::digest(text).to_vec()),
];

type Method = fn(&[u8]) -> Vec<u8>;

struct Fingerprint {
    /// `None`: all that are not in `exclude`.
    fields: Option<Vec<String>>,
    exclude: AHashSet<String>,
    target: String,
    method: (&'static str, Method),
    ignore_missing: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let fields = config.texts_opt("fields")?;
    let exclude = config.texts_opt("exclude_fields")?.unwrap_or_default();
    let check = |key: &str, list: &[String], config: &Config| match list.iter().any(String::is_empty) {
        true => Err(config.property(key, "field name cannot be null nor empty")),
        false => Ok(()),
    };
    let named = fields.as_deref().unwrap_or_default();
    check("fields", named, config)?;
    if !named.is_empty() && !exclude.is_empty() {
        return Err(config.property("fields", "either fields or exclude_fields can be set"));
    }
    check("exclude_fields", &exclude, config)?;
    let target = config.text_or("target_field", "fingerprint")?;
    let name = config.text_or("hash_method", "SHA-1@2.16.0")?;
    let Some(method) = METHODS.into_iter().find(|(known, _)| *known == name) else {
        let reason = "hash method must be MD5@2.16.0, SHA-1@2.16.0, SHA-256@2.16.0 or SHA3-256@2.16.0";
        return Err(config.property("hash_method", reason));
    };
    let ignore_missing = config.flag("ignore_missing", false)?;
    let fields = fields.filter(|fields| !fields.is_empty());
    let exclude = exclude.into_iter().collect();
    Ok(Work::Simple(Box::new(Fingerprint { fields, exclude, target, method, ignore_missing })))
}

impl Processor for Fingerprint {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let mut text = String::new();
        for field in self.paths(doc)? {
            match doc.get(&field)? {
                Value::Object(map) => {
                    let mut flat = vec![];
                    flatten(&field, map, &mut flat);
                    flat.sort_by(|(a, _), (b, _)| a.cmp(b));
                    flat.iter().for_each(|(path, value)| add(path, value, &mut text));
                }
                value => add(&field, value, &mut text),
            }
        }
        if text.is_empty() {
            return Ok(());
        }
        text.push('|');
        let (name, hash) = self.method;
        let value = format!("{name}:{}", STANDARD.encode(hash(text.as_bytes())));
        doc.set(&self.target, Value::String(value))
    }
}

impl Fingerprint {
    fn paths(&self, doc: &Document) -> Result<Vec<String>> {
        let mut paths = vec![];
        match &self.fields {
            Some(fields) => {
                // Metadata is passed over.
                for field in fields.iter().filter(|field| !METADATA.contains(&field.as_str())) {
                    if doc.has(field)? {
                        paths.push(field.clone());
                    } else if !self.ignore_missing {
                        return Err(Error::illegal_argument(format!("field [{field}] doesn't exist")));
                    }
                }
            }
            None => {
                let names = doc.root().iter().map(|(name, _)| name);
                let wanted = names.filter(|name| !METADATA.contains(name) && !self.exclude.contains(*name));
                let mut wanted: Vec<&str> = wanted.collect();
                wanted.sort_unstable();
                for name in wanted {
                    // A name with dots is looked for as a path.
                    if doc.has(name)? {
                        paths.push(name.to_owned());
                    } else if !self.ignore_missing {
                        return Err(Error::illegal_argument(format!("field [{name}] doesn't exist")));
                    }
                }
            }
        }
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }
}

fn flatten<'v>(path: &str, map: &'v Map, out: &mut Vec<(String, &'v Value)>) {
    for (key, value) in map.iter() {
        let path = format!("{path}.{key}");
        match value {
            Value::Object(inner) => flatten(&path, inner, out),
            value => out.push((path, value)),
        }
    }
}

fn add(path: &str, value: &Value, out: &mut String) {
    let value = java_hashed_text(value);
    out.push_str(&format!("|{path}|{}:{value}", value.encode_utf16().count()));
}
