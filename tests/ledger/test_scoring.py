"""What a fitted learner is asked before it is let go: all that the ledger will know of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from daxlab.datasets import dataset
from daxlab.learners import RNN, Context, Job, Learner, Model
from daxlab.ledger import Ledger, unpack_answers, unpack_arrays, unpack_neighbours
from daxlab.ledger.scoring import NEAREST, nearest, score
from daxlab.ledger.trained import TrainedModel
from daxlab.sweep import Spec, sweep
from executors import in_process


@pytest.fixture(scope="module")
def trained(tiny: Path, tmp_path_factory) -> tuple[TrainedModel, dict[str, bytes]]:
    """A network, and what the ledger keeps of it."""
    path = tmp_path_factory.mktemp("examined") / "runs.db"
    network = RNN("lstm", 1, 8, attention=True, dropout=0.1, updates=400)
    (key,) = sweep([Spec("jump", 0, network, str(tiny))], path, executor=in_process).keys
    with Ledger(path) as ledger:
        return TrainedModel(path, key), dict(ledger.run(key).artefacts)


def test_the_probes_of_a_grammar_are_its_primitives_and_each_twice(tiny: Path) -> None:
    assert [e.command for e in dataset(str(tiny)).probes()] == [
        *("walk", "run", "jump"),
        *("walk twice", "run twice", "jump twice"),
    ]
    assert len(dataset("scan").probes()) == 12


@pytest.mark.parametrize("name", ["final", "cell, layer 1"])
def test_neighbours_are_the_training_commands_of_greatest_cosine_without_the_command_itself(trained, name) -> None:
    model, artefacts = trained
    split, kept = model.spec.content(), unpack_neighbours(artefacts["neighbours"])
    assert set(kept) == {"final", "cell, layer 1"}
    places, cosines = kept[name]

    def state(command: str) -> np.ndarray:
        return np.asarray(model._fitted.states(0, [command])[name][0], np.float64)

    states = [state(example.command) for example in split.train]
    for n, probe in enumerate(model.dataset.probes()):
        own = state(probe.command)
        slow = sorted(
            (
                (own @ other / np.sqrt((own @ own) * (other @ other)), place)
                for place, (example, other) in enumerate(zip(split.train, states, strict=True))
                if example.command != probe.command
            ),
            reverse=True,
        )
        np.testing.assert_allclose(cosines[n], [cosine for cosine, _ in slow[:NEAREST]], rtol=1e-4)
        assert places[n, 0] == slow[0][1]


@given(drawn=st.lists(st.sampled_from([(1, 0), (0.6, 0.8), (0, 1), (-1, 0)]), min_size=1, max_size=40))
def test_the_nearest_are_the_first_of_all_when_sorted_and_equals_keep_their_order(drawn) -> None:
    places, _ = nearest(np.array([[1.0, 0.0]]), np.array(drawn, float), np.zeros((1, len(drawn)), bool))
    assert places[0].tolist() == sorted(range(len(drawn)), key=lambda place: -drawn[place][0])[:NEAREST]


def test_a_state_of_zeros_is_near_to_nothing() -> None:
    places, cosines = nearest(np.zeros((1, 3)), np.eye(3), np.zeros((1, 3), bool))
    assert cosines.tolist() == [[0, 0, 0]] and sorted(places[0].tolist()) == [0, 1, 2]


def test_the_answers_and_attention_that_are_kept_are_those_that_the_network_gives(trained) -> None:
    model, artefacts = trained
    probes = model.dataset.probes()
    answers = unpack_answers(artefacts["named"], [example.actions for example in probes])
    maps = unpack_arrays(artefacts["attention"])
    for n, example in enumerate(probes):
        found = model.predict(example.command)
        assert answers[n] == found.actions
        np.testing.assert_allclose(np.asarray(maps[f"w{n}"]) / 255, found.attention, atol=0.5 / 255 + 1e-6)


class Echo:
    """Answers with the words of the command."""

    def answers(self, commands: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(command.split()) for command in commands]


@dataclass(frozen=True)
class Echoes(Learner):
    kind = "echo"

    def fit_one(self, split, seed: int) -> Model:
        return Echo()


def test_a_learner_without_abilities_is_scored_by_its_answers_to_every_test_set(tmp_path: Path) -> None:
    for name, lines in {"train": "a\ta\nb\tc\n", "test": "a b\ta b\n", "gen": "b\tb\na\tb\n"}.items():
        (tmp_path / f"{name}.tsv").write_text(lines)
    data = dataset(str(tmp_path))
    fitted = Echoes().fit([Job(Echoes(), data, data.split("test"), 0)], Context())
    (found,) = score(fitted)
    assert found.metrics == {"accuracy": 100, "train_accuracy": 50, "accuracy.gen": 50}
    assert set(found.artefacts) == {"greedy", "unended", "greedy.gen"}
    assert unpack_answers(found.artefacts["greedy.gen"], [("b",), ("b",)]) == [("b",), ("a",)]
