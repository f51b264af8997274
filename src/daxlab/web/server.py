"""The page served, with what is live: reads ledgers, never writes, and answers GET and HEAD alone.

Whoever asks under another name than this machine's own is refused, so that no page elsewhere can read through a name
that it had pointed here (DNS rebinding).
"""

import gzip
import json
import mimetypes
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.web import content
from daxlab.web.bundle import REPORT, SERVED, compact, static
from daxlab.web.half import narrowed

LOOPBACK = ("localhost", "127.0.0.1", "::1")
LONGEST = 2000  # characters of an address
MOST_FILTERS = 20
WRONG_SHOWN = 200  # wrong answers of a run
KEY = "([0-9a-f]{4,64})"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
ALONE = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'"  # a report reads nothing of ours


class Refused(Exception):
    """A request that gets no answer; the message says why."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Content:
    """What is sent: bytes of a kind."""

    body: bytes
    kind: str = "application/json"
    policy: str = SERVED + "; frame-ancestors 'none'"


class Site:
    """What a ledger's page consists of, by path. Safe to ask from many threads."""

    def __init__(self, ledger: Path, report: Path | None = None) -> None:
        self.ledger, self.report = ledger, report
        self.static = static()
        self._locks = {name: Lock() for name in ("page", "claims", "runs")}
        self._made: dict[str, tuple[Any, bytes]] = {}
        self.routes: dict[str, Callable[..., Content]] = {
            "/data/page.json": self._page,
            "/data/claims.json": self._claims,
            "/data/runs.json": self._runs,
            "/data/status.json": self._status,
            f"/data/runs/{KEY}.json": self._run,
            f"/data/answers/{KEY}.json": self._answers,
            f"/data/asked/{KEY}.json": self._asked,
            f"/data/commands/{KEY}.json": self._commands,
            f"/data/weights/{KEY}.safetensors": self._weights,
            rf"/data/weights/{KEY}-([0-9]{{1,9}}).safetensors": self._weights,
        }

    def get(self, target: str) -> Content:
        """What is at an address; Refused where nothing is."""
        if len(target) > LONGEST:
            raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, f"an address has at most {LONGEST:,} characters")
        try:
            parts = urlsplit(target)
            path = unquote(parts.path, errors="strict")
            filters = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query), errors="strict")
        except ValueError:
            raise Refused(HTTPStatus.BAD_REQUEST, "this address cannot be read") from None
        if filters and path != "/data/runs.json":
            raise Refused(HTTPStatus.BAD_REQUEST, "only /data/runs.json takes filters")
        name = "index.html" if path == "/" else path.removeprefix("/")
        if name in self.static:
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            kind = "text/javascript" if name.endswith(".js") else kind
            return Content(self.static[name], f"{kind}; charset=utf-8")
        if name == REPORT and self.report:
            return Content(self.report.read_bytes(), "text/html; charset=utf-8", ALONE)
        for pattern, answer in self.routes.items():
            if match := re.fullmatch(pattern, path):
                return answer(filters) if path == "/data/runs.json" else answer(*match.groups())
        raise Refused(HTTPStatus.NOT_FOUND, "there is nothing at this address; the page is at /")

    def warm(self) -> None:
        """Make what every view needs before it is asked for."""
        with suppress(InputError):  # whoever asks will be told
            self._page()

    def _once(self, name: str, make: Callable[[], bytes]) -> Content:
        """What is the same until the ledger changes."""
        with self._locks[name]:
            state = _state(self.ledger)
            if name not in self._made or self._made[name][0] != state:
                self._made[name] = (state, make())
            return Content(self._made[name][1])

    def _page(self) -> Content:
        report = REPORT if self.report else None
        return self._once("page", lambda: compact(content.page(self.ledger, live=True, report=report)))

    def _claims(self) -> Content:
        return self._once("claims", lambda: compact(content.claims(self.ledger)))

    def _runs(self, filters: list[tuple[str, str]]) -> Content:
        with Ledger(self.ledger) as ledger:
            if filters:
                return Content(compact(content.runs(ledger, _where(ledger, filters))))
            return self._once("runs", lambda: compact(content.runs(ledger)))

    def _status(self) -> Content:
        from daxlab.sweep.status import status

        with Ledger(self.ledger) as ledger:
            return Content(compact(asdict(status(ledger))))

    def _run(self, key: str) -> Content:
        with Ledger(self.ledger) as ledger:
            run = ledger.run(key)
        parts = ("key", "spec", "status", "failed_at", "reason", "metrics", "curve", "timing", "origin", "finished")
        return Content(compact({part: getattr(run, part) for part in parts}))

    def _answers(self, key: str) -> Content:
        from daxlab.analysis.answers import answers  # polars is slow to load

        with Ledger(self.ledger) as ledger:
            if (run := ledger.find(key)) not in ledger.having("greedy"):
                return Content(compact({"commands": 0, "wrong": 0, "shown": []}))
            frame = answers(ledger, run).select("command", "answer", "right")
        wrong = frame.filter(~frame["right"])
        shown = [(command, " ".join(answer)) for command, answer, _ in wrong.head(WRONG_SHOWN).iter_rows()]
        return Content(compact({"commands": len(frame), "wrong": len(wrong), "shown": shown}))

    def _asked(self, key: str) -> Content:
        asked = content.asked(self.ledger, key)
        if not asked["answers"]:
            raise Refused(HTTPStatus.NOT_FOUND, "the ledger does not have the answers of this run")
        return Content(compact(asked))

    def _commands(self, key: str) -> Content:
        network = next((one for one in content.networks(content.ledgers(self.ledger)) if one["key"] == key), None)
        if network is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no network of such a run (give its whole key)")
        return Content(compact(content.commands(network)))

    def _weights(self, key: str, update: str = "") -> Content:
        paths = content.ledgers(self.ledger)
        file = content.weights(paths, key) if len(key) == 64 else None
        if file is not None and update:
            file = content.snapshots(paths, key).get(int(update))
        if file is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there are no weights of such a run (give its whole key)")
        return Content(_narrow(file, file.stat().st_mtime_ns), "application/octet-stream")


@lru_cache(maxsize=32)
def _narrow(file: Path, changed: int) -> bytes:
    return narrowed(file.read_bytes())


def _state(ledger: Path) -> Any:
    """What changes when the ledger does."""
    beside = (ledger, Path(f"{ledger}-wal"))
    return [(path.stat().st_mtime_ns, path.stat().st_size) if path.exists() else None for path in beside]


def _where(ledger: Ledger, filters: list[tuple[str, str]]) -> dict[str, Any]:
    """Filters by column, each value read as JSON where it is."""
    where: dict[str, Any] = {}
    columns = ledger.columns()
    for name, text in filters[: MOST_FILTERS + 1]:
        if name not in columns:
            raise Refused(HTTPStatus.BAD_REQUEST, f"runs have no column {name[:60]!r}")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text
        if isinstance(value, (dict, list, float)) or (isinstance(value, int) and abs(value) >= 2**63):
            value = float(value) if isinstance(value, float) and abs(value) < float("inf") else text
        where[name] = value
    if len(where) < len(filters):
        raise Refused(HTTPStatus.BAD_REQUEST, f"give at most {MOST_FILTERS} filters, each by another column")
    if type(where.get("seed", 0)) is not int:  # nor a bool
        raise Refused(HTTPStatus.BAD_REQUEST, "a seed is a whole number below 2^63")
    if any(name in ("key", "group") and not re.fullmatch("[0-9a-f]{64}", str(where[name])) for name in where):
        raise Refused(HTTPStatus.BAD_REQUEST, "a filter by key or group needs the whole of it")
    return where


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "daxlab", ""
    timeout = 30
    site: Site
    hosts: frozenset[str]

    def do_GET(self) -> None:
        try:
            self._check()
            self._send(HTTPStatus.OK, self.site.get(self.path))
        except Refused as refused:
            self._refuse(refused.status, str(refused))
        except InputError as error:
            missing = "no run begins" in str(error) or "more than one run" in str(error)
            self._refuse(HTTPStatus.NOT_FOUND if missing else HTTPStatus.CONFLICT, str(error))
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True

    do_HEAD = do_GET

    def _check(self) -> None:
        host = self.headers.get("Host", "")
        if host.lower() not in self.hosts:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "this server answers only under the name that it was given")
        if self.headers.get("Content-Length", "0") != "0" or self.headers.get("Transfer-Encoding"):
            self.close_connection = True  # what follows is not read
            raise Refused(HTTPStatus.BAD_REQUEST, "a request has no body here")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send(status, Content(message.encode(errors="backslashreplace"), "text/plain; charset=utf-8"))

    def _send(self, status: HTTPStatus, sent: Content) -> None:
        tag = f'"{sha256(sent.body).hexdigest()[:32]}"'
        fresh = status == HTTPStatus.OK and tag in self.headers.get("If-None-Match", "")
        body, packed = (b"" if fresh else sent.body), False
        if len(body) > 1000 and "gzip" in self.headers.get("Accept-Encoding", "") and "octet" not in sent.kind:
            body, packed = _packed(body), True
        self.send_response(HTTPStatus.NOT_MODIFIED if fresh else status)
        headers = HEADERS | {"Content-Security-Policy": sent.policy, "Vary": "Accept-Encoding"}
        headers |= {"Content-Type": sent.kind, "Content-Length": str(len(body))}
        headers |= {"ETag": tag} if status == HTTPStatus.OK else {}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        if fresh:
            del headers["Content-Length"], headers["Content-Type"]
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library refuses by itself: other methods, lines that are no HTTP. In plain words, as the rest."""
        code = HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else code
        self.close_connection = True
        body = f"{message or HTTPStatus(code).phrase}; this server answers GET and HEAD\n".encode(errors="replace")
        self.send_response(code, HTTPStatus(code).phrase)
        headers = HEADERS | {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
        for name, value in (headers | {"Allow": "GET, HEAD", "Connection": "close"}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal says where the page is, and no more."""


@lru_cache(maxsize=64)
def _packed(body: bytes) -> bytes:
    return gzip.compress(body, 6, mtime=0)


class Server(ThreadingHTTPServer):
    """Threads that end with the program."""

    daemon_threads = True
    request_queue_size = 128


def serve(ledger: Path, port: int, report: Path | None = None, host: str = "127.0.0.1") -> Server:
    """A server that is bound, not yet answering; port 0 takes a free one. `report`: a page to link to."""
    site = Site(ledger, report)
    handler = type("SiteHandler", (Handler,), {"site": site})
    try:
        server = Server((host, port), handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot serve at {host}:{port}: {reason}; try another --port") from None
    Thread(target=site.warm, daemon=True).start()
    names = {*LOOPBACK, host}
    bound = server.server_port
    every = {f"[{name}]" if ":" in name else name for name in names}
    handler.hosts = frozenset(  # type: ignore[attr-defined]
        {f"{name}:{bound}" for name in every} | (every if bound == 80 else set())
    )
    return server
