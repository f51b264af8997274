"""The checks of a program: one that answers as it should keeps all, and each kind of mistake breaks its own."""

import sys
from pathlib import Path

import pytest

from daxlab.check import Check, Finding
from daxlab.learners import Program, process
from daxlab.learners.checks import CHECKS, COMMANDS, LONG, TRAIN

LEARNERS = """
import itertools, os, random, subprocess, sys, tempfile, time

class Good:
    def fit(self, train, *, seed):
        self.known = dict(train)
    def predict(self, commands):
        return [self.known.get(command, "NO") for command in commands]

class Talks(Good):
    def predict(self, commands):
        print("noise")
        return super().predict(commands)

class Sorts(Good):
    def predict(self, commands):
        return super().predict(sorted(commands))

class LooksAround(Good):
    def predict(self, commands):
        return [answer + " MORE" * (len(set(commands)) > 1) for answer in super().predict(commands)]

class Changes(Good):
    def predict(self, commands):
        seen = set()
        return ["NO" if c in seen else seen.add(c) or answer for c, answer in zip(commands, super().predict(commands))]

class Draws(Good):
    def predict(self, commands):
        return [str(time.time_ns() + n) for n, command in enumerate(commands)]

class DrawsFromItsSeed(Good):
    def fit(self, train, *, seed):
        self.known = {command: str(random.Random(f"{seed} {command}").random()) for command, _ in train}

class Cuts(Good):
    def predict(self, commands):
        return [" ".join(answer.split()[:20]) for answer in super().predict(commands)]

class LeavesTemporary(Good):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        tempfile.mkdtemp()

class Caches(Good):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        self.cache = os.path.join(tempfile.gettempdir(), "cache", "compiled")
        os.makedirs(self.cache, exist_ok=True)

class CachesMore(Caches):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        tempfile.mkstemp(dir=self.cache)

class LeavesWeights(Good):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        open("weights.bin", "w").close()

class LeavesChild(Good):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        subprocess.Popen(["sleep", "1000"], start_new_session=True)

class Crashes(Good):
    def predict(self, commands):
        raise RuntimeError("not predicted")

class TooFew(Good):
    def predict(self, commands):
        return super().predict(commands)[1:]

def silent(commands):
    return ["" for command in commands]

if __name__ == "__main__":
    commands, answers = sys.argv[1:]
    out = sys.stdout if answers == "-" else open(answers, "w")
    for line in open(commands):
        print(line.split("\\t")[0], file=out)
"""
BROKEN = {
    "Good": {},
    "Talks": {},
    "Sorts": {"keeps-order", "one-at-a-time", "asked-twice"},
    "LooksAround": {"one-at-a-time"},
    "Changes": {"asked-twice"},
    "Draws": {"repeats-with-seed", "asked-twice"},
    "DrawsFromItsSeed": {},
    "Cuts": {"long-answers"},
    "LeavesTemporary": {"leaves-nothing"},
    "Caches": {},
    "CachesMore": {"leaves-nothing"},
    "LeavesWeights": {"leaves-nothing"},
    "LeavesChild": {"leaves-nothing"},
    "Crashes": {"answers-all"},
    "TooFew": {"answers-all"},
    "silent": {},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder of its own, with the learners."""
    (tmp_path / "mine.py").write_text(f"{LEARNERS}# {tmp_path}\n")  # no two tests share what was run
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(process, "GRACE", 0.5)


def verdicts(program: Program) -> dict[str, str]:
    return {check.id: check(program).verdict for check in CHECKS}


def broken(program: Program) -> set[str]:
    return {name for name, verdict in verdicts(program).items() if verdict == "broken"}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_look_up_table_keeps_every_promise(check: Check) -> None:
    finding = check(Program("mine.py:Good"))
    assert (finding.id, finding.verdict, finding.change) == (check.id, "kept", "") and finding.seen


@pytest.mark.parametrize("name", BROKEN)
def test_a_mistake_breaks_the_checks_that_it_concerns_and_no_other(name: str) -> None:
    assert broken(Program(f"mine.py:{name}")) == set(BROKEN[name])


def test_what_was_seen_and_what_to_change_are_said() -> None:
    def found(name: str, id: str) -> Finding:
        return next(check for check in CHECKS if check.id == id)(Program(f"mine.py:{name}"))

    sorts = found("Sorts", "keeps-order")
    assert sorts.seen.startswith("16 of 16 answers differ; to 'blicket': 'ZUP ZUP', then 'ZUP DAX LUG")
    assert "put the answers back" in sorts.change  # blicket is asked last, and "zup twice" is the last in the alphabet
    assert found("Caches", "leaves-nothing").seen.endswith("to which the next run adds nothing: cache")
    assert found("LeavesChild", "leaves-nothing").seen == "it left the process sleep"
    assert found("LeavesWeights", "leaves-nothing").seen == f"it left {Path.cwd() / 'weights.bin'}"


def test_a_check_that_the_class_excepts_is_not_broken() -> None:
    Path("mine.py").write_text(
        LEARNERS.replace("class Cuts(Good):\n", "class Cuts(Good):\n    exceptions = {'long-answers': 'short'}\n")
    )
    assert verdicts(Program("mine.py:Cuts"))["long-answers"] == "excepted"
    assert broken(Program("mine.py:Cuts")) == set()


def test_answers_that_go_by_standard_output_do_not_survive_noise() -> None:
    words = f"{sys.executable} mine.py {{commands}}"
    by_output = Program(command=f"{words} - > {{answers}}", format="tsv")
    assert broken(by_output) == {"survives-noise"}
    assert broken(Program(command=f"{words} {{answers}}", format="tsv")) == set()


def test_what_a_broken_check_hides_is_unclear() -> None:
    assert set(verdicts(Program("mine.py:Crashes")).values()) == {"broken", "unclear"}
    drawn = verdicts(Program("mine.py:Draws"))
    assert {drawn["keeps-order"], drawn["one-at-a-time"], drawn["survives-noise"]} == {"unclear"}


def test_learning_nothing_is_a_note() -> None:
    found = verdicts(Program("mine.py:silent"))
    assert found.pop("learns-training") == "note" and set(found.values()) == {"kept"}


def test_the_dataset_asks_for_an_answer_as_long_as_scans_longest_and_for_a_command_that_is_not_in_training() -> None:
    from daxlab import dataset

    assert len(LONG.actions) == max(len(example.actions) for example in dataset("scan").examples())
    assert set(COMMANDS) > {example.command for example in TRAIN} and len(set(COMMANDS)) == len(COMMANDS)
