"""`daxlab claims`: the paper's findings as sentences, and whether each holds in a ledger."""

from daxlab.cli.options import JsonOption, LedgerOption, ledger_at
from daxlab.cli.terminal import print_json
from daxlab.runs import Ledger

LEGEND = """\
holds: the whole 95% interval lies where the claim asks for. does not hold: all of it lies elsewhere.
undecided: neither. src/daxlab/paper/claims.py has the rules and the bounds."""


def claims(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Say which of the paper's findings hold in the runs of a ledger, with the evidence.

    Example: daxlab claims --ledger results/runs.db
    """
    from daxlab.paper.claims import claims as claimed  # polars is slow to load
    from daxlab.paper.runs import Runs

    path = ledger_at(ledger)
    with Ledger(path) as known:
        rows = claimed(Runs(known))
    if as_json:
        return print_json(rows)
    print(f"{path}")
    place = ""
    for row in rows:
        if row.place != place:
            place = row.place
            print(f"\n{place}")
        print(f"  {row.verdict:13}  {row.sentence}\n                 {row.evidence}")
    print(f"\n{LEGEND}")
