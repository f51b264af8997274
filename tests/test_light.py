"""`pip install daxlab` has no JAX and no sacreBLEU: what needs none works as with them, what does says what to type."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import copy, copytree

import pytest

from daxlab import InputError
from daxlab.extras import PACKAGES, Missing, require
from daxlab.ledger import Ledger, Writer

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
LINE = 'pip install "daxlab[train]"'
PROGRAM = """
class Walks:
    def fit(self, examples, seed):
        pass

    def predict(self, commands):
        return ["I_WALK"] * len(commands)
"""

Light = Callable[..., list[tuple[int, str, str]]]


@pytest.fixture(scope="module")
def light() -> Light:
    """Runs commands without JAX, one after the other, in one process of their own."""

    def run(*commands: Sequence[object], cwd: Path) -> list[tuple[int, str, str]]:
        words = json.dumps([[str(word) for word in command] for command in commands])
        process = [sys.executable, str(HERE / "without_jax.py")]
        here = dict(os.environ)  # without the COLUMNS that readline sets for the children of a process
        done = subprocess.run(process, input=words, capture_output=True, text=True, cwd=cwd, env=here, check=True)
        return [(code, out, err) for code, out, err in json.loads(done.stdout)]

    return run


@pytest.fixture(scope="module")
def place(light: Light, trained: Path, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ledger of two networks, with their weights, and of a grammar that was trained without JAX."""
    folder = tmp_path_factory.mktemp("light")
    copy(trained, folder / "daxlab.db")
    weights = trained.with_name(trained.name + ".weights")
    (folder / "daxlab.db.weights").mkdir()
    for file in weights.iterdir():
        copy(file, folder / "daxlab.db.weights")
    [(code, out, err)] = light(["train", "grammar", "--data", tiny, "--split", "jump", "--runs", 1], cwd=folder)
    assert code == 0, err
    assert "mean" in out or "100.00" in out
    return folder


@pytest.fixture(scope="module")
def keys(place: Path) -> dict[str, str]:
    """A run of each learner."""
    with Ledger(place / "daxlab.db") as ledger:
        return {row["learner"]: row["key"] for row in ledger.rows({"seed": 0})}


def test_what_needs_no_jax_does_the_same_without_it(light, daxlab, place, keys, searched, tiny, tmp_path) -> None:
    grammar, network = keys["grammar"], keys["rnn"]
    commands: list[list[object]] = [
        ["translate", "jump twice", "--tree"],
        ["datasets"],
        ["learners"],
        ["learners", "rnn", "transformer", "cgps", "--json"],
        ["data", "list"],
        ["data", "export", "jump", "--to", "exported", "--format", "jsonl"],
        ["data", "export", "jump", "--to", "exported-too", "--format", "parquet"],
        ["runs", "list"],
        ["runs", "show", network],
        ["runs", "show", grammar],
        ["runs", "curve", network],
        ["runs", "answers", grammar, "--to", "answers.jsonl"],
        ["runs", "export", "runs.csv"],
        ["runs", "export", "runs.parquet"],
        ["runs", "export", "some.db"],
        ["runs", "merge", "some.db", "--ledger", "merged.db"],
        ["runs", "folder", grammar, "--to", "grammar"],
        ["predict", grammar, "jump twice"],
        ["evaluate", grammar, "--json"],
        ["score", "answers.jsonl", "--data", tiny, "--split", "jump"],
        ["compare", "--a", "learner=grammar", "--b", "learner=rnn", "--json"],
        ["claims", "--ledger", searched, "--json"],
        ["search", "best", "--ledger", searched, "--json"],
        ["leaderboard", "--ledger", searched, "--json"],
        ["card", "grammar", "--to", "card.html"],
        ["report", "--out", "report.html"],
        ["sweep", "plan", "--set", "split=jump", "--set", "hidden=25,50"],
        ["train", "grammar", "--data", tiny, "--split", "jump", "--runs", 1],
        ["train", "--help"],
    ]
    with_jax = Path(copytree(place, tmp_path / "with"))
    without = Path(copytree(place, tmp_path / "without"))
    for command, answered in zip(commands, light(*commands, cwd=without), strict=True):
        done = daxlab(*command, cwd=with_jax)
        assert (done.returncode, done.stdout, done.stderr) == answered, command
        assert done.returncode == 0, (command, done.stderr)
    for name in (
        "exported/test.jsonl",
        "answers.jsonl",
        "runs.csv",
        "runs.parquet",
        "grammar/README.md",
        "card.html",
        "report.html",
    ):
        assert (with_jax / name).read_bytes() == (without / name).read_bytes(), name


def test_what_needs_jax_says_what_to_type(light, place, keys) -> None:
    bag = HERE / "everywhere" / "bag.py"
    commands: list[list[object]] = [
        ["train", "--split", "jump"],
        ["train", f"{bag}:Bag", "--split", "jump"],
        ["check", "rnn"],
        ["check", f"{bag}:Bag"],
        ["predict", keys["rnn"], "jump twice"],
        ["evaluate", keys["rnn"]],
        ["sweep", "run", "--set", "split=jump", "--ledger", "new.db"],
        ["reproduce", "jump", "--ledger", "new.db"],
        ["train", "grammar", "--data", "built-in", "--split", "translation", "--ledger", "new.db"],
    ]
    for command, (code, out, err) in zip(commands, light(*commands, cwd=place), strict=True):
        assert (code, out, len(err.splitlines())) == (2, "", 1) and LINE in err, (command, err)
    assert not (place / "new.db").exists()


def test_a_program_is_examined_and_checked_without_jax(light, tmp_path) -> None:
    (tmp_path / "mine.py").write_text(PROGRAM)
    examine = ["examine", "mine.py:Walks", "--splits", "simple", "--runs", 1, "--ledger", "mine.db"]
    examined, checked = light(examine, ["check", "mine.py:Walks", "--json"], cwd=tmp_path)
    assert examined[0] == 0, examined
    assert {finding["id"] for finding in json.loads(checked[1])} >= {"answers-all", "survives-noise"}, checked


def test_translations_that_are_scored_are_listed_compared_and_reported_without_sacrebleu(
    light, daxlab, translations, tmp_path
) -> None:
    ledger = tmp_path / "translated.db"
    with Writer(ledger) as writer:
        writer.add([translations(name, seed) for name in ("translation", "daxy-1000") for seed in range(2)])
    with Ledger(ledger) as reader:
        key = reader.select()[0]
    commands: list[list[object]] = [
        ["data", "list", "--data", "built-in"],
        ["data", "export", "translation", "--data", "built-in", "--to", "exported", "--format", "jsonl"],
        ["runs", "list", "--ledger", ledger],
        ["runs", "show", key, "--ledger", ledger],
        ["runs", "answers", key, "--to", "answers.jsonl", "--ledger", ledger],
        ["score", "answers.jsonl", "--data", "built-in", "--split", "translation"],
        ["compare", "--ledger", ledger],
        ["compare", "--ledger", HERE.parent / "results" / "runs.db"],
        ["report", "--ledger", ledger, "--out", "report.html"],
    ]
    places = [tmp_path / "with", tmp_path / "without"]
    for place in places:
        place.mkdir()
    for command, answered in zip(commands, light(*commands, cwd=places[1]), strict=True):
        done = daxlab(*command, cwd=places[0])
        assert (done.returncode, done.stdout, done.stderr) == answered, command
        assert done.returncode == 0, (command, done.stderr)
    page, same = [(place / "report.html").read_bytes() for place in places]
    assert page == same and b"bleu-table" in page


@pytest.mark.parametrize(
    "line",
    [
        "import daxlab.networks",
        "from daxlab.networks.contract import Network",
        "import daxlab.engine",
        "import daxlab.learners as l; l.make('rnn').fit([], l.Context())",
        "from pathlib import Path; import daxlab; from daxlab.learners import make; "
        "make('rnn').load(Path('none'), daxlab.dataset('scan'))",
        "from daxlab.sweep import Spec, sweep; from daxlab.learners import RNN; from pathlib import Path; "
        "sweep([Spec('jump', 0, RNN())], Path('new.db'))",
        "from daxlab.datasets.bleu import bleu; bleu(['je suis'], [['je suis']])",
        "import daxlab.sweep.cluster",
        "import daxlab.inspect",
    ],
)
def test_python_says_so_too(line: str, tmp_path: Path) -> None:
    extra = {"daxlab.inspect": "inspect", "daxlab.sweep.cluster": "ray"}.get(line.removeprefix("import "), "train")
    program = (
        f"import runpy; runpy.run_path({str(HERE / 'without_jax.py')!r}, run_name='__mp_main__')\n"
        f"try:\n    {line}\nexcept ImportError as error:\n    print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.startswith("Missing ") and f'pip install "daxlab[{extra}]"' in done.stdout
    assert not (tmp_path / "new.db").exists()


def test_every_package_that_is_left_out_is_in_its_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    for package, (extra, _) in PACKAGES.items():
        names = [requirement.replace("-", "_") for requirement in extras[extra]]
        assert package == "jaxlib" or any(name.startswith(package) for name in names), package
        assert not any(name.replace("-", "_").startswith(package) for name in PROJECT["dependencies"])


def test_missing_is_mended_by_the_user_and_is_an_import_error() -> None:
    assert issubclass(Missing, InputError) and issubclass(Missing, ImportError)
    require("daxlab")


def test_import_and_help_load_nothing_heavy() -> None:
    heavy = {"jax", "numpy", "polars", "matplotlib", "requests", "sacrebleu"}
    for arguments in (["-c", "import daxlab"], ["-m", "daxlab", "--help"], ["-m", "daxlab", "train", "--help"]):
        command = [sys.executable, "-X", "importtime", *arguments]
        loaded = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        assert not heavy & {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
