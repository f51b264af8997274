"""Answers that exist are scored by exact match; what was not asked, or not answered, is found."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from daxlab import Example, InputError, Split, dataset, split
from daxlab.analysis.score import better_split, by_category, read_answers, score
from made_up_examples import splits


@given(splits(), st.data())
def test_the_accuracy_is_the_share_of_answers_that_are_exactly_right(asked: Split, data: st.DataObject) -> None:
    """In whatever order the commands come; a command that is asked several times is answered as often."""
    test = asked.test
    right = data.draw(st.lists(st.booleans(), min_size=len(test), max_size=len(test)))
    answered: dict[str, list[tuple[str, ...]]] = {}
    for example, good in zip(test, right, strict=True):
        answered.setdefault(example.command, []).append(example.actions if good else (*example.actions, "more"))
    shuffled = {command: answered[command] for command in data.draw(st.permutations(list(answered)))}
    result = score(test, shuffled)
    assert result.right == right
    assert not (result.missing or result.unknown or result.duplicate)
    categories = by_category(test, right)
    assert bool(categories) == any(example.category for example in test)
    for name, row in categories.items():
        part = [good for example, good in zip(test, right, strict=True) if example.category == name]
        assert row == {"accuracy": 100 * sum(part) / len(part), "right": sum(part), "of": len(part)}


def test_missing_unknown_and_duplicate_commands_are_named() -> None:
    test = [Example("a", ("A",)), Example("b", ("B",)), Example("c", ("C",)), Example("c", ("C", "C"))]
    result = score(test, {"a": [("A",), ("X",)], "c": [("C",)], "d": [("D",), ("D",)]})
    assert (result.missing, result.unknown, result.duplicate) == (["b"], ["d"], ["a"])
    assert result.right == [True, False, True, False]  # the first answer counts; the one to c is to both
    assert score(test[2:], {"c": [("C",), ("C", "C")]}).right == [True, True]
    assert score(test[2:], {"c": [("C",)] * 3}).duplicate == ["c"]


@pytest.mark.parametrize(
    ("answers", "asked", "better"),
    [
        ("jump", "turn-left", "jump"),
        ("jump", "few-jump-4-rep1", "jump"),
        ("simple", "size-1", "simple"),
        ("jump", "jump-once", None),  # the same test set
    ],
)
def test_answers_to_another_split_are_recognised(answers: str, asked: str, better: str | None, nowhere) -> None:
    answered = {example.command: [example.actions] for example in split(answers).test}
    found = better_split(dataset("scan"), answered, split(asked).test)
    assert (found and found[0].name) == better


def test_answers_that_are_only_too_few_are_not_taken_for_another_split_s() -> None:
    jump = split("jump").test
    answered = {example.command: [example.actions] for example in jump[3:]} | {"dax twice": [("I_DAX",) * 2]}
    assert better_split(dataset("scan"), answered, jump) is None


def test_a_further_test_set_is_recognised_too(tmp_path: Path) -> None:
    for name in ("train", "test", "gen"):
        (tmp_path / f"{name}.tsv").write_text("".join(f"{name} {n}\tA\n" for n in range(4)))
    data = dataset(str(tmp_path))
    found = better_split(data, {f"gen {n}": [("A",)] for n in range(4)}, data.split("test").test)
    assert found == (data.split("test"), "gen")
    assert better_split(data, {"gen 0": [("A",)]}, data.split("test").test) is None


@given(st.dictionaries(st.text("ab", min_size=1), st.lists(st.sampled_from("AB"))))
def test_both_formats_are_read(tmp_path_factory: pytest.TempPathFactory, answers: dict[str, list[str]]) -> None:
    folder = tmp_path_factory.mktemp("answers")
    rows = [{"command": command, "answer": answer, "more": 1} for command, answer in answers.items()]
    texts = [row | {"answer": " ".join(row["answer"])} for row in rows]
    (folder / "lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "texts.jsonl").write_text("\n".join(json.dumps(row) for row in texts))
    (folder / "tabs.tsv").write_text("".join(f"{row['command']}\t{row['answer']}\r\n" for row in texts))
    for path in folder.iterdir():
        if answers:
            assert read_answers(path) == {command: [tuple(answer)] for command, answer in answers.items()}
        else:
            with pytest.raises(InputError, match="is empty"):
                read_answers(path)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.jsonl", '{"command": "a", "answer": "A"}\n{', "line 2: not JSON"),
        ("a.jsonl", '{"command": "a"}', 'line 1: expected {"command"'),
        ("a.jsonl", '{"command": "a", "answer": 3}', "line 1: expected"),
        ("a.jsonl", "[1]", "line 1: expected"),
        ("a.jsonl", '{"command": "a", "answer": "\\ud800"}', "line 1: the answer has half a character"),
        ("a.tsv", "a A", "line 1: expected a command, a tab and an answer"),
        ("a.tsv", "a\tA\tB", "line 1: expected a command, a tab and an answer"),
        ("a.tsv", b"\xff\tA", "not UTF-8"),
        ("a.csv", "command,answer", "end its name in .jsonl or .tsv"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, complaint: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as told:
        read_answers(path)
    assert complaint in str(told.value)
