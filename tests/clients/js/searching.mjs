// Searches in all their forms.

import assert from 'node:assert/strict'

const BOOKS = [
  { title: 'Moby Dick', author: 'Melville', year: 1851, text: 'Call me Ishmael. The whale swam on.' },
  { title: 'Emma', author: 'Austen', year: 1815, text: 'Handsome, clever, and rich.' },
  { title: 'Persuasion', author: 'Austen', year: 1817, text: 'Half agony, half hope.' },
]

export async function queries(client) {
  await books(client)
  const answer = await client.search({
    index: 'books',
    body: {
      query: { multi_match: { query: 'whale hope', fields: ['text', 'title'] } },
      highlight: { fields: { text: {} } },
      aggs: { authors: { terms: { field: 'author' } } },
      suggest: { word: { text: 'whake', term: { field: 'text' } } },
    },
  })
  assert.equal(answer.body.hits.total.value, 2)
  assert.equal(answer.body.aggregations.authors.buckets.length, 2)
  assert.equal(answer.body.suggest.word[0].options[0].text, 'whale')
  const several = await client.msearch({ body: [{ index: 'books' }, { size: 0 }, { index: 'absent' }, {}] })
  assert.deepEqual(several.body.responses.map((response) => response.status), [200, 404])
  const told = await client.explain({ index: 'books', id: '0', body: { query: { match: { text: 'whale' } } } })
  assert.equal(told.body.matched, true)
  const valid = await client.indices.validateQuery({ index: 'books', body: { query: { nothing: {} } } })
  assert.equal(valid.body.valid, false)
  assert.ok((await client.fieldCaps({ index: 'books', fields: '*' })).body.fields.author.keyword)
  assert.equal((await client.searchShards({ index: 'books' })).body.shards.length, 1)
}

export async function templates(client) {
  await books(client)
  const source = { query: { term: { author: '{{who}}' } } }
  const body = { source, params: { who: 'Austen' } }
  assert.equal((await client.searchTemplate({ index: 'books', body })).body.hits.total.value, 2)
  assert.equal((await client.renderSearchTemplate({ body })).body.template_output.query.term.author, 'Austen')
  const several = await client.msearchTemplate({ body: [{ index: 'books' }, body] })
  assert.equal(several.body.responses[0].hits.total.value, 2)
  const requests = [{ id: 'a', request: { query: { match_all: {} } }, ratings: [{ _index: 'books', _id: '1', rating: 1 }] }]
  const rated = await client.rankEval({ index: 'books', body: { requests, metric: { recall: { k: 3 } } } })
  assert.equal(rated.body.metric_score, 1)
}

export async function pages(client) {
  await books(client)
  const first = await client.search({ index: 'books', scroll: '1m', size: 2, body: { sort: ['year'] } })
  const rest = await client.scroll({ body: { scroll_id: first.body._scroll_id, scroll: '1m' } })
  assert.equal(rest.body.hits.hits[0]._source.year, 1851)
  assert.equal((await client.clearScroll({ body: { scroll_id: [first.body._scroll_id] } })).body.num_freed, 1)
  const pit = (await client.createPit({ index: 'books', keep_alive: '1m' })).body.pit_id
  const after = await client.search({ body: { pit: { id: pit }, sort: [{ year: 'asc' }], search_after: [1815] } })
  assert.equal(after.body.hits.hits.length, 2)
  assert.equal((await client.getAllPits()).body.pits.length, 1)
  assert.equal((await client.cat.allPitSegments()).statusCode, 200)
  assert.equal((await client.cat.pitSegments({ body: { pit_id: [pit] } })).statusCode, 200)
  assert.equal((await client.deletePit({ body: { pit_id: [pit] } })).body.pits[0].successful, true)
  assert.equal((await client.deleteAllPits()).statusCode, 200)
}

export async function pipelines(client) {
  await books(client)
  const body = { request_processors: [{ filter_query: { query: { term: { author: 'Austen' } } } }] }
  await client.searchPipeline.put({ id: 'austen', body })
  assert.deepEqual((await client.searchPipeline.get({ id: 'austen' })).body.austen, body)
  assert.equal((await client.search({ index: 'books', search_pipeline: 'austen' })).body.hits.total.value, 2)
  await client.searchPipeline.delete({ id: 'austen' })
}

async function books(client) {
  const properties = { author: { type: 'keyword' }, title: { type: 'text' }, text: { type: 'text' } }
  await client.indices.create({ index: 'books', body: { mappings: { properties } } })
  const body = BOOKS.flatMap((book, id) => [{ index: { _id: String(id) } }, book])
  assert.equal((await client.bulk({ index: 'books', body, refresh: true })).body.errors, false)
}
