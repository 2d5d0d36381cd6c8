// The cluster, its nodes, tasks, snapshots and tables.

import assert from 'node:assert/strict'

export async function cluster(client) {
  assert.equal((await client.ping()).body, true)
  assert.equal((await client.info()).body.version.distribution, 'opensearch')
  await client.indices.create({ index: 'a', body: { settings: { number_of_replicas: 0 } } })
  assert.equal((await client.cluster.health({ index: 'a', wait_for_status: 'green' })).body.status, 'green')
  assert.ok((await client.cluster.state({ metric: 'metadata', index: 'a' })).body.metadata.indices.a)
  assert.equal((await client.cluster.stats()).body.indices.count, 1)
  assert.deepEqual((await client.cluster.pendingTasks()).body.tasks, [])
  assert.deepEqual((await client.cluster.remoteInfo()).body, {})
  assert.equal((await client.cluster.reroute()).body.acknowledged, true)
  const explained = await client.cluster.allocationExplain({ body: { index: 'a', shard: 0, primary: true } })
  assert.equal(explained.body.current_state, 'started')
}

export async function settings(client) {
  await client.cluster.putSettings({ body: { persistent: { 'search.max_buckets': 1000 } } })
  assert.equal((await client.cluster.getSettings({ flat_settings: true })).body.persistent['search.max_buckets'], '1000')
  await client.cluster.putSettings({ body: { persistent: { 'search.max_buckets': null } } })
  await client.cluster.postVotingConfigExclusions({ node_names: 'nobody' })
  await client.cluster.deleteVotingConfigExclusions({ wait_for_removal: false })
}

export async function nodesAndTasks(client) {
  assert.equal(Object.keys((await client.nodes.info()).body.nodes).length, 1)
  assert.equal(Object.keys((await client.nodes.stats()).body.nodes).length, 1)
  assert.match((await client.nodes.hotThreads()).body, /:::/)
  assert.equal(Object.keys((await client.nodes.usage()).body.nodes).length, 1)
  assert.ok(Object.keys((await client.tasks.list({ detailed: true })).body.nodes).length)
  assert.deepEqual((await client.tasks.cancel({ actions: 'indices:data/write/update/byquery' })).body.nodes, {})
}

export async function snapshots(client, { folder }) {
  await client.index({ index: 'a', id: '1', body: { n: 1 }, refresh: true })
  const repository = 'backup'
  await client.snapshot.createRepository({ repository, body: { type: 'fs', settings: { location: folder } } })
  assert.ok((await client.snapshot.getRepository({ repository })).body.backup)
  assert.ok((await client.snapshot.verifyRepository({ repository })).body.nodes)
  const made = await client.snapshot.create({ repository, snapshot: 's1', body: { indices: 'a' }, wait_for_completion: true })
  assert.equal(made.body.snapshot.state, 'SUCCESS')
  assert.equal((await client.snapshot.get({ repository, snapshot: '_all' })).body.snapshots.length, 1)
  assert.equal((await client.snapshot.status({ repository, snapshot: 's1' })).body.snapshots[0].state, 'SUCCESS')
  await client.snapshot.clone({ repository, snapshot: 's1', target_snapshot: 's2', body: { indices: 'a' } })
  assert.equal((await client.cat.snapshots({ repository, format: 'json' })).body.length, 2)
  assert.equal((await client.cat.repositories({ format: 'json' })).body.length, 1)
  await client.indices.delete({ index: 'a' })
  await client.snapshot.restore({ repository, snapshot: 's1', wait_for_completion: true })
  assert.equal((await client.count({ index: 'a' })).body.count, 1)
  for (const snapshot of ['s1', 's2']) await client.snapshot.delete({ repository, snapshot })
  assert.ok((await client.snapshot.cleanupRepository({ repository })).body.results)
  await client.snapshot.deleteRepository({ repository })
}

export async function tables(client) {
  await client.index({ index: 'a', id: '1', body: { n: 1 }, refresh: true })
  const names = `aliases allocation clusterManager count fielddata health indices master nodeattrs nodes pendingTasks plugins
    recovery segmentReplication segments shards tasks templates threadPool`.split(/\s+/)
  for (const name of names) {
    const answer = await client.cat[name]({ format: 'json' })
    assert.ok(Array.isArray(answer.body), name)
  }
  assert.match((await client.cat.help()).body, /\/_cat\/indices/)
  assert.match((await client.list.help()).body, /\/_list\/indices/)
  assert.equal((await client.list.indices({ format: 'json' })).body.indices.length, 1)
  assert.ok((await client.list.shards({ format: 'json' })).body.shards.length)
  assert.deepEqual((await client.danglingIndices.listDanglingIndices()).body.dangling_indices, [])
}
