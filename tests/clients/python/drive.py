"""Drives a node with opensearch-py: every call of the client that the product answers, and the client's helpers.

    drive.py URL FOLDER      FOLDER is one below the node's path.repo

Each test is a function of one of the modules below whose name does not begin with an underscore. A call that no test made
and that OUTSIDE does not name is a failure too, so that a new release of the client shows what it adds.
"""

import inspect
import sys
import traceback

from opensearchpy import OpenSearch

import administration
import documents
import helping
import indexes
import searching

# Name spaces of plugins, and calls of the core that need what a single node does not have.
OUTSIDE = {
    "plugins": "alerting asynchronous_search flow_framework geospatial index_management insights knn ltr ml neural "
    "notifications observability plugins ppl query replication rollups search_relevance security security_analytics sm sql "
    "transforms ubi wlm",
    "pull-based ingestion": "ingestion",
    "remote store": "remote_store.restore",
    "zones of a cluster": "cluster.delete_decommission_awareness cluster.get_decommission_awareness "
    "cluster.put_decommission_awareness cluster.delete_weighted_routing cluster.get_weighted_routing "
    "cluster.put_weighted_routing",
    "indexes of other clusters' folders": "dangling_indices.delete_dangling_index dangling_indices.import_dangling_index",
    "features of plugins": "features.get_features features.reset_features",
    "gone since version 1": "remote.info",
    "a keystore": "nodes.reload_secure_settings",
    "experimental in the reference": "bulk_stream",
    "not calls": "close http",
}


class Recorded:
    """The client, which remembers what was called."""

    def __init__(self, inner, seen, prefix=""):
        self._inner, self._seen, self._prefix = inner, seen, prefix

    def __getattr__(self, name):
        member = getattr(self._inner, name)
        if inspect.ismethod(member):
            self._seen.add(self._prefix + name)
            return member
        if type(member).__name__.endswith("Client"):
            return Recorded(member, self._seen, name + ".")
        return member


def calls(client):
    """Every call that the client has, by the dotted name that OUTSIDE uses."""
    for name, member in inspect.getmembers(client):
        if name.startswith("_"):
            continue
        if inspect.ismethod(member):
            yield name, name
        elif type(member).__name__.endswith("Client"):
            for inner, call in inspect.getmembers(member):
                if not inner.startswith("_") and inspect.ismethod(call):
                    yield name, f"{name}.{inner}"


def tests(module):
    for name, test in vars(module).items():
        if inspect.isfunction(test) and test.__module__ == module.__name__ and not name.startswith("_"):
            yield f"{module.__name__}.{name}", test


def clean(client):
    client.indices.delete(index="*", ignore=[404])
    for pipeline in client.ingest.get_pipeline(ignore=[404]):
        client.ingest.delete_pipeline(id=pipeline, ignore=[404])


def main():
    url, folder = sys.argv[1:]
    plain = OpenSearch([url], timeout=60)
    seen, failed, passed = set(), [], 0
    for module in (documents, searching, indexes, administration, helping):
        for name, test in tests(module):
            clean(plain)
            wanted = {"client": Recorded(plain, seen), "url": url, "folder": folder}
            try:
                test(**{key: wanted[key] for key in inspect.signature(test).parameters})
                passed += 1
            except Exception:
                failed.append(name)
                print(f"FAILED {name}\n{traceback.format_exc()}")
    outside = {name for names in OUTSIDE.values() for name in names.split()}
    for space, name in calls(plain):
        if name not in seen and name not in outside and space not in outside:
            failed.append(name)
            print(f"FAILED no test calls {name}")
    print(f"opensearch-py: {passed} tests passed, {len(seen)} calls made, {len(failed)} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
