"""Searches in all their forms."""

BOOKS = [
    {"title": "Moby Dick", "author": "Melville", "year": 1851, "text": "Call me Ishmael. The whale swam on."},
    {"title": "Emma", "author": "Austen", "year": 1815, "text": "Handsome, clever, and rich."},
    {"title": "Persuasion", "author": "Austen", "year": 1817, "text": "Half agony, half hope."},
]
MAPPING = {
    "properties": {
        "title": {"type": "text", "fields": {"raw": {"type": "keyword"}, "suggest": {"type": "completion"}}},
        "author": {"type": "keyword"},
        "text": {"type": "text"},
    }
}


def query_body(client):
    _books(client)
    answer = client.search(
        index="books",
        body={
            "query": {"bool": {"must": {"match": {"text": "whale hope"}}, "filter": {"range": {"year": {"gte": 1816}}}}},
            "highlight": {"fields": {"text": {}}},
            "aggs": {"authors": {"terms": {"field": "author"}, "aggs": {"first": {"min": {"field": "year"}}}}},
            "sort": ["_score", {"title.raw": "asc"}],
            "_source": ["title"],
            "track_total_hits": True,
        },
    )
    assert answer["hits"]["total"] == {"value": 2, "relation": "eq"}
    assert "<em>whale</em>" in str(answer["hits"]["hits"])
    assert {b["key"]: b["first"]["value"] for b in answer["aggregations"]["authors"]["buckets"]} == {"Austen": 1817.0, "Melville": 1851.0}


def query_of_the_url(client):
    _books(client)
    answer = client.search(index="books", q="author:Austen AND year:<1816", _source_includes="title", size=1, version=True)
    assert answer["hits"]["hits"][0]["_source"] == {"title": "Emma"} and answer["hits"]["hits"][0]["_version"] == 1
    assert client.count(index="books", q="Austen", df="author")["count"] == 2


def several_at_once(client):
    _books(client)
    answer = client.msearch(body=[{"index": "books"}, {"query": {"match_all": {}}}, {"index": "absent"}, {"size": 0}])
    assert answer["responses"][0]["hits"]["total"]["value"] == 3 and answer["responses"][1]["status"] == 404


def templates(client):
    _books(client)
    client.put_script(id="by", body={"script": {"lang": "mustache", "source": {"query": {"term": {"author": "{{who}}"}}}}})
    stored = {"id": "by", "params": {"who": "Austen"}}
    assert client.search_template(index="books", body=stored)["hits"]["total"]["value"] == 2
    assert client.render_search_template(body=stored)["template_output"] == {"query": {"term": {"author": "Austen"}}}
    answer = client.msearch_template(body=[{"index": "books"}, stored])
    assert answer["responses"][0]["hits"]["total"]["value"] == 2
    client.delete_script(id="by")


def explained_and_validated(client):
    _books(client)
    told = client.explain(index="books", id="0", body={"query": {"match": {"text": "whale"}}})
    assert told["matched"] and told["explanation"]["value"] > 0
    assert client.indices.validate_query(index="books", body={"query": {"match_all": {}}})["valid"]
    assert not client.indices.validate_query(index="books", body={"query": {"nothing": {}}})["valid"]
    profile = client.search(index="books", body={"profile": True, "query": {"term": {"author": "Austen"}}})["profile"]
    assert profile["shards"][0]["searches"][0]["query"][0]["type"] == "ConstantScoreQuery"


def receipts(client):
    _books(client)
    body = {"query": {"match": {"text": "whale hope"}}, "aggs": {"years": {"avg": {"field": "year"}}}, "sort": "year"}
    costs = [client.search(index="books", body=body, params={"cost": "true"})["cost"] for _ in range(3)]
    for counted in ("postings_decoded", "column_values_read", "bytes_from_cache", "bytes_from_disk"):
        assert len({cost[counted] for cost in costs}) == 1, counted
    assert costs[0]["column_values_read"] > 0 and costs[0]["cpu_time_in_nanos"] > 0


def pages(client):
    _books(client)
    first = client.search(index="books", scroll="1m", size=2, sort="year")
    rest = client.scroll(body={"scroll_id": first["_scroll_id"], "scroll": "1m"})
    assert [hit["_source"]["year"] for hit in first["hits"]["hits"] + rest["hits"]["hits"]] == [1815, 1817, 1851]
    assert client.clear_scroll(scroll_id=first["_scroll_id"])["num_freed"] == 1


def points_in_time(client):
    _books(client)
    pit = client.create_pit(index="books", keep_alive="1m")["pit_id"]
    client.delete(index="books", id="0", refresh=True)
    body = {"pit": {"id": pit, "keep_alive": "1m"}, "size": 2, "sort": [{"year": "asc"}]}
    first = client.search(body=body)
    assert first["hits"]["total"]["value"] == 3
    rest = client.search(body={**body, "search_after": first["hits"]["hits"][-1]["sort"]})
    assert [hit["_id"] for hit in rest["hits"]["hits"]] == ["0"]
    assert len(client.get_all_pits()["pits"]) == 1
    assert client.cat.all_pit_segments() and client.cat.pit_segments(body={"pit_id": [pit]})
    assert client.delete_pit(body={"pit_id": [pit]})["pits"][0]["successful"]
    client.create_pit(index="books", keep_alive="1m")
    assert len(client.delete_all_pits()["pits"]) == 1


def suggestions(client):
    _books(client)
    asked = {
        "word": {"text": "whake", "term": {"field": "text"}},
        "name": {"prefix": "mo", "completion": {"field": "title.suggest"}},
    }
    found = client.search(index="books", body={"suggest": asked})["suggest"]
    assert found["word"][0]["options"][0]["text"] == "whale"
    assert found["name"][0]["options"][0]["text"] == "Moby Dick"


def capabilities_and_places(client):
    _books(client)
    assert client.field_caps(index="books", fields="*")["fields"]["author"]["keyword"]["aggregatable"]
    assert client.search_shards(index="books")["shards"]
    ratings = {
        "requests": [{"id": "a", "request": {"query": {"term": {"author": "Austen"}}}, "ratings": [{"_index": "books", "_id": "1", "rating": 1}]}],
        "metric": {"precision": {"k": 2}},
    }
    assert client.rank_eval(index="books", body=ratings)["metric_score"] == 0.5


def pipelines(client):
    _books(client)
    only = {"request_processors": [{"filter_query": {"query": {"term": {"author": "Austen"}}}}]}
    client.search_pipeline.put(id="austen", body=only)
    assert client.search_pipeline.get(id="austen")["austen"] == only
    assert client.search(index="books", params={"search_pipeline": "austen"})["hits"]["total"]["value"] == 2
    client.search_pipeline.delete(id="austen")


def _books(client):
    client.indices.create(index="books", body={"mappings": MAPPING})
    lines = [line for id, book in enumerate(BOOKS) for line in ({"index": {"_id": str(id)}}, book)]
    assert not client.bulk(body=lines, index="books", refresh=True)["errors"]
