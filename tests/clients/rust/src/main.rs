//! Drives a node with the official Rust client: `drive URL`. One call of each family that a program uses.

use opensearch::{
    BulkOperation, BulkParts, ClearScrollParts, CountParts, DeleteByQueryParts, DeleteParts, Error, GetParts,
    IndexParts, MsearchParts, OpenSearch, ScrollParts, SearchParts, UpdateByQueryParts, UpdateParts,
    cat::CatIndicesParts,
    cluster::ClusterHealthParts,
    http::{
        request::JsonBody,
        response::Response,
        transport::{SingleNodeConnectionPool, TransportBuilder},
    },
    indices::{
        IndicesCreateParts, IndicesDeleteParts, IndicesGetMappingParts, IndicesPutMappingParts,
        IndicesPutSettingsParts, IndicesRefreshParts,
    },
    params::Refresh,
    tasks::TasksGetParts,
};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = std::env::args().nth(1).expect("usage: drive URL");
    let pool = SingleNodeConnectionPool::new(url.parse().expect("the argument is a URL"));
    let client = OpenSearch::new(TransportBuilder::new(pool).disable_proxy().build().expect("a transport"));
    for (name, ended) in [
        ("indexes", indexes(&client).await),
        ("documents", documents(&client).await),
        ("searching", searching(&client).await),
        ("by_query_and_tasks", by_query_and_tasks(&client).await),
        ("administration", administration(&client).await),
    ] {
        ended.unwrap_or_else(|error| panic!("rust {name}: {error}"));
    }
    println!("rust: 5 tests passed");
}

/// The body of an answer that is no error.
async fn body(response: Result<Response, Error>) -> Result<Value, Error> {
    response?.error_for_status_code()?.json().await
}

async fn indexes(client: &OpenSearch) -> Result<(), Error> {
    let info = body(client.info().send().await).await?;
    assert_eq!(info["version"]["distribution"], "opensearch");
    let indices = client.indices();
    let create = json!({ "mappings": { "properties": { "n": { "type": "integer" } } } });
    body(indices.create(IndicesCreateParts::Index("rust")).body(create).send().await).await?;
    let mapping = json!({ "properties": { "text": { "type": "text" } } });
    body(indices.put_mapping(IndicesPutMappingParts::Index(&["rust"])).body(mapping).send().await).await?;
    let mapping = body(indices.get_mapping(IndicesGetMappingParts::Index(&["rust"])).send().await).await?;
    assert_eq!(mapping["rust"]["mappings"]["properties"]["text"]["type"], "text");
    let settings = json!({ "index": { "refresh_interval": "5s" } });
    body(indices.put_settings(IndicesPutSettingsParts::Index(&["rust"])).body(settings).send().await).await?;
    let again = indices.create(IndicesCreateParts::Index("rust")).send().await?;
    assert_eq!(again.status_code(), 400);
    let again: Value = again.json().await?;
    assert_eq!(again["error"]["type"], "resource_already_exists_exception");
    Ok(())
}

async fn documents(client: &OpenSearch) -> Result<(), Error> {
    let one = client.index(IndexParts::IndexId("rust", "1")).body(json!({ "n": 1, "text": "one" }));
    assert_eq!(body(one.send().await).await?["result"], "created");
    let lines: Vec<JsonBody<_>> = vec![
        json!({ "index": { "_id": "2" } }).into(),
        json!({ "n": 2, "text": "two" }).into(),
        json!({ "delete": { "_id": "nobody" } }).into(),
    ];
    let bulk = body(client.bulk(BulkParts::Index("rust")).body(lines).refresh(Refresh::True).send().await).await?;
    assert_eq!((&bulk["errors"], &bulk["items"][1]["delete"]["status"]), (&json!(false), &json!(404)));
    let operations: Vec<BulkOperation<Value>> = vec![BulkOperation::index(json!({ "n": 3 })).id("3").into()];
    body(client.bulk(BulkParts::Index("rust")).body(operations).refresh(Refresh::WaitFor).send().await).await?;
    let got = body(client.get(GetParts::IndexId("rust", "2")).send().await).await?;
    assert_eq!(got["_source"]["text"], "two");
    let update = json!({ "script": { "source": "ctx._source.n += params.by", "params": { "by": 5 } } });
    assert_eq!(body(client.update(UpdateParts::IndexId("rust", "1")).body(update).send().await).await?["_version"], 2);
    let delete = client.delete(DeleteParts::IndexId("rust", "3")).refresh(Refresh::True);
    assert_eq!(body(delete.send().await).await?["result"], "deleted");
    Ok(())
}

async fn searching(client: &OpenSearch) -> Result<(), Error> {
    let query = json!({
        "query": { "match": { "text": "two" } },
        "aggs": { "n": { "terms": { "field": "n" } } },
        "highlight": { "fields": { "text": {} } },
    });
    let found = body(client.search(SearchParts::Index(&["rust"])).body(query).send().await).await?;
    assert_eq!(found["hits"]["hits"][0]["_id"], "2");
    assert_eq!(found["aggregations"]["n"]["buckets"][0]["doc_count"], 1);
    assert_eq!(found["hits"]["hits"][0]["highlight"]["text"][0], "<em>two</em>");
    let all = SearchParts::Index(&["rust"]);
    let first = body(client.search(all).scroll("1m").size(1).send().await).await?;
    let id = first["_scroll_id"].as_str().unwrap_or_default().to_owned();
    let next = client.scroll(ScrollParts::None).body(json!({ "scroll": "1m", "scroll_id": id }));
    assert_eq!(body(next.send().await).await?["hits"]["hits"].as_array().map(Vec::len), Some(1));
    body(client.clear_scroll(ClearScrollParts::None).body(json!({ "scroll_id": [id] })).send().await).await?;
    let lines: Vec<JsonBody<_>> = vec![json!({}).into(), json!({ "size": 0 }).into()];
    let several = body(client.msearch(MsearchParts::Index(&["rust"])).body(lines).send().await).await?;
    assert_eq!(several["responses"][0]["hits"]["total"]["value"], 2);
    assert_eq!(body(client.count(CountParts::Index(&["rust"])).send().await).await?["count"], 2);
    Ok(())
}

async fn by_query_and_tasks(client: &OpenSearch) -> Result<(), Error> {
    let script = json!({ "script": { "source": "ctx._source.seen = true" } });
    let update = client.update_by_query(UpdateByQueryParts::Index(&["rust"])).body(script).refresh(true);
    assert_eq!(body(update.send().await).await?["updated"], 2);
    let query = json!({ "query": { "match": { "seen": true } } });
    let delete = client.delete_by_query(DeleteByQueryParts::Index(&["rust"])).body(query).wait_for_completion(false);
    let task = body(delete.send().await).await?["task"].as_str().unwrap_or_default().to_owned();
    let tasks = client.tasks();
    let ended = body(tasks.get(TasksGetParts::TaskId(&task)).wait_for_completion(true).send().await).await?;
    assert_eq!((&ended["completed"], &ended["response"]["deleted"]), (&json!(true), &json!(2)));
    let copy = json!({ "source": { "index": "rust" }, "dest": { "index": "rust-copy" } });
    assert_eq!(body(client.reindex().body(copy).send().await).await?["failures"], json!([]));
    assert!(body(tasks.list().send().await).await?["nodes"].is_object());
    Ok(())
}

async fn administration(client: &OpenSearch) -> Result<(), Error> {
    let health = body(client.cluster().health(ClusterHealthParts::Index(&["rust"])).send().await).await?;
    assert_eq!(health["number_of_nodes"], 1);
    let settings = |value: Value| json!({ "persistent": { "search.max_buckets": value } });
    let set = body(client.cluster().put_settings().body(settings(json!(1000))).send().await).await?;
    assert_eq!(set["persistent"]["search"]["max_buckets"], "1000");
    body(client.cluster().put_settings().body(settings(Value::Null)).send().await).await?;
    let rows = body(client.cat().indices(CatIndicesParts::Index(&["rust"])).format("json").send().await).await?;
    assert_eq!(rows[0]["index"], "rust");
    body(client.indices().refresh(IndicesRefreshParts::Index(&["rust"])).send().await).await?;
    let gone = IndicesDeleteParts::Index(&["rust", "rust-copy"]);
    assert_eq!(body(client.indices().delete(gone).ignore_unavailable(true).send().await).await?["acknowledged"], true);
    Ok(())
}
