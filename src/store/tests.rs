//! The store on real files: what a crash leaves, cut at every byte, is what was acknowledged.

use super::*;
use bytes::Bytes;
use pith_engine::segment::PartCache;
use pith_engine::shard::{CommitPoint, Operation, Record, TranslogEnd, commit_file};
use pith_engine::{ErrorKind, Result};
use pith_net::rt::{self, file};
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

const UUID: &str = "uuid";

/// A data folder that goes with its owner.
struct Data(PathBuf);

impl Data {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pith-store-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        pith_net::rt::prepare_data_path(&path).unwrap();
        Self(path)
    }

    fn folder(&self) -> ShardFolder {
        ShardFolder::new(&self.0, UUID, 0)
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn put(translog: &Translog, seq_no: u64) -> u64 {
    let id = format!("id{seq_no}");
    let operation = Operation::Index { id: &id, routing: None, source: br#"{"some":"source"}"# };
    let record = Record { seq_no, primary_term: 1, version: 1, operation };
    translog.append(|generation, out| record.encode(generation, out)).unwrap();
    translog.position()
}

fn commit(generation: u64, translog_generation: u64) -> CommitPoint {
    CommitPoint {
        generation,
        shard: 0,
        index_uuid: UUID.into(),
        primary_term: 1,
        max_seq_no: -1,
        local_checkpoint: -1,
        translog_generation,
        next_segment: 0,
        next_live: 1,
        segments: vec![],
    }
}

async fn create(folder: &ShardFolder) -> Translog {
    folder.create().await.unwrap();
    let translog = Translog::create(folder, UUID.into(), 0, 1).await.unwrap();
    write_commit(folder, &[], &commit(1, 1)).await.unwrap();
    translog
}

/// Sequence numbers of all records of a generation, and the generation settled.
async fn read(folder: &ShardFolder, generation: u64, is_last: bool) -> Result<(Vec<u64>, FoundGeneration)> {
    let file = read_translog(folder, UUID, 0, generation, is_last).await?;
    let mut seq_nos = vec![];
    let end: Option<(TranslogEnd, u64)> = file.reader()?.map(|mut reader| {
        loop {
            match reader.next_record() {
                Ok((record, _)) => seq_nos.push(record.seq_no),
                Err(end) => break (end, reader.proven()),
            }
        }
    });
    let found = file.settle(end, seq_nos.len() as u64).await?;
    Ok((seq_nos, found))
}

async fn recover_held(folder: &ShardFolder, index_uuid: &str, shard: u32) -> Result<Option<Recovered>> {
    recover(folder, index_uuid, shard, Holding { holds: &|_| true, cache: &PartCache::new(0) }).await
}

#[test]
fn appends_of_many_are_synced_together_and_read_back() {
    let data = Data::new("group");
    let folder = data.folder();
    rt::block_on(move || async move {
        let translog = create(&folder).await;
        let translog = Rc::new(translog);
        let tasks: Vec<_> = (0..50)
            .map(|seq_no| {
                let translog = translog.clone();
                rt::spawn(async move {
                    let position = put(&translog, seq_no);
                    translog.sync_to(position).await.unwrap();
                })
            })
            .collect();
        for task in tasks {
            task.await;
        }
        assert_eq!(translog.roll(), 2);
        put(&translog, 50);
        translog.sync_to(translog.position()).await.unwrap();
        assert_eq!((translog.size_from(1).operations, translog.size_from(2).operations), (51, 1));
        assert_eq!(read(&folder, 1, false).await.unwrap().0, (0..50).collect::<Vec<_>>());
        let (seq_nos, found) = read(&folder, 2, true).await.unwrap();
        assert_eq!((seq_nos, found.bytes), (vec![50], translog.size_from(2).bytes));
        translog.trim_below(2).await.unwrap();
        assert!(!file::exists(&folder.translog_file(1)).await.unwrap());
        translog.close().await.unwrap();
    });
}

#[test]
fn a_translog_cut_at_any_byte_gives_its_whole_records_and_goes_on() {
    let data = Data::new("cut");
    let folder = data.folder();
    rt::block_on(move || async move {
        let translog = create(&folder).await;
        let mut ends = vec![translog.size_from(1).bytes];
        for seq_no in 0..3 {
            put(&translog, seq_no);
            ends.push(translog.size_from(1).bytes);
        }
        translog.close().await.unwrap();
        let path = folder.translog_file(1);
        let whole = fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let recovered = recover_held(&folder, UUID, 0).await.unwrap().unwrap();
            assert_eq!(recovered.generations, [1]);
            let (seq_nos, found) = read(&folder, 1, true).await.unwrap();
            let expected = ends.iter().filter(|end| **end <= cut as u64).count().saturating_sub(1);
            assert_eq!(seq_nos.len(), expected, "cut at {cut}");
            let translog = Translog::open(&folder, UUID.into(), 0, vec![found]).await.unwrap();
            put(&translog, expected as u64);
            translog.close().await.unwrap();
            assert_eq!(read(&folder, 1, true).await.unwrap().0.len(), expected + 1, "cut at {cut}");
        }
    });
}

#[test]
fn a_damaged_middle_is_an_error_that_names_file_and_offset() {
    let data = Data::new("damage");
    let folder = data.folder();
    rt::block_on(move || async move {
        let translog = create(&folder).await;
        let start = translog.size_from(1).bytes;
        for seq_no in 0..3 {
            let position = put(&translog, seq_no);
            translog.sync_to(position).await.unwrap();
        }
        translog.close().await.unwrap();
        let path = folder.translog_file(1);
        let mut bytes = fs::read(&path).unwrap();
        // In the mark before the first record.
        bytes[start as usize + 20] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let error = read(&folder, 1, true).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TranslogCorrupted);
        let expected = format!("[{}] is damaged at offset [{start}]", path.display());
        assert!(error.reason().starts_with(&expected), "{error}");
        // A generation that others follow must be whole to its end.
        bytes[start as usize + 20] ^= 1;
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(read(&folder, 1, false).await.is_err());
        assert_eq!(read(&folder, 1, true).await.unwrap().0.len(), 2);
    });
}

#[test]
fn a_commit_is_there_as_a_whole_or_not_at_all() {
    let data = Data::new("commit");
    let folder = data.folder();
    rt::block_on(move || async move {
        assert!(recover_held(&folder, UUID, 0).await.unwrap().is_none());
        let translog = create(&folder).await;
        translog.roll();
        translog.sync_generation(2).await.unwrap();
        let leftovers = ["_0.seg", "_0.1.live", "commit-2.tmp"];
        for name in leftovers {
            fs::write(folder.index_file(name), b"half").unwrap();
        }
        let found = recover_held(&folder, UUID, 0).await.unwrap().unwrap();
        assert_eq!((found.commit.generation, found.generations), (1, vec![1, 2]));
        for name in leftovers {
            assert!(!folder.index_file(name).exists(), "{name}");
        }
        // The commit is written; a crash comes before anything older is removed.
        write_commit(&folder, &[("other".into(), Bytes::from_static(b"x"))], &commit(2, 2)).await.unwrap();
        let found = recover_held(&folder, UUID, 0).await.unwrap().unwrap();
        assert_eq!((found.commit.generation, found.generations), (2, vec![2]));
        assert!(!folder.index_file(&commit_file(1)).exists() && !folder.translog_file(1).exists());
        translog.close().await.unwrap();
    });
}

#[test]
fn a_shard_that_is_not_whole_is_refused() {
    let data = Data::new("refuse");
    let folder = data.folder();
    rt::block_on(move || async move {
        let translog = create(&folder).await;
        put(&translog, 0);
        translog.close().await.unwrap();
        let path = folder.index_file(&commit_file(1));
        let bytes = fs::read(&path).unwrap();
        let mut damaged = bytes.clone();
        damaged[30] ^= 4;
        fs::write(&path, damaged).unwrap();
        let error = recover_held(&folder, UUID, 0).await.err().unwrap();
        assert!(error.reason().contains("commit-1] is damaged at offset ["), "{error}");
        fs::write(&path, &bytes).unwrap();
        assert!(recover_held(&folder, "other", 0).await.is_err());
        // Without a commit, a translog with records is no new shard.
        fs::remove_file(&path).unwrap();
        assert!(recover_held(&folder, UUID, 0).await.is_err());
        fs::write(&path, &bytes).unwrap();
        fs::remove_file(folder.translog_file(1)).unwrap();
        let error = recover_held(&folder, UUID, 0).await.err().unwrap();
        assert!(error.reason().ends_with("translog-1] is missing"), "{error}");
    });
}

#[test]
fn a_first_start_that_was_interrupted_begins_anew() {
    let data = Data::new("first");
    let folder = data.folder();
    rt::block_on(move || async move {
        folder.create().await.unwrap();
        assert!(recover_held(&folder, UUID, 0).await.unwrap().is_none());
        let translog = Translog::create(&folder, UUID.into(), 0, 1).await.unwrap();
        translog.close().await.unwrap();
        assert!(recover_held(&folder, UUID, 0).await.unwrap().is_none());
        fs::write(folder.translog_file(1), b"").unwrap();
        assert!(recover_held(&folder, UUID, 0).await.unwrap().is_none());
        let translog = create(&folder).await;
        translog.close().await.unwrap();
        assert!(recover_held(&folder, UUID, 0).await.unwrap().is_some());
        folder.remove().await.unwrap();
        folder.remove().await.unwrap();
        assert!(recover_held(&folder, UUID, 0).await.unwrap().is_none());
    });
}
