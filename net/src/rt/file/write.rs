//! Writing new files.

use std::{io, path::Path};

use super::{handle::Handle, named};

/// Bytes handed to the kernel at once.
const CHUNK: usize = 1 << 20;

/// Creates the file, or empties it when it exists, and writes all chunks in order. With `sync` its content is on the disk when this
/// returns; its name is durable only after [`super::sync_dir`] of its folder.
pub async fn write_new(path: &Path, chunks: &[&[u8]], sync: bool) -> io::Result<()> {
    let file = Handle::create(path).await?;
    let written = async {
        let (mut pos, mut buffer) = (0u64, Vec::new());
        for chunk in chunks {
            for piece in chunk.chunks(CHUNK) {
                if !buffer.is_empty() && buffer.len() + piece.len() > CHUNK {
                    pos = write_fully(&file, std::mem::take(&mut buffer), pos).await?;
                }
                buffer.extend_from_slice(piece);
                crate::rt::yield_if_needed().await;
            }
        }
        write_fully(&file, buffer, pos).await?;
        if sync { file.fdatasync().await } else { Ok(()) }
    };
    let written = written.await;
    let closed = file.close().await;
    written.and(closed).map_err(|error| named(path, "cannot write", error))
}

/// Writes all of `data` at `pos` and returns the position behind it.
pub(super) async fn write_fully(file: &Handle, data: Vec<u8>, pos: u64) -> io::Result<u64> {
    let end = pos + data.len() as u64;
    file.write_all_at(data, pos).await?;
    Ok(end)
}
