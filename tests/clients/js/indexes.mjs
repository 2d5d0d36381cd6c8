// Indexes, their mappings, settings, aliases and templates, and what makes one index of another.

import assert from 'node:assert/strict'

export async function lifeOfAnIndex(client) {
  await client.indices.create({ index: 'a', body: { settings: { number_of_shards: 2 } } })
  assert.equal((await client.indices.exists({ index: 'a' })).body, true)
  assert.equal((await client.indices.get({ index: 'a' })).body.a.settings.index.number_of_shards, '2')
  await client.indices.putMapping({ index: 'a', body: { properties: { title: { type: 'text' } } } })
  assert.equal((await client.indices.getMapping({ index: 'a' })).body.a.mappings.properties.title.type, 'text')
  assert.ok((await client.indices.getFieldMapping({ index: 'a', fields: 'title' })).body.a.mappings.title)
  await client.indices.close({ index: 'a' })
  await client.indices.open({ index: 'a' })
  await client.indices.addBlock({ index: 'a', block: 'write' })
  await client.indices.putSettings({ index: 'a', body: { 'index.blocks.write': null } })
  assert.equal((await client.indices.getSettings({ index: 'a' })).body.a.settings.index.blocks?.write, undefined)
  const tokens = (await client.indices.analyze({ body: { analyzer: 'english', text: 'running' } })).body.tokens
  assert.equal(tokens[0].token, 'run')
}

export async function aliases(client) {
  await client.indices.create({ index: 'a' })
  await client.indices.putAlias({ index: 'a', name: 'one' })
  await client.indices.updateAliases({ body: { actions: [{ add: { index: 'a', alias: 'two' } }] } })
  assert.equal((await client.indices.existsAlias({ name: 'two' })).body, true)
  assert.deepEqual(Object.keys((await client.indices.getAlias({ index: 'a' })).body.a.aliases).sort(), ['one', 'two'])
  await client.indices.deleteAlias({ index: 'a', name: 'one' })
}

export async function templates(client) {
  await client.cluster.putComponentTemplate({ name: 'base', body: { template: { settings: { number_of_shards: 3 } } } })
  assert.equal((await client.cluster.existsComponentTemplate({ name: 'base' })).body, true)
  assert.equal((await client.cluster.getComponentTemplate({ name: 'base' })).body.component_templates.length, 1)
  await client.indices.putIndexTemplate({ name: 'logs', body: { index_patterns: ['log-*'], composed_of: ['base'] } })
  assert.equal((await client.indices.existsIndexTemplate({ name: 'logs' })).body, true)
  assert.equal((await client.indices.getIndexTemplate({ name: 'logs' })).body.index_templates.length, 1)
  const simulated = (await client.indices.simulateIndexTemplate({ name: 'log-1' })).body
  assert.equal(simulated.template.settings.index.number_of_shards, '3')
  assert.equal((await client.indices.simulateTemplate({ name: 'logs' })).statusCode, 200)
  await client.indices.deleteIndexTemplate({ name: 'logs' })
  await client.cluster.deleteComponentTemplate({ name: 'base' })
  await client.indices.putTemplate({ name: 'old', body: { index_patterns: ['old-*'] } })
  assert.equal((await client.indices.existsTemplate({ name: 'old' })).body, true)
  assert.ok((await client.indices.getTemplate({ name: 'old' })).body.old)
  await client.indices.deleteTemplate({ name: 'old' })
}

export async function oneOfAnother(client) {
  await client.indices.create({ index: 'a', body: { settings: { number_of_shards: 2 } } })
  await client.index({ index: 'a', id: '1', body: { n: 1 }, refresh: true })
  await client.indices.putSettings({ index: 'a', body: { 'index.blocks.write': true } })
  for (const [call, target, shards] of [['clone', 'same', 2], ['shrink', 'half', 1], ['split', 'double', 4]]) {
    await client.indices[call]({ index: 'a', target, body: { settings: { 'index.number_of_shards': shards, 'index.blocks.write': null } } })
    await client.indices.refresh({ index: target })
    assert.equal((await client.count({ index: target })).body.count, 1)
  }
  await client.indices.create({ index: 'log-000001', body: { aliases: { log: { is_write_index: true } } } })
  assert.equal((await client.indices.rollover({ alias: 'log' })).body.new_index, 'log-000002')
}

export async function dataStreams(client) {
  await client.indices.putIndexTemplate({ name: 's', body: { index_patterns: ['stream*'], data_stream: {} } })
  await client.indices.createDataStream({ name: 'stream' })
  assert.equal((await client.indices.getDataStream({ name: 'stream' })).body.data_streams.length, 1)
  assert.equal((await client.indices.dataStreamsStats({ name: 'stream' })).body.data_stream_count, 1)
  assert.equal((await client.indices.resolveIndex({ name: 'stream' })).body.data_streams.length, 1)
  const properties = { '@timestamp': { type: 'date' } }
  await client.indices.create({ index: 'older', body: { mappings: { properties } } })
  const actions = [{ add_backing_index: { data_stream: 'stream', index: 'older' } }]
  assert.equal((await client.indices.modifyDataStream({ body: { actions } })).body.acknowledged, true)
  await client.indices.deleteDataStream({ name: 'stream' })
  await client.indices.deleteIndexTemplate({ name: 's' })
}

export async function upkeep(client) {
  await client.index({ index: 'a', id: '1', body: { n: 1 } })
  for (const call of ['refresh', 'flush', 'forcemerge', 'clearCache', 'upgrade']) {
    assert.equal((await client.indices[call]({ index: 'a' })).body._shards.failed, 0, call)
  }
  assert.equal((await client.indices.stats({ index: 'a' })).body._all.primaries.docs.count, 1)
  assert.ok((await client.indices.segments({ index: 'a' })).body.indices.a)
  assert.equal((await client.indices.recovery({ index: 'a' })).body.a.shards[0].stage, 'DONE')
  assert.ok((await client.indices.shardStores({ index: 'a', status: 'all' })).body.indices.a)
  assert.equal((await client.indices.getUpgrade({ index: 'a' })).statusCode, 200)
}
