"""`daxlab search`: the best of the paper's 180 architectures, by what the ledger has."""

from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from daxlab.cli.compare import figure_row
from daxlab.cli.completion import one_of
from daxlab.cli.help import App
from daxlab.cli.options import JsonOption, LedgerOption
from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at, shipped_hint
from daxlab.paper.experiments import SPLITS
from daxlab.report.text import SEARCH_TERMS, architecture, completeness as complete, findings, winner
from daxlab.terminal import every, print_json, show, table

app = App(help="The search over the paper's 180 architectures: best.", no_args_is_help=True)
EXPERIMENTS = (*SPLITS, "overall")
NO_BEST = "No architecture has runs on all four experiments, so there is no best overall."
LEGEND = """\
Percentages of test commands with every action right; of the ranking by mean rank, ranks (1 is the best).
‡ our own draw of the split, not the release's, which `daxlab compare` prefers. * cannot be told from the best."""
WIDTH = 120  # characters of a line of text
SRNS = {name: name for name in ("figure", "paper", "ours", "verdict", "network", "note")}
Row = dict[str, Any]


app.callback()(lambda: None)  # so that `best` is a command of its own


@app.command("best")
def best(
    experiment: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(EXPERIMENTS), help="Only on this one, with more rows.", autocompletion=one_of(*EXPERIMENTS)
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="How many to show. Default: ten, and all that may be as good as the best."
        ),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the best architectures, how sure that is, and what the paper chose.

    Example: daxlab search best --experiment jump --top 20
    """
    if experiment is not None and experiment not in EXPERIMENTS:
        raise InputError(f"no experiment is called {experiment!r}; {nearest(experiment, EXPERIMENTS)}")
    from daxlab.paper.comparison import compare  # polars is slow to load
    from daxlab.paper.search import completeness, rankings, search

    path = ledger_at(ledger)
    with Ledger(path) as known:
        frame, srns = search(known), compare(known, ["search"]) if experiment is None else []
    experiments = completeness(frame)
    ranked = rankings(frame, experiment, top if experiment or as_json else 1)
    overall = {row["measure"]: row for name, row in ranked.items() if name not in SPLITS} or None
    if as_json:
        each = {name: experiments[name] | row for name, row in ranked.items() if name in SPLITS}
        return print_json({"experiments": each, "overall": overall, "srns": srns})
    print(f"{path}\n")
    _show_completeness(experiments, path)
    if not experiments:
        return
    if experiment is None:
        print("\nThe best of each experiment:\n")
        show(table([winner(name, ranking) for name, ranking in ranked.items()]))
        print("\nSRNs, beside the paper:\n")
        show(table([figure_row(row) for row in srns], SRNS))
    for name, ranking in ranked.items():
        print(f"\nThe best {'on ' + ranking['split'] if 'split' in ranking else name}:\n")
        if experiment:
            show(table([_cells(row) for row in ranking["best"]]))
            print()
        print(*(fill(sentence, WIDTH) for sentence in findings(ranking)), sep="\n")
    if experiment in (None, "overall") and not overall:
        print(f"\n{NO_BEST}")
    print(f"\n{LEGEND}")
    print(*(fill(f"{term}: {meaning}", WIDTH) for term, meaning in SEARCH_TERMS.items()), sep="\n")


def _show_completeness(experiments: Row, path: Path) -> None:
    from daxlab.paper.search import ARCHITECTURES, COMMAND

    for name, counts in experiments.items():
        print(complete(name, counts, ARCHITECTURES).replace("*", ""))
    lacking = [name for name in SPLITS if name not in experiments]
    if lacking:
        print(f"No architecture of the search has runs by the paper's protocol on {', '.join(lacking)}.")
    if lacking or any(counts["architectures"] < ARCHITECTURES for counts in experiments.values()):
        print(f"'{COMMAND}' trains what is lacking.{shipped_hint(path)}")


def _cells(row: Row) -> Row:
    """An architecture as a row of a table."""
    runs = every([f"{accuracy:.2f}" for accuracy in row["accuracies"]])
    return {"place": row["place"], **architecture(row), " ": "*" * row["contender"], "every run": runs}
