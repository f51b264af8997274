"""Writes the tables of README.md and of results/README.md from the ledgers beside it (`make readme`).

A table stands between `<!-- results: NAME -->` and `<!-- /results -->`; all other text is left as it is.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from scipy import stats

from daxlab.analysis.accuracy import network_text, networks
from daxlab.datasets.translation import PAPER, PAPER_DIGEST
from daxlab.paper import compare
from daxlab.paper.conditions import conditions
from daxlab.paper.search import ARCHITECTURES, AXES, SPLITS, all_round, choices, measured, search
from daxlab.paper.translations import COUNTED
from daxlab.report.choices import spread
from daxlab.runs import Ledger
from daxlab.runs.spec import all_facts
from daxlab.sweep import Architecture
from daxlab.sweep.cost import cost
from daxlab.sweep.grid import part, read
from daxlab.sweep.grouping import grouped

RESULTS = Path(__file__).parent
PAGES = (RESULTS.parent / "README.md", RESULTS / "README.md")


def comparison() -> str:
    """The paper's figures that are means of runs, beside ours."""
    with Ledger(RESULTS / "runs.db") as ledger:
        rows = [row for row in compare(ledger) if row.paper is not None]
    lines = ["| figure | network | paper | ours (95% interval) | every run | |", "|---|---|--:|--:|---|---|"]
    notes: list[str] = []
    for row in rows:
        if row.mean is None or row.sem is None or row.ours is not None or row.verdict == "unmeasured":
            continue
        figure = f"{row.experiment}: {row.unit}" if row.unit else row.experiment
        network = f"{row.network}{' †' if row.selected else ''}"
        ours = f"{row.mean:.2f} ({row.low:.2f} to {row.high:.2f})"
        lines.append(f"| {figure} | {network} | {row.stated} | {ours} | {_runs(row.runs)} | {row.verdict} |")
        notes += [f"- {figure}: {row.note}."] if row.note else []
    # What is counted in a corpus is measured, whether that corpus is on this machine or not.
    lacking = [row.id for row in rows if row.verdict == "unmeasured" and row.id not in COUNTED]
    others = len(rows) - len(lacking) - (len(lines) - 2)
    end = f"The paper states {len(rows)} figures. {others} that are not in the table are tables, ranges and counts "
    end += "(`daxlab compare`)" + (f", {len(lacking)} are not measured yet: {', '.join(lacking)}." if lacking else ".")
    return "\n".join([*lines, "", *notes, "", end])


def ledger_table(name: str) -> str:
    """Every network of a ledger on every split; of one that has answers, those whose answers it has."""
    with Ledger(RESULTS / name) as ledger:
        rows = networks(ledger).to_dicts()
        answered = {
            (network_text(row["spec"]["network"]), row["split"])
            for row in ledger.each_row()
            if ledger.artefact(row["key"], "greedy")
        }
    rows = [row for row in rows if not answered or (row["network"], row["split"]) in answered]
    lines = ["| network | split | mean ± sem | oracle length | every run |", "|---|---|--:|--:|---|"]
    for row in rows:
        split = f"{row['split']}; {row['protocol']}" if row["protocol"] else row["split"]
        mean = f"{row['mean']:.2f}" + (f" ± {row['sem']:.2f}" if row["sem"] is not None else "")
        every = _runs(row["accuracies"])
        lines.append(f"| {row['network']} | {split} | {mean} | {row['oracle_mean']:.2f} | {every} |")
    return "\n".join(lines)


def searched() -> str:
    """Every architecture of the search on its four experiments."""
    with Ledger(RESULTS / "runs.db") as ledger:
        rows = search(ledger).to_dicts()
    found = {(*(row[axis] for axis in AXES), row["experiment"]): row["mean"] for row in rows}
    lines = [f"| network | {' | '.join(SPLITS)} |", "|---" + "|--:" * len(SPLITS) + "|"]
    for cell, attention, layers, hidden in product(*(AXES[axis] for axis in AXES if axis != "dropout")):
        cells = [
            [found.get((cell, attention, layers, hidden, dropout, split)) for dropout in AXES["dropout"]]
            for split in SPLITS
        ]
        if all(mean is None for some in cells for mean in some):
            continue
        name = Architecture(cell, layers, hidden, attention).shape
        shown = (" ".join("–" if mean is None else f"{mean:.2f}" for mean in some) for some in cells)
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


def best() -> str:
    """The best of each experiment and of all four, and the paper's choice."""
    with Ledger(RESULTS / "runs.db") as ledger:
        frame = search(ledger)
    found, overall = choices(frame), all_round(frame)
    assert overall
    lines = ["| experiment | best here | mean ± sem | again | the paper's choice | here | paper |"]
    lines.append("|---|---|--:|--:|---|--:|--:|")
    asked = [(name, one, one["best"][0], one["paper"]["best"], "mean") for name, one in found.items()]
    for measure in ("rank", "accuracy"):
        one, chosen = overall[measure], overall["paper"] | {"stated": ""}
        asked.append((f"all four, mean {measure}", one, measured(one["best"][0], measure), chosen, measure))
    for name, one, first, chosen, measure in asked:
        again = f"{one['again']:.2f} ({spread(one)})" if one["scores"] else "–"
        here = f"{chosen['here'][measure]:.2f}" if chosen["here"] else "–"
        ours = f"{first['network']} | {first['mean']:.2f} ± {first['sem']:.2f} | {again}"
        lines.append(f"| {name} | {ours} | {chosen['network']} | {here} | {chosen['stated']} |")
    counts = {one["architectures"] for one in found.values()}
    span = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{counts.pop()}"
    return "\n".join([*lines, "", f"So far of {span} of the {ARCHITECTURES} architectures."])


def translations(name: str) -> str:
    """BLEU and the questions of Experiment 4, by condition."""
    with Ledger(RESULTS / name) as ledger:
        found = [one for one in conditions(ledger, PAPER_DIGEST, PAPER) if one.rows]
        lines = [
            "| split | BLEU | by sentence | daxy, of 8 | tired, of 8 | BLEU of every run |",
            "|---|--:|--:|--:|--:|---|",
        ]
        for one in found:
            right = [_counts(one.right(word)) for word in ("daxy", "tired")]
            mean = f"{fmean(one.bleu):.2f} | {fmean(one.by_sentence):.2f}"
            lines.append(f"| {one.split} | {mean} | {' | '.join(right)} | {_runs(one.bleu)} |")
    return "\n".join([*lines, "", f"sacrebleu `{found[0].signature}`."])


def lengths(name: str) -> str:
    """Runs that share the sequence of lengths against runs that do not."""
    with Ledger(RESULTS / name) as ledger:
        shared, apart = (
            [row["accuracy"] for row in ledger.rows({"protocol.shared_lengths": one})] for one in (True, False)
        )
    test = stats.ttest_ind(shared, apart, equal_var=False)
    low, high = test.confidence_interval()
    ratio, degrees = (stdev(shared) / stdev(apart)) ** 2, (len(shared) - 1, len(apart) - 1)
    ends = [ratio / stats.f.ppf(share, *degrees) for share in (0.975, 0.025)]
    means, spreads = [fmean(some) for some in (shared, apart)], [stdev(some) for some in (shared, apart)]
    return (
        f"Shared minus separate is {means[0] - means[1]:.2f} (95% interval {low:.2f} to {high:.2f}, Welch);\n"
        f"the standard deviations are {spreads[0]:.1f} and {spreads[1]:.1f} "
        f"(ratio of variances {ratio:.2f}, 95% interval {ends[0]:.2f} to {ends[1]:.2f}, F)."
    )


def card() -> str:
    """Milliseconds an update by runs and width, and over the floor."""
    rows = json.loads((RESULTS / "bench" / "card.json").read_text())["rows"]
    runs = sorted({row["runs"] for row in rows})
    lines = [f"| hidden | {' | '.join(f'R = {count}' for count in runs)} |", "|--:" * (len(runs) + 1) + "|"]
    for hidden in sorted({row["hidden"] for row in rows}):
        cells = [f"{row['ms']:.2f} ({row['ms'] / row['floor_ms']:.1f})" for row in rows if row["hidden"] == hidden]
        lines.append(f"| {hidden} | {' | '.join(cells)} |")
    (seconds,) = (row["decode_20910_s"] for row in rows if "decode_20910_s" in row)
    return "\n".join([*lines, "", f"Decoding all 20,910 commands by one LSTM 2x200 took {seconds:.2f} s."])


def sweeps() -> str:
    """What sweeps took on the card, beside their plans."""
    rows = json.loads((RESULTS / "bench" / "sweeps.json").read_text())["rows"]
    lines = ["| commit | command | runs | groups | seconds | plan | plan / seconds | plan now |"]
    lines.append("|---|---|--:|--:|--:|--:|--:|--:|")
    for row in rows:
        only = " ".join(f"--only {one}" for one in row["only"])
        command = f"daxlab sweep run specs/{row['spec']}.toml {only} --device gpu {row['more']}"
        ratio = row["planned"] / row["seconds"]
        row["now"] = _plan_now(row)
        counts = f"{row['runs']:,} | {row['groups']} | {row['seconds']:,} | {row['planned']:,} | {ratio:.2f}"
        counts += f" | {row['now']:,.0f}"
        lines.append(f"| {row['commit']} | `{command.strip()}` | {counts} |")
    narrow = [row for row in rows if "hidden=25,50,100" in row["only"]]
    end = f"Hidden 25, 50 and 100: {_took(narrow)}. All of these: {_took(rows)}."
    took, now = (sum(row[name] for row in rows) for name in ("seconds", "now"))
    ratios = [row["now"] / row["seconds"] for row in rows]
    end += f" By the model as it is now they would take {now / took:.2f} of that in all, {min(ratios):.2f} to "
    end += f"{max(ratios):.2f} each."
    return "\n".join([*lines, "", end])


def _plan_now(row: dict[str, Any]) -> float:
    """Seconds that the model has for a sweep from nothing, as it is now."""
    wanted = part(read(RESULTS.parent / "specs" / f"{row['spec']}.toml").specs(), row["only"])
    return cost(grouped(all_facts(wanted), "gpu", row["workers"]), "gpu", 1, on_card=row["workers"]).seconds


def _took(rows: Sequence[dict[str, Any]]) -> str:
    runs, seconds = (sum(row[name] for row in rows) for name in ("runs", "seconds"))
    return f"{runs:,} runs in {seconds / 60:.1f} minutes of the card, {3600 * runs / seconds:,.0f} an hour"


def at_once() -> str:
    """The same runs by three plans."""
    found = json.loads((RESULTS / "bench" / "at_once.json").read_text())
    lines = ["| plan | groups | ms an update of all runs | runs an hour, updates alone |", "|---|--:|--:|--:|"]
    runs = found["runs"] * len(found["plans"][0]["groups"])
    for row in found["plans"]:
        rate = runs * 3600 / (row["ms"] / 1000 * 100_000)
        lines.append(f"| {row['plan']} | {len(row['groups'])} | {row['ms']:.2f} | {rate:,.0f} |")
    return "\n".join(lines)


def plans() -> str:
    """The same runs as whole sweeps by two plans."""
    lines = ["| whole sweep | groups | seconds | runs an hour | plan | plan / seconds |", "|---|--:|--:|--:|--:|--:|"]
    for row in json.loads((RESULTS / "bench" / "plans.json").read_text())["plans"]:
        seconds, planned = row["seconds"], row["planned"]
        figures = f"{seconds:.0f} | {3600 * row['runs'] / seconds:,.0f} | {planned:.0f} | {planned / seconds:.2f}"
        lines.append(f"| {row['plan']} | {len(row['each'])} | {figures} |")
    return "\n".join(lines)


OTHERS: dict[str, Callable[[], str]] = {
    "comparison": comparison,
    "search": searched,
    "best": best,
    "lengths": partial(lengths, "lengths.db"),
    "lengths-cpu": partial(lengths, "again/lengths-cpu.db"),
    "card": card,
    "sweeps": sweeps,
    "at-once": at_once,
    "plans": plans,
    "translations": partial(translations, "runs.db"),
    "translations-cpu": partial(translations, "again/translation-cpu.db"),
}


def _counts(values: Sequence[int]) -> str:
    return f"{fmean(values):.2f} ({' '.join(map(str, values))})"


def _runs(values: Iterable[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def written(page: str) -> str:
    """A page with its tables as they should be."""

    def table(match: re.Match[str]) -> str:
        name = match["name"]
        content = OTHERS[name]() if name in OTHERS else ledger_table(name)
        return f"<!-- results: {name} -->\n\n{content}\n\n<!-- /results -->"

    return re.sub(r"<!-- results: (?P<name>\S+) -->.*?<!-- /results -->", table, page, flags=re.DOTALL)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written(page.read_text()))
