//! What single steps do to a shard, one case at a time.

use super::*;

#[test]
fn versions_and_sequence_numbers_go_on_over_deletes_and_restarts() {
    let mut rig = Rig::new();
    assert_eq!((rig.index("a", 1).version, rig.index("a", 2).version), (1, 2));
    let deleted = rig.apply(&WriteOp::delete("a")).unwrap();
    assert_eq!((deleted.result, deleted.version, deleted.seq_no), (WriteResult::Deleted, 3, 2));
    let again = rig.apply(&WriteOp::delete("a")).unwrap();
    assert_eq!((again.result, again.version, again.seq_no), (WriteResult::NotFound, 4, 3));
    rig.reopen();
    let created = rig.index("a", 3);
    assert_eq!((created.result, created.version, created.seq_no), (WriteResult::Created, 5, 4));
    rig.apply(&WriteOp::delete("a")).unwrap();
    rig.refresh();
    rig.now_ms += 60_001;
    assert_eq!(rig.index("a", 4).version, 1, "the deleted version is forgotten after gc_deletes");
}

#[test]
fn children_are_replayed_with_their_routing() {
    let source = json::parse(br#"{"properties":{"link":{"type":"join","relations":{"a":"b"}}}}"#).unwrap();
    let mapping = Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default()).unwrap();
    let mut rig = Rig::over(Arc::new(mapping));
    let mut child = WriteOp::index("c", r#"{"link":{"name":"b","parent":"p"}}"#);
    child.routing = Some("p".into());
    rig.apply(&WriteOp::index("p", r#"{"link":"a"}"#)).unwrap();
    rig.apply(&child).unwrap();
    rig.reopen();
    assert_eq!(rig.get("c").unwrap().routing.as_deref(), Some("p"));
    assert_eq!(rig.get("p").unwrap().routing, None);
}

#[test]
fn conflicts_have_the_texts_of_the_reference() {
    let mut rig = Rig::new();
    let external = |id: &str, version, version_type| {
        let mut op = WriteOp::index(id, "{}");
        (op.version, op.version_type) = (Some(version), version_type);
        op
    };
    assert_eq!(rig.apply(&external("1", 5, VersionType::External)).unwrap().version, 5);
    let reason = |rig: &mut Rig, op: &WriteOp| rig.apply(op).unwrap_err().reason().to_owned();
    assert_eq!(
        reason(&mut rig, &external("1", 5, VersionType::External)),
        "[1]: version conflict, current version [5] is higher or equal to the one provided [5]"
    );
    assert_eq!(
        reason(&mut rig, &external("1", 4, VersionType::ExternalGte)),
        "[1]: version conflict, current version [5] is higher than the one provided [4]"
    );
    assert_eq!(rig.apply(&external("1", 5, VersionType::ExternalGte)).unwrap().version, 5);
    assert_eq!(
        reason(&mut rig, &WriteOp::create("1", "{}")),
        "[1]: version conflict, document already exists (current version [5])"
    );
    let mut conditional = WriteOp::delete("1");
    (conditional.if_seq_no, conditional.if_primary_term) = (Some(77), Some(1));
    assert_eq!(
        reason(&mut rig, &conditional),
        "[1]: version conflict, required seqNo [77], primary term [1]. current document has seqNo [1] and primary term [1]"
    );
    conditional.id = "2".into();
    assert_eq!(
        reason(&mut rig, &conditional),
        "[2]: version conflict, required seqNo [77], primary term [1]. but no document was found"
    );
    let spec = UpdateSpec {
        doc_routing: None,
        script: None,
        doc: Some("{}".into()),
        upsert: None,
        doc_as_upsert: false,
        detect_noop: true,
    };
    assert_eq!(reason(&mut rig, &WriteOp::update("9", spec)), "[9]: document missing");
    let get = GetRequest { id: "1".into(), realtime: true, version: Some(4) };
    let error = rig.shard.get(&get, 0).unwrap_err();
    assert_eq!(error.reason(), "[1]: version conflict, current version [5] is different than the one provided [4]");
    assert_eq!(error.field("shard"), Some(&"0".into()));
    assert_eq!(rig.shard.max_seq_no(), 1, "what was refused took no sequence number");
}

#[test]
fn updates_keep_the_routing_and_say_when_nothing_changed() {
    let mut rig = Rig::new();
    let mut op = WriteOp::index("1", r#"{"n":1}"#);
    op.routing = Some("r".into());
    rig.apply(&op).unwrap();
    let update = |doc: &'static str, detect_noop| {
        let spec = UpdateSpec {
            doc_routing: None,
            script: None,
            doc: Some(doc.into()),
            upsert: None,
            doc_as_upsert: false,
            detect_noop,
        };
        WriteOp::update("1", spec)
    };
    let noop = rig.apply(&update(r#"{"n":1}"#, true)).unwrap();
    assert_eq!((noop.result, noop.version, noop.seq_no), (WriteResult::Noop, 1, 0));
    let same = rig.apply(&update(r#"{"n":1}"#, false)).unwrap();
    assert_eq!((same.result, same.version), (WriteResult::Updated, 2));
    rig.refresh();
    let changed = rig.apply(&update(r#"{"x":true}"#, true)).unwrap();
    assert_eq!(changed.source.unwrap(), r#"{"n":1,"x":true}"#);
    let found = rig.get("1").unwrap();
    assert_eq!((found.version, found.routing.as_deref()), (3, Some("r")));
}

#[test]
fn an_upsert_is_stored_compactly() {
    let mut rig = Rig::new();
    let spec = UpdateSpec {
        doc_routing: None,
        script: None,
        doc: Some(r#"{"n":1}"#.into()),
        upsert: Some(r#"{"n":  7}"#.into()),
        doc_as_upsert: false,
        detect_noop: true,
    };
    let outcome = rig.apply(&WriteOp::update("1", spec)).unwrap();
    assert_eq!((outcome.result, outcome.source.unwrap()), (WriteResult::Created, r#"{"n":7}"#.into()));
}

#[test]
fn sealing_for_memory_shows_searches_nothing() {
    let mut rig = Rig::new();
    rig.index("a", 1);
    rig.freeze();
    rig.install();
    assert!(rig.visible().is_empty() && rig.get("a").is_some());
    rig.index("b", 2);
    rig.begin_merge();
    rig.end_merge();
    assert!(rig.visible().is_empty(), "a merge must not show what no refresh has shown");
    rig.refresh();
    assert_eq!(rig.visible().len(), 2);
    assert!(!rig.shard.needs_refresh() && !rig.shard.publish(None));
}

#[test]
fn what_was_prepared_is_seen_if_it_is_still_the_next() {
    let mut rig = Rig::new();
    let installed = |rig: &mut Rig, id| {
        rig.index(id, 1);
        rig.freeze();
        rig.install();
        rig.shard.next_snapshot()
    };
    let (outdated, _) = (installed(&mut rig, "a"), installed(&mut rig, "b"));
    assert!(rig.shard.publish(outdated) && rig.visible().len() == 2);
    let next = installed(&mut rig, "c");
    assert!(rig.shard.publish(next.clone()) && Arc::ptr_eq(&next.unwrap(), rig.shard.snapshot()));
}

#[test]
fn a_flush_writes_only_what_is_new() {
    let mut rig = Rig::new();
    assert!(!rig.shard.needs_flush());
    rig.index("a", 1);
    rig.index("b", 1);
    assert!(rig.shard.needs_flush());
    rig.flush();
    assert!(!rig.shard.needs_flush());
    rig.apply(&WriteOp::delete("a")).unwrap();
    rig.refresh();
    let generation = rig.roll();
    let plan = rig.shard.plan_commit(generation);
    let names: Vec<&str> = plan.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["_0.1.live"]);
}
