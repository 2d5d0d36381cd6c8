// Single documents, bulk, and what acts on all documents that a query finds.

import assert from 'node:assert/strict'

export async function oneDocument(client) {
  const made = await client.index({ index: 'books', id: '1', body: { title: 'Moby Dick', year: 1851 }, refresh: true })
  assert.equal(made.statusCode, 201)
  await client.create({ index: 'books', id: '2', body: { title: 'Emma' } })
  assert.equal((await client.exists({ index: 'books', id: '2' })).body, true)
  assert.equal((await client.existsSource({ index: 'books', id: '3' })).body, false)
  assert.equal((await client.get({ index: 'books', id: '1' })).body._source.year, 1851)
  assert.deepEqual((await client.getSource({ index: 'books', id: '2' })).body, { title: 'Emma' })
  assert.equal((await client.update({ index: 'books', id: '1', body: { doc: { year: 1 } } })).body.result, 'updated')
  assert.equal((await client.delete({ index: 'books', id: '2' })).body.result, 'deleted')
  await assert.rejects(client.get({ index: 'books', id: '2' }), (error) => error.statusCode === 404)
  await assert.rejects(client.create({ index: 'books', id: '1', body: {} }), (error) => error.statusCode === 409)
}

export async function manyDocuments(client) {
  await fill(client, 'numbers', 50)
  const found = await client.mget({ index: 'numbers', body: { ids: ['1', '99'] } })
  assert.deepEqual(found.body.docs.map((doc) => doc.found), [true, false])
  assert.equal((await client.count({ index: 'numbers', body: { query: { range: { n: { lt: 10 } } } } })).body.count, 10)
}

export async function helpers(client) {
  const datasource = Array.from({ length: 700 }, (_, n) => ({ n }))
  const onDocument = (doc) => ({ index: { _index: 'many', _id: String(doc.n) } })
  const done = await client.helpers.bulk({ datasource, onDocument, flushBytes: 2000, concurrency: 3, refreshOnCompletion: true })
  assert.equal(done.successful, 700)
  assert.equal(done.failed, 0)
  let seen = 0
  for await (const doc of client.helpers.scrollDocuments({ index: 'many', size: 90, body: { query: { match_all: {} } } })) {
    assert.equal(typeof doc.n, 'number')
    seen += 1
  }
  assert.equal(seen, 700)
  for await (const page of client.helpers.scrollSearch({ index: 'many', size: 500, body: {} })) assert.ok(page.documents.length)
  assert.equal((await client.helpers.search({ index: 'many', body: { query: { term: { n: 7 } } } }))[0].n, 7)
  const bundle = client.helpers.msearch({ operations: 4 })
  const answers = await Promise.all([1, 2, 3].map((n) => bundle.search({ index: 'many' }, { query: { term: { n } } })))
  assert.deepEqual(answers.map((answer) => answer.documents[0].n), [1, 2, 3])
  bundle.stop()
}

export async function vectorsOfTerms(client) {
  await client.index({ index: 'books', id: '1', body: { title: 'whale after whale' }, refresh: true })
  const one = await client.termvectors({ index: 'books', id: '1', fields: 'title' })
  assert.equal(one.body.term_vectors.title.terms.whale.term_freq, 2)
  const several = await client.mtermvectors({ index: 'books', body: { ids: ['1'] }, fields: 'title' })
  assert.ok(several.body.docs[0].term_vectors.title.terms.after)
}

export async function byQuery(client) {
  await fill(client, 'numbers', 60)
  const few = { query: { range: { n: { lt: 10 } } } }
  const changed = await client.updateByQuery({ index: 'numbers', body: { ...few, script: { source: 'ctx._source.m = 1' } }, refresh: true })
  assert.equal(changed.body.updated, 10)
  assert.equal((await client.deleteByQuery({ index: 'numbers', body: few, refresh: true })).body.deleted, 10)
  assert.equal((await client.reindex({ body: { source: { index: 'numbers' }, dest: { index: 'copy' } } })).body.created, 50)
  const slow = { requests_per_second: 1, wait_for_completion: false, scroll_size: 5 }
  const all = { query: { match_all: {} } }
  const started = [
    [await client.updateByQuery({ index: 'numbers', body: all, ...slow }), 'updateByQueryRethrottle'],
    [await client.deleteByQuery({ index: 'copy', body: all, ...slow }), 'deleteByQueryRethrottle'],
    [await client.reindex({ body: { source: { index: 'numbers', size: 5 }, dest: { index: 'again' } }, requests_per_second: 1, wait_for_completion: false }), 'reindexRethrottle'],
  ]
  for (const [answer, rethrottle] of started) {
    await client[rethrottle]({ task_id: answer.body.task, requests_per_second: -1 })
    const task = await client.tasks.get({ task_id: answer.body.task, wait_for_completion: true, timeout: '30s' })
    assert.equal(task.body.completed, true)
  }
}

export async function scriptsAndPipelines(client) {
  await client.putScript({ id: 'double', body: { script: { lang: 'painless', source: 'ctx._source.n *= 2' } } })
  assert.equal((await client.getScript({ id: 'double' })).body.found, true)
  assert.ok((await client.getScriptContext()).body.contexts.length)
  assert.ok((await client.getScriptLanguages()).body.language_contexts.length)
  assert.equal((await client.scriptsPainlessExecute({ body: { script: { source: '1 + 2' } } })).body.result, '3')
  await client.ingest.putPipeline({ id: 'stamp', body: { processors: [{ script: { id: 'double' } }, { set: { field: 's', value: 1 } }] } })
  assert.ok((await client.ingest.getPipeline({ id: 'stamp' })).body.stamp)
  const simulated = await client.ingest.simulate({ id: 'stamp', body: { docs: [{ _source: { a: 1 } }] } })
  assert.equal(simulated.statusCode, 200)
  assert.ok((await client.ingest.processorGrok()).body.patterns.WORD)
  await client.ingest.deletePipeline({ id: 'stamp' })
  await client.deleteScript({ id: 'double' })
}

async function fill(client, index, count) {
  const body = Array.from({ length: count }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat()
  const answer = await client.bulk({ index, body, refresh: true })
  assert.equal(answer.body.errors, false)
}
