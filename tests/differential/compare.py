"""What two answers have in common and where they differ."""
import json
import re

# Keys whose values tell of the run rather than of the answer; `phase`: in which of its phases a search met an error that both would.
# `stack_trace`: the frames of Java. `terminated_early` without `terminate_after` tells whether the reference could count without collecting: an accident of its insides.
PASSING = {'terminated_early', 'stack_trace', 'took', 'duration_millis', 'time_in_nanos', 'time', '_scroll_id', 'pit_id', 'id', 'node', '_node', 'index_uuid', 'reduce_time', 'creation_time', 'phase', 'keep_alive'}
DIGITS = 6


def comparable(status, answer):
    """An answer without what may differ between any two runs."""
    return {'status': status, 'answer': cleaned(answer)}


def cleaned(value, key=''):
    """A JSON value without times and names of nodes."""
    if isinstance(value, dict):
        if key == 'profile' and 'shards' in value:
            return {'shards': {re.sub(r'^\[[^\]]*\]', '', shard['id']): profile_of(shard) for shard in value['shards']}}
        return {name: cleaned(inner, name) for name, inner in value.items() if name not in PASSING or (name == 'id' and key != '')}
    if isinstance(value, str):
        # By which terms candidates of a `percolate` were found stands there in the order of hashes.
        value = re.sub(r'PercolateQuery\{document_sources=.*\}\}', 'PercolateQuery', value, flags=re.DOTALL)
        # Half a character, which only Java's texts can end in.
        return value.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
    if isinstance(value, list):
        if key in ('failed_shards', 'failures'):
            # Equal failures are shown once, by the shard that failed first.
            value = [{name: inner for name, inner in one.items() if name != 'shard'} if isinstance(one, dict) else one for one in value]
        if key == 'script_stack':
            # The frames of Java are the reference's own affair; where in the script it was stands in the last two lines.
            value = value[-2:]
        made = [cleaned(inner, key) for inner in value]
        if key == 'details' and made and all(isinstance(one, dict) and 'description' in one for one in made):
            # Clauses that were rewritten stand in the order of hashes that the reference seeds anew at each start.
            return sorted(made, key=lambda one: (words_of(without_numbers(one['description'])), json.dumps(one.get('details')), one['description']))
        # Shards fail in any order, and which one's cause is shown first is chance too.
        return sorted(made, key=repr) if key in ('failed_shards', 'failures') else made
    return value


def profile_of(shard):
    """The shape of a shard's profile: kinds, descriptions and children, without times."""
    def tree(node):
        made = {'type': node.get('type'), 'description': node.get('description', '')}
        if node.get('children'):
            made['children'] = [tree(child) for child in node['children']]
        made['breakdown'] = sorted(node.get('breakdown', {}))
        if 'debug' in node:
            made['debug'] = sorted(node['debug'])
        return made

    def collector(node):
        return {'name': node['name'], 'reason': node['reason'], 'children': [collector(child) for child in node.get('children', [])]}
    def by_text(nodes):
        # Clauses of a rewritten query stand in the order of hashes that the reference seeds anew at each start.
        for node in nodes:
            if 'children' in node:
                node['children'] = by_text(node['children'])
        return sorted(nodes, key=lambda node: (node['type'], words_of(without_numbers(node['description'])), json.dumps(node.get('children')), node['description']))
    searches = [{'query': by_text([tree(node) for node in search['query']]), 'collector': [collector(node) for node in search['collector']]}
                for search in shard.get('searches', [])]
    return {'searches': searches, 'aggregations': [tree(node) for node in shard.get('aggregations', [])],
            'fetch': [tree(node) for node in shard.get('fetch', [])]}


def differences(mine, theirs, at='', limit=12):
    """Where two cleaned values differ: (path, mine, theirs) triples, at most `limit`."""
    found = []
    walk(mine, theirs, at, found, limit)
    return found


def walk(mine, theirs, at, found, limit):
    """Adds the differences below `at` to `found`."""
    if len(found) >= limit or same(mine, theirs):
        return
    if at.endswith(('description', 'explanation')) and words_of(mine) == words_of(theirs):
        return
    if at.endswith('num_reduce_phases') and isinstance(mine, int) and (theirs is ABSENT or isinstance(theirs, int) and theirs < mine):
        # Shards that can match nothing have nothing to reduce, if they hear in time that another one has answered.
        return
    if at == 'answer.profile.shards' and isinstance(mine, dict) and isinstance(theirs, dict):
        # A shard that can match nothing says nothing, if it hears in time that another one has answered.
        both = mine.keys() & theirs.keys()
        mine, theirs = ({key: side[key] for key in sorted(both)} for side in (mine, theirs))
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in list(theirs) + [key for key in mine if key not in theirs]:
            walk(mine.get(key, ABSENT), theirs.get(key, ABSENT), f'{at}.{key}' if at else key, found, limit)
        if mine.keys() == theirs.keys() and list(mine) != list(theirs) and not found and at.split('.')[-1] in ('buckets', 'highlight'):
            found.append((at, f'order of keys {list(mine)[:8]}', f'{list(theirs)[:8]}'))
    elif isinstance(mine, list) and isinstance(theirs, list):
        if len(mine) != len(theirs):
            found.append((f'{at}.length', len(mine), len(theirs)))
        for number, pair in enumerate(zip(mine, theirs)):
            walk(*pair, f'{at}.{number}', found, limit)
    else:
        found.append((at, mine, theirs))


class Absent:
    """Stands for a key that is not there."""

    def __repr__(self):
        return '(absent)'


ABSENT = Absent()


def same(mine, theirs):
    """Equality of leaves: floats by six significant digits, everything else exactly."""
    if isinstance(mine, bool) or isinstance(theirs, bool):
        return mine is theirs
    if isinstance(mine, (int, float)) and isinstance(theirs, (int, float)):
        if mine == theirs:
            return type(mine) is type(theirs)
        if isinstance(mine, int) or isinstance(theirs, int):
            return False
        return abs(mine - theirs) <= 2 * 10 ** -DIGITS * max(abs(mine), abs(theirs)) or max(abs(mine), abs(theirs)) < 1e-12
    if isinstance(mine, str) and isinstance(theirs, str) and mine != theirs:
        return scores_of(mine) == scores_of(theirs)
    return not isinstance(mine, (dict, list)) and type(mine) is type(theirs) and mine == theirs


def scores_of(text):
    """A text with its decimal fractions cut to six digits: descriptions of explanations hold computed numbers."""
    text = re.sub(r'\bc\.l\.\S+|@[0-9a-f]{5,8}\b|org\.opensearch\.painless\.node\.', '', text)
    # A formula is called by its text here, by a class made for it there.
    text = re.sub(r'^Error using .*?\. +(?=The variable|Executable)', '', text)
    # Which of two says so depends on what the script has met before.
    text = re.sub(r'because (\\*")receiver(\\*") is null', r'because \1callArgs[0]\2 is null', text)
    # Each server gives an index an identifier of its own.
    text = re.sub(r'\[([\w.-]+)/[\w-]{22}\]', r'[\1]', text)
    # Which shard is told of several that nobody may be asked about, and which of several patterns that come to too much, is the order of hashes.
    text = re.sub(r'found for shard: \[[\w.-]+\]\[\d+\]', 'found for shard: #', text)
    text = re.sub(r'Automaton \[.*\] expanded to too many terms', 'Automaton [#] expanded to too many terms', text)
    # The reference numbers deletions like documents.
    text = re.sub(r"(doesn't match id | in |for doc \[)\d+\b", r'\1#', text)
    return re.sub(r'\d+\.\d{5,}', lambda m: f'{float(m.group()):.5g}', text)


def words_of(text):
    """The parts of a query's text, whose order the reference's hashes decide."""
    return sorted(filter(None, re.split(r'[\s|()\[\]{},]+', scores_of(text)))) if isinstance(text, str) else text


def without_numbers(text):
    """A description without what depends on chance in its last digits."""
    return re.sub(r'\d+\.\d+(E-?\d+)?', '#', text)


def settle_ties(mine, theirs):
    """Puts hits of one side into the order of the other where only noise in the last digits of their scores decided it.

    Hits whose scores are exactly equal come in the order of their documents on both servers, so nothing is settled there.
    """
    hits = [side['answer'].get('hits', {}).get('hits') if isinstance(side['answer'], dict) and isinstance(side['answer'].get('hits'), dict) else None
            for side in (mine, theirs)]
    if None in hits or len(hits[0]) != len(hits[1]):
        return
    def keys(rows):
        return [(row.get('_index'), row.get('_id'), row.get('_routing')) for row in rows]
    if keys(hits[0]) == keys(hits[1]) or sorted(keys(hits[0]), key=repr) != sorted(keys(hits[1]), key=repr):
        return
    order = {key: place for place, key in enumerate(keys(hits[1]))}
    made = sorted(hits[0], key=lambda row: order[keys([row])[0]])
    scores = [row.get('_score') for row in made]
    exact = [row.get('_score') for row in hits[1]]
    noise = all(isinstance(a, float) and isinstance(b, float) and same(a, b) for a, b in zip(scores, exact))
    # Real ties on the reference's side may not be broken otherwise here.
    moved = [place for place, row in enumerate(made) if hits[0][place] is not row]
    if noise and all(exact.count(exact[place]) == 1 for place in moved):
        mine['answer']['hits']['hits'] = made


def signature(found):
    """A short name for a set of differences, equal for equal causes, more or less."""
    path, mine, theirs = found[0]
    path = re.sub(r'\.\[[^\]]*\]\[\d+\]', '.#', re.sub(r'\.\d+(?=\.|$)', '.#', path))
    path = re.sub(r'aggregations(\.[a-h]\d|\.pipe|\.beside)', 'aggregations.*', path)
    if path == 'status':
        return "unreachable" if "unreachable" in str(mine) else f"status {mine} for {theirs}"
    return path[:120]
