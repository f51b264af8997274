"""The paper's search: 180 architectures on four experiments; and its choices beside ours.

Of a ledger, by one protocol and today's semantics. Numbers come from analysis/.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from daxlab.analysis.search import architectures, overall, ranked, shared_seeds, table, worth
from daxlab.learners import RNN
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, SPLITS, recorded_values
from daxlab.paper.targets import paper, stated
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.runs import Ledger

Row = dict[str, Any]
AXES = {"cell": paper()["search"]["cells"]}
AXES |= {name: paper()["search"][name] for name in ("attention", "layers", "hidden", "dropout")}
ARCHITECTURES = paper()["search"]["architectures"]
COMMAND = "daxlab sweep run specs/paper-search.toml"


def search(ledger: Ledger, protocol: Protocol | None = None) -> pl.DataFrame:
    """The architectures and experiments of the paper's search that the ledger has runs of."""
    where = {"dataset": "scan", "learner": RNN.kind, "semantics": SEMANTICS, **recorded_values(protocol or Protocol())}
    frame = architectures(ledger, AXES, SPLITS, where)
    return frame.sort(pl.col("experiment").cast(pl.Enum(list(SPLITS))), maintain_order=True)


def choices(frame: pl.DataFrame, top: int = 10) -> dict[str, Row]:
    """For each experiment with runs: how complete it is, the best, how sure that is, and the paper's choices."""
    experiments = {}
    for name in frame.filter(pl.col("runs") > 0)["experiment"].unique(maintain_order=True):
        rows = ranked(frame, name)
        by_network = {row["network"]: row for row in rows.iter_rows(named=True)}
        paper = {"best": str(NETWORKS[BEST[name]]), "overall": str(NETWORKS[OVERALL])}
        experiments[name] = {
            "split": rows["split"][0],
            "architectures": rows.height,
            "by_runs": dict(sorted(Counter(rows["runs"]).items(), reverse=True)),
            "failed": int(frame.filter(experiment=name)["failed"].sum()),
            "by_hidden": {size: rows.filter(hidden=size).height for size in AXES["hidden"]},
            "best": rows.head(top).to_dicts(),
            "equals": int((rows["place"] == 1).sum()),  # how many are best
            **_contenders(rows),
            "worth": worth(table(rows, shared_seeds(rows["seeds"].to_list()))),
            "paper": {
                kind: {"network": network, "stated": stated(name, kind), "here": by_network.get(network)}
                for kind, network in paper.items()
            },
        }
    return experiments


def _contenders(rows: pl.DataFrame, measure: str = "") -> Row:
    """How many architectures cannot be told from the best, of how many with enough runs to say."""
    return {"contenders": rows[f"{measure}contender"].sum(), "compared": rows[f"{measure}share"].count()}


def all_round(frame: pl.DataFrame, top: int = 10) -> Row | None:
    """The best over all four experiments, by mean rank and by mean accuracy; None if no architecture has all four."""
    if set(frame.filter(pl.col("runs") > 0)["experiment"]) != set(SPLITS):
        return None
    rows = overall(frame)
    if rows.is_empty():
        return None
    by = {"rank": rows, "accuracy": rows.sort("accuracy", "network", descending=[True, False])}
    paper: Row = {"network": str(NETWORKS[OVERALL]), "places": dict.fromkeys(by), "here": None}
    for row in rows.filter(network=paper["network"]).to_dicts():
        better = {"rank": rows["rank"] < row["rank"], "accuracy": rows["accuracy"] > row["accuracy"]}
        paper |= {"places": {measure: 1 + those.sum() for measure, those in better.items()}, "here": row}
    bests = {name: {"best": by[name].head(top).to_dicts(), **_contenders(rows, f"{name}_")} for name in by}
    return {"architectures": rows.height, **bests, "paper": paper}


def rankings(experiments: Mapping[str, Row], overall: Row | None) -> dict[str, Row]:
    """The ranking of each experiment and those over all four, in one form: the best, contenders, the paper's choice."""
    every = {name: results | {"paper": results["paper"]["best"]} for name, results in experiments.items()}
    if not overall:
        return every
    for measure, place in overall["paper"]["places"].items():
        best = [_measured(row, measure, n) for n, row in enumerate(overall[measure]["best"], 1)]
        here = _measured(overall["paper"]["here"], measure, place) if place else None
        form = {"best": best, "paper": {"network": overall["paper"]["network"], "stated": None, "here": here}}
        every[f"overall, by mean {measure}"] = overall[measure] | form | {"architectures": overall["architectures"]}
    return every


def _measured(row: Row, measure: str, place: int) -> Row:
    """One measure of a row of the overall ranking, in the form of an experiment's row."""
    numbers = {name: row[f"{measure}_{name}"] for name in ("sem", "low", "high", "share", "contender")}
    numbers |= {"mean": row[measure], "accuracies": row[f"{measure}_runs"], "runs": len(row[f"{measure}_runs"])}
    return {"network": row["network"], "place": place, **numbers}
