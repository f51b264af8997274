"""Sentences from numbers. Each says "higher", "rises", "every run" or "no" only if its numbers do; tests check that."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from daxlab.paper.targets import FIGURES

CHOSEN_BY = {f"{experiment}.best" for experiment in FIGURES.values()}
Row = Mapping[str, Any]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def percent(value: float | None, digits: int = 2) -> str:
    """An accuracy. What is not quite 0 or 100 is not rounded to it.

    >>> percent(0.001), percent(99.999), percent(100.0), percent(None), percent(0.04, 1)
    ('<0.01', '>99.99', '100.00', '–', '<0.1')
    """
    if value is None:
        return "–"
    written, least = f"{value:.{digits}f}", 10**-digits
    if value > 0 and float(written) == 0:
        return f"<{least:g}"
    return f">{100 - least:g}" if value < 100 and float(written) == 100 else written


def signed(value: float) -> str:
    """A number that may be negative, with a true minus."""
    return f"{value:.2f}".replace("-", "−")


def interval(row: Row) -> str:
    """The ends of an interval: "99.40 to 99.84"."""
    return f"{signed(row['low'])} to {signed(row['high'])}"


def mean_cell(row: Row) -> str:
    """A mean with its standard error, and below them the interval."""
    mean = percent(row["mean"]) if row["mean"] is None or row["mean"] >= 0 else signed(row["mean"])
    return mean if row["sem"] is None else f"{mean} ± {row['sem']:.2f}\n{interval(row)}"


def number(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else f"{count:,}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """So many of something."""
    return f"{number(count)} {noun if count == 1 else plural or noun + 's'}"


def failed(count: int) -> str:
    """How many runs failed, after a sentence about those that did not."""
    return f" ({counted(count, 'run')} failed)" if count else ""


def listed(parts: Sequence[str]) -> str:
    """a; a and b; a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def measured(row: Row, unit: str = "%") -> str:
    """A mean with what it is a mean of: "99.72% (mean of five runs, 95% interval 99.40 to 99.84)"."""
    if row["runs"] == 1:
        return f"{percent(row['mean'])}{unit} (one run)"
    ends = "" if row["low"] is None else f", 95% interval {interval(row)}"
    return f"{percent(row['mean'])}{unit} (mean of {counted(row['runs'], 'run')}{ends})"


def share(row: Row) -> str:
    """In words, how many of the commands these runs get right.

    >>> share({"mean": 99.5, "accuracies": [99.9, 99.1]}), share({"mean": 0.0, "accuracies": [0.0]})
    ('nearly all', 'no')
    """
    if min(row["accuracies"]) == 100 or max(row["accuracies"]) == 0:
        return "all" if row["mean"] else "no"
    words = ((95, "nearly all"), (50, "most"), (5, "some"), (0, "hardly any"))
    return next(word for least, word in words if row["mean"] > least)


def contrast(splits: Sequence[tuple[str, Row]]) -> str:
    """What one network gets right on each split, in the order given."""
    said = [f"{share(row)} on *{split}* ({percent(row['mean'])}%)" for split, row in splits]
    return f"gets {listed([said[0].replace(' on ', ' test commands right on ', 1), *said[1:]])}."


def by_share(rows: Sequence[tuple[str, Row]]) -> str:
    """What one learner gets right on each split, the same shares together: "all test commands right on *simple* …"."""
    groups: dict[str, list[str]] = {}
    for split, row in sorted(rows, key=lambda pair: -pair[1]["mean"]):
        groups.setdefault(share(row), []).append(f"*{split}* ({percent(row['mean'])}%)")
    said = [f"{word} on {listed(splits)}" for word, splits in groups.items()]
    return "; ".join([said[0].replace(" on ", " test commands right on ", 1), *said[1:]])


def looked(steps: Sequence[tuple[bool, float]]) -> str:
    """What attention maps show: of every step whether its answer is right, and the largest weight on a word.

    >>> looked([(True, 0.9), (True, 0.6), (False, 0.4)])
    'More than half of the weight lies on one word in all steps of right answers and in 0 of 1 steps of wrong ones.'
    """
    said: list[str] = []
    for right, which in ((True, "right"), (False, "wrong")):
        if most := [weight for is_right, weight in steps if is_right == right]:
            sharp = sum(weight > 0.5 for weight in most)
            share = "all" if sharp == len(most) else f"{sharp} of {len(most)}"
            said.append(f"in {share} steps of {which} {'ones' if said else 'answers'}")
    return f"More than half of the weight lies on one word {' and '.join(said)}."


# -- the comparison


def ours(row: Any) -> str:
    """Our figure as text: a mean if it is one, else what the comparison shows."""
    if row.ours is not None or row.mean is None or row.unit is not None:
        return str(row.shown) or "–"
    return percent(row.mean)


def difference(low: float, high: float) -> str:
    """The interval of a difference, in words."""
    return f"the difference is {signed(low)} to {signed(high)} (95% interval)"


def regression(row: Any) -> str:
    """Why a figure that a network was chosen by is expected to be lower when it is measured again."""
    if row.id not in CHOSEN_BY or not row.selected or row.mean is None or not row.mean < row.paper:
        return ""
    return "The paper chose this network as its best of 180 by this figure, so a second measurement tends to be lower."


def tally(verdicts: Sequence[str]) -> str:
    """How many figures of the paper have which verdict."""
    said = {
        "agrees": ("*agrees*", "*agree*", "with ours"),
        "differs": ("*differs*", "*differ*", "by more than chance explains"),
        "undecided": ("is", "are", "*undecided* with so few runs"),
        "shown": ("is", "are", "shown beside ours without a verdict"),
        "unmeasured": ("is", "are", "not measured in this ledger"),
    }
    if set(verdicts) == {"unmeasured"}:
        return f"None of the {len(verdicts)} figures that the paper states is measured in this ledger."
    counts = {verdict: verdicts.count(verdict) for verdict in said}
    parts = [f"{counted(count, *said[verdict][:2])} {said[verdict][2]}" for verdict, count in counts.items() if count]
    return f"Of the {len(verdicts)} figures that the paper states, {listed(parts)}."


def held(verdicts: Sequence[str], of: int) -> str:
    """How many of the paper's claims hold, do not, are undecided, and are such that a ledger has no runs for them."""
    if not verdicts:
        return f"None of the paper's {of} claims can be judged yet; `daxlab claims` says which runs they need."
    said = {
        "holds": ("*holds* here", "*hold* here"),
        "does not hold": ("*does not hold*", "*do not hold*"),
        "undecided": ("is *undecided*", "are *undecided*"),
        "": ("needs more runs", "need more runs"),
    }
    every = [*verdicts, *[""] * (of - len(verdicts))]
    parts = [counted(every.count(verdict), *words) for verdict, words in said.items() if verdict in every]
    return f"Of the paper's {of} claims, {listed(parts)}."


# -- a search over architectures; the numbers are those of paper/search.py

SEARCH_TERMS = {
    "wins": "how often an architecture has the best mean when the runs of each are resampled; equals share a win.",
    "cannot be told from the best": "its mean reaches the best's in at least 5% of 2,000 resamples. Five runs do not "
    "show their whole spread, so there may be more such architectures.",
    "pooled": "the mean over all these architectures in each replicate, and its 95% interval over replicates.",
    "by mean rank": "in each replicate, architectures are ranked on each experiment (1 is best), and the mean over the "
    "four counts.",
}


def completeness(experiment: str, results: Row, of: int) -> str:
    """How much of the search an experiment has."""
    some, by_runs, sizes = results["architectures"], results["by_runs"], results["by_hidden"]
    have = f"{f'all {of}' if some == of else f'{some} of {of}'} architectures have"
    runs = [f"{counted(count, 'has', 'have')} {number(many)}" for many, count in by_runs.items()]
    parts = [f"{have} {counted(next(iter(by_runs)), 'run')}" if len(runs) == 1 else f"{have} runs: {listed(runs)}"]
    each = of // len(sizes)
    few = [f"{n or 'none'} of the {each} with {size} units" for size, n in sizes.items() if n < each]
    parts += [listed(few)] if 0 < len(few) < len(sizes) else []
    parts += [f"{counted(results['failed'], 'run')} failed"] if results["failed"] else []
    return f"On *{experiment}*, {'; '.join(parts)}."


def wins(share: float | None) -> str:
    """A share of wins.

    >>> wins(0.364), wins(0.0004), wins(0.0), wins(None)
    ('36%', '<1%', '0%', '–')
    """
    return "–" if share is None else "<1%" if 0 < share < 0.01 else f"{100 * share:.0f}%"


def architecture(row: Row) -> dict[str, str]:
    """An architecture of a ranking as cells of a table, by column."""
    ends = "" if row["sem"] is None else interval(row)
    return {"network": row["network"], "mean": percent(row["mean"]), "95% interval": ends, "wins": wins(row["share"])}


def winner(name: str, ranking: Row) -> dict[str, str]:
    """The best of a ranking beside the paper's choice as cells of a table, by column."""
    best, choice = architecture(ranking["best"][0]), next(iter(ranking["paper"].values()))
    here, stated = choice["here"] or {"mean": None, "share": None}, choice["stated"]
    ours = {"experiment": name, "the best here": best.pop("network"), **best}
    papers = {"the paper's choice": choice["network"], "here": percent(here["mean"]), "its wins": wins(here["share"])}
    return ours | papers | {"paper": "" if stated is None else f"{stated:g}"}


def findings(ranking: Row) -> list[str]:
    """What a ranking says: who may be the best, what a choice by few runs is worth, where the paper's choices stand."""
    if not ranking["compared"]:
        return ["There is only one replicate, so how much of this is luck cannot be told.", *_choices(ranking)]
    best, worth, pooled = ranking["best"][0], ranking.get("worth"), ranking.get("pooled")
    who = f"{ranking['contenders']} of {ranking['compared']} architectures"
    said = f"{who} cannot be told from the best, which has {wins(best['share'])} of the wins."
    if best["share"] is None:  # it has one run
        said = f"{who} with several runs cannot be told from the best of them."
    if pooled and pooled["sem"] is not None:
        said += f" Pooled, these have {percent(pooled['mean'])}% (95% interval {interval(pooled)})."
    if worth:
        first, *others = (f"{percent(score)}%" for score in worth.values())
        said += f" If the best is chosen by one run of each, its other runs average {first}"
        said += "".join(f", by {number(count)} {score}" for count, score in enumerate(others, 2)) + "."
    return [said, *_choices(ranking)]


def _choices(ranking: Row) -> Iterator[str]:
    """Where the networks that the paper chose stand."""
    for kind, choice in ranking["paper"].items():
        here, stated = choice["here"], choice["stated"]
        said = f"The paper's {'choice' if kind == 'best' else 'overall choice'}, {choice['network']}"
        said += "" if stated is None else f" ({stated:g}% there{', by which it was chosen' if kind == 'best' else ''})"
        if not here:
            yield f"{said}, is not among the architectures here."
            continue
        place = "the best" if here["place"] == 1 else f"number {here['place']} of {ranking['architectures']}"
        mean = f"a mean rank of {measured(here, '')}" if ranking["measure"] == "rank" else measured(here)
        told = "" if here["place"] == 1 else f", and {'cannot' if here['contender'] else 'can'} be told from the best"
        share = "" if here["share"] is None else f" It has {wins(here['share'])} of the wins{told}."
        yield f"{said}, is {place} here, with {mean}.{share}"
