"""`daxlab search`: the best of the paper's 180 architectures, by what the ledger has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli.compare import figure_row
from daxlab.cli.options import JsonOption, LedgerOption, ledger_at, shipped_hint
from daxlab.cli.terminal import every, print_json, show, table
from daxlab.errors import InputError
from daxlab.paper.experiments import SPLITS
from daxlab.runs import Ledger

app = typer.Typer(help="The search over the paper's 180 architectures.")
EXPERIMENTS = (*SPLITS, "overall")
MEASURES = {"rank": "", "accuracy": "%"}  # and their units
NO_BEST = "No architecture has runs on all four experiments, so there is no best overall."
LEGEND = """\
Percentages of test commands with every action right: mean, standard error, 95% interval (Student's t).
‡ our own draw of the split, not the release's, which `daxlab compare` prefers."""
SUMMARY = {"runs": "runs", "mean": "mean", "sem": "sem", "95% interval": "interval"}
RANKING = {" ": "place", "network": "network", **SUMMARY, "every run": "every"}
WINNERS = {"experiment": "name", "the best here": "network", **SUMMARY, "again": "again"}
WINNERS |= {"the paper's choice": "chosen", "place": "chosen_place", "here": "chosen_mean", "paper": "stated"}
SRNS = {
    "figure": "figure",
    "paper": "paper",
    "ours": "ours",
    "verdict": "verdict",
    "network": "network",
    "note": "note",
}
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
    """Show the best architectures with intervals, what choosing the best is worth, and the paper's choice.

    Example: daxlab search best --experiment jump --top 20
    """
    if experiment not in (None, *EXPERIMENTS):
        raise InputError(f"no experiment is called {experiment!r}; there are {', '.join(EXPERIMENTS)}")
    from daxlab.paper.comparison import compare_runs  # polars is slow to load
    from daxlab.paper.runs import Runs
    from daxlab.paper.search import all_round, choices
    from daxlab.report.text import AGAIN

    path = ledger_at(ledger)
    with Ledger(path) as known:
        runs = Runs(known)
        frame, srns = runs.search, compare_runs(runs, ["search"])
    experiments, overall = choices(frame, top), all_round(frame, top)
    if as_json:
        content: Row = {"experiments": {name: row for name, row in experiments.items() if experiment in (None, name)}}
        content |= {"overall": overall} if experiment in (None, "overall") else {}
        return print_json(content | ({"srns": srns} if experiment is None else {}))
    print(f"{path}\n")
    _show_completeness(experiments, path)
    if not experiments:
        return
    if experiment in (None, "overall") and not overall:
        print(f"\n{NO_BEST}")
    if experiment is None:
        print("\nThe best of each experiment:\n")
        show(table(list(_winners(experiments, overall)), WINNERS))
        print("\nSRNs, beside the paper:\n")
        show(table([figure_row(row) for row in srns], SRNS))
    elif experiment in experiments:
        _show_experiment(experiments[experiment])
    elif overall:
        _show_overall(overall)
    print(f"\n{LEGEND}\n{AGAIN}")


def _show_completeness(experiments: Row, path: Path) -> None:
    from daxlab.paper.search import ARCHITECTURES, COMMAND
    from daxlab.report.text import complete

    for name, choice in experiments.items():
        print(complete(name, choice, ARCHITECTURES).replace("*", ""))
    lacking = [name for name in SPLITS if name not in experiments]
    if lacking:
        print(f"No architecture of the search has runs by the paper's protocol on {', '.join(lacking)}.")
    if lacking or any(choice["architectures"] < ARCHITECTURES for choice in experiments.values()):
        print(f"'{COMMAND}' trains what is lacking.{shipped_hint(path)}")


def _winners(experiments: Row, overall: Any) -> Iterator[Row]:
    """The best of each experiment, and over all, beside the paper's choice."""
    from daxlab.paper.search import measured

    for name, choice in experiments.items():
        paper = choice["paper"]["best"]
        here = paper["here"] or {"place": None, "mean": None}
        chosen = {"chosen": paper["network"], "chosen_place": here["place"], "chosen_mean": here["mean"]}
        yield {"name": name, **_winner(choice, choice["best"][0]), **chosen, "stated": f"{paper['stated']:g}"}
    for measure in MEASURES if overall else ():
        paper, row = overall["paper"], measured(overall[measure]["best"][0], measure)
        here = {"chosen_place": paper["places"][measure], "chosen_mean": (paper["here"] or {}).get(measure)}
        chosen = {"chosen": paper["network"], **here, "stated": ""}
        yield {"name": f"overall, by {measure}", **_winner(overall[measure], row), **chosen}


def _winner(choice: Row, row: Row) -> Row:
    from daxlab.report.text import spread

    return _cells(row) | {"again": f"{choice['again']:.2f} ({spread(choice)})" if choice["scores"] else None}


def _show_experiment(choice: Row) -> None:
    from daxlab.report import text

    print(f"\nThe best on {choice['split']}:\n")
    show(table([_cells(row) for row in choice["best"]], RANKING))
    print(f"\n{text.regressing(choice)}\n{text.chosen(choice['paper']['best'], choice['architectures'])}")


def _show_overall(overall: Row) -> None:
    from daxlab.paper.search import measured
    from daxlab.report.text import regressing

    for measure, unit in MEASURES.items():
        print(f"\nThe best over four experiments, by mean {measure}:\n")
        best = enumerate(overall[measure]["best"], 1)
        show(table([_cells(measured(row, measure)) | {"place": place} for place, row in best], RANKING))
        print(f"\n{regressing(overall[measure], unit)}")
    places = overall["paper"]["places"]
    place = f"number {places['rank']} by rank, {places['accuracy']} by accuracy" if places["rank"] else "not ranked"
    print(f"The paper's overall best, {overall['paper']['network']}: {place}.")


def _cells(row: Row) -> Row:
    """An architecture as a row of a table."""
    interval = "" if row["sem"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
    return row | {"interval": interval, "every": every([f"{accuracy:.2f}" for accuracy in row["accuracies"]])}
