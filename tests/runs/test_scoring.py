"""What the ledger keeps of the commands that are looked at one by one."""

from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daxlab import InputError, engine, language
from daxlab.datasets.rules import make, named_commands
from daxlab.protocol import Protocol
from daxlab.runs import Ledger, key, unpack_answers, unpack_arrays
from daxlab.runs.scoring import NEAREST, nearest
from daxlab.runs.trained import TrainedNetwork
from daxlab.sweep import Architecture, Spec, sweep, worker
from daxlab.sweep.task import Task


@pytest.fixture(scope="module")
def trained(tiny, tmp_path_factory) -> tuple[TrainedNetwork, dict[str, bytes]]:
    path = tmp_path_factory.mktemp("examined") / "runs.db"
    network = Architecture("lstm", 2, 8, attention=True, dropout=0.1)
    (key,) = sweep([Spec("jump", 0, network, Protocol(updates=300), str(tiny))], path).keys
    with Ledger(path) as ledger:
        return TrainedNetwork(path, key), dict(ledger.run(key).artefacts)


def test_the_named_commands_are_the_primitives_and_each_twice(tiny: Path) -> None:
    assert [e.command for e in named_commands(language(str(tiny)))] == [
        *("walk", "run", "jump"),
        *("walk twice", "run twice", "jump twice"),
    ]
    assert len(named_commands(language("scan"))) == 12


def test_neighbours_are_the_training_commands_of_greatest_cosine_without_the_command_itself(trained, tiny) -> None:
    network, artefacts = trained
    lang = language(str(tiny))
    split, kept = make("jump", lang), unpack_arrays(artefacts["neighbours"])
    places, cosines = np.asarray(kept["places"]), np.asarray(kept["cosines"])

    def state(command: str) -> np.ndarray:
        rows = network.encoding.commands([command])
        return np.asarray(engine.encodings(network._networks, rows)[0, 0, -1], np.float64)

    for n, named in enumerate(named_commands(lang)):
        own = state(named.command)
        slow = []
        for place, example in enumerate(split.train):
            if example.command != named.command:
                other = state(example.command)
                slow.append((own @ other / np.sqrt((own @ own) * (other @ other)), place))
        slow.sort(reverse=True)
        np.testing.assert_allclose(cosines[n], [cosine for cosine, _ in slow[:NEAREST]], rtol=1e-4)
        assert places[n, 0] == slow[0][1]


def test_a_state_of_nothing_is_near_to_nothing() -> None:
    places, cosines = nearest(np.zeros((1, 3)), np.eye(3), np.zeros((1, 3), bool))
    assert cosines.tolist() == [[0, 0, 0]] and sorted(places[0].tolist()) == [0, 1, 2]


def test_the_answers_and_attention_kept_are_those_the_network_gives(trained, tiny) -> None:
    network, artefacts = trained
    named = named_commands(language(str(tiny)))
    answers = unpack_answers(artefacts["named"], [example.actions for example in named])
    maps = unpack_arrays(artefacts["attention"])
    for n, example in enumerate(named):
        found = network.predict(example.command)
        assert answers[n] == found.actions
        np.testing.assert_allclose(np.asarray(maps[f"w{n}"]) / 255, found.attention, atol=0.5 / 255 + 1e-6)


def test_without_sacrebleu_commands_are_trained_and_sentences_refused_before_they_are(monkeypatch) -> None:
    def absent(name: str) -> str:
        if name == "sacrebleu":
            raise metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(metadata, "version", absent)
    monkeypatch.setattr(worker, "version", absent)
    small, heard = Architecture("srn", 1, 5, attention=False, dropout=0.0), list[Any]()
    asked = [Spec(split, 0, small, Protocol(20), language=name) for split, name in
             (("size-1", "scan"), ("translation", "built-in"))]  # fmt: skip

    def task(spec: Spec) -> Task:
        return Task("a group", (spec,), (key(spec.facts()),), None)

    done = worker.work(task(asked[0]), heard.append)
    assert done is not None and "sacrebleu" not in done.runs[0].origin
    heard.clear()
    with pytest.raises(InputError, match="scored by sacrebleu, which is not here"):
        worker.work(task(asked[1]), heard.append)
    assert heard == []
