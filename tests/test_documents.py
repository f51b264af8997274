"""What the documents show works: their Python is run, their commands are ones that daxlab understands, their links lead
somewhere, and the site is built of them without a warning."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from daxlab.cli import app
from documents import PAGES, ROOT, blocks, commands

OTHERS = [ROOT / name for name in ("CHANGELOG.md", "ROADMAP.md", "results/README.md", "examples/README.md")]
COMMAND: Any = typer.main.get_command(app)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from daxlab.datasets import rules

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rules, "FAMILIES", list(rules.FAMILIES))  # a page may add a split
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), names)


@pytest.mark.parametrize("line", [line for page in PAGES for line in commands(page) if "--help" not in line])
def test_a_command_of_a_page_is_one_that_daxlab_has(line: str) -> None:
    """Its name and its options are read as typed; nothing is run."""
    _, *words = shlex.split(line)
    command, context = COMMAND, None
    while hasattr(command, "resolve_command"):  # a group of commands
        context = command.make_context(command.name, list(words), parent=context, resilient_parsing=True)
        _, command, words = command.resolve_command(context, words)
    command.make_context(command.name, words, parent=context)


def anchors(page: Path) -> set[str]:
    """The places in a page that a link can lead to: its headings, as GitHub and the site write them."""
    headings = re.findall(r"^#+ +(.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file_of_the_repository(page: Path) -> None:
    """GitHub shows these pages as they are."""
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!\w+:)([^)\s]*)\)", text) + re.findall(r'(?:src|srcset)="([^"]*)"', text):
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


def test_every_page_that_the_code_names_is_there() -> None:
    """Help texts, errors and comments say "docs/sweeps.md"."""
    named = {
        (name, path.relative_to(ROOT))
        for folder in ("src", "examples", "tests", "specs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".toml", ".md")
        for name in re.findall(r"docs/[\w-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert {(name, path) for name, path in named if not (ROOT / name).exists()} == set()


def test_every_page_is_in_the_contents_of_the_site() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {name for tree in re.findall(r"```\{toctree\}\n(.*?)```", index, re.S) for name in tree.split("\n")}
    assert {page.stem for page in PAGES if page.parent == ROOT / "docs"} - listed == {"index"}
