"""Makes a differing request smaller as long as it still differs in the same way."""
import copy

TRIES_MAX = 80


def minimise(body, differs):
    """The smallest body found for which `differs(body)` holds."""
    tries = [TRIES_MAX]

    def still(candidate):
        if tries[0] <= 0:
            return False
        tries[0] -= 1
        return differs(candidate)
    changed = True
    while changed and tries[0] > 0:
        changed = False
        for smaller in candidates(body):
            if still(smaller):
                body, changed = smaller, True
                break
    return body


def candidates(body):
    """Bodies with one part removed or replaced by a part of itself, the most promising first."""
    spots = sorted(places(body), key=len)
    for path in spots:
        value = at(body, path)
        # A list or an object is put in the place of what holds it: a bool by its clause, a nested aggregation by its child.
        for inner in hoisted(value):
            yield replaced(body, path, inner)
        if isinstance(value, dict) and isinstance(value.get('aggs'), dict) and len(path) > 1:
            for inner in value['aggs'].values():
                yield replaced(body, path, inner)
        if path and path[0] == 'text' and isinstance(value, str) and len(value) > 1:
            yield replaced(body, path, value[:len(value) // 2])
            yield replaced(body, path, value[len(value) // 2:])
        holder = at(body, path[:-1]) if path else None
        if path and not (isinstance(holder, dict) and len(holder) == 1 and len(path) > 2 and not isinstance(value, (dict, list))):
            yield removed(body, path)


def hoisted(value):
    """Queries inside a query that could stand in its place."""
    if not isinstance(value, dict) or len(value) != 1:
        return
    name, inner = next(iter(value.items()))
    if not isinstance(inner, dict):
        return
    for key in ('must', 'should', 'filter', 'must_not', 'query', 'queries', 'positive', 'negative', 'clauses', 'intervals', 'include', 'big', 'little', 'match'):
        below = inner.get(key)
        for part in below if isinstance(below, list) else [below]:
            if isinstance(part, dict) and name != 'nested':
                yield part


def places(value, path=()):
    """Paths of everything inside a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path + (key,)
            yield from places(inner, path + (key,))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield path + (number,)
            yield from places(inner, path + (number,))


def at(value, path):
    """What stands at a path."""
    for step in path:
        value = value[step]
    return value


def removed(body, path):
    """A copy without what stands at a path."""
    made = copy.deepcopy(body)
    del at(made, path[:-1])[path[-1]]
    return made


def replaced(body, path, inner):
    """A copy with something else at a path."""
    made = copy.deepcopy(body)
    if not path:
        return copy.deepcopy(inner)
    at(made, path[:-1])[path[-1]] = copy.deepcopy(inner)
    return made
