"""Mutated sweep files and folders of TSV are understood, or refused in one sentence."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from daxlab import InputError
from daxlab.datasets import dataset
from daxlab.ledger.spec import Spec
from daxlab.sweep.grid import part, read

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.toml"))
TOKENS = ["[", "]", "[[", "]]", "=", ",", '"', "[" * 3000, "9" * 5000, "0x" + "f" * 5000, "nan", "inf", "-1", "1e999"]
TOKENS += [
    "true",
    "{",
    "}",
    ".",
    "\n",
    "\0",
    "\u20ac",
    "sweep",
    "[[sweep]]\n",
    "seeds = 1\n",
    "protocol",
    "hidden",
    "#",
]
EDITS: list[Callable[[str, int, random.Random], str]] = [
    lambda text, at, chance: text[:at] + chance.choice(TOKENS) + text[at:],
    lambda text, at, chance: text[:at] + text[at + chance.randint(1, 9) :],
    lambda text, at, chance: text[:at] + chr(chance.randrange(1, 0x3000)) + text[at + 1 :],
    lambda text, _, chance: "".join(line for line in text.splitlines(keepends=True) if chance.random() > 0.2),
    lambda text, _, chance: "".join(sorted(text.splitlines(keepends=True), key=lambda line: chance.random())),
]
TABLE = "a dog ran\trun ( dog )\ta\na cat ran\trun ( cat )\tb\n"


def mutated(text: str, chance: random.Random) -> str:
    """The text with one to four edits."""
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(EDITS)(text, chance.randrange(len(text) + 1), chance)
    return text


def outcome(work: Callable[[], object]) -> str:
    """What a user sees: nothing, or one sentence."""
    try:
        work()
    except InputError as error:
        assert "\n" not in str(error).strip()
        return str(error)
    return ""


def try_sweep_files(number: int, folder: Path) -> list[str]:
    chance, found = random.Random(number), []
    for _ in range(number):
        path = folder / "mutant.toml"
        path.write_text(mutated(chance.choice(SPECS).read_text(), chance), encoding="utf-8", errors="replace")

        def work(path: Path = path) -> list[Spec]:
            specs = read(path, ["hidden=5"] if chance.random() < 0.2 else [])
            return part(specs, ["split=jump"]) if chance.random() < 0.2 else specs

        found.append(outcome(work))
    return found


def try_folders(number: int, folder: Path) -> list[str]:
    chance, found = random.Random(number), []
    for count in range(number):
        place = folder / str(count)
        place.mkdir()
        for name in ("train.tsv", "test.tsv", "gen.tsv"):
            content = mutated(TABLE * 3, chance) if chance.random() < 0.6 else TABLE
            encoding = "latin-1" if chance.random() < 0.1 else "utf-8"
            (place / name).write_bytes(content.replace("\0", "").encode(encoding, "replace"))

        def work(place: Path = place) -> object:
            split = dataset(str(place)).split("gen")
            return split.digest, dataset(str(place)).warnings(split)

        found.append(outcome(work))
    return found


@pytest.mark.fuzz
def test_a_mutated_sweep_file_is_read_or_refused_in_one_sentence(tmp_path: Path) -> None:
    found = try_sweep_files(500, tmp_path)
    assert any(found) and not all(found)


@pytest.mark.fuzz
def test_a_mutated_folder_is_read_or_refused_in_one_sentence(tmp_path: Path) -> None:
    found = try_folders(1000, tmp_path)
    assert any(found) and not all(found)
