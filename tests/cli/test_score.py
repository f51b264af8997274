"""`daxlab score`: answers that exist."""

import json
from pathlib import Path

import pytest

from daxlab import dataset, split


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Right answers to turn-left, but for one."""
    rows = [{"command": e.command, "answer": list(e.actions)} for e in split("turn-left").test]
    rows[3]["answer"] = ["I_JUMP"]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_accuracy_and_the_wrong_answers_are_shown(daxlab, answers: Path) -> None:
    wrong = split("turn-left").test[3]
    told = daxlab("score", answers, "--split", "turn-left").stdout
    assert "1,207 of 1,208 commands right on turn-left: 99.92%" in told
    assert f"{wrong.command}\n  target  {' '.join(wrong.actions)}\n  answer  I_JUMP\n" in told
    content = json.loads(daxlab("score", answers, "--split", "turn-left", "--json").stdout)
    assert (content["accuracy"], content["right"], content["commands"]) == (100 * (1207 / 1208), 1207, 1208)
    assert content["wrong"] == [{"command": wrong.command, "target": " ".join(wrong.actions), "answer": "I_JUMP"}]


def test_what_does_not_fit_is_an_error_unless_it_is_to_be_scored_as_it_is(daxlab, answers: Path) -> None:
    first, second, *_ = lines = answers.read_text().splitlines()
    more = [first, json.dumps({"command": "dax twice", "answer": "I_DAX"})]
    answers.write_text("\n".join([first, *lines[2:], *more]))
    missing = json.loads(second)["command"]
    done = daxlab("score", answers, "--split", "turn-left")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"1 command not answered ({missing!r}), 1 command not asked ('dax twice')" in done.stderr
    assert "1 command answered more often than asked" in done.stderr and "--partial" in done.stderr
    done = daxlab("score", answers, "--split", "turn-left", "--partial")
    assert "1,206 of 1,208 commands right" in done.stdout and "  answer  –\n" in done.stdout
    assert f"1 command not answered ({missing!r}): counted as wrong" in done.stderr
    content = json.loads(daxlab("score", answers, "--split", "turn-left", "--partial", "--json").stdout)
    assert content["missing"] == {"count": 1, "first": [missing]}
    assert content["unknown"] == {"count": 1, "first": ["dax twice"]}


def test_answers_with_a_name_become_a_run_and_have_a_card(daxlab, answers: Path, tmp_path: Path) -> None:
    words = ("score", answers, "--split", "turn-left", "--name", "mine", "--ledger", tmp_path / "a.db")
    told = daxlab(*words).stdout
    assert "turn-left" in told and "99.92" in told
    assert daxlab(*words).stdout == told  # again: the same run
    card = json.loads(daxlab(*words, "--seed", "1", "--json").stdout)
    assert (card["splits"]["turn-left"]["runs"], card["splits"]["turn-left"]["mean"]) == (2, 100 * (1207 / 1208))
    rows = json.loads(daxlab("runs", "list", "--ledger", tmp_path / "a.db", "--json").stdout)
    assert {(row["seed"], row["status"]) for row in rows} == {(0, "done"), (1, "done")}
    answers.write_text(answers.read_text().replace("I_JUMP", "I_LOOK"))
    done = daxlab(*words)
    assert done.returncode == 2 and "has other answers of mine" in done.stderr and "another --name" in done.stderr
    answers.write_text(answers.read_text().partition("\n")[2])
    done = daxlab(*words, "--partial")
    assert done.returncode == 2 and "leave out --name" in done.stderr


def test_answers_to_another_split_are_recognised(daxlab, answers: Path) -> None:
    done = daxlab("score", answers, "--split", "jump")
    assert (done.returncode, "are they answers to turn-left?" in done.stderr) == (2, True)
    done = daxlab("score", answers, "--split", "turn-left", "--data", "disguised:scan")
    assert (done.returncode, "are they answers to turn-left of --data scan?" in done.stderr) == (2, True)
    hidden = dataset("disguised:scan").split("turn-left").test
    answers.write_text("".join(json.dumps({"command": e.command, "answer": ""}) + "\n" for e in hidden))
    done = daxlab("score", answers, "--split", "turn-left")
    assert (done.returncode, "answers to turn-left of --data disguised:scan?" in done.stderr) == (2, True)
    answers.write_text(json.dumps({"command": "dax", "answer": ""}))
    assert "are they" not in daxlab("score", answers, "--split", "turn-left").stderr


def test_a_file_that_is_not_there_is_said_to_be_so(daxlab, tmp_path: Path) -> None:
    done = daxlab("score", tmp_path / "home")
    assert (done.returncode, f"there is no file or folder {tmp_path / 'home'}" in done.stderr) == (2, True)


def test_a_folder_is_scored_by_category_on_any_of_its_test_sets(daxlab, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("train", "test", "gen"):
        (tmp_path / "data" / f"{name}.tsv").write_text(f"{name} one\tA\tshort\n{name} two\tA B\tlong\n")
    (tmp_path / "mine.tsv").write_text("gen one\tA\ngen two\tA\n")
    words = ("score", tmp_path / "mine.tsv", "--data", tmp_path / "data")
    told = daxlab(*words, "--test", "gen").stdout
    assert "1 of 2 sentences right on gen of test: 50.00%" in told and "short" in told
    content = json.loads(daxlab(*words, "--test", "gen", "--json").stdout)
    assert content["categories"]["long"] == {"accuracy": 0.0, "right": 0, "of": 1}
    assert "are they answers to gen of test?" in daxlab(*words).stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--split", "jmup"], "did you mean 'jump'?"),
        (["--split", "jump", "--test", "tset"], "jump has no test set 'tset'; did you mean 'test'?"),
        ([], "say which split they answer"),
        (["--split", "turn-left", "--name", "me", "--partial", "--seed", "-1"], "seed"),
    ],
)
def test_bad_input_is_one_sentence(daxlab, answers: Path, words: list[str], complaint: str) -> None:
    done = daxlab("score", answers, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and "Traceback" not in done.stderr
