"""The page written down: as a folder for any static host, or as one file that works from disk.

Knows the page's files and how its modules name each other; knows nothing of what they do.
"""

import base64
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from daxlab.atomic import atomic_write
from daxlab.ledger import Ledger
from daxlab.web import content
from daxlab.web.half import narrowed

FIRST = "app.js"
REPORT = "report.html"  # beside the page
POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; connect-src {connect}; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
SERVED = POLICY.format(script="'self'", style="'self'", connect="'self'")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+\.js)";$', re.MULTILINE)
_LATER = re.compile(r'import\("\./(\w+)\.js"\)')
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def static() -> dict[str, bytes]:
    """The page's own files, by name."""
    folder = files("daxlab.web") / "static"
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir(), key=lambda file: file.name)}


def compact(value: Any) -> bytes:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def data(ledger: Path, report: str | None = None) -> Iterator[tuple[str, bytes]]:
    """What the page fetches, by name, weights in half precision."""
    page = content.page(ledger, report=report)
    yield "page.json", compact(page)
    yield "claims.json", compact(content.claims(ledger))
    with Ledger(ledger) as known:
        yield "runs.json", compact(content.runs(known))
    paths = content.ledgers(ledger)
    for network in page["networks"]:
        file = content.weights(paths, network["key"])
        assert file is not None, "only networks with weights are listed"
        yield f"weights/{network['key']}.safetensors", narrowed(file.read_bytes())
        yield f"commands/{network['key']}.json", compact(content.commands(network))
        for update, path in content.snapshots(paths, network["key"]).items():
            yield f"weights/{network['key']}-{update}.safetensors", narrowed(path.read_bytes())


def write_folder(ledger: Path, folder: Path, report: Path | None = None) -> list[Path]:
    """Write the page into a folder, with a report that it links to; returns its files."""
    written = []
    beside = {REPORT: report.read_bytes()} if report else {}
    fetched = data(ledger, REPORT if report else None)
    for name, part in [*static().items(), *beside.items(), *((f"data/{name}", part) for name, part in fetched)]:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, part)
        written.append(path)
    return written


def one_file(ledger: Path) -> bytes:
    """The page with all that it needs inside."""
    own = {name: part.decode() for name, part in static().items()}
    script, style = "\n" + joined(own) + "\n", "\n" + own["style.css"]
    if "</script" in script or "</style" in style:
        raise ValueError("a module or the style ends its own element")
    html = own["index.html"]
    html = html.replace(
        SERVED, POLICY.format(script=f"'{script_hash(script)}'", style=f"'{script_hash(style)}'", connect="'none'")
    )
    html = html.replace('<link rel="stylesheet" href="style.css">', f"<style>{style}</style>")
    html = html.replace(f'<script type="module" src="{FIRST}"></script>\n', "")
    parts = [_inside(name, part) for name, part in data(ledger)]
    return html.replace("</body>", "\n".join([*parts, f'<script type="module">{script}</script>', "</body>"])).encode()


def _inside(name: str, part: bytes) -> str:
    """A part of the data as an element that runs nothing; no word in it can end that element."""
    stem, _, kind = name.rpartition(".")
    text = part.decode().replace("<", "\\u003c") if kind == "json" else base64.b64encode(part).decode()
    return f'<script type="application/json" id="data:{stem}">{text}</script>'


def script_hash(text: str) -> str:
    """A script or a style as a content security policy names it, without quotes."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def joined(modules: dict[str, str], first: str = FIRST) -> str:
    """A module and all that it needs as one: each a function that returns what it exports, after those it imports."""
    done: dict[str, str] = {}

    def add(name: str) -> None:
        if name in done:
            return
        text = modules[name]
        for needed in [
            *(match[2] for match in _IMPORT.finditer(text)),
            *(f"{stem}.js" for stem in _LATER.findall(text)),
        ]:
            add(needed)
        text = _IMPORT.sub(lambda match: f"const {match[1].replace(' as ', ': ')} = {_variable(match[2])};", text)
        text = _LATER.sub(lambda match: f"Promise.resolve({_variable(match[1])})", text)
        exported = ", ".join(match[2] for match in _EXPORT.finditer(text))
        text = _EXPORT.sub(r"\1", text)
        if left := re.search(r"^(import|export)\b.*", text, re.MULTILINE):
            raise ValueError(f"{name}: {left[0]!r} is no form of import or export that can be joined")
        done[name] = f"const {_variable(name)} = await (async () => {{\n{text}\nreturn {{ {exported} }};\n}})();"

    add(first)
    return "\n".join(done.values())


def _variable(name: str) -> str:
    return f"module_{name.removesuffix('.js')}"
