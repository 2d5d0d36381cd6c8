"""The indexes that requests go to, loaded into both servers by the same bulk requests in the same order."""
import copy
import hashlib
import json
from pathlib import Path

import assorted
import synthetic

PREFIX = 'diff-'
SETTINGS = {'number_of_replicas': 0, 'refresh_interval': '-1', 'max_result_window': 20000}
BULK = 1000


def corpus_lines(folder, name, step, most):
    """Every `step`-th document of a corpus file as bulk lines."""
    lines = []
    with open(Path(folder) / f'{name}.ndjson', encoding='utf-8') as file:
        for number, line in enumerate(file):
            if number % step == 0:
                lines += [{'index': {'_id': str(number)}}, line]
            if len(lines) >= 2 * most:
                break
    return lines


def corpus_mapping(name):
    """Mapping of a corpus, with ways to highlight and to sort that its benchmark mapping does not need."""
    text, keyword, integer = {'type': 'text'}, {'type': 'keyword'}, {'type': 'integer'}
    raw = {'type': 'text', 'fields': {'raw': {'type': 'keyword', 'ignore_above': 256}}}
    vector = {'type': 'text', 'term_vector': 'with_positions_offsets'}
    properties = {
        'packages': {
            'name': raw, 'summary': vector, 'description': {'type': 'text', 'index_options': 'offsets'}, 'n_depends': integer,
            'size': {'type': 'long'}, 'installed_kb': {'type': 'long'}, 'version': keyword, 'source': keyword,
            'component': keyword, 'section': keyword, 'priority': keyword, 'arch': keyword, 'maintainer': keyword,
            'tags': keyword, 'depends': keyword, 'home': keyword},
        'rfc': {
            'rfc': integer, 'title': raw, 'status': keyword, 'published': {'type': 'date'}, 'authors': keyword,
            'keywords': keyword, 'para': integer, 'section': text, 'length': integer,
            'text': {'type': 'text', 'fields': {'english': {'type': 'text', 'analyzer': 'english'}}}},
    }[name]
    return {'dynamic': 'strict', 'properties': properties}


def definitions(folder, scale):
    """Index name → (shards, settings, mapping, batches of bulk lines, whether to merge to one segment)."""
    # What is merged has no deleted documents: the reference keeps them in merged segments for a while, for its replicas' sake.
    whole = [synthetic.actions()]
    changed = synthetic.actions(2)
    batches = [changed[i:i + 200] for i in range(0, len(changed), 200)] + [synthetic.changes()]
    found = {
        'every-1': (1, {'analysis': synthetic.ANALYSIS}, synthetic.MAPPING, whole, True),
        'every-5': (5, {'analysis': synthetic.ANALYSIS}, synthetic.MAPPING, whole, True),
        # Several segments, and deleted documents that still count in statistics.
        'every-segments': (2, {'analysis': synthetic.ANALYSIS}, synthetic.MAPPING, batches, False),
    }
    # Routed documents, and options of mappings.
    for shards in (1, 3):
        found[f'assorted-{shards}'] = (shards, {'analysis': assorted.ANALYSIS, 'similarity': assorted.SIMILARITIES}, assorted.MAPPING, [assorted.actions()], True)
    for name, step, most in (('packages', 3, int(20000 * scale)), ('rfc', 37, int(30000 * scale))):
        lines = corpus_lines(folder, name, step, most)
        batches = [lines[i:i + 2 * BULK] for i in range(0, len(lines), 2 * BULK)]
        for shards in (1, 5):
            found[f'{name}-{shards}'] = (shards, None, corpus_mapping(name), batches, True)
    return found


def ndjson(lines):
    """Bulk lines as text."""
    return ''.join(line if isinstance(line, str) else json.dumps(line) + '\n' for line in lines)


def load(sides, folder, scale, only=None, fresh=False):
    """Makes sure that both servers hold every index; a digest in the mapping tells whether an index is up to date."""
    names = []
    for name, (shards, own, mapping, batches, merge) in definitions(folder, scale).items():
        if only and not any(name.startswith(prefix) for prefix in only):
            continue
        names.append(PREFIX + name)
        texts = [ndjson(batch) for batch in batches]
        digest = hashlib.sha256(json.dumps([shards, own, mapping, merge, texts]).encode()).hexdigest()[:16]
        mapping = copy.deepcopy(mapping) | {'_meta': {'digest': digest}}
        settings = {'index': SETTINGS | {'number_of_shards': shards}} | (own or {})
        for side in sides:
            load_one(side, PREFIX + name, {'settings': settings, 'mappings': mapping}, texts, merge, digest, fresh)
    return names


def load_one(side, index, definition, texts, merge, digest, fresh):
    """Loads one index into one server, unless it is there."""
    status, answer = side.call('GET', f'/{index}/_mapping')
    if status == 200 and not fresh and answer[index]['mappings'].get('_meta', {}).get('digest') == digest:
        return
    print(f'loading {index} into {side.name}', flush=True)
    if status == 200:
        side.must('DELETE', f'/{index}')
    meta = definition['mappings'].pop('_meta')
    side.must('PUT', f'/{index}', definition)
    for text in texts:
        answer = side.call('POST', f'/{index}/_bulk', text)[1]
        bad = [entry for row in answer['items'] for entry in row.values() if 'error' in entry]
        if bad:
            raise SystemExit(f'{side.name}: bulk into {index}: {json.dumps(bad[:3])[:3000]}')
        if not merge:
            side.must('POST', f'/{index}/_refresh')
    side.must('POST', f'/{index}/_refresh')
    if merge:
        side.must('POST', f'/{index}/_forcemerge', params={'max_num_segments': 1})
        side.must('POST', f'/{index}/_refresh')
    # A server that some request ends comes back with the segments that it has committed.
    side.must('POST', f'/{index}/_flush')
    # The digest comes last: an index whose loading was broken off is loaded anew.
    side.must('PUT', f'/{index}/_mapping', {'_meta': meta})
    definition['mappings']['_meta'] = meta
