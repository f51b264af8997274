"""The artefacts of a run as compact bytes: answers, likelihoods, arrays.

An artefact is one line of JSON (the header), then columns of numbers in little-endian order. The ledger compresses
artefacts, and their layout is made for that. Knows nothing of the ledger, nor of what words mean.
"""

import hashlib
import json
import math
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain
from typing import Any

from daxlab.errors import InputError

Answers = Sequence[Sequence[str]]

STEP = 1e-3
"""The precision of log-likelihoods, in nats."""
_MINUS_INFINITY = -(2**31)


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
    if len(answers) != len(targets):
        raise ValueError(f"{len(answers)} answers to {len(targets)} commands")
    known = set(chain.from_iterable(targets))
    extra = sorted(set(chain.from_iterable(answers)) - known)
    number = {word: n for n, word in enumerate([*sorted(known), *extra])}
    wrong = [n for n, (answer, target) in enumerate(zip(answers, targets, strict=True))
             if tuple(answer) != tuple(target)]  # fmt: skip
    words = [
        (number[word] - (number[targets[n][place]] if place < len(targets[n]) else 0)) % len(number)
        for n in wrong
        for place, word in enumerate(answers[n])
    ]
    gaps = [here - before for before, here in zip([0, *wrong], wrong, strict=False)]
    header = {"commands": len(targets), "targets": _digest(targets), "extra": extra}
    return _join(header, {"gaps": _narrow(gaps), "lengths": _narrow([len(answers[n]) for n in wrong]),
                          "words": _narrow(words)})  # fmt: skip


def unpack_answers(content: bytes, targets: Answers) -> list[tuple[str, ...]]:
    """The answers that pack_answers was given, by the same targets: their digest is in the header."""
    with _decoding():
        return _unpack_answers(*_split(content), targets)


def _unpack_answers(header: Mapping[str, Any], column: Mapping[str, Any], targets: Answers) -> list[tuple[str, ...]]:
    if header["targets"] != _digest(targets):
        raise InputError(
            f"these answers belong to another test set ({header['commands']} commands, digest "
            f"{header['targets'][:12]}) than this one ({len(targets)} commands)"
        )
    words = [*sorted(set(chain.from_iterable(targets))), *header["extra"]]
    number = {word: n for n, word in enumerate(words)}
    answers = [tuple(target) for target in targets]
    start = 0
    for n, length in zip(accumulate(column["gaps"]), column["lengths"], strict=True):
        target = answers[n]
        answers[n] = tuple(
            words[(code + (number[target[place]] if place < len(target) else 0)) % len(words)]
            for place, code in enumerate(column["words"][start : start + length])
        )
        start += length
    return answers


def pack_likelihoods(own: Sequence[float], target: Sequence[float]) -> bytes:
    """Log-likelihoods of the answer to each command and of its target, to a thousandth.

    Which of the two is greater is kept exactly, because a search error is defined by it.
    """
    low, high = [_steps(value) for value in own], [_steps(value) for value in target]
    for n, (a, b) in enumerate(zip(own, target, strict=True)):
        if low[n] == high[n] and a != b:
            high[n] += 1 if b > a else -1
    # Right answers' pairs are equal: the difference compresses to nothing.
    return _join({}, {"own": array("i", low), "more": array("q", (b - a for a, b in zip(low, high, strict=True)))})


def unpack_likelihoods(content: bytes) -> tuple[list[float], list[float]]:
    """Log-likelihoods of the answers and of the targets."""
    with _decoding():
        _, column = _split(content)
        own = list(column["own"])
        target = [a + more for a, more in zip(own, column["more"], strict=True)]
        return [_nats(steps) for steps in own], [_nats(steps) for steps in target]


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Arrays by name, of numpy or anything with a buffer, in C order."""
    shapes, columns = {}, {}
    for name, given in arrays.items():
        view = memoryview(given)
        shapes[name] = list(view.shape or ())
        # numpy calls 64 bits "l" where C's long has them; "q" has them everywhere.
        typecode = {"l": "q", "L": "Q"}.get(view.format, view.format) if view.itemsize == 8 else view.format
        columns[name] = array(typecode, view.tobytes())
    return _join({"shapes": shapes}, columns)


def unpack_arrays(content: bytes) -> dict[str, "memoryview[Any]"]:
    """The arrays that pack_arrays was given; numpy.asarray reads each without a copy."""
    views: dict[str, memoryview[Any]] = {}
    with _decoding():
        header, column = _split(content)
        for name, shape in header["shapes"].items():
            flat: memoryview[Any] = memoryview(column[name])
            typecode: Any = column[name].typecode
            # A view cannot be given an empty shape, so an empty array comes back flat.
            views[name] = flat.cast("B").cast(typecode, shape) if shape and math.prod(shape) else flat
    return views


def _digest(answers: Answers) -> str:
    text = "\n".join(" ".join(answer) for answer in answers)
    return hashlib.sha256(f"{len(answers)}\n{text}".encode()).hexdigest()


def _steps(nats: float) -> int:
    if math.isnan(nats) or nats == math.inf:
        raise ValueError(f"{nats} is not a log-likelihood")
    return max(round(nats / STEP), _MINUS_INFINITY + 1) if math.isfinite(nats) else _MINUS_INFINITY


def _nats(steps: int) -> float:
    return -math.inf if steps == _MINUS_INFINITY else steps * STEP


def _narrow(numbers: Sequence[int]) -> "array[int]":
    """The narrowest column that holds these."""
    most = max(numbers, default=0)
    return array("B" if most < 2**8 else "H" if most < 2**16 else "I", numbers)


def _join(header: Mapping[str, Any], columns: Mapping[str, "array[Any]"]) -> bytes:
    """The header, then of each column all first bytes, all second bytes, and so on: similar bytes compress better."""
    layout = [[name, column.typecode, len(column)] for name, column in columns.items()]
    planes = []
    for column in columns.values():
        raw = _least_byte_first(column).tobytes()
        planes += [raw[byte :: column.itemsize] for byte in range(column.itemsize)]
    text = json.dumps({**header, "columns": layout}, separators=(",", ":"))
    return b"".join([text.encode(), b"\n", *planes])


def _split(content: bytes) -> tuple[dict[str, Any], dict[str, "array[Any]"]]:
    end = content.index(b"\n")
    header = json.loads(content[:end])
    columns = {}
    start = end + 1
    for name, typecode, count in header["columns"]:
        column = array(typecode)
        size = column.itemsize * count
        if start + size > len(content):
            raise ValueError("the columns are cut off")
        raw = bytearray(size)
        for byte in range(column.itemsize):
            raw[byte :: column.itemsize] = content[start + byte * count : start + (byte + 1) * count]
        column.frombytes(bytes(raw))
        columns[name] = _least_byte_first(column)
        start += size
    return header, columns


def _least_byte_first(column: "array[Any]") -> "array[Any]":
    if sys.byteorder == "little":
        return column
    swapped = column[:]
    swapped.byteswap()
    return swapped
