"""`daxlab search`: the best of the paper's 180 architectures, by what the ledger has."""

from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli.compare import figure_row
from daxlab.cli.options import JsonOption, LedgerOption, ledger_at, shipped_hint
from daxlab.cli.terminal import every, print_json, show, table
from daxlab.errors import InputError, nearest
from daxlab.paper.experiments import SPLITS
from daxlab.report.text import WINS, WORTH, chosen, complete, told, wins
from daxlab.runs import Ledger

app = typer.Typer(help="The search over the paper's 180 architectures.")
EXPERIMENTS = (*SPLITS, "overall")
NO_BEST = "No architecture has runs on all four experiments, so there is no best overall."
LEGEND = """\
Percentages of test commands with every action right: mean, standard error, 95% interval.
‡ our own draw of the split, not the release's, which `daxlab compare` prefers. * cannot be told from the best."""
SUMMARY = {"runs": "runs", "mean": "mean", "sem": "sem", "95% interval": "interval"}
RANKING = {" ": "place", "network": "network", **SUMMARY, "wins": "wins", "every run": "every"}
WINNERS = {"experiment": "name", "the best here": "network", "mean": "mean", "95% interval": "interval", "wins": "wins"}
WINNERS |= {"not told from it": "contenders", "worth": "worth", "the paper's choice": "chosen", "place": "chosen_place"}
WINNERS |= {"here": "chosen_mean", "its wins": "chosen_wins", "paper": "stated"}
SRNS = {name: name for name in ("figure", "paper", "ours", "verdict", "network", "note")}
Row = dict[str, Any]


app.callback()(lambda: None)  # so that `best` is a command of its own


@app.command("best")
def best(
    experiment: Annotated[
        str | None, typer.Option(metavar="|".join(EXPERIMENTS), help="The best on this one only.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many architectures to show.")] = 10,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the best architectures with intervals, how sure it is that they are, and the paper's choice.

    Example: daxlab search best --experiment jump --top 20
    """
    if experiment is not None and experiment not in EXPERIMENTS:
        raise InputError(f"no experiment is called {experiment!r}; {nearest(experiment, EXPERIMENTS)}")
    from daxlab.paper.comparison import compare  # polars is slow to load
    from daxlab.paper.search import all_round, choices, rankings, search

    path = ledger_at(ledger)
    with Ledger(path) as known:
        frame, srns = search(known), compare(known, ["search"])
    experiments, overall = choices(frame, top), all_round(frame, top)
    if as_json:
        content: Row = {"experiments": {name: row for name, row in experiments.items() if experiment in (None, name)}}
        content |= {"overall": overall} if experiment in (None, "overall") else {}
        return print_json(content | ({"srns": srns} if experiment is None else {}))
    print(f"{path}\n")
    _show_completeness(experiments, path)
    if not experiments:
        return
    ranked = rankings(experiments, overall)
    if experiment is None:
        print("\nThe best of each experiment:\n")
        show(table([_winner(name, ranking) for name, ranking in ranked.items()], WINNERS))
        print("\nSRNs, beside the paper:\n")
        show(table([figure_row(row) for row in srns], SRNS))
    for name, ranking in ranked.items():
        if experiment and name.startswith(experiment):
            print(f"\nThe best {'on ' + ranking['split'] if 'split' in ranking else name}:\n")
            show(table([_cells(row) for row in ranking["best"]], RANKING))
            print(f"\n{told(ranking)}\n{chosen(ranking['paper'], ranking['architectures'])}")
    if not overall:
        print(f"\n{NO_BEST}")
    print(f"\n{LEGEND}\n{WINS}\n{WORTH}")


def _show_completeness(experiments: Row, path: Path) -> None:
    from daxlab.paper.search import ARCHITECTURES, COMMAND

    for name, choice in experiments.items():
        print(complete(name, choice, ARCHITECTURES).replace("*", ""))
    lacking = [name for name in SPLITS if name not in experiments]
    if lacking:
        print(f"No architecture of the search has runs by the paper's protocol on {', '.join(lacking)}.")
    if lacking or any(choice["architectures"] < ARCHITECTURES for choice in experiments.values()):
        print(f"'{COMMAND}' trains what is lacking.{shipped_hint(path)}")


def _winner(name: str, ranking: Row) -> Row:
    """The best of a ranking beside the paper's choice, as a row of a table."""
    paper, worth = ranking["paper"], ranking.get("worth", {}).values()
    here = paper["here"] or {"place": None, "mean": None, "share": None}
    return {
        **_cells(ranking["best"][0]),
        "name": name,
        "contenders": f"{ranking['contenders']} of {ranking['compared']}" if ranking["compared"] else None,
        "worth": " ".join(f"{score:.2f}" for score in worth),
        "chosen": paper["network"],
        "chosen_place": here["place"],
        "chosen_mean": here["mean"],
        "chosen_wins": wins(here["share"]),
        "stated": "" if paper["stated"] is None else f"{paper['stated']:g}",
    }


def _cells(row: Row) -> Row:
    """An architecture as a row of a table."""
    interval = "" if row["sem"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
    accuracies = every([f"{accuracy:.2f}" for accuracy in row["accuracies"]])
    share = wins(row["share"]) + (" *" if row["contender"] else "")
    return row | {"interval": interval, "wins": share, "every": accuracies}
