"""An outside program is a learner like any other, whatever it is written in, and whatever it does."""

import ast
import json
import os
import pickle
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import given, strategies as st

from daxlab import InputError, dataset, learners
from daxlab.learners import Context, Job, Program, process
from daxlab.learners.core import Failed
from daxlab.learners.program import RUNNER
from daxlab.learners.program_files import read_answers
from daxlab.ledger import Ledger, key
from daxlab.ledger.spec import Spec
from daxlab.sweep import sweep
from executors import in_process

HERE = Path(__file__).parent
COLOURS = str(HERE.parent / "everywhere" / "colours")
SPITEFUL = HERE / "spiteful.py"
GOOD = f"{SPITEFUL}:Good"
CRASHES_AT_IMPORT = "raise RuntimeError('not imported')\nclass Good: pass\n"

# Answers like the nearest training example; the same in one file as a class and as a command.
NEAREST = """
import json, sys

class Nearest:
    def __init__(self, otherwise="NO"):
        self.otherwise = otherwise
    def fit(self, train, *, seed):
        self.train = sorted(set(train))
    def predict(self, commands):
        return [self.nearest(set(command.split())) for command in commands]
    def nearest(self, words):
        best = max(self.train, key=lambda pair: len(words & set(pair[0].split())))
        return best[1] if words & set(best[0].split()) else self.otherwise

class Alone(Nearest):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        try:
            import daxlab
        except ImportError:
            return
        raise RuntimeError("daxlab can be imported")

def lines(path):
    return open(path, encoding="utf-8").read().splitlines()

def read(path, form):
    if form == "jsonl":
        return [(row["command"], row["actions"]) for row in map(json.loads, lines(path))]
    if form == "scan":
        return [tuple(line[4:].split(" OUT: ")) for line in lines(path)]
    if form == "tsv":
        return [tuple(line.split("\\t")) for line in lines(path)]
    return list(zip(lines(path + ".src"), lines(path + ".tgt" if "train" in path else path + ".src")))

if __name__ == "__main__":
    form, train, commands, answers = sys.argv[1:]
    learner = Nearest()
    learner.fit(read(train, form), seed=0)
    asked = [pair[0] for pair in read(commands, form)]
    with open(answers, "w", encoding="utf-8") as out:
        for command, answer in zip(asked, learner.predict(asked)):
            row = {"command": command, "answer": answer}
            out.write((json.dumps(row) if form == "jsonl" else answer) + "\\n")
"""


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process that a test started is running after it, and no temporary folder is there."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("DAXLAB_TEST", str(tmp_path))
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    yield
    assert list(temporary.iterdir()) == []
    assert _ours(tmp_path) == []


def _started_by(running: psutil.Process, folder: Path) -> bool:
    try:
        return running.pid != os.getpid() and str(folder) in (running.environ().get("DAXLAB_TEST"), running.cwd())
    except psutil.Error:
        return False


@pytest.fixture
def nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "nearest.py").write_text(NEAREST)
    monkeypatch.chdir(tmp_path)
    return Path("nearest.py")


def job(program: Program, seed: int = 0, data: str = COLOURS) -> Job:
    return Spec(dataset(data).split_names()[0], seed, program, data).job()


def answers(program: Program, seed: int = 0) -> list[tuple[str, ...]]:
    asked = job(program, seed)
    fitted = program.fit([asked], Context())
    assert fitted is not None and fitted.failures == [None]
    every = [*asked.split.train, *(example for test in asked.split.tests.values() for example in test)]
    return list(fitted.ask([every])[0].answers)


def failure(program: Program) -> str:
    fitted = program.fit([job(program)], Context())
    assert fitted is not None and fitted.failures[0] is not None
    return fitted.failures[0].reason


def test_the_runner_is_one_file_of_python_3_7_that_needs_the_standard_library_alone() -> None:
    tree = ast.parse(RUNNER.read_text(encoding="utf-8"), feature_version=(3, 7))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        name
        for node in imports
        for name in ([a.name for a in node.names] if isinstance(node, ast.Import) else [node.module])
    }
    assert {str(name).split(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("form", ["jsonl", "scan", "tsv", "parallel"])
def test_a_learner_answers_the_same_by_class_by_another_interpreter_and_by_command(nearest: Path, form: str) -> None:
    bare = nearest.with_name("bare-python")
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')  # without installed packages, daxlab among them
    bare.chmod(0o755)
    expected = answers(Program(f"{nearest}:Nearest"))
    assert len(set(expected)) > 2
    assert answers(Program(f"{nearest}:Alone", python=f"./{bare}")) == expected
    command = f"{sys.executable} {nearest} {form} {{train}} {{commands}} {{answers}}"
    assert answers(Program(command=command, format=form)) == expected  # type: ignore[arg-type]


def test_arguments_reach_the_class(nearest: Path) -> None:
    (nearest.parent / "say.py").write_text(
        "class Say:\n"
        "    def __init__(self, word, times): self.answer = ' '.join([word] * times)\n"
        "    def fit(self, train, *, seed): pass\n"
        "    def predict(self, commands): return [self.answer for _ in commands]\n"
    )
    assert set(answers(Program("say.py:Say", args="times=2 'word=A B'"))) == {("A", "B", "A", "B")}


def test_a_function_of_commands_learns_nothing(nearest: Path) -> None:
    (nearest.parent / "upper.py").write_text("def upper(commands): return [c.upper() for c in commands]\n")
    program = Program("upper.py:upper")
    assert not program.learns and Program(f"{nearest}:Nearest").learns
    assert ("SAY", "RED") in answers(program)
    command = "cp {commands}.src {answers}"
    assert not Program(command=command, format="parallel").learns
    assert ("say", "red") in answers(Program(command=command, format="parallel"))


def test_a_program_sees_training_as_often_as_presented_and_no_target_of_a_test(tmp_path: Path) -> None:
    data, seen = tmp_path / "data", tmp_path / "seen"
    data.mkdir(), seen.mkdir()
    (data / "train.tsv").write_text("a\tA\nb\tB\na\tA\na\tA\nc\tC\n")
    (data / "test.tsv").write_text("a b\tSECRET A\n")
    (data / "gen.tsv").write_text("b a\tSECRET B\tkind\n")
    copy = f"cp $(dirname {{train}})/* {seen} && cp {{commands}}.src {{answers}}"
    orders = []
    for seed in (0, 0, 1, 2, 3):
        program = Program(command=copy, format="parallel")
        assert program.fit([job(program, seed, str(data))], Context()).failures == [None]  # type: ignore[union-attr]
        orders.append((seen / "train.src").read_text().split())
        assert Counter(orders[-1]) == {"a": 3, "b": 1, "c": 1}
        assert (seen / "train.tgt").read_text().lower().split() == orders[-1]
        assert sorted((seen / "commands.src").read_text().splitlines()) == ["a", "a b", "b", "b a", "c"]
        assert not any("SECRET" in path.read_text() for path in seen.iterdir())
    assert orders[0] == orders[1] and len(set(map(tuple, orders))) > 1


def test_the_key_changes_with_the_file_and_not_with_the_limits(nearest: Path) -> None:
    command = f"python {nearest} {{commands}} {{answers}}"
    before = [Program(f"{nearest}:Nearest"), Program(command=command)]
    other_limits = [Program(f"{nearest}:Nearest", time=1.0, memory=1e9), Program(command=command, time=1.0)]
    keys = [key(program.facts()) for program in before]
    assert Program(f"./{nearest}:Nearest") == before[0]
    assert [key(program.facts()) for program in other_limits] == keys
    for program in before:
        assert learners.of(program.facts()) == pickle.loads(pickle.dumps(program)) == program
        assert learners.label(program.facts()) == str(program)
    nearest.write_text(NEAREST + "# changed\n")
    after = [Program(f"{nearest}:Nearest"), Program(command=command)]
    assert not {key(program.facts()) for program in after} & set(keys)
    for program in before:
        with pytest.raises(InputError, match="has changed since"):
            program.fit([job(program)], Context())
    nearest.unlink()
    assert learners.label(before[0].facts()) == str(before[0]), "a label needs no file"


def test_a_change_of_what_a_file_imports_from_beside_it_makes_new_runs(nearest: Path) -> None:
    Path("mine.py").write_text("from nearest import Nearest as Mine\n")
    command = f"{sys.executable} mine.py {{commands}} {{answers}}"
    before = [Program("mine.py:Mine"), Program(command=command)]
    nearest.write_text(NEAREST + "# changed\n")
    assert [program.is_unchanged for program in before] == [False, False]
    assert not {Program("mine.py:Mine").digest, Program(command=command).digest} & {each.digest for each in before}


def test_a_command_may_be_a_script_in_one_long_word(tmp_path: Path) -> None:
    script = f"import shutil, sys; shutil.copy(sys.argv[1] + '.src', sys.argv[2])  # {'so it is done; ' * 500}"
    command = f'{sys.executable} -c "{script}" {{commands}} {{answers}}'
    assert ("say", "red") in answers(Program(command=command, format="parallel"))


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "give one of them"),
        ({"file": GOOD, "command": "x {commands} {answers}"}, "give one of them"),
        ({"file": str(SPITEFUL)}, "names no class"),
        ({"file": "nowhere.py:Good"}, "cannot read the program nowhere.py: No such file"),
        ({"file": GOOD, "format": "tsv"}, "the format is that of a command's files"),
        ({"file": GOOD, "args": "depth"}, "args are NAME=VALUE"),
        ({"command": "./run.sh {answers}"}, "needs {commands} and {answers}"),
        ({"command": "./run.sh {commands} {answers} '"}, "a shell would not understand"),
        ({"command": "./run.sh {commands} {answers}", "python": "python3"}, "python and args are for a file"),
    ],
)
def test_a_program_that_cannot_be_meant_is_refused_in_a_sentence(fields: dict, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        learners.make("program", fields)


def test_a_program_that_has_ended_is_asked_nothing_new() -> None:
    program = Program(GOOD)
    fitted = program.fit([job(program)], Context())
    with pytest.raises(InputError, match="was never asked 'say pink'"):
        fitted.predict("say pink")  # type: ignore[union-attr]


def test_a_program_is_stopped_when_the_driver_wishes() -> None:
    program, wishes = Program(f"{SPITEFUL}:Hangs"), iter([None, None, False])
    assert program.fit([job(program)], Context(progress=lambda step, losses: next(wishes))) is None


def test_a_program_ends_and_its_folder_goes_if_whoever_started_it_is_killed(tmp_path: Path) -> None:
    code = f"from daxlab.learners import Program; Program(command={STARTS_TWO!r}).ask([], ['dax'], 0)"
    owner = psutil.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path / "temporary")})
    _wait_for(lambda: [running.name() for running in _ours(tmp_path)].count("sleep") == 2)
    assert len(list((tmp_path / "temporary").iterdir())) == 1
    owner.kill()
    owner.wait()
    _wait_for(lambda: not _ours(tmp_path) and not list((tmp_path / "temporary").iterdir()))


@pytest.mark.parametrize("step", ["Path.mkdir", "rmtree"])
def test_a_kill_while_a_folder_is_made_or_removed_leaves_nothing(step: str, tmp_path: Path) -> None:
    """Killed just after it is made, or just before it is removed."""
    code = f"""
import os
from daxlab.learners import process
as_before = process.{step}
def killed(*arguments, **options):
    "{step}" == "Path.mkdir" and as_before(*arguments, **options)
    os.kill(os.getpid(), 9)
process.{step} = killed
with process.guarded_folder() as folder:
    (folder / "file").write_text("x")
"""
    temporary = tmp_path / "temporary"
    owner = psutil.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(temporary)})
    assert owner.wait() == -9
    _wait_for(lambda: not _ours(tmp_path) and not list(temporary.iterdir()))


STARTS_TWO = "setsid sleep 1000 & sleep 1000; true {commands} {answers}"  # one of them leaves the session


def _ours(folder: Path) -> list[psutil.Process]:
    return [running for running in psutil.process_iter() if _started_by(running, folder)]


def _wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


STATUSES = {
    "CrashesInInit": ("crashed: exit status 1", "RuntimeError: not made"),
    "CrashesInFit": ("crashed: exit status 1", "RuntimeError: not fitted"),
    "CrashesInPredict": ("crashed: exit status 1", "RuntimeError: not predicted"),
    "NoPredict": ("crashed: exit status 1", "AttributeError"),
    "Missing": ("crashed: exit status 1", "has no class or function 'Missing'"),
    "Complains": ("crashed: exit status 1", "RuntimeError: said at last"),
    "Exits": ("wrong answers: it ended without a file of answers", "no GPU: goodbye"),
    "Segfaults": ("crashed: signal 11", ""),
    "Hangs": ("timed out: it was stopped after 1 s", "waiting for the licence"),
    "HangsIgnoringTerm": ("timed out: it was stopped after 1 s", ""),
    "TooFew": ("wrong answers: 6 answers to 7 commands", ""),
    "TooMany": ("wrong answers: 8 answers to 7 commands", ""),
    "SaysNone": ("wrong answers: the answer to 'say blue' is None, not text", ""),
    "SaysIntegers": ("wrong answers: the answer to 'say blue' is 3, not text", ""),
    "SaysHalfACharacter": ("wrong answers: the answer to 'say blue' has half a character", ""),
    "EatsMemory": ("out of memory: it used", "and may use 200.0 MB\nloading the corpus"),
    "LeavesChild": ("", ""),
    "LeavesChildWithoutEnvironment": ("", ""),
    "StartsProcesses": ("", ""),
    "Talks": ("", ""),
    "ClosesStdout": ("", ""),
    "IgnoresItsSeed": ("", ""),
}


@pytest.mark.parametrize("name", STATUSES)
def test_a_spiteful_learner_gets_its_own_status_and_spoils_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE", 0.5)
    limits = {"time": 1.0 if name.startswith("Hangs") else 60.0, "memory": 200e6}
    specs = [Spec("test", 0, Program(f"{SPITEFUL}:{which}", **limits), COLOURS) for which in (name, "Good")]
    sweep(specs, tmp_path / "runs.db", executor=in_process)
    with Ledger(tmp_path / "runs.db") as ledger:
        spiteful, good = (ledger.run(key(spec.facts())) for spec in specs)
    begins, has = STATUSES[name]
    reason = spiteful.reason or ""
    assert reason.startswith(begins) and has in reason and bool(reason) == bool(begins)
    assert (good.status, good.metrics["train_accuracy"]) == ("done", 100.0)
    if not begins:
        assert spiteful.metrics == good.metrics


def test_what_cannot_be_started_is_unavailable_and_what_cannot_be_imported_has_crashed(nearest: Path) -> None:
    assert failure(Program(f"{nearest}:Nearest", python="./no-such-python")).startswith("unavailable: it cannot be")
    reason = failure(Program(command="./no-such-program {commands} {answers}"))
    assert reason.startswith("unavailable: exit status 127") and "no-such-program" in reason
    for made in ("mkfifo", "mkdir", "true"):  # what is no file, or nothing
        command = f"{made} {{answers}}; true {{commands}}"
        assert failure(Program(command=command)) == "wrong answers: it ended without a file of answers"
    nearest.write_text(CRASHES_AT_IMPORT)
    reason = failure(Program(f"{nearest}:Good"))
    assert reason.startswith("crashed: exit status 1") and reason.endswith("RuntimeError: not imported")


COMMANDS = st.lists(st.text("ab ", min_size=1), min_size=1, max_size=6, unique=True)


@given(commands=COMMANDS, data=st.data())
def test_answers_are_read_in_any_order_and_each_command_needs_exactly_one(
    commands: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("answers") / "answers"
    rows = [{"command": command, "answer": command.upper()} for command in commands]

    def read(some: list[dict]) -> list[tuple[str, ...]]:
        path.write_text("".join(json.dumps(row) + "\n" for row in some))
        return read_answers(path, "jsonl", commands)

    expected = [tuple(command.upper().split()) for command in commands]
    assert read(data.draw(st.permutations(rows))) == expected
    assert read([{"answer": row["answer"]} for row in rows]) == expected
    path.write_text("\ufeff" + "\r\n\n".join(map(json.dumps, rows)) + "\n\n")  # as some editors leave it
    assert read_answers(path, "jsonl", commands) == expected
    path.write_text("".join(f"{row['answer']}\n" for row in rows))
    assert read_answers(path, "tsv", commands) == expected
    row = data.draw(st.sampled_from(rows))
    wrong = {
        "not answered|0 answers to": [other for other in rows if other is not row],
        "answered more often": [*rows, row],
        "was not asked": [*rows, {"command": "c", "answer": ""}],
        "not text": [{**other, "answer": 3 if other is row else ""} for other in rows],
    }
    for complaint, some in wrong.items():
        with pytest.raises(Failed, match=f"^wrong answers: .*({complaint})"):
            read(some)
    path.write_text("{")
    with pytest.raises(Failed, match=r"^wrong answers: line 1 is not"):
        read_answers(path, "jsonl", commands)
    shutil.rmtree(path.parent)
