"""What groups of runs will take, about: seconds and memory on a device, bytes on disk.

A small model of what was measured, corrected by what groups of the same architecture took on this kind of device, where
the ledger has some. Knows nothing of JAX.

An update of a group has a price however small it is (launches: they grow with layers, attention and a little with the
width), streams every weight of every run, and what every unit of every run keeps for the way back. Padded units cost
what real ones do, so an architecture stands here for the widest of its group.

Fitted to one H200, whatever card is there (results/bench/card.json: LSTM of two layers, hidden 25 to 400, 1 to 512
runs; and LSTM 1x100 with attention): every point within 10%. These are of updates one kernel after another; since
kernels run at once, whole trainings, draws and all, take 0.95 of that. That cells differ by their weights alone is
assumed: 35 runs of GRU 1x50 and 1x100 with attention took 139 s where the model has 107, while the card compiled and
examined others. How a command's seconds beyond training and examining part into compiling (35 to 45 were seen) and the
rest is a guess. CPU cores: LSTM 2x200 and 1x100 with attention, updates within a tenth; LSTM 1x50 took twice as long as
this has (results/again/lengths-cpu.db). A weight of a larger vocabulary than SCAN's has a
price of its own: of 25 networks on English-French pairs on the card, and of two on two cores, at once. Memory is
counted; what XLA says of its programs (0.1 to 0.7 GB for groups of up to 64) is near that.

On a card the next group is compiled and the last one examined while others train, so that only the first programs and
the last examining count. Where k groups train at once, their launches cost less by min(k, 6): by then the card is
full. Of networks up to 100 units alone the model has too much (results/bench/at_once.json: up to a quarter for LSTM of
one layer and GRU of two, a half for SRN of two); at once, as a sweep trains them, it is within 15%.
tests/sweep/test_cost.py holds all this against what was measured: commands within a tenth, sweeps within a quarter
(results/README.md has these).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from daxlab.datasets import is_translation, language
from daxlab.errors import InputError
from daxlab.runs import Group, Ledger
from daxlab.runs.progress import group as recorded
from daxlab.runs.spec import Architecture
from daxlab.symbols import EOS

GATES = {"srn": 1, "gru": 3, "lstm": 4}
WORDS, ACTIONS = 16, 9  # SCAN's vocabularies with their signs; for other grammars near enough
LEDGER_BYTES = 50_000  # of a run: its answers, likelihoods and curve (docs/cluster.md: 34,000 and 64,000)
COPIES = 5  # of a group's weights in memory: themselves, Adam's two moments, gradients, what is made of these
KEPT = 1_200  # numbers that a unit of a layer keeps for the way back: some 60 steps, some 20 arrays
CHECKPOINT = 3  # of a group's weights in a checkpoint: themselves and Adam's two moments
FULL = 6  # groups at once fill a card: more of them gain nothing
COMPILED = 4  # programs at once take as long as one, on sixteen cores: by bench/plans.py and at_once.py three to four
SENTENCES = 0.3  # to ask all about pairs of sentences, which are short, over SCAN's commands
LITTLE = 0.05  # the share of launches in an update below which more runs gain nothing worth waiting for


@dataclass(frozen=True)
class Device:
    """Seconds that a kind of device was measured to take."""

    update: float  # whatever its size
    weight: float  # more for each weight of each run
    word: float  # more for each weight that a run has for further words than SCAN's
    program: float  # to compile it
    examine: float  # all the answers of a group
    layer: float = 0.0  # an update, more for each layer
    attention: float = 0.0  # more with attention
    width: float = 0.0  # more for each unit of width
    unit: float = 0.0  # more for each unit of each layer of each run
    attended: float = 0.0  # more for each unit of width of each run, with attention
    beside: float = 1.0  # what training takes, over what the model has for its updates
    once: float = 0.0  # a worker's start
    examine_run: float = 0.0  # more for each run
    examine_weight: float = 0.0  # more for each weight of each run
    memory: float = math.inf  # bytes for all groups at a time


DEVICES = {
    "gpu": Device(
        update=0.175e-3,
        layer=0.355e-3,
        attention=0.2e-3,
        width=0.72e-6,
        weight=0.0316e-9,
        word=0.0096e-9,
        unit=9.8e-9,
        attended=28e-9,
        beside=0.95,
        once=15,
        program=40,
        examine=1.5,
        examine_run=0.2,
        examine_weight=0.13e-6,
        memory=125e9,  # of an H200, which its workers share; a group that does not fit there is halved
    ),
    "cpu": Device(update=0.15e-3, weight=3.2e-9, word=7.3e-9, once=5, program=8, examine=2, examine_weight=31e-6),
}


@dataclass(frozen=True)
class Cost:
    """About what a plan will take."""

    runs: int
    groups: int
    seconds: float
    bytes: int  # on disk, in the end
    checkpoint_bytes: int  # on disk beside that while it runs, at most
    measured: int  # groups whose architecture the ledger has timed on this kind of device


def widest(group: Group) -> Architecture:
    """The architecture that stands for a group: its members differ in width and dropout only."""
    return Architecture(**max((member["network"] for member in group.members), key=lambda network: network["hidden"]))


def update(architecture: Architecture, runs: int, device: str, at_once: int = 1) -> float:
    """Seconds of one update of so many runs: a group's part of them, where so many train at once."""
    fixed, each = _parts(architecture, device)
    return fixed / min(at_once, FULL) + runs * each


def _parts(architecture: Architecture, device: str) -> tuple[float, float]:
    """Seconds of one update, whatever the number of runs, and more for each run."""
    how, layers, hidden, attends = DEVICES[device], architecture.layers, architecture.hidden, architecture.attention
    fixed = how.update + how.layer * layers + how.attention * attends + how.width * hidden
    return fixed, how.weight * parameters(architecture) + how.unit * layers * hidden + how.attended * hidden * attends


def memory(architecture: Architecture, runs: int) -> int:
    """Bytes of a device's memory that so many runs take while they train."""
    units = architecture.hidden * (architecture.layers + 2 * architecture.attention)
    return runs * 4 * (COPIES * parameters(architecture) + KEPT * units)


def largest(architecture: Architecture, device: str, at_once: int = 1) -> int:
    """Runs in a group, at most: what fits in memory, and no more than it takes for launches not to matter."""
    fixed, each = _parts(architecture, device)
    enough = math.ceil(fixed / each * (1 / LITTLE - 1))
    room = DEVICES[device].memory / max(2, at_once)  # in turn there are two: the next one is compiled meanwhile
    return max(1, min(enough, int(room / memory(architecture, 1))))


def modelled(architecture: Architecture, runs: int, updates: int, device: str, at_once: int = 1) -> float:
    """Seconds that the model has for training and examining so many runs of SCAN's; compiling comes on top."""
    return training(architecture, runs, updates, device, at_once) + examining(architecture, runs, device)


def training(
    architecture: Architecture, runs: int, updates: int, device: str, at_once: int = 1, language: str = "scan"
) -> float:
    """Seconds of so many updates of so many runs."""
    how, words = DEVICES[device], further_words(architecture, language)
    return updates * (update(architecture, runs, device, at_once) + runs * how.word * words) * how.beside


def examining(architecture: Architecture, runs: int, device: str, language: str = "scan") -> float:
    """Seconds for all the answers of so many runs."""
    how, share = DEVICES[device], SENTENCES if _of_sentences(language) else 1.0
    return share * (how.examine + runs * (how.examine_run + how.examine_weight * parameters(architecture)))


def left(group: Group, device: str) -> float:
    """Seconds that the model has for what is left of a group alone: some of its training, all of its examining."""
    return _training(group, device) + _examining(group, device)


def _training(group: Group, device: str, at_once: int = 1) -> float:
    first = group.members[0]
    updates = max(0, int(first["protocol"]["updates"]) - group.updates)
    return training(widest(group), len(group.members), updates, device, at_once, first["language"]["name"])


def _examining(group: Group, device: str) -> float:
    return examining(widest(group), len(group.members), device, group.members[0]["language"]["name"])


def ahead(device: str, programs: int) -> float:
    """Seconds before anything trains, where so many programs are compiled first."""
    how = DEVICES[device]
    return how.once + how.program * max(1, programs / min(programs, COMPILED))


def cost(
    groups: Sequence[Group],
    device: str,
    workers: int,
    ledger: Ledger | None = None,
    keep_weights: bool = True,
    on_card: int | None = None,
) -> Cost:
    """About what these groups will take, so many at a time.

    `on_card`: by workers that share this machine's card, of whom so many train at once; if one, the others compile and
    examine meanwhile.
    """
    at_once = min(on_card or 1, max(1, len(groups)))
    how, programs, speeds = DEVICES[device], set(), dict[tuple[str, int], float | None]()
    trained, answers, measured, disk, passing = list[float](), list[tuple[int, float]](), 0, 0, [0]
    for group in groups:
        first, runs, one = group.members[0], len(group.members), widest(group)
        kind, updates = one.shape, first["protocol"]["updates"]
        programs.add((kind, runs, str({**first["protocol"], "updates": 0, "teacher_forcing": 0})))
        if (kind, updates) not in speeds:
            speeds[kind, updates] = _speed(ledger, one, first, device) if ledger else None
        speed = speeds[kind, updates]
        measured += speed is not None
        trained.append((speed or 1.0) * _training(group, device, at_once))
        answers.append((one.hidden, _examining(group, device)))
        weights = 4 * runs * (parameters(one) + further_words(one, first["language"]["name"]))
        disk += runs * LEDGER_BYTES + weights * keep_weights
        passing.append(2 * CHECKPOINT * weights)  # the one before lies there until the next one does
    if on_card and groups:  # the widest is the last
        soon = min(at_once, len(programs))
        later = how.program * (len(programs) - soon) / min(at_once, COMPILED)
        work = ahead(device, soon) - how.once + max(sum(trained), later) + max(answers)[-1]
    else:  # no group is shared by workers, so the longest is the least it can take
        seconds = [some + answer for some, (_, answer) in zip(trained, answers, strict=True)]
        work = max((sum(seconds) + how.program * len(programs)) / workers, max(seconds, default=0.0))
    asked, passed = sum(len(group.members) for group in groups), max(workers, at_once) * max(passing)
    return Cost(asked, len(groups), work + how.once * bool(groups), disk, passed, measured)


def _speed(ledger: Ledger, one: Architecture, spec: Any, device: str) -> float | None:
    """What the latest group of an architecture and so many updates took on such a device, in terms of the model."""
    parts = {name: getattr(one, name) for name in ("cell", "layers", "hidden", "attention")}
    updates = int(spec["protocol"]["updates"])
    for row in ledger.rows(parts | {"updates": updates}, limit=64):
        if row["group"] is None or row["origin"].get("platform") != device:
            continue
        timing = ledger.run(row["key"]).timing
        if timing.get("at_once", 1) > 1:  # how long it took alone is not known
            continue
        group = recorded(ledger, row["group"])
        # Older timings have compiling in them, but not what came before a resumption.
        whole = "examine_seconds" in timing
        if group and timing.get("group_seconds") and (whole or not timing.get("resumed")):
            expected = _training(replace(group, updates=0), device)
            took = float(timing["group_seconds"]) - float(timing.get("examine_seconds", 0))
            return took / (expected if whole else expected + DEVICES[device].program)
    return None


def further_words(architecture: Architecture, language: str) -> int:
    """Weights that a network has for a larger vocabulary than SCAN's: sentences have thousands of words."""
    if not _of_sentences(language):
        return 0
    return parameters(architecture, *_vocabularies(language)) - parameters(architecture)


_of_sentences = lru_cache(maxsize=8)(is_translation)  # it may look at a file, and estimates are asked for often


@lru_cache(maxsize=8)
def _vocabularies(name: str) -> tuple[int, int]:
    try:
        from daxlab.encoding import Encoding  # numpy is slow to load

        coding = Encoding.of(language(name).commands())
    except InputError:  # a corpus that is no longer here; only an estimate hangs on it
        return WORDS, ACTIONS
    return len(coding.words), len(coding.actions)


def parameters(architecture: Architecture, words: int = WORDS, actions: int = ACTIONS) -> int:
    """How many weights a network has."""
    hidden, gates = architecture.hidden, GATES[architecture.cell]

    def recurrent(inputs: int) -> int:
        return gates * hidden * (inputs + hidden + 2)  # two bias vectors

    first = recurrent(2 * hidden if architecture.attention else hidden)  # the decoder sees the context too
    layers = recurrent(hidden) + first + 2 * (architecture.layers - 1) * recurrent(hidden)
    attention = hidden * (2 * hidden + 1) if architecture.attention else 0
    output = (actions - EOS) * ((2 if architecture.attention else 1) * hidden + 1)
    return layers + attention + output + (words + actions) * hidden
