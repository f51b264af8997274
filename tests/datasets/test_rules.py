"""A split keeps apart what it says it keeps apart, and presents what it says it presents."""

import json
import re
from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given, strategies as st

from daxlab import InputError, dataset, language, split
from daxlab.datasets.release import BY_RULE, line, sides
from daxlab.datasets.rules import SIZES, names

SCAN = language("scan")
OURS = names(SCAN)


@pytest.mark.parametrize("name", OURS)
def test_nothing_is_on_both_sides_and_all_of_it_is_scan(name: str) -> None:
    one = split(name)
    train, test = set(one.train), set(one.test)
    assert (len(train), len(test)) == (len(one.train), len(one.test))
    assert train.isdisjoint(test)
    assert train | test <= set(SCAN.commands())
    assert len(one.weights) == len(one.train)
    assert min(one.weights) >= 1


@pytest.mark.parametrize("name", ["jump", "walk", "look", "run", "turn-left", "turn-right", "few-jump-8-rep1"])
def test_one_presentation_in_ten_is_of_the_new_primitive(name: str) -> None:
    one = split(name)
    new = sum(weight for weight in one.weights if weight > 1)
    assert new / one.presentations == pytest.approx(0.1, abs=0.001)


def test_jump_is_presented_as_often_as_in_the_release() -> None:
    jump, turn_left = split("jump"), split("turn-left")
    assert dict(zip(jump.train, jump.weights, strict=True))[SCAN.primitives[-1]] == 1_467
    assert max(turn_left.weights) == 2_189
    assert (jump.presentations, turn_left.presentations) == (14_670, 21_890)


@pytest.mark.parametrize("name", ["jump", "turn-left"])
def test_once_is_the_same_split_without_over_sampling(name: str) -> None:
    once, often = split(f"{name}-once"), split(name)
    assert (once.train, once.test) == (often.train, often.test)
    assert set(once.weights) == {1}
    assert once.digest != often.digest


def test_a_primitive_seen_alone_is_in_every_test_command_and_no_other_training_command() -> None:
    one = split("turn-left")
    assert [e.command for e in one.train if "turn left" in e.command] == ["turn left"]
    assert all("turn left" in e.command for e in one.test)
    assert any("turn opposite left" in e.command for e in one.train)


@given(st.sampled_from(SIZES), st.sampled_from(SIZES), st.integers(0, 3))
def test_the_sizes_are_nested_in_one_another_and_in_simple(one: int, other: int, seed: int) -> None:
    smaller, larger = sorted((one, other))
    small, large, simple = (
        set(split(f"{name}-seed{seed}").train) for name in (f"size-{smaller}", f"size-{larger}", "simple")
    )
    assert small <= large <= simple
    assert len(small) == len(SCAN.commands()) * smaller // 100


def test_seeds_differ() -> None:
    assert set(split("size-1").train) != set(split("size-1-seed1").train)


@given(st.integers(1, 32), st.integers(1, 1000))
def test_few_shot_shows_as_many_composed_commands_as_its_name_says(shots: int, replicate: int) -> None:
    one = split(f"few-jump-{shots}-rep{replicate}")
    shown = [e for e in one.train if "jump" in e.command]
    assert len(shown) == shots + 1
    assert len(one.test) == 7_706 - shots


def test_replicates_are_different_draws() -> None:
    draws = [frozenset(split(f"few-jump-8-rep{n}").train) for n in range(1, 6)]
    assert len(set(draws)) == 5


@given(st.integers(1, 47))
def test_the_length_split_has_any_cutoff(cutoff: int) -> None:
    one = split(f"length-{cutoff}")
    assert max(len(e.actions) for e in one.train) <= cutoff < min(len(e.actions) for e in one.test)


def test_our_draws_never_change() -> None:
    """Results name a split; what it holds must not depend on Python's version or on the order of the grammar."""
    drawn = [name for name in OURS if name.startswith(("simple", "few-")) and not re.search("rep[2-5]", name)]
    content = "\n".join(line(e) for name in drawn for e in sorted(split(name).train))
    assert sha256(content.encode()).hexdigest() == "16bc46f550c10d8d27283e66927d6c507a10496d106824367b1d359dd87c0411"


def test_the_language_has_the_primitives_and_so_do_the_splits() -> None:
    dax = language("scan-dax")
    one = split("dax", dax)
    assert all("dax" in e.command for e in one.test)
    assert {"dax", "jump", "turn-left"} <= set(names(dax))
    assert len(split("few-dax-4-rep2", "scan-dax").test) == len(one.test) - 4


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("jmp", "did you mean 'jump'"),
        ("few-jump-33-rep1", "between 1 and 32"),
        ("few-jump-0-rep1", "between 1 and 32"),
        ("size-100", "between 1 and 99"),
        ("length-48", "its test set would be empty"),
        ("length-0", "its training set would be empty"),
        ("few-around-right-1066-rep1", "between 1 and 1,065"),
        ("release/simple_split/sample", "did you mean 'release/simple_split/simple'"),
        ("", "no split called ''"),
    ],
)
def test_a_name_that_is_no_split_is_refused_with_advice(name: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        split(name)


def test_the_rules_give_the_release_s_files_line_for_line(data) -> None:
    """Against the facts about the release that were written down on their own: 78 files, by count and sha256."""
    manifest = {f["path"]: f for f in json.loads((data / "scan_release_manifest.json").read_text())["files"]}
    full = {path for path, facts in manifest.items() if facts["determined"] == "full"}
    ours = {"tasks.txt": Counter(map(line, SCAN.commands()))}
    for pair, name in BY_RULE.items():
        one = split(name)
        train = Counter({line(e): weight for e, weight in zip(one.train, one.weights, strict=True)})
        ours |= dict(zip(sides(pair), (train, Counter(map(line, one.test))), strict=True))
    for path in full - ours.keys():  # the few-shot tests are one set
        assert "few_shot_split/tasks_test_fewshot" in path
        ours[path] = Counter(map(line, split("few-around-right-1-rep1").test))
    assert len(full) == len(ours) == 78
    for path, lines in ours.items():
        facts = manifest[path]
        assert (lines.total(), len(lines)) == (facts["lines"], facts["distinct_lines"]), path
        distinct = sha256("\n".join(sorted(lines)).encode()).hexdigest()
        assert distinct == facts["sha256_sorted_distinct"], path


def test_the_library_and_the_command_line_use_the_same_names(daxlab, tiny) -> None:
    listed = {row["name"]: row for row in json.loads(daxlab("data", "list", "-l", tiny, "--json").stdout)}
    one = split("run", language=str(tiny))
    assert (listed["run"]["train"], listed["run"]["tests"]["test"]) == (one.presentations, len(one.test))


SMALL = """
grammar:
  C -> U twice
  C -> U
  U -> c++
  U -> (
  U -> 7
  U -> jump
meaning:
  x in any
  [[x twice]] = [[x]] [[x]]
  [[c++]] = CPP
  [[(]] = PAREN
  [[7]] = SEVEN
  [[jump]] = JUMP
"""


def test_a_small_language_with_odd_words_has_splits_too(tmp_path) -> None:
    (tmp_path / "small.grammar").write_text(SMALL)
    small = language(str(tmp_path / "small.grammar"))
    listed = {row.name: row for row in dataset(small.name).sizes()}
    assert set(listed) == {"simple", *(name for one in ("c++", "(", "7", "jump") for name in (one, f"{one}-once"))}
    assert not [row for row in listed.values() if row.origin == "file" or not row.tests["test"] or not row.train]
    assert min(split("c++", small).weights) == 1
    with pytest.raises(InputError, match="published splits are of scan"):
        split("mcd1", small)


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("length-22", "length"),
        ("simple-seed0", "simple"),
        ("size-1-seed0", "size-1"),
        ("size-80", "simple"),
        ("size-80-seed0", "simple"),
        ("size-80-seed3", "simple-seed3"),
    ],
)
def test_a_split_has_one_name(other: str, name: str) -> None:
    assert split(other) == split(name)
    assert split(other).name == name


def test_a_number_is_written_in_one_way_only() -> None:
    for name in ("few-jump-08-rep1", "length-022", "length-٢٢", "size-4-seed00", "length-" + "9" * 5000):
        with pytest.raises(InputError, match="no split called"):
            split(name)
