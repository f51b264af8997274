"""The release is what our rules generate, and what is not the release is found out."""

from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import pytest

from daxlab import InputError, Language
from daxlab.datasets import release, split
from daxlab.datasets.verify import verify


def test_every_file_of_the_release_is_what_the_rules_say(data, scan: Language) -> None:
    findings = list(verify(data / "SCAN-master.zip", scan))
    assert Counter(finding.verdict for finding in findings) == {"same": 78, "holds": 131}
    assert len({finding.file for finding in findings}) == 209


JUMP = "add_prim_split/tasks_train_addprim_jump.txt"
FEW = "add_prim_split/with_additional_examples/tasks_train_addprim_complex_jump_num8_rep2.txt"
LENGTH = "length_split/tasks_test_length.txt"
AROUND = "few_shot_split/tasks_train_fewshot_num16_rep1.txt"


def repeat_one(text: str) -> str:
    return text + text.splitlines()[0] + "\n"


def drop_last(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[:-1])


def swap_actions(text: str) -> str:
    return text.replace("I_RUN", "I_WALK", 1)


@pytest.fixture
def copy(data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release of one pair of files of each kind."""
    kinds = ("/simple", "_p4", "/length", "prim_jump", "jump_num8_rep2", "fewshot_num16_rep1")
    pairs = tuple(pair for pair in release.PAIRS if pair.endswith(kinds))
    monkeypatch.setattr(release, "PAIRS", pairs)
    with ZipFile(data / "SCAN-master.zip") as archive:
        for file in (release.ALL, *(file for pair in pairs for file in release.sides(pair))):
            archive.extract(f"SCAN-master/{file}", tmp_path)
    return tmp_path / "SCAN-master"


@pytest.mark.parametrize("change", [repeat_one, drop_last, swap_actions])
def test_one_line_more_less_or_other_is_noticed(copy: Path, scan: Language, change) -> None:
    changed = ("tasks.txt", LENGTH, JUMP, FEW, AROUND, "simple_split/size_variations/tasks_test_simple_p4.txt")
    for file in changed:
        (copy / file).write_text(change((copy / file).read_text()))
    differ = {finding.file for finding in verify(copy, scan) if finding.verdict == "differs"}
    assert differ >= set(changed)
    assert {file.replace("_test_", "_train_") for file in differ} == {
        file.replace("_test_", "_train_") for file in changed
    }


@pytest.mark.parametrize("change", [repeat_one, drop_last, swap_actions])
def test_without_simple_as_it_is_the_sizes_cannot_be_checked(copy: Path, scan: Language, change) -> None:
    simple = copy / "simple_split" / "tasks_train_simple.txt"
    simple.write_text(change(simple.read_text()))
    found = {finding.file: finding for finding in verify(copy, scan)}
    assert found["simple_split/tasks_train_simple.txt"].verdict == "differs"
    assert "cannot be checked" in found["simple_split/size_variations/tasks_train_simple_p4.txt"].detail


def test_a_file_that_is_missing_and_one_that_the_release_does_not_have_are_named(copy: Path, scan: Language) -> None:
    (copy / JUMP).unlink()
    (copy / "simple_split" / "tasks_train_extra.txt").write_text("IN: jump OUT: I_JUMP\n")
    (copy / LENGTH).write_bytes(b"\xff\xfe\n")
    verdicts = {finding.file: finding.verdict for finding in verify(copy, scan)}
    assert verdicts[JUMP] == "missing"
    assert verdicts["simple_split/tasks_train_extra.txt"] == "unknown"
    assert verdicts[LENGTH] == "differs"
    assert Counter(verdicts.values()) == {"same": 4, "holds": 7, "unknown": 1, "differs": 1, "missing": 1}


def test_what_is_no_release_is_refused(tmp_path: Path, scan: Language) -> None:
    with pytest.raises(InputError, match="there is no"):
        list(verify(tmp_path / "none", scan))
    with pytest.raises(InputError, match=r"has no tasks\.txt"):
        list(verify(tmp_path, scan))
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(InputError, match="neither a folder nor a zip"):
        list(verify(tmp_path / "text", scan))


def test_the_release_s_own_draws_are_splits(data, monkeypatch) -> None:
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    one = split("release/simple_split/size_variations/simple_p4")
    assert (one.origin, len(one.train), len(one.test)) == ("file", 836, 20_074)
    ours, theirs = split("jump"), split("release/add_prim_split/addprim_jump")
    assert Counter(dict(zip(ours.train, ours.weights, strict=True))) == Counter(
        dict(zip(theirs.train, theirs.weights, strict=True))
    )
    assert set(ours.test) == set(theirs.test)


@pytest.mark.parametrize("name", ["mcd1", "mcd2", "mcd3"])
def test_the_mcd_splits_have_three_sides_that_share_nothing(data, monkeypatch, scan: Language, name: str) -> None:
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    one = split(name)
    assert (len(one.train), len(one.tests["dev"]), len(one.test)) == (8_365, 1_046, 1_045)
    assert len({*one.train, *one.tests["dev"], *one.test}) == 8_365 + 1_046 + 1_045
    assert {*one.train, *one.tests["dev"], *one.test} < set(scan.commands())
