"""A folder of TSV files is a dataset: train.tsv, every other file a test set, a third column a category."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from daxlab import Example, InputError, dataset
from daxlab.datasets import FolderDataset
from made_up_examples import TOKENS, examples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.tsv").write_text("a dog ran\trun ( dog )\na cat ran\trun ( cat )\na dog ran\trun ( dog )\n")
    (tmp_path / "gen.tsv").write_text("a cow ran\trun ( cow )\tnew noun\na dog sat\tsit ( dog )\tnew verb\n")
    (tmp_path / "dev.tsv").write_text("a cat ran\trun ( cat )\na cat ran\trun ( cat )\n")
    return tmp_path


def test_a_line_is_an_example_and_a_repeated_training_line_is_presented_more_often(folder: Path) -> None:
    one = dataset(str(folder)).split("gen")
    assert one.train == (Example("a dog ran", ("run", "(", "dog", ")")), Example("a cat ran", ("run", "(", "cat", ")")))
    assert (one.weights, one.presentations, one.origin) == ((2, 1), 3, "file")
    assert one.test[0] == Example("a cow ran", ("run", "(", "cow", ")"), "new noun")
    assert len(one.tests["dev"]) == 2  # a test line counts as often as it stands there


def test_there_is_a_split_for_each_test_set_and_each_has_all_test_sets(folder: Path) -> None:
    found = dataset(str(folder))
    assert isinstance(found, FolderDataset)
    assert found.split_names() == ["dev", "gen"]
    assert [list(found.split(name).tests) for name in ("dev", "gen")] == [["dev", "gen"], ["gen", "dev"]]
    assert found.split("dev").digest != found.split("gen").digest
    (folder / "test.tsv").write_text("a dog ran\trun ( dog )\n")
    assert dataset(str(folder)).split_names() == ["test", "dev", "gen"]
    assert dataset(str(folder)).digest != found.digest


def test_a_changed_file_is_read_again(folder: Path) -> None:
    found = dataset(str(folder))
    before = found.digest
    assert dataset(str(folder)) is found
    (folder / "gen.tsv").write_text("a dog ran\trun ( dog )\n")
    assert dataset(str(folder)).digest != before


def test_it_tells_about_itself(folder: Path) -> None:
    found = dataset(str(folder))
    assert found.name == str(folder)
    assert found.about == f"{folder}: 3 training examples; test sets: dev 2, gen 2"
    assert (found.probes(), found.grammar, found.scores(found.split("gen").test, [(), ()])) == ([], None, {})
    assert len(found.examples()) == 6
    (row, _) = found.sizes()
    assert (row.train, row.distinct_train, row.tests) == (3, 2, {"dev": 2, "gen": 2})


def test_a_test_word_that_training_lacks_is_named_with_its_line(folder: Path) -> None:
    found = dataset(str(folder))
    inputs = [warning for warning in found.warnings(found.split("gen")) if "inputs" in warning]
    assert [warning.partition(" never")[0] for warning in inputs] == [
        "gen.tsv, line 1: 'cow'",
        "gen.tsv, line 2: 'sat'",
    ]
    assert inputs[0].endswith("in the inputs of train.tsv; learners see it as a word they were never trained on")


def test_an_output_word_that_training_lacks_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a\tA\nb\tB\n")
    (tmp_path / "gen.tsv").write_text("a b\tA B\nb\tQQ\n")
    found = dataset(str(tmp_path))
    (warning,) = found.warnings(found.split("gen"))
    assert warning.startswith("gen.tsv, line 2: 'QQ' never occurs in the outputs of train.tsv")


def test_training_lines_that_contradict_each_other_are_named(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a\tA\nb\tB\na\tA\na\tB\n")
    (tmp_path / "gen.tsv").write_text("a b\tA B\n")
    found = dataset(str(tmp_path))
    (warning,) = found.warnings(found.split("gen"))
    assert warning.startswith("train.tsv, line 4: 'a' has another output than on line 1")


PAULA = "paint ( agent = Paula , theme = cake ( nmod . in = closet ) )"


def test_lines_of_a_test_set_that_contradict_each_other_are_named(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a\tA\nb\tB\n")
    (tmp_path / "gen.tsv").write_text("a b\tA B\na b\tB A\na b\tA B\n")
    data = dataset(str(tmp_path))
    (warning,) = data.warnings(data.split("gen"))
    assert warning.startswith("gen.tsv, line 2: 'a b' has another output than on line 1")


def test_it_knows_which_test_sets_are_new(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a\tA\n")
    (tmp_path / "gen.tsv").write_text("a a\tA A\n")
    before = dataset(str(tmp_path)).digest
    for name in ("dev", "other"):
        (tmp_path / f"{name}.tsv").write_text(f"{name}\tA\n")
        after = dataset(str(tmp_path))
        new = "dev.tsv is new" if name == "dev" else "dev.tsv, other.tsv are new"
        assert after.changed_since(before).startswith(new)
    (tmp_path / "gen.tsv").write_text("a a\tA\n")
    assert dataset(str(tmp_path)).changed_since(before) == ""


def test_cogs_own_files_are_read_as_they_are(data) -> None:
    cogs = dataset(str(data / "cogs-variable-free"))
    gen = cogs.split("gen")
    assert (gen.presentations, {name: len(test) for name, test in gen.tests.items()}) == (
        24_155,
        {"gen": 21_000, "test": 3_000, "dev": 3_000},
    )
    assert len({example.category for example in gen.test}) == 21
    assert {example.category for example in gen.tests["test"]} == {"in_distribution"}
    assert gen.test[0] == Example(
        "Paula painted a cake in a closet .",
        tuple(PAULA.split()),
        "prim_to_subj_proper",
    )
    assert {warning.split("'")[1] for warning in cogs.warnings(gen)} == {"gardner", "monastery"}


@given(
    st.booleans().flatmap(lambda some: st.lists(examples(TOKENS if some else st.just("")), min_size=1)), st.booleans()
)
def test_any_table_reads_back_the_same(tmp_path_factory, table: list[Example], windows: bool) -> None:
    folder = tmp_path_factory.mktemp("table")
    rows = [[command, " ".join(actions), *filter(None, [category])] for command, actions, category in table]
    end = "\r\n" if windows else "\n"
    content = "".join("\t".join(row) + end for row in rows).encode("utf-8-sig" if windows else "utf-8")
    for name in ("train.tsv", "gen.tsv"):
        (folder / name).write_bytes(content)
    one = dataset(str(folder)).split("gen")
    assert one.test == tuple(table)
    assert one.train == tuple(dict.fromkeys(table))
    assert one.weights == tuple(table.count(example) for example in one.train)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (
            b"a\tA\nb\n",
            "gen.tsv, line 2: 1 column between tabs, not two or three; every line has an input, a tab and an output",
        ),
        (b"a\n", "gen.tsv, line 1: 1 column between tabs"),
        (b"a\tA\nb\tB\tc\n", "gen.tsv, line 2: 3 columns, but line 1 has 2; is there a tab too many"),
        (b"a\tA\tc\nb\tB\n", "gen.tsv, line 2: 2 columns, but line 1 has 3"),
        (b"a\tA\nb\tB\tc\td\n", "gen.tsv, line 2: 4 columns between tabs, not two or three"),
        (b"a\tA\n\nb\tB\n", "gen.tsv, line 2: the line is empty"),
        (b"\na\tA\n", "gen.tsv, line 1: the line is empty"),
        (b"a\tA\n \t \n", "gen.tsv, line 2: the line is empty"),
        (b"a\tA\n\tB\n", "gen.tsv, line 2: an input is missing"),
        (b"a\tA\rb\tB\r", "gen.tsv, line 1: a carriage return within the line; save the file with line ends"),
        (b"a\tA\nb\t \n", "gen.tsv, line 2: an output is missing"),
        (b"a\tA\nb\t\xe9t\xe9\n", r"gen.tsv, line 2: not UTF-8 \(byte 0xe9 at position 3\); save the file as UTF-8"),
        (b"\xef\xbb\xbf\xe9\tA\n", r"gen.tsv, line 1: not UTF-8 \(byte 0xe9 at position 1\)"),
        ("a\tA\n".encode("utf-16"), r"gen.tsv, line 1: not UTF-8 \(byte 0xff at position 1\)"),
        (b"", "gen.tsv is empty"),
    ],
)
def test_what_is_no_example_is_refused_by_file_and_line(folder: Path, content: bytes, complaint: str) -> None:
    (folder / "gen.tsv").write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        dataset(str(folder)).split("gen")


@pytest.mark.parametrize("file", ["train.tsv", "gen.tsv"])
@pytest.mark.parametrize("header", ["input\toutput", "Source\tTarget", " command\tactions\r"])
def test_a_header_is_refused(folder: Path, file: str, header: str) -> None:
    (folder / file).write_text(f"{header}\na dog ran\trun ( dog )\n")
    with pytest.raises(InputError, match=f"{file}, line 1 has the names of columns, not an example; delete the line"):
        dataset(str(folder)).split("gen")


def test_an_example_is_no_header_if_its_word_occurs_again(folder: Path) -> None:
    (folder / "train.tsv").write_text("input\toutput\nan input\tan output\n")
    assert dataset(str(folder)).split("gen").train[0] == Example("input", ("output",))


@given(st.lists(st.sampled_from([b"a", b" ", b"\t", b"\n", b"\r", b"\xc3\xa9", b"\xe9", b"\xef\xbb\xbf", b"\x00"])))
def test_any_bytes_are_examples_or_refused(tmp_path_factory, parts: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "train.tsv").write_text("a\tA\n")
    (folder / "gen.tsv").write_bytes(b"".join(parts))
    try:
        test = dataset(str(folder)).split("gen").test
    except InputError as error:
        assert "gen.tsv" in str(error)
    else:
        assert len(test) == b"".join(parts).removesuffix(b"\n").count(b"\n") + 1
        assert all(example.command and example.actions for example in test)


def test_a_folder_without_training_or_test_is_refused(folder: Path) -> None:
    for file in ("gen.tsv", "dev.tsv"):
        (folder / file).unlink()
    (folder / "._dev.tsv").write_bytes(b"\x00\x05")  # a file system's own notes are no test set
    with pytest.raises(InputError, match=r"has no test set: put another \.tsv file beside train\.tsv"):
        dataset(str(folder)).split_names()
    (folder / "train.tsv").rename(folder / "test.tsv")
    with pytest.raises(InputError, match=r"has no train\.tsv"):
        dataset(str(folder)).split_names()


def test_an_unknown_test_set_gets_the_nearest_name(folder: Path) -> None:
    with pytest.raises(InputError, match="has no test set called 'gne'; did you mean 'gen'"):
        dataset(str(folder)).split("gne")
    with pytest.raises(InputError, match="has no test set called 'jump'; there are dev, gen"):
        dataset(str(folder)).split("jump")
