//! Base64 in the texts of a body: with padding, and white space between groups of four, as the reference's reader takes it.

use super::misread::syntax_error;
use crate::error::Error;

/// Why a text is no base64.
#[derive(Debug, PartialEq)]
pub struct NotBase64 {
    reason: String,
    /// How many bytes of the text were read, the quote behind it among them.
    pub read: usize,
}

impl NotBase64 {
    /// The error of a text that begins at `offset` of the body.
    #[cold]
    pub fn error(self, offset: usize) -> Error {
        syntax_error(self.reason, offset + self.read)
    }
}

/// The bytes that `text` stands for.
pub fn decode(text: &str) -> Result<Vec<u8>, NotBase64> {
    let text = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut at = 0;
    loop {
        while text.get(at).is_some_and(|byte| *byte <= b' ') {
            at += 1;
        }
        if at == text.len() {
            return Ok(out);
        }
        let first = digit(text, &mut at, 0)?;
        let mut word = first << 6 | digit(text, &mut at, 1)?;
        match text.get(at) {
            None => return Err(unpadded(at)),
            Some(b'=') => {
                at += 1;
                if text.get(at) != Some(&b'=') {
                    return Err(illegal(text, at, 3));
                }
                at += 1;
                out.push((word >> 4) as u8);
                continue;
            }
            Some(_) => word = word << 6 | digit(text, &mut at, 2)?,
        }
        match text.get(at) {
            None => return Err(unpadded(at)),
            Some(b'=') => {
                at += 1;
                out.extend_from_slice(&(word >> 2).to_be_bytes()[2..]);
            }
            Some(_) => {
                word = word << 6 | digit(text, &mut at, 3)?;
                out.extend_from_slice(&word.to_be_bytes()[1..]);
            }
        }
    }
}

/// The digit at `at`, the one of its group that is given.
fn digit(text: &[u8], at: &mut usize, of_group: usize) -> Result<u32, NotBase64> {
    let digit = match text.get(*at) {
        Some(byte @ b'A'..=b'Z') => byte - b'A',
        Some(byte @ b'a'..=b'z') => byte - b'a' + 26,
        Some(byte @ b'0'..=b'9') => byte - b'0' + 52,
        Some(b'+') => 62,
        Some(b'/') => 63,
        _ => return Err(illegal(text, *at, of_group)),
    };
    *at += 1;
    Ok(u32::from(digit))
}

#[cold]
fn illegal(text: &[u8], at: usize, of_group: usize) -> NotBase64 {
    let (byte, place) = (text.get(at).copied().unwrap_or(b'"'), of_group + 1);
    let reason = match byte {
        0..=b' ' => format!(
            "Illegal white space character (code 0x{byte:x}) as character #{place} of 4-char base64 unit: can only used between units"
        ),
        b'=' => format!(
            "Unexpected padding character ('=') as character #{place} of 4-char base64 unit: padding only legal as 3rd or 4th character"
        ),
        0x7f..=0x9f => format!("Illegal character (code 0x{byte:x}) in base64 content"),
        _ => format!("Illegal character '{}' (code 0x{byte:x}) in base64 content", char::from(byte)),
    };
    NotBase64 { reason, read: at + 1 }
}

#[cold]
fn unpadded(at: usize) -> NotBase64 {
    let reason = "Unexpected end of base64-encoded String: base64 variant 'MIME-NO-LINEFEEDS' expects padding (one or more \
                  '=' characters) at the end. This Base64Variant might have been incorrectly configured";
    NotBase64 { reason: reason.to_owned(), read: at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_four() {
        for (text, bytes) in
            [("", &b""[..]), ("YQ==", b"a"), ("YWI=", b"ab"), (" YWJj \n YR==", b"abca"), ("+/+/", &[251, 255, 191])]
        {
            assert_eq!(decode(text).unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_where_it_was_read() {
        let wrong = |text: &str| decode(text).map_err(|wrong| (wrong.reason, wrong.read)).unwrap_err();
        assert_eq!(wrong("ab=c"), ("Illegal character 'c' (code 0x63) in base64 content".to_owned(), 4));
        assert_eq!(wrong("a"), ("Illegal character '\"' (code 0x22) in base64 content".to_owned(), 2));
        assert!(wrong("ab cd").0.starts_with("Illegal white space character (code 0x20) as character #3 of"));
        assert!(wrong("a=bc").0.starts_with("Unexpected padding character ('=') as character #2 of"));
        assert_eq!((wrong("YQ").1, wrong("YWI").1), (2, 3));
        assert!(wrong("YQ").0.starts_with("Unexpected end of base64-encoded String"));
        assert_eq!(wrong("a-bc").0, "Illegal character '-' (code 0x2d) in base64 content");
    }
}
