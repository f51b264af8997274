"""The site that `make docs` builds: no warning, no link to nowhere, no page that scrolls sideways."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from nothing. Its tutorial is run."""
    pytest.importorskip("myst_nb", reason="needs the extra daxlab[docs]")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "-d", folder / "doctrees"]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}  # in earnest, unlike tests
    built = subprocess.run(
        [*command, ROOT / "docs", folder / "html"], env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return folder / "html"


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    places = {path: set(re.findall(r'\bid="([^"]*)"', text)) for path, text in pages.items()}
    for page, text in pages.items():
        for link in re.findall(r'\b(?:href|src)="(?!\w+:)([^"]*)"', text):
            path, _, anchor = unquote(unescape(link)).partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            assert target.exists(), (page.name, link)
            assert not anchor or target.suffix != ".html" or anchor in places[target], (page.name, link)


def test_the_command_reference_has_every_command_and_the_api_every_public_name(site: Path) -> None:
    import daxlab
    from daxlab.cli import app

    commands = (site / "commands.html").read_text(encoding="utf-8")
    assert all(f'id="daxlab-{command.name}"' in commands for command in app.registered_commands)
    api = (site / "api.html").read_text(encoding="utf-8")
    assert [name for name in daxlab.__all__ if not re.search(rf'id="(module-)?daxlab\.([\w.]+\.)?{name}"', api)] == []


def test_the_tutorial_shows_every_picture_that_it_draws(site: Path) -> None:
    drawn = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8").count("daxlab.plot.")
    shown = re.findall(r'<img [^>]*src="_images', (site / "tutorial.html").read_text(encoding="utf-8"))
    assert len(shown) == drawn > 0


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_scrolls_sideways_or_complains(site: Path, chromium: Any, width: int) -> None:
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": width, "height": 900}, offline=True)
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    for path in sorted(site.glob("*.html")):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        hidden = "all => all.filter(one => !one.naturalWidth).map(one => one.src)"
        assert page.eval_on_selector_all("article img", hidden) == [], path.name
    context.close()
    assert complaints == []
