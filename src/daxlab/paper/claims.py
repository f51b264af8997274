"""The paper's findings as sentences, each with whether it holds in the runs of a ledger, and the evidence.

A claim is a sentence and some figures, each with bounds: what a reader would take the sentence to mean. It *holds* if
the whole 95% interval of every figure lies within its bounds, and *does not hold* if that of one lies outside them.
Otherwise it is *undecided*. What is counted without chance has no interval.

The bounds were written down when most of the shipped results were known. So the verdicts on those results sum up what
was found; only of new runs are they a test.
"""

from dataclasses import dataclass
from math import inf, isfinite
from statistics import fmean
from typing import Literal

from daxlab.errors import InputError
from daxlab.paper.evidence import EVIDENCE
from daxlab.paper.experiments import BEST, OVERALL
from daxlab.paper.measures import CATALOGUE
from daxlab.paper.runs import Measurement, Runs
from daxlab.paper.search import COMMAND
from daxlab.paper.verdicts import best_interval, contrast, interval

Verdict = Literal["holds", "does not hold", "undecided"]
POINTS = " points"


@dataclass(frozen=True)
class Claim:
    """A sentence, where it stands in the paper, and which part of the report shows it."""

    id: str
    experiment: str
    anchor: str
    sentence: str


@dataclass(frozen=True)
class Bound:
    """The least and the most that a claim allows a figure to be."""

    claim: str
    figure: str  # an id of measures.py or evidence.py
    what: str  # the figure in words; {network} and {split} are those of its runs
    least: float = -inf
    most: float = inf
    unit: str = "%"
    of: str = "runs"  # what it is a mean of


ONE, TWO, THREE, FOUR, ALL = "Experiment 1", "Experiment 2", "Experiment 3", "Experiment 4", "Experiments 1 to 3"
CLAIMS = (
    Claim("random", ONE, "experiment-1", "Networks generalise to random new commands, made of parts seen in training."),
    Claim(
        "srns", ONE, "architectures", "Without attention, SRNs learn next to nothing; LSTMs and GRUs do not need it."
    ),
    Claim("sparse", ONE, "sizes", "A sparse sample of the commands is enough for training: 4%, but not 1%."),
    Claim("length", TWO, "experiment-2", "No network generalises to longer action sequences."),
    Claim("similar", TWO, "lengths", "Only what is most like training succeeds: short sequences from long commands."),
    Claim("search", TWO, "wrong-answers", "The errors are not failures of the decoder's search."),
    Claim("oracle", TWO, "lengths", "Being told the right length helps, and is not enough."),
    Claim("turn-left", THREE, "experiment-3", "Many networks that saw “turn left” alone generalise to compositions."),
    Claim("jump", THREE, "experiment-3", "No network that saw “jump” alone generalises to compositions."),
    Claim("over-sampling", THREE, "oversampling", "Without over-sampling the primitive, performance is worse."),
    Claim(
        "errors",
        THREE,
        "constructions",
        "Errors on “turn left” are odd: conjunctions with “turn left” or “turn left thrice”.",
    ),
    Claim("near", THREE, "neighbours", "Where training composes “run” or “jump”, it is near other primitives."),
    Claim("isolated", THREE, "neighbours", "“jump”, seen alone, is unlike any training command; so is “jump twice”."),
    Claim("few", THREE, "few-shot", "Eight composed “jump” commands in training help a little, 32 much, not fully."),
    Claim("few-best", THREE, "few-shot", "With composed commands, the best on “jump” beats the overall-best network."),
    Claim("by-task", ALL, "architectures", "The best network differs by task."),
    Claim("daxy", FOUR, "new-word", "In translation, a new word is used in few of the sentences where a known one is."),
)
BOUNDS = (
    Bound("random", "exp1.overall", "overall-best on new commands", least=95),
    Bound("random", "exp1.example", "training commands with each part of the paper's example", least=50, unit=""),
    Bound("srns", "exp1.srn-best", "the best SRN without attention", most=5),
    Bound("srns", "exp1.srn-training", "the same on its training commands", most=5),
    Bound("srns", "exp1.srn-attention-mean", "all SRNs with attention", least=20, of="replicates"),
    Bound("srns", "exp1.without-attention", "the best {network} without attention", least=95),
    Bound("sparse", "exp1.size.4", "overall-best after 4% of the commands", least=80),
    Bound("sparse", "exp1.size.1", "overall-best after 1%", most=20),
    Bound("length", "exp2.best", "the best network", most=50),
    Bound("length", "exp2.overall", "overall-best", most=50),
    Bound("similar", "exp2.drop", "loss of overall-best from 25 actions to 26", least=20, unit=POINTS),
    Bound("similar", "exp2.beyond-25", "overall-best on 26 actions and more", most=5),
    Bound("similar", "exp2.short-commands", "overall-best on commands of fewer than 8 words", most=1),
    Bound("similar", "exp2.long-in-training", "training commands of 20 actions that have 8 or 9 words", least=100),
    Bound("search", "exp2.search-share", "share of the errors of {network}", most=5),
    Bound("oracle", "exp2.oracle.gain", "gain of {network}", least=0, unit=POINTS),
    Bound("oracle", "exp2.oracle.best", "the best on length, told the right length", most=90),
    Bound("turn-left", "exp3.turn-left.overall", "overall-best", least=75),
    Bound("turn-left", "exp3.turn-left.many", "architectures with 80% and more", least=10, unit="", of="replicates"),
    Bound("jump", "exp3.jump.best", "the best network", most=5),
    Bound("jump", "exp3.jump.overall", "overall-best", most=5),
    Bound("over-sampling", "exp3.oversampling", "change of overall-best on {split}", most=0, unit=POINTS),
    Bound("errors", "exp3.turn-left.odd", "share of the errors of overall-best", least=90),
    Bound("near", "cosine.jump.run", "cosine of “run” and the nearest primitive", least=0.5, unit=""),
    Bound("near", "cosine.simple.jump", "the same of “jump” in Experiment 1", least=0.5, unit=""),
    Bound("isolated", "cosine.jump.jump", "cosine of “jump” and the nearest command", most=0.2, unit=""),
    Bound("isolated", "cosine.jump.jump twice", "cosine of “jump twice” and the nearest command", most=0.2, unit=""),
    Bound("few", "exp3.few.8", "the best on jump after 8", least=5, most=60, of="draws"),
    Bound("few", "exp3.few.32", "the best on jump after 32", least=60, most=95, of="draws"),
    Bound("few-best", "exp3.few.best", "lead after 32", least=0, unit=POINTS, of="draws"),
    Bound("by-task", "search.best", "architectures that may be the best on all four splits", most=0, unit=""),
    Bound("daxy", "exp4.daxy.1000", "sentences with “daxy” right, of 8", most=4, unit=""),
    Bound("daxy", "exp4.tired", "sentences with “tired” right, of 8", least=4, unit=""),
)
CALLED = {network: f"the best on {split}" for split, network in BEST.items()}


@dataclass(frozen=True)
class Figure:
    """A figure in a ledger, held against its bounds; without numbers if it is not measured."""

    id: str
    text: str
    verdict: Verdict
    mean: float | None  # None too where there is a range only
    low: float | None  # the 95% interval
    high: float | None
    runs: int
    bound: tuple[float | None, float | None]  # the least and the most


@dataclass(frozen=True)
class Claimed:
    """A claim, and whether it holds in a ledger."""

    id: str
    experiment: str
    claim: str
    verdict: Verdict
    evidence: str  # the text of the figure that decides
    figures: list[Figure]
    anchor: str

    @property
    def measured(self) -> bool:
        """Whether the ledger has runs that speak to it."""
        return any(figure.runs and figure.low is not None for figure in self.figures)


def claims(runs: Runs) -> list[Claimed]:
    """Every claim, in the paper's order."""
    return [_claimed(claim, runs) for claim in CLAIMS]


def _claimed(claim: Claim, runs: Runs) -> Claimed:
    figures = [figure for bound in BOUNDS if bound.claim == claim.id for figure in _figures(bound, runs)]
    order: tuple[Verdict, ...] = ("does not hold", "undecided", "holds")
    decides = min(figures, key=lambda figure: order.index(figure.verdict))  # the first of equals
    about = (claim.id, claim.experiment, claim.sentence)
    return Claimed(*about, decides.verdict, decides.text, figures, claim.anchor)


def _figures(bound: Bound, runs: Runs) -> list[Figure]:
    """A figure for each network and split that the bound is about."""
    needs, measure = (CATALOGUE | EVIDENCE)[bound.figure]
    train = COMMAND if "search" in needs else f"daxlab reproduce {' '.join(needs)}"
    try:
        return [hold(bound, measured, train) for measured in measure(runs)]
    except InputError as error:  # answers or a published file are lacking
        return [_lacking(bound, f"{bound.what.format(network=OVERALL, split='')}: {error}")]


def hold(bound: Bound, measured: Measurement, train: str) -> Figure:
    """Hold a measurement against its bounds; `train` is the command that trains its runs."""
    network, runs = CALLED.get(measured.network, measured.network), len(measured.runs)
    what = bound.what.format(network=network, split=measured.split)
    if runs < 2 and measured.count is None:
        why = "one run has no interval" if runs else measured.note or "no runs in this ledger"
        return _lacking(bound, f"{what}: {why}; `{train}` trains {'more' if runs else 'them'}", runs)
    mean, low, high = _numbers(measured)
    verdict: Verdict = "undecided"
    if bound.least <= low and high <= bound.most:
        verdict = "holds"
    elif high < bound.least or low > bound.most:
        verdict = "does not hold"
    text = f"{what}: {_text(bound, measured, mean, low, high)}"
    return Figure(bound.figure, text, verdict, mean, low, high, runs, _ends(bound))


def _lacking(bound: Bound, why: str, runs: int = 0) -> Figure:
    return Figure(bound.figure, why, "undecided", None, None, None, runs, _ends(bound))


def _numbers(measured: Measurement) -> tuple[float | None, float, float]:
    """A mean and its interval: of the runs, or of the difference from their rivals."""
    if measured.count is not None:
        return float(measured.count), float(measured.count), float(measured.count)
    if measured.ours is not None:  # a range
        return None, *measured.ours
    if measured.rivals:
        judged = contrast(measured.runs, measured.rivals)
        return judged.difference, judged.difference_low, judged.difference_high
    ends = best_interval(measured.searched) if measured.searched else interval(measured.runs, measured.scale)
    return fmean(measured.runs), *ends


def _text(bound: Bound, measured: Measurement, mean: float | None, low: float, high: float) -> str:
    """A figure, its interval, the number of runs and the bounds."""
    words = ("above", "below") if bound.unit == POINTS else ("at least", "at most")
    bounds = [f"{word} {end:g}" for word, end in zip(words, _ends(bound), strict=True) if end is not None]
    needed = f"needed: {' and '.join(bounds)}{bound.unit.removesuffix(POINTS)}"
    runs = " and ".join(f"{len(some):,}" for some in (measured.runs, measured.rivals) if some) + f" {bound.of}"
    if measured.searched:
        runs = f"best of {len(measured.searched)} networks"
    if mean is None:
        return f"{low:g} to {high:g} ({runs}; {needed})"
    if measured.count is not None:
        return f"{mean:g}{bound.unit} ({needed})"
    ends = " to ".join(f"{round(end, 2) + 0:.2f}" for end in (low, high))  # no -0.00
    return f"{round(mean, 2) + 0:.2f}{bound.unit} ({ends}, {runs}; {needed})"


def _ends(bound: Bound) -> tuple[float | None, float | None]:
    least, most = (end if isfinite(end) else None for end in (bound.least, bound.most))
    return least, most
