"""Sends generated requests to Pith and to the reference at once and compares the answers.

    scripts/differential --pith URL --reference URL [--witness URL] [--seed N] [--count N] [--kind KIND ...] [--index PREFIX ...]

Every request is drawn from a seed of its own, `SEED:NUMBER`: `--only SEED:NUMBER` repeats one. The first request of each
kind of difference is made smaller as long as it differs in the same way, and printed with both answers.
"""
import argparse
import copy
import json
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import corpora
import requests
from client import Side, Unreachable
from compare import differences, settle_ties, signature
from dice import Dice
from kinds import members
from known import known
from minimise import minimise
from schema import schemas


def main():
    """Parses the options, loads the corpora, compares, and fails if anything differed."""
    options = parse()
    corpora.PREFIX = options.prefix
    sides = [Side('pith', options.pith), Side('reference', options.reference)]
    Side.patience = options.patience
    witness = [Side('witness', options.witness)] if options.witness else []
    names = corpora.load(sides + witness, options.corpora, options.scale, options.index, options.fresh)
    if options.load_only:
        return
    members.learn(sides[1])
    found = Tally(options)
    with ThreadPoolExecutor(2) as pool:
        compare_all(options, sides + witness, schemas(names, options.corpora, options.scale), pool, found)
    found.summary()
    sys.exit(1 if found.different else 0)


def parse():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--pith', required=True)
    parser.add_argument('--reference', required=True)
    parser.add_argument('--witness', help='a second reference, loaded alike: what the two answer differently has no answer to agree with')
    parser.add_argument('--seed', default=str(int(time.time())))
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--kind', action='append', help='one of ' + ', '.join(requests.KINDS))
    parser.add_argument('--index', action='append', help='indexes whose name begins so: every, packages, rfc')
    parser.add_argument('--corpora', default='../shared/corpora', help='folder of packages.ndjson and rfc.ndjson')
    parser.add_argument('--scale', type=float, default=1.0, help='share of the corpora to load')
    parser.add_argument('--prefix', default=corpora.PREFIX, help='what names of indexes begin with: runs beside each other need their own')
    parser.add_argument('--fresh', action='store_true', help='load again what is there')
    parser.add_argument('--load-only', action='store_true')
    parser.add_argument('--only', help='SEED:NUMBER of one request to repeat')
    parser.add_argument('--report', help='file that every difference is appended to as a line of JSON')
    parser.add_argument('--plain', action='store_true', help='show requests as they were drawn')
    parser.add_argument('--skip', action='append', default=[], help='leave out requests that hold this text')
    parser.add_argument('--patience', type=int, default=0, help='seconds to wait for a server that has ended and is being started anew')
    parser.add_argument('--each', type=int, default=1, help='how many of each kind of difference to make smaller and show')
    return parser.parse_args()


def compare_all(options, sides, known_schemas, pool, found):
    """Draws, runs and compares requests one after the other."""
    print(f'seed {options.seed}', flush=True)
    table = {kind: row[2] for kind, row in requests.KINDS.items() if row[2]}
    for number in range(options.count):
        name = options.only or f'{options.seed}:{number}'
        dice = Dice(name)
        schema = dice.one(known_schemas)
        kind = dice.one(options.kind) if options.kind else dice.weighted(table)
        request = requests.draw(dice, schema, kind)
        if not known(request) and not any(text in json.dumps([request['body'], request['params']]) for text in options.skip):
            difference = differ(sides, request, pool)
            found.count(name, request, difference, lambda smaller, repeats: differ(sides, smaller, pool, repeats))
        if options.only:
            if options.each > 1:
                print(json.dumps(request))
            return


# How often the reference is asked again where a difference shows, and the kinds whose answer a repetition changes.
REPEATS, CHANGING = 6, ('update', 'store')


def differ(sides, request, pool, repeats=REPEATS):
    """Runs a request on both sides; the differences between the answers, of which there may be none. None: they cannot be compared."""
    mine, theirs = pool.map(lambda side: ask(side, request), sides[:2])
    found = compared(request, mine, theirs)
    if not found or request['kind'] in CHANGING:
        return found
    for _ in range(repeats):
        # Some answers depend on which shard is heard of first: those that the reference gives too are right.
        again = ask(sides[1], request)
        left = compared(request, mine, again)
        if not left:
            return left
        if compared(request, again, theirs):
            return None
    for witness in sides[2:]:
        # Others depend on what a process draws when it starts, and on when its shards merged their segments.
        answer = ask(witness, request)
        if not compared(request, mine, answer):
            return []
        if compared(request, theirs, answer):
            return None
    return found


def ask(side, request):
    """The answers of one side."""
    try:
        for seconds in (0, 1, 2, 4, 8):
            # A full heap is collected in a while; most of what fills it is other requests' garbage.
            time.sleep(seconds)
            answers = requests.run(side, request)
            if not any(full(answer) for answer in answers):
                break
        return answers
    except Unreachable as error:
        side.returned(side.patience)
        return [{'status': f'unreachable: {error}', 'answer': {}}]


def compared(request, mine, theirs):
    """The differences between two lists of answers. None: they cannot be compared."""
    if any(str(answer['status']).startswith('unreachable') for answer in theirs):
        # The reference dies of some requests, and to others it never answers.
        return None
    if len(mine) != len(theirs) and (any(known(request, answer) for answer in theirs) or request['kind'] == 'scroll' and loses_hits(theirs)):
        return None
    if len(mine) != len(theirs):
        return [('pages', len(mine), len(theirs))]
    for pair in zip(copy.deepcopy(mine), theirs):
        if known(request, pair[1]):
            return None
        if pair[0] != pair[1]:
            settle_ties(*pair)
            found = differences(*pair)
            if found:
                return found
    return []


def loses_hits(pages):
    """Whether a scroll ended before it had all the hits that it counted."""
    pages = [page['answer']['hits'] for page in pages if isinstance(page['answer'], dict) and 'hits' in page['answer']]
    total = (pages[0].get('total') or {}) if pages else {}
    return bool(pages) and not pages[-1]['hits'] and total.get('relation') == 'eq' and sum(len(page['hits']) for page in pages) < total['value']


def full(answer):
    """Whether a server refused for want of memory."""
    return answer['status'] == 429 and 'circuit_breaking_exception' in json.dumps(answer['answer'])


class Tally:
    """What has been compared, and what differed by its signature."""

    def __init__(self, options):
        self.options, self.compared, self.different, self.left_out = options, 0, 0, 0
        self.kinds = Counter()
        self.start = time.time()

    def count(self, name, request, found, again):
        """Counts one request; shows it, made smaller, if its kind of difference is new."""
        if found is None:
            self.left_out += 1
            return
        self.compared += 1
        if not found:
            return
        self.different += 1
        what = ' | '.join([request['kind'], *filter(None, [request['params'].get('about')]), signature(found)])
        self.kinds[what] += 1
        if self.kinds[what] <= self.options.each:
            wanted = signature(found)
            if request['body'] is not None and not self.options.plain:
                def differs(body):
                    made = again(request | {'body': body}, 0)
                    return bool(made) and signature(made) == wanted
                request = request | {'body': minimise(request['body'], differs)}
                found = again(request, REPEATS) or found
            self.show(name, what, request, found)

    def show(self, name, what, request, found):
        """Prints one difference."""
        print(f"\n--- {name} {what}\n{request['index']} {json.dumps(request['params'])} {json.dumps(request['body'])}")
        for path, mine, theirs in found[:5]:
            print(f'  {path}\n    pith      {brief(mine)}\n    reference {brief(theirs)}', flush=True)
        if self.options.report:
            with open(self.options.report, 'a', encoding='utf-8') as file:
                file.write(json.dumps({'name': name, 'what': what, 'request': request, 'differences': [[p, repr(m), repr(t)] for p, m, t in found]}) + '\n')

    def summary(self):
        """Prints the counts."""
        print(f'\n{self.compared} requests compared in {time.time() - self.start:.0f} s, {self.different} differ, {self.left_out} cannot be compared (seed {self.options.seed})')
        for what, number in self.kinds.most_common():
            print(f'{number:6} {what}')


def brief(value):
    """A value in one line that is not too long."""
    text = repr(value) if not isinstance(value, (dict, list)) else json.dumps(value, ensure_ascii=False)
    return text if len(text) < 600 else text[:600] + '…'


if __name__ == '__main__':
    main()
