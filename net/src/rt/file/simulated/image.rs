//! What is on a simulated disk.
//!
//! Names and contents exist twice: as a running system sees them, and as they are kept for certain. Between the two stand the
//! changes that were not synced yet; a power cut keeps any of them. Of a write it keeps any sectors, some of them torn, and
//! sometimes only the length that the write gave the file.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use super::super::folder::{Entry, parent};
use crate::rt::Random;

/// The unit that a disk writes as a whole, most of the time.
const SECTOR: usize = 512;

#[derive(Default)]
pub(in crate::rt::file) struct Image {
    names: BTreeMap<PathBuf, Node>,
    durable: BTreeMap<PathBuf, Node>,
    /// Of names, in their order.
    changes: Vec<NameChange>,
    files: BTreeMap<u64, Content>,
    made: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Folder,
    File(u64),
}

/// Happens as a whole or not at all.
struct NameChange {
    folder: PathBuf,
    /// What has the name from now on.
    steps: Vec<(PathBuf, Option<Node>)>,
}

#[derive(Default)]
struct Content {
    seen: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Change>,
}

enum Change {
    Write { at: usize, data: Vec<u8> },
    Length(usize),
}

fn apply(steps: &[(PathBuf, Option<Node>)], names: &mut BTreeMap<PathBuf, Node>) {
    for (path, node) in steps {
        match node {
            Some(node) => names.insert(path.clone(), *node),
            None => names.remove(path),
        };
    }
}

fn missing() -> io::Error {
    io::Error::from_raw_os_error(libc::ENOENT)
}

impl Image {
    fn change(&mut self, folder: &Path, steps: Vec<(PathBuf, Option<Node>)>) {
        apply(&steps, &mut self.names);
        self.changes.push(NameChange { folder: folder.to_owned(), steps });
    }

    /// The top of the tree is always there.
    fn is_folder(&self, path: &Path) -> bool {
        path.parent().is_none() || self.names.get(path) == Some(&Node::Folder)
    }

    pub fn exists(&self, path: &Path) -> bool {
        self.is_folder(path) || self.names.contains_key(path)
    }

    pub fn file(&self, path: &Path) -> io::Result<u64> {
        match self.names.get(path) {
            Some(Node::File(file)) => Ok(*file),
            Some(Node::Folder) => Err(io::Error::from_raw_os_error(libc::EISDIR)),
            None => Err(missing()),
        }
    }

    pub fn create(&mut self, path: &Path) -> io::Result<u64> {
        if let Ok(file) = self.file(path) {
            self.set_len(file, 0);
            return Ok(file);
        }
        if !self.is_folder(parent(path)) {
            return Err(missing());
        }
        self.made += 1;
        let file = self.made;
        self.files.insert(file, Content::default());
        self.change(parent(path), vec![(path.to_owned(), Some(Node::File(file)))]);
        Ok(file)
    }

    pub fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        if !self.is_folder(parent(path)) {
            return Err(missing());
        }
        if !self.exists(path) {
            self.change(parent(path), vec![(path.to_owned(), Some(Node::Folder))]);
        }
        Ok(())
    }

    pub fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.file(from)?;
        let (gone, there) = ((from.to_owned(), None), (to.to_owned(), Some(Node::File(file))));
        if parent(from) == parent(to) {
            self.change(parent(to), vec![gone, there]);
        } else {
            self.change(parent(to), vec![there]);
            self.change(parent(from), vec![gone]);
        }
        Ok(())
    }

    pub fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.file(from)?;
        if self.exists(to) {
            return Err(io::Error::from_raw_os_error(libc::EEXIST));
        }
        self.change(parent(to), vec![(to.to_owned(), Some(Node::File(file)))]);
        Ok(())
    }

    pub fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        self.file(path)?;
        self.change(parent(path), vec![(path.to_owned(), None)]);
        Ok(())
    }

    pub fn remove_dir_all(&mut self, path: &Path) -> io::Result<()> {
        if !self.exists(path) {
            return Err(missing());
        }
        let below: Vec<PathBuf> = self.names.keys().filter(|name| name.starts_with(path)).cloned().collect();
        for name in below.into_iter().rev() {
            let folder = parent(&name).to_owned();
            self.change(&folder, vec![(name, None)]);
        }
        Ok(())
    }

    pub fn remove_dir(&mut self, path: &Path) -> io::Result<()> {
        if !self.exists(path) {
            return Err(missing());
        }
        if !self.list(path)?.is_empty() {
            return Err(io::Error::from_raw_os_error(libc::ENOTEMPTY));
        }
        self.change(parent(path), vec![(path.to_owned(), None)]);
        Ok(())
    }

    pub fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        if !self.is_folder(folder) {
            return Err(missing());
        }
        let here = self.names.iter().filter(|(path, _)| path.parent() == Some(folder));
        let entry = |(path, node): (&PathBuf, &Node)| {
            let name = path.file_name()?.to_str()?.to_owned();
            Some(match node {
                Node::Folder => Entry { name, len: 0, is_dir: true },
                Node::File(file) => Entry { name, len: self.content(*file).len() as u64, is_dir: false },
            })
        };
        Ok(here.filter_map(entry).collect())
    }

    pub fn sync_folder(&mut self, folder: &Path) -> io::Result<()> {
        if !self.is_folder(folder) {
            return Err(missing());
        }
        let (here, others) = std::mem::take(&mut self.changes).into_iter().partition(|c| c.folder == folder);
        self.changes = others;
        let here: Vec<NameChange> = here;
        here.iter().for_each(|change| apply(&change.steps, &mut self.durable));
        Ok(())
    }

    pub fn content(&self, file: u64) -> &[u8] {
        self.files.get(&file).map_or(&[], |content| &content.seen)
    }

    pub fn write(&mut self, file: u64, at: u64, data: &[u8]) {
        let change = Change::Write { at: at as usize, data: data.to_vec() };
        self.alter(file, change);
    }

    pub fn set_len(&mut self, file: u64, len: u64) {
        self.alter(file, Change::Length(len as usize));
    }

    fn alter(&mut self, file: u64, change: Change) {
        let content = self.files.entry(file).or_default();
        change.apply(&mut content.seen);
        content.unsynced.push(change);
    }

    pub fn sync(&mut self, file: u64) {
        let content = self.files.entry(file).or_default();
        content.unsynced.drain(..).for_each(|change| change.apply(&mut content.durable));
    }

    /// What was not synced will never be, although it is still seen.
    pub fn lose(&mut self, file: u64) {
        self.files.entry(file).or_default().unsynced.clear();
    }

    pub fn files(&self) -> Vec<PathBuf> {
        self.names.iter().filter(|(_, node)| **node != Node::Folder).map(|(path, _)| path.clone()).collect()
    }

    pub fn damage(&mut self, path: &Path, how: impl FnOnce(&mut Vec<u8>)) {
        let file = self.file(path).expect("a file that is there");
        let content = self.files.entry(file).or_default();
        assert!(content.unsynced.is_empty(), "only what is synced can be damaged on the disk");
        how(&mut content.seen);
        content.durable.clone_from(&content.seen);
    }

    /// Keeps what chance leaves of everything that was not synced, and forgets the rest.
    pub fn cut(&mut self, random: &mut Random) {
        let kept_pct = [0, 30, 70, 100][random.below(4) as usize];
        for change in std::mem::take(&mut self.changes) {
            if random.chance(kept_pct) {
                apply(&change.steps, &mut self.durable);
            }
        }
        let folders: BTreeSet<PathBuf> =
            self.durable.iter().filter(|(_, node)| **node == Node::Folder).map(|(path, _)| path.clone()).collect();
        let is_reached =
            |path: &Path| path.ancestors().skip(1).all(|above| above.parent().is_none() || folders.contains(above));
        self.durable.retain(|path, _| is_reached(path));
        self.names.clone_from(&self.durable);
        let named: BTreeSet<u64> = self
            .names
            .values()
            .filter_map(|node| if let Node::File(file) = node { Some(*file) } else { None })
            .collect();
        self.files.retain(|file, _| named.contains(file));
        self.files.values_mut().for_each(|content| content.cut(random));
    }
}

impl Content {
    fn cut(&mut self, random: &mut Random) {
        let kept_pct = [0, 25, 50, 75, 100][random.below(5) as usize];
        for change in std::mem::take(&mut self.unsynced) {
            match change {
                Change::Length(_) if random.chance(kept_pct) => change.apply(&mut self.durable),
                Change::Length(_) => {}
                Change::Write { at, data } => self.keep_sectors(at, &data, kept_pct, random),
            }
        }
        self.seen.clone_from(&self.durable);
    }

    fn keep_sectors(&mut self, at: usize, data: &[u8], kept_pct: u64, random: &mut Random) {
        let mut done = 0;
        while done < data.len() {
            let end = (data.len()).min(done + SECTOR - (at + done) % SECTOR);
            let sector = &data[done..end];
            if random.chance(kept_pct) {
                let torn = random.below(16) == 0;
                let whole = if torn { random.below(sector.len() as u64 + 1) as usize } else { sector.len() };
                Change::Write { at: at + done, data: sector[..whole].to_vec() }.apply(&mut self.durable);
            } else if random.below(4) == 0 && self.durable.len() < at + end {
                self.durable.resize(at + end, 0);
            }
            done = end;
        }
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Length(len) => bytes.resize(*len, 0),
            Self::Write { at, data } => {
                let end = at + data.len();
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[*at..end].copy_from_slice(data);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> PathBuf {
        Path::new("/").join(name)
    }

    #[test]
    fn what_was_synced_outlives_every_cut_and_what_was_not_may_go() {
        let (mut lost_name, mut lost_bytes, mut torn) = (0, 0, 0);
        for seed in 0..200 {
            let mut image = Image::default();
            image.create_dir(&path("d")).unwrap();
            image.sync_folder(&path("")).unwrap();
            let kept = image.create(&path("d/kept")).unwrap();
            image.write(kept, 0, &[1; 2000]);
            image.sync(kept);
            image.sync_folder(&path("d")).unwrap();
            image.write(kept, 2000, &[2; 2000]);
            let loose = image.create(&path("d/loose")).unwrap();
            image.write(loose, 0, b"x");
            image.sync(loose);
            image.cut(&mut Random::new(seed));
            let content = image.content(image.file(&path("d/kept")).unwrap()).to_vec();
            assert_eq!(content[..2000], [1; 2000]);
            assert!(content[2000..].iter().all(|byte| *byte == 2 || *byte == 0));
            lost_name += usize::from(!image.exists(&path("d/loose")));
            lost_bytes += usize::from(content.len() < 4000);
            torn += usize::from(content[2000..].windows(2).any(|pair| pair == [0, 2]));
        }
        assert!(lost_name > 20 && lost_bytes > 20 && torn > 20, "{lost_name} {lost_bytes} {torn}");
    }

    #[test]
    fn a_rename_that_was_not_synced_is_there_as_a_whole_or_not_at_all() {
        let mut seen = [0, 0];
        for seed in 0..100 {
            let mut image = Image::default();
            for (name, byte) in [("old", 1u8), ("new", 2)] {
                let file = image.create(&path(name)).unwrap();
                image.write(file, 0, &[byte]);
                image.sync(file);
            }
            image.sync_folder(&path("")).unwrap();
            image.rename(&path("new"), &path("old")).unwrap();
            image.cut(&mut Random::new(seed));
            let content = image.content(image.file(&path("old")).unwrap());
            assert_eq!(image.exists(&path("new")), content == [1]);
            seen[usize::from(content == [2])] += 1;
        }
        assert!(seen[0] > 10 && seen[1] > 10, "{seen:?}");
    }

    #[test]
    fn a_folder_that_is_lost_takes_what_is_in_it() {
        let mut image = Image::default();
        image.create_dir(&path("d")).unwrap();
        image.create(&path("d/f")).unwrap();
        image.sync_folder(&path("d")).unwrap();
        assert!(!image.durable.contains_key(&path("d")), "its own folder was not synced");
        let mut random =
            (0..).map(Random::new).find(|random| random.clone().below(4) == 0).expect("some seed keeps nothing");
        image.cut(&mut random);
        assert!(!image.exists(&path("d/f")));
    }
}
