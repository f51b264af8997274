"""What is exported is the split, in formats that others read."""

import json
import re
from collections import Counter
from pathlib import Path
from shutil import rmtree
from zipfile import ZipFile

import pytest
from hypothesis import assume, given, settings

from daxlab import Example, InputError, Split, dataset, split
from daxlab.datasets.dataset_card import repository
from daxlab.datasets.export import export
from daxlab.datasets.release import BY_RULE, sides
from made_up_examples import splits


def exported(one: Split, folder: Path, form: str) -> list[Path]:
    return export(dataset("scan"), [one], folder, form)


@pytest.mark.parametrize(("pair", "name"), BY_RULE.items())
def test_the_scan_format_is_the_release_s_own_repeated_lines_and_all(
    data, tmp_path: Path, pair: str, name: str
) -> None:
    paths = exported(split(name), tmp_path, "scan")
    assert [path.name for path in paths] == ["train.txt", "test.txt"]
    with ZipFile(data / "SCAN-master.zip") as archive:
        for path, file in zip(paths, sides(pair), strict=True):
            released = archive.read(f"SCAN-master/{file}")
            assert Counter(path.read_bytes().splitlines()) == Counter(released.splitlines())
            assert path.stat().st_size == len(released)


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory):
    """The loader of Hugging Face's datasets, without a network."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import load_dataset

    return lambda *where: load_dataset(*map(str, where), cache_dir=str(tmp_path_factory.mktemp("cache")))


def holds(loaded, one: Split) -> bool:
    """Whether a loaded dataset has the examples of a split, in order."""
    columns = [*Example._fields[: 3 if one.has_categories else 2], "weight"]
    sets = {"train": zip(one.train, one.weights, strict=True)}
    sets |= {re.sub(r"\W", "_", name): ((example, 1) for example in test) for name, test in one.tests.items()}
    rows = {
        name: [(*(e.command, " ".join(e.actions), e.category)[: len(columns) - 1], weight) for e, weight in examples]
        for name, examples in sets.items()
    }
    return rows == {
        name: list(zip(*(part[column][:] for column in columns), strict=True)) for name, part in loaded.items()
    }


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_hugging_face_datasets_loads_it_as_it_is(tmp_path: Path, load, form: str) -> None:
    exported(split("few-jump-8-rep1"), tmp_path, form)
    assert holds(load(tmp_path), split("few-jump-8-rep1"))


@settings(max_examples=10)
@given(splits())
def test_hugging_face_datasets_loads_any_split_by_its_card(tmp_path_factory, one: Split) -> None:
    from datasets import load_dataset

    assume(len({re.sub(r"\W", "_", name) for name in one.tests}) == len(one.tests))
    folder, cache = (tmp_path_factory.mktemp(name) for name in ("card", "cache"))
    exported(one, folder, "parquet")
    assert holds(load_dataset(str(folder), cache_dir=str(cache)), one)


def test_several_splits_are_the_configurations_of_one_dataset(data, tmp_path, monkeypatch, load, caplog) -> None:
    from datasets import get_dataset_config_names, logging

    logging.enable_propagation()
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    chosen = [split(name) for name in ("turn-left", "mcd1", "release/simple_split/simple")]
    export(dataset("scan"), chosen, tmp_path, "parquet")
    names = ["turn-left", "mcd1", "release-simple_split-simple"]
    assert get_dataset_config_names(str(tmp_path)) == names
    for name, one in zip(names, chosen, strict=True):
        assert holds(load(tmp_path, name), one)
    card = (tmp_path / "README.md").read_text()
    assert "Keysers" in card
    assert not caplog.messages  # such as: ignoring part of the card
    logging.disable_propagation()
    assert all(one.digest[:12] in card for one in chosen)


@pytest.mark.slow
def test_every_split_of_scan_and_its_card_are_loaded(data, tmp_path: Path, monkeypatch, load) -> None:
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    scan = dataset("scan")
    for n, one in enumerate(map(scan.split, scan.split_names())):
        export(scan, [one], tmp_path / str(n), "parquet")
        assert holds(load(tmp_path / str(n)), one), one.name
        rmtree(tmp_path / str(n))


@pytest.mark.parametrize(
    ("name", "license", "origin"),
    [
        ("scan", "bsd-3-clause", "Source: https://github.com/brendenlake/SCAN"),
        ("disguised:scan", "bsd-3-clause", "Source: https://github.com/brendenlake/SCAN"),
        ("tatoeba", "cc-by-2.0", "Source: https://www.manythings.org/anki/fra-eng.zip"),
        ("built-in", "mit", "Licence: mit"),
    ],
)
def test_a_card_names_licence_and_source(
    data, tmp_path: Path, monkeypatch, name: str, license: str, origin: str
) -> None:
    from huggingface_hub import DatasetCard

    monkeypatch.setenv("DAXLAB_DATA", str(data))
    source = dataset(name)
    export(source, [source.split(source.split_names()[-1])], tmp_path, "parquet")
    card = DatasetCard.load(tmp_path / "README.md")
    assert (card.data.license, card.data.pretty_name) == (license, repository(source))
    assert origin in card.text


def test_a_card_of_a_user_s_own_data_names_no_licence_and_no_path(tmp_path: Path, tiny: Path, load) -> None:
    source = dataset(str(tiny))
    export(source, [source.split("jump")], tmp_path, "parquet")
    card = (tmp_path / "README.md").read_text()
    assert "Licence: not known to daxlab" in card
    assert str(tiny.parent) not in card
    assert holds(load(tmp_path), source.split("jump"))


def test_test_sets_whose_names_hugging_face_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    (asked,) = examples = (Example("a", ("A",)),)
    with pytest.raises(InputError, match="Hugging Face cannot tell these test sets apart: a-b, a_b"):
        exported(Split("s", "file", examples, (1,), {"a-b": (asked,), "a_b": (asked,)}), tmp_path, "parquet")


def test_somebody_s_readme_is_not_replaced_and_our_own_is(tmp_path: Path) -> None:
    for name in ("jump", "turn-left"):
        exported(split(name), tmp_path, "parquet")
        assert f"`{name}`" in (tmp_path / "README.md").read_text()
    (tmp_path / "README.md").write_text("Mine.")
    (tmp_path / "train.parquet").unlink()
    with pytest.raises(InputError, match="not a card that daxlab wrote; export into another folder"):
        exported(split("jump"), tmp_path, "parquet")
    assert not (tmp_path / "train.parquet").exists()


def test_a_split_with_a_third_side_has_a_third_file(data, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    paths = exported(split("mcd1"), tmp_path, "jsonl")
    assert [path.name for path in paths] == ["train.jsonl", "test.jsonl", "dev.jsonl"]
    assert len(paths[2].read_text().splitlines()) == 1_046


@given(splits())
def test_a_split_that_is_written_as_tsv_is_a_folder_that_reads_back_the_same(tmp_path_factory, one: Split) -> None:
    folder = tmp_path_factory.mktemp("tsv")
    exported(one, folder, "tsv")
    read = dataset(str(folder)).split(next(iter(one.tests)))
    assert (read.train, read.weights, read.tests) == (one.train, one.weights, one.tests)
    assert read.digest == one.digest


def test_a_file_that_would_become_a_test_set_is_not_ignored(tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text("a\tb\n")
    with pytest.raises(InputError, match=r"other\.tsv would be read as a test set of this split; export into an empty"):
        exported(split("jump"), tmp_path, "tsv")
    assert [path.name for path in tmp_path.iterdir()] == ["other.tsv"]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_categories_are_a_column(tmp_path: Path, form: str) -> None:
    import polars

    one = Split("gen", "file", (Example("a", ("A",)),), (2,), {"gen": (Example("b", ("B", "C"), "new"),)})
    for path in exported(one, tmp_path, form)[:2]:
        frame = polars.read_parquet(path) if form == "parquet" else polars.read_ndjson(path)
        assert frame["category"].to_list() == (["new"] if path.stem == "gen" else [""])


def test_rows_are_distinct_commands_with_their_weight(tmp_path: Path) -> None:
    train, _ = exported(split("jump"), tmp_path, "jsonl")
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
        exported(split("jump"), tmp_path, "scan")
    assert (tmp_path / "train.txt").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_what_an_earlier_split_left_does_not_mix_with_a_new_one(data, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    exported(split("mcd1"), tmp_path, "jsonl")
    exported(split("jump"), tmp_path, "jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test.jsonl", "train.jsonl"]


def test_a_folder_that_cannot_be_and_a_format_that_is_not_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        exported(split("jump"), tmp_path / "file" / "below", "scan")
    with pytest.raises(InputError, match="no format is called 'xml'"):
        exported(split("jump"), tmp_path, "xml")
