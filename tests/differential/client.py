"""A server under test: one kept-alive connection, JSON in and JSON out."""
import http.client
import json
import socket
import time
from urllib.parse import quote, urlencode, urlsplit


class Unreachable(Exception):
    """The server closed the connection or did not answer in time."""


class Side:
    """One of the two servers that are compared."""

    # How many seconds a server that has ended is waited for.
    patience = 0

    def __init__(self, name, url, timeout=60):
        self.name, self.timeout = name, timeout
        self.host = urlsplit(url).netloc
        self.connection = None
        # Indexes that this run has made, and the version of the document that was written last.
        self.made, self.version = set(), 0

    def call(self, method, path, body=None, params=None):
        """Sends a request and returns (status, answer); `body` is a JSON value, or text that is sent as it stands."""
        text = body if isinstance(body, (str, type(None))) else json.dumps(body)
        kind = 'application/x-ndjson' if path.endswith(('_bulk', '_msearch', '_msearch/template')) else 'application/json'
        target = quote(path, safe="/*,_-<>%") + ('?' + urlencode(params) if params else '')
        for attempt in (1, 2):
            try:
                return self.send(method, target, text, kind)
            except (http.client.HTTPException, OSError, socket.timeout) as error:
                # A kept connection may have been closed meanwhile: that is tried once more on a new one.
                self.connection = None
                if attempt == 2:
                    raise Unreachable(f'{self.name}: {method} {target}: {error!r}') from error
                time.sleep(0.05)
        raise AssertionError('not reached')

    def send(self, method, target, text, kind):
        """One attempt on the kept connection."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, timeout=self.timeout)
        headers = {'content-type': kind} if text is not None else {}
        self.connection.request(method, target, text.encode() if text is not None else None, headers)
        answer = self.connection.getresponse()
        data = answer.read()
        try:
            return answer.status, json.loads(data)
        except ValueError:
            return answer.status, data.decode('utf-8', 'replace')

    def returned(self, seconds):
        """Waits until a server that has ended is there again, which whoever watches it has started anew."""
        until = time.time() + seconds
        while time.time() < until:
            try:
                if self.send('GET', '/_cluster/health?wait_for_status=yellow&wait_for_no_initializing_shards=true', None, None)[0] == 200:
                    return
            except (http.client.HTTPException, OSError, socket.timeout):
                self.connection = None
            time.sleep(0.5)

    def must(self, method, path, body=None, params=None):
        """A request that has to succeed, for setting up."""
        status, answer = self.call(method, path, body, params)
        if status >= 300 or (isinstance(answer, dict) and answer.get('errors') is True):
            raise SystemExit(f'{self.name}: {method} {path} answered {status}: {json.dumps(answer)[:2000]}')
        return answer
