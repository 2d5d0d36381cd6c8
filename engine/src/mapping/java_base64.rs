//! Base64 as Java reads it: padded or not, but nothing behind its end.

/// The bytes that a text is in Base64. What is beyond Latin-1 is no character of it.
pub fn decode_text(text: &str) -> Result<Vec<u8>, String> {
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
    decode(&latin, false)
}

/// The bytes of Base64, or Java's words for what is wrong with it.
pub fn decode(text: &[u8], url: bool) -> Result<Vec<u8>, String> {
    if text.len() == 1 {
        return Err("Input byte[] should at least have 2 bytes for base64 bytes".to_owned());
    }
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        _ => [if url { b'-' } else { b'+' }, if url { b'_' } else { b'/' }]
            .iter()
            .position(|known| *known == byte)
            .map(|at| 62 + at as u8),
    };
    let (mut out, mut bits, mut digits, mut at) = (Vec::with_capacity(text.len() / 4 * 3), 0u32, 0, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte == b'=' {
            let lacks_another = digits == 2 && text.get(at) != Some(&b'=');
            at += usize::from(digits == 2);
            if lacks_another || digits == 0 {
                return Err("Input byte array has wrong 4-byte ending unit".to_owned());
            }
            break;
        }
        let Some(digit) = digit(byte) else {
            let (sign, size) = if byte > 127 { ("-", 256 - u16::from(byte)) } else { ("", u16::from(byte)) };
            return Err(format!("Illegal base64 character {sign}{size:x}"));
        };
        bits = bits << 6 | u32::from(digit);
        digits += 1;
        if digits == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, digits) = (0, 0);
        }
    }
    match digits {
        1 => return Err("Last unit does not have enough valid bits".to_owned()),
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
    if at < text.len() {
        return Err(format!("Input byte array has incorrect ending byte at {at}"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_as_java_does() {
        for (text, wrong) in [
            ("2020-01-01", "Illegal base64 character 2d"),
            ("a", "Input byte[] should at least have 2 bytes for base64 bytes"),
            ("aGVsb", "Last unit does not have enough valid bits"),
            ("aG=sbG8=", "Input byte array has wrong 4-byte ending unit"),
        ] {
            assert_eq!(decode(text.as_bytes(), false), Err(wrong.to_owned()), "{text}");
        }
        for text in ["aGVsbG8=", "aGVsbG8"] {
            assert_eq!(decode(text.as_bytes(), false).as_deref(), Ok(&b"hello"[..]));
        }
        assert_eq!(decode(b"_-8", true), Ok(vec![255, 239]));
    }
}
