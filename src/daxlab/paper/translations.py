"""What the paper says of English-French: measured where a ledger has runs on its pairs, by its protocol.

The paper trained one network a condition, so its figures are held against ours as of one run each.
"""

from collections.abc import Sequence
from functools import partial
from statistics import fmean

from daxlab.analysis.translation import right_of, shown
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import new_word
from daxlab.datasets.translation import BASELINE, PAPER, PAPER_DIGEST, TIMES
from daxlab.paper.conditions import Condition, conditions, lost
from daxlab.paper.parts import Measure, Part, part_of
from daxlab.paper.runs import Found, Runs
from daxlab.paper.targets import Target, targets

NETWORK = "exp4"
COUNTED = ("exp4.tired.constructions", "exp4.tired.seen", "exp4.frames")  # in the corpus, without runs
DRAW = "a tenth of the English sentences, our own draw"


def bleu(runs: Runs) -> list[Part]:
    """Of the baseline, pair by pair."""
    found = _condition(runs, 0)
    if not found.rows:
        return [_part(runs, found, ())]
    note = (
        f"sacrebleu {found.signature}; with each English sentence once and all its French ones as references, "
        f"{fmean(found.by_sentence):.2f}"
    )
    return [_part(runs, found, found.bleu, "exp4.bleu", note)]


def asked(times: int, runs: Runs) -> list[Part]:
    """How many of the eight come out right, of every run."""
    found = _condition(runs, times)
    if not found.rows:
        return [_part(runs, found, ())]
    word = new_word(PAPER).word.english
    strict = fmean(found.right(word, as_stated=True))
    note = f"with the paper's own words {strict:.2f} of 8; right in any run: {_which(found, word)}"
    return [_part(runs, found, found.right(word), f"exp4.daxy.{times}", note)]


def _which(found: Condition, word: str) -> str:
    right = {one.question.command: None for some in found.translated for one in right_of(some, word) if one.right}
    return ", ".join(f"'{command}'" for command in right) or "none"


def drop(runs: Runs) -> list[Part]:
    """The baseline's BLEU minus that with the new word a thousand times."""
    baseline, taught = _condition(runs, 0), _condition(runs, TIMES[0])
    if not baseline.rows or not taught.rows:
        return [_part(runs, taught if baseline.rows else baseline, ())]
    note = f"{fmean(baseline.bleu):.2f} without, {fmean(taught.bleu):.2f} with"
    return [_part(runs, taught, lost(baseline, taught), "exp4.daxy.bleu-drop", note)]


def tired(runs: Runs) -> list[Part]:
    """The same eight with the known word, of the network that was taught the new one."""
    found = _condition(runs, TIMES[0])
    if not found.rows:
        return [_part(runs, found, ())]
    word = new_word(PAPER).known.english
    note = f"with masculine forms and 'tu' alone {fmean(found.right(word, as_stated=True)):.2f} of 8"
    baseline = _condition(runs, 0)
    note += f"; the baseline {fmean(baseline.right(word)):.2f}" if baseline.rows else ""
    return [_part(runs, found, found.right(word), "exp4.tired", note)]


def counted(what: str, runs: Runs) -> list[Part]:
    """What training shows: no runs needed, but the paper's pairs."""
    there = shown(sentence_pairs(PAPER))
    if what == "exp4.tired.constructions":
        count, note = there.sentences, f"distinct English training sentences with 'tired' ({DRAW})"
    elif what == "exp4.tired.seen":
        count, note = len(there.seen), f"{', '.join(there.seen) or 'none'} ({DRAW})"
    else:
        contracted = fmean(there.contracted.values())
        note = (
            "distinct single words in the frame's place, the sentence as it is spelt and nothing else; "
            f"with 'you re' counted as 'you are', {contracted:.1f} ({DRAW})"
        )
        ours = {"frames": there.predicates, "contracted": there.contracted}
        return [Part(None, BASELINE, "own", ours=ours, shown=f"{there.mean:.1f}", note=note)]
    return [Part(None, BASELINE, "own", ours=count, shown=str(count), count=count, note=note)]


def _condition(runs: Runs, times: int) -> Condition:
    every = conditions(runs.ledger, PAPER_DIGEST, PAPER, runs.protocol)
    return next(one for one in every if one.times == times)


def _part(runs: Runs, found: Condition, values: Sequence[float], figure: str = "", note: str = "") -> Part:
    """Against one network of the paper's."""
    target = next((one for one in targets() if one.id == figure), Target("", ""))
    claim = (target.value, target.relation, 1) if target.value is not None else None
    if not found.rows:
        note = _elsewhere(runs)
    return part_of(NETWORK, Found(found.split, "own", tuple(found.rows), found.failed), values, note, claim=claim)


def _elsewhere(runs: Runs) -> str:
    """What the ledger has of the experiment on other pairs."""
    rows = runs.ledger.rows({"split": BASELINE})
    names = sorted({row["spec"]["language"]["name"] for row in rows} - {PAPER})
    return f"the ledger has runs on {', '.join(names)}, which are not the paper's pairs" if names else ""


FIGURES: dict[str, Measure] = {
    "exp4.bleu": bleu,
    **{f"exp4.daxy.{times}": partial(asked, times) for times in TIMES},
    "exp4.daxy.bleu-drop": drop,
    "exp4.tired": tired,
    **{name: partial(counted, name) for name in COUNTED},
}
