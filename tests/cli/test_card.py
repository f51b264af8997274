"""`daxlab card`: all that a ledger knows of a learner, whatever kind it is, in every format and by its schema."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from daxlab import dataset

TESTS = Path(__file__).parents[1]
HALF = """
class Half:
    def __init__(self, words=1):
        self.words = words
    def fit(self, train, *, seed):
        self.known, self.seed = dict(train), seed
    def predict(self, commands):
        return [self.known.get(command, "RED" if seed_of(command, self.seed) else "") for command in commands]

def seed_of(command, seed):
    return (len(command) + seed) % 2

def shout(commands):
    return [command.upper() for command in commands]
"""
WORDS = ("--data", "colours", "--splits", "test,gen", "--runs", "2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with learners and a dataset."""
    shutil.copytree(TESTS / "everywhere" / "colours", tmp_path / "colours")
    (tmp_path / "mine.py").write_text(HALF)
    shutil.copy(TESTS / "everywhere" / "memory.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def examined(daxlab, folder: Path, trains_here: None) -> Path:
    """The same, with runs of two programs, one of them in disguise too."""
    assert daxlab("examine", "mine.py:Half", *WORDS, "--disguise", "--name", "half").returncode == 0
    assert daxlab("examine", "mine.py:shout", *WORDS).returncode == 0
    return folder


def card(daxlab, *words: object) -> dict:
    done = daxlab("card", *words, "--json")
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    Draft202012Validator(json.loads(daxlab("card", "--schema").stdout)).validate(content)
    return content


def test_the_schema_is_one_and_refuses_what_is_no_card(daxlab) -> None:
    schema = json.loads(daxlab("card", "--schema").stdout)
    Draft202012Validator.check_schema(schema)
    entry = {"mean": 100, "low": None, "high": None, "runs": 1, "status": "ok"}
    for wrong in ({}, {"splits": {"jump": entry}}, {"cards": [], "differences": []}):
        assert not Draft202012Validator(schema).is_valid(wrong)


def test_examine_writes_the_same_card_as_card_does(daxlab, examined: Path) -> None:
    words = ("mine.py:Half", *WORDS, "--disguise", "--name", "half", "--out", "examined.json")
    assert daxlab("examine", *words).returncode == 0
    assert daxlab("card", "half", "--to", "card.json").returncode == 0
    assert Path("card.json").read_text() == Path("examined.json").read_text()


def test_a_card_has_splits_disguise_errors_and_the_protocol(daxlab, examined: Path) -> None:
    half = card(daxlab, "half")
    assert list(half) == ["learner", "protocol", "splits", "disguised", "checks"]
    assert half["learner"]["name"] == "half" and half["learner"]["fields"]["file"] == "mine.py:Half"
    entry = half["splits"]["gen"]
    assert (entry["runs"], entry["status"], entry["seeds"]) == (2, "ok", [0, 1])
    assert entry["mean"] == pytest.approx(sum(entry["accuracies"]) / 2)
    wrong = sum(round(entry["test"] * (100 - accuracy) / 100) for accuracy in entry["accuracies"])
    ends = entry["breaks"]["ends"]
    assert wrong == ends["wrong"] == ends["early"] + ends["late"] + ends["same"] > 0
    assert sum(row["count"] for row in entry["breaks"]["first_wrong"]) == wrong
    assert sum(row["commands"] for row in entry["breaks"]["lengths"]) == entry["test"]
    assert half["disguised"].keys() == half["splits"].keys()
    protocol = half["protocol"]
    assert (protocol["data"], protocol["seeds"], protocol["limits"]["time"]) == ("colours", [0, 1], 3600)
    assert "last state only" in protocol["selection"] and "none" in protocol["validation"]
    assert protocol["versions"][0]["runs"] == 8 and protocol["versions"][0]["python"]


@pytest.mark.usefixtures("trains_here")
def test_the_protocol_claims_nothing_of_where_a_learner_was_trained_but_what_daxlab_knows(daxlab, folder: Path) -> None:
    words = ("--data", "colours", "--splits", "test", "--runs", "1")
    daxlab("examine", "--command", "cp {commands}.src {answers}", "--format", "parallel", *words, "--name", "copy")
    daxlab("examine", "mine.py:Half", *words, "--python", sys.executable, "--name", "elsewhere")
    daxlab("examine", "mine.py:Half", *words, "--name", "here")
    daxlab("examine", "--take-home", "home", *words)
    (task,) = json.loads(Path("home", "manifest.json").read_text())["tasks"]
    asked = Path("home", *task["commands"]).read_text().splitlines()
    Path("home", task["answers"]).write_text("\n".join(json.dumps(json.loads(line) | {"answer": ""}) for line in asked))
    daxlab("score", "home", "--name", "taken")
    known = {}
    for name in ("here", "elsewhere", "copy", "taken, at home"):
        protocol = card(daxlab, name)["protocol"]
        known[name] = [list(row) for row in (*protocol["versions"], *protocol["machines"])]
    at_all = [["daxlab", "runs"], ["machine", "runs"]]
    assert known["here"] == [["daxlab", "python", "runs"], ["machine", "runs"]]
    assert (known["elsewhere"], known["copy"], known["taken, at home"]) == (at_all, at_all, at_all[:1])


def test_a_learner_is_found_by_its_name_its_label_and_its_file(daxlab, examined: Path) -> None:
    assert card(daxlab, "half")["splits"] == card(daxlab, "mine.py:Half")["splits"]
    assert card(daxlab, "mine.py:shout")["learner"]["learns"] is False
    complaints = {
        ("hafl",): "did you mean 'half'?",
        (): "say whose card: daxlab.db has half; mine.py:shout",
        ("program",): "more than one learner",
        ("half", "--data", "scan"): "no runs on scan; there are some on colours",
        ("half", "--to", "card.pdf"): ".md, .html, .json",
    }
    for words, complaint in complaints.items():
        done = daxlab("card", *words)
        assert (done.returncode, done.stdout) == (2, "") and complaint in done.stderr, done.stderr


def test_a_name_survives_merge_and_export_and_stands_for_one_learner(daxlab, examined: Path) -> None:
    before = card(daxlab, "half")
    assert daxlab("runs", "merge", "daxlab.db", "--ledger", "merged.db").returncode == 0
    assert daxlab("runs", "export", "exported.db").returncode == 0
    for ledger in ("merged.db", "exported.db"):
        assert card(daxlab, "half", "--ledger", ledger)["splits"].keys() == before["splits"].keys()
    taken = daxlab("examine", "mine.py:shout", *WORDS, "--name", "half")
    assert taken.returncode == 2 and "another learner called half (mine.py:Half)" in taken.stderr


@pytest.mark.usefixtures("trains_here")
def test_runs_that_were_there_can_be_named_later_and_a_new_version_may_keep_the_name(daxlab, folder: Path) -> None:
    words = ("mine.py:Half", "--data", "colours", "--splits", "test", "--runs", "1")
    daxlab("examine", *words)
    daxlab("examine", *words, "--name", "later")
    first = card(daxlab, "later")
    assert len(json.loads(daxlab("runs", "list", "--json").stdout)) == 1
    Path("mine.py").write_text(HALF + "# changed\n")
    daxlab("examine", *words, "--name", "later")
    done = daxlab("card", "later", "--json")
    assert "1 run of earlier versions" in done.stderr
    assert json.loads(done.stdout)["learner"]["fields"]["digest"] != first["learner"]["fields"]["digest"]


def test_several_learners_stand_side_by_side_with_their_differences(daxlab, examined: Path) -> None:
    both = card(daxlab, "half", "mine.py:shout")
    assert [one["learner"]["name"] for one in both["cards"]] == ["half", "mine.py:shout"]
    means = {split: [one["splits"][split]["mean"] for one in both["cards"]] for split in ("test", "gen")}
    for row in both["differences"]:
        assert row["difference"] == pytest.approx(means[row["split"]][0] - means[row["split"]][1]) and row["pairs"] == 2
    assert {row["split"] for row in both["differences"]} == {"test", "gen"}
    printed = daxlab("card", "half", "mine.py:shout").stdout
    assert "Differences, in points" in printed and "nothing is learned" in printed


def test_a_card_shows_what_failed_and_why(daxlab, folder: Path, trains_here: None) -> None:
    shutil.copy(TESTS / "learners" / "spiteful.py", folder)
    daxlab("examine", "spiteful.py:CrashesInFit", "--data", "colours", "--runs", "2")
    failed = card(daxlab)["splits"]["test"]
    assert (failed["mean"], failed["runs"], failed["status"]) == (None, 0, "crashed")
    assert failed["failures"][0]["runs"] == 2 and "RuntimeError" in failed["failures"][0]["reason"]
    for form in ("md", "html"):
        assert daxlab("card", "--to", f"card.{form}").returncode == 0
        assert "RuntimeError" in Path(f"card.{form}").read_text("utf-8")


DEV = """
class Mine:
    def fit(self, train, *, seed, dev=None):
        self.shown = " ".join(sorted({command for command, _ in dev or []} & {command for command, _ in train}) or "0")
        self.dev = dev or []
    def predict(self, commands):
        return [f"{self.shown} {len(self.dev)}"] * len(commands)

class Plain:
    def fit(self, train, *, seed):
        pass
    def predict(self, commands):
        return ["0 0"] * len(commands)
"""


def answers(daxlab, ledger: str) -> set[str]:
    (run,) = json.loads(daxlab("runs", "list", "--json", "--ledger", ledger).stdout)
    assert daxlab("runs", "answers", run["key"], "--to", "a.jsonl", "--ledger", ledger).returncode == 0
    return {json.loads(line)["answer"] for line in Path("a.jsonl").read_text().splitlines()}


def test_a_tenth_of_training_is_given_to_a_fit_that_takes_it_and_the_card_says_so(
    daxlab, tiny: Path, folder: Path, trains_here: None
) -> None:
    Path("dev.py").write_text(DEV)
    words = ("--data", tiny, "--splits", "simple", "--runs", "1", "--json", "--dev")
    command = "wc -l < {dev} > {answers}; sed 's/.*/0 1/' {commands} > {answers}"
    for name, program in {"mine": ["dev.py:Mine"], "plain": ["dev.py:Plain"], "shell": ["--command", command]}.items():
        form = ["--format", "tsv"] if name == "shell" else []
        done = daxlab("examine", *program, *form, *words, "tenth", "--ledger", f"{name}.db")
        assert done.returncode == 0, done.stderr
        protocol = json.loads(done.stdout)["protocol"]
        assert protocol["validation"].startswith("a seeded tenth") and protocol["data"].startswith("dev-tenth:")
    held_out = len(dataset(f"dev-tenth:{tiny}").split("simple").dev)
    assert answers(daxlab, "mine.db") == {f"0 {held_out}"} and answers(daxlab, "plain.db") == {"0 0"} and held_out > 0
    refused = daxlab("examine", "--command", "x {commands} {answers}", *words, "tenth")
    assert refused.returncode == 2 and "the command needs {dev}" in refused.stderr
    assert "--dev is none or tenth" in daxlab("examine", "dev.py:Mine", *words, "half").stderr


def test_a_limit_asks_fewer_commands_and_the_card_says_so(daxlab, examined: Path) -> None:
    words = ("mine.py:Half", *WORDS, "--limit", "2", "--name", "few", "--disguise")
    assert daxlab("examine", *words).returncode == 0
    whole, few = card(daxlab, "half", "--data", "colours"), card(daxlab, "few", "--data", "limit-2:colours")
    assert "at most 2 commands" in few["protocol"]["asked"] and "every" in whole["protocol"]["asked"]
    assert [entry["test"] for entry in few["splits"].values()] == [2, 2] and few["disguised"]
    assert len(json.loads(daxlab("runs", "list", "--json").stdout)) == 20


def test_checks_are_on_the_card_if_they_are_asked_for(daxlab, examined: Path) -> None:
    assert card(daxlab, "half")["checks"] == []
    found = {check["id"]: check["verdict"] for check in card(daxlab, "half", "--check")["checks"]}
    assert found["keeps-order"] == "kept" and found["learns-training"] == "kept"
    Path("mine.py").write_text(HALF + "# changed\n")
    assert "has changed since it was run" in daxlab("card", "half", "--check").stderr


def test_the_papers_network_and_a_class_of_ones_own_have_a_card_too(daxlab, folder: Path, trains_here: None) -> None:
    words = ("--data", "colours", "--test", "gen", "--runs", "2")
    assert daxlab("train", "memory.py:Memory", *words).returncode == 0
    memory = card(daxlab)
    assert memory["learner"]["kind"] == "memory.py:Memory" and memory["splits"]["gen"]["runs"] == 2
    promise = "learns-training=it repeats what it has seen"
    checked = {check["id"]: check for check in card(daxlab, "memory.py:Memory", "--except", promise)["checks"]}
    assert checked["answers-all"]["verdict"] == checked["learns-training"]["verdict"] == "kept"
    Path("memory.py").write_text(Path("memory.py").read_text() + "# changed\n")
    assert "has changed since this run was trained" in daxlab("card", "memory.py:Memory", "--check").stderr


def test_a_declared_exception_stands_on_the_card_with_its_reason(daxlab, folder: Path, trains_here: None) -> None:
    Path("crowd.py").write_text("def crowd(commands):\n    return [str(len(commands))] * len(commands)\n")
    assert daxlab("examine", "crowd.py:crowd", *WORDS[:-1], "1").returncode == 0
    checks = card(daxlab, "--except", "one-at-a-time=it counts the commands")["checks"]
    excepted = {check["id"]: check["reason"] for check in checks if check["verdict"] == "excepted"}
    assert excepted == {"one-at-a-time": "it counts the commands"}
    assert "it counts the commands" in daxlab("card", "--except", "one-at-a-time=it counts the commands").stdout


def test_the_page_and_the_document_say_the_same_and_need_nothing_else(daxlab, examined: Path) -> None:
    for form in ("html", "md"):
        assert daxlab("card", "half", "mine.py:shout", "--to", f"card.{form}").returncode == 0
    page, document = (Path(f"card.{form}").read_text("utf-8") for form in ("html", "md"))
    for part in ("How right it is", "What tells them apart", "Where it breaks", "Protocol", "nothing is learned"):
        assert part in page and part in document
    assert "<svg" in page and "http://" not in page.replace("http://www.w3.org/", "") and "https://" not in page
    tables = [line for line in document.splitlines() if line.startswith("|")]
    assert tables and all(line.count("|") >= 3 for line in tables)
