"""Draws indexes: settings, mappings, documents, and asks both servers for what is in them.

    scripts/differential-drawn --pith URL --reference URL [--seed N] [--count N] [--only SEED]

Each index has a seed of its own. What differs is shown by seed and request; `--only` repeats one seed.
"""
import argparse
import json
import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from client import Side, Unreachable
from compare import comparable, differences, settle_ties
from dice import Dice
from drawn import changes, documents, fields, reads, searches, settings
from known import ANSWERS
from minimise import minimise

# Types whose columns an index may be sorted by.
SORTABLE = ('long', 'integer', 'short', 'byte', 'double', 'float', 'half_float', 'scaled_float', 'date', 'date_nanos', 'keyword', 'boolean', 'unsigned_long')


def main():
    """Parses the options and runs seed after seed."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--pith', required=True)
    parser.add_argument('--reference', required=True)
    parser.add_argument('--seed', type=int, default=int(time.time()))
    parser.add_argument('--count', type=int, default=20, help='how many indexes')
    parser.add_argument('--searches', type=int, default=50, help='how many requests to each')
    parser.add_argument('--only', type=int, help='the seed of one index')
    parser.add_argument('--each', type=int, default=2, help='how many of each kind of difference to show')
    parser.add_argument('--seconds', type=int, default=10**9, help='begin no index after that time')
    parser.add_argument('--prefix', default='drawn-')
    options = parser.parse_args()
    run = Run(options)
    for seed in [options.only] if options.only is not None else range(options.seed, options.seed + options.count):
        if time.time() - run.start < options.seconds:
            run.index(seed)
    run.summary()
    sys.exit(1 if run.kinds else 0)


# What the reference answers to what it trips over.
STUMBLES = ['AnalysisPredicateScript$Token', *(text for text, _ in ANSWERS), 'TokenStream contract violation', 'this code path should never get executed', 'java.lang.Integer cannot be cast to class java.lang.String']

# How often what was refused of an index is left out before it is given up.
REPAIRS = 25


def repaired(dice, body, reason):
    """Leaves out of an index what it was refused for, or anything."""
    words = set(re.findall(r'[\w.]+', reason))
    mapping, index = body['mappings'], body['settings']['index']
    spots = []

    def look(holder, depth):
        for name, one in list(holder.items()):
            if name in words or f'index.{name}' in words:
                # The last words of a reason are nearest to what is wrong.
                spots.append((reason.rfind(name) + depth, holder, name))
            if isinstance(one, dict):
                look(one, depth)
    look(mapping, 0)
    look(index, 0)
    if 'properties' in mapping:
        spots = [spot for spot in spots if spot[1:] != (mapping, 'properties') and spot[2] not in ('type', 'properties')]
    if spots and dice.chance(0.9):
        _, holder, name = dice.one(spots)
    else:
        holder = dice.one([mapping['properties'], mapping['properties'], index, mapping, index.get('analysis') or index])
        name = dice.one([one for one in holder if one not in ('properties', 'number_of_shards', 'refresh_interval')] or [None])
    holder.pop(name, None)


# Posts that change nothing, so that they can be sent again.
ASKING = ('/_search', '/_msearch', '/_explain', '/_count', '/_validate', '/_analyze', '/_termvectors', '/_mtermvectors', '/_field_caps', '/_mget')


class Run:
    """Both servers, and what has been found."""

    def __init__(self, options):
        self.options, self.start = options, time.time()
        self.sides = [Side('pith', options.pith, 30), Side('reference', options.reference, 30)]
        self.pool, self.kinds, self.compared, self.seed, self.left_out, self.made, self.refusal = ThreadPoolExecutor(2), Counter(), 0, 0, 0, 0, ''

    def index(self, seed):
        """One index: made, filled, asked, deleted."""
        self.seed, self.apart, self.changed, dice = seed, False, False, Dice(f'index {seed}')
        name = f'{self.options.prefix}{seed}'
        made, names = settings.settings(dice)
        mapping = fields.mapping(dice, names)
        columns = [path for path, one, nested in fields.leaves(mapping['properties']) if one.get('type') in SORTABLE and not nested and '.' not in path]
        if columns and dice.chance(0.2):
            made |= settings.sort_settings(dice, columns)
        if 'routing_partition_size' in made:
            mapping['_routing'] = {'required': True}
        body = {'settings': {'index': made}, 'mappings': mapping}
        self.both('DELETE', f'/{name}')
        status = self.check('create', 'PUT', f'/{name}', body)
        for _ in range(REPAIRS):
            if status == 200:
                break
            self.both('DELETE', f'/{name}')
            repaired(dice, body, self.refusal)
            status = self.check('create', 'PUT', f'/{name}', body)
        if self.options.only is not None:
            print(json.dumps(body, ensure_ascii=False))
        try:
            if status == 200:
                self.made += 1
                ids = self.fill(dice, name, mapping)
                # What follows from a document that one of the two has refused is not worth showing.
                if not self.apart:
                    self.describe(name)
                    self.ask(dice, name, ids)
                    self.reindex(dice, name)
                    self.change(Dice(f'changes {seed}'), name, mapping, names, made, ids)
        finally:
            self.both('DELETE', f'/{name},{name}-*?ignore_unavailable=true')

    def fill(self, dice, name, mapping):
        """Writes documents one after the other, changes some, merges or does not."""
        routed = mapping.get('_routing')
        count, ids, segments = dice.int(30, 60), [], dice.chance(0.3)
        joined = 'join' in json.dumps(mapping)
        for number in range(count):
            routing = '?routing=' + str(dice.int(0, 3)) if joined or routed and dice.chance(0.95) else ''
            self.check('document', 'PUT', f'/{name}/_doc/{number}{routing}', documents.document(dice, mapping['properties'], dice.one([0.0, 0.0, 0.05])))
            ids.append(f'{number}')
            if segments and dice.chance(0.05):
                self.check('refresh', 'POST', f'/{name}/_refresh')
        changed = dice.chance(0.3) and not joined and not routed
        self.changed = bool(changed)
        for number in dice.some(ids, 1, 6) if changed else []:
            if dice.chance(0.4):
                self.check('delete', 'DELETE', f'/{name}/_doc/{number}')
            else:
                self.check('update', 'POST', f'/{name}/_update/{number}', {'doc': documents.document(dice, mapping['properties'], 0)})
        self.check('refresh', 'POST', f'/{name}/_refresh')
        # The reference merges segments in the order of their sizes.
        if not changed and not segments:
            self.both('POST', f'/{name}/_forcemerge?max_num_segments=1')
            self.both('POST', f'/{name}/_refresh')
        return ids

    def describe(self, name):
        """The index as it tells of itself."""
        # Documents that were refused as they were written are deleted ones as well.
        docs = self.sides[1].call('GET', f'/{name}/_stats/docs')[1]['_all']['primaries'].get('docs', {})
        self.changed |= docs.get('deleted', 0) > 0
        for path in ('_mapping', '_mapping/field/*', '_settings', '_field_caps?fields=*', '_stats/docs', '_count', '_search?size=100&sort=_doc&stored_fields=*'):
            if self.changed and ('_stats' in path or '_doc' in path):
                # What the reference writes for a deletion is counted like a document, and moves those that follow.
                continue
            self.check('tells ' + path.split('?')[0], 'GET', f'/{name}/{path}')

    def ask(self, dice, name, ids):
        """Searches and the like over the fields that are there."""
        answer = self.sides[1].call('GET', f'/{name}/_mapping')[1]
        known = searches.Fields(fields.leaves(answer[name]['mappings'].get('properties', {})))
        self.known = known
        for number in range(self.options.searches * 2):
            method, path, body = (searches, reads)[number % 2].request(Dice(f'search {self.seed}:{number // 2}'), known, name, ids)
            if '_validate' in path and known.all and self.shards(name) > 1 or self.changed and 'significant' in json.dumps(body):
                continue
            if self.changed and '/_search' in path and isinstance(body, dict) and 'suggest' not in body:
                body['sort'] = body.get('sort', ['_score']) + [{'_seq_no': 'asc'}]
                body.pop('rescore', None)
            self.check('ask', method, path, body, number)

    def reindex(self, dice, name):
        """Writes the documents to another index, of another mapping."""
        _, names = settings.settings(dice)
        mapping = fields.mapping(dice, {kind: [] for kind in names})
        body = {'settings': {'index': {'number_of_shards': 1, 'number_of_replicas': 0, 'refresh_interval': '-1'}}, 'mappings': mapping}
        status = 0
        for _ in range(REPAIRS):
            status = self.check('create', 'PUT', f'/{name}-two', body)
            if status == 200:
                break
            self.both('DELETE', f'/{name}-two')
            repaired(dice, body, self.refusal)
        if status == 200:
            copied = {'conflicts': 'proceed', 'source': {'index': name, 'sort': '_seq_no'}, 'dest': {'index': f'{name}-two'}}
            self.check('reindex', 'POST', '/_reindex?refresh=true', copied)
            for path in ('_mapping', '_count'):
                self.check('reindexed', 'GET', f'/{name}-two/{path}')

    def change(self, dice, name, mapping, names, made, ids):
        """Changes the index, as long as both servers have done the same."""
        self.changed = True
        for number, (method, path, body) in enumerate(changes.requests(dice, name, mapping, names, made, ids, self.known)):
            if self.apart:
                return
            self.check('change', method, path, body, f'c{number}')

    def shards(self, name):
        """How many shards an index has."""
        return int(self.sides[1].call('GET', f'/{name}/_settings')[1][name]['settings']['index']['number_of_shards'])

    def both(self, method, path, body=None):
        """The answers of both servers."""
        def one(side):
            try:
                place, _, params = path.partition('?')
                return comparable(*side.call(method, place, body, dict(part.split('=', 1) for part in params.split('&')) if params else None))
            except Unreachable as error:
                if side is self.sides[1]:
                    side.returned(60)
                return {'status': f'unreachable {error}', 'answer': {}}
        return list(self.pool.map(one, self.sides))

    def differ(self, method, path, body, again=2):
        """Differences between the answers, and the status of the reference."""
        mine, theirs = self.both(method, path, body)
        self.refusal = json.dumps(theirs['answer'].get('error', '') if isinstance(theirs['answer'], dict) else '')
        for side in (mine, theirs):
            side['answer'] = settled(side['answer'])
        if str(theirs['status']).startswith('unreachable') or any(text in json.dumps(theirs['answer']) for text in STUMBLES):
            self.left_out += 1
            self.apart |= method != 'GET' and '_search' not in path
            return [], theirs['status']
        if mine == theirs:
            return [], theirs['status']
        settle_ties(mine, theirs)
        found = differences(mine, theirs)
        if self.changed and found and re.search(r'score|explanation|bg_count|suggest|_statistics|terms', found[0][0] + path[-40:].partition('_')[2]):
            # What is deleted counts in statistics until it is merged away, which each server does at other times.
            return [], theirs['status']
        if found and again and method == 'POST' and any(word in path for word in ASKING):
            return self.differ(method, path, body, again - 1)
        return found, theirs['status']

    def check(self, kind, method, path, body=None, number=''):
        """Compares one request; the status of the reference."""
        found, status = self.differ(method, path, body)
        self.compared += 1
        if self.apart and found and '_seq_no' in found[0][0]:
            return status
        if found:
            if kind in ('document', 'update', 'delete', 'change') and method != 'GET' and '/_search' not in path and (found[0][0] == 'status' or '_seq_no' in found[0][0]):
                self.apart = True
            what = f'{kind} | {sign(found)}'
            self.kinds[what] += 1
            if self.kinds[what] <= self.options.each:
                if kind == 'ask' and isinstance(body, dict):
                    wanted = sign(found)
                    body = minimise(body, lambda smaller: sign(self.differ(method, path, smaller, 0)[0]) == wanted)
                    found = self.differ(method, path, body)[0] or found
                print(f'\n--- {self.seed}:{number} {what}\n{method} {path} {json.dumps(body, ensure_ascii=False)[:3000]}')
                for place, mine, theirs in found[:4]:
                    print(f'  {place}\n    pith      {brief(mine)}\n    reference {brief(theirs)}', flush=True)
        return status

    def summary(self):
        """Prints the counts."""
        print(f'\n{self.compared} requests to {self.made} indexes compared in {time.time() - self.start:.0f} s, {sum(self.kinds.values())} differ, {self.left_out} left out')
        for what, number in self.kinds.most_common():
            print(f'{number:6} {what}')


# What each server draws for itself: names of nodes, times of pipelines.
PASSING = ('uuid', 'creation_date', 'initial_recovery', 'timestamp')


def settled(value):
    """An answer without what each server makes for itself."""
    if isinstance(value, dict):
        # Of documents with a routing the reference does not always know what was ignored.
        left_out = PASSING + (('_ignored',) if '_routing' in value else ())
        return {name: settled(inner) for name, inner in value.items() if name not in left_out}
    if isinstance(value, list):
        return [settled(inner) for inner in value]
    return re.sub(r'\[([\w.-]+)/[\w-]{22}\]', r'[\1]', value) if isinstance(value, str) else value


def sign(found):
    """A name for a kind of difference."""
    if not found:
        return ''
    path, mine, theirs = found[0]
    path = re.sub(r'\.\d+(?=\.|$)', '.#', path)
    path = re.sub(r'\b([fpmalctn])\d+\b', r'\1N', path)
    path = re.sub(r'drawn[\w-]*-\d+', 'INDEX', path)
    text = re.sub(r'[fpmudoa]\d+|\d+', 'N', f'{str(mine)[:40]} / {str(theirs)[:60]}') if path == 'status' or 'reason' in path or path.endswith('type') else ''
    if path == 'status' and len(found) > 1:
        text += ' ' + next((re.sub(r'\d+', 'N', f'{str(m)[:60]} / {str(t)[:80]}') for p, m, t in found if 'error' in p), '')
    return f'{path} {text}'


def brief(value):
    """A value in one line that is not too long."""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else repr(value)
    return text if len(text) < 700 else text[:700] + '…'


if __name__ == '__main__':
    main()
