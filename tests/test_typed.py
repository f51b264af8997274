"""README and docs/, typed from beginning to end: every command works, and prints what the page shows.

Each page is typed in a folder of its own, which has the files of a reader and the results that come with daxlab.
"""

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from daxlab.learners import RNN
from documents import ROOT, blocks, commands, lines

PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if commands(page)]
NEAREST = blocks(ROOT / "docs" / "your-model.md")[0]
GRAMMAR = "extends scan\ngrammar:\n  U -> moonwalk\nmeaning:\n  [[moonwalk]] = MOONWALK\n"
PAIRS = "I am tired.\tJe suis fatigué.\nYou are tired.\tTu es fatigué.\n"
SCRIPT = {"part": "1", "parts": "2", "ledger": "on-node.db", "home": "parts/1.db"}  # variables of Slurm's script
DATA = os.environ.get("DAXLAB_DATA")

# A pattern for a whole line, what is typed instead (None: nothing), and why. All that fit are followed, in this order.
EXCEPTIONS: list[tuple[str, str | None, str]] = [
    (r".*--executor ray.*", None, "needs a cluster: tests/sweep/test_cluster.py"),
    (r".* log (wandb|trackio) .*", None, "libraries that the tests lack: tests/ledger/test_trackers.py"),
    (r"daxlab data fetch .*", None, "downloads: tests/datasets/test_source.py"),
    (r"daxlab report --ledger results/runs.db(.*)", r"daxlab report --ledger results/few-shot.db\1", "half a minute"),
    (r"daxlab report --out .*", r"\g<0> --ledger results/few-shot.db", "half a minute: tests/test_light.py"),
    (r"daxlab web(?!.* --to)(.*)", r"daxlab web --to served\1", "serves until Ctrl-C: tests/web/test_server.py"),
    (r"(.*) --open", r"\1", "opens a browser"),
    (r"daxlab sweep run(.* --device gpu) --budget .*", r"daxlab sweep plan\1", "needs a GPU"),
    (r"daxlab reproduce(.* --device gpu.*)", r"daxlab reproduce --dry-run\1", "needs a GPU"),
    (r"daxlab sweep run( specs/paper-search.toml --only .*)", r"daxlab sweep plan\1", "hours"),
    (r"(daxlab sweep run --set .*)", r"\1 --set data=limit-20:scan --set updates=40 --set seeds=1", "minutes"),
    (r"(daxlab sweep run specs/smoke.toml.*)", r"\1 --set data=limit-20:scan --set updates=40", "a minute"),
    (r"daxlab examine mine.py:Mine", r"\g<0> --splits jump --runs 1 --limit 20", "minutes"),
    (r"daxlab examine (mine.py:Mine (?!.*--limit 20).*|--command .*)", r"\g<0> --dry-run", "the reader's own programs"),
    (r"daxlab check rnn", r"\g<0> --set hidden=16 --set layers=1", "a minute"),
    (r"daxlab train(?! --help) .*", r"\g<0> --runs 1", "minutes"),
    (r"daxlab train(?! grammar| path)(?! --help) .*", r"\g<0> --updates 40", "minutes"),
    (r"daxlab train(?! --help)(?!.* --data) .*", r"\g<0> --data limit-20:scan", "minutes"),
    (r"daxlab train(.*) --data (?!path|limit)(.*)", r"daxlab train\1 --data limit-20:\2", "minutes"),
    (r"daxlab reproduce(?!.*--dry-run) .*", r"\g<0> --updates 40 --runs 1", "minutes"),
]
if not DATA:
    EXCEPTIONS += [(r".*SCAN-master.zip|.*translation .*gpu.*", None, "published data, and DAXLAB_DATA is not set")]

# Pages of which every other line that is set as code is printed by one of the commands, but for lines that begin so.
SHOWN = {"get-started.md": ("make ", "pip "), "your-model.md": ("class Mine:", "exceptions = {")}
# What these print is shown; the commands stand in a sentence.
IN_SENTENCES = {"your-model.md": ["daxlab card nearest overall-best"]}


def typed(line: str) -> str | None:
    """What is typed for a line of a page."""
    for pattern, instead, _ in EXCEPTIONS:
        if re.fullmatch(pattern, line):
            if instead is None:
                return None
            line = re.sub(f"^{pattern}$", instead, line)
    return line


def as_a_shell(line: str, daxlab) -> list[str]:
    """The words of a line, with its variables and file names filled in, and the first run for RUN."""
    words = shlex.split(os.path.expandvars(line).replace("~/", ""))  # the folder is the home
    words = [str(name) for word in words for name in (sorted(Path().glob(word)) if "*" in word else [word])]
    return [first(daxlab) if word == "RUN" else word for word in words]


def first(daxlab, **of: str) -> str:
    """The run that was trained first, of those with these values."""
    rows = json.loads(daxlab("runs", "list", "--json").stdout)
    return min((row for row in rows if row | of == row), key=lambda row: row["finished"])["key"]


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
        answers = [json.dumps({"command": command, "answer": answer}) for command, answer in rows]
        Path("home", task["answers"]).write_text("\n".join(answers))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with what a reader has; it is the home, too."""
    small = RNN("gru", 1, 4, attention=True, dropout=0.05)
    monkeypatch.setattr("daxlab.paper.experiments.TRANSLATOR", small)  # 40 updates of the paper's take minutes
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in SCRIPT.items():
        monkeypatch.setenv(name, value)
    everywhere = ROOT / "tests" / "everywhere"
    cogs = shutil.copytree(everywhere / "colours", tmp_path / "path" / "to" / "cogs")
    shutil.copy(cogs / "test.tsv", cogs / "dev.tsv")
    memory = (everywhere / "memory.py").read_text()
    Path("path", "to", "file.py").write_text(memory.replace("class Memory", "class Name"))
    Path("nearest.py").write_text(NEAREST)
    Path("mine.py").write_text(NEAREST.replace("class Nearest", "class Mine"))
    shutil.copy(ROOT / "examples" / "reader.py", tmp_path)
    Path("mine.grammar").write_text(GRAMMAR)
    Path("mine.tsv").write_text(PAIRS)
    Path("parts").mkdir()
    for name in ("results", "specs"):
        Path(name).symlink_to(ROOT / name)
    for name in ("runs.db", "runs.db.weights"):
        Path(name.replace("runs", "mine")).symlink_to(ROOT / "results" / name)
    if DATA:
        Path("SCAN-master.zip").symlink_to(Path(DATA, "SCAN-master.zip").absolute())
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("trains_here", "folder")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_works_and_prints_what_the_page_shows(page: Path, daxlab) -> None:
    printed = list[list[str]]()
    for line in [*commands(page), *IN_SENTENCES.get(page.name, [])]:
        if (instead := typed(line)) is None:
            continue
        words = as_a_shell(instead, daxlab)[1:]
        done = daxlab(*words)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{instead}\n{done.stderr}"
        printed += [text.split() for text in done.stdout.splitlines()]
        if "--take-home" in words:
            answer_at_home()
        if words[:2] == ["score", "home"]:
            daxlab("runs", "answers", first(daxlab, label="my-model, at home", split="jump"), "--to", "answers.jsonl")
    if (others := SHOWN.get(page.name)) is not None:
        shown = [line.split() for line in lines(page) if not line.strip().startswith(("daxlab ", *others))]
        assert [words for words in shown if not any(is_part(words, text) for text in printed)] == []


def test_each_exception_is_one_of_a_line_that_a_page_has() -> None:
    every = {line for page in PAGES for line in commands(page)}
    assert [pattern for pattern, _, _ in EXCEPTIONS if not any(re.fullmatch(pattern, line) for line in every)] == []
