"""`daxlab search`: the best of the paper's 180 architectures, by what the ledger has."""

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
Percentages of test commands with every action right: mean, standard error, 95% interval.
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
    from daxlab.paper.comparison import compare  # polars is slow to load
    from daxlab.paper.search import all_round, choices, search
    from daxlab.report.text import AGAIN, regressing

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
    rankings = _rankings(experiments, overall)
    if experiment is None:
        print("\nThe best of each experiment:\n")
        show(table([_winner(name, ranking) for name, ranking in rankings.items()], WINNERS))
        print("\nSRNs, beside the paper:\n")
        show(table([figure_row(row) for row in srns], SRNS))
    for name, ranking in rankings.items():
        if experiment and name.startswith(experiment):
            print(f"\nThe best {ranking['title']}:\n")
            show(table([_cells(row) for row in ranking["best"]], RANKING))
            print(f"\n{regressing(ranking, ranking['unit'])}\n{ranking['sentence']}")
    if not overall:
        print(f"\n{NO_BEST}")
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


def _rankings(experiments: Row, overall: Any) -> dict[str, Row]:
    """The rankings of each experiment and over all of them, by each measure, in one form."""
    from daxlab.paper.search import measured
    from daxlab.report.text import chosen

    rankings = {}
    for name, choice in experiments.items():
        paper = choice["paper"]["best"]
        words = {"title": f"on {choice['split']}", "sentence": chosen(paper, choice["architectures"])}
        rankings[name] = {**choice, "paper": paper, "unit": "%", **words}
    for measure, unit in MEASURES.items() if overall else ():
        best = [measured(row, measure) | {"place": place} for place, row in enumerate(overall[measure]["best"], 1)]
        network, place = overall["paper"]["network"], overall["paper"]["places"][measure]
        here = {"place": place, "mean": overall["paper"]["here"][measure]} if place else None
        paper = {"network": network, "here": here, "stated": None}
        sentence = f"The paper's overall best, {network}: {f'number {place}' if place else 'not ranked'}."
        words = {"title": f"over four experiments, by mean {measure}", "sentence": sentence}
        rankings[f"overall, by {measure}"] = {**overall[measure], "best": best, "paper": paper, "unit": unit, **words}
    return rankings


def _winner(name: str, ranking: Row) -> Row:
    """The best of a ranking beside the paper's choice, as a row of a table."""
    from daxlab.report.text import spread

    again = f"{ranking['again']:.2f} ({spread(ranking)})" if ranking["scores"] else None
    paper = ranking["paper"]
    here = paper["here"] or {"place": None, "mean": None}
    chosen = {"chosen": paper["network"], "chosen_place": here["place"], "chosen_mean": here["mean"]}
    stated = "" if paper["stated"] is None else f"{paper['stated']:g}"
    return {**_cells(ranking["best"][0]), "name": name, "again": again, **chosen, "stated": stated}


def _cells(row: Row) -> Row:
    """An architecture as a row of a table."""
    interval = "" if row["sem"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
    return row | {"interval": interval, "every": every([f"{accuracy:.2f}" for accuracy in row["accuracies"]])}
