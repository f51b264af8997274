"""The server: what it gives, what it refuses, and that it only reads."""

import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.web.bundle import static
from daxlab.web.server import serve

SHIPPED = Path(__file__).parents[2] / "results/runs.db"
KEY = "9485894f"

pytestmark = pytest.mark.results


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serve(SHIPPED, 0) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()


def ask(port: int, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[Any, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders(body)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def told(port: int, path: str) -> Any:
    response, content = ask(port, path)
    assert response.status == 200, content
    return json.loads(content)


def test_it_gives_the_page_and_what_the_page_asks_for(port: int) -> None:
    response, content = ask(port, "/")
    assert response.status == 200 and b"<title>daxlab" in content
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    for name, part in static().items():
        assert ask(port, f"/{name}")[1] == part
    page = told(port, "/data/page.json")
    assert page["live"] and len(page["ladder"]) == 7 and len(page["first"]) == 3
    (several,) = [network for network in page["networks"] if network["snapshots"]]
    for update in several["snapshots"]:
        response, weights = ask(port, f"/data/weights/{several['key']}-{update}.safetensors")
        assert response.status == 200 and 300_000 < len(weights) < 500_000
    assert len(set(told(port, f"/data/commands/{several['key']}.json")["commands"])) == 400
    for network in page["networks"][:2]:
        response, weights = ask(port, f"/data/weights/{network['key']}.safetensors")
        assert response.status == 200 and 300_000 < len(weights) < 500_000


def test_runs_are_the_ledgers(port: int) -> None:
    with Ledger(SHIPPED) as ledger:
        every, some = ledger.count(), ledger.count({"split": "jump", "cell": "gru", "attention": True})
        run = ledger.run(KEY)
    assert len(told(port, "/data/runs.json")["runs"]) == every
    table = told(port, "/data/runs.json?split=jump&cell=gru&attention=true")
    assert len(table["runs"]) == some > 0
    assert {setting["split"] for setting in table["settings"]} == {"jump"}
    assert told(port, f"/data/runs/{KEY}.json")["metrics"] == run.metrics
    answers = told(port, f"/data/answers/{KEY}.json")
    accuracy = 100 * (answers["commands"] - answers["wrong"]) / answers["commands"]
    assert accuracy == pytest.approx(run.metrics["accuracy"])
    asked = told(port, f"/data/asked/{KEY}.json")
    assert asked["accuracy"] == run.metrics["accuracy"] and len(asked["answers"]) == answers["commands"]
    assert all(asked["answers"][command] == answer for command, answer in answers["shown"])
    assert told(port, "/data/status.json")["done"] == every
    assert len(told(port, "/data/claims.json")) == 17


def test_what_has_not_changed_is_not_sent_again(port: int) -> None:
    for path in ("/", "/app.js", "/data/runs.json", f"/data/runs/{KEY}.json"):
        first, content = ask(port, path)
        again, nothing = ask(port, path, If_None_Match=first.headers["ETag"])
        assert (again.status, nothing) == (304, b"") and content
    packed, content = ask(port, "/data/runs.json", Accept_Encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip" and len(content) < 150_000


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example", ""])
def test_another_name_is_refused(port: int, host: str) -> None:
    response, content = ask(port, "/data/page.json", Host=host)
    assert response.status == 421 and b"networks" not in content


def test_its_own_names_are_not(port: int) -> None:
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        assert ask(port, "/app.js", Host=f"{host}:{port}")[0].status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "ANYTHING"])
def test_it_only_answers_get_and_head(port: int, method: str) -> None:
    response, _ = ask(port, "/data/page.json", method)
    assert response.status == 405 and response.headers["Allow"] == "GET, HEAD"
    head, content = ask(port, "/data/page.json", "HEAD")
    assert head.status == 200 and int(head.headers["Content-Length"]) > 1000 and not content


WRONG = {
    "/nothing": 404,
    "/report.html": 404,
    "/data/runs/ffffffff.json": 404,
    "/data/runs/zzzz.json": 404,
    "/data/answers/ffffffff.json": 404,
    "/data/asked/ffffffff.json": 404,
    "/data/commands/ffffffff.json": 404,
    f"/data/weights/{'f' * 64}-400.safetensors": 404,
    f"/data/weights/{'f' * 64}.safetensors": 404,
    f"/data/weights/{KEY}.safetensors": 404,
    "/data/weights/..%2f..%2fruns.db": 404,
    "/../../../../etc/passwd": 404,
    "/%2e%2e/%2e%2e/etc/passwd": 404,
    "/..%5c..%5cetc/passwd": 404,
    "/data/%00.json": 404,
    "/%ff%fe": 400,
    "/app.js?x": 400,
    "/data/runs.json?nocolumn=1": 400,
    "/data/runs.json?split": 400,
    "/data/runs.json?split=a&split=b": 400,
    "/data/runs.json?key=abc": 400,
    "/data/runs.json?seed=%ff": 400,
    "/data/runs.json?seed=a": 400,
    "/data/runs.json?split'--=1": 400,
    "/" + "a" * 3000: 414,
    "/" + "a" * 70_000: 414,
}


@pytest.mark.parametrize(("path", "status"), WRONG.items(), ids=[path[:40] for path in WRONG])
def test_what_is_not_there_is_a_clear_refusal(port: int, path: str, status: int) -> None:
    response, content = ask(port, path)
    assert response.status == status
    assert content.strip() and b"Traceback" not in content
    assert response.headers["Content-Type"].startswith("text/plain")


def test_a_report_is_served_where_it_can_read_nothing(tmp_path: Path) -> None:
    report = tmp_path / "mine.html"
    report.write_text("<h1>Mine</h1>")
    with serve(SHIPPED, 0, report) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        response, content = ask(server.server_port, "/report.html")
        assert content == b"<h1>Mine</h1>" and "sandbox" in response.headers["Content-Security-Policy"]
        assert told(server.server_port, "/data/page.json")["report"] == "report.html"
        server.shutdown()


@pytest.mark.parametrize(
    "value", ["[1]", "{}", "1e999", "NaN", "9" * 400, "[" * 500, "true", "null", "'; drop table runs"]
)
def test_any_value_can_be_asked_for(port: int, value: str) -> None:
    for column in ("split", "accuracy", "hidden"):
        assert ask(port, f"/data/runs.json?{column}={quote(value)}")[0].status == 200
    assert ask(port, f"/data/runs.json?seed={quote(value)}")[0].status == 400  # none of them is a seed


def test_what_is_no_http_ends_the_connection_alone(port: int) -> None:
    for nonsense in (
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x00\xff\x00\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000,
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as raw:
            raw.sendall(nonsense)
            raw.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                while raw.recv(4096):
                    pass
    assert ask(port, "/")[0].status == 200


def test_a_body_is_refused(port: int) -> None:
    assert ask(port, "/", body=b"x" * 10, Content_Length="10")[0].status == 400


def test_many_clients_at_once(port: int) -> None:
    paths = ["/", "/app.js", "/data/page.json", "/data/runs.json?split=jump", f"/data/runs/{KEY}.json"] * 20
    with ThreadPoolExecutor(50) as pool:
        assert {response.status for response, _ in pool.map(lambda path: ask(port, path), paths)} == {200}


def test_a_port_that_is_taken_is_said(port: int) -> None:
    with pytest.raises(InputError, match="another --port"):
        serve(SHIPPED, port)


def test_no_jax_is_imported_and_nothing_is_written(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from daxlab.web.server import Site
site = Site(Path(sys.argv[1]))
for path in ("page", "claims", "runs", "status", "runs/9485894f", "answers/9485894f", "asked/9485894f"):
    site.get(f"/data/{path}.json")
print([name for name in sys.modules if name.split(".")[0] in ("jax", "jaxlib", "equinox", "matplotlib")][:3])
"""
    before = {path: path.stat().st_mtime_ns for path in SHIPPED.parent.rglob("*")}
    done = subprocess.run([sys.executable, "-c", program, str(SHIPPED)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert {path: path.stat().st_mtime_ns for path in SHIPPED.parent.rglob("*")} == before


@given(st.text(max_size=60), st.booleans())
def test_any_address_gets_an_answer_and_no_failure(port: int, text: str, filters: bool) -> None:
    path = f"/data/runs.json?{quote(text, safe='=&')}" if filters else f"/{quote(text, safe='/.%?')}"
    response, _ = ask(port, path)
    assert response.status in (200, 400, 404, 414)


def test_the_command_serves_until_it_is_interrupted() -> None:
    ask_for = [sys.executable, "-m", "daxlab", "web", "--port", "0", "--no-open", "--ledger", str(SHIPPED)]
    with subprocess.Popen(ask_for, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None and command.stderr is not None
        line = command.stdout.readline()
        assert ask(int(line.split(":")[2].split("/")[0]), "/")[0].status == 200
        command.send_signal(signal.SIGINT)
        assert command.wait(20) == 130
        assert "Traceback" not in command.stderr.read()
