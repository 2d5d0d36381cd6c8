"""Requests that cannot be compared, each with the reason.

The reference's own answer to these changes from run to run, or the request ends its process. Everything else is compared.
"""
import json
import re

import corpora

# (text that occurs in the request, why it is left out)
REQUESTS = [("doc['flat.red']", 'of a part of a flat object it gives the first of all parts, with its path'),
            ("doc['same']", 'of a constant it gives the name of the index')]

# (text that occurs in the reference's answer, why the answer is not compared)
ANSWERS = [('circuit_breaking_exception', 'its heap is full: it says so at another time than Pith would'),
           ('For input string: \\"bad\\"', 'of documents with a routing value it does not know what was ignored, and `fields` of these fails'),
           ('failed to parse date field [never]', 'the same, of dates'),
           ("'bad' is not an IP string literal", 'the same, of addresses'),
           ('null_pointer_exception', 'it trips over itself: there is no answer to agree with'),
           ('"unsupported_operation_exception", "reason": null', 'the same: sorts by nested documents that have none'),
           ('index_out_of_bounds_exception', 'the same, with arrays and with lists'),
           ('ScoreDoc cannot be cast to class', 'the same: completions of several shards beside groups, where there are fewer of these than were asked for'),
           ('no_such_element_exception', 'the same: `auto_date_histogram` with a `minimum_interval` on a shard that has none'),
           ('Sub-iterators of ConjunctionDISI are not on the same document', 'the same: intervals that are looked for twice'),
           ('negative_array_size_exception', 'its compiler of scripts trips over a list that nothing is made of'),
           ('MissingValues$', 'the same: what stands in for a field that is not there, in `diversified_sampler`'),
           ("Can't compute score on document", 'the same: it asks the query for the scores of completions, where hits are sorted and scores tracked'),
           ('FieldType@', 'it shows an object by where it is in its memory'),
           ('read past EOF', 'the same: scripts that read addresses of documents without any'),
           ('verify_error', 'its compiler of scripts makes code that Java refuses: `instanceof` of a long or a double')]


# Histograms from the greatest key on, below those whose buckets are joined.
DESCENDING_WITHIN = r'"variable_width_histogram": .*"(date_)?histogram": \{([^{}]|\{[^{}]*\})*"order": \{"_key": "desc"\}'


def bodies_of(request):
    """The searches of a request: several of `_msearch`."""
    body = request['body'] or {}
    return body.get('rows') or [body]


def inner_hits_of_groups(body):
    """What is asked of the hits that a `collapse` puts together, where it is well formed."""
    collapse = body.get('collapse')
    inner = collapse.get('inner_hits') if isinstance(collapse, dict) else None
    return [one for one in (inner if isinstance(inner, list) else [inner]) if isinstance(one, dict)]


def post_filtered_sort(body):
    """Whether hits of all documents are filtered after they were sorted."""
    query = body.get('query')
    return bool(body.get('post_filter') and body.get('sort') and body.get('track_total_hits') is not True and query is not None and 'match_all' in query)


def known(request, answer=None):
    """Whether a request, or the reference's answer to it, cannot be compared."""
    if request['kind'] in ('validate', 'validate_url') and not request['index'].endswith('-1'):
        # The reference asks any one shard, and terms differ from shard to shard.
        return True
    if request['kind'] == 'analyze' and 'thai' in (text := json.dumps(request['body'], ensure_ascii=False)) and re.search('[\u0e00-\u0e7f]', text):
        # Where words of Thai end is told by a dictionary, and that of Java's runtime has other words than the one that is used here.
        return True
    if answer is not None and request['kind'] == 'analyze' and '\ufffd' in json.dumps(answer, ensure_ascii=False) and '\ufffd' not in json.dumps(request['body'], ensure_ascii=False):
        # A token that was cut within a character ends in half of it, which only Java's texts can.
        return True
    if answer is not None and 'span_multi' in json.dumps(request['body']) and 'cannot run SpanTermQuery (term=' in json.dumps(answer):
        # Of the terms that a pattern or prefix comes to, the first in the order of hashes is told, which it seeds anew at each start.
        return True
    if request['params'].get('cancel_after_time_interval') == '0':
        # Whether a search is done before it is cancelled at once is a race.
        return True
    if request['params'].get('batched_reduce_size') and request['index'].endswith(('-3', '-5')) and any(
            kind in json.dumps(request['body']) for kind in ('top_hits', 'percentile', 'median_absolute', 'significant_t', 'variable_width', '"terms": {', '"multi_terms"')):
        # Partial reduces take shards in the order in which they answer, and these answers depend on it: the same request has several.
        return True
    if (request['kind'].startswith('explain') or request['kind'].startswith('validate') and request['params'].get('rewrite') or any(key in json.dumps(request['body']) for key in ('"profile": true', '"explain": true'))) and over_the_date_line(
            request['body']):
        # Which halves of a box are left on a shard.
        return True
    if request['index'].endswith('every-segments') and any(one.get('profile') and '"ids"' in json.dumps(one) for one in bodies_of(request)):
        # What it writes for a deletion has an id too, so that a segment has ids of documents that it never held.
        return True
    if 'every' in request['index'] and any(one.get('profile') and re.search(r'"percolate": \{[^{}]*"id"', json.dumps(one)) for one in bodies_of(request)):
        # Documents with flat objects: which of their parts are looked for is left as it is.
        return True
    if 'every' in request['index'] and any(one.get('highlight') and re.search(r'"percolate": \{([^{}]*"id"|.*"items": )', json.dumps(one)) for one in bodies_of(request)):
        # Where a word stands it looks up in the document that bears the number of the slot, which is a nested one of those that have some.
        return True
    if request['index'].endswith('every-segments') and 'significant_t' in json.dumps(request['body']):
        # The background counts deleted documents, and with them those that the reference writes for each deletion.
        return True
    if rare_below_many((request['body'] or {}).get('aggs')):
        # It gives what stands below rare terms to the wrong ones, where these have several owners.
        return True
    if request['kind'] in ('execute', 'members', 'program') and answer is not None and re.search(r'@[0-9a-f]{5,8}\b', str((answer.get('answer') or {}).get('result') if isinstance(answer.get('answer'), dict) else '')):
        # Java's objects are shown by what tells them apart in its memory.
        return True
    if not (request['body'] or {}).get('query') and filtered_composite((request['body'] or {}).get('aggs')):
        # Below another aggregation of all documents it goes over the values of the first source, those that this one leaves out among them.
        return True
    if re.search(r'"significant_(text|terms)": \{.*"percentage"', json.dumps(request['body'])):
        # Many are equally significant, and which of them are kept is told by a heap.
        return True
    if re.search(r"doc\['[\w.]+'\]\.get\(1\)|doc\['addr'\](\.get\(0\)|\[0\])", json.dumps(request['body'])):
        # Of a document with fewer values it gives those of another one; of addresses where it has none as well.
        return True
    if request['index'].endswith(('-3', '-5', '-segments')) and re.search(DESCENDING_WITHIN, json.dumps(request['body'])):
        # Their buckets are joined twice, the second time as if they ascended: a key then comes several times.
        return True
    if joins_buckets(request):
        return True
    if '-1' in request['index'] and any(post_filtered_sort(one) for one in bodies_of(request)):
        # All documents in the order of a number: of those it looks at the first ten thousand alone, whether or not the filter behind lets them pass.
        return True
    if request['kind'] == 'derived' and request['index'].endswith(('-3', '-5')):
        # Over several shards it misses hits, and with them what fails.
        return True
    body, bodies = request['body'] or {}, bodies_of(request)
    sorts, suggestions = (json.dumps([one.get(key) for one in bodies]) for key in ('sort', 'suggest'))
    sorts += json.dumps([inner.get('sort') for one in bodies for inner in inner_hits_of_groups(one)])
    if '"completion"' in suggestions and any(one.get('rescore') for one in bodies):
        # Where hits are rescored it gives completions the scores that the query has for their documents.
        return True
    if request['index'].endswith('-segments') and '"phrase": {"field"' in suggestions:
        # Words of several segments are reckoned to be as many as there are documents, deletions among them.
        return True
    if request['kind'] in ('after', 'scroll') and is_range(body.get('query')) and body.get('track_total_hits') is not True:
        # A range that stands alone is approximated along its sort: a second page begins anew, and counts values instead of documents.
        return True
    if request['kind'] == 'scroll' and re.search('"mode": "(median|avg|sum)"', sorts):
        # Sorted by what several values come to the second page of a scroll is empty: it skips by single values.
        return True
    if re.search('"(wild|wild_lower)"', sorts) or re.search('(^|,)wild(_lower)?(:|,|$)', str(request['params'].get('sort'))):
        # Sorted by fields of pieces it skips hits by what pieces they have.
        return True
    if request['kind'] in ('scroll', 'after') and '"nested"' in sorts:
        # Sorted by nested documents further pages are empty or begin anew: they take up where the numbers of nested documents leave off.
        return True
    if request['kind'] in ('scroll', 'after') and re.search('"(n_)?(scaled|unsigned)"', sorts):
        # Sorted by scaled fractions or unsigned numbers further pages skip hits: of a scroll all pages together lack a tenth of them.
        return True
    if re.search(r'"terms": \{"(?:loose_)?flag": \[[^\]]*(true[^\]]*false|false[^\]]*true)', json.dumps(bodies)):
        # Which values of a flag it reads before it knows that there are both is told by a hash that each run has its own.
        return True
    if re.search(r'unsigned": \{[^{}]*"numeric_type": "(long|date)"', json.dumps(bodies)):
        # The greater half of unsigned numbers comes first: sorted as signed ones they are negative.
        return True
    if '"items.price": {' in sorts:
        # Sorted by fractions of nested documents it skips hits: it takes the numbers of nested documents for those of hits.
        return True
    if re.search(r'"(n_)?(scaled|unsigned)": ("desc"|\{[^{}]*"desc")', sorts) or re.search('(^|,)(n_)?(scaled|unsigned):desc', str(request['params'].get('sort'))):
        # Sorted by scaled fractions or unsigned numbers, the greatest first, it skips hits too: the best of a match are missing.
        return True
    if request['index'].endswith('-segments') and 'randomScore(3)' in json.dumps(bodies):
        # The reference numbers deletions like documents, and these numbers are what the score is made of.
        return True
    if re.search('"_script".*_score', sorts) and '"_score"' not in sorts and not any(one.get('track_scores') for one in bodies):
        # Scores that nobody tracks are what the way in which it finds documents gives to who asks all the same: none or one.
        return True
    deletes = request['index'].endswith('-segments') or '*' in str(request['params'].get('_target'))
    if deletes and ('"_doc"' in json.dumps(bodies) or '_doc' in str(request['params'].get('sort'))):
        # The reference numbers deletions like documents.
        return True
    if any(isinstance(one.get('track_total_hits'), int) and not isinstance(one.get('track_total_hits'), bool) and one['track_total_hits'] < -1 for one in bodies):
        # Which of two refusals it answers changes from request to request.
        return True
    if any(isinstance(one.get('query'), dict) and set(one['query']) == {'range'} and one.get('post_filter') and one.get('track_total_hits') is not True for one in bodies):
        # A range that stands alone is approximated, and what is filtered after the search is what was left of it.
        return True
    if any(isinstance(one.get('post_filter'), dict) and set(one['post_filter']) == {'range'} and one.get('track_total_hits') is not True for one in bodies):
        # A range that stands alone is approximated: of the filter after the search the first so many values, of whatever documents.
        return True
    counted = request['kind'] != 'scroll' and not request['params'].get('pit')
    if any(one.get('sort') and one.get('track_total_hits', counted) is not True and re.search(r'"match_all": \{[^}]*"_name"', json.dumps(one)) for one in bodies):
        # All documents beside a slice, a filter or the shards of a point in time, sorted by a field: of the first ones alone it tells that they have the name.
        return True
    if any(one.get('sort') and isinstance(one.get('post_filter'), dict) and set(one['post_filter']) == {'match_all'} for one in bodies):
        # All documents are approximated along the sort: as a filter after the search they are those that have a value.
        return True
    if any(one.get('track_total_hits', True) is not True and re.search(r'"query": \{"range": [^\]]*"inner_hits"', json.dumps(one)) for one in bodies):
        # The same for inner hits that are a range alone: it stops counting them where the search itself does.
        return True
    if request['index'].endswith('-segments') and '"nested"' in json.dumps(bodies) and (request['kind'] == 'explain' or '"explain": true' in json.dumps(bodies)):
        # Explanations of nested documents tell their numbers, and the reference numbers deletions like documents.
        return True
    if re.search(r'"negative": \{"range"|"range": \{"[^"]+": \{[^{}]*"_name"', json.dumps(bodies)):
        # The same for what lowers scores, and for ranges whose names hits tell.
        return True
    if re.search(r'"adjacency_matrix": .*?"range": \{', json.dumps(bodies)):
        # And for the filters of an adjacency matrix: it counts the first 10,000 values or so.
        return True
    if any(one.get('track_total_hits') is not True and re.search(r'"rescore_query": \{("range"|"query_string": \{"query": "[\w.]+:[<>{\[])', json.dumps(one)) for one in bodies):
        # The same for ranges that rescore: where not all hits are counted, it stops looking when it has as many as are counted or shown.
        return True
    if request['kind'] == 'explain' and re.search(r'"distance_feature": \{"field": "\w*noindex"', json.dumps(bodies)):
        # It is explained by values and found by points that are not there: what it comes to then is a null pointer or the score of another document.
        return True
    if re.search(r'"grams": \{[^{}]*"fuzziness"|"fuzziness"[^{}]*"grams\b|"fields": \[[^\]]*"grams[\]"^][^{}]*"fuzziness"', json.dumps(bodies)) or fuzzy_words_meet(bodies):
        # Of a word of which parts are looked for, these are near to each other as well.
        # Which of two fuzzy words counts the terms that are near to both is told by a hash that each run has its own.
        return True
    if '"field_masking_span"' in json.dumps(bodies) and not request['index'].startswith(('packages', 'rfc'), len(corpora.PREFIX)):
        # Of documents without the field that spans pass for it reads a length that is not there.
        return True
    if request['kind'] == 'explain_url' and re.fullmatch(r'\(?[\w.]+:([<>]=?[^\s()]+|[\[{].*[\]}])\)?', str(request['params'].get('q'))):
        return True
    if request['kind'].startswith('explain') and is_range(body.get('query')):
        # A document beyond these does not match, when it is asked about.
        return True
    if answer is not None and '"has_parent"' in json.dumps(bodies) and '"_nested"' in json.dumps(answer):
        # What is nested in a parent behind its child is shown by the id and the source of the child.
        return True
    if answer is not None and ',' in request['index'] and '"failures"' in json.dumps(answer):
        # What a shard fails of depends on whether another one has answered before: then it looks at sorts first.
        return True
    if answer is not None and several_failures(answer):
        # They are told in the order in which shards happened to answer, and the first of them is the cause.
        return True
    if answer is not None:
        text = json.dumps(answer)
        if request['index'].endswith('-segments') and re.search(r"Document \d+ doesn't have a value for field", text):
            # Explanations of what has no value tell the number of the document, and the reference numbers deletions too.
            return True
        return any(part in text for part, _ in ANSWERS)
    text = json.dumps(request['body'])
    return any(part in text for part, _ in REQUESTS)


def several_failures(value):
    """Whether shards failed in different ways."""
    if isinstance(value, list):
        return any(map(several_failures, value))
    if not isinstance(value, dict):
        return False
    reasons = [failure.get('reason') for failure in value.get('failed_shards') or []]
    ways = {(reason.get('type'), reason.get('reason')) for reason in reasons if isinstance(reason, dict)}
    return len(ways) > 1 or any(map(several_failures, value.values()))


def edits_of(fuzziness, word):
    """How many edits a fuzzy word may be away."""
    given = re.match(r'\d+', str(fuzziness))
    if given:
        return min(int(given.group()), 2)
    return 0 if len(word) < 3 else 1 if len(word) < 6 else 2


def edits_between(one, other):
    before = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, second in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != second)))
        before = row
    return before[-1]


def fuzzy_words_meet(value):
    """Whether a text has two fuzzy words that the same term may be near to."""
    if isinstance(value, list):
        return any(map(fuzzy_words_meet, value))
    if not isinstance(value, dict):
        return False
    text = str(value.get('query', ''))
    words = [(word, edits_of(number or 'AUTO', word)) for word, number in re.findall(r'(\w+)~(\d?)', text.lower())]
    if 'fuzziness' in value and not words:
        words = [(word, edits_of(value['fuzziness'], word)) for word in re.findall(r'\w+', text.lower())]
    meet = any(one != other and edits_between(one, other) <= reach + other_reach
               for at, (one, reach) in enumerate(words) for other, other_reach in words[:at] if reach and other_reach)
    return meet or any(map(fuzzy_words_meet, value.values()))


def over_the_date_line(value):
    """Whether there is a box that begins further east than it ends."""
    if isinstance(value, dict):
        left, right = (value.get(corner) for corner in ('top_left', 'bottom_right'))
        if value.get('type') == 'envelope' and len(corners := value.get('coordinates') or []) == 2:
            left, right = corners
        both_lists = isinstance(left, list) and isinstance(right, list)
        east = [corner[0] for corner in (left, right) if isinstance(corner[0], (int, float))] if both_lists else []
        crosses = len(east) == 2 and east[0] > east[1]
        return crosses or any(over_the_date_line(inner) for inner in value.values())
    return isinstance(value, list) and any(over_the_date_line(inner) for inner in value)


def is_range(query):
    """Whether a query, as it came out of being spoiled, is a range and nothing else."""
    return isinstance(query, dict) and set(query) == {'range'}


def joins_buckets(request):
    """Whether buckets of several shards are joined by their neighbourhood, and what stands below them tells in which order."""
    text = json.dumps(request['body'])
    return request['index'].endswith(('-3', '-5', '-segments')) and any(kind in text for kind in ('"auto_date_histogram"', '"variable_width_histogram"')) and any(
        kind in text for kind in ('"top_hits"', '"percentile', '"median_absolute', '"scripted_metric"', '"significant_t'))


def filtered_composite(aggs, within=False):
    """Whether a composite stands below another aggregation."""
    for body in (aggs or {}).values() if isinstance(aggs, dict) else ():
        if isinstance(body, dict) and (within and 'composite' in body or filtered_composite(body.get('aggs'), True)):
            return True
    return False


# Aggregations that have one bucket for each that they stand in.
SINGLE = ('filter', 'global', 'missing', 'nested', 'reverse_nested', 'sampler', 'diversified_sampler', 'children', 'parent')


def rare_below_many(aggs, many=False):
    """Whether aggregations stand below rare terms that stand below many buckets."""
    for body in (aggs or {}).values() if isinstance(aggs, dict) else ():
        if not isinstance(body, dict):
            continue
        inner = body.get('aggs')
        if many and inner and 'rare_terms' in body:
            return True
        if rare_below_many(inner, many or not any(kind in body for kind in SINGLE)):
            return True
    return False
