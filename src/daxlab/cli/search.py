"""`daxlab search`: the best of the paper's 180 architectures, by what the ledger has."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli.compare import every, show_figures
from daxlab.cli.options import LEDGER, JsonOption, LedgerOption, is_shipped, ledger_at, shipped_hint
from daxlab.cli.terminal import percent, table
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
Choice = Mapping[str, Any]  # what paper.search says of an experiment


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
    from daxlab.paper.search import ARCHITECTURES, all_round, choices, search
    from daxlab.report.text import AGAIN

    path = ledger_at(ledger)
    with Ledger(path) as known:
        frame, srns = search(known), compare(known, ["search"])
    experiments, overall = choices(frame, top), all_round(frame, top)
    if as_json:
        wanted = {name: chosen for name, chosen in experiments.items() if experiment in (None, name)}
        content: dict[str, Any] = {"experiments": wanted}
        content |= {"overall": overall} if experiment in (None, "overall") else {}
        content |= {"srns": [asdict(row) for row in srns]} if experiment is None else {}
        print(json.dumps(content, indent=1, allow_nan=False))
        return
    print(f"{path}\n")
    _show_completeness(experiments, ARCHITECTURES, path)
    if not experiments:
        return
    if experiment is None:
        _show_winners(experiments, overall)
        print("\nSRNs, beside the paper:\n")
        show_figures(srns, ["figure", "paper", "ours", "verdict", "network", "note"])
    elif experiment == "overall":
        _show_overall(overall)
    elif experiment in experiments:
        _show_experiment(experiments[experiment])
    print(f"\n{LEGEND}\n{AGAIN}")


def _show_completeness(experiments: Choice, of: int, path: Path) -> None:
    from daxlab.paper.search import COMMAND
    from daxlab.report.text import complete

    for name, chosen in experiments.items():
        print(complete(name, chosen, of).replace("*", ""))
    lacking = [name for name in SPLITS if name not in experiments]
    if lacking:
        print(f"No architecture of the search has runs by the paper's protocol on {', '.join(lacking)}.")
    if lacking or any(chosen["architectures"] < of for chosen in experiments.values()):
        first = f"'daxlab runs merge {path}' brings these into {LEDGER}; then " if is_shipped(path) else ""
        into = "" if is_shipped(path) or path == LEDGER else f" --ledger {path}"
        print(f"{first}'{COMMAND}{into}' trains what is lacking.")
        if more := shipped_hint(path):
            print(more)


def _show_winners(experiments: Choice, overall: Any) -> None:
    from daxlab.paper.search import measured

    print("\nThe best of each experiment:\n")
    columns = ["experiment", "the best here", "runs", "mean", "sem", "95% interval", "again"]
    columns += ["the paper's choice", "place", "here", "paper"]
    lines = []
    for name, chosen in experiments.items():
        paper = chosen["paper"]["best"]
        here = paper["here"] or {"place": "–", "mean": None}
        ours = [paper["network"], str(here["place"]), percent(here["mean"]), f"{paper['stated']:g}"]
        lines.append([name, *_winner(chosen, chosen["best"][0]), *ours])
    for measure in MEASURES if overall else ():
        chosen, paper = overall[measure], overall["paper"]
        ours = [paper["network"], str(paper["places"][measure] or "–"), percent((paper["here"] or {}).get(measure)), ""]
        lines.append([f"overall, by {measure}", *_winner(chosen, measured(chosen["best"][0], measure)), *ours])
    table(columns, lines, right=(2, 3, 4, 5, 6, 8, 9, 10))
    if not overall:
        print(f"\n{NO_BEST}")


def _winner(chosen: Choice, row: Mapping[str, Any]) -> list[str]:
    from daxlab.report.text import spread

    again = f"{chosen['again']:.2f} ({spread(chosen)})" if chosen["scores"] else "–"
    return [row["network"], str(row["runs"]), *_summary(row), again]


def _show_overall(overall: Any) -> None:
    from daxlab.paper.search import measured
    from daxlab.report.text import regressing

    if not overall:
        print(f"\n{NO_BEST}")
        return
    for measure, unit in MEASURES.items():
        chosen = overall[measure]
        print(f"\nThe best over four experiments, by mean {measure}:\n")
        _show_rows([measured(row, measure) | {"place": n} for n, row in enumerate(chosen["best"], 1)])
        print(f"\n{regressing(chosen, unit)}")
    places = overall["paper"]["places"]
    place = f"number {places['rank']} by rank, {places['accuracy']} by accuracy" if places["rank"] else "not ranked"
    print(f"The paper's overall best, {overall['paper']['network']}: {place}.")


def _show_experiment(chosen: Choice) -> None:
    from daxlab.report import text

    print(f"\nThe best on {chosen['split']}:\n")
    _show_rows(chosen["best"])
    print(f"\n{text.regressing(chosen)}\n{text.chosen(chosen['paper']['best'], chosen['architectures'])}")


def _show_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    columns = ["", "network", "runs", "mean", "sem", "95% interval", "every run"]
    lines = [
        [str(row["place"]), row["network"], str(row["runs"]), *_summary(row), every([*map(percent, row["accuracies"])])]
        for row in rows
    ]
    table(columns, lines, right=(0, 2, 3, 4, 5))


def _summary(row: Mapping[str, Any]) -> list[str]:
    spread = ["", ""] if row["sem"] is None else [f"{row['sem']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}"]
    return [percent(row["mean"]), *spread]
