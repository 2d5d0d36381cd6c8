//! The folder of the configuration file: its text files are read when the node starts, for the analyzers that name them.

use crate::settings::ConfigFolder;
use pith_engine::analysis::FileError;
use std::path::Path;

/// Bounds of what is read; what lies beyond cannot be named.
const FILE_BYTES_MAX: u64 = 64 << 20;
const TOTAL_BYTES_MAX: u64 = 512 << 20;
const FILES_MAX: usize = 10_000;
const DEPTH_MAX: usize = 8;

/// Reads the folder. What cannot be read is remembered as such: an analyzer that names it says so.
pub(super) fn read(folder: &Path) -> ConfigFolder {
    let mut read = ConfigFolder::default();
    let mut total = 0;
    visit(folder, "", 0, &mut read, &mut total);
    read
}

fn visit(folder: &Path, prefix: &str, depth: usize, read: &mut ConfigFolder, total: &mut u64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let Ok(about) = std::fs::metadata(entry.path()) else { continue };
        if about.is_dir() {
            if depth < DEPTH_MAX {
                visit(&entry.path(), &format!("{path}/"), depth + 1, read, total);
            }
        } else if about.is_file() && read.files.len() < FILES_MAX {
            let bytes = about.len();
            let fits = bytes <= FILE_BYTES_MAX && *total + bytes <= TOTAL_BYTES_MAX;
            let text = match fits.then(|| std::fs::read(entry.path())) {
                Some(Ok(bytes)) => {
                    *total += bytes.len() as u64;
                    String::from_utf8(bytes).map(Into::into).map_err(|_| FileError::Encoding)
                }
                _ => Err(FileError::NotReadable),
            };
            read.files.insert(path, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_text_files_of_all_folders() {
        let folder = std::env::temp_dir().join(format!("pith-config-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        std::fs::write(folder.join("x.txt"), "x").unwrap();
        std::fs::write(folder.join("a/b/y.txt"), "ü").unwrap();
        std::fs::write(folder.join("a/z.bin"), [0xff, 0xfe]).unwrap();
        let read = read(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        let shown: Vec<_> = read.files.iter().map(|(path, text)| (path.as_str(), text.as_deref())).collect();
        assert_eq!(shown, [("a/b/y.txt", Ok("ü")), ("a/z.bin", Err(&FileError::Encoding)), ("x.txt", Ok("x"))]);
    }
}
