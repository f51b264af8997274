"""A task for Inspect AI: a language model sees a few training examples of a split, and is asked the test commands.

`inspect eval daxlab/scan` finds it by an entry point, and asks whatever models Inspect knows. Knows nothing of runs and
the ledger.
"""

from collections.abc import Iterable
from hashlib import sha256

from daxlab import __version__
from daxlab.datasets import Split, dataset
from daxlab.datasets.disguise import PREFIX
from daxlab.errors import InputError
from daxlab.extras import imported
from daxlab.languages import Example

with imported():
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
    from inspect_ai.solver import TaskState

OUT = "OUT:"
PROMPT = """Each command below stands for a sequence of actions. Work out what the last command stands for.
End your answer with "OUT:" and its actions, separated by spaces.

{shots}IN: {command}"""


@task
def scan(split: str = "jump", shots: int = 16, disguise: bool = False, seed: int = 0) -> Task:
    """SCAN: which actions does a command stand for?

    Args:
        split: The split, as 'daxlab data list' shows it.
        shots: How many training examples the prompt shows.
        disguise: Whether all words and actions are made up.
        seed: Draws the shots, and the order in which test commands are asked.
    """
    source = dataset(f"{PREFIX}scan" if disguise else "scan")
    content = source.split(split)
    examples, test = drawn_shots(content, shots, seed), content.test
    samples = [
        Sample(prompt(examples, test[place].command), target=" ".join(test[place].actions), id=place + 1)
        for place in _order(range(len(test)), f"test {seed}")
    ]
    return Task(
        MemoryDataset(samples, name=f"{source.name} {split}"),
        scorer=exact_match(),
        metadata={"daxlab": __version__, "dataset": source.digest, "split": content.digest},
    )


def drawn_shots(split: Split, count: int, seed: int) -> list[Example]:
    """Distinct training examples. Those that show a word or an action for the first time come first, the rest follows.

    Both are in a drawn order, in which one that the split presents often is early. They are drawn by their place in the
    split, so that a split in disguise has the same ones.
    """
    if not 0 <= count <= len(split.train):
        raise InputError(f"{split.name} has {len(split.train):,} training examples, so it cannot show {count:,} shots")
    presented = [place for place, weight in enumerate(split.weights) for _ in range(weight)]
    order = dict.fromkeys(presented[n] for n in _order(range(len(presented)), f"shots {seed}"))
    first, rest, shown = list[Example](), list[Example](), set[str]()
    for example in (split.train[place] for place in order):
        symbols = {*example.command.split(), *example.actions}
        (rest if symbols <= shown else first).append(example)
        shown |= symbols
    return [*first, *rest][:count]


def _order(places: Iterable[int], draw: str) -> list[int]:
    """Places in an order that the name of the draw determines, the same on every machine."""
    return sorted(places, key=lambda place: sha256(f"{draw} {place}".encode()).digest())


def prompt(shots: Iterable[Example], command: str) -> str:
    """What a model is asked: the examples, then the command."""
    shown = "".join(f"IN: {shot.command}\n{OUT} {' '.join(shot.actions)}\n\n" for shot in shots)
    return PROMPT.format(shots=shown, command=command)


@scorer(metrics=[accuracy(), stderr()])
def exact_match() -> Scorer:
    """Right if the actions after the last "OUT:" are those of the command; without "OUT:", the whole answer counts."""

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion.rpartition(OUT)[2].split()
        return Score(value=CORRECT if answer == target.text.split() else INCORRECT, answer=" ".join(answer))

    return score
