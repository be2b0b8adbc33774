"""A web server on loopback that gives a folder's files by ranges, as storage sites do, and fails as they do."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import pathlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclasses.dataclass
class Served:
    address: str
    askers: list[str]  # the User-Agent of each request for a file
    asked: list[str]  # the path and query of each request


class RangeHandler(BaseHTTPRequestHandler):
    """Serves a folder with range requests; some paths misbehave on purpose."""

    protocol_version = "HTTP/1.1"
    folder = None
    counts = {}
    askers = []
    asked = []
    trouble = None  # see serve()

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def kind_and_name(self):
        """Of what is asked for; a query is for others to read."""
        self.asked.append(self.path)
        kind, _, name = self.path.partition("?")[0].lstrip("/").partition("/")
        return kind, name

    def do_HEAD(self):
        _, name = self.kind_and_name()
        self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str((self.folder / name).stat().st_size))
        self.end_headers()

    def reset(self):
        """End the connection as a machine does that has forgotten it."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def do_GET(self):
        kind, name = self.kind_and_name()
        self.askers.append(self.headers["User-Agent"])
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind.isdigit():
            return self.answer(int(kind))
        if kind == "hang":
            return time.sleep(3)
        if kind == "moved":
            return self.answer(302, Location=f"/files/{name}")
        if kind == "flaky" and self.counts[kind] % 2:
            return self.answer(503)
        if self.trouble is not None and self.trouble(self, name):
            return None
        data = (self.folder / name).read_bytes()
        if kind == "norange":
            return self.answer(200, data)
        first, last = (int(x) for x in self.headers["Range"].removeprefix("bytes=").split("-"))
        body = data[first : last + 1]
        if kind == "cut":
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{first + len(body) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return None
        return self.answer(206, body, Content_Range=f"bytes {first}-{first + len(body) - 1}/{len(data)}")


#: What goes wrong with a request for a file; true if that was the answer.
Trouble = Callable[[RangeHandler, str], bool]


def delay(seconds: float) -> Trouble:
    """Every request takes so much longer."""

    def wait(handler: RangeHandler, name: str) -> bool:
        time.sleep(seconds)
        return False

    return wait


def reset(times: int, *names: str) -> Trouble:
    """The first requests for these files, or for each, end with their connection; then all is well."""
    counts: collections.Counter[str] = collections.Counter()
    lock = threading.Lock()

    def end(handler: RangeHandler, name: str) -> bool:
        with lock:
            counts[name] += 1
            bad = counts[name] <= times and (not names or name in names)
        if bad:
            handler.reset()
        return bad

    return end


def never_answer(seconds: float, *names: str) -> Trouble:
    """Requests for these files are taken, and nothing comes, until what is in between gives up."""

    def give_up(handler: RangeHandler, name: str) -> bool:
        if name not in names:
            return False
        time.sleep(seconds)
        handler.close_connection = True
        return True

    return give_up


@contextlib.contextmanager
def serve(folder: pathlib.Path, trouble: Trouble | None = None) -> Iterator[Served]:
    askers: list[str] = []
    asked: list[str] = []
    wrong = {"trouble": staticmethod(trouble)} if trouble else {}
    own = {"folder": folder, "counts": {}, "askers": askers, "asked": asked, **wrong}
    handler = type("Handler", (RangeHandler,), own)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # clients hang up when they have enough
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Served(f"http://127.0.0.1:{server.server_port}", askers, asked)
    finally:
        server.shutdown()
        server.server_close()
