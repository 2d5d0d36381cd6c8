"""The table of query kinds: each is a function of (dice, schema, depth) that a decorator puts into the table."""

QUERIES = {}


def query(weight=1, when=None, leaf=True):
    """Registers a query kind; `when` tells for which schemas it makes sense, `leaf` that it holds no other query."""
    def register(make):
        QUERIES[make.__name__.rstrip('_')] = (make, weight, when, leaf)
        return make
    return register


def any_query(dice, schema, depth, only=None):
    """A query of any kind that fits; kinds that hold others are drawn only while `depth` lasts."""
    table = {name: weight for name, (_, weight, when, leaf) in QUERIES.items()
             if (when is None or when(schema)) and (leaf or depth > 0) and (only is None or name in only)}
    name = dice.weighted(table)
    return QUERIES[name][0](dice, schema, depth)


def common(dice, options):
    """The options that every query takes."""
    dice.maybe(options, 'boost', 0.12, lambda: dice.one([0, 0.5, 2, 1.7, 3]))
    dice.maybe(options, '_name', 0.08, lambda: dice.one(['first', 'second', 'n 3']))
    return options


def text_field(dice, schema):
    """A text field."""
    return dice.one(schema.text)


def keyword_field(dice, schema):
    """A keyword field."""
    return dice.one(schema.keyword)


def fuzziness(dice):
    """A value of `fuzziness`."""
    return dice.one([0, 1, 2, 'AUTO', 'AUTO:2,5', '1'])


def should_match(dice):
    """A value of `minimum_should_match`."""
    return dice.one([0, 1, 2, '1', '75%', '-25%', '2<75%', '-1', '3<-1 5<50%'])


def only_top(schema):
    """Whether the schema is that of whole documents of the synthetic index."""
    return schema.synthetic
