"""Writes the tables of README.md, docs/ and results/README.md from the ledgers here (`make readme`).

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

from daxlab.analysis.accuracy import settings
from daxlab.analysis.contrast import compare as compare_runs
from daxlab.datasets.release import SCAN
from daxlab.datasets.source import locate
from daxlab.datasets.translation import PAPER, PAPER_DIGEST
from daxlab.learners import RNN, name_and_variant
from daxlab.ledger import Ledger
from daxlab.paper.claims import claims
from daxlab.paper.comparison import Row, cells, compare
from daxlab.paper.leaderboard import SPLITS as LEADERBOARD, Cell, leaderboard
from daxlab.paper.runs import Runs
from daxlab.paper.search import ARCHITECTURES, AXES, SPLITS, rankings, search
from daxlab.paper.translations import COUNTED, conditions
from daxlab.report.text import wins

RESULTS = Path(__file__).parent
ROOT = RESULTS.parent
DOCS = (ROOT / "docs" / f"{name}.md" for name in ("paper", "the-search", "after-the-paper"))
PAGES = (ROOT / "README.md", *DOCS, RESULTS / "README.md")
HEADLINE = (
    *("exp1.best", "exp1.overall", "exp2.best", "exp2.overall", "exp2.oracle.best"),
    *("exp3.turn-left.best", "exp3.turn-left.overall", "exp3.jump.best", "exp3.jump.overall", "exp3.few.32"),
    *("exp4.bleu", "exp4.daxy.1000"),
)


def _compared() -> list[Row]:
    """The paper's figures beside ours."""
    with Ledger(RESULTS / "runs.db") as ledger:
        return [row for row in compare(ledger) if row.paper is not None]


def avenues() -> str:
    """Every learner on SCAN's splits, beside what was published, and what was given away."""
    with Ledger(RESULTS / "runs.db") as ledger:
        entries = leaderboard(ledger)
    lines = [[entry.learner, *map(_scored, entry.cells.values())] for entry in entries]
    return _table(["learner", *LEADERBOARD], lines, right=range(1, len(LEADERBOARD) + 1))


def _scored(cell: Cell) -> str:
    """A mean and its runs; below it, the published figure and the verdict."""
    if cell.mean is None:
        return "–"
    own = f"{cell.mean:.2f} ({cell.runs})"
    return own + (f"<br>{cell.published.mean:g}: {cell.verdict}" if cell.published else "")


def _line(row: Row) -> list[str]:
    text = cells(row)
    figure = f"{text['figure']}: {row.unit}" if row.unit else text["figure"]
    mark = " †" if row.selected else ""
    return [figure, text["network"] + mark, text["paper"], f"{text['ours']} ({text['interval']})"]


def claimed() -> str:
    """The paper's claims, and whether they hold. One of them needs the release."""
    locate(SCAN)
    with Ledger(RESULTS / "runs.db") as ledger:
        rows = claims(Runs(ledger))
    lines = [[row.claim, row.verdict, row.evidence if row.measured else "not measured yet"] for row in rows]
    return _table(["claim", "", "evidence"], lines, right=())


def claimed_in_short() -> str:
    """The same without the evidence."""
    locate(SCAN)
    with Ledger(RESULTS / "runs.db") as ledger:
        return _table(["claim", ""], [[row.claim, row.verdict] for row in claims(Runs(ledger))], right=())


def headline() -> str:
    """The figures that carry the paper's story."""
    rows = [row for row in _compared() if row.id in HEADLINE]
    lines = [[*_line(row), row.verdict] for row in rows]
    table = _table(["figure", "network", "paper", "ours (95% interval)", ""], lines, right=(2, 3))
    notes = [f"- {row.experiment}: {row.note}." for row in rows if row.searched]
    return "\n".join([table, "", *notes])


def comparison() -> str:
    """The paper's figures that are means of runs, beside ours."""
    rows = _compared()
    means = [row for row in rows if row.sem is not None and row.ours is None and row.verdict != "unmeasured"]
    lines = [[*_line(row), row.verdict, cells(row)["needed"], cells(row)["runs"]] for row in means]
    notes = [f"- {_line(row)[0]}: {row.note}." for row in means if row.note]
    # What is counted in a corpus is measured, whether that corpus is on this machine or not.
    lacking = [row.id for row in rows if row.verdict == "unmeasured" and row.id not in COUNTED]
    others = len(rows) - len(lacking) - len(means)
    end = f"The paper states {len(rows)} figures. {others} that are not in the table are tables, ranges and counts "
    end += "(`daxlab compare`)" + (f", {len(lacking)} are not measured yet: {', '.join(lacking)}." if lacking else ".")
    columns = ["figure", "network", "paper", "ours (95% interval)", "", "needed", "every run"]
    table = _table(columns, lines, right=(2, 3, 5))
    return "\n".join([table, "", *notes, "", end])


def ledger_table(name: str) -> str:
    """Every network of a ledger on every split; of one that has answers, those whose answers it has."""
    with Ledger(RESULTS / name) as ledger:
        rows = settings(ledger).to_dicts()
        answered = {
            (name_and_variant(row["spec"])[0], row["split"])
            for row in ledger.each_row()
            if ledger.artefact(row["key"], "greedy")
        }
    lines = []
    for row in rows:
        if answered and (row["network"], row["split"]) not in answered:
            continue
        split = f"{row['split']}; {row['protocol']}" if row["protocol"] else row["split"]
        mean = f"{row['mean']:.2f}" + (f" ± {row['sem']:.2f}" if row["sem"] is not None else "")
        oracle = "–" if row["oracle_mean"] is None else f"{row['oracle_mean']:.2f}"
        lines.append([row["network"], split, mean, oracle, _runs(row["accuracies"])])
    return _table(["network", "split", "mean ± sem", "oracle length", "every run"], lines, right=(2, 3))


def searched() -> str:
    """Every architecture of the search on its four experiments."""
    with Ledger(RESULTS / "runs.db") as ledger:
        rows = search(ledger).to_dicts()
    means = {(*(row[axis] for axis in AXES), row["experiment"]): row["mean"] for row in rows}
    lines = []
    for shape in product(*(AXES[axis] for axis in AXES if axis != "dropout")):
        by_split = [[means.get((*shape, dropout, split)) for dropout in AXES["dropout"]] for split in SPLITS]
        if any(mean is not None for some in by_split for mean in some):
            cell, attention, layers, hidden = shape
            name = RNN(cell, layers, hidden, attention).architecture.partition(", dropout")[0]
            text = [" ".join("–" if mean is None else f"{mean:.2f}" for mean in some) for some in by_split]
            lines.append([name, *text])
    return _table(["network", *SPLITS], lines, right=range(1, len(SPLITS) + 1))


def best() -> str:
    """The best of each experiment and of all four, and the paper's choice."""
    with Ledger(RESULTS / "runs.db") as ledger:
        ranked = rankings(search(ledger), top=1)
    lines = []
    for name, one in ranked.items():
        first, chosen = one["best"][0], next(iter(one["paper"].values()))
        here = chosen["here"]
        mean, told = f"{first['mean']:.2f} ± {first['sem']:.2f}", f"{one['contenders']} of {one['compared']}"
        stated = "" if chosen["stated"] is None else str(chosen["stated"])
        ours = [name, first["network"], mean, wins(first["share"]), told, _runs(one.get("worth", {}).values())]
        lines.append([*ours, chosen["network"], f"{here['mean']:.2f}", wins(here["share"]), stated])
    columns = ["experiment", "best here", "mean ± sem", "wins", "not told from it", "worth by 1, 2, 3, 4 runs"]
    columns += ["the paper's choice", "here", "its wins", "paper"]
    counts = {one["architectures"] for one in ranked.values()}
    span = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{counts.pop()}"
    table = _table(columns, lines, right=(2, 3, 4, 7, 8, 9))
    return f"{table}\n\nSo far of {span} of the {ARCHITECTURES} architectures."


def translations(name: str) -> str:
    """BLEU and the questions of Experiment 4, by condition."""
    columns = ["split", "BLEU", "by sentence", "daxy, of 8", "tired, of 8", "BLEU of every run"]
    with Ledger(RESULTS / name) as ledger:
        every = [runs for runs in conditions(ledger, PAPER_DIGEST, PAPER) if runs.rows]
        lines = []
        for runs in every:
            right = [_counts(runs.right(word)) for word in ("daxy", "tired")]
            means = [f"{fmean(values):.2f}" for values in (runs.bleu, runs.by_sentence)]
            lines.append([runs.split, *means, *right, _runs(runs.bleu)])
    return f"{_table(columns, lines, right=(1, 2, 3, 4))}\n\nsacrebleu `{every[0].signature}`."


def lengths(name: str) -> str:
    """Runs that share the sequence of lengths against runs that do not."""
    with Ledger(RESULTS / name) as ledger:
        shared, apart = ([row["accuracy"] for row in ledger.rows({"shared_lengths": value})] for value in (True, False))
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


def clipping(name: str) -> str:
    """Encoder and decoder clipped each by a norm of its own, against one norm for both."""
    apart, one = {"clip_separately": True}, {"clip_separately": None}
    with Ledger(RESULTS / name) as ledger:
        row = compare_runs(ledger, apart, one).row(0, named=True)
        training = [[run["train_accuracy"] for run in ledger.rows(where)] for where in (apart, one)]
    ends = [" to ".join(f"{row[f'{end}_{side}']:.2f}" for end in ("low", "high")) for side in "ab"]
    learned = [
        f"{fmean(some):.2f}% ({sum(value >= 95 for value in some)} of {len(some)} at least 95)" for some in training
    ]
    low, high = row["difference_low"], row["difference_high"]
    return (
        f"Two norms {row['mean_a']:.2f} ({ends[0]}, {row['runs_a']} runs), one norm {row['mean_b']:.2f} ({ends[1]}, "
        f"{row['runs_b']} runs);\nthe difference is {row['difference']:.2f} (95% interval {low:.2f} to {high:.2f}, "
        f"{row['pairs']} pairs). Of the training commands they have\n{learned[0]} and {learned[1]}."
    )


def states(*names: str) -> str:
    """The cosine of the nearest command to each of the paper's four, by every encoder state that a ledger has."""
    table: dict[tuple[str, str, int], dict[str, str]] = {("the paper", "", 1): {}}
    for name in names:
        with Ledger(RESULTS / name) as ledger:
            (row,) = (row for row in compare(ledger, ["jump"]) if row.id == "exp3.neighbours")
        for near in row.ours["every"]:
            command = near["command"] + (f" without {near['without']}" if near["without"] else "")
            table["the paper", "", 1][command] = f"{near['paper']:.2f}"
            line = table.setdefault((near["state"], name, near["runs"]), {})
            line[command] = f"{near['mean']:.2f} ({near['lowest']:.2f} to {near['highest']:.2f})"
    commands = list(table["the paper", "", 1])
    lines = [[*map(str, of), *line.values()] for of, line in table.items()]
    return _table(["state", "ledger", "runs", *commands], lines, right=range(2, 3 + len(commands)))


def card() -> str:
    """Milliseconds an update by runs and width, and over the floor."""
    rows = _bench("card")["rows"]
    lines = []
    for hidden in sorted({row["hidden"] for row in rows}):
        times = (f"{row['ms']:.2f} ({row['ms'] / row['floor_ms']:.1f})" for row in rows if row["hidden"] == hidden)
        lines.append([str(hidden), *times])
    columns = ["hidden", *(f"R = {count}" for count in sorted({row["runs"] for row in rows}))]
    (seconds,) = (row["decode_20910_s"] for row in rows if "decode_20910_s" in row)
    table = _table(columns, lines, right=range(len(columns)))
    return f"{table}\n\nDecoding all 20,910 commands by one LSTM 2x200 took {seconds:.2f} s."


def sweeps() -> str:
    """What sweeps took on the card, beside their plans."""
    rows, lines = _bench("sweeps")["rows"], []
    for row in rows:
        only = " ".join(f"--only {axis}" for axis in row["only"])
        command = f"daxlab sweep run specs/{row['spec']}.toml {only} --device gpu {row['more']}".strip()
        counts = [f"{row['runs']:,}", str(row["groups"]), f"{row['seconds']:,}", f"{row['planned']:,}"]
        lines.append([row["commit"], f"`{command}`", *counts, f"{row['planned'] / row['seconds']:.2f}"])
    narrow = [row for row in rows if "hidden=25,50,100" in row["only"]]
    columns = ["commit", "command", "runs", "groups", "seconds", "plan", "plan / seconds"]
    end = f"Hidden 25, 50 and 100: {_took(narrow)}. All of these: {_took(rows)}."
    return f"{_table(columns, lines, right=range(2, 7))}\n\n{end}"


def _took(rows: Sequence[dict[str, Any]]) -> str:
    runs, seconds = (sum(row[name] for row in rows) for name in ("runs", "seconds"))
    return f"{runs:,} runs in {seconds / 60:.1f} minutes of the card, {3600 * runs / seconds:,.0f} an hour"


def at_once() -> str:
    """The same runs by several plans."""
    bench = _bench("at_once")
    runs = bench["runs"] * len(bench["plans"][0]["each_ms"])
    lines = [
        [row["plan"], str(len(row["each_ms"])), f"{row['ms']:.2f}", f"{runs * 36 / row['ms']:,.0f}"]
        for row in bench["plans"]  # of 100,000 updates
    ]
    return _table(["plan", "groups", "ms an update of all runs", "runs an hour, updates alone"], lines, right=(1, 2, 3))


def _bench(name: str) -> Any:
    return json.loads((RESULTS / "bench" / f"{name}.json").read_text())


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int]) -> str:
    """A table in Markdown."""
    marks = "".join("|--:" if n in set(right) else "|---" for n in range(len(columns)))
    return "\n".join([f"| {' | '.join(columns)} |", f"{marks}|", *(f"| {' | '.join(row)} |" for row in rows)])


OTHERS: dict[str, Callable[[], str]] = {
    "claims": claimed,
    "claims-in-short": claimed_in_short,
    "headline": headline,
    "leaderboard": avenues,
    "comparison": comparison,
    "search": searched,
    "best": best,
    "lengths": partial(lengths, "lengths.db"),
    "lengths-cpu": partial(lengths, "again/lengths-cpu.db"),
    "clipping": partial(clipping, "clipping.db"),
    "states": partial(states, "runs.db", "states.db"),
    "card": card,
    "sweeps": sweeps,
    "at-once": at_once,
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
