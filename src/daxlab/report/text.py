"""Sentences from numbers, never ahead of them.

A sentence says "higher", "rises", "every run" or "no" only if the numbers that it is given do; each function takes what
an analysis returned and is tested for that. Where nothing is measured, the text says so, and what measures it.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from daxlab.paper.targets import FIGURES

CHOSEN_BY = {f"{experiment}.best" for experiment in FIGURES.values()}
Row = Mapping[str, Any]
Rows = Sequence[Row]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def percent(value: float | None) -> str:
    """An accuracy. What is not quite 0 or 100 is not written as if it were.

    >>> percent(0.001), percent(99.999), percent(100.0), percent(None)
    ('<0.01', '>99.99', '100.00', '–')
    """
    if value is None:
        return "–"
    written = f"{value:.2f}"
    if value > 0 and float(written) == 0:
        return "<0.01"
    if value < 100 and float(written) == 100:
        return ">99.99"
    return written


def signed(value: float) -> str:
    """A number that may be below nought, with a true minus."""
    return f"{value:.2f}".replace("-", "−")


def number(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else f"{count:,}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """So many of something."""
    return f"{number(count)} {noun if count == 1 else plural or noun + 's'}"


def listed(parts: Sequence[str]) -> str:
    """a; a and b; a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def absent(what: str, command: str, *, several: bool = False) -> str:
    """What this ledger does not tell."""
    said = f"{what} {'are' if several else 'is'} not measured in this ledger"
    return f"{sentence(said)[:-1]}; `{command}` measures {'them' if several else 'it'}."


def reproduce(experiment: str) -> str:
    """The command that measures an experiment."""
    return f"daxlab reproduce {experiment}"


def measured(row: Row) -> str:
    """A mean with what it is a mean of: "99.72% (mean of five runs, 95% interval 99.40 to 100.04)"."""
    if row["runs"] == 1:
        return f"{percent(row['mean'])}% (one run)"
    interval = "" if row["low"] is None else f", 95% interval {signed(row['low'])} to {signed(row['high'])}"
    return f"{percent(row['mean'])}% (mean of {counted(row['runs'], 'run')}{interval})"


def share(row: Row) -> str:
    """In words, how many of the commands come out right in these runs.

    >>> share({"mean": 99.5, "accuracies": [99.9, 99.1]}), share({"mean": 0.0, "accuracies": [0.0]})
    ('nearly all', 'no')
    """
    if min(row["accuracies"]) == 100:
        return "all"
    if max(row["accuracies"]) == 0:
        return "no"
    words = ((95, "nearly all"), (50, "most"), (5, "some"), (0, "hardly any"))
    return next(word for least, word in words if row["mean"] > least)


def contrast(splits: Sequence[tuple[str, Row]]) -> str:
    """What one network gets right of what each split asks, in the order given."""
    (split, row), *others = splits
    first = f"{share(row)} test commands right on *{split}* ({percent(row['mean'])}%)"
    rest = [f"{share(row)} on *{split}* ({percent(row['mean'])}%)" for split, row in others]
    return f"gets {listed([first, *rest])}."


# -- the comparison


def ours(row: Any) -> str:
    """Our figure as text: a mean where it is one, else what the comparison shows."""
    if row.ours is not None or row.mean is None or row.unit is not None:
        return str(row.shown) or "–"
    return percent(row.mean)


def against(row: Any, what: str) -> str:
    """A figure beyond the paper's, and on which side of it. A row is one of the comparison."""
    unit = "%" if row.unit is None and isinstance(row.paper, int | float) else ""
    outside = ", outside the 95% interval for the difference" if row.margin is not None else ""
    said = sentence(f"{direction(row)}{outside}")
    return f"{what}: {ours(row)}{unit} here, {row.stated}{unit} in the paper. {said}"


def direction(row: Any) -> str:
    """On which side of the paper's figure ours is; of a bound, that it is not kept."""
    if row.relation is not None:
        return f"the paper says {row.stated}, and ours is not"
    if row.mean is None or not isinstance(row.paper, int | float) or row.mean == row.paper:
        return "ours differs"
    return "ours is higher" if row.mean > row.paper else "ours is lower"


def regression(row: Any) -> str:
    """Why the figure that a network was chosen by, beyond the paper's, is expected to be lower when measured again."""
    if row.id not in CHOSEN_BY or row.mean is None or not row.mean < row.paper:
        return ""
    return "The paper chose this network as its best of 180 by this figure, so a second measurement tends to be lower."


def tally(verdicts: Sequence[str]) -> str:
    """How many figures of the paper have which verdict."""
    have = {verdict: verdicts.count(verdict) for verdict in ("within", "beyond", "shown", "unmeasured")}
    if have["unmeasured"] == len(verdicts):
        return f"None of the {len(verdicts)} figures that the paper states is measured in this ledger."
    said = {
        "within": ("agrees", "agree", "with ours as far as our runs can tell (*within*)"),
        "beyond": ("lies", "lie", "further from ours than our runs allow (*beyond*)"),
        "shown": ("is", "are", "shown beside ours without a verdict"),
        "unmeasured": ("is", "are", "not measured in this ledger"),
    }
    parts = [f"{number(have[verdict])} {one if have[verdict] == 1 else several} {rest}"
             for verdict, (one, several, rest) in said.items() if have[verdict]]  # fmt: skip
    return f"Of the {len(verdicts)} figures that the paper states, {listed(parts)}."


def missed(bounds: Sequence[str]) -> list[str]:
    """Which bounds of the paper's our means miss, though by less than can be told."""
    if not bounds:
        return []
    return [f"Of those within, our mean misses the paper's bound, by less than the margin, in: {'; '.join(bounds)}."]


# -- Experiment 1


def sizes(rows: Rows, draw: str) -> str:
    """The sample-complexity curve, of two sizes at least, in words."""
    first, last = rows[0], rows[-1]
    share_shown = f"with {first['percent']}% of the commands in training ({first['train']:,})"
    shown = f"On {draw}, {share_shown}, {measured(first)} are right"
    return f"{shown}; with {last['percent']}% ({last['train']:,}), {measured(last)}. {rising(rows, 'percent', '%')}"


def rising(rows: Rows, by: str, unit: str = "") -> str:
    """Whether the mean rises at every step, and where it does not."""
    pairs = list(pairwise(rows))
    falls = [f"from {a[by]}{unit} to {b[by]}{unit}" for a, b in pairs if not b["mean"] > a["mean"]]
    if not falls:
        return "The mean rises at every step."
    return f"The mean does not rise {listed(falls)}; elsewhere it does." if len(falls) < len(pairs) else (
        "The mean rises at no step.")  # fmt: skip


def coverage(percentage: int, parts: int, unseen: Sequence[str], occurrences: float | None) -> str:
    """How training covers the parts of test commands."""
    many = "" if occurrences is None else f"{occurrences:.1f} times on average"
    if not unseen:
        seen, often = "each of them occurs in training", f", {many}" if many else ""
    else:
        named = f" (`{unseen[0]}`)" if len(unseen) == 1 else ""
        seen = f"{number(len(unseen))} {'does' if len(unseen) == 1 else 'do'} not occur in training{named}"
        often = f", the others {many}" if many else ""
    return f"At {percentage}%, the test commands are made of {parts} parts without a conjunction: {seen}{often}."


# -- Experiment 2


def attained(rows: Rows, unit: str) -> str:
    """At which lengths anything at all is right, and at which nothing is in any run."""
    some = [str(row["length"]) for row in rows if max(row["accuracies"]) > 0]
    none = [str(row["length"]) for row in rows if max(row["accuracies"]) == 0]
    if not none:
        return f"At every length ({listed(some)} {unit}) some command comes out right in some run."
    if not some:
        return f"No command of any length ({listed(none)} {unit}) comes out right in any run."
    return f"Commands of {listed(some)} {unit} come out right in some run, those of {listed(none)} in none."


def ends_of(rows: Rows, unit: str, *, told: bool = False) -> str:
    """The accuracies at the shortest and at the longest; `told`: with the right length given."""
    first, last = rows[0], rows[-1]
    given = "with the right length given, " if told else ""
    if len(rows) == 1:
        return sentence(f"{given}at {first['length']} {unit} {percent(first['mean'])}% are right")
    means = f"{percent(first['mean'])}% to {percent(last['mean'])}%"
    return sentence(f"{given}from {first['length']} to {last['length']} {unit}, the mean goes from {means}")


def oracle(greedy: float, given: float) -> str:
    """What it helps to be told the right length."""
    change = "rises" if given > greedy else "falls" if given < greedy else "stays the same"
    if change == "stays the same":
        return f"With the right length given, accuracy stays the same ({percent(given)}%)."
    return f"With the right length given, accuracy {change} from {percent(greedy)}% to {percent(given)}%."


def searching(rows: Rows) -> str:
    """Whether errors are the search's: rows with wrong and search_errors, one a run."""
    known = [row for row in rows if row["search_errors"] is not None]
    if not known:
        return "These runs have no stored likelihoods, so search errors cannot be told."
    who = "the run" if len(known) == 1 else f"any of {number(len(known))} runs"
    if not any(row["search_errors"] for row in known):
        return (
            f"No wrong answer of {who} is a search error: the network always holds its own answer at least as likely "
            "as the target."
        )
    some = sum(bool(row["search_errors"]) for row in known)
    each = listed([f"{row['search_errors']:,} of {row['wrong']:,}" for row in known])
    return (
        f"In {number(some)} of {counted(len(known), 'run')} there are wrong answers that the network itself holds less "
        f"likely than the target (search errors). Run by run: {each}."
    )


def ending(rows: Rows) -> str:
    """Whether wrong answers end too early or too late: rows with wrong, early, late, same, one a run."""
    rows = [row for row in rows if row["wrong"]]
    if not rows:
        return "There are no wrong answers."
    every = "In every run" if len(rows) > 1 else "In the one run with wrong answers"
    if all(row["early"] > row["late"] for row in rows):
        return f"{every} more wrong answers end too early than too late."
    if all(row["late"] > row["early"] for row in rows):
        return f"{every} more wrong answers end too late than too early."
    return "Runs differ in whether more of their wrong answers end too early or too late."


# -- Experiment 3


def oversampling(split: str, often: Row, once: Row, gain: Row) -> str:
    """The same split and seeds with and without over-sampling; `gain`: with minus without, seed by seed."""
    means = f"{percent(once['mean'])}% without over-sampling, {percent(often['mean'])}% with"
    interval = "" if gain["low"] is None else f", 95% interval {signed(gain['low'])} to {signed(gain['high'])}"
    means += f"; with minus without, seed by seed, {signed(gain['mean'])} points{interval}"
    if min(gain["accuracies"]) > 0:
        return f"On *{split}*, every seed is better with over-sampling ({means})."
    if gain["low"] is not None and gain["low"] < 0 < gain["high"]:
        return f"On *{split}*, no difference can be told ({means})."
    if gain["mean"] > 0:
        return f"On *{split}*, the mean without over-sampling is lower, though not for every seed ({means})."
    return f"On *{split}*, runs without over-sampling are not worse on average ({means})."


def constructions(rows: Rows, primitive: str) -> str:
    """Where a run's errors are: rows with construction, place, commands, wrong."""
    wrong = [row for row in rows if row["wrong"]]
    if not wrong:
        return f"It makes no error on commands with {primitive}."
    if all(row["place"] == "in a conjunction" for row in wrong):
        where = "Every error is in a conjunction"
    elif all(row["place"] == "alone" for row in wrong):
        where = "No error is in a conjunction"
    else:
        where = "Errors are in conjunctions and outside them"
    top = [
        f"`{row['construction']}` ({row['place']}): {row['wrong']:,} of {row['commands']:,} wrong" for row in wrong[:3]
    ]
    return f"{where}. The most are with {'; '.join(top)}."


def right_ones(commands: Sequence[str], most: int = 8) -> str:
    """Which composed commands come out right in a run."""
    if not commands:
        return "It gets no composed command right."
    shown = listed([f"`{command}`" for command in commands[:most]])
    if len(commands) > most:
        return f"It gets {len(commands):,} composed commands right, the first of them {shown}."
    return f"It gets {counted(len(commands), 'composed command')} right: {shown}."


def right_anywhere(runs: Sequence[Sequence[str]], most: int = 12) -> str:
    """Which composed commands come out right in any of several runs, and in how many."""
    every = [command for run in runs for command in run]
    if not every:
        return f"No composed command comes out right in any of {counted(len(runs), 'run')}."
    some, distinct = sum(bool(run) for run in runs), sorted(set(every), key=lambda one: (-every.count(one), one))
    shown = listed([f"`{one}`" + (f" ({every.count(one)} runs)" if every.count(one) > 1 else "")
                    for one in distinct[:most]])  # fmt: skip
    first = "the first of them " if len(distinct) > most else ""
    are = "comes" if len(distinct) == 1 else "come"
    return (
        f"In {number(some)} of {counted(len(runs), 'run')}, {counted(len(distinct), 'composed command')} {are} out "
        f"right: {first}{shown}."
    )


def shots(rows: Rows, draw: str) -> str:
    """The few-shot curve in words."""
    each = [f"{percent(row['mean'])}% with {row['shots'] or 'none'}" for row in rows]
    return f"On {draw} of composed commands, the mean is {listed(each)} of them shown. {rising(rows, 'shots')}"
