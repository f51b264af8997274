"""The checks of a network, and of other learners of daxlab: each mistake breaks the checks that it concerns."""

from pathlib import Path

import pytest

from daxlab import InputError, learners
from daxlab.learners.checks import CHECKS, OF_A_PROCESS, checks_of
from daxlab.networks.conformance import CHECKS as CONTRACT

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
BAG = CONTRIBUTING.read_text(encoding="utf-8").partition("```python\nimport jax\n")[2].partition("```")[0]
MISTAKES = """
class {name}(Bag):
    @staticmethod
    def start(key, *, words, actions):
        return {name}(**vars(Bag.start({key}, words=words, actions=actions)))
"""
NETWORKS = f"""
import jax
{BAG}
{MISTAKES.format(name="Unlearned", key="key")}
    def loss(self, command, actions, **how):
        fixed = jax.lax.stop_gradient(self.output)
        return super().loss(command, actions, **how) if fixed is None else Bag(
            jax.lax.stop_gradient(self.words), jax.lax.stop_gradient(self.positions), fixed
        ).loss(command, actions, **how)
{MISTAKES.format(name="DrawsItself", key="jax.random.key(__import__('random').getrandbits(30))")}
{MISTAKES.format(name="TooShort", key="key")}
    def _logits(self, command, time):
        return super()._logits(command, time) if time < 20 else super()._logits(command, time)[:20]
{MISTAKES.format(name="SeesPadding", key="key")}
    def _logits(self, command, time):
        return super()._logits(command, time) * len(command)
"""
LEARNERS = """
from dataclasses import dataclass
from daxlab.learners import Learner

class Table:
    def __init__(self, known):
        self.known = known
    def answers(self, commands):
        return [self.known.get(command, ("NO",)) for command in commands]

class Counting(Table):
    def answers(self, commands):
        return [(str(len(commands)),) for command in commands]

@dataclass(frozen=True)
class Memory(Learner):
    def fit_one(self, split, seed):
        return self.model({example.command: example.actions for example in split.train})
    def model(self, known):
        return Table(known)

@dataclass(frozen=True)
class Batched(Memory):
    def model(self, known):
        return Counting(known)

@dataclass(frozen=True)
class Crashes(Memory):
    def model(self, known):
        raise RuntimeError("not made")

class Program:
    def fit(self, train, *, seed): ...
    def predict(self, commands): ...
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "networks.py").write_text(NETWORKS)
    (tmp_path / "memory.py").write_text(LEARNERS)
    monkeypatch.chdir(tmp_path)


def verdicts(name: str) -> dict[str, str]:
    learner = learners.make(name)
    return {check.id: check(learner).verdict for check in checks_of(learner)}


def broken(name: str) -> set[str]:
    return {check for check, verdict in verdicts(name).items() if verdict == "broken"}


@pytest.mark.slow
def test_the_network_of_the_page_keeps_every_promise_and_lacks_two_abilities() -> None:
    found = verdicts("networks.py:Bag")
    assert [*found] == [*(check.id for check in CONTRACT), "group", "overfits", "saves-and-loads"]
    assert {check for check, verdict in found.items() if verdict == "note"} == {"states", "attention"}
    assert set(found.values()) == {"kept", "note"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mistakes"),
    [
        ("SeesPadding", {"padding"}),
        ("Unlearned", {"overfits"}),
        ("DrawsItself", {"stacking", "group"}),
        ("TooShort", {"group", "overfits", "saves-and-loads"}),
    ],
)
def test_a_mistake_of_a_network_breaks_the_checks_that_it_concerns(name: str, mistakes: set[str]) -> None:
    assert mistakes <= broken(f"networks.py:{name}")


def test_what_a_network_raises_is_a_finding_with_its_line() -> None:
    learner = learners.make("networks.py:TooShort")
    finding = next(check for check in checks_of(learner) if check.id == "overfits")(learner)
    assert finding.verdict == "broken" and "(networks.py, line " in finding.seen


def test_another_learner_is_asked_what_a_program_is_asked_and_started_no_process() -> None:
    found = verdicts("memory.py:Memory")
    assert [*found] == [check.id for check in CHECKS if check.id not in OF_A_PROCESS]
    assert set(found.values()) == {"kept"}
    assert broken("memory.py:Batched") == {"one-at-a-time"}
    assert set(verdicts("memory.py:Crashes").values()) == {"broken", "unclear"}


def test_answers_made_elsewhere_cannot_be_checked() -> None:
    with pytest.raises(InputError, match="daxlab score"):
        checks_of(learners.make("take-home", {"name": "mine"}))
