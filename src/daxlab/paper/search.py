"""The paper's search as a declaration: 180 architectures on four experiments; and its choices beside ours.

Of a ledger, by one protocol and today's semantics. Numbers come from analysis/.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import polars as pl

from daxlab.analysis.search import architectures, completeness, overall, ranked, winners
from daxlab.learners import RNN
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, SPLITS
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
    where = {"dataset": "scan", "learner": RNN.kind, "semantics": SEMANTICS, **asdict(protocol or Protocol())}
    frame = architectures(ledger, AXES, SPLITS, where)
    return frame.sort(pl.col("experiment").cast(pl.Enum(list(SPLITS))), maintain_order=True)


def choices(frame: pl.DataFrame, top: int = 10) -> dict[str, Row]:
    """For each experiment with runs: how complete it is, the best, what choosing them is worth, the paper's choices."""
    coverage = completeness(frame)
    experiments = {}
    for winner in winners(frame).iter_rows(named=True):
        name = winner["experiment"]
        rows = ranked(frame, name)
        by_network = {row["network"]: row for row in rows.iter_rows(named=True)}
        counts = coverage.filter(pl.col("experiment") == name)
        experiments[name] = {
            "split": winner["split"],
            "architectures": winner["of"],
            "by_runs": {row["runs"]: row["architectures"] for row in counts.to_dicts() if row["runs"]},
            "failed": int(counts["failed"].sum()),
            "by_hidden": {size: rows.filter(pl.col("hidden") == size).height for size in AXES["hidden"]},
            "best": rows.head(top).to_dicts(),
            "equals": int((rows["place"] == 1).sum()),  # how many are best
            **{part: winner[part] for part in ("again", "scores")},
            "paper": {kind: _chosen(name, kind, by_network) for kind in ("best", "overall")},
        }
    return experiments


def _chosen(experiment: str, kind: str, by_network: Mapping[str, Row]) -> Row:
    """One of the paper's choices: the network, the paper's figure, and its row here if it has runs."""
    network = str(NETWORKS[{"best": BEST[experiment], "overall": OVERALL}[kind]])
    return {"network": network, "stated": stated(experiment, kind), "here": by_network.get(network)}


def measured(row: Row, measure: str) -> Row:
    """One measure of a row of the overall ranking, in the form of an experiment's row."""
    ends = {end: row[f"{measure}_{end}"] for end in ("sem", "low", "high")}
    runs = row[f"{measure}_runs"]
    return {"network": row["network"], "mean": row[measure], "runs": len(runs), **ends, "accuracies": runs}


def all_round(frame: pl.DataFrame, top: int = 10) -> Row | None:
    """The best over all four experiments, by mean rank and by mean accuracy; None if no architecture has all four."""
    if set(frame.filter(pl.col("runs") > 0)["experiment"]) != set(SPLITS):
        return None
    rows, best = overall(frame)
    if rows.is_empty():
        return None
    by = {"rank": rows.sort("rank", "network"), "accuracy": rows.sort("accuracy", "network", descending=[True, False])}
    places = {measure: rows[measure].rank("min", descending=measure == "accuracy") for measure in by}
    chosen = str(NETWORKS[OVERALL])
    at = next((n for n, network in enumerate(rows["network"]) if network == chosen), None)
    here = {measure: None if at is None else int(place[at]) for measure, place in places.items()}
    return {
        "architectures": rows.height,
        **{measure: {"best": by[measure].head(top).to_dicts(), **best[measure]} for measure in by},
        "paper": {"network": chosen, "places": here, "here": None if at is None else rows.row(at, named=True)},
    }
