"""What the documents show, as text: their Python, and the commands that a reader would type."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path) -> list[str]:
    """The page's Python."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def lines(page: Path) -> list[str]:
    """The lines of a page that are set as code and are not Python: commands without their comments, what they print."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")  # a line that goes on
    return [re.sub(r"\s+# .*", "", line) for line in _set_as_code(text)]


def commands(page: Path) -> list[str]:
    """The commands of daxlab that a page shows. `one && another` is two."""
    each = [command for line in lines(page) if line.startswith("daxlab ") for command in line.split(" && ")]
    return [command for command in each if command.startswith("daxlab ")]


def _set_as_code(text: str) -> list[str]:
    found, fence = list[str](), None
    for line in text.splitlines():
        if line.startswith("```"):
            fence = None if fence is not None else line.strip("`")
        elif fence in ("", "bash", "text"):
            found.append(line)
        elif fence is None and line.startswith("    "):
            found.append(line.removeprefix("    "))
    return found
