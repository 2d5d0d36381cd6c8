// Drives a node with the official Java client: `java -cp LIBRARIES Drive.java URL`.

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import jakarta.json.JsonValue;
import org.apache.hc.core5.http.HttpHost;
import org.opensearch.client.json.JsonData;
import org.opensearch.client.json.jackson.JacksonJsonpMapper;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._types.FieldValue;
import org.opensearch.client.opensearch._types.OpenSearchException;
import org.opensearch.client.opensearch._types.Refresh;
import org.opensearch.client.opensearch._types.Result;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

public class Drive {
    public static class Note {
        public int n;
        public String text;

        public Note() {}

        Note(int n, String text) {
            this.n = n;
            this.text = text;
        }
    }

    public static void main(String[] arguments) throws Exception {
        var transport = ApacheHttpClient5TransportBuilder.builder(HttpHost.create(URI.create(arguments[0])))
            .setMapper(new JacksonJsonpMapper())
            .build();
        try (transport) {
            var client = new OpenSearchClient(transport);
            indexes(client);
            documents(client);
            searching(client);
            byQueryAndTasks(client);
            administration(client);
        }
        System.out.println("java: 5 tests passed");
    }

    static void equal(Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    static void indexes(OpenSearchClient client) throws Exception {
        equal(client.info().version().distribution(), "opensearch");
        client.indices().create(c -> c.index("java").mappings(m -> m.properties("n", p -> p.integer(i -> i))));
        client.indices().putMapping(p -> p.index("java").properties("text", t -> t.text(x -> x)));
        var mapping = client.indices().getMapping(g -> g.index("java")).result().get("java").mappings();
        equal(mapping.properties().get("text").isText(), true);
        client.indices().putSettings(p -> p.index("java").settings(s -> s.refreshInterval(t -> t.time("5s"))));
        try {
            client.indices().create(c -> c.index("java"));
            throw new AssertionError("an index was made twice");
        } catch (OpenSearchException e) {
            equal(e.status(), 400);
            equal(e.error().type(), "resource_already_exists_exception");
        }
    }

    static void documents(OpenSearchClient client) throws Exception {
        equal(client.index(i -> i.index("java").id("1").document(new Note(1, "one"))).result(), Result.Created);
        var bulk = client.bulk(b -> b.index("java").refresh(Refresh.True)
            .operations(o -> o.index(i -> i.id("2").document(new Note(2, "two"))))
            .operations(o -> o.delete(d -> d.id("nobody"))));
        equal(bulk.errors(), false);
        equal(bulk.items().get(1).status(), 404);
        equal(client.get(g -> g.index("java").id("2"), Note.class).source().text, "two");
        equal(client.get(g -> g.index("java").id("nobody"), Note.class).found(), false);
        var updated = client.update(u -> u.index("java").id("1").refresh(Refresh.True)
            .script(s -> s.inline(i -> i.source("ctx._source.n += params.by").params("by", JsonData.of(5)))), Note.class);
        equal(updated.version(), 2L);
        equal(client.mget(m -> m.index("java").ids("1", "2"), Note.class).docs().get(0).result().source().n, 6);
    }

    static void searching(OpenSearchClient client) throws Exception {
        var found = client.search(s -> s.index("java")
            .query(q -> q.match(m -> m.field("text").query(FieldValue.of("two"))))
            .aggregations("n", a -> a.terms(t -> t.field("n")))
            .highlight(h -> h.fields("text", f -> f)), Note.class);
        equal(found.hits().hits().get(0).id(), "2");
        equal(found.aggregations().get("n").lterms().buckets().array().get(0).docCount(), 1L);
        equal(found.hits().hits().get(0).highlight().get("text"), List.of("<em>two</em>"));
        var first = client.search(s -> s.index("java").size(1).scroll(t -> t.time("1m")), Note.class);
        var next = client.scroll(s -> s.scrollId(first.scrollId()).scroll(t -> t.time("1m")), Note.class);
        equal(next.hits().hits().size(), 1);
        equal(client.clearScroll(c -> c.scrollId(first.scrollId())).succeeded(), true);
        equal(client.count(c -> c.index("java")).count(), 2L);
        var several = client.msearch(m -> m.index("java").searches(s -> s.header(h -> h).body(b -> b.size(0))), Note.class);
        equal(several.responses().get(0).result().hits().total().value(), 2L);
    }

    static void byQueryAndTasks(OpenSearchClient client) throws Exception {
        var updated = client.updateByQuery(u -> u.index("java").refresh(Refresh.True)
            .script(s -> s.inline(i -> i.source("ctx._source.n += 1"))));
        equal(updated.updated(), 2L);
        var deleting = client.deleteByQuery(d -> d.index("java").query(q -> q.matchAll(m -> m)).waitForCompletion(false));
        var ended = client.tasks().get(g -> g.taskId(deleting.task()).waitForCompletion(true));
        equal(ended.completed(), true);
        var copied = client.reindex(r -> r.source(s -> s.index("java")).dest(d -> d.index("java-copy")));
        equal(copied.failures().size(), 0);
        equal(client.tasks().list(l -> l.detailed(true)).nodes().size(), 1);
    }

    static void administration(OpenSearchClient client) throws Exception {
        equal(client.cluster().health(h -> h.index("java")).numberOfNodes(), 1);
        var set = client.cluster().putSettings(p -> p.persistent(Map.of("search.max_buckets", JsonData.of(1000))));
        equal(set.acknowledged(), true);
        client.cluster().putSettings(p -> p.persistent(Map.of("search.max_buckets", JsonData.of(JsonValue.NULL))));
        equal(client.cat().indices(c -> c.index("java")).valueBody().get(0).index(), "java");
        equal(client.nodes().stats().nodes().size(), 1);
        equal(client.nodes().info().nodes().size(), 1);
        client.cluster().stats();
        equal(client.indices().stats(s -> s.index("java")).indices().containsKey("java"), true);
        equal(client.indices().delete(d -> d.index("java", "java-copy").ignoreUnavailable(true)).acknowledged(), true);
    }
}
