"""A server of chat completions in this process, which answers as a test says."""

import json
import re
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANG = object()
"""In place of an answer: none comes."""


def said(text, finish="stop", **message):
    """Return the content of an answer."""
    return {
        "choices": [{"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }


def legal_moves(body):
    """Return the legal moves that the first prompt of a conversation lists."""
    return re.search(r"Legal moves: (.*)", body["messages"][1]["content"])[1].split(", ")


def first_move(body):
    """Answer with the first legal move."""
    return said(f"Final Answer: {legal_moves(body)[0]}")


class Server:
    """A server; `answer(body)` returns content, or status and content with headers, or `HANG`.

    The question that every agent asks at the start is answered by `check`.
    """

    def __init__(self, answer, check=lambda body: said("ready")):
        self.answer, self.check = answer, check
        self.bodies, self.headers = [], []
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        self._closed = threading.Event()

    @property
    def asked(self):
        """Requests about moves."""
        return [body for body in self.bodies if len(body["messages"]) > 1]

    def handle(self, request):
        body = json.loads(request.rfile.read(int(request.headers["content-length"])))
        with self._lock:
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            result = (self.answer if len(body["messages"]) > 1 else self.check)(body)
            if result is HANG:
                self._closed.wait(30)
                return
            status, content, *headers = result if isinstance(result, tuple) else (200, result)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            request.send_response(status)
            for name, value in dict(*headers).items():
                request.send_header(name, value)
            request.send_header("content-length", str(len(data)))
            request.end_headers()
            request.wfile.write(data)
        except OSError:  # the client has gone
            pass
        finally:
            with self._lock:
                self.at_once -= 1

    def close(self):
        self._closed.set()


@contextmanager
def serving(answer=first_move, **options):
    """Run a server; yield it, with its `url`."""
    server = Server(answer, **options)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            server.handle(self)

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server.url = f"http://127.0.0.1:{http.server_address[1]}"
        threading.Thread(target=http.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.close()
            http.shutdown()


def slowly(answer, seconds):
    """Return an answer that takes some time."""

    def later(body):
        time.sleep(seconds)
        return answer(body)

    return later
