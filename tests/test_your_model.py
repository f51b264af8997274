"""docs/your-model.md, typed from beginning to end: every command works, and prints what the page shows."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "your-model.md").read_text(encoding="utf-8")
NEAREST = PAGE.partition("```python\n")[2].partition("```")[0]
# What a reader has: a model, some data. These commands are about a reader's own files, and are only planned.
OWN = ("mine.py:Mine", "--command")
UNTYPED = ["daxlab card nearest overall-best"]  # what it prints is shown, the command stands in a sentence


def typed() -> list[str]:
    """The lines that are set as code: commands, and what they print."""
    text = re.sub(r"^```.*?^```", "", PAGE, flags=re.M | re.S)
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    return [re.sub(r"\s+# .*", "", line) if line.startswith("daxlab") else line for line in lines]


def is_part(words: list[str], line: list[str]) -> bool:
    """Whether a line has these words in this order, among others: the page leaves columns out."""
    rest = iter(line)
    return all(word in rest for word in words)


def answer_at_home() -> None:
    """What the reader does with the folder home: here, by the nearest neighbour of the page."""
    names: dict = {}
    exec(NEAREST, names)
    for task in json.loads(Path("home", "manifest.json").read_text())["tasks"]:
        train, asked = (
            [json.loads(line) for line in Path("home", *task[side]).read_text().splitlines()]
            for side in ("train", "commands")
        )
        model = names["Nearest"]()
        model.fit([(row["command"], row["actions"]) for row in train], seed=task["seed"])
        commands = [row["command"] for row in asked]
        rows = zip(commands, model.predict(commands), strict=True)
        lines = [json.dumps({"command": command, "answer": answer}) for command, answer in rows]
        Path("home", task["answers"]).write_text("\n".join(lines))


@pytest.mark.slow
@pytest.mark.usefixtures("trains_here")
def test_every_command_of_the_page_prints_what_the_page_shows(daxlab, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nearest.py").write_text(NEAREST)
    Path("mine.py").write_text(NEAREST.replace("class Nearest", "class Mine"))
    shutil.copy(ROOT / "examples" / "reader.py", tmp_path)
    shutil.copytree(ROOT / "tests" / "everywhere" / "colours", tmp_path / "path" / "to" / "cogs")
    printed, shown = list[list[str]](), list[list[str]]()
    for line in [*typed(), *UNTYPED]:
        if not line.startswith("daxlab "):
            shown.append(line.split())
            continue
        _, *words = shlex.split(line)
        if words[0] == "examine" and any(word in words for word in OWN):
            words.append("--dry-run")
        done = daxlab(*words)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        printed += [text.split() for text in done.stdout.splitlines()]
        if "--take-home" in words:
            answer_at_home()
        if words[:2] == ["score", "home"]:
            daxlab("runs", "answers", keys(daxlab)["my-model, at home", "jump", 0], "--to", "answers.jsonl")
    code = ["class Mine:", "exceptions = {"]  # which checks a class need not keep
    missing = [words for words in shown if not any(is_part(words, line) for line in printed)]
    assert [words for words in missing if not " ".join(words).startswith(tuple(code))] == []
    assert json.loads(Path("checks.json").read_text()) and "<html" in Path("card.html").read_text()


def keys(daxlab) -> dict[tuple, str]:
    """The keys of the runs, by learner, split and seed."""
    rows = json.loads(daxlab("runs", "list", "--json").stdout)
    return {(row["label"], row["split"], row["seed"]): row["key"] for row in rows}
