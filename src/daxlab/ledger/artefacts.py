"""The artefacts of a run as compact bytes: answers, likelihoods, arrays, models.

An artefact is one line of JSON (the header), then columns of numbers in little-endian order; a model is JSON alone. The
ledger compresses artefacts, and their layout is made for that. Knows nothing of the ledger, nor of what words mean.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from daxlab.errors import InputError
from daxlab.symbols import FINAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

Answers = Sequence[Sequence[str]]


class Targets(tuple[tuple[str, ...], ...]):
    """The right answers to a test set. What it takes to read many runs' answers to it is worked out once."""

    @cached_property
    def digest(self) -> str:
        return _digest(self)

    @cached_property
    def words(self) -> list[str]:
        return sorted(set(chain.from_iterable(self)))

    @cached_property
    def numbers(self) -> "NDArray[Any]":
        """The numbers of all words, one target after the other; at the end a zero, so that there is one at least."""
        import numpy as np

        number = {word: n for n, word in enumerate(self.words)}
        return np.array([*(number[word] for word in chain.from_iterable(self)), 0], np.int64)

    @cached_property
    def sizes(self) -> "NDArray[Any]":
        """How many words each target has."""
        import numpy as np

        return np.array([len(target) for target in self], np.int64)


STEP = 1e-3
"""The precision of log-likelihoods, in nats."""
_MINUS_INFINITY = -(2**31)
_TYPES = "bBhHiIqQfd"  # numpy's letters for the types that a column may have


@contextmanager
def _decoding() -> Iterator[None]:
    """Malformed bytes are an InputError, however they are malformed."""
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InputError("an artefact of this run is damaged: train the run again, or use a copy") from error


def pack_answers(answers: Answers, targets: Answers) -> bytes:
    """The answers to a test set: only the wrong ones are stored, each as its difference from its target.

    Words are numbered: the targets' words, sorted, then those that only answers have, sorted, which the header lists.
    Three columns: the gaps between the positions of wrong answers; their lengths; and the numbers of their words, minus
    the number of the target's word at the same position (modulo the vocabulary), so that a right word is zero.
    """
    import numpy as np

    if len(answers) != len(targets):
        raise ValueError(f"{len(answers)} answers to {len(targets)} commands")
    vocabulary = set(chain.from_iterable(targets))
    extra = sorted(set(chain.from_iterable(answers)) - vocabulary)
    number = {word: n for n, word in enumerate([*sorted(vocabulary), *extra])}
    pairs = enumerate(zip(answers, targets, strict=True))
    wrong = [n for n, (answer, target) in pairs if tuple(answer) != tuple(target)]
    words = [
        (number[word] - (number[targets[n][place]] if place < len(targets[n]) else 0)) % len(number)
        for n in wrong
        for place, word in enumerate(answers[n])
    ]
    gaps = [here - before for before, here in zip([0, *wrong], wrong, strict=False)]
    header = {"commands": len(targets), "targets": _digest(targets), "extra": extra}
    columns = {"gaps": gaps, "lengths": [len(answers[n]) for n in wrong], "words": words}
    narrow = {name: np.array(numbers, np.min_scalar_type(max(numbers, default=0))) for name, numbers in columns.items()}
    return _join(header, narrow)


def unpack_answers(content: bytes, targets: Answers) -> list[tuple[str, ...]]:
    """The answers that pack_answers was given, by the same targets: their digest is in the header."""
    right = Targets(map(tuple, targets))
    answers = list(right)
    for n, answer in unpack_wrong(content, right).items():
        answers[n] = answer
    return answers


def unpack_wrong(content: bytes, targets: Targets) -> dict[int, tuple[str, ...]]:
    """The same, of the wrong answers alone: each by its place."""
    import numpy as np

    with _decoding():
        header, columns = _split(content)
        if header["targets"] != targets.digest:
            raise InputError(
                f"these answers belong to another test set ({header['commands']} commands, digest "
                f"{header['targets'][:12]}) than this one ({len(targets)} commands)"
            )
        words = [*targets.words, *header["extra"]]
        gaps, lengths, codes = (columns[name] for name in ("gaps", "lengths", "words"))
        wrong, ends = (np.cumsum(column, dtype=np.int64) for column in (gaps, lengths))
        sizes, first = targets.sizes[wrong], (np.cumsum(targets.sizes) - targets.sizes)[wrong]
        answer = np.repeat(np.arange(len(lengths)), lengths)  # of each word, the answer that it stands in
        place = np.arange(len(codes)) - (ends - lengths)[answer]
        word = np.minimum(first[answer] + place, len(targets.numbers) - 1)  # of the target, at the same position
        target = np.where(place < sizes[answer], targets.numbers[word], 0)
        said = np.array(words, object)[(codes.astype(np.int64) + target) % len(words)].tolist()
        places = zip(wrong.tolist(), (ends - lengths).tolist(), ends.tolist(), strict=True)
        return {n: tuple(said[start:end]) for n, start, end in places}


def pack_likelihoods(own: Sequence[float], target: Sequence[float]) -> bytes:
    """Log-likelihoods of the answer to each command and of its target, to a thousandth.

    Which of the two is greater is kept exactly, because a search error is defined by it.
    """
    import numpy as np

    values = np.array([own, target], np.float64)  # [2, commands]
    if not (values < math.inf).all():
        raise ValueError("a log-likelihood is a number or minus infinity")
    steps = np.maximum(np.rint(values / STEP), _MINUS_INFINITY + 1)
    low, high = np.where(np.isinf(values), _MINUS_INFINITY, steps).astype("q")
    tied = (low == high) & (values[0] != values[1])
    high[tied] += np.where(values[1] > values[0], 1, -1)[tied]
    # Right answers' pairs are equal: the difference compresses to nothing.
    return _join({}, {"own": low.astype("i"), "more": high - low})


def unpack_likelihoods(content: bytes) -> tuple[list[float], list[float]]:
    """Log-likelihoods of the answers and of the targets."""
    import numpy as np

    with _decoding():
        _, columns = _split(content)
        own = columns["own"].astype("q")
        steps = np.array([own, own + columns["more"]])
        low, high = np.where(steps == _MINUS_INFINITY, -math.inf, steps * STEP).tolist()
        return low, high


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Arrays by name, of numpy or anything with a buffer, in C order."""
    import numpy as np

    views = {name: np.asarray(value) for name, value in arrays.items()}
    return _join({"shapes": {name: view.shape for name, view in views.items()}}, views)


def unpack_arrays(content: bytes) -> dict[str, "NDArray[Any]"]:
    """The arrays that pack_arrays was given."""
    with _decoding():
        header, columns = _split(content)
        return {name: columns[name].reshape(shape) for name, shape in header["shapes"].items()}


def pack_neighbours(near: Mapping[str, tuple[Any, Any]]) -> bytes:
    """Places in the training set, and cosines, [probes, neighbours] each, by the state that commands are compared by.

    The arrays of "final" have no state in their names: the artefacts of earlier runs have these two alone.
    """
    kinds = ("places", "cosines")
    return pack_arrays({_named(kind, state): near[state][n] for state in near for n, kind in enumerate(kinds)})


def unpack_neighbours(content: bytes) -> dict[str, tuple["NDArray[Any]", "NDArray[Any]"]]:
    """What pack_neighbours was given."""
    arrays = unpack_arrays(content)
    states = [FINAL, *(name.removeprefix("places of ") for name in arrays if name.startswith("places of "))]
    with _decoding():
        return {state: (arrays[_named("places", state)], arrays[_named("cosines", state)]) for state in states}


def _named(kind: str, state: str) -> str:
    return kind if state == FINAL else f"{kind} of {state}"


def pack_record(record: Mapping[str, Any]) -> bytes:
    """A model as plain data."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def unpack_record(content: bytes) -> dict[str, Any]:
    """The model that pack_record was given."""
    with _decoding():
        return dict(json.loads(content).items())


def _digest(answers: Answers) -> str:
    text = "\n".join(" ".join(answer) for answer in answers)
    return hashlib.sha256(f"{len(answers)}\n{text}".encode()).hexdigest()


def _join(header: Mapping[str, Any], columns: Mapping[str, "NDArray[Any]"]) -> bytes:
    """The header, then of each column all first bytes, all second bytes, and so on: similar bytes compress better."""
    layout, planes = [], []
    for name, column in columns.items():
        kind = {"l": "q", "L": "Q"}.get(column.dtype.char, column.dtype.char)  # C's long has 64 bits in some systems
        layout.append([name, kind, column.size])
        raw = column.astype(f"<{kind}", order="C").reshape(-1, 1).view("B")  # [numbers, bytes of each]
        planes.append(raw.T.tobytes())
    text = json.dumps({**header, "columns": layout}, separators=(",", ":"))
    return b"".join([text.encode(), b"\n", *planes])


def _split(content: bytes) -> tuple[dict[str, Any], dict[str, "NDArray[Any]"]]:
    import numpy as np

    start = content.index(b"\n") + 1
    header = json.loads(content[:start])
    columns = {}
    for name, kind, count in header["columns"]:
        if kind not in _TYPES or count < 0:
            raise ValueError(f"no column has {count} numbers of type {kind}")
        dtype = np.dtype(f"<{kind}")
        planes = np.frombuffer(content, "B", dtype.itemsize * count, start).reshape(dtype.itemsize, count)
        columns[name] = np.ascontiguousarray(planes.T).view(dtype).reshape(count).astype(kind)
        start += planes.size
    return header, columns
