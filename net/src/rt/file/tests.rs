//! Runs on the disk of the temporary folder and, where there is one, on tmpfs.

use std::{fs, io, path::PathBuf, rc::Rc};

use super::*;
use crate::rt;

/// A folder of its own per test and file system, removed at the end.
fn on_each_disk<Fut: Future<Output = ()> + 'static>(
    name: &str,
    test: impl Fn(PathBuf) -> Fut + Send + Sync + Copy + 'static,
) {
    for base in [std::env::temp_dir(), PathBuf::from("/dev/shm")] {
        let dir = base.join(format!("pith-net-{name}-{}", std::process::id()));
        if fs::create_dir_all(&dir).is_err() {
            continue;
        }
        let inner = dir.clone();
        rt::block_on(move || async move { test(inner).await });
        fs::remove_dir_all(&dir).expect("it is ours");
    }
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 % 251) as u8).collect()
}

#[test]
fn what_was_written_is_read_back() {
    on_each_disk("read-back", |dir| async move {
        for len in [0, 1, 4095, 4096, 4097, (1 << 20) - 1, (1 << 20) + 1, 3_500_000] {
            let (path, content) = (dir.join(format!("f{len}")), pattern(len));
            let (head, tail) = content.split_at(len / 3);
            write_new(&path, &[head, b"", tail], len % 2 == 0).await.expect("the disk has room");
            assert_eq!(file_len(&path).await.expect("it exists"), len as u64);
            assert!(read_all(&path).await.expect("it is there") == content, "{len} bytes");
        }
    });
}

#[test]
fn ranges_are_exact_and_bounded() {
    on_each_disk("ranges", |dir| async move {
        let (path, content) = (dir.join("f"), pattern(10_000));
        write_new(&path, &[&content], false).await.expect("the disk has room");
        let file = ReadFile::open(&path).await.expect("it exists");
        for (pos, len) in [(0, 10_000), (0, 0), (1, 1), (4095, 2), (9_999, 1), (10_000, 0), (5_000, 5_000)] {
            assert_eq!(&*file.read_at(pos, len).await.expect("inside"), &content[pos as usize..pos as usize + len]);
        }
        for (pos, len) in [(9_999, 2), (u64::MAX, 1), (10_001, 0)] {
            assert_eq!(file.read_at(pos, len).await.err().expect("outside").kind(), io::ErrorKind::UnexpectedEof);
        }
        file.close().await.expect("closed once");
    });
}

#[test]
fn errors_keep_their_kind_and_name_the_path() {
    on_each_disk("errors", |dir| async move {
        let error = read_all(&dir.join("missing")).await.expect_err("missing");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("missing"), "{error}");
        let nul = dir.join("a\0b");
        assert_eq!(write_new(&nul, &[b"x"], false).await.expect_err("NUL").kind(), io::ErrorKind::InvalidInput);
        assert!(!exists(&dir.join("missing")).await.expect("looked for"));
        assert_eq!(remove_file(&dir.join("missing")).await.expect_err("missing").kind(), io::ErrorKind::NotFound);
    });
}

#[test]
fn names_can_be_made_listed_replaced_and_removed() {
    on_each_disk("names", |dir| async move {
        let deep = dir.join("a/b/c");
        create_dir_all(&deep).await.expect("made");
        create_dir_all(&deep).await.expect("made twice");
        write_new(&deep.join("old"), &[b"old"], true).await.expect("written");
        write_new(&deep.join("new"), &[b"newer"], true).await.expect("written");
        rename_durable(&deep.join("new"), &deep.join("old")).await.expect("replaced");
        truncate(&deep.join("old"), 3).await.expect("cut");
        sync_dir(&deep).await.expect("synced");
        let listed = list_dir(&deep).await.expect("listed");
        assert_eq!(listed, vec![Entry { name: "old".into(), len: 3, is_dir: false }]);
        assert_eq!(read_all(&deep.join("old")).await.expect("read"), b"new");
        assert!(list_dir(&dir.join("a")).await.expect("listed")[0].is_dir);
        remove_file(&deep.join("old")).await.expect("removed");
        remove_dir_all(&dir.join("a")).await.expect("removed");
        assert!(!exists(&dir.join("a")).await.expect("looked for"));
    });
}

#[test]
fn appends_keep_the_order_of_their_calls() {
    on_each_disk("append", |dir| async move {
        let path = dir.join("log");
        let file = Rc::new(AppendFile::create(&path).await.expect("created"));
        let mut expected = Vec::new();
        let mut tasks = Vec::new();
        for i in 0..200usize {
            let record = format!("record {i};").into_bytes();
            let (start, file) = (expected.len() as u64, file.clone());
            expected.extend_from_slice(&record);
            let appended = file.append(record);
            tasks.push(rt::spawn(async move {
                assert_eq!(appended.await.expect("appended"), start);
                file.sync().await.expect("synced");
            }));
        }
        // One caller that goes away: its record stays.
        expected.extend_from_slice(b"orphan");
        drop(file.append(b"orphan".to_vec()));
        for task in tasks {
            task.await;
        }
        file.sync().await.expect("synced");
        assert_eq!(file.len(), expected.len() as u64);
        Rc::into_inner(file).expect("all tasks have ended").close().await.expect("closed");
        assert_eq!(read_all(&path).await.expect("read"), expected);
        let again = AppendFile::open_append(&path, 8, b"ORD 0".to_vec()).await.expect("opened");
        assert_eq!(again.append(b"tail".to_vec()).await.expect("appended"), 8);
        again.close().await.expect("closed");
        assert_eq!(read_all(&path).await.expect("read"), b"recORD 0tail", "what is written again is there");
        let error = AppendFile::open_append(&path, 1 << 30, vec![]).await.err().expect("too short");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    });
}

#[test]
fn after_a_failed_append_nothing_is_accepted() {
    // /dev/full answers every write with ENOSPC.
    rt::block_on(|| async {
        let file = AppendFile::create(std::path::Path::new("/dev/full")).await.expect("it can be opened");
        assert_eq!(file.append(b"x".to_vec()).await.expect_err("full").kind(), io::ErrorKind::StorageFull);
        assert_eq!(file.append(b"y".to_vec()).await.expect_err("refused").kind(), io::ErrorKind::StorageFull);
        assert_eq!(file.sync().await.expect_err("refused").kind(), io::ErrorKind::StorageFull);
    });
}

#[test]
fn a_write_that_was_given_up_reaches_no_other_file() {
    on_each_disk("given-up", |dir| async move {
        let file = ring_file::RingFile::new(fs::File::create(dir.join("first")).expect("a new file"));
        let mut writing = Box::pin(file.write_all_at(pattern(4096), 0));
        let polled = futures_lite::future::poll_fn(|cx| std::task::Poll::Ready(writing.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
        drop(writing);
        drop(file);
        // It would get the number of the first, which the ring has not been told of yet.
        let second = fs::File::create(dir.join("second")).expect("a new file");
        rt::sleep(std::time::Duration::from_millis(20)).await;
        assert_eq!(second.metadata().expect("it is open").len(), 0);
    });
}
