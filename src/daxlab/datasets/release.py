"""The public release of SCAN and the MCD splits: their files, their line format, their splits."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from daxlab.datasets.core import DEV, TEST, Sizes, Split
from daxlab.datasets.rules import REPLICATES, SHOTS, SIZES
from daxlab.datasets.source import Corpus, find, open_corpus
from daxlab.errors import InputError
from daxlab.languages import Example

PREFIX = "release/"
ALL = "tasks.txt"  # every command
SIMPLE = "simple_split/simple"

# A pair of files, tasks_train_X.txt and tasks_test_X.txt, is named by its folder and X.
BY_RULE = {  # pair -> our split, which must be the same
    "add_prim_split/addprim_jump": "jump",
    "add_prim_split/addprim_turn_left": "turn-left",
    "length_split/length": "length",
    "template_split/template_around_right": "template-around-right",
    "template_split/template_jump_around_right": "template-jump-around-right",
    "template_split/template_opposite_right": "template-opposite-right",
    "template_split/template_right": "template-right",
    **{f"filler_split/filler_num{n}": f"filler-{n}" for n in range(4)},
}
BY_SIZE = {SIMPLE: 80} | {
    f"simple_split/size_variations/simple_p{size}": size for size in SIZES
}  # per cent of training
FEW_JUMP = {
    f"add_prim_split/with_additional_examples/addprim_complex_jump_num{shots}_rep{replicate}": shots
    for shots in SHOTS
    for replicate in range(1, REPLICATES + 1)
}
FEW_AROUND_RIGHT = {
    f"few_shot_split/fewshot_num{2**n}_rep{replicate}": 2**n
    for n in range(11)
    for replicate in range(1, REPLICATES + 1)
}
PAIRS = (*BY_SIZE, *BY_RULE, *FEW_JUMP, *FEW_AROUND_RIGHT)


def sides(pair: str) -> tuple[str, str]:
    """The train and the test file of a pair."""
    folder, name = pair.rsplit("/", 1)
    return f"{folder}/tasks_train_{name}.txt", f"{folder}/tasks_test_{name}.txt"


SCAN = Corpus(
    name="scan",
    files=(ALL, *(file for pair in PAIRS for file in sides(pair))),
    url="https://github.com/brendenlake/SCAN/archive/c4b756cbc010d75c912f16c42c8f15dc6b7e6c8f.zip",
    digest="590c6ed416886cd7fd3e65e3d70e1a805c953dcda2b34267b1f98cb16d59d56c",
)
MCD = Corpus(
    name="scan-mcd",
    files=("mcd1.json", "mcd2.json", "mcd3.json"),
    url="https://storage.googleapis.com/cfq_dataset/scan-splits.tar.gz",
    digest="d7c4c94050b73ea5b078a228509752575044aeb73be569ed1d26ceba40df8da7",
)
MCD_NAMES = tuple(file.removesuffix(".json") for file in MCD.files)
NAMES = (*MCD_NAMES, *(PREFIX + pair for pair in PAIRS))
ASKS = dict.fromkeys(MCD_NAMES, "known words, newly combined")


def line(example: Example) -> str:
    """An example as the release writes it."""
    return f"IN: {example.command} OUT: {' '.join(example.actions)}"


def _examples(content: bytes, name: str) -> list[Example]:
    examples = []
    for number, text in enumerate(content.decode(errors="replace").splitlines(), 1):
        example = _example(text)
        if example is None:
            raise InputError(f"{name}, line {number}: expected 'IN: command OUT: actions', not {text[:60]!r}")
        examples.append(example)
    return examples


@lru_cache(maxsize=1 << 15)  # the files repeat the same 20,910 lines, so their splits share the examples
def _example(text: str) -> Example | None:
    match = re.fullmatch(r"IN: ([\w ]+) OUT: ([\w ]+)", text)
    return Example(match[1], tuple(match[2].split())) if match else None


def release_split(name: str) -> Split | None:
    """A split called release/…, mcd1, mcd2 or mcd3; None if the name is none of these."""
    if name in MCD_NAMES:
        return _mcd(name)
    if name not in NAMES:
        return None
    with open_corpus(SCAN) as folder:
        return _pair(name, *((folder / file).read_bytes() for file in sides(name.removeprefix(PREFIX))))


@lru_cache(maxsize=64)  # by content, so that a changed file is parsed again
def _pair(name: str, train_lines: bytes, test_lines: bytes) -> Split:
    train_file, test_file = sides(name.removeprefix(PREFIX))
    train = Counter(_examples(train_lines, train_file))
    test = dict.fromkeys(_examples(test_lines, test_file))
    return Split(name, "file", tuple(train), tuple(train.values()), {TEST: tuple(test)})


def ours(name: str) -> str:
    """The split of ours that asks for the same as one of the release; another name stays as it is."""
    pair = name.removeprefix(PREFIX)
    if shots := FEW_JUMP.get(pair):
        return f"few-jump-{shots}-rep1"
    if shots := FEW_AROUND_RIGHT.get(pair):
        return f"few-around-right-{shots}-rep1"
    return BY_RULE.get(pair) or (f"size-{BY_SIZE[pair]}" if pair in BY_SIZE else name)


def release_sizes(names: Sequence[str] = NAMES) -> Iterator[Sizes]:
    """The sizes of these splits, where they are on this machine: lines are counted, not parsed."""
    here, pairs = find(SCAN) is not None, [pair for pair in PAIRS if PREFIX + pair in set(names)]
    for name in MCD_NAMES:
        if name in names:
            yield _mcd(name).sizes if here and find(MCD) else Sizes(name, "file")
    if not here:
        yield from (Sizes(PREFIX + pair, "file") for pair in pairs)
    if not here or not pairs:
        return
    with open_corpus(SCAN) as files:
        for pair in pairs:
            train, test = ((files / file).read_bytes().splitlines() for file in sides(pair))
            yield Sizes(PREFIX + pair, "file", len(train), len(set(train)), {TEST: len(test)})


def _mcd(name: str) -> Split:
    """Maximum compound divergence (Keysers et al., 2020): line numbers of the release's tasks.txt."""
    with open_corpus(MCD) as files, open_corpus(SCAN) as release:
        return _by_lines(name, (files / f"{name}.json").read_bytes(), (release / ALL).read_bytes())


@lru_cache(maxsize=8)  # by content, so that a changed file is parsed again
def _by_lines(name: str, content: bytes, lines: bytes) -> Split:
    commands = _examples(lines, ALL)
    try:
        numbers = json.loads(content)
        train, dev, test = (
            tuple(commands[number] for number in numbers[side]) for side in ("trainIdxs", "devIdxs", "testIdxs")
        )
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InputError(f"{name}.json does not contain the line numbers of a split ({error!r})") from None
    return Split(name, "file", train, (1,) * len(train), {TEST: test, DEV: dev})
