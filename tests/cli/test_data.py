"""`daxlab data` and `daxlab datasets`; and starting daxlab loads nothing heavy."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from daxlab.datasets import release

FEW_JUMP_8 = "add_prim_split/with_additional_examples/addprim_complex_jump_num8_rep1"


def test_list_has_every_split_with_its_sizes(daxlab, data) -> None:
    rows = {row["name"]: row for row in json.loads(daxlab("data", "list", "--json").stdout)}
    assert rows["jump"] == {
        "name": "jump",
        "origin": "rule",
        "train": 14_670,
        "distinct_train": 13_204,
        "tests": {"test": 7_706},
        "asks": "jump in company; seen alone",
    }
    assert (rows["simple"]["origin"], rows["simple"]["train"], rows["simple"]["tests"]["test"]) == (
        "seed",
        16_728,
        4_182,
    )
    assert (rows["mcd1"]["origin"], rows["mcd1"]["train"], rows["mcd1"]["tests"]) == (
        "file",
        8_365,
        {"test": 1_045, "dev": 1_046},
    )
    assert rows["release/few_shot_split/fewshot_num64_rep1"]["train"] == 15_286
    assert sum(name.startswith("release/") for name in rows) == 104
    assert all(row["train"] for row in rows.values())


def test_every_split_of_scan_says_what_it_asks_for(daxlab, nowhere: Path) -> None:
    rows = {row["name"]: row["asks"] for row in json.loads(daxlab("data", "list", "--json").stdout)}
    assert all(rows.values())
    assert rows["length"] == "over 22 actions; shorter seen"
    assert rows["few-jump-8-rep2"] == rows[f"release/{FEW_JUMP_8}"] == "jump in company; 8 such seen"
    assert rows["template-jump-around-right"] == "jump around right; none seen"
    assert rows["template-opposite-right"] == "any verb opposite right; none seen"


def test_list_hides_the_release_s_files_unless_all_are_asked_for(daxlab, nowhere: Path) -> None:
    assert "release/simple_split/simple" not in daxlab("data", "list").stdout
    assert "104 more" in daxlab("data", "list").stdout
    every = daxlab("data", "list", "--all").stdout
    assert "release/simple_split/simple" in every and "few-jump-8-rep2" in every


def test_list_works_without_any_published_data(daxlab, nowhere: Path) -> None:
    rows = {row["name"]: row for row in json.loads(daxlab("data", "list", "--json").stdout)}
    assert rows["mcd1"]["train"] is None
    assert rows["jump"]["train"] == 14_670
    table = daxlab("data", "list").stdout
    assert "few-jump-8-rep1…5" in table
    assert "daxlab data fetch scan" in table


def test_list_of_another_language_has_splits_of_its_own_primitives(daxlab, tiny: Path) -> None:
    names = [row["name"] for row in json.loads(daxlab("data", "list", "--data", tiny, "--json").stdout)]
    assert {"walk", "run", "jump"} <= set(names)
    assert not [name for name in names if name.startswith("release/")]


def test_datasets_lists_what_can_be_learned_from_and_how_to_get_the_rest(daxlab, nowhere: Path) -> None:
    listed = {row["name"]: row for row in json.loads(daxlab("datasets", "--json").stdout)}
    assert {"scan", "scan-dax", "tatoeba", "built-in", "FOLDER"} <= set(listed)
    assert "daxlab data fetch" in daxlab("datasets").stdout


def test_export_writes_two_files_and_names_them(daxlab, tmp_path: Path) -> None:
    done = daxlab("data", "export", "turn-left", "--to", tmp_path / "out", "--json")
    assert json.loads(done.stdout) == [str(tmp_path / "out" / "train.txt"), str(tmp_path / "out" / "test.txt")]
    assert len((tmp_path / "out" / "train.txt").read_text().splitlines()) == 21_890


def test_export_of_several_splits_as_parquet_ends_with_the_line_that_publishes_them(daxlab, tmp_path: Path) -> None:
    done = daxlab("data", "export", "jump", "turn-left", "--to", tmp_path, "--format", "parquet")
    *paths, _, last = done.stdout.splitlines()
    assert [str(Path(path).relative_to(tmp_path)) for path in paths] == [
        "jump/train.parquet",
        "jump/test.parquet",
        "turn-left/train.parquet",
        "turn-left/test.parquet",
        "README.md",
    ]
    assert last == f"To publish it: hf upload YOUR-NAME/scan {tmp_path} --repo-type dataset"


def test_verify_compares_every_file_with_what_the_rules_generate(daxlab, data, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(release, "PAIRS", ("length_split/length", release.SIMPLE))  # a part of it, for speed
    done = daxlab("data", "verify", data / "SCAN-master.zip")
    assert done.returncode == 0
    assert done.stdout.startswith("3 files matched our rules")
    assert "length_split" not in done.stdout
    assert "length_split" in daxlab("data", "verify", data / "SCAN-master.zip", "--all").stdout
    assert "2 files drawn by chance" in done.stdout
    (tmp_path / "tasks.txt").write_text("IN: jump OUT: I_JUMP\n")
    done = daxlab("data", "verify", tmp_path, "--json")
    assert done.returncode == 1
    assert {row["verdict"] for row in json.loads(done.stdout)} == {"differs", "missing"}


def test_fetch_prints_where_it_put_the_data(daxlab, data, nowhere: Path) -> None:
    done = daxlab("data", "fetch", "scan-mcd", "--from", data)
    assert done.returncode == 0
    assert str(nowhere / "scan-mcd") in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["data", "export", "jmp", "--to", "out"], "did you mean 'jump'"),
        (["data", "export", "jump", "--to", "out", "--format", "xml"], "no format is called 'xml'"),
        (["data", "verify", "nonesuch"], "there is no nonesuch"),
        (["data", "fetch", "nonesuch"], "nothing to fetch is called 'nonesuch'"),
        (["data", "fetch", "scan", "--from", "nonesuch"], "there is no nonesuch"),
        (["data", "nonesuch"], "No such command"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(daxlab, arguments: list[str], complaint: str, tmp_path: Path) -> None:
    done = daxlab(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", ["import daxlab", "from daxlab.cli import app; import typer.testing"])
def test_starting_loads_nothing_heavy(code: str) -> None:
    code += "; import sys; print([m for m in ('jax', 'numpy', 'polars', 'lark', 'rich.table') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.tsv").write_text("a dog\tdog\tseen\na dog\tdog\tseen\na cat\tcat\tseen\n")
    (folder / "gen.tsv").write_text("a cow\tcow\tnew\n")
    (folder / "dev.tsv").write_text("a cat\tcat\tseen\n")
    return folder


def test_list_of_a_folder_shows_all_test_sets(daxlab, folder: Path) -> None:
    rows = json.loads(daxlab("data", "list", "--data", folder, "--json").stdout)
    assert [(row["name"], row["train"], row["distinct_train"], row["tests"]) for row in rows] == [
        ("dev", 3, 2, {"dev": 1, "gen": 1}),
        ("gen", 3, 2, {"gen": 1, "dev": 1}),
    ]
    table = daxlab("data", "list", "-l", folder).stdout
    assert "other test sets" in table
    assert "gen 1" in table
    assert str(folder) in table


def test_a_folder_is_exported_and_read_back(daxlab, folder: Path, tmp_path: Path) -> None:
    done = daxlab("data", "export", "gen", "--data", folder, "--to", tmp_path / "copy", "--format", "tsv")
    assert done.returncode == 0, done.stderr
    for file in folder.iterdir():
        assert (tmp_path / "copy" / file.name).read_text() == file.read_text()


def test_sentence_pairs_are_listed_too(daxlab, nowhere) -> None:
    done = daxlab("data", "list", "--data", "built-in")
    assert "daxy-1000" in done.stdout
    assert "any daxy-N; -seedN after a name" in done.stdout
    assert "daxlab data fetch eng-fra" in daxlab("data", "list", "--data", "tatoeba").stderr


def test_the_list_of_datasets_says_how_to_get_each(nowhere, capsys: pytest.CaptureFixture[str]) -> None:
    from daxlab.cli.data import list_datasets

    list_datasets(as_json=True)
    entries = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert entries["scan"]["here"]
    assert not entries["tatoeba"]["here"]
    list_datasets()
    assert "daxlab data fetch eng-fra" in capsys.readouterr().out
