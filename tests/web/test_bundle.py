"""The page as files: modules joined, words that cannot become markup, colours of the report."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from daxlab.cli import app
from daxlab.report.drawing import PALETTE
from daxlab.web import bundle
from daxlab.web.bundle import joined, one_file, static

SHIPPED = Path(__file__).parents[2] / "results/runs.db"


def test_its_colours_are_the_reports() -> None:
    style = static()["style.css"].decode()
    light, *dark = re.findall(r"color-scheme: (?:light|dark);([^}]*)\}", style)
    for name, pair in PALETTE.items():
        assert f"--{name}: {pair[0]};" in light
        assert len(dark) == 2 and all(f"--{name}: {pair[1]};" in some for some in dark)


def test_no_module_makes_markup_or_code_of_text() -> None:
    dangerous = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|srcdoc"
    for name, part in static().items():
        assert not re.search(dangerous, part.decode()), name
        assert not re.search(r"https?://(?!www\.w3\.org)", part.decode()), name
    html = static()["index.html"].decode()
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", html)


def test_everything_before_the_first_click_is_small() -> None:
    import gzip

    sizes = {name: len(gzip.compress(part)) for name, part in static().items()}
    assert sum(sizes.values()) < 60_000


def test_modules_are_joined_in_the_order_of_their_needs() -> None:
    text = joined(
        {
            "app.js": 'import { a as b } from "./low.js";\nawait import("./later.js");\n',
            "later.js": 'import { a } from "./low.js";\nexport async function view() {}\n',
            "low.js": "export const a = 1;\nexport class C {}\n",
        }
    )
    order = [text.index(f"const module_{name} =") for name in ("low", "later", "app")]
    assert order == sorted(order)
    assert "return { a, C };" in text and "const { a: b } = module_low;" in text
    assert "Promise.resolve(module_later)" in text


def test_a_form_that_cannot_be_joined_is_refused() -> None:
    with pytest.raises(ValueError, match="can be joined"):
        joined({"app.js": "export default 3;"})


def test_words_cannot_leave_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "</script><script>alert(1)</script><!--"
    monkeypatch.setattr(bundle, "data", lambda _: [("page.json", bundle.compact({"networks": [], "ledger": evil}))])
    html = one_file(SHIPPED).decode()
    assert evil not in html and "<!--" not in html and html.count("<script") == 2
    (text,) = re.findall(r'id="data:page">(.*?)</script>', html)
    assert json.loads(text)["ledger"] == evil
    assert "unsafe" not in html and html.count("'sha256-") == 2


@pytest.mark.results
def test_it_is_written_as_a_folder(tmp_path: Path) -> None:
    ask = ["web", "--ledger", str(SHIPPED), "--to"]
    folder = tmp_path / "site"
    for _ in range(2):  # again over the earlier one
        done = CliRunner().invoke(app, [*ask, str(folder)])
        assert done.exit_code == 0, done.output
    page = json.loads((folder / "data/page.json").read_text())
    for network in page["networks"]:
        assert (folder / f"data/weights/{network['key']}.safetensors").stat().st_size < 500_000
    assert {path.name for path in folder.glob("*.js")} == {name for name in static() if name.endswith(".js")}


def test_it_writes_over_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for to in (tmp_path, tmp_path / "mine.txt", tmp_path / "nowhere/page.html"):
        done = CliRunner().invoke(app, ["web", "--ledger", str(SHIPPED), "--to", str(to)])
        assert done.exit_code != 0
        assert "give --to" in str(done.exception) or "cannot write" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
