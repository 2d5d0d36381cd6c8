//! `urldecode`: percent-escapes and plus signs, as Java's decoder reads them.

use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::Work;
use super::string;
use crate::error::{Error, Result};
use crate::json::Value;

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    string::build(config, |text| decode(text).map(Value::String))
}

pub fn decode(text: &str) -> Result<String> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let Some(digits) = text.get(at + 1..).and_then(|rest| rest.get(..2)) else {
                    return Err(Error::illegal_argument("URLDecoder: Incomplete trailing escape (%) pattern"));
                };
                out.push(hex(digits)?);
                at += 2;
            }
            other => out.push(*other),
        }
        at += 1;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn hex(digits: &str) -> Result<u8> {
    match digits.chars().find(|c| !c.is_ascii_hexdigit()) {
        None => Ok(u8::from_str_radix(digits, 16).unwrap_or_default()),
        Some(wrong) => Err(Error::illegal_argument(format!(
            "URLDecoder: Illegal hex characters in escape (%) pattern - not a hexadecimal digit: \"{wrong}\" = {}",
            wrong as u32
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes() {
        assert_eq!(decode("%41+x%c3%bc%ff").unwrap(), "A xü\u{fffd}");
        assert_eq!(decode("a%2").unwrap_err().reason(), "URLDecoder: Incomplete trailing escape (%) pattern");
        assert!(decode("%zz").unwrap_err().reason().ends_with("digit: \"z\" = 122"));
    }
}
