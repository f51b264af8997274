"""The task for Inspect AI: who knows the answer gets all of it, who repeats what it reads gets nothing, offline."""

import asyncio
import importlib
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Target

from daxlab import InputError, dataset, split
from daxlab.inspect import drawn_shots, exact_match, scan

NOTHING = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)  # or Inspect counts by a file it downloads


def asked(model, folder: Path, **arguments) -> EvalLog:
    """What Inspect says of a model, which is a function from the prompt to an answer."""

    def output(messages, *_):
        answer = ModelOutput.from_content("mockllm", model(messages[-1].text))
        answer.usage = NOTHING
        return answer

    mock = get_model("mockllm/model", custom_outputs=output, memoize=False)
    (log,) = evaluate("daxlab/scan", task_args=arguments, model=mock, limit=20, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


def accuracy(log: EvalLog) -> float:
    return log.results.scores[0].metrics["accuracy"].value


def question(prompt: str) -> str:
    """The command that a prompt asks."""
    return prompt.rpartition("IN: ")[2]


def test_its_name_is_an_entry_point_that_inspect_looks_for() -> None:
    (entry,) = entry_points(group="inspect_ai", name="daxlab")
    assert entry.load() is importlib.import_module("daxlab.inspect")


@pytest.mark.parametrize("disguise", [False, True])
def test_an_oracle_gets_100_and_a_parrot_0(tmp_path: Path, disguise: bool) -> None:
    data = dataset("disguised:scan" if disguise else "scan")
    known = {example.command: " ".join(example.actions) for example in data.split("jump").test}
    oracle = asked(lambda prompt: f"I see.\nOUT: {known[question(prompt)]}", tmp_path, split="jump", disguise=disguise)
    parrot = asked(lambda prompt: prompt, tmp_path, split="jump", disguise=disguise)
    assert (accuracy(oracle), accuracy(parrot)) == (1, 0)
    assert oracle.eval.metadata["split"] == data.split("jump").digest


@pytest.mark.parametrize("answer", ["I_RUN I_RUN", "OUT: I_RUN I_RUN\n", "OUT: I_RUN\nno, OUT:\nI_RUN  I_RUN"])
def test_what_counts_is_what_follows_the_last_out(answer: str) -> None:
    for more, value in (("", CORRECT), (" I_RUN", INCORRECT), (".", INCORRECT)):
        state = SimpleNamespace(output=SimpleNamespace(completion=answer + more))
        assert asyncio.run(exact_match()(state, Target("I_RUN I_RUN"))).value == value


@pytest.mark.parametrize("name", ["simple", "length", "jump", "turn-left", "template-around-right"])
def test_a_prompt_shows_training_examples_and_never_a_target_of_the_test(name: str) -> None:
    content = split(name)
    test, train = {example.command for example in content.test}, set(content.train)
    (asked, *_), shots = scan(name).dataset, drawn_shots(content, 16, 0)
    assert len(set(shots)) == 16
    assert set(shots) <= train
    assert test.isdisjoint(shot.command for shot in shots)
    lines = asked.input.splitlines()
    assert [line[4:] for line in lines if line.startswith("IN: ")] == [
        *(shot.command for shot in shots),
        question(asked.input),
    ]
    assert [line[5:] for line in lines if line.startswith("OUT: ")] == [" ".join(shot.actions) for shot in shots]
    assert lines[-1].startswith("IN: ")


@pytest.mark.parametrize("name", ["simple", "length", "jump", "turn-left"])
@pytest.mark.parametrize("seed", range(3))
def test_16_shots_show_every_word_and_every_action_that_training_has(name: str, seed: int) -> None:
    content = split(name)
    shots, everything = drawn_shots(content, 16, seed), [*content.train]
    for part in (lambda example: example.command.split(), lambda example: example.actions):
        assert {word for shot in shots for word in part(shot)} == {word for one in everything for word in part(one)}


def test_the_seed_draws_the_shots_and_a_disguise_has_the_same_ones() -> None:
    plain, hidden = dataset("scan"), dataset("disguised:scan")
    shots = drawn_shots(plain.split("jump"), 16, 0)
    assert shots == drawn_shots(plain.split("jump"), 16, 0) != drawn_shots(plain.split("jump"), 16, 1)
    assert drawn_shots(hidden.split("jump"), 16, 0) == list(hidden.renamed(shots))
    words = {word for example in plain.examples() for word in (*example.command.split(), *example.actions)}
    text = scan("jump", disguise=True).dataset[0].input.partition("\n\n")[2]
    assert words.isdisjoint(text.split())


def test_the_first_test_commands_are_a_sample_and_none_is_lost() -> None:
    test = split("length").test
    samples = list(scan("length", shots=4).dataset)
    assert sorted(sample.id for sample in samples) == list(range(1, len(test) + 1))
    assert all(sample.target.split() == list(test[sample.id - 1].actions) for sample in samples)
    assert [sample.id for sample in samples[:10]] != list(range(1, 11))


@pytest.mark.parametrize("shots", [-1, 20_000])
def test_shots_that_training_does_not_have_are_refused(shots: int) -> None:
    with pytest.raises(InputError, match="jump has 13,204 training examples"):
        scan("jump", shots=shots)
