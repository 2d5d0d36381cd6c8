//! Where a repository is, and whose turn it is in it.

use crate::cluster::{Change, Repository, RepositoryWork, State, URL_REPOSITORY, repository_missing};
use crate::coordinate::Core;
use crate::settings::Setting;
use crate::settings::units::parse_bytes;
use crate::shards::repository;
use pith_engine::{Error, ErrorKind, Result};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Checks the name of a new repository.
pub fn check_name(name: &str) -> Result<()> {
    let refuse = |problem: &str| Err(Error::new(ErrorKind::Repository, format!("[{name}] {problem}")));
    if name.is_empty() {
        return refuse("cannot be empty");
    }
    if name.contains('#') {
        return refuse("must not contain '#'");
    }
    if name.contains([' ', '"', '*', '\\', '<', '|', ',', '>', '/', '?']) {
        return refuse("must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]");
    }
    Ok(())
}

/// The folder that a repository's settings name. It must be inside one of those that `path.repo` allows.
pub fn check_location(state: &State, name: &str, repository: &Repository) -> Result<PathBuf> {
    let failed = |why: String| {
        let cause = Error::new(ErrorKind::Repository, why);
        Error::new(ErrorKind::Repository, format!("[{name}] failed to create repository"))
            .with_root_causes(vec![cause.clone()])
            .caused_by(cause)
    };
    if repository.kind == URL_REPOSITORY {
        let address = repository.settings.text("url").unwrap_or_default();
        return of_address(&roots(state), name, address).map_err(|cause| match cause.kind() {
            ErrorKind::RepositoryVerification => cause,
            _ => Error::new(ErrorKind::Repository, format!("[{name}] failed to create repository")).caused_by(cause),
        });
    }
    if repository.kind != "fs" {
        let reason = format!("[{name}] repository type [{}] does not exist", repository.kind);
        return Err(Error::new(ErrorKind::Repository, reason));
    }
    let location = repository.settings.text("location").filter(|text| !text.is_empty());
    let location = location.ok_or_else(|| failed(format!("[{name}] missing location")))?;
    let roots = roots(state);
    if roots.is_empty() {
        return Err(failed(format!(
            "[{name}] location [{location}] doesn't match any of the locations specified by path.repo because this setting is empty"
        )));
    }
    let found = roots.iter().find_map(|root| inside(root, Path::new(location)));
    found.ok_or_else(|| {
        failed(format!("[{name}] location [{location}] doesn't match any of the locations specified by path.repo"))
    })
}

/// The folders that repositories may be in.
fn roots(state: &State) -> Vec<PathBuf> {
    let roots = state.configured.get("path.repo").map(Setting::list).unwrap_or_default();
    roots.iter().filter(|root| !root.is_empty()).map(PathBuf::from).collect()
}

/// The folder that an address leads to. Only those of files do: no other is allowed by a setting.
fn of_address(roots: &[PathBuf], name: &str, address: &str) -> Result<PathBuf> {
    let Some((scheme, rest)) = address.split_once(':') else {
        return Err(Error::illegal_argument("URI is not absolute"));
    };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    match scheme {
        "file" => {
            if let Some(found) = roots.iter().find_map(|root| inside(root, Path::new(path))) {
                return Ok(found);
            }
        }
        "http" | "https" | "ftp" | "jar" => {}
        other => {
            let cause = Error::illegal_argument(format!("unknown protocol: {other}"));
            return Err(Error::illegal_argument("Unable to parse URL repository setting").caused_by(cause));
        }
    }
    let shown = if scheme == "file" { format!("file:{path}") } else { address.to_owned() };
    let reason = format!(
        "[{name}] file url [{shown}] doesn't match any of the locations specified by path.repo or repositories.url.allowed_urls"
    );
    let cause = Error::new(ErrorKind::Repository, reason);
    let told = Error::new(ErrorKind::RepositoryVerification, not_accessible(name, ""));
    Err(told.with_root_causes(vec![cause.clone()]).caused_by(cause))
}

fn not_accessible(name: &str, location: &str) -> String {
    format!("[{name}] path {location} is not accessible on cluster-manager node")
}

/// Checks the values of the settings that say how a repository is used.
pub fn check_settings(name: &str, repository: &Repository) -> Result<()> {
    const FLAGS: [&str; 4] = ["compress", "readonly", "read_only", "cache_repository_data"];
    const RATES: [&str; 3] = ["max_snapshot_bytes_per_sec", "max_restore_bytes_per_sec", "io_buffer_size"];
    let failed = |cause: Error| {
        Error::new(ErrorKind::Repository, format!("[{name}] failed to create repository")).caused_by(cause)
    };
    for text in FLAGS.iter().filter_map(|key| repository.settings.text(key)) {
        if !matches!(text, "true" | "false") {
            let reason = format!("Failed to parse value [{text}] as only [true] or [false] are allowed.");
            return Err(failed(Error::illegal_argument(reason)));
        }
    }
    for (key, text) in RATES.iter().filter_map(|key| Some((key, repository.settings.text(key)?))) {
        parse_bytes(key, text).map_err(failed)?;
    }
    let Some(text) = repository.settings.text(CHUNK_SIZE) else { return Ok(()) };
    if parse_bytes(CHUNK_SIZE, text).map_err(failed)? < CHUNK_BYTES_MIN {
        let reason =
            format!("failed to parse value [{text}] for setting [{CHUNK_SIZE}], must be >= [{CHUNK_BYTES_MIN}b]");
        return Err(failed(Error::illegal_argument(reason)));
    }
    Ok(())
}

const CHUNK_SIZE: &str = "chunk_size";
const CHUNK_BYTES_MIN: i64 = 5;

/// `path` below `root`, or nothing where it leads out of it.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let joined = if path.is_absolute() { path.to_owned() } else { root.join(path) };
    let mut plain = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::ParentDir => return None,
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain.starts_with(root).then_some(plain)
}

/// A repository and its folder.
pub fn repository(state: &State, name: &str) -> Result<(Arc<Repository>, PathBuf)> {
    let found = state.repositories.get(name).cloned().ok_or_else(|| repository_missing(name))?;
    let location = check_location(state, name, &found)?;
    Ok((found, location))
}

/// Checks that the repository can be written to, or at least read where it is read-only.
pub async fn verify(core: &Core, state: &State, name: &str, found: &Repository) -> Result<()> {
    let location = check_location(state, name, found)?;
    let checked = if found.kind == URL_REPOSITORY {
        // What is there is seen when it is read.
        Ok(())
    } else if found.is_read_only() {
        repository::check_there(&location).await
    } else {
        repository::verify(&location, &core.make_id()).await
    };
    let base = found.settings.text("base_path").map(|base| format!("[{base}]")).unwrap_or_default();
    checked.map_err(|cause| Error::new(ErrorKind::RepositoryVerification, not_accessible(name, &base)).caused_by(cause))
}

/// Takes the repository for some work when nothing else is at work in it.
pub async fn begin(core: &Rc<Core>, name: &str, work: RepositoryWork) -> Result<()> {
    loop {
        core.wait_for(|state| !state.repository_work.contains_key(name)).await;
        let change = Change::BeginRepositoryWork { repository: name.to_owned(), work: Box::new(work.clone()) };
        match core.submit(change).await {
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::ConcurrentSnapshotExecution => {}
            other => return other.map(drop),
        }
    }
}

pub async fn end(core: &Rc<Core>, name: &str) {
    if let Err(error) = core.submit(Change::EndRepositoryWork { repository: name.to_owned() }).await {
        tracing::error!("repository [{name}] could not be let go: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_stay_inside() {
        let root = Path::new("/repo");
        assert_eq!(inside(root, Path::new("a/./b")), Some(PathBuf::from("/repo/a/b")));
        assert_eq!(inside(root, Path::new("/repo/a")), Some(PathBuf::from("/repo/a")));
        assert_eq!(inside(root, Path::new("/repository/a")), None);
        assert_eq!(inside(root, Path::new("a/../../b")), None);
    }

    #[test]
    fn addresses() {
        let roots = [PathBuf::from("/repo")];
        let reason = |address: &str| of_address(&roots, "r", address).unwrap_err().reason().to_owned();
        for address in ["file:/repo/a", "file:///repo/a/"] {
            assert_eq!(of_address(&roots, "r", address).unwrap(), PathBuf::from("/repo/a"));
        }
        assert_eq!(reason("file:///else"), "[r] path  is not accessible on cluster-manager node");
        assert_eq!(reason("http://host/a"), "[r] path  is not accessible on cluster-manager node");
        assert_eq!(reason("gopher://host/a"), "Unable to parse URL repository setting");
        assert_eq!(reason("a"), "URI is not absolute");
    }

    #[test]
    fn names() {
        let reason = |name: &str| check_name(name).map_or_else(|error| error.reason().to_owned(), |()| "ok".into());
        assert_eq!(reason("Backups_1"), "ok");
        assert_eq!(reason("a#r"), "[a#r] must not contain '#'");
        assert!(reason("a/r").starts_with("[a/r] must not contain the following characters"));
    }
}
