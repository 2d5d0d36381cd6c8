//! The parser against random input: it never panics, and how the bytes are cut changes nothing.

use proptest::{collection::vec, prelude::*};

use super::*;

/// Everything that the parser says about these bytes, fed in pieces that end at `cuts`.
fn events(bytes: &[u8], cuts: &[usize], limits: &Limits) -> Vec<Event> {
    let mut parser = Parser::new(limits.clone());
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).chain([0, bytes.len()]).collect();
    cuts.sort_unstable();
    let mut events = Vec::new();
    for piece in cuts.windows(2) {
        parser.feed(&bytes[piece[0]..piece[1]]);
        loop {
            match parser.next_event() {
                Event::NeedMore => break,
                Event::Close => {
                    events.push(Event::Close);
                    return events;
                }
                // Whether a client is seen to wait depends on how its bytes arrive.
                Event::Continue => {}
                event => events.push(event),
            }
        }
    }
    events
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..200)
}

/// One valid request.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let method = prop_oneof![Just("GET"), Just("POST"), Just("PUT"), Just("DELETE"), Just("HEAD")];
    let headers = vec(("[A-Za-z][A-Za-z-]{0,12}-X", "[ -~\u{e9}]{0,30}"), 0..6);
    (method, "/[!-~]{0,40}", headers, body(), vec(1..60usize, 0..5), any::<bool>(), 0..3usize).prop_map(
        |(method, target, headers, body, sizes, chunked, blank)| {
            let mut bytes = "\r\n".repeat(blank).into_bytes();
            bytes.extend_from_slice(format!("{method} {target} HTTP/1.1\r\n").as_bytes());
            for (name, value) in headers {
                bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
            }
            if chunked {
                bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                append_chunks(&mut bytes, &body, &sizes);
            } else {
                bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
                bytes.extend_from_slice(&body);
            }
            bytes
        },
    )
}

fn append_chunks(bytes: &mut Vec<u8>, mut body: &[u8], sizes: &[usize]) {
    for size in sizes.iter().chain([&usize::MAX]) {
        let (chunk, rest) = body.split_at((*size).min(body.len()));
        body = rest;
        if !chunk.is_empty() {
            bytes.extend_from_slice(format!("{:x};e=\"f\"\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
    }
    bytes.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
}

/// Bytes that look like HTTP often enough to get past the first line.
fn almost() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"GET / HTTP/1.1\r\n".to_vec()),
        Just(b"POST /a HTTP/1.1\r\n".to_vec()),
        Just(b"Content-Length: 5\r\n".to_vec()),
        Just(b"Content-Length: 99999999\r\n".to_vec()),
        Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
        Just(b"Expect: 100-continue\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"5\r\nhello\r\n".to_vec()),
        Just(b"0\r\n\r\n".to_vec()),
        vec(any::<u8>(), 0..12),
    ];
    vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

fn small() -> Limits {
    Limits { body_bytes: 150, header_bytes: 300, line_bytes: 60, discard_bytes: 180, ..Limits::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cutting_valid_requests_changes_nothing(requests in vec(request(), 1..4), cuts in vec(any::<usize>(), 0..20)) {
        let bytes = requests.concat();
        let whole = events(&bytes, &[], &Limits::default());
        prop_assert_eq!(whole.len(), requests.len());
        prop_assert!(whole.iter().all(|event| matches!(event, Event::Request(..))), "{:?}", whole);
        prop_assert_eq!(events(&bytes, &cuts, &Limits::default()), whole);
    }

    #[test]
    fn cutting_requests_against_small_limits_changes_nothing(
        requests in vec(request(), 1..4),
        cuts in vec(any::<usize>(), 0..20),
    ) {
        let bytes = requests.concat();
        prop_assert_eq!(events(&bytes, &cuts, &small()), events(&bytes, &[], &small()));
    }

    #[test]
    fn garbage_never_panics(bytes in vec(any::<u8>(), 0..400), cuts in vec(any::<usize>(), 0..8)) {
        events(&bytes, &cuts, &Limits::default());
    }

    #[test]
    fn almost_http_never_panics_and_cuts_change_nothing(bytes in almost(), cuts in vec(any::<usize>(), 0..8)) {
        prop_assert_eq!(events(&bytes, &cuts, &small()), events(&bytes, &[], &small()));
    }
}
