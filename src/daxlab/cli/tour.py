"""The quick tour: one network of the paper on four of its splits, and the contrast that the paper is about."""

import sys
import time
from dataclasses import replace

from daxlab import InputError, language
from daxlab.cli.watching import watch
from daxlab.ledger import Ledger
from daxlab.ledger.location import LEDGER
from daxlab.ledger.trained import TrainedModel
from daxlab.paper.experiments import BEST, NETWORKS
from daxlab.paper.targets import stated
from daxlab.sweep import Spec, sweep

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
        "then asked for another. About four minutes on two cores.\n"
    )
    began = time.monotonic()
    specs = [Spec(split, 0, replace(NETWORK, updates=updates)) for split in ASKS]
    with watch(LEDGER) as show:
        outcome = sweep(specs, LEDGER, show=show)
    if outcome.stopped:
        sys.exit("Stopped at a checkpoint; 'make quickstart' goes on from there.")
    with Ledger(LEDGER) as ledger:
        rows = {row["split"]: row for row in ledger.rows({"key": list(outcome.keys)})}
    _show({split: rows[split]["accuracy"] for split in ASKS})
    took = f"{(time.monotonic() - began) / 60:.1f} minutes" if outcome.trained else f"no time: {LEDGER} had it all"
    print(f"That took {took}. The network of the last split knows walk in every company, and jump alone:\n")
    model = TrainedModel(LEDGER, rows["jump"]["key"])
    for command in ("walk twice", "jump twice"):
        actions = model.predict(command).actions
        print(f"  {'✓' if actions == language('scan').translate(command) else '✗'} {command}: {' '.join(actions)}")
    print("\nAsk it yourself:\n")
    print(f'  .venv/bin/daxlab predict {rows["jump"]["key"][:8]} "jump around left"')
    print("  .venv/bin/daxlab --help")


def _show(accuracies: dict[str, float | None]) -> None:
    print("% of test commands with every action right: one run here, and the paper's best of 180 networks\n")
    for split, asks in ASKS.items():
        print(f"  {split:10} asks for {asks}")
        for who, accuracy in (("here", accuracies[split]), ("paper", stated(split))):
            if accuracy is not None:
                print(f"  {who:>10} {'█' * round(WIDTH * accuracy / 100):{WIDTH}} {accuracy:5.1f}")
        print()


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"daxlab: {error}")
