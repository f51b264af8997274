"""What the site adds to the pages as they stand in the repository: a Sphinx extension.

- Links from files outside of docs/ work, where a page includes such a file; a link to a source file downloads it.
- A picture that has a light and a dark version follows the theme.
- Blocks of commands are highlighted.
- `<!-- commands -->` becomes the command reference.
"""

import re
from collections.abc import Iterator
from inspect import cleandoc
from os.path import relpath
from pathlib import Path
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from daxlab.cli import app

DOCS = Path(__file__).parent
ROOT = DOCS.parent
INCLUDED = {  # files that pages of the site consist of
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "ROADMAP.md": "roadmap.md",
    "examples/README.md": "examples.md",
    "results/README.md": "results.md",
}
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
PICTURE = re.compile(r'<picture>.*?<img alt="(?P<alt>[^"]*)" src="(?P<path>[^"]*)-light\.svg".*?</picture>', re.DOTALL)
COMMAND = re.compile(r"(daxlab|docker|hf|inspect|make|pip|python|ray|sbatch|source|uv) ")


def linked(text: str, folder: Path) -> str:
    """A page's text, with links relative to `folder` made relative to docs/."""

    def link(match: re.Match[str]) -> str:
        place = (folder / match[1]).resolve().relative_to(ROOT).as_posix()
        return f"]({INCLUDED.get(place) or Path(relpath(ROOT / place, DOCS)).as_posix()}{match[2] or ''})"

    return LINK.sub(link, text)


def pictured(text: str) -> str:
    """A page's text, with each `<picture>` as two images, of which the theme shows one."""

    def images(match: re.Match[str]) -> str:
        return "\n".join(
            f"```{{image}} {match['path']}-{theme}.svg\n:class: only-{theme}\n:alt: {match['alt']}\n```"
            for theme in ("light", "dark")
        )

    return PICTURE.sub(images, text)


def command_reference() -> str:
    """Every command of `daxlab` in Markdown, with all that it takes."""
    root: Any = typer.main.get_command(app)
    return "\n\n".join(_commands(root, root.make_context("daxlab", [], resilient_parsing=True), 2))


def _commands(group: Any, context: Any, level: int) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        below = command.make_context(name, [], parent=context, resilient_parsing=True)
        yield f"{'#' * level} {below.command_path}\n\n{_prose(command.help)}"
        if hasattr(command, "list_commands"):
            yield from _commands(command, below, level + 1)
            continue
        usage = [below.command_path, *command.collect_usage_pieces(below)]
        yield f"```text\n{' '.join(usage)}\n```"
        panels: dict[str, list[str]] = {}
        for parameter in command.params:
            if record := parameter.get_help_record(below):  # none of a hidden one
                item = f"`{record[0]}`\n: {_escaped(record[1]) or '–'}\n"
                panels.setdefault(parameter.rich_help_panel or "", []).append(item)
        for panel, items in panels.items():
            yield "\n".join([f"{{.panel}}\n{panel}\n" if panel else "", *items])
        yield _prose(command.epilog)


def _prose(text: str | None) -> str:
    """A help text in Markdown: paragraphs, and examples as blocks of commands."""
    text = re.sub(r"\s*Examples?: (?=daxlab )", "\n\n", cleandoc((text or "").replace("\b", "")))
    parts = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    return "\n\n".join(
        f"```bash\n{re.sub(r'(?m)^ +', '', part)}\n```" if part.startswith("daxlab ") else _escaped(part)
        for part in parts
    )


def _escaped(text: str) -> str:
    return re.sub(r"\\?([<>*_\[\]|`])", r"\\\1", " ".join(text.split()))


def _page(app: Sphinx, name: str, source: list[str]) -> None:
    text = pictured(linked(source[0], DOCS))
    source[0] = text.replace("<!-- commands -->", command_reference()) if "<!-- commands -->" in text else text


def _part(app: Sphinx, path: Path, parent: str, source: list[str]) -> None:
    source[0] = pictured(linked(source[0], (DOCS / path).resolve().parent))


class Highlight(SphinxTransform):
    """Blocks without a language that consist of commands are of the shell's."""

    default_priority = 400

    def apply(self, **options: Any) -> None:
        for block in self.document.findall(nodes.literal_block):
            lines = [line for line in block.astext().splitlines() if line.strip()]
            if block.get("language", "none") == "none" and all(map(COMMAND.match, lines)):
                block["language"] = "bash"


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _page)
    app.connect("include-read", _part)
    app.add_transform(Highlight)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
