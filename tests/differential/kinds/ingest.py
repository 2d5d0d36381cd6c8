"""Processors of pipelines: each with its options, valid ones and odd ones, over a document of all kinds of values."""

DOCUMENT = {
    's': 'some text', 'S': 'UPPER Ä', 'n': 5, 'num': '42', 'l': ['b', 'a', 'c'], 'nl': [3, 1, 2], 'll': [['a', 'b'], ['c']], 'el': [], 'ml': ['a', 1], 'dl': [1.5, 0.5], 'lo': [{'id': 1}, {'id': 2}],
    'o': {'x': 1, 'y': ['a'], 'q': 'r'}, 'nul': None, 'b': True, 'bs': 'TRUE', 'd': 2.7, 'big': 99999999999, 'hex': '0x1F', 'bytes': '1.5kb', 'bl': ['1kb', '2mb'], 'ip': '192.168.0.1', 'ip2': '10.0.0.1',
    'port': 1234, 'port2': '80', 'proto': 'tcp', 'iana': 8, 'csv': 'x, y,"z,w",', 'date': '04/03/2021 10:11:12', 'epoch': 1614852672, 'iso': '2021-03-04T10:11:12.345+02:00', 'ymd': '2021-03-04',
    'tai': '@4000000050d506482dbdf024', 'tz': 'Asia/Tokyo', 'loc': 'fr', 'log': 'one 22 three   four [x] k=v', 'dot.ted': 'dv', 'o.q': 'clash', 'html': '<p>a <b>b</b>&amp;</p>', 'js': '{"a":{"b":1},"c":[1]}',
    'jsa': '[1,2]', 'jsn': '5', 'jss': '"x"', 'jsbad': '{a', 'jsdup': '{"a":1,"a":2}', 'kv': 'a=1 b="two" c=<3> a=4', 'pad': '  x ', 'url': 'a%20b%2Bc+d', 'badurl': '%zz', 'tgt': 's', 'path': '/a/b/c/d',
}
FIELDS = ['s', 'l', 'nl', 'n', 'missing', 'nul', 'o', 'el', 'll', 'o.x', 'b']
TARGETS = ['new', 'o.z', 's.x', '_id', '', None]
FLAGS = [True, False, True, False, 'x', None]
TEXT = {'field': ['s', 'S', 'pad', 'url', 'html'] + FIELDS, 'target_field': TARGETS, 'ignore_missing': FLAGS}

# Processor → (options that it always has, options that it may have).
PROCESSORS = {
    'append': ({'field': ['l', 's', 'new', 'o.new', 'l.0', '_index', '{{s}}'], 'value': ['x', ['x', 'a'], 5, {'a': 1}, '{{n}}', ['{{n}}', 'a'], '{{missing}}', []]}, {'allow_duplicates': FLAGS}),
    'bytes': ({'field': ['bytes', 'bl', 's'] + FIELDS}, {'target_field': TARGETS, 'ignore_missing': FLAGS}),
    'community_id': ({'source_ip_field': ['ip', 'missing', 'n'], 'destination_ip_field': ['ip2', 's']},
                     {'source_port_field': ['port', 'missing', 's'], 'destination_port_field': ['port', 'port2'], 'protocol_field': ['proto', 's'], 'iana_protocol_number_field': ['iana', 'missing'], 'icmp_type_field': ['iana'],
                      'icmp_code_field': ['iana'], 'seed': [0, 7, 70000, 'x', {'a': 1}], 'target_field': TARGETS, 'ignore_missing': FLAGS}),
    'convert': ({'field': ['num', 'd', 'big', 'ip', 'bs', 'hex'] + FIELDS, 'type': ['integer', 'long', 'float', 'double', 'boolean', 'string', 'ip', 'auto', 'date']}, {'target_field': TARGETS, 'ignore_missing': FLAGS}),
    'copy': ({'source_field': FIELDS, 'target_field': ['new', 'o', 'o.z', '_index', 'n.x']}, {'ignore_missing': FLAGS, 'override_target': FLAGS, 'remove_source': FLAGS}),
    'csv': ({'field': ['csv', 's'] + FIELDS, 'target_fields': [['a', 'b'], ['a'], ['a', 'b', 'c', 'd', 'e'], []]}, {'separator': [',', ';', '', ',,'], 'quote': ['"', "'", 'x'], 'ignore_missing': FLAGS, 'trim': FLAGS, 'empty_value': ['', 'none', 0, None]}),
    'date': ({'field': ['date', 'epoch', 'iso', 'ymd', 'tai'] + FIELDS, 'formats': [['ISO8601'], ['UNIX'], ['UNIX_MS'], ['TAI64N'], ['yyyy-MM-dd'], ['dd/MM/yyyy HH:mm:ss', 'ISO8601'], ['foo{'], ['strict_date_optional_time'], ['yyyy-MM-dd', 'UNIX'], []]},
             {'target_field': TARGETS, 'timezone': ['Europe/Berlin', '+02:00', '{{tz}}', '{{missing}}', 'X/Y', ''], 'locale': ['en', 'fr', 'de-DE', 'ENGLISH', 'xx', '{{loc}}', ''], 'output_format': ['yyyy-MM-dd', 'epoch_millis', 'bad{']}),
    'date_index_name': ({'field': ['iso', 'ymd', 'epoch'] + FIELDS, 'date_rounding': ['y', 'M', 'd', 'x', '{{s}}']},
                        {'date_formats': [['ISO8601'], ['yyyy-MM-dd'], ['UNIX', 'UNIX_MS'], []], 'index_name_prefix': ['p-', '{{s}}-', ''], 'index_name_format': ['yyyy-MM', 'bad{', ''], 'timezone': ['UTC', '+05:30'], 'locale': ['en', 'fr']}),
    'dissect': ({'field': ['log', 's'] + FIELDS, 'pattern': ['%{a} %{b} %{c}', '%{+a} %{+a} %{c}', '%{+a/2} %{+a/1} %{c}', '%{?a} %{b} %{}', '%{*k}=%{&k}', '%{a->} %{b}', '%{a} [%{b}]', 'nope', '%{a}%{b}', '', '%{o.deep} %{x}']}, {'append_separator': ['', '-'], 'ignore_missing': FLAGS}),
    'dot_expander': ({'field': ['dot.ted', 'o.q', 'nodot', 'a..b', 'missing.x', '']}, {'path': ['o', 'missing'], 'override': FLAGS}),
    'fail': ({'message': ['no {{s}}', '{{o}}', '', '{{l}}']}, {}),
    'fingerprint': ({}, {'fields': [['s'], ['s', 'n'], ['o'], ['missing'], [], ['l', 'o', 'b'], ['nul'], ['_id'], ['o.x']], 'exclude_fields': [['s'], []], 'hash_method': ['MD5@2.16.0', 'SHA-256@2.16.0', 'SHA3-256@2.16.0', 'foo'], 'target_field': TARGETS, 'ignore_missing': FLAGS}),
    # What is no list ends the reference's simulation as a whole, whatever was to happen then.
    'foreach': ({'field': ['l', 'nl', 'll', 'lo', 'el', 'nul'], 'processor': [{'uppercase': {'field': '_ingest._value'}}, {'set': {'field': '_ingest._value', 'value': '{{_ingest._value}}!'}}, {'append': {'field': 'acc', 'value': '{{_ingest._value}}'}},
                 {'remove': {'field': '_ingest._value.id'}}, {'convert': {'field': '_ingest._value', 'type': 'string'}}, {'fail': {'message': 'bad {{_ingest._value}}'}}, {'uppercase': {'field': '_ingest._value', 'ignore_failure': True}}, {'nope': {}}]}, {}),
    'grok': ({'field': ['log', 's'] + FIELDS, 'patterns': [['%{WORD:a}'], ['%{WORD:a} %{NUMBER:n:int}'], ['%{NUMBER:n:float}', '%{GREEDYDATA:rest}'], ['%{NOPE:x}'], ['(?<name>[a-z]+)'], ['%{WORD:o.deep}'], ['%{MY:a}'], ['%{WORD:w} %{WORD:w}'], []]},
             {'pattern_definitions': [{'MY': '[a-z]+'}, {'MY': '%{MY}'}, {}], 'trace_match': FLAGS, 'ignore_missing': FLAGS, 'capture_all_matches': FLAGS}),
    'gsub': ({'field': FIELDS, 'pattern': ['e', '(s)(o)', '\\s+', '[', '(?<x>o)'], 'replacement': ['-', '', '$1', '${x}', '\\']}, {'target_field': TARGETS, 'ignore_missing': FLAGS}),
    'join': ({'field': FIELDS, 'separator': ['-', '', '{{s}}']}, {'target_field': TARGETS}),
    # Of null the reference never gets to an end.
    'json': ({'field': ['js', 'jsa', 'jsn', 'jss', 'jsbad', 'jsdup', 's', 'n', 'l', 'missing']}, {'target_field': ['new', 'o', 'o.x'], 'add_to_root': FLAGS, 'ignore_missing': FLAGS, 'add_to_root_conflict_strategy': ['replace', 'merge', 'x'], 'allow_duplicate_keys': FLAGS}),
    'kv': ({'field': ['kv', 's'] + FIELDS, 'field_split': [' ', '\\s+', '&', '['], 'value_split': ['=', ':']}, {'target_field': TARGETS, 'include_keys': [['a'], [], ['a', 1]], 'exclude_keys': [['a'], []], 'prefix': ['p_', ''], 'trim_key': [' ', 'a-b', ''],
           'trim_value': ['"', '<>', '['], 'strip_brackets': FLAGS, 'ignore_missing': FLAGS}),
    'lowercase': (TEXT, {}), 'uppercase': (TEXT, {}), 'trim': (TEXT, {}), 'html_strip': (TEXT, {}), 'urldecode': (TEXT, {}),
    'remove': ({'field': ['s', ['s', 'n'], 'missing', 'o.x', [], '_id', '_index', '_version', '{{tgt}}', 'l.0', 'l.9', 'o']}, {'ignore_missing': FLAGS}),
    'remove_by_pattern': ({'field_pattern': ['s*', ['s*', 'n*'], '*', 'o*', '_*', 'missing*', '#x', 'A b']}, {}),
    'rename': ({'field': FIELDS + ['l.0', '_id', '{{tgt}}'], 'target_field': ['new', 'n', 'o.new', 'l.0', 'l.1', 's.x', '{{s}}', '_index']}, {'ignore_missing': FLAGS, 'override_target': FLAGS}),
    'set': ({'field': ['s', 'new', 'o.x', 'o.n.m', 'l', 'l.0', 'l.9', 'n.x', '_id', '_routing', '_version', '_if_seq_no', '{{s}}', 'nul.x'], 'value': ['v', 5, 1.5, ['a', '{{n}}'], {'a': '{{n}}', '{{s}}': 1}, '{{s}}', '{{{s}}}', '{{l}}', '{{o}}', '{{missing}}', '', '{{l.0}}', '{{#l}}{{.}},{{/l}}', '{{']},
            {'override': FLAGS, 'ignore_empty_value': FLAGS, 'media_type': ['application/json', 'text/plain', 'x']}),
    'sort': ({'field': ['l', 'nl', 'dl', 'ml'] + FIELDS}, {'order': ['asc', 'desc', 'ASC', 'x'], 'target_field': TARGETS}),
    'split': ({'field': ['csv', 's'] + FIELDS, 'separator': [',', '\\s+', '', '[']}, {'target_field': TARGETS, 'ignore_missing': FLAGS, 'preserve_trailing': FLAGS}),
    'split_to_fields': ({'field': ['csv', 's', 'path'] + FIELDS, 'separator': [',', '\\s+', '/', '['], 'target_fields': [['a', 'b'], ['a'], [], ['o.z', 'n.x'], 'a']}, {'ignore_missing': FLAGS, 'preserve_trailing': FLAGS}),
    'drop': ({}, {}), 'pipeline': ({'name': ['none', '', '{{s}}']}, {'ignore_missing_pipeline': FLAGS}),
    'acl_routing': ({'acl_field': FIELDS}, {'target_field': ['_routing', 'new', 'o.x'], 'ignore_missing': FLAGS, 'override_existing': FLAGS}),
    'hierarchical_routing': ({'path_field': ['path', ''] + FIELDS}, {'anchor_depth': [1, 3, 0, 'x', {'a': 1}], 'path_separator': ['/', '.', ''], 'ignore_missing': FLAGS, 'override_existing': FLAGS}),
    'temporal_routing': ({'timestamp_field': ['iso', 'ymd', ''] + FIELDS, 'granularity': ['hour', 'day', 'week', 'month', 'x', '']}, {'format': ['yyyy-MM-dd', 'bad{'], 'ignore_missing': FLAGS, 'override_existing': FLAGS, 'hash_bucket': FLAGS}),
}
FAILURE = [{'set': {'field': 'err', 'value': '{{_ingest.on_failure_message}}|{{_ingest.on_failure_processor_type}}|{{_ingest.on_failure_processor_tag}}'}}]


def processor(dice):
    """One processor."""
    name = dice.one(list(PROCESSORS))
    always, may = PROCESSORS[name]
    options = {key: dice.one(values) for key, values in always.items()}
    for key, values in may.items():
        dice.maybe(options, key, 0.25, lambda values=values: dice.one(values))
    if dice.chance(0.04):
        options.pop(dice.one(list(options) or ['none']), None)
    dice.maybe(options, 'unknown', 0.03, 1)
    dice.maybe(options, 'tag', 0.1, 'mine')
    if name != 'foreach':
        dice.maybe(options, 'ignore_failure', 0.08, True)
        dice.maybe(options, 'on_failure', 0.1, FAILURE)
    dice.maybe(options, 'if', 0.08, lambda: dice.one(['ctx.n == 5', 'ctx.n != 5']))
    return {name: options}


def tried(dice, schema):
    """A pipeline of a processor or two over the document."""
    body = {'pipeline': {'processors': [processor(dice) for _ in '12'[:dice.int(1, 2)]]}, 'docs': [{'_index': 'i', '_id': '1', '_source': DOCUMENT}]}
    dice.maybe(body['pipeline'], 'on_failure', 0.1, FAILURE)
    return body, {}
