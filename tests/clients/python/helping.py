"""The helpers that come with the client: bulk in its forms, scans, copies, and the asynchronous client."""

import asyncio

from opensearchpy import AsyncOpenSearch, helpers


def bulk_in_chunks(client):
    done, errors = helpers.bulk(client, _documents(1200), chunk_size=100, refresh=True)
    assert (done, errors) == (1200, []) and client.count(index="many")["count"] == 1200


def streaming_bulk_tells_of_failures(client):
    client.indices.create(index="many", body={"mappings": {"properties": {"n": {"type": "long"}}}})
    documents = [{"_index": "many", "_id": "1", "n": 1}, {"_index": "many", "_id": "2", "n": "not a number"}]
    outcomes = list(helpers.streaming_bulk(client, documents, raise_on_error=False))
    assert [good for good, _ in outcomes] == [True, False]
    assert outcomes[1][1]["index"]["error"]["type"] == "mapper_parsing_exception"


def parallel_bulk(client):
    assert all(good for good, _ in helpers.parallel_bulk(client, _documents(1000), thread_count=4, chunk_size=50))
    client.indices.refresh(index="many")
    assert client.count(index="many")["count"] == 1000


def scan(client):
    helpers.bulk(client, _documents(500), refresh=True)
    found = helpers.scan(client, index="many", query={"query": {"range": {"n": {"lt": 300}}}}, size=70)
    assert sorted(hit["_source"]["n"] for hit in found) == list(range(300))


def reindex(client):
    helpers.bulk(client, _documents(250), refresh=True)
    assert helpers.reindex(client, "many", "copy", chunk_size=40) == (250, 0)


def asynchronous(url):
    async def all_of_it():
        client = AsyncOpenSearch([url], timeout=60)
        try:
            done, _ = await helpers.async_bulk(client, _documents(300), refresh=True)
            assert done == 300
            seen = [hit async for hit in helpers.async_scan(client, index="many", size=50)]
            assert len(seen) == 300
            answers = await asyncio.gather(*(client.search(index="many", body={"query": {"term": {"n": n}}}) for n in range(20)))
            assert all(answer["hits"]["total"]["value"] == 1 for answer in answers)
        finally:
            await client.close()

    asyncio.run(all_of_it())


def _documents(count):
    return ({"_index": "many", "_id": str(n), "n": n} for n in range(count))
