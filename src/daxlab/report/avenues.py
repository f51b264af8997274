"""After the paper, on the page: its discussion's avenues as learners, beside what was published of them.

All learners by splits, then of each kind where it succeeds and where it breaks. Any learner is shown, and none is known
by name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby

import polars as pl

from daxlab.analysis import errors
from daxlab.analysis.card import breaks
from daxlab.analysis.contrast import answered
from daxlab.errors import InputError
from daxlab.paper.leaderboard import COMMAND, SPLITS, Cell, Entry
from daxlab.report import figures, leaderboard, text
from daxlab.report.blocks import Block, Picture, Section, Text, absent, blocks_until_missing
from daxlab.report.card import break_words
from daxlab.report.drawing import picture
from daxlab.report.facts import Facts
from daxlab.report.splits import length_picture, slug

TITLE = "After the paper"
LEAD = (
    "The paper ends with what might give networks systematicity: convolution, copying, more structure, stacks, rules. "
    "Here is what other learners make of the same splits, beside what was published of systems of their kind, and what "
    "each was shown and told. Each row is one configuration, the same for all splits."
)
MOST = 7  # learners in a picture
WORST = 3  # constructions, in a sentence


def section(facts: Facts) -> Section:
    """The chapter; one line if there are only the paper's networks."""
    entries = facts.leaderboard
    if all(entry.of_paper for entry in entries):
        return Section("after-the-paper", TITLE, [absent("any learner after the paper", command=COMMAND)])
    by_kind = groupby(sorted(entries, key=lambda entry: _place(entries, entry.kind)), key=lambda entry: entry.kind)
    kinds = [list(some) for _, some in by_kind]
    below = [_avenue(facts, some) for some in kinds if not some[0].of_paper]
    return Section("after-the-paper", TITLE, list(_whole(entries)), below)


def _place(entries: Sequence[Entry], kind: str) -> int:
    """Where the best of a kind stands."""
    return next(place for place, entry in enumerate(entries) if entry.kind == kind)


def _whole(entries: Sequence[Entry]) -> Iterator[Block]:
    yield Text(LEAD, "lead")
    caption = "The area of a dot is our mean accuracy, that of a ring the published one; a faint ring is 100%."
    for number, first in enumerate(range(0, len(entries), MOST)):
        some = entries[first : first + MOST]
        rows = {entry.learner: [_means(entry.cells[split]) for split in SPLITS] for entry in some}
        drawn = figures.matrix(rows, [leaderboard.heading(split) for split in SPLITS])
        data = leaderboard.frame(some).drop("told", "presentations", "parameters")
        yield picture(drawn, f"avenues-{number}", "Learners by splits.", caption, data)
    yield leaderboard.table(entries)
    yield Text(leaderboard.LEGEND)
    yield leaderboard.about_table(entries)


def _means(cell: Cell) -> tuple[float | None, float | None]:
    return cell.mean, cell.published.mean if cell.published else None


def _avenue(facts: Facts, entries: Sequence[Entry]) -> Section:
    """A kind of learner: what it is, what it gets right, what differs from what was published, where it breaks."""
    best = entries[0]
    blocks: list[Block] = [Text(" ".join(_said(best)))]
    blocks += [Text(f"*{entry.learner}* gets {_shares(entry)}.") for entry in entries[1:]]
    blocks += [Text(said, "warning") for entry in entries for said in _differing(entry)]
    blocks += blocks_until_missing(_where(facts, best))
    return Section(f"avenue-{slug(best.kind)}", best.learner, blocks)


def _said(entry: Entry) -> Iterator[str]:
    """What a learner is, and what it gets right."""
    if entry.about:
        yield entry.about
    origin = f" ({entry.origin})" if entry.origin else ""
    yield text.sentence(f"{leaderboard.about(entry)}{origin}")
    yield f"It gets {_shares(entry)}."
    agreeing = [f"*{cell.split}*" for cell in entry.cells.values() if cell.verdict == "agrees"]
    if agreeing:
        yield f"That agrees with what was published on {text.listed(agreeing)}."


def _shares(entry: Entry) -> str:
    """What it gets right, in words."""
    return text.by_share([(split, asdict(cell)) for split, cell in entry.cells.items() if cell.runs])


def _differing(entry: Entry) -> Iterator[str]:
    """Each figure that differs from the published one, with what is known to differ in how it came about."""
    for cell in entry.cells.values():
        figure = cell.published
        if cell.verdict != "differs" or figure is None or cell.mean is None:
            continue
        assert cell.difference_low is not None and cell.difference_high is not None
        side = "higher" if cell.mean > figure.mean else "lower"
        told, protocol = leaderboard.given(figure)
        published = leaderboard.published_words(figure)
        apart = text.difference(cell.difference_low, cell.difference_high)
        yield (
            f"{entry.learner} on *{cell.split}*: {text.percent(cell.mean)}% here, {published} published. "
            f"Ours is {side}; {apart}. There: told {told}; protocol: {protocol}. Here: {leaderboard.about(entry)}."
        )


def _where(facts: Facts, entry: Entry) -> Iterator[Block]:
    """Where a learner breaks, on the split that tells most: the one nearest to half right."""
    cells = [cell for cell in entry.cells.values() if cell.runs and cell.split in SPLITS[:-1]]  # not of several draws
    wrong = [cell for cell in cells if cell.mean != 100]
    if not wrong:
        yield Text("Every answer is right on all of these splits." if len(cells) > 1 else "Every answer is right.")
        return
    keys = {cell.split: kept for cell in wrong if (kept := answered(facts.ledger, cell.keys))}
    if not keys:
        yield Text("The ledger has no answers of these runs, so where it breaks cannot be said.", "absent")
        return
    telling = min((cell for cell in wrong if cell.split in keys), key=lambda cell: abs((cell.mean or 0) - 50))
    split, runs = telling.split, keys[telling.split]
    found = breaks(facts.ledger, runs)
    if found["ends"]["wrong"]:  # else none of the runs that have answers is wrong
        yield Text(f"On *{split}*: {' '.join([*break_words(found), *_constructions(facts, runs)])}")
    yield _picture(facts, entry, split, runs)


def _constructions(facts: Facts, keys: Sequence[str]) -> Iterator[str]:
    """Which constructions are wrong most often, and how many never."""
    try:
        frame = errors.by_template(facts.ledger, keys)
    except InputError:  # the data is not here
        return
    never = frame.filter(wrong=0).height
    worst = frame.filter(pl.col("wrong") > 0)["template", "wrong", "commands"].head(WORST)
    said = [f"`{name}` ({text.percent(100 * wrong / of, 1)}%)" for name, wrong, of in worst.iter_rows()]
    yield f"Most often wrong (U is a verb): {text.listed(said)}; never wrong: {never} of {frame.height} constructions."


def _picture(facts: Facts, entry: Entry, split: str, keys: Sequence[str]) -> Picture:
    frames = {"answers": errors.by_length(facts.ledger, keys)}
    return length_picture(frames, "actions", f"avenue-length-{slug(entry.kind)}", f"{entry.learner} on *{split}*.")
