"""What the documents show works: their Python is run, and their commands are ones that daxlab understands."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from daxlab.cli import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND: Any = typer.main.get_command(app)


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def commands(page: Path) -> list[str]:
    """Lines that begin with `daxlab`, without their comments."""
    lines = re.findall(r"^ {4}(daxlab [^\n]*)", page.read_text(encoding="utf-8"), re.M)
    return [re.sub(r"\s+#.*", "", line) for line in lines]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from daxlab.datasets import rules

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rules, "FAMILIES", list(rules.FAMILIES))  # a page may add a split
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), names)


@pytest.mark.parametrize("line", [line for page in PAGES for line in commands(page)])
def test_a_command_of_a_page_is_one_that_daxlab_has(line: str) -> None:
    """Its name and its options are read as typed; nothing is run."""
    _, *words = shlex.split(line)
    command, context = COMMAND, None
    while hasattr(command, "resolve_command"):  # a group of commands
        context = command.make_context(command.name, list(words), parent=context, resilient_parsing=True)
        _, command, words = command.resolve_command(context, words)
    command.make_context(command.name, words, parent=context)
