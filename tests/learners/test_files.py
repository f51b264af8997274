"""Learners in files: each class is itself, whatever else stands in its file."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from daxlab import InputError, learners
from daxlab.analysis.accuracy import settings
from daxlab.learners import RNN
from daxlab.ledger import Group, Ledger, Run, Writer, key
from daxlab.ledger.spec import Spec
from daxlab.sweep import plan_sweep
from daxlab.sweep.estimates import estimate
from daxlab.sweep.groups import grouped

HEAD = """
from __future__ import annotations
from dataclasses import dataclass
from typing import Literal
from daxlab.learners import RNN, Learner, setting

class Say:
    def __init__(self, word): self.word = word
    def answers(self, commands): return [(self.word,) for _ in commands]
"""
PLAIN = """
@dataclass(frozen=True)
class {name}(Learner):
    word: str = setting("I_WALK", "what it says")
    sizes: tuple[int, ...] = (1, 2)
    number: Literal[1, 2] = 1
    def fit_one(self, split, seed):
        return Say(self.word)
    @property
    def together(self):
        return "all"
"""
MINE = """
@dataclass(frozen=True)
class Mine(RNN):
    pass
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "two.py"
    path.write_text(HEAD + PLAIN.format(name="A") + PLAIN.format(name="B") + MINE)
    monkeypatch.chdir(tmp_path)
    return "two.py"


def test_two_classes_of_one_file_have_keys_of_their_own(file: str) -> None:
    assert key(learners.make(f"{file}:A").facts()) != key(learners.make(f"{file}:B").facts())


def test_a_variation_of_the_papers_networks_does_not_have_their_keys(file: str) -> None:
    mine = learners.make(f"{file}:Mine")
    assert key(mine.facts()) != key(RNN().facts())
    assert learners.of(mine.facts()) == mine and RNN.source is None


def test_an_imported_class_is_not_the_files(file: str) -> None:
    with pytest.raises(InputError, match="has no class 'RNN'"):
        learners.make(f"{file}:RNN")


def test_fields_of_other_types_are_read_from_text(file: str) -> None:
    made = learners.from_text(f"{file}:A", {"sizes": "[3, 4]", "number": "2"})
    assert (made.sizes, made.number) == ((3, 4), 2)  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(made)) == made and hash(made)
    with pytest.raises(InputError, match="number is one of 1, 2, not '3'"):
        learners.from_text(f"{file}:A", {"number": "3"})


@pytest.mark.parametrize("field", ["kind", "together", "steps"])
def test_a_field_does_not_hide_a_part_of_the_contract(tmp_path: Path, field: str) -> None:
    path = tmp_path / "odd.py"
    path.write_text(HEAD + PLAIN.format(name="Odd").replace("word: str", f"{field}: str").split("    @property")[0])
    with pytest.raises(InputError, match=f"cannot be called '{field}'"):
        learners.make(f"{path}:Odd")


def test_a_number_too_large_to_compute_with_is_one_sentence() -> None:
    for field in ("hidden", "clip"):
        with pytest.raises(InputError, match=field):
            learners.from_text("rnn", {field: "1" + "0" * 400})


def test_each_job_is_fitted_by_its_own_learner_and_classes_do_not_share_a_group(file: str) -> None:
    specs = [Spec("jump", 0, learners.from_text(f"{file}:A", {"word": word})) for word in ("I_JUMP", "I_RUN")]
    specs.append(Spec("jump", 0, learners.make(f"{file}:B")))
    facts = {key(spec.facts()): spec.facts() for spec in specs}
    groups = grouped(facts, {key(spec.facts()): spec for spec in specs}, "gpu")
    assert sorted(len(group.members) for group in groups) == [1, 2]
    fitted = specs[0].learner.fit([spec.job() for spec in specs[:2]], learners.Context())
    assert fitted is not None
    asked = [spec.content().test[:1] for spec in specs[:2]]
    assert [answered.answers for answered in fitted.ask(asked)] == [[("I_JUMP",)], [("I_RUN",)]]


def test_a_recorded_group_of_several_widths_is_planned_again(tmp_path: Path) -> None:
    """Earlier versions padded narrow networks, so that they shared a group with wider ones."""
    ledger = tmp_path / "runs.db"
    specs = [Spec("jump", 0, RNN(hidden=hidden)) for hidden in (4, 6)]
    with Writer(ledger) as writer:
        writer.record([Group(members=[spec.facts() for spec in specs], plan={"device": "gpu"}, updates=200)])
        writer.progress({writer.ledger.groups()[0].key: 200})
    assert [len(group.members) for group in plan_sweep(specs, ledger, "gpu").groups] == [1, 1]
    same = [replace(spec, learner=RNN(hidden=4, dropout=rate)) for spec, rate in zip(specs, (0.1, 0.5), strict=True)]
    assert [len(group.members) for group in plan_sweep(same, ledger, "gpu").groups] == [2]


@pytest.mark.parametrize("answer", ['"I_WALK"', "(3,)"])
def test_an_answer_that_is_no_list_of_words_is_refused(tmp_path: Path, answer: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text((HEAD + PLAIN.format(name="Wrong")).replace("[(self.word,) for", f"[{answer} for"))
    spec = Spec("jump", 0, learners.make(f"{path}:Wrong"))
    fitted = spec.learner.fit([spec.job()], learners.Context())
    assert fitted is not None
    with pytest.raises(InputError, match="an answer is a list of words"):
        fitted.ask([spec.content().test[:2]])


def test_runs_of_a_changed_file_are_no_replicates(file: str, tmp_path: Path) -> None:
    with Writer(tmp_path / "runs.db") as writer:
        for seed in range(2):
            facts = Spec("jump", seed, learners.make(f"{file}:A")).facts()
            writer.add([Run(spec=facts, metrics={"accuracy": 50.0 * seed})])
            (tmp_path / file).write_text((tmp_path / file).read_text() + "# changed\n")
    with Ledger(tmp_path / "runs.db") as ledger:
        assert settings(ledger)["runs"].to_list() == [1, 1]


def test_a_run_of_far_fewer_steps_says_nothing_of_the_time(tmp_path: Path) -> None:
    short, long = (Spec("jump", 0, RNN(updates=updates)).facts() for updates in (100, 100_000))
    group = Group(members=[long], plan={"device": "cpu"})
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([Run(spec=short, timing={"seconds": 9.0}, origin={"platform": "cpu"})])
        assert estimate([group], "cpu", 1, [writer.ledger]).seconds is None


def test_a_learner_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "base_of_mine.py").write_text(HEAD)
    (tmp_path / "mine.py").write_text("from base_of_mine import Say\nclass Mine(Say): pass\n")
    with pytest.raises(InputError, match=r"line 1: it imports base_of_mine.py, but .*: put into mine.py what it needs"):
        learners.find(f"{tmp_path / 'mine.py'}:Mine")


def test_a_change_of_a_file_that_is_imported_from_beside_it_makes_another_learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)  # where Python finds the other file
    (tmp_path / "base_found.py").write_text(HEAD)
    (tmp_path / "mine.py").write_text("from base_found import *\n" + PLAIN.format(name="Mine"))
    before = learners.make(f"{tmp_path / 'mine.py'}:Mine").facts()
    assert learners.still_here(before)
    (tmp_path / "base_found.py").write_text(f"{HEAD}# changed")
    assert not learners.still_here(before)
    assert key(learners.make(f"{tmp_path / 'mine.py'}:Mine").facts()) != key(before)
