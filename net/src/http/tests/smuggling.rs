//! Forms that two parsers could read differently: each is refused, and nothing behind it is taken for a request.

use super::*;

fn refused(request: &str) -> Refusal {
    let mut parser = Parser::new(Limits::default());
    parser.feed(request.as_bytes());
    parser.feed(b"GET /smuggled HTTP/1.1\r\n\r\n");
    let refusal = match parser.next_event() {
        Event::Refused(refusal) => refusal,
        other => panic!("{request:?} gave {other:?}"),
    };
    assert_eq!(parser.next_event(), Event::Close, "{request:?}");
    assert!(!refusal.keep);
    refusal
}

#[test]
fn length_beside_transfer_encoding() {
    for headers in [
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "transfer-encoding:chunked\r\nCONTENT-LENGTH:0\r\n",
    ] {
        let refusal = refused(&format!("POST / HTTP/1.1\r\n{headers}\r\n0\r\n\r\n"));
        assert_eq!((refusal.status, refusal.kind), (400, "content_length_not_allowed_exception"));
    }
}

#[test]
fn several_lengths() {
    for (headers, found) in [("2\r\nContent-Length: 2", "[2, 2]"), ("2\r\nContent-Length: 0", "[2, 0]")] {
        let refusal = refused(&format!("POST / HTTP/1.1\r\nContent-Length: {headers}\r\n\r\n{{}}"));
        assert_eq!(refusal.reason, format!("Multiple Content-Length values found: {found}"));
    }
}

#[test]
fn lengths_that_are_no_numbers() {
    for length in ["x", "", "+2", "-2", "2, 2", "0x2", "2 2", "1e1", "99999999999999999999", "\u{b2}"] {
        let refusal = refused(&format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{{}}"));
        assert!(refusal.reason.starts_with("Content-Length value is not a number: "), "{length:?}: {refusal:?}");
    }
}

#[test]
fn codings_other_than_chunked() {
    for coding in
        ["gzip", "gzip, chunked", "chunked, gzip", "xchunked", "chunked;a=b", "identity", "chunked, chunked", ""]
    {
        let refusal = refused(&format!("POST / HTTP/1.1\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n"));
        assert_eq!(refusal.status, 501, "{coding:?}");
    }
    let twice =
        refused("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n");
    assert_eq!(twice.status, 400);
    let old = refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    assert_eq!(old.status, 400);
}

#[test]
fn folded_lines() {
    for fold in [" ", "\t"] {
        let refusal = refused(&format!("POST / HTTP/1.1\r\nA: b\r\n{fold}Content-Length: 5\r\n\r\n"));
        assert!(refusal.reason.contains("obs-fold"));
        let first = refused(&format!("POST / HTTP/1.1\r\n{fold}Content-Length: 5\r\n\r\n"));
        assert!(first.reason.contains("obs-fold"));
    }
}

#[test]
fn bare_line_feeds_and_carriage_returns() {
    for request in
        ["GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nA: b\nContent-Length: 5\r\n\r\n", "\nGET / HTTP/1.1\r\n\r\n"]
    {
        assert_eq!(refused(request).kind, "invalid_line_separator_exception", "{request:?}");
    }
    for request in [
        "GET / HTTP/1.1\r\nA: b\rContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\rA: b\r\n\r\n",
        "GET /\r HTTP/1.1\r\n\r\n",
    ] {
        assert_eq!(refused(request).status, 400, "{request:?}");
    }
}

#[test]
fn header_names_with_blanks_or_without_a_colon() {
    let refusal = refused("GET / HTTP/1.1\r\nHost : x\r\n\r\n");
    assert_eq!(
        refusal.reason,
        "a header name can only contain \"token\" characters, but found invalid character 0x20 at index 4 of header 'Host '."
    );
    for line in ["Content Length: 5", "Content-Length", ": x", "Content-Length\t: 5", "\u{e9}: x", "A(b): c"] {
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\n{line}\r\n\r\n")).status, 400, "{line:?}");
    }
}

#[test]
fn control_characters_in_values() {
    let refusal = refused("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n");
    assert_eq!(refusal.reason, "Validation failed for header 'A'");
    assert_eq!(refusal.cause.as_deref(), Some("a header value contains prohibited character 0x0 at index 1."));
}

#[test]
fn chunk_sizes_that_are_not_plain() {
    for size in ["5 ", " 5", "0x5", "+5", "", "5\n", "1000000000000000", "zz"] {
        let request = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{size}\r\nhello\r\n0\r\n\r\n");
        assert_eq!(refused(&request).kind, "number_format_exception", "{size:?}");
    }
    let short = refused("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n");
    assert_eq!(short.kind, "invalid_line_separator_exception");
}

#[test]
fn what_is_no_request_line() {
    for request in [
        "nonsense\r\n\r\n",
        "GET /\r\n\r\n",
        "GET  / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1 \r\n\r\n",
        "G\0T / HTTP/1.1\r\n\r\n",
        " GET / HTTP/1.1\r\n\r\n",
    ] {
        assert_eq!(refused(request).status, 400, "{request:?}");
    }
}
