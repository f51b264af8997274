"""What is exported is the split, in formats that others read."""

import json
from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given

from daxlab import Example, InputError, Split, dataset, split
from daxlab.datasets.export import export
from daxlab.datasets.release import BY_RULE, sides
from made_up_examples import splits


@pytest.mark.parametrize(("pair", "name"), BY_RULE.items())
def test_the_scan_format_is_the_release_s_own_repeated_lines_and_all(
    data, tmp_path: Path, pair: str, name: str
) -> None:
    paths = export(split(name), tmp_path, "scan")
    assert [path.name for path in paths] == ["train.txt", "test.txt"]
    with ZipFile(data / "SCAN-master.zip") as archive:
        for path, file in zip(paths, sides(pair), strict=True):
            released = archive.read(f"SCAN-master/{file}")
            assert Counter(path.read_bytes().splitlines()) == Counter(released.splitlines())
            assert path.stat().st_size == len(released)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_hugging_face_datasets_loads_it_as_it_is(tmp_path: Path, monkeypatch, form: str) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import load_dataset

    one = split("few-jump-8-rep1")
    export(one, tmp_path / "out", form)
    loaded = load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "test"}
    assert loaded["train"].column_names == ["command", "actions", "weight"]
    assert loaded["train"]["command"][:] == [example.command for example in one.train]
    assert loaded["train"]["weight"][:] == list(one.weights)
    assert loaded["test"]["actions"][:] == [" ".join(example.actions) for example in one.test]


def test_a_split_with_a_third_side_has_a_third_file(data, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    paths = export(split("mcd1"), tmp_path, "jsonl")
    assert [path.name for path in paths] == ["train.jsonl", "test.jsonl", "dev.jsonl"]
    assert len(paths[2].read_text().splitlines()) == 1_046


@given(splits())
def test_a_split_that_is_written_as_tsv_is_a_folder_that_reads_back_the_same(tmp_path_factory, one: Split) -> None:
    folder = tmp_path_factory.mktemp("tsv")
    export(one, folder, "tsv")
    read = dataset(str(folder)).split(next(iter(one.tests)))
    assert (read.train, read.weights, read.tests) == (one.train, one.weights, one.tests)
    assert read.digest == one.digest


def test_a_file_that_would_become_a_test_set_is_not_ignored(tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text("a\tb\n")
    with pytest.raises(InputError, match=r"other\.tsv would be read as a test set of this split; export into an empty"):
        export(split("jump"), tmp_path, "tsv")
    assert [path.name for path in tmp_path.iterdir()] == ["other.tsv"]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_categories_are_a_column(tmp_path: Path, form: str) -> None:
    import polars

    one = Split("gen", "file", (Example("a", ("A",)),), (2,), {"gen": (Example("b", ("B", "C"), "new"),)})
    for path in export(one, tmp_path, form):
        frame = polars.read_parquet(path) if form == "parquet" else polars.read_ndjson(path)
        assert frame["category"].to_list() == (["new"] if path.stem == "gen" else [""])


def test_rows_are_distinct_commands_with_their_weight(tmp_path: Path) -> None:
    train, _ = export(split("jump"), tmp_path, "jsonl")
    rows = [json.loads(row) for row in train.read_text().splitlines()]
    assert len({row["command"] for row in rows}) == len(rows) == 13_204
    assert {"command": "jump", "actions": "I_JUMP", "weight": 1467} in rows


@pytest.mark.parametrize("form", ["scan", "tsv", "jsonl", "parquet"])
def test_a_full_disk_changes_nothing(daxlab_process, tmp_path: Path, form: str) -> None:
    (tmp_path / "train.txt").write_text("mine")
    done = daxlab_process("data", "export", "jump", "--to", tmp_path, "--format", form, room=10_000)
    assert done.returncode == 2
    assert "nothing was changed" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["train.txt"]
    assert (tmp_path / "train.txt").read_text() == "mine"


def test_a_folder_in_the_way_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "test.txt").mkdir()
    (tmp_path / "train.txt").write_text("mine")
    with pytest.raises(InputError, match=r"test\.txt is a folder; nothing was changed"):
        export(split("jump"), tmp_path, "scan")
    assert (tmp_path / "train.txt").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_what_an_earlier_split_left_does_not_mix_with_a_new_one(data, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    export(split("mcd1"), tmp_path, "jsonl")
    export(split("jump"), tmp_path, "jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test.jsonl", "train.jsonl"]


def test_a_folder_that_cannot_be_and_a_format_that_is_not_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        export(split("jump"), tmp_path / "file" / "below", "scan")
    with pytest.raises(InputError, match="no format is called 'xml'"):
        export(split("jump"), tmp_path, "xml")
