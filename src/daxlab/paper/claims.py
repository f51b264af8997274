"""The paper's findings as sentences, each with whether it holds in the runs of a ledger, and the evidence.

A claim *holds* if the evidence is on its side beyond chance: the whole 95% interval of a mean lies within the bounds
that are written beside the claim, or that of a difference on one side of zero. It *does not hold* if the whole interval
lies outside. Else it is *undecided*. Of a claim with several parts, all must hold, and one that does not hold decides.
What is counted without chance holds or does not. The bounds say what a reader would take the sentence to mean. They are
wider than the tolerance around the paper's figures (verdicts.py), and unlike it they were written down when most of the
shipped results were known.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from statistics import fmean
from typing import Literal

import polars as pl

from daxlab.analysis import intervals
from daxlab.analysis.errors import by_length, errors_by_construction, search_errors
from daxlab.analysis.probes import neighbours
from daxlab.analysis.search import ranked
from daxlab.datasets import split
from daxlab.datasets.new_word import FRAMES
from daxlab.errors import InputError
from daxlab.paper.experiments import BEST, ONCE, OVERALL, SPLITS, both, few, recorded_values, size
from daxlab.paper.measures import CATALOGUE, best, few_shot
from daxlab.paper.runs import Measurement, Runs
from daxlab.paper.verdicts import Scale, best_interval, interval
from daxlab.protocol import SEMANTICS

Verdict = Literal["holds", "does not hold", "undecided"]
PER_CENT = Scale()
GATED = ("lstm", "gru")
PRIMITIVES = ("walk", "look", "run", "jump", "turn left", "turn right")


@dataclass(frozen=True)
class Finding:
    """Whether something holds, and why that is said."""

    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper's, where it stands there, and which part of the report has its figure."""

    id: str
    place: str
    sentence: str
    anchor: str
    test: Callable[[Runs], Finding]


@dataclass(frozen=True)
class Claimed:
    """A claim, and whether it holds in a ledger."""

    id: str
    place: str
    sentence: str
    verdict: Verdict
    evidence: str
    anchor: str


def claims(runs: Runs) -> list[Claimed]:
    """Every claim, in the paper's order."""
    return [_claimed(claim, runs) for claim in CLAIMS]


def _claimed(claim: Claim, runs: Runs) -> Claimed:
    try:
        finding = claim.test(runs)
    except InputError as error:  # answers or a published file are lacking
        finding = Finding("undecided", str(error))
    return Claimed(claim.id, claim.place, claim.sentence, finding.verdict, finding.evidence, claim.anchor)


# -- what evidence is


def within(
    what: str,
    values: Sequence[float],
    least: float = -inf,
    most: float = inf,
    *,
    scale: Scale = PER_CENT,
    ends: tuple[float, float] | None = None,
) -> Finding:
    """A mean over runs must lie between bounds. `ends`: its 95% interval, if it is no plain mean."""
    if len(values) < 2:
        return Finding("undecided", f"{what}: {'one run only' if values else 'not measured'}")
    low, high = ends or interval(values, scale)
    numbers = f"{fmean(values):.2f} ({low:.2f} to {high:.2f}, {len(values)} runs)"
    return Finding(_side(low, high, least, most), f"{what} {numbers}; asked for: {_bounds(least, most)}")


def _bounds(least: float, most: float) -> str:
    bounds = {"at least": least, "at most": most}
    return " and ".join(f"{words} {bound:g}" for words, bound in bounds.items() if isfinite(bound))


def _side(low: float, high: float, least: float, most: float) -> Verdict:
    if least <= low and high <= most:
        return "holds"
    return "does not hold" if high < least or low > most else "undecided"


def more(what: str, values: Sequence[float], others: Sequence[float], scale: Scale = PER_CENT) -> Finding:
    """Some runs must have a higher mean than others."""
    if min(len(values), len(others)) < 2:
        return Finding("undecided", f"{what}: not measured")
    unit = 100 / (scale.of or 100)
    sides = [intervals.posterior([unit * value for value in side], scale.questions) for side in (values, others)]
    low, high = (end / unit for end in intervals.difference(intervals.with_others(*sides)))
    means = f"{fmean(values):.2f} against {fmean(others):.2f} ({len(values)} and {len(others)} runs)"
    return Finding(_side(low, high, 0, inf), f"{what} {means}, a difference of {low:.2f} to {high:.2f}")


def gain(what: str, differences: Sequence[float], most: float = inf) -> Finding:
    """A difference within each run, in points, must be positive, by Student's t."""
    if len(differences) < 2:
        return Finding("undecided", f"{what}: not measured")
    low, high = intervals.student(differences)
    return Finding(_side(low, high, 0, most), f"{what} {fmean(differences):.2f} points ({low:.2f} to {high:.2f})")


def count(holds: bool, evidence: str) -> Finding:
    """What has no chance in it."""
    return Finding("holds" if holds else "does not hold", evidence)


def every(*findings: Finding) -> Finding:
    """All of them must hold."""
    found = [finding.verdict for finding in findings]
    order: tuple[Verdict, ...] = ("does not hold", "undecided", "holds")
    return Finding(next(verdict for verdict in order if verdict in found), "; ".join(f.evidence for f in findings))


# -- the claims


def _of(runs: Runs, network: str, name: str) -> Measurement:
    return runs.of(network, *SPLITS[name])


def _overall(name: str, least: float, most: float, runs: Runs) -> Finding:
    return within(f"{OVERALL} on {name}", _of(runs, OVERALL, name).values(), least, most)


def _best(name: str, least: float, most: float, runs: Runs) -> Finding:
    """The best of our search; the paper's choice run again where there is no search."""
    (measured,) = best(name, runs)
    ends = best_interval(measured.searched) if measured.searched else None
    return within(f"the best on {name} ({measured.network})", measured.runs, least, most, ends=ends)


def _figure(name: str, runs: Runs) -> Sequence[float]:
    """The runs behind a figure of the comparison."""
    return CATALOGUE[name][1](runs)[0].runs


def recombined(_: Runs) -> Finding:
    """The example of Experiment 1: both parts of a new command are in training 83 times."""
    train = split(both(size, 80)[0]).train
    parts = ("jump opposite right after", "after walk around right thrice")
    times = [sum(f" {part} " in f" {example.command} " for example in train) for part in parts]
    said = " and ".join(f"“{part}” {n} times" for part, n in zip(parts, times, strict=True))
    return count(times == [83, 83], f"in the release's training set, {said}; the paper says 83")


def srns(runs: Runs) -> Finding:
    """The best SRN without attention, by test and by training accuracy."""
    where = {"cell": "srn", "attention": False, "dataset": "scan", "semantics": SEMANTICS}
    frame = runs.search.filter(experiment="simple", cell="srn", attention=False).sort("mean")
    if frame.is_empty():
        return Finding("undecided", "SRNs without attention: not measured; the search has them")
    rows = runs.ledger.rows({**recorded_values(runs.protocol), **where, "split": frame["split"][0]})
    training: dict[str, list[float]] = {}
    for row in rows:
        if row["train_accuracy"] is not None:
            training.setdefault(row["label"], []).append(row["train_accuracy"])
    learned = max(training.values(), key=fmean)
    test = within("the best SRN without attention", frame["accuracies"].to_list()[-1], most=5)
    return every(test, within("the best on its training commands", learned, most=5))


def attention_helps_srns(runs: Runs) -> Finding:
    """Attention-augmented SRNs learn the commands much better; gated networks need none."""
    simple = runs.search.filter(experiment="simple")
    srn, plain = (simple.filter(cell="srn", attention=attention) for attention in (True, False))
    if srn.is_empty() or plain.is_empty():
        return Finding("undecided", "SRNs with attention and without: not measured; the search has them")
    gated = simple.filter(pl.col("cell").is_in(GATED), attention=False).sort("mean")
    means = srn["mean"].to_list(), plain["mean"].to_list()
    srns = more("SRNs with attention against those without, means of architectures", means[0], means[1])
    return every(srns, within("the best gated network without attention", gated["accuracies"].to_list()[-1], least=95))


def oracle_helps(runs: Runs) -> Finding:
    """The right length given: better, and not enough."""
    found = []
    for network in (OVERALL, BEST["length"]):
        rows = [row for row in _of(runs, network, "length").rows if row["oracle_accuracy"] is not None]
        found.append(gain(f"{network} gains", [row["oracle_accuracy"] - row["accuracy"] for row in rows]))
        found.append(within(f"{network} with it", [row["oracle_accuracy"] for row in rows], most=90))
    return every(*found)


def shortest_only(runs: Runs) -> Finding:
    """Partial success is that of the shortest new action sequences, with a sharp drop from 25 to 26 actions."""
    frame = by_length(runs.ledger, _answered(runs, OVERALL, "length"))
    by = dict(frame.select("length", "accuracies").iter_rows())
    drop = [before - after for before, after in zip(by[25], by[26], strict=True)]
    longer = [rates for length, rates in by.items() if length >= 26]
    most = [fmean(run) for run in zip(*longer, strict=True)]
    return every(gain("from 25 to 26 actions it loses", drop), within("on 26 actions and more", most, most=5))


def longest_commands_only(runs: Runs) -> Finding:
    """Right only on commands of 8 or 9 words, as all training commands of 20 actions and more are."""
    words = Counter(len(e.command.split()) for e in split("length").train if len(e.actions) >= 20)
    frame = by_length(runs.ledger, _answered(runs, OVERALL, "length"), by="words").filter(pl.col("length") < 8)
    right = [fmean(run) for run in zip(*frame["accuracies"].to_list(), strict=True)]
    said = "training commands of 20 actions and more have " + " or ".join(map(str, sorted(words))) + " words"
    return every(count(set(words) == {8, 9}, said), within("on test commands of fewer words", right, most=1))


def not_the_search(runs: Runs) -> Finding:
    """Of the wrong answers, hardly any is one that the network itself finds less likely than the target."""
    found = []
    for name in ("length", "turn-left", "jump"):
        frame = search_errors(runs.ledger, _answered(runs, OVERALL, name)).drop_nulls("search_errors")
        wrong = frame.filter(pl.col("wrong") > 0)
        shares = (100 * (wrong["search_errors"] - wrong["unended"]) / wrong["wrong"]).to_list()
        found.append(within(f"of the errors on {name}, per cent", shares, most=5))
    return every(*found)


def many_turn_left(runs: Runs) -> Finding:
    """How many architectures reach 80%."""
    frame = runs.search.filter(experiment="turn-left")
    if frame.height < 10:
        return Finding("undecided", "the search on turn-left: not measured")
    good = frame.filter(pl.col("mean") >= 80).height
    return count(good >= 10, f"{good} of {frame.height} architectures have at least 80%; asked for: ten")


def odd_errors(runs: Runs) -> Finding:
    """Errors on turn left are conjunctions with “turn left” or “turn left thrice”."""
    shares = []
    for key in _answered(runs, OVERALL, "turn-left"):
        frame = errors_by_construction(runs.ledger, key, "turn-left")
        total = float(frame["wrong"].sum())
        odd = frame.filter(pl.col("construction").is_in(["turn left", "turn left thrice"]), place="in a conjunction")
        shares += [100 * float(odd["wrong"].sum()) / total] if total else []
    return within("per cent of the errors", shares, least=90)


def isolated(runs: Runs) -> Finding:
    """“jump” is far from every training command, where “run” is near other primitives."""
    found = []
    for command, least, most in (("run", 0.5, inf), ("jump", -inf, 0.2), ("jump twice", -inf, 0.2)):
        near = _nearest(runs, "jump", command)
        cosines = [cosine for _, cosine in near]
        found.append(_cosine(f"“{command}”", cosines, least, most))
    return every(*found)


def near_in_experiment_1(runs: Runs) -> Finding:
    """With jump composed in training, its nearest commands are other primitives."""
    near = _nearest(runs, "simple", "jump")
    if not near:
        return Finding("undecided", "neighbours on simple: not kept")
    primitive = sum(command in PRIMITIVES for command, _ in near)
    cosines = _cosine("“jump” on simple", [cosine for _, cosine in near], least=0.5)
    return every(count(2 * primitive > len(near), f"in {primitive} of {len(near)} runs it is a primitive"), cosines)


def _cosine(what: str, cosines: Sequence[float], least: float = -inf, most: float = inf) -> Finding:
    if len(cosines) < 2:
        return Finding("undecided", f"neighbours of {what}: not kept")
    low, high = intervals.student(cosines)
    said = f"{what} and its nearest command: cosine {fmean(cosines):.2f} ({low:.2f} to {high:.2f})"
    return Finding(_side(low, high, least, most), f"{said}; asked for: {_bounds(least, most)}")


def _nearest(runs: Runs, name: str, command: str) -> list[tuple[str, float]]:
    frames = [neighbours(runs.ledger, key, nearest=1) for key in _of(runs, OVERALL, name).keys]
    rows = [frame.filter(command=command).row(0) for frame in frames if not frame.filter(command=command).is_empty()]
    return [(neighbour, cosine) for _, _, neighbour, cosine in rows]


def few_examples(runs: Runs) -> Finding:
    """Weak at 8 composed commands, significant at 32, still short of all."""
    shots = {n: few_shot(n, runs)[0].runs for n in (8, 32)}
    return every(
        within("with 8 composed commands", shots[8], most=60),
        within("with 32", shots[32], least=60, most=95),
        more("32 against 8", shots[32], shots[8]),
    )


def best_is_better_with_few(runs: Runs) -> Finding:
    """The network that is best on jump is better than the overall best, given composed commands."""
    splits = both(few, 32, 1)
    overall = runs.of(OVERALL, *(name.removesuffix("1") for name in splits), family=True).values()
    return more("with 32 composed commands, exp3-jump-best against overall-best", few_shot(32, runs)[0].runs, overall)


def over_sampling(runs: Runs) -> Finding:
    """Without over-sampling, performance is worse."""
    pairs = [(name, _of(runs, OVERALL, name).values(), runs.of(OVERALL, ONCE[name]).values()) for name in ONCE]
    return every(*(more(f"{name} with it against without", often, once) for name, often, once in pairs))


def differs_by_task(runs: Runs) -> Finding:
    """No architecture can be the best of all four experiments."""
    if set(runs.search["experiment"]) != set(SPLITS):
        return Finding("undecided", "the search on all four experiments: not measured")
    contenders = {name: set(ranked(runs.search, name).filter("contender")["network"]) for name in SPLITS}
    common = set.intersection(*contenders.values())
    said = ", ".join(f"{len(some)} on {name}" for name, some in contenders.items())
    which = (
        f"{' and '.join(sorted(common))} may be the best of all four" if common else "none may be the best of all four"
    )
    return Finding("undecided" if common else "holds", f"cannot be told from the best: {said}; {which}")


def daxy(runs: Runs) -> Finding:
    """A new word is hardly used outside the sentence that taught it; a known word is."""
    of = len(FRAMES) - 1
    scale, (new, known) = Scale.count(of), (_figure(name, runs) for name in ("exp4.daxy.1000", "exp4.tired"))
    return every(
        within(f"of {of} sentences with “daxy”, right are", new, most=of / 2, scale=scale),
        within("with “tired”", known, least=of / 2, scale=scale),
        more("“tired” against “daxy”", known, new, scale),
    )


def _answered(runs: Runs, network: str, name: str) -> list[str]:
    """The runs whose answers the ledger has."""
    keys = [key for key in _of(runs, network, name).keys if runs.ledger.artefact(key, "greedy") is not None]
    if not keys:
        raise InputError(f"{network} on {name}: no answers in this ledger")
    return keys


ONE, TWO, THREE, FOUR = (f"Experiment {n}" for n in range(1, 5))
CLAIMS = (
    Claim(
        "random",
        ONE,
        "Networks generalise to random new commands.",
        "experiment-1",
        partial(_overall, "simple", 95, inf),
    ),
    Claim("recombined", ONE, "New commands recombine parts that training shows often.", "sizes", recombined),
    Claim("srns", ONE, "Without attention, SRNs learn next to nothing, in training too.", "architectures", srns),
    Claim("attention", ONE, "Attention helps SRNs; LSTMs and GRUs do without.", "architectures", attention_helps_srns),
    Claim(
        "sparse",
        ONE,
        "A few per cent of the commands are enough: 1% is not, 4% is.",
        "sizes",
        lambda runs: every(
            within("at 1%", runs.of(OVERALL, *both(size, 1)).values(), most=20),
            within("at 4%", runs.of(OVERALL, *both(size, 4)).values(), least=80),
        ),
    ),
    Claim(
        "length",
        TWO,
        "No network generalises to longer action sequences.",
        "experiment-2",
        partial(_best, "length", -inf, 50),
    ),
    Claim(
        "drop",
        TWO,
        "It succeeds only on the shortest of them: accuracy drops sharply at 26 actions.",
        "lengths",
        shortest_only,
    ),
    Claim(
        "words",
        TWO,
        "It is right only on commands as long as those that had long sequences in training.",
        "lengths",
        longest_commands_only,
    ),
    Claim("oracle", TWO, "Being told the right length helps, and is not enough.", "lengths", oracle_helps),
    Claim("search", TWO, "The errors are not the decoder's search.", "wrong-answers", not_the_search),
    Claim(
        "turn-left",
        THREE,
        "A network that saw “turn left” alone composes it.",
        "experiment-3",
        partial(_overall, "turn-left", 75, inf),
    ),
    Claim("many", THREE, "Many networks do.", "architectures", many_turn_left),
    Claim("jump", THREE, "No network composes “jump”.", "experiment-3", partial(_best, "jump", -inf, 5)),
    Claim("over-sampling", THREE, "Without over-sampling the primitive, it is worse.", "oversampling", over_sampling),
    Claim(
        "odd-errors",
        THREE,
        "Errors on “turn left” are odd: conjunctions with “turn left” or “turn left thrice”.",
        "constructions",
        odd_errors,
    ),
    Claim(
        "isolated",
        THREE,
        "The network holds “jump” for unlike any other command, and “jump twice” too.",
        "neighbours",
        isolated,
    ),
    Claim(
        "near",
        THREE,
        "In Experiment 1, where “jump” is composed, it is near other primitives.",
        "neighbours",
        near_in_experiment_1,
    ),
    Claim(
        "few",
        THREE,
        "A few composed examples begin to help; dozens help much, and never fully.",
        "few-shot",
        few_examples,
    ),
    Claim(
        "few-best",
        THREE,
        "With composed examples, the best network on jump beats the overall best.",
        "few-shot",
        best_is_better_with_few,
    ),
    Claim("by-task", "Models", "The best network differs by task.", "architectures", differs_by_task),
    Claim(
        "daxy",
        FOUR,
        "In translation, a new word is used in few of the sentences where a known word is.",
        "new-word",
        daxy,
    ),
)
