"""The paper's search: 180 architectures on four experiments; and its choices beside ours.

Of a ledger, by one protocol and today's semantics. Numbers come from analysis/.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from daxlab.analysis.intervals import of_accuracies, student
from daxlab.analysis.replicates import summary
from daxlab.analysis.search import architectures, overall, pooled, ranked, shared_seeds, table, worth
from daxlab.learners import RNN
from daxlab.ledger import Ledger
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, SPLITS, recorded_values
from daxlab.paper.targets import paper, stated
from daxlab.protocol import SEMANTICS, Protocol

Row = dict[str, Any]
AXES = {"cell": paper()["search"]["cells"]}
AXES |= {name: paper()["search"][name] for name in ("attention", "layers", "hidden", "dropout")}
ARCHITECTURES = paper()["search"]["architectures"]
TOP = 10  # architectures to show
COMMAND = "daxlab sweep run specs/paper-search.toml"


def search(ledger: Ledger, protocol: Protocol | None = None) -> pl.DataFrame:
    """The architectures and experiments of the paper's search that the ledger has runs of."""
    where = {"dataset": "scan", "learner": RNN.kind, "semantics": SEMANTICS, **recorded_values(protocol or Protocol())}
    return architectures(ledger, AXES, SPLITS, where)


def completeness(frame: pl.DataFrame) -> dict[str, Row]:
    """For each experiment with runs: how many architectures have some, by their number and by hidden units."""
    experiments = {}
    for (name,), every in frame.group_by("experiment", maintain_order=True):
        rows = every.filter(pl.col("runs") > 0)
        if rows.height:
            experiments[str(name)] = {
                "architectures": rows.height,
                "by_runs": dict(sorted(Counter(rows["runs"]).items(), reverse=True)),
                "failed": int(every["failed"].sum()),
                "by_hidden": {size: rows.filter(hidden=size).height for size in AXES["hidden"]},
            }
    return experiments


def rankings(frame: pl.DataFrame, only: str | None = None, top: int | None = None) -> dict[str, Row]:
    """The ranking on each experiment with runs; then over all four, by mean rank and by mean accuracy, if it has all.

    `only`: an experiment, or "overall". `top`: how many architectures to have; None: ten, and all that cannot be told
    from the best.
    """
    experiments, every = completeness(frame), {}
    for name in experiments:
        if only in (None, name):
            rows = ranked(frame, name)
            chosen = {"best": (BEST[name], stated(name)), "overall": (OVERALL, stated(name, "overall"))}
            every[name] = {"split": rows["split"][0], **_ranking(rows, chosen, top)}
            runs = table(rows, shared_seeds(rows["seeds"].to_list()))
            every[name] |= {"pooled": summary(pooled(runs[rows["contender"]])), "worth": worth(runs)}
    if only in (None, "overall") and len(experiments) == len(SPLITS):
        for measure, rows in overall(frame).items():
            every[f"overall, by mean {measure}"] = _ranking(rows, {"overall": (OVERALL, None)}, top, measure)
    return every


def _ranking(
    rows: pl.DataFrame, chosen: Mapping[str, tuple[str, float | None]], top: int | None, measure: str = "accuracy"
) -> Row:
    """What is shown of a ranking, with intervals: the best, and the networks that the paper chose with its figures."""
    shown = rows.head(top) if top else rows.filter((pl.col("place") <= TOP) | pl.col("contender"))
    papers = {kind: (str(NETWORKS[name]), figure) for kind, (name, figure) in chosen.items()}
    names = {*shown["network"], *(network for network, _ in papers.values())}
    some = rows.filter(pl.col("network").is_in(names)).to_dicts()
    interval = student if measure == "rank" else of_accuracies
    by_network = {row["network"]: row | summary(row["accuracies"], interval) for row in some}
    return {
        "measure": measure,
        "architectures": rows.height,
        "compared": rows["share"].count(),  # those with enough runs to say
        "contenders": rows["contender"].sum(),
        "best": [by_network[network] for network in shown["network"]],
        "paper": {
            kind: {"network": network, "stated": figure, "here": by_network.get(network)}
            for kind, (network, figure) in papers.items()
        },
    }
