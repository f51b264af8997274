"""Options that several verbs take, and how their values are read."""

import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from daxlab import learners
from daxlab.datasets import Dataset
from daxlab.errors import InputError
from daxlab.runs import Ledger, is_written
from daxlab.sweep import gpu_sharing

LEDGER = Path("daxlab.db")  # in the working folder
INSTALL_ROOTS = tuple(Path(__file__).resolve().parents[up] for up in (1, 3))  # an installed package; a checkout
RESULTS = "results/runs.db"
PLUGINS = ("jax_cuda13_plugin", "jax_cuda12_plugin")
OPTIONS = ("split", "set", "data", "test", "runs", "seed", "device", "executor", "address", "workers", "budget")

JsonOption = Annotated[bool, typer.Option("--json", help="For scripts.")]
DATA = "A dataset ('daxlab datasets'), a grammar file or a folder of TSV files."
DataOption = Annotated[str, typer.Option("--data", "--language", "-l", metavar="NAME|PATH", help=DATA)]
LanguageOption = DataOption
TestOption = Annotated[
    str | None,
    typer.Option("--test", metavar="NAME", help="Of a folder of TSV files: the test set, such as gen for gen.tsv."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="A field of the learner, such as hidden=100. Can be repeated."),
]
LedgerOption = Annotated[
    Path | None, typer.Option("--ledger", metavar="FILE", help=f"The ledger of runs. Default: {LEDGER} here.")
]


def learner_and_settings(typed: Sequence[str], settings: Sequence[str]) -> tuple[str, dict[str, str]]:
    """A learner's name and its fields as text: LEARNER comes first, any field may be an option (--hidden 100)."""
    words = list(typed)
    name = words.pop(0) if words and not words[0].startswith("-") else learners.DEFAULT
    defaults, texts = learners.defaults(learners.find(name)), dict[str, str]()
    while words:
        option = words.pop(0)
        if not option.startswith("--"):
            raise InputError(f"what is {option!r}? The learner comes first, and every value after its option")
        field, equals, value = option.removeprefix("--").partition("=")
        field, negated = field.replace("-", "_"), False
        if field.startswith("no_") and field not in defaults:
            field, negated = field.removeprefix("no_"), True
        if field not in defaults:
            near = get_close_matches(field, [*defaults, *OPTIONS], n=1)
            advice = f"did you mean --{near[0].replace('_', '-')}?" if near else "'daxlab learners' lists its fields"
            raise InputError(f"there is no option {option}, and {name} has no such field; {advice}")
        if negated and (equals or not isinstance(defaults[field], bool)):
            raise InputError(f"{option}: 'no' goes with fields that are true or false, without a value")
        if isinstance(defaults[field], bool):
            follows = bool(words) and words[0].lower() in ("true", "false")
            value = value if equals else words.pop(0) if follows and not negated else str(not negated).lower()
        elif not equals:
            if not words:
                raise InputError(f"the option {option} needs a value")
            value = words.pop(0)
        texts[field] = value
    for setting in settings:
        field, equals, value = (part.strip() for part in setting.partition("="))
        if not (field and equals):
            raise InputError(f"--set takes FIELD=VALUE, such as hidden=100, not {setting!r}")
        texts[field.removeprefix("protocol.")] = value
    return name, texts


def chosen_splits(data: Dataset, splits: Sequence[str], test: str | None) -> list[str]:
    """The splits to learn, by the names they give themselves, each once."""
    if test is not None and data.grammar is not None:
        raise InputError(f"--test is for a folder of TSV files; for {data.name}, choose a split with --split")
    names = [*splits, *([test] if test else [])]
    if not names:
        if data.grammar is not None:
            raise InputError("say what to learn: --split simple, say ('daxlab data list' has all)")
        names = data.split_names()[:1]
    return list(dict.fromkeys(data.split(name).name for name in names))


def seconds(budget: str | None) -> float | None:
    """A budget such as 90s, 8m or 1h30m, in seconds."""
    if budget is None:
        return None
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?|(\d+)", budget.strip())
    if not match or not any(match.groups()):
        raise InputError(f"a budget is a time such as 90s, 8m or 1h30m, not {budget!r}")
    hours, minutes, rest, bare = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + rest + bare


def device_named(name: str, executor: str = "local") -> str:
    """The device that a name stands for."""
    if name not in ("auto", "cpu", "gpu"):
        raise InputError(f"a device is auto, cpu or gpu, not {name!r}")
    if executor not in ("local", "ray"):
        raise InputError(f"an executor is local or ray, not {executor!r}")
    if name != "auto":
        return name
    if executor == "ray":
        raise InputError("what a cluster's nodes have is not known here: say --device cpu or --device gpu")
    return "gpu" if gpu_sharing.is_here() and any(map(find_spec, PLUGINS)) else "cpu"


def ledger_at(path: Path | None) -> Path:
    """The ledger to read: the one named, or the one in the working folder, or the results that come with daxlab."""
    ours = shipped()
    if path or ours is None or (is_written(LEDGER) and _has_runs(LEDGER)):
        return path or LEDGER
    print(f"{LEDGER} has no runs here; these are of the results that come with daxlab: {ours}", file=sys.stderr)
    return ours


def ledger_with(run: str, path: Path | None) -> Path:
    """The same, to read about a run: where only the results that come with daxlab have it, these."""
    ledger, ours = ledger_at(path), shipped()
    if path or ours in (None, ledger) or _has_runs(ledger, run) or not _has_runs(ours, run):
        return ledger
    print(f"{LEDGER} has no run {run}; the results that come with daxlab have: {ours}", file=sys.stderr)
    return ours


def _has_runs(ledger: Path, prefix: str = "") -> bool:
    with Ledger(ledger) as known:
        return bool(known.keys_with_prefix(prefix) if prefix else known.count())


def writable_ledger(path: Path) -> Path:
    """The ledger, to be written; an error for the results that come with daxlab."""
    if is_shipped(path):
        raise InputError(
            f"{path} has the results that come with daxlab, which stay as they are; "
            f"'daxlab runs merge {path}' brings them into {LEDGER}"
        )
    return path


def shipped(name: str = RESULTS) -> Path | None:
    """The results that come with daxlab, or another file that does."""
    return next((root / name for root in INSTALL_ROOTS if (root / name).exists()), None)


def is_shipped(ledger: Path) -> bool:
    """Whether these are the results that come with daxlab."""
    ours = shipped()
    return ours is not None and ledger.resolve() == ours.resolve()


def shipped_hint(ledger: Path) -> str:
    """Where more runs are, for a ledger of one's own that lacks them."""
    ours = shipped()
    return f"The results that come with daxlab: --ledger {ours}" if ours and not is_shipped(ledger) else ""


def spec_at(path: Path) -> Path:
    """A spec file: where there is none of this name, the one that comes with daxlab."""
    ours = shipped(f"specs/{path.name}") if path.parent in (Path(), Path("specs")) else None
    return path if path.exists() or ours is None else ours
