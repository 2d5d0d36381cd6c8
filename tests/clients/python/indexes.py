"""Indexes, their mappings, settings, aliases and templates, and what makes one index of another."""


def life_of_an_index(client):
    client.indices.create(index="a", body={"settings": {"number_of_shards": 2}, "mappings": {"properties": {"n": {"type": "long"}}}})
    assert client.indices.exists(index="a") and not client.indices.exists(index="b")
    assert client.indices.get(index="a")["a"]["settings"]["index"]["number_of_shards"] == "2"
    client.indices.close(index="a")
    client.indices.open(index="a")
    client.indices.add_block(index="a", block="write")
    assert client.indices.get_settings(index="a")["a"]["settings"]["index"]["blocks"]["write"] == "true"
    client.indices.put_settings(index="a", body={"index.blocks.write": None})
    client.indices.delete(index="a")


def mappings(client):
    client.indices.create(index="a")
    client.indices.put_mapping(index="a", body={"properties": {"title": {"type": "text"}}})
    assert client.indices.get_mapping(index="a")["a"]["mappings"] == {"properties": {"title": {"type": "text"}}}
    field = client.indices.get_field_mapping(fields="title", index="a")["a"]["mappings"]["title"]
    assert field == {"full_name": "title", "mapping": {"title": {"type": "text"}}}


def analysis(client):
    tokens = client.indices.analyze(body={"analyzer": "english", "text": "The running foxes"})["tokens"]
    assert [token["token"] for token in tokens] == ["run", "fox"]


def aliases(client):
    client.indices.create(index="a")
    client.indices.put_alias(index="a", name="one")
    client.indices.update_aliases(body={"actions": [{"add": {"index": "a", "alias": "two", "filter": {"term": {"n": 1}}}}]})
    assert client.indices.exists_alias(name="two")
    assert sorted(client.indices.get_alias(index="a")["a"]["aliases"]) == ["one", "two"]
    client.indices.delete_alias(index="a", name="one")
    assert not client.indices.exists_alias(name="one")
    assert [alias["alias"] for alias in client.cat.aliases(format="json")] == ["two"]


def templates(client):
    client.cluster.put_component_template(name="base", body={"template": {"settings": {"number_of_shards": 3}}})
    assert client.cluster.exists_component_template(name="base")
    assert client.cluster.get_component_template(name="base")["component_templates"][0]["name"] == "base"
    body = {"index_patterns": ["log-*"], "composed_of": ["base"], "priority": 5}
    client.indices.put_index_template(name="logs", body=body)
    assert client.indices.exists_index_template(name="logs")
    assert client.indices.get_index_template(name="logs")["index_templates"][0]["index_template"]["priority"] == 5
    made = client.indices.simulate_index_template(name="log-1")["template"]["settings"]["index"]
    assert made["number_of_shards"] == "3"
    assert client.indices.simulate_template(name="logs")["template"]["settings"]["index"]["number_of_shards"] == "3"
    client.indices.create(index="log-1")
    assert client.indices.get_settings(index="log-1")["log-1"]["settings"]["index"]["number_of_shards"] == "3"
    client.indices.delete_index_template(name="logs")
    client.cluster.delete_component_template(name="base")


def templates_of_old(client):
    client.indices.put_template(name="old", body={"index_patterns": ["old-*"], "settings": {"number_of_shards": 2}})
    assert client.indices.exists_template(name="old")
    assert client.indices.get_template(name="old")["old"]["index_patterns"] == ["old-*"]
    assert any(row["name"] == "old" for row in client.cat.templates(format="json"))
    client.indices.delete_template(name="old")


def one_of_another(client):
    client.indices.create(index="a", body={"settings": {"number_of_shards": 2}})
    client.index(index="a", id="1", body={"n": 1}, refresh=True)
    client.indices.put_settings(index="a", body={"index.blocks.write": True})
    shapes = (("clone", client.indices.clone, 2), ("half", client.indices.shrink, 1), ("double", client.indices.split, 4))
    for target, call, shards in shapes:
        call(index="a", target=target, body={"settings": {"index.number_of_shards": shards, "index.blocks.write": None}})
        client.indices.refresh(index=target)
        assert client.count(index=target)["count"] == 1, target


def rolled_over(client):
    client.indices.create(index="log-000001", body={"aliases": {"log": {"is_write_index": True}}})
    client.index(index="log", body={}, refresh=True)
    rolled = client.indices.rollover(alias="log", body={"conditions": {"max_docs": 1}})
    assert rolled["rolled_over"] and rolled["new_index"] == "log-000002"


def data_streams(client):
    client.indices.put_index_template(name="s", body={"index_patterns": ["stream*"], "data_stream": {}})
    client.indices.create_data_stream(name="stream")
    client.index(index="stream", body={"@timestamp": "2024-01-01T00:00:00Z"}, op_type="create", refresh=True)
    assert client.indices.get_data_stream(name="stream")["data_streams"][0]["name"] == "stream"
    assert client.indices.data_streams_stats(name="stream")["data_stream_count"] == 1
    assert client.indices.resolve_index(name="stream")["data_streams"][0]["name"] == "stream"
    client.indices.delete_data_stream(name="stream")
    client.indices.delete_index_template(name="s")


def upkeep(client):
    client.index(index="a", id="1", body={"n": 1})
    for call in (client.indices.refresh, client.indices.flush, client.indices.forcemerge, client.indices.clear_cache, client.indices.upgrade):
        assert call(index="a")["_shards"]["failed"] == 0
    assert client.indices.stats(index="a")["_all"]["primaries"]["docs"]["count"] == 1
    assert client.indices.segments(index="a")["indices"]["a"]["shards"]["0"]
    assert client.indices.recovery(index="a")["a"]["shards"][0]["stage"] == "DONE"
    assert client.indices.shard_stores(index="a", status="all")["indices"]["a"]
    assert "a" in client.indices.get_upgrade(index="a")["indices"]
