"""A learner of rules: only training examples are used, the seed decides, and what it knows is kept and shown."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from daxlab import Example, InputError, dataset
from daxlab.datasets import Split
from daxlab.learners import NO_ANSWER, Context, Job, Program, make
from daxlab.learners.checks import SIXTEEN, checks_of
from daxlab.learners.grammar import Grammar
from daxlab.ledger.artefacts import pack_record, unpack_record
from daxlab.ledger.folder import load, write_folder
from daxlab.ledger.ledger import Ledger
from daxlab.ledger.scoring import score
from daxlab.ledger.trained import TrainedModel
from daxlab.sweep import Spec, sweep
from executors import in_process

LIMITED = Grammar(time_limit=0)
DIGEST = """
import hashlib, json, sys
from daxlab import dataset
from daxlab.learners.grammar import Grammar
model = Grammar(sample=60).fit_one(dataset(sys.argv[1]).split("simple"), 7)
print(hashlib.sha256(json.dumps(model.record()).encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def split(tiny: Path) -> Split:
    return dataset(str(tiny)).split("jump")


@pytest.fixture(scope="module")
def job(tiny: Path, split: Split) -> Job:
    return Job(Grammar(), dataset(str(tiny)), split, 0)


def test_a_word_seen_only_alone_is_understood_in_every_command(split: Split) -> None:
    model = Grammar().fit_one(split, 0)
    assert {"jump twice", "jump and walk"} <= {example.command for example in split.test}
    for examples in (split.train, split.test):
        assert model.answers([example.command for example in examples]) == [example.actions for example in examples]


def test_what_is_learned_does_not_depend_on_the_test_set(split: Split) -> None:
    wrong = tuple(Example(example.command, ("WRONG",)) for example in split.test)
    models = [Grammar().fit_one(replace(split, tests={"test": tests}), 3) for tests in (split.test, wrong, ())]
    assert models[0].record() == models[1].record() == models[2].record()


def test_the_same_seed_gives_the_same_grammar_whatever_python_hashes(tiny: Path) -> None:
    digests = set()
    for seed in ("1", "2"):
        command = [sys.executable, "-c", DIGEST, str(tiny)]
        done = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True)
        digests.add(done.stdout)
    assert len(digests) == 1


def test_the_seed_decides_which_of_the_shortest_examples_are_looked_at(tiny: Path) -> None:
    split = dataset(str(tiny)).split("simple")
    records = {json.dumps(Grammar(sample=8).fit_one(split, seed).record()) for seed in range(4)}
    assert len(records) > 1


def test_a_command_without_a_derivation_has_no_answer_and_counts_as_wrong(job: Job) -> None:
    asked = (Example("fly twice", ("FLY", "FLY")), Example("jump", ("JUMP",)))
    job = replace(job, split=replace(job.split, tests={"test": asked}))
    fitted = job.learner.fit([job], Context())
    assert fitted is not None
    assert fitted.ask([asked])[0].answers == [NO_ANSWER, ("JUMP",)]
    (scored,) = score(fitted)
    assert (scored.metrics["abstained"], scored.metrics["accuracy"]) == (50, 50)
    assert "no derivation" in str(fitted.predict("fly twice").derivation)


def test_examples_that_have_nothing_in_common_get_a_rule_each() -> None:
    odd = (
        Example("a", ("X",)),
        Example("a", ("Y",)),
        Example("b c d", ()),
        Example("", ("Z",)),
        Example("e e", ("E",)),
    )
    model = Grammar().fit_one(Split("odd", "file", odd, (1,) * len(odd), {"test": odd}), 0)
    assert model.answers(["b c d", "", "e e"]) == [(), ("Z",), ("E",)]
    assert model.answers(["a"])[0] in {("X",), ("Y",)}


def test_a_sample_smaller_than_the_data_leaves_nothing_of_it_unlearned(split: Split) -> None:
    model = Grammar(sample=1).fit_one(split, 0)
    assert model.answers([example.command for example in split.train]) == [e.actions for e in split.train]
    assert model.facts["single"] == len(model.derivations.rules) - 1


def test_when_the_time_is_up_the_best_grammar_so_far_is_kept_and_it_says_so(job: Job) -> None:
    said: list[str] = []
    fitted = LIMITED.fit([replace(job, learner=LIMITED)], Context(note=said.append))
    assert fitted is not None
    assert "its time was up" in said[0]
    assert fitted.record(0)["shown"]["stopped"] in said[0]
    (answered,) = fitted.ask([job.split.train])
    assert all(answered.right)


def test_it_stops_when_it_is_told_to(job: Job) -> None:
    assert job.learner.fit([job], Context(progress=lambda step, losses: False)) is None


def test_it_says_that_it_has_no_likelihoods(job: Job) -> None:
    fitted = job.learner.fit([job], Context())
    assert fitted is not None
    with pytest.raises(InputError, match="has no likelihoods"):
        fitted.likelihoods([])


def test_a_learner_that_writes_nothing_down_says_so() -> None:
    with pytest.raises(InputError, match="does not write its models down"):
        Program(command="true {commands} {answers}").restore({}, SIXTEEN)


@pytest.mark.parametrize("check", checks_of(Grammar()), ids=lambda check: check.id)
def test_it_keeps_what_every_learner_has_to_keep(check) -> None:
    assert check.look(Grammar())


def test_a_record_is_stored_as_it_is(job: Job) -> None:
    record = Grammar().fit_one(job.split, 0).record()
    again = unpack_record(pack_record(record))
    assert again == json.loads(json.dumps(record))
    restored = Grammar().restore(again, job.dataset)
    assert restored.record(0) == again
    with pytest.raises(InputError, match="damaged"):
        unpack_record(b"[]")


def test_a_run_answers_from_its_record_in_the_ledger_and_in_a_folder(tiny: Path, tmp_path: Path) -> None:
    ledger, data = tmp_path / "runs.db", dataset(str(tiny))
    sweep([Spec("jump", 0, make("grammar"), str(tiny))], ledger, executor=in_process)
    with Ledger(ledger) as known:
        (key,) = known.select()
        assert known.run(key).metrics["accuracy"] == 100
    paths = write_folder(ledger, key, tmp_path / "folder")
    assert paths[0].name == "model.json"
    for model in (TrainedModel(ledger, key), load(tmp_path / "folder")):
        assert all(model.evaluate(data.split("jump")).right)
        assert "[1] twice → [1] [1]" in str(model.predict("jump twice").derivation)
