"""The cluster, its nodes, tasks, snapshots and tables."""

import time


def cluster(client):
    assert client.ping() and client.info()["version"]["distribution"] == "opensearch"
    client.indices.create(index="a", body={"settings": {"number_of_replicas": 0}})
    assert client.cluster.health(index="a", wait_for_status="green")["status"] == "green"
    assert client.cluster.state(metric="metadata", index="a")["metadata"]["indices"]["a"]
    assert client.cluster.stats()["indices"]["count"] == 1
    assert client.cluster.pending_tasks()["tasks"] == []
    assert client.cluster.remote_info() == {}
    assert client.cluster.reroute()["acknowledged"]
    explained = client.cluster.allocation_explain(body={"index": "a", "shard": 0, "primary": True})
    assert explained["current_state"] == "started"


def settings(client):
    client.cluster.put_settings(body={"transient": {"search.max_buckets": 1000}})
    assert client.cluster.get_settings(flat_settings=True)["transient"] == {"search.max_buckets": "1000"}
    client.cluster.put_settings(body={"transient": {"search.max_buckets": None}})
    client.cluster.post_voting_config_exclusions(node_names="nobody")
    client.cluster.delete_voting_config_exclusions(wait_for_removal=False)


def a_full_disk(client):
    client.index(index="a", id="1", body={})
    disk = "cluster.routing.allocation.disk."
    marks = {f"{disk}watermark.{name}": "0%" for name in ("low", "high", "flood_stage")}
    client.cluster.put_settings(body={"transient": marks | {f"{disk}threshold_enabled": True}})
    _wait_for(lambda: client.index(index="a", id="1", body={}, ignore=[429]).get("status") == 429)
    client.cluster.put_settings(body={"transient": dict.fromkeys(marks, "0b")})
    _wait_for(lambda: client.index(index="a", id="1", body={}, ignore=[429]).get("result") == "updated")
    _wait_for(lambda: "blocks" not in client.cluster.get_settings()["persistent"].get("cluster", {}))
    client.cluster.put_settings(body={"transient": dict.fromkeys([*marks, f"{disk}threshold_enabled"])})


def _wait_for(happened, seconds=20):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def nodes(client):
    (node,) = client.nodes.info()["nodes"].values()
    assert node["http"]["publish_address"]
    (stats,) = client.nodes.stats()["nodes"].values()
    assert stats["os"] and stats["process"]
    assert ":::" in client.nodes.hot_threads()
    usage = client.nodes.usage(metric="rest_actions")["nodes"]
    assert next(iter(usage.values()))["rest_actions"]["nodes_hot_threads_action"] >= 1


def tasks(client):
    listed = client.tasks.list(detailed=True)["nodes"]
    assert any(task["action"] == "cluster:monitor/tasks/lists" for node in listed.values() for task in node["tasks"].values())
    assert client.tasks.cancel(actions="indices:data/write/update/byquery")["nodes"] == {}


def snapshots(client, folder):
    client.index(index="a", id="1", body={"n": 1}, refresh=True)
    repository = "backup"
    client.snapshot.create_repository(repository=repository, body={"type": "fs", "settings": {"location": folder}})
    assert repository in client.snapshot.get_repository(repository=repository)
    assert client.snapshot.verify_repository(repository=repository)["nodes"]
    made = client.snapshot.create(repository=repository, snapshot="s1", body={"indices": "a"}, wait_for_completion=True)
    assert made["snapshot"]["state"] == "SUCCESS"
    assert client.snapshot.get(repository=repository, snapshot="s1")["snapshots"][0]["indices"] == ["a"]
    assert client.snapshot.status(repository=repository, snapshot="s1")["snapshots"][0]["state"] == "SUCCESS"
    client.snapshot.clone(repository=repository, snapshot="s1", target_snapshot="s2", body={"indices": "a"})
    assert len(client.cat.snapshots(repository=repository, format="json")) == 2
    assert [row["id"] for row in client.cat.repositories(format="json")] == [repository]
    client.indices.delete(index="a")
    client.snapshot.restore(repository=repository, snapshot="s1", wait_for_completion=True)
    assert client.count(index="a")["count"] == 1
    for snapshot in ("s1", "s2"):
        client.snapshot.delete(repository=repository, snapshot=snapshot)
    assert client.snapshot.cleanup_repository(repository=repository)["results"]
    client.snapshot.delete_repository(repository=repository)


def tables(client):
    client.index(index="a", id="1", body={"n": 1}, refresh=True)
    rows = {
        name: getattr(client.cat, name)(format="json")
        for name in (
            "allocation cluster_manager count fielddata health indices master nodeattrs nodes pending_tasks plugins recovery "
            "segment_replication segments shards tasks thread_pool"
        ).split()
    }
    assert rows["count"][0]["count"] == "1" and rows["indices"][0]["index"] == "a"
    assert rows["shards"][0]["prirep"] == "p" and rows["segments"][0]["index"] == "a"
    assert "/_cat/indices" in client.cat.help()
    assert client.cat.indices(v=True, h="index,docs.count", s="index").splitlines()[0].split() == ["index", "docs.count"]


def pages_of_tables(client):
    for index in ("a", "b", "c"):
        client.indices.create(index=index)
    assert "/_list/indices" in client.list.help()
    first = client.list.indices(format="json", size=2, sort="asc")
    assert [row["index"] for row in first["indices"]] == ["a", "b"] and first["next_token"]
    assert len(client.list.shards(format="json")["shards"]) >= 3


def dangling(client):
    assert client.dangling_indices.list_dangling_indices()["dangling_indices"] == []
