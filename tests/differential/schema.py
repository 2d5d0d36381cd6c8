"""What a generator has to know of an index: its fields by kind, and values that really occur in them."""
import json

import assorted
import corpora
import synthetic


class Schema:
    """Fields of one index and sample values of each."""

    def __init__(self, index, lines, fields):
        self.index = index
        self.text = fields['text']
        self.keyword = fields['keyword']
        self.number = fields['number']
        self.date = fields.get('date', [])
        self.ip = fields.get('ip', [])
        self.boolean = fields.get('boolean', [])
        self.range = fields.get('range', {})
        self.nested = fields.get('nested', {})
        self.synthetic = bool(self.nested)
        self.values = {}
        self.words = {}
        sources = [json.loads(line) if isinstance(line, str) else line for line in lines[1::2]] if not self.synthetic \
            else [line for line in lines if not set(line) & {'index', 'delete'}]
        self.ids = [next(iter(line.values()))['_id'] for line in lines
                    if isinstance(line, dict) and ('index' in line or 'delete' in line)][:2000]
        self.sample(sources[:1500] if not self.synthetic else sources)

    def sample(self, sources):
        """Collects values and phrases from documents."""
        for source in sources:
            for path, value in leaves(source):
                self.values.setdefault(path, []).append(value)
        for path, values in list(self.values.items()):
            self.words[path] = [value.split() for value in values if isinstance(value, str) and value.strip()]

    def base(self, field):
        """The field of the source that a multi-field or an alias takes its values from."""
        if field == 'alias':
            return 'int'
        while field not in self.values and '.' in field:
            field = field.rpartition('.')[0]
        return field

    def value(self, dice, field):
        """A value that occurs in the field."""
        return dice.one(self.values.get(self.base(field)) or ['none'])

    def phrase(self, dice, field, least=1, most=4):
        """A run of words that occurs in the field, sometimes with a word of elsewhere."""
        if 'assorted' in self.index and dice.chance(0.15):
            return dice.one(assorted.SEVERAL)
        runs = self.words.get(self.base(field)) or [['amber', 'stone']]
        run = dice.one(runs)
        count = dice.int(least, most)
        start = dice.int(0, max(0, len(run) - count))
        words = run[start:start + count]
        if dice.chance(0.25):
            words = words + dice.one(runs)[:dice.int(1, 2)]
        return ' '.join(words)

    def word(self, dice, field):
        """One word of the field."""
        return dice.one(self.phrase(dice, field, 1, 3).split() or ['amber'])


def leaves(value, path=''):
    """All (path, scalar) pairs of a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f'{path}.{key}' if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, path)
    elif value is not None:
        yield path, value


SYNTHETIC = {
    'text': ['title', 'title.english', 'title.vector', 'title.shingles', 'body', 'bare', 'only', 'typed', 'author.name'],
    'keyword': ['tag', 'lower', 'code', 'wild', 'same', 'title.raw', 'stored', 'author.name.raw', 'flat.red'],
    'number': ['int', 'long', 'short', 'byte', 'double', 'float', 'half', 'scaled', 'unsigned', 'alias', 'author.age',
               'nodoc', 'noindex', 'tokens'],
    'date': ['when', 'nanos', 'day'], 'ip': ['addr'], 'boolean': ['flag'],
    'range': {'ints': 'int', 'longs': 'long', 'doubles': 'double', 'dates': 'when', 'addrs': 'addr'},
    'nested': {'items': {'text': ['items.note'], 'keyword': ['items.name'], 'number': ['items.qty', 'items.price'],
                         'date': ['items.at']},
               'items.parts': {'text': ['items.note'], 'keyword': ['items.parts.code'], 'number': ['items.parts.n'],
                               'date': ['items.at']}},
}
CORPORA = {
    'assorted': {'text': list(assorted.TEXTS) + ['copied', 'typed._2gram'], 'keyword': list(assorted.KEYWORDS), 'number': list(assorted.NUMBERS), 'date': list(assorted.DATES), 'ip': ['addr'],
                 'boolean': ['flag', 'loose_flag'], 'range': {'range': 'n', 'range_noindex': 'n', 'range_date': 'd'}},
    'packages': {'text': ['name', 'summary', 'description'],
                 'keyword': ['name.raw', 'version', 'source', 'component', 'section', 'priority', 'arch', 'maintainer',
                             'tags', 'depends', 'home'],
                 'number': ['size', 'installed_kb', 'n_depends']},
    'rfc': {'text': ['title', 'section', 'text', 'text.english'], 'keyword': ['title.raw', 'status', 'authors', 'keywords'],
            'number': ['rfc', 'para', 'length'], 'date': ['published']},
}


def schemas(names, folder, scale):
    """A schema for each loaded index."""
    found = []
    definitions = corpora.definitions(folder, scale)
    for index in names:
        kind = index.removeprefix(corpora.PREFIX)
        lines = [line for batch in definitions[kind][3] for line in batch]
        fields = SYNTHETIC if kind.startswith('every') else CORPORA[kind.split('-')[0]]
        found.append(Schema(index, lines, fields))
    return found


class Scope:
    """A nested scope: the fields of a path, with the values of the schema they belong to."""

    def __init__(self, schema, path):
        self.schema, self.path = schema, path
        inner = schema.nested[path]
        self.text, self.keyword, self.number, self.date = inner['text'], inner['keyword'], inner['number'], inner['date']
        self.ip, self.boolean, self.range, self.synthetic = [], [], {}, False
        self.index, self.ids = schema.index, schema.ids
        # Only paths below this one can be nested further.
        self.nested = {deeper: fields for deeper, fields in schema.nested.items() if deeper.startswith(path + '.')}
        self.values, self.words = schema.values, schema.words

    def __getattr__(self, name):
        return getattr(self.schema, name)


assert synthetic.MAPPING['properties'].keys() >= {'items', 'link', 'stored_query'}
