"""The same part of the search as whole sweeps by two plans: grouped as a sweep does, and no width with another.

    python bench/plans.py [--updates 100000] [--out results/bench/plans.json]

The runs of bench/at_once.py: three kinds of network of three widths, and of each the search's 60 runs. Each plan begins
with nothing compiled and has as many workers as groups, so that all of them train at once; it is timed from the first
line to the last, compiling and examining included.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from at_once import KINDS, NARROW, WIDE

from daxlab.cli.options import device_named
from daxlab.protocol import Protocol
from daxlab.runs import Group, Ledger, Writer
from daxlab.runs.spec import all_facts
from daxlab.sweep import Spec, card, sweep
from daxlab.sweep.cost import cost, widest
from daxlab.sweep.grid import read
from daxlab.sweep.grouping import grouped
from daxlab.sweep.task import Finished, Progress

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "bench" / "plans.json"


def part(updates: int) -> list[Spec]:
    """The search's runs of these kinds and widths."""
    asked = []
    for spec in read(ROOT / "specs" / "paper-search.toml").specs():
        one = spec.architecture
        if (one.cell, one.layers, one.attention) in KINDS and one.hidden in (*NARROW, WIDE):
            asked.append(Spec(spec.split, spec.seed, one, Protocol(updates)))
    return asked


def apart(facts: Sequence[Any]) -> list[Group]:
    """Every size of network by itself."""

    def size(fact: Any) -> list[Any]:
        return [fact["network"][name] for name in ("cell", "layers", "attention", "hidden")]

    alike = groupby(sorted(facts, key=size), size)
    return [Group(members=list(members), plan={"device": "gpu"}) for _, members in alike]


def whole(name: str, groups: Sequence[Group], specs: Sequence[Spec], folder: Path) -> dict[str, Any]:
    """Seconds of a sweep in these groups, and what each of them took."""
    ledger, workers = folder / f"{name}.db", len(groups)
    os.environ["XDG_CACHE_HOME"] = str(folder / name)
    began, moments = time.perf_counter(), dict[str, dict[str, float]]()

    def note(event: Any) -> None:
        if isinstance(event, Progress | Finished):
            kind = "trains_after" if isinstance(event, Progress) else "ends_after"
            moments.setdefault(event.group, {}).setdefault(kind, time.perf_counter() - began)

    with Writer(ledger) as writer:
        writer.record(groups)  # what was recorded is trained as it was
    outcome = sweep(specs, ledger, device="gpu", workers=workers, keep_weights=False, show=note)
    took = time.perf_counter() - began
    with Ledger(ledger) as known:
        firsts = {group.key: known.run(group.keys[0]) for group in groups}
        assert all(run.group == name for name, run in firsts.items()), "trained in other groups than it should be"
        origin = next(iter(firsts.values())).origin
    each = [
        {"network": widest(group).shape, "runs": len(group.members), **moments[group.key], **firsts[group.key].timing}
        for group in groups
    ]
    planned = cost(groups, "gpu", 1, on_card=workers).seconds
    print(
        f"{name}: {outcome.trained} runs in {len(groups)} groups: {took:.0f} s, by the model {planned:.0f}", flush=True
    )
    return {"plan": name, "runs": outcome.trained, "seconds": took, "planned": planned, "origin": origin, "each": each}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--updates", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    if device_named("auto") != "gpu":
        print("bench/plans.py: there is no GPU here that JAX can use, so there is nothing to measure")
        return
    specs = part(asked.updates)
    facts, rows = all_facts(specs), []
    plans = {"padded": grouped(facts, "gpu", at_once=card.WORKERS), "apart": apart(facts)}
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name, groups in plans.items():
            rows.append(whole(name, groups, specs, Path(folder)))
            found = {"machine": {"python": platform.python_version(), "cores": os.cpu_count()}, "plans": rows}
            asked.out.parent.mkdir(parents=True, exist_ok=True)
            asked.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
