"""The release is what our rules generate, and what is not the release is found out."""

import shutil
from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import pytest

from daxlab import InputError, Language
from daxlab.datasets import split
from daxlab.datasets.verify import verify


@pytest.fixture(scope="module")
def release(data, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    with ZipFile(data / "SCAN-master.zip") as archive:
        archive.extractall(folder)
    return folder / "SCAN-master"


def test_every_file_of_the_release_is_what_the_rules_say(data, scan: Language) -> None:
    findings = list(verify(data / "SCAN-master.zip", scan))
    assert Counter(finding.verdict for finding in findings) == {"same": 78, "holds": 131}
    assert len({finding.file for finding in findings}) == 209


JUMP = "add_prim_split/tasks_train_addprim_jump.txt"
FEW = "add_prim_split/with_additional_examples/tasks_train_addprim_complex_jump_num8_rep2.txt"
AROUND = "few_shot_split/tasks_train_fewshot_num16_rep1.txt"


def repeat_one(text: str) -> str:
    return text + text.splitlines()[0] + "\n"


def drop_last(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[:-1])


def swap_actions(text: str) -> str:
    return text.replace("I_RUN", "I_WALK", 1)


@pytest.mark.parametrize("change", [repeat_one, drop_last, swap_actions])
@pytest.mark.parametrize(
    "file",
    [
        "tasks.txt",
        JUMP,
        FEW,
        AROUND,
        "length_split/tasks_test_length.txt",
        "simple_split/tasks_train_simple.txt",
        "simple_split/size_variations/tasks_test_simple_p4.txt",
    ],
)
def test_one_line_more_less_or_other_is_noticed(release: Path, scan: Language, file: str, change) -> None:
    path = release / file
    before = path.read_text()
    path.write_text(change(before))
    try:
        changed = next(f for f in verify(release, scan) if f.file == file)
    finally:
        path.write_text(before)
    assert changed.verdict == "differs", changed


def test_a_missing_file_is_said_to_be_missing(release: Path, scan: Language, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(release, copy)
    (copy / JUMP).unlink()
    verdicts = {finding.file: finding.verdict for finding in verify(copy, scan)}
    assert verdicts[JUMP] == "missing"
    assert Counter(verdicts.values())["missing"] == 1


def test_a_file_that_the_release_does_not_have_is_named(release: Path, scan: Language, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(release, copy)
    (copy / "simple_split" / "tasks_train_extra.txt").write_text("IN: jump OUT: I_JUMP\n")
    (copy / "length_split" / "tasks_test_length.txt").write_bytes(b"\xff\xfe\n")
    verdicts = {finding.file: finding.verdict for finding in verify(copy, scan)}
    assert verdicts["simple_split/tasks_train_extra.txt"] == "unknown"
    assert verdicts["length_split/tasks_test_length.txt"] == "differs"
    assert Counter(verdicts.values()) == {"same": 77, "holds": 131, "unknown": 1, "differs": 1}


def test_without_simple_the_sizes_cannot_be_checked(release: Path, scan: Language, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(release, copy)
    (copy / "simple_split" / "tasks_test_simple.txt").unlink()
    found = {finding.file: finding for finding in verify(copy, scan)}
    assert "cannot be checked" in found["simple_split/size_variations/tasks_train_simple_p4.txt"].detail


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
