"""`daxlab claims`: the paper's findings as sentences, and whether each holds in a ledger."""

from itertools import groupby

from daxlab.cli.options import JsonOption, LedgerOption
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at, shipped_hint
from daxlab.terminal import print_json

LEGEND = """\
holds: every figure's 95% interval lies within what is needed. does not hold: that of one lies outside it.
undecided: neither. The bounds were set when most of the shipped results were known: src/daxlab/paper/claims.py."""


def claims(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Say which of the paper's findings hold in a ledger, with the evidence.

    Example: daxlab claims --ledger results/runs.db
    """
    from daxlab.paper.claims import claims as claimed  # polars is slow to load
    from daxlab.paper.runs import Runs

    path = ledger_at(ledger)
    with Ledger(path) as known:
        rows = claimed(Runs(known))
    if as_json:
        return print_json(rows)
    print(path)
    for experiment, some in groupby(rows, key=lambda row: row.experiment):
        print(f"\n{experiment}")
        for row in some:
            evidence = [figure.text for figure in row.figures] if row.measured else [row.evidence]
            print(f"  {row.verdict:13}  {row.claim}", *evidence, sep=f"\n{'':17}")
    print(f"\n{LEGEND}")
    if not all(row.measured for row in rows):
        print(shipped_hint(path))
