// Drives a node with the official Go client: `go run . URL`. One call of each family that a program uses.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"
)

var ctx = context.Background()

func main() {
	config := opensearch.Config{Addresses: []string{os.Args[1]}}
	client, err := opensearchapi.NewClient(opensearchapi.Config{Client: config})
	check(err)
	tests := []func(*opensearchapi.Client){indexes, documents, searching, byQueryAndTasks, administration}
	for _, test := range tests {
		test(client)
	}
	fmt.Printf("go: %d tests passed\n", len(tests))
	// The client looks after its connections for as long as the program runs.
	os.Exit(0)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func equal(found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		panic(fmt.Sprintf("found %v, expected %v", found, expected))
	}
}

func indexes(c *opensearchapi.Client) {
	info, err := c.Info(ctx, nil)
	check(err)
	equal(info.Version.Distribution, "opensearch")
	create := opensearchapi.IndicesCreateReq{Index: "go", Body: strings.NewReader(`{"mappings":{"properties":{"n":{"type":"integer"}}}}`)}
	_, err = c.Indices.Create(ctx, create)
	check(err)
	_, err = c.Indices.Mapping.Put(ctx, opensearchapi.MappingPutReq{
		Indices: []string{"go"}, Body: strings.NewReader(`{"properties":{"text":{"type":"text"}}}`)})
	check(err)
	mapping, err := c.Indices.Mapping.Get(ctx, &opensearchapi.MappingGetReq{Indices: []string{"go"}})
	check(err)
	equal(strings.Contains(string(mapping.GetIndices()["go"].Mappings), `"text":{"type":"text"}`), true)
	_, err = c.Indices.Settings.Put(ctx, opensearchapi.SettingsPutReq{
		Indices: []string{"go"}, Body: strings.NewReader(`{"index":{"refresh_interval":"5s"}}`)})
	check(err)
	create.Body = strings.NewReader("{}")
	_, err = c.Indices.Create(ctx, create)
	var refused *opensearch.StructError
	equal(errors.As(err, &refused), true)
	equal(refused.Err.Type, "resource_already_exists_exception")
	equal(refused.Status, 400)
}

func documents(c *opensearchapi.Client) {
	one, err := c.Index(ctx, opensearchapi.IndexReq{Index: "go", DocumentID: "1", Body: strings.NewReader(`{"n":1,"text":"one"}`)})
	check(err)
	equal(one.Result, "created")
	bulk, err := c.Bulk(ctx, opensearchapi.BulkReq{Index: "go", Params: opensearchapi.BulkParams{Refresh: "true"},
		Body: strings.NewReader("{\"index\":{\"_id\":\"2\"}}\n{\"n\":2,\"text\":\"two\"}\n{\"index\":{\"_id\":\"3\"}}\n{\"n\":3}\n")})
	check(err)
	equal(bulk.Errors, false)
	equal(bulk.Items[1]["index"].Status, 201)
	got, err := c.Document.Get(ctx, opensearchapi.DocumentGetReq{Index: "go", DocumentID: "2"})
	check(err)
	equal(string(got.Source), `{"n":2,"text":"two"}`)
	updated, err := c.Update(ctx, opensearchapi.UpdateReq{Index: "go", DocumentID: "1",
		Body: strings.NewReader(`{"script":{"source":"ctx._source.n += params.by","params":{"by":5}}}`)})
	check(err)
	equal(updated.Version, 2)
	deleted, err := c.Document.Delete(ctx, opensearchapi.DocumentDeleteReq{Index: "go", DocumentID: "3"})
	check(err)
	equal(deleted.Result, "deleted")
	_, err = c.Indices.Refresh(ctx, &opensearchapi.IndicesRefreshReq{Index: []string{"go"}})
	check(err)
}

func searching(c *opensearchapi.Client) {
	found, err := c.Search(ctx, &opensearchapi.SearchReq{Indices: []string{"go"}, Body: strings.NewReader(
		`{"query":{"match":{"text":"two"}},"aggs":{"n":{"terms":{"field":"n"}}},"highlight":{"fields":{"text":{}}}}`)})
	check(err)
	equal(found.Hits.Hits[0].ID, "2")
	equal(found.Hits.Hits[0].Highlight["text"], []string{"<em>two</em>"})
	equal(strings.Contains(string(found.Aggregations), `"doc_count":1`), true)
	size := 1
	first, err := c.Search(ctx, &opensearchapi.SearchReq{Indices: []string{"go"},
		Params: opensearchapi.SearchParams{Scroll: time.Minute, Size: &size}})
	check(err)
	next, err := c.Scroll.Get(ctx, opensearchapi.ScrollGetReq{ScrollID: *first.ScrollID,
		Params: opensearchapi.ScrollGetParams{Scroll: time.Minute}})
	check(err)
	equal(len(next.Hits.Hits), 1)
	_, err = c.Scroll.Delete(ctx, opensearchapi.ScrollDeleteReq{ScrollIDs: []string{*first.ScrollID}})
	check(err)
	several, err := c.MSearch(ctx, opensearchapi.MSearchReq{Indices: []string{"go"}, Body: strings.NewReader("{}\n{\"size\":0}\n")})
	check(err)
	equal(several.Responses[0].Hits.Total.Value, 2)
	count, err := c.Indices.Count(ctx, &opensearchapi.IndicesCountReq{Indices: []string{"go"}})
	check(err)
	equal(count.Count, 2)
}

func byQueryAndTasks(c *opensearchapi.Client) {
	yes, no := true, false
	updated, err := c.UpdateByQuery(ctx, opensearchapi.UpdateByQueryReq{Indices: []string{"go"},
		Params: opensearchapi.UpdateByQueryParams{Refresh: &yes},
		Body:   strings.NewReader(`{"script":{"source":"ctx._source.seen = true"}}`)})
	check(err)
	equal(updated.Updated, 2)
	copied, err := c.Reindex(ctx, opensearchapi.ReindexReq{Body: strings.NewReader(`{"source":{"index":"go"},"dest":{"index":"go-copy"}}`)})
	check(err)
	equal(copied.Created, 2)
	deleting, err := c.Document.DeleteByQuery(ctx, opensearchapi.DocumentDeleteByQueryReq{Indices: []string{"go"},
		Params: opensearchapi.DocumentDeleteByQueryParams{WaitForCompletion: &no},
		Body:   strings.NewReader(`{"query":{"match":{"seen":true}}}`)})
	check(err)
	ended, err := c.Tasks.Get(ctx, opensearchapi.TasksGetReq{TaskID: deleting.Task,
		Params: opensearchapi.TasksGetParams{WaitForCompletion: &yes}})
	check(err)
	equal(ended.Completed, true)
	tasks, err := c.Tasks.List(ctx, nil)
	check(err)
	equal(len(tasks.Nodes), 1)
}

func administration(c *opensearchapi.Client) {
	health, err := c.Cluster.Health(ctx, &opensearchapi.ClusterHealthReq{Indices: []string{"go"}})
	check(err)
	equal(health.NumberOfNodes, 1)
	for _, value := range []string{"1000", "null"} {
		set, err := c.Cluster.PutSettings(ctx, opensearchapi.ClusterPutSettingsReq{
			Body: strings.NewReader(`{"persistent":{"search.max_buckets":` + value + `}}`)})
		check(err)
		equal(set.Acknowledged, true)
	}
	rows, err := c.Cat.Indices(ctx, &opensearchapi.CatIndicesReq{Indices: []string{"go"}})
	check(err)
	equal(rows.Indices[0].Index, "go")
	stats, err := c.Nodes.Stats(ctx, nil)
	check(err)
	equal(len(stats.Nodes), 1)
	_, err = c.Cluster.Stats(ctx, nil)
	check(err)
	info, err := c.Nodes.Info(ctx, nil)
	check(err)
	equal(len(info.Nodes), 1)
	_, err = c.Indices.Delete(ctx, opensearchapi.IndicesDeleteReq{Indices: []string{"go", "go-copy"}})
	check(err)
}
