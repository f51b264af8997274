"""Writes the tables of README.md and of results/README.md from the ledgers beside it (`make readme`).

A table stands between `<!-- results: NAME -->` and `<!-- /results -->`; all other text is left as it is.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from daxlab.analysis.accuracy import networks
from daxlab.paper import compare
from daxlab.paper.translations import COUNTED
from daxlab.store import Ledger

RESULTS = Path(__file__).parent
PAGES = (RESULTS.parent / "README.md", RESULTS / "README.md")


def comparison() -> str:
    """The paper's figures that are means of runs, beside ours."""
    with Ledger(RESULTS / "runs.db") as ledger:
        rows = [row for row in compare(ledger) if row.paper is not None]
    lines = ["| figure | network | paper | ours (95% interval) | every run | |", "|---|---|--:|--:|---|---|"]
    for row in rows:
        if row.mean is None or row.sem is None or row.ours is not None or row.verdict == "unmeasured":
            continue
        figure = f"{row.experiment}: {row.unit}" if row.unit else row.experiment
        network = f"{row.network}{' †' if row.selected else ''}"
        ours = f"{row.mean:.2f} ({row.low:.2f} to {row.high:.2f})"
        lines.append(f"| {figure} | {network} | {row.stated} | {ours} | {_runs(row.runs)} | {row.verdict} |")
    # What is counted in a corpus is measured, whether that corpus is on this machine or not.
    lacking = sum(row.verdict == "unmeasured" and row.id not in COUNTED for row in rows)
    return "\n".join([*lines, "", f"Of the {len(rows)} figures that the paper states, {lacking} are not measured yet."])


def ledger_table(name: str) -> str:
    """Every network of a ledger on every split."""
    with Ledger(RESULTS / name) as ledger:
        rows = networks(ledger).to_dicts()
    lines = ["| network | split | mean ± sem | oracle length | every run |", "|---|---|--:|--:|---|"]
    for row in rows:
        split = f"{row['split']}; {row['protocol']}" if row["protocol"] else row["split"]
        mean = f"{row['mean']:.2f}" + (f" ± {row['sem']:.2f}" if row["sem"] is not None else "")
        every = _runs(row["accuracies"])
        lines.append(f"| {row['network']} | {split} | {mean} | {row['oracle_mean']:.2f} | {every} |")
    return "\n".join(lines)


def _runs(values: Iterable[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def written(page: str) -> str:
    """A page with its tables as they should be."""

    def table(match: re.Match[str]) -> str:
        name = match["name"]
        content = comparison() if name == "comparison" else ledger_table(name)
        return f"<!-- results: {name} -->\n\n{content}\n\n<!-- /results -->"

    return re.sub(r"<!-- results: (?P<name>\S+) -->.*?<!-- /results -->", table, page, flags=re.DOTALL)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written(page.read_text()))
