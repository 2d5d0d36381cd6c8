//! gzip and deflate, both ways, in slices that hand the core back.

use std::{
    cell::RefCell,
    io::{self, Read},
};

use bytes::Bytes;
use flate2::{
    Compress, Compression, Crc, FlushCompress, Status,
    bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder},
};

use super::{
    refusal::Refusal,
    request::Headers,
    response::{Body, Response},
};
use crate::rt;

/// The reference's level.
const LEVEL: u32 = 3;

/// Bytes between two looks at the clock of others, before and after coding: some tenths of a millisecond of work.
const SLICE: usize = 32 << 10;

/// Compressors that a core keeps between answers; making one costs more than compressing a small answer.
const KEPT: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
}

impl Coding {
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }
}

/// What the client wants its answer coded as: the better of gzip and deflate, gzip when they tie or anything goes.
pub(super) fn wanted(headers: &Headers) -> Option<Coding> {
    let (mut gzip, mut deflate, mut any) = (None, None, None);
    for value in headers.get_all("accept-encoding") {
        for item in value.split(',') {
            let (name, quality) = read_item(item);
            match name {
                name if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") => {
                    gzip = Some(quality)
                }
                name if name.eq_ignore_ascii_case("deflate") => deflate = Some(quality),
                "*" => any = Some(quality),
                _ => {}
            }
        }
    }
    let quality = |named: Option<f32>| named.or(any).unwrap_or(0.0);
    let (gzip, deflate) = (quality(gzip), quality(deflate));
    if gzip > 0.0 && gzip >= deflate { Some(Coding::Gzip) } else { (deflate > 0.0).then_some(Coding::Deflate) }
}

/// `gzip;q=0.5` is (`gzip`, 0.5). A quality that is none counts as 0.
fn read_item(item: &str) -> (&str, f32) {
    let Some((name, parameters)) = item.split_once(';') else { return (item.trim(), 1.0) };
    let quality = parameters.trim().strip_prefix("q=").and_then(|q| q.trim().parse().ok()).unwrap_or(0.0);
    (name.trim(), quality)
}

/// Whether this answer is to be coded at all.
pub(super) fn applies(response: &Response) -> bool {
    !response.body.is_empty() && !response.has_header("content-encoding")
}

/// The coded body.
pub(super) async fn compress(coding: Coding, body: &Body) -> Vec<u8> {
    let mut raw =
        COMPRESSORS.with_borrow_mut(Vec::pop).unwrap_or_else(|| Compress::new(Compression::new(LEVEL), false));
    let mut out = Vec::with_capacity(64 + body.len() / 4);
    out.extend_from_slice(match coding {
        // No name, no time, unknown system.
        Coding::Gzip => &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff],
        Coding::Deflate => &[0x78, 0x5e],
    });
    let (mut crc, mut adler) = (Crc::new(), Adler::new());
    for slice in body.chunks().iter().flat_map(|chunk| chunk.chunks(SLICE)) {
        match coding {
            Coding::Gzip => crc.update(slice),
            Coding::Deflate => adler.update(slice),
        }
        run(&mut raw, slice, FlushCompress::None, &mut out);
        rt::yield_if_needed().await;
    }
    run(&mut raw, &[], FlushCompress::Finish, &mut out);
    match coding {
        Coding::Gzip => {
            out.extend_from_slice(&crc.sum().to_le_bytes());
            out.extend_from_slice(&crc.amount().to_le_bytes());
        }
        Coding::Deflate => out.extend_from_slice(&adler.sum().to_be_bytes()),
    }
    raw.reset();
    COMPRESSORS.with_borrow_mut(|kept| {
        if kept.len() < KEPT {
            kept.push(raw);
        }
    });
    out
}

thread_local! {
    static COMPRESSORS: RefCell<Vec<Compress>> = const { RefCell::new(Vec::new()) };
}

/// Feeds all of `input` (and ends the stream when told to).
fn run(raw: &mut Compress, mut input: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
    loop {
        out.reserve(input.len() / 2 + 512);
        let before = raw.total_in();
        let status = raw.compress_vec(input, out, flush).expect("a compressor between two resets accepts any input");
        input = &input[(raw.total_in() - before) as usize..];
        match flush {
            FlushCompress::None if input.is_empty() => return,
            _ if status == Status::StreamEnd => return,
            _ => {}
        }
    }
}

/// The checksum of zlib streams.
struct Adler {
    a: u32,
    b: u32,
}

impl Adler {
    fn new() -> Self {
        Self { a: 1, b: 0 }
    }

    fn update(&mut self, bytes: &[u8]) {
        // 5552 is the longest run for which `b` cannot overflow.
        for run in bytes.chunks(5552) {
            for &byte in run {
                self.a += u32::from(byte);
                self.b += self.a;
            }
            self.a %= 65521;
            self.b %= 65521;
        }
    }

    fn sum(&self) -> u32 {
        self.b << 16 | self.a
    }
}

/// The plain body of a request, or why there is none. Codings that nobody here knows are left to the handler, as the reference does.
pub(super) async fn inflate(headers: &Headers, body: Vec<u8>, limit: usize) -> Result<Bytes, Refusal> {
    let Some(coding) = headers.get("content-encoding") else { return Ok(body.into()) };
    if body.is_empty() {
        return Ok(Bytes::new());
    }
    if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
        inflate_with(MultiGzDecoder::new(&body[..]), limit).await
    } else if coding.eq_ignore_ascii_case("deflate") || coding.eq_ignore_ascii_case("x-deflate") {
        // Some clients send the raw format under this name. A zlib header is a multiple of 31 and names method 8.
        let is_zlib = body.len() >= 2 && body[0] & 15 == 8 && (u16::from(body[0]) << 8 | u16::from(body[1])) % 31 == 0;
        if is_zlib {
            inflate_with(ZlibDecoder::new(&body[..]), limit).await
        } else {
            inflate_with(DeflateDecoder::new(&body[..]), limit).await
        }
    } else {
        Ok(body.into())
    }
}

async fn inflate_with(mut decoder: impl Read, limit: usize) -> Result<Bytes, Refusal> {
    let mut plain = Vec::new();
    loop {
        let start = plain.len();
        plain.resize(start + SLICE, 0);
        let read = decoder.read(&mut plain[start..]).map_err(|error| broken(&error))?;
        plain.truncate(start + read);
        if plain.len() > limit {
            return Err(Refusal::body_too_large(limit, true));
        }
        if read == 0 {
            return Ok(plain.into());
        }
        rt::yield_if_needed().await;
    }
}

/// The body was received whole, so that the connection can go on.
fn broken(error: &io::Error) -> Refusal {
    let mut refusal = Refusal::bad_request(format!("the compressed body cannot be read: {error}"));
    refusal.keep = true;
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt::block_on;

    fn accept(value: &str) -> Option<Coding> {
        let mut headers = Headers::default();
        headers.push("Accept-Encoding", value.as_bytes());
        wanted(&headers)
    }

    fn encoding(value: &str) -> Headers {
        let mut headers = Headers::default();
        headers.push("Content-Encoding", value.as_bytes());
        headers
    }

    #[test]
    fn the_better_coding_is_chosen() {
        assert_eq!(accept("gzip"), Some(Coding::Gzip));
        assert_eq!(accept("br, zstd, GZIP"), Some(Coding::Gzip));
        assert_eq!(accept("deflate"), Some(Coding::Deflate));
        assert_eq!(accept("gzip;q=0.5, deflate;q=0.8"), Some(Coding::Deflate));
        assert_eq!(accept("gzip;q=0, deflate;q=0"), None);
        assert_eq!(accept("*"), Some(Coding::Gzip));
        assert_eq!(accept("*, gzip;q=0"), Some(Coding::Deflate));
        assert_eq!(accept("identity"), None);
        assert_eq!(accept("gzip;q=nonsense"), None);
        assert_eq!(wanted(&Headers::default()), None);
    }

    #[test]
    fn what_is_compressed_inflates_to_the_same() {
        for coding in [Coding::Gzip, Coding::Deflate] {
            for len in [1usize, 100, SLICE, 3 * SLICE + 17] {
                let plain: Vec<u8> = (0..len).map(|i| (i * i % 97) as u8).collect();
                let expected = plain.clone();
                let inflated = block_on(move || async move {
                    let (head, tail) = plain.split_at(len / 2);
                    let body = Body::Chunks(vec![Bytes::copy_from_slice(head), Bytes::copy_from_slice(tail)]);
                    // Twice, so that a compressor is used again.
                    let first = compress(coding, &body).await;
                    let second = compress(coding, &body).await;
                    assert_eq!(first, second);
                    inflate(&encoding(coding.name()), second, 1 << 20).await
                });
                assert_eq!(inflated, Ok(expected.into()), "{coding:?} {len}");
            }
        }
    }

    #[test]
    fn broken_unknown_and_endless_bodies() {
        block_on(|| async {
            assert_eq!(inflate(&encoding("gzip"), b"abcd".to_vec(), 100).await.expect_err("broken").status, 400);
            assert_eq!(inflate(&encoding("br"), b"{}".to_vec(), 100).await, Ok(Bytes::from_static(b"{}")));
            let bomb = compress(Coding::Gzip, &Body::from(vec![0u8; 10 << 20])).await;
            assert!(bomb.len() < 100 << 10);
            let refusal = inflate(&encoding("gzip"), bomb, 1 << 20).await.expect_err("too large");
            assert_eq!((refusal.status, refusal.keep), (413, true));
            let mut cut = compress(Coding::Gzip, &Body::from("hello")).await;
            cut.truncate(cut.len() - 4);
            assert_eq!(inflate(&encoding("gzip"), cut, 100).await.expect_err("cut").status, 400);
        });
    }
}
