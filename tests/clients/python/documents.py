"""Single documents, bulk, and what acts on all documents that a query finds."""

from opensearchpy import ConflictError, NotFoundError


def one_document(client):
    made = client.index(index="books", id="1", body={"title": "Moby Dick", "year": 1851}, refresh=True)
    assert made["result"] == "created" and made["_version"] == 1
    client.create(index="books", id="2", body={"title": "Emma", "year": 1815})
    assert client.exists(index="books", id="2") and not client.exists(index="books", id="3")
    assert client.exists_source(index="books", id="2")
    assert client.get(index="books", id="1")["_source"]["year"] == 1851
    assert client.get_source(index="books", id="1", _source_includes="year") == {"year": 1851}
    changed = client.update(index="books", id="1", body={"doc": {"year": 1852}})
    assert changed["result"] == "updated" and changed["_version"] == 2
    assert client.update(index="books", id="1", body={"doc": {"year": 1852}})["result"] == "noop"
    assert client.delete(index="books", id="2")["result"] == "deleted"


def conflicts_and_what_is_missing(client):
    client.create(index="books", id="1", body={})
    for call, kind in (
        (lambda: client.create(index="books", id="1", body={}), ConflictError),
        (lambda: client.index(index="books", id="1", body={}, if_seq_no=7, if_primary_term=1), ConflictError),
        (lambda: client.get(index="books", id="2"), NotFoundError),
        (lambda: client.delete(index="books", id="2"), NotFoundError),
        (lambda: client.get(index="absent", id="2"), NotFoundError),
    ):
        try:
            call()
        except kind:
            continue
        raise AssertionError(f"{kind.__name__} was expected")


def many_documents(client):
    lines = [{"index": {"_id": str(n)}} if half else {"n": n} for n in range(50) for half in (True, False)]
    answer = client.bulk(body=lines, index="numbers", refresh=True)
    assert not answer["errors"] and len(answer["items"]) == 50
    assert client.count(index="numbers", body={"query": {"range": {"n": {"lt": 10}}}})["count"] == 10
    found = client.mget(index="numbers", body={"ids": ["1", "2", "99"]})["docs"]
    assert [doc["found"] for doc in found] == [True, True, False]


def vectors_of_terms(client):
    client.index(index="books", id="1", body={"title": "whale after whale"}, refresh=True)
    terms = client.termvectors(index="books", id="1", fields="title")["term_vectors"]["title"]["terms"]
    assert terms["whale"]["term_freq"] == 2
    docs = client.mtermvectors(index="books", body={"ids": ["1"]}, fields="title")["docs"]
    assert "after" in docs[0]["term_vectors"]["title"]["terms"]


def by_query(client):
    _numbers(client, "numbers", 30)
    changed = client.update_by_query(
        index="numbers", body={"query": {"range": {"n": {"lt": 10}}}, "script": {"source": "ctx._source.n += 100"}}, refresh=True
    )
    assert changed["updated"] == 10 and not changed["failures"]
    gone = client.delete_by_query(index="numbers", body={"query": {"range": {"n": {"gte": 100}}}}, refresh=True)
    assert gone["deleted"] == 10
    copied = client.reindex(body={"source": {"index": "numbers"}, "dest": {"index": "copy"}}, refresh=True)
    assert copied["created"] == 20 and client.count(index="copy")["count"] == 20


def by_query_in_the_background(client):
    _numbers(client, "numbers", 200)
    slow = {"requests_per_second": 1, "wait_for_completion": False, "scroll_size": 10, "refresh": True}
    everything = {"query": {"match_all": {}}}
    started = (
        (client.update_by_query, {"index": "numbers", "body": everything}, client.update_by_query_rethrottle),
        (client.delete_by_query, {"index": "numbers", "body": everything, "conflicts": "proceed"}, client.delete_by_query_rethrottle),
    )
    for call, arguments, rethrottle in started:
        task = call(**arguments, **slow)["task"]
        rethrottle(task_id=task, requests_per_second=-1)
        assert client.tasks.get(task_id=task, wait_for_completion=True)["completed"]
    body = {"source": {"index": "numbers", "size": 1}, "dest": {"index": "copy"}}
    _numbers(client, "numbers", 50)
    task = client.reindex(body=body, requests_per_second=1, wait_for_completion=False)["task"]
    client.reindex_rethrottle(task_id=task, requests_per_second=-1)
    assert client.tasks.get(task_id=task, wait_for_completion=True)["response"]["created"] == 50


def pipelines(client):
    client.ingest.put_pipeline(id="stamp", body={"processors": [{"set": {"field": "stamped", "value": True}}]})
    assert "stamp" in client.ingest.get_pipeline(id="stamp")
    client.index(index="books", id="1", body={"title": "Emma"}, pipeline="stamp")
    assert client.get(index="books", id="1")["_source"]["stamped"] is True
    simulated = client.ingest.simulate(id="stamp", body={"docs": [{"_source": {"a": 1}}]})
    assert simulated["docs"][0]["doc"]["_source"] == {"a": 1, "stamped": True}
    assert "WORD" in client.ingest.processor_grok()["patterns"]
    client.ingest.delete_pipeline(id="stamp")


def scripts(client):
    client.put_script(id="double", body={"script": {"lang": "painless", "source": "ctx._source.n *= params.by"}})
    assert client.get_script(id="double")["found"]
    client.index(index="numbers", id="1", body={"n": 4})
    client.update(index="numbers", id="1", body={"script": {"id": "double", "params": {"by": 3}}})
    assert client.get(index="numbers", id="1")["_source"]["n"] == 12
    assert client.scripts_painless_execute(body={"script": {"source": "1 + 2"}})["result"] == "3"
    assert any(context["name"] == "score" for context in client.get_script_context()["contexts"])
    assert any(kind["language"] == "painless" for kind in client.get_script_languages()["language_contexts"])
    client.delete_script(id="double")


def _numbers(client, index, count):
    lines = [{"index": {"_id": str(n)}} if half else {"n": n} for n in range(count) for half in (True, False)]
    assert not client.bulk(body=lines, index=index, refresh=True)["errors"]
