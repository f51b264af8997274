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

JsonOption = Annotated[bool, typer.Option("--json", help="For scripts.")]
DataOption = Annotated[
    str,
    typer.Option(
        "--data",
        "--language",
        "-l",
        metavar="NAME|PATH",
        help="The dataset ('daxlab datasets'), a grammar file, or a folder of TSV files.",
    ),
]
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
DeviceOption = Annotated[
    str, typer.Option(metavar="auto|cpu|gpu", help="Where to compute; auto takes a GPU that JAX can use.")
]
BudgetOption = Annotated[
    str | None, typer.Option(metavar="8m", help="Stop cleanly at a checkpoint after this time (90s, 8m, 1h30m).")
]
ExecutorOption = Annotated[
    str, typer.Option(metavar="local|ray", help="Who trains: this machine, or a Ray cluster (docs/cluster.md).")
]
AddressOption = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT|ray://…|auto", help="The Ray cluster; unless given, one on this machine."),
]
CheckpointsOption = Annotated[
    Path | None,
    typer.Option(
        "--checkpoints",
        metavar="FOLDER",
        help="For checkpoints; a cluster's nodes share it. Default: beside the ledger, LEDGER.checkpoints.",
    ),
]
RetryOption = Annotated[bool, typer.Option("--retry-failed", help="Train failed runs again.")]


def learner_and_settings(given: Sequence[str], settings: Sequence[str]) -> tuple[str, dict[str, str]]:
    """A learner's name and its fields as text: LEARNER comes first, any field may be an option (--hidden 100)."""
    words = list(given)
    name = words.pop(0) if words and not words[0].startswith("-") else learners.DEFAULT
    kind, found = learners.find(name), dict[str, str]()
    while words:
        option = words.pop(0)
        if not option.startswith("--"):
            raise InputError(f"what is {option!r}? The learner comes first, and every value after its option")
        field, equals, value = option.removeprefix("--").partition("=")
        field, negated = field.replace("-", "_"), False
        if field.startswith("no_") and field not in learners.defaults(kind):
            field, negated = field.removeprefix("no_"), True
        if field not in learners.defaults(kind):
            known = [*learners.defaults(kind), *OPTIONS]
            near = get_close_matches(field, known, n=1)
            advice = f"did you mean --{near[0].replace('_', '-')}?" if near else "'daxlab learners' lists its fields"
            raise InputError(f"there is no option {option}, and {name} has no such field; {advice}")
        if isinstance(learners.defaults(kind)[field], bool):
            follows = bool(words) and words[0].lower() in ("true", "false")
            value = value if equals else words.pop(0) if follows and not negated else str(not negated).lower()
        elif not equals:
            if not words:
                raise InputError(f"the option {option} needs a value")
            value = words.pop(0)
        found[field] = value
    for one in settings:
        field, equals, value = (part.strip() for part in one.partition("="))
        if not (field and equals):
            raise InputError(f"--set takes FIELD=VALUE, such as hidden=100, not {one!r}")
        found[field.removeprefix("protocol.")] = value
    return name, found


OPTIONS = ("split", "set", "data", "test", "runs", "seed", "device", "executor", "address", "budget", "ledger", "json")


def chosen_splits(data: Dataset, splits: Sequence[str], test: str | None) -> list[str]:
    """The splits to learn, by the names they give themselves, each once."""
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


def ledger_at(given: Path | None) -> Path:
    """The ledger to read: the one given, or the one in the working folder, or the results that come with daxlab."""
    if given:
        return given
    ours = shipped()
    if ours is None or (is_written(LEDGER) and not _empty(LEDGER)):
        return LEDGER
    print(f"{LEDGER} has no runs here; these are of the results that come with daxlab: {ours}", file=sys.stderr)
    return ours


def writable_ledger(given: Path | None) -> Path:
    """The ledger to write: the one given, or the one in the working folder; not the results that come with daxlab."""
    path = given or LEDGER
    if is_shipped(path):
        raise InputError(
            f"{path} has the results that come with daxlab, which stay as they are; "
            f"'daxlab runs merge {path}' brings them into {LEDGER}"
        )
    return path


def ledger_with(run: str, given: Path | None) -> Path:
    """The same, to read about one run: where only the results that come with daxlab have it, these."""
    path, ours = ledger_at(given), shipped()
    if given or ours is None or path == ours or _begun(path, run) or not _begun(ours, run):
        return path
    print(f"{LEDGER} has no run {run}; the results that come with daxlab have: {ours}", file=sys.stderr)
    return ours


def shipped() -> Path | None:
    """The results that come with daxlab, where they do."""
    return _shipped(RESULTS)


def is_shipped(ledger: Path) -> bool:
    """Whether these are the results that come with daxlab."""
    ours = shipped()
    return ours is not None and ledger.resolve() == ours.resolve()


def shipped_hint(ledger: Path) -> str:
    """Where more runs are, for a ledger of one's own that lacks them."""
    ours = shipped()
    return f"The results that come with daxlab: --ledger {ours}" if ours and not is_shipped(ledger) else ""


def spec_at(given: Path) -> Path:
    """A spec file: the one given, or where there is none, the one of that name that comes with daxlab."""
    ours = _shipped(f"specs/{given.name}") if given.parent in (Path(), Path("specs")) else None
    return given if given.exists() or ours is None else ours


def _shipped(name: str) -> Path | None:
    return next((house / name for house in INSTALL_ROOTS if (house / name).exists()), None)


def _begun(ledger: Path, prefix: str) -> bool:
    with Ledger(ledger) as known:
        return bool(known.keys_with_prefix(prefix))


def _empty(ledger: Path) -> bool:
    with Ledger(ledger) as known:
        return known.count() == 0


PLUGINS = ("jax_cuda13_plugin", "jax_cuda12_plugin")
