// Drives a node with opensearch-js: every call of the client that the product answers, and the client's helpers.
//
//   drive.mjs URL FOLDER      FOLDER is one below the node's path.repo
//
// A call that no test made and that OUTSIDE does not name is a failure too, so that a new release of the client shows what it adds.

import { Client } from '@opensearch-project/opensearch'
import * as administration from './administration.mjs'
import * as documents from './documents.mjs'
import * as indexes from './indexes.mjs'
import * as searching from './searching.mjs'

// Name spaces of plugins, and calls of the core that need what a single node does not have.
const OUTSIDE = new Set(
  `asynchronousSearch flowFramework geospatial insights ism knn ltr ml neural notifications observability ppl query replication
   rollups searchRelevance security securityAnalytics sm sql transforms ubi wlm ingestion remoteStore http
   cluster.deleteDecommissionAwareness cluster.getDecommissionAwareness cluster.putDecommissionAwareness
   cluster.deleteWeightedRouting cluster.getWeightedRouting cluster.putWeightedRouting
   danglingIndices.deleteDanglingIndex danglingIndices.importDanglingIndex nodes.reloadSecureSettings
   tasks.delete bulkStream
   child close constructor emit extend off on once`.split(/\s+/)
)

const NOT_A_SPACE = new Set(['transport', 'connectionPool', 'serializer', 'helpers', 'name'])

function members(object) {
  const names = new Set()
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    Object.getOwnPropertyNames(at).forEach((name) => names.add(name))
  }
  return [...names].filter((name) => !name.includes('_') && name !== 'constructor')
}

// Every call that the client has, as 'call' or 'space.call'.
function calls(client) {
  const found = []
  for (const name of members(client)) {
    const member = client[name]
    if (typeof member === 'function') found.push(name)
    else if (member && typeof member === 'object' && !NOT_A_SPACE.has(name)) {
      for (const inner of members(member)) if (typeof member[inner] === 'function') found.push(`${name}.${inner}`)
    }
  }
  return found
}

// The client, which remembers what was called; `space` is the name of what it stands for with a dot.
function recorded(inner, seen, space = '') {
  return new Proxy(inner, {
    get(target, name) {
      const member = target[name]
      if (typeof member === 'function') {
        seen.add(space + String(name))
        return member.bind(target)
      }
      const isSpace = member && typeof member === 'object' && !space && !NOT_A_SPACE.has(name)
      return isSpace ? recorded(member, seen, `${String(name)}.`) : member
    },
  })
}

const [url, folder] = process.argv.slice(2)
const plain = new Client({ node: url, requestTimeout: 60000, maxRetries: 0 })
const seen = new Set()
const failed = []
let passed = 0
for (const room of [documents, searching, indexes, administration]) {
  for (const [name, test] of Object.entries(room)) {
    await plain.indices.delete({ index: '*' })
    try {
      await test(recorded(plain, seen), { folder, url })
      passed += 1
    } catch (error) {
      failed.push(name)
      console.log(`FAILED ${name}\n${error.stack}\n${JSON.stringify(error.meta?.body ?? null)}`)
    }
  }
}
for (const name of calls(plain)) {
  if (seen.has(name) || OUTSIDE.has(name) || OUTSIDE.has(name.split('.')[0])) continue
  failed.push(name)
  console.log(`FAILED no test calls ${name}`)
}
console.log(`opensearch-js: ${passed} tests passed, ${seen.size} calls made, ${failed.length} failures`)
process.exit(failed.length ? 1 : 0)
