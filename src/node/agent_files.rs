//! Lists of regular expressions for the ingest processor `user_agent`: the files of `ingest-user-agent` in the configuration folder.

use crate::api::body::{MediaType, to_json};
use bytes::Bytes;
use pith_engine::analysis::{ConfigFiles, FileError};
use pith_engine::ingest::agents::Patterns;
use pith_engine::json;

const FOLDER: &str = "ingest-user-agent";
/// The files of the node, by their names. One that cannot be read keeps the node from starting, as it does in the reference: pipelines
/// that name it would be lost.
pub(super) fn read_all(files: &dyn ConfigFiles) -> Result<Vec<(String, Patterns)>, String> {
    let listed = files.list(FOLDER).into_iter().filter(|path| path.ends_with(".yml"));
    let read = |path: String| {
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let patterns = read(files, &path).map_err(|reason| {
            format!("error parsing regular expression file [{path}] of the configuration folder: {reason}")
        })?;
        Ok((name, patterns))
    };
    listed.map(read).collect()
}

fn read(files: &dyn ConfigFiles, path: &str) -> Result<Patterns, String> {
    let text = files.read(path).map_err(|error| match error {
        FileError::NotReadable => "it cannot be read",
        FileError::Encoding => "it is not UTF-8",
    })?;
    let yaml = Bytes::copy_from_slice(text.as_bytes());
    let parsed = to_json(MediaType::Yaml, yaml).and_then(|json| json::parse(&json));
    let patterns = parsed.and_then(|value| Patterns::from_value(&value));
    patterns.map_err(|error| error.reason().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ConfigFolder;

    fn folder(files: &[(&str, &str)]) -> ConfigFolder {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), Ok((*text).into()))).collect();
        ConfigFolder { files }
    }

    #[test]
    fn files_of_the_folder_are_read_and_mistakes_told() {
        let good = "user_agent_parsers:\n  - regex: 'It''s (\\w+)'\n    v1_replacement: 7\n";
        let read = |files: &[(&str, &str)]| read_all(&folder(files));
        let found = read(&[
            ("ingest-user-agent/mine.yml", good),
            ("ingest-user-agent/notes.txt", "x"),
            ("ingest-user-agent/deeper/other.yml", "x"),
            ("words.yml", "x"),
        ]);
        let names: Vec<String> = found.unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["mine.yml"]);
        let reason = |text: &str| read(&[("ingest-user-agent/mine.yml", text)]).unwrap_err();
        let start = "error parsing regular expression file [ingest-user-agent/mine.yml] of the configuration folder: ";
        assert_eq!(reason("a: 1"), format!("{start}not a valid regular expression file"));
        assert!(reason("a: [").starts_with(start));
        assert!(reason("os_parsers:\n  - regex: '('\n").starts_with(&format!("{start}Unclosed group")));
    }

    /// The file that is built in is read by the lines that it has; to a reader of all of YAML it says the same.
    #[test]
    fn what_is_built_in_is_yaml() {
        let file = include_str!("../../engine/src/ingest/agents/regexes.yml");
        let folder = folder(&[("ingest-user-agent/all.yml", file)]);
        let patterns = read(&folder, "ingest-user-agent/all.yml").unwrap();
        assert!(patterns == *pith_engine::ingest::agents::patterns("_default_").unwrap());
    }
}
