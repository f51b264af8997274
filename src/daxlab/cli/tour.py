"""The quick tour: one network of the paper on four of its splits, and the contrast that the paper is about."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daxlab import InputError, language
from daxlab.ledger import Ledger
from daxlab.ledger.location import default_ledger, shipped
from daxlab.ledger.trained import TrainedModel
from daxlab.paper.experiments import BEST, NETWORKS
from daxlab.paper.targets import stated
from daxlab.sweep import Spec, sweep
from daxlab.sweep.status import Running, Status
from daxlab.units import duration
from daxlab.watching import BAR, phase_cells, share_of, spinner, time_left, watch

if TYPE_CHECKING:
    from rich.console import RenderableType

NETWORK = NETWORKS[BEST["jump"]]
COMMAND = "jump around left after jump twice"
ASKS = {
    "simple": "new commands, of kinds it has seen",
    "turn-left": "a turn it only saw alone, in new company",
    "length": "longer action sequences than any it has seen",
    "jump": "a verb it only saw alone, in new company",
}
WIDTH = 30  # of a bar


def main(updates: int = NETWORK.updates) -> None:
    """Shows a command, trains, and draws what came of it beside the paper's figures."""
    scan = language("scan", names="paper")
    print(f"SCAN has {len(scan.commands()):,} commands, made of {len(scan.words)} words. One of them, taken apart:\n")
    print("\n".join(f"  {line}" for line in str(scan.tree(COMMAND)).splitlines()))
    print(
        f"\nNow a network ({NETWORK}: the paper's best on jump) \n"
        f"learns from {updates:,} presentations, four times over: each time it sees one part of the language, and is\n"
        "then asked for another. About four minutes on two cores.\n",
        flush=True,
    )
    began = time.monotonic()
    specs = [Spec(split, 0, replace(NETWORK, updates=updates)) for split in ASKS]
    path = default_ledger()
    with watch(path, _picture, _words) as show:
        outcome = sweep(specs, path, show=show)
    with Ledger(path) as ledger:
        rows = {row["split"]: row for row in ledger.rows({"key": list(outcome.keys)})}
    if rows:
        _show({split: rows[split]["accuracy"] for split in ASKS if split in rows})
    if outcome.stopped:
        trained = f"{len(rows)} of {len(ASKS)} networks are trained"
        sys.exit(f"Stopped at a checkpoint: {trained}. 'make quickstart' goes on from there.")
    took = duration(time.monotonic() - began) if outcome.trained else f"no time: {path} had it all"
    print(f"Training took {took}. On another kind of CPU, which rounds otherwise, the figures are a few points higher")
    print("or lower, those of length most.\n")
    print("The network of the last split knows walk in every company, and jump alone:\n")
    model = TrainedModel(path, rows["jump"]["key"])
    for command in ("walk twice", "jump twice"):
        actions, right = model.predict(command).actions, language("scan").translate(command)
        correction = "" if actions == right else f"  (right: {' '.join(right)})"
        print(f"  {'✗' if correction else '✓'} {command}: {' '.join(actions)}{correction}")
    print("\nThree things to try:\n")
    for command, what in things_to_try(rows["jump"]["key"]):
        print(f"  {_from_here(Path(sys.executable).with_name('daxlab'), 'daxlab')} {command:36} # {what}")


def things_to_try(key: str) -> list[tuple[str, str]]:
    """Commands that work when the tour has ended, and what they do."""
    results = shipped()
    return [
        (f'predict {key[:8]} "jump around left"', "ask that network yourself"),
        ("compare" + (f" --ledger {_from_here(results)}" if results else ""), "the paper's figures beside ours"),
        ("report --open", "your runs as one page"),
    ]


def _from_here(path: Path, elsewhere: str = "") -> str:
    """A path below the working folder, as it is typed here; of any other the whole, or what stands for it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else elsewhere or str(path)


def _by_split(now: Status) -> dict[str, Running]:
    """The networks that are trained now or wait."""
    return {group.split: group for group in (*now.groups, *now.next) if group.split in ASKS}


def _picture(path: Path, now: Status, losses: Any) -> "RenderableType":
    """A line for each network: its split, a bar, the phase."""
    from rich.console import Group  # slow to load
    from rich.table import Table
    from rich.text import Text

    drawn, groups = Table.grid(padding=(0, 2)), _by_split(now)
    for justify in ("left", "left", "left", "right", "left", "right"):
        drawn.add_column(no_wrap=True, justify=justify)
    for split in ASKS:
        cells = phase_cells(groups[split]) if split in groups else ("━" * BAR, "trained ✓", "", "", "")
        drawn.add_row(*map(Text, (f"  {split}", *cells)))
    head = f"{spinner()} {len(ASKS) - len(groups)} of {len(ASKS)} networks trained"
    return Group(", ".join([head, *time_left(now)]), "", drawn)


def _words(now: Status) -> str:
    """The same as a line."""
    groups = _by_split(now)
    under_way = [f"{split} {group.phase}{share_of(group)}" for split, group in groups.items()]
    return ", ".join([f"{len(ASKS) - len(groups)} of {len(ASKS)} networks trained", *under_way, *time_left(now)])


def _show(accuracies: dict[str, float | None]) -> None:
    print("% of test commands with every action right: one run here, and the paper's best of 180 networks\n")
    for split, accuracy in accuracies.items():
        print(f"  {split:10} asks for {ASKS[split]}")
        for who, figure in (("here", accuracy), ("paper", stated(split))):
            if figure is not None:
                print(f"  {who:>10} {'█' * round(WIDTH * figure / 100):{WIDTH}} {figure:5.1f}")
        print()


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"daxlab: {error}")
