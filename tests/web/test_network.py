"""network.js is Python's networks: greedy answers, probabilities and attention."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import jax
import numpy as np
import pytest
from safetensors.numpy import load_file, save

from daxlab import dataset, engine
from daxlab.analysis.answers import answers
from daxlab.encoding import Encoding
from daxlab.engine.checkpoint import dump_weights
from daxlab.ledger import Ledger
from daxlab.ledger.trained import TrainedModel
from daxlab.networks import seq2seq
from daxlab.web.content import ledgers, networks, vocabulary, weights
from daxlab.web.half import narrowed

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "results/runs.db"
ANSWERS = """async ([weights, vocabulary, commands, length]) => {
  const { Network } = await import("/network.js");
  const network = new Network(await (await fetch(weights)).arrayBuffer(), vocabulary);
  return commands.map((words, n) => network.answer(words, length === null ? -1 : length[n]));
}"""
GREEDY = ANSWERS.replace("length[n]));", "length[n]).actions.join(' '));")
KEYS = [network["key"] for network in networks(ledgers(SHIPPED))]


def asked(page: Any, file: Path, commands: list[str], program: str = ANSWERS, length: Any = None) -> Any:
    page.served["weights"] = file
    return page.evaluate(program, [f"{page.url}weights", vocabulary("scan"), [c.split() for c in commands], length])


def agrees_with_the_ledger(page: Any, key: str, every: int, file: Path | None = None) -> None:
    home = next(path for path in ledgers(SHIPPED) if weights([path], key))
    with Ledger(home) as ledger:
        frame = answers(ledger, key)[::every]
    commands, expected = frame["command"].to_list(), frame["answer"].list.join(" ").to_list()
    assert asked(page, file or weights([home], key), commands, GREEDY) == expected


@pytest.mark.results
@pytest.mark.parametrize("key", KEYS)
def test_every_60th_answer_is_the_ledgers(modules: Any, key: str, tmp_path: Path) -> None:
    agrees_with_the_ledger(modules, key, 60)
    narrow = tmp_path / "weights"  # as the page that is written has them
    narrow.write_bytes(narrowed(weights(ledgers(SHIPPED), key).read_bytes()))
    assert narrow.stat().st_size < 500_000
    agrees_with_the_ledger(modules, key, 60, narrow)


@pytest.mark.slow
@pytest.mark.results
@pytest.mark.parametrize("key", KEYS)
def test_every_answer_is_the_ledgers(modules: Any, key: str) -> None:
    agrees_with_the_ledger(modules, key, 1)


@pytest.mark.results
def test_probabilities_and_attention_are_those_of_daxlab_predict(modules: Any) -> None:
    for key in KEYS[:2]:
        home = next(path for path in ledgers(SHIPPED) if weights([path], key))
        for command in ("jump around left twice", "left and and jump"):
            ask = [sys.executable, "-m", "daxlab", "predict", key[:12], command, "--ledger", str(home), "--json"]
            theirs = json.loads(subprocess.run(ask, capture_output=True, check=True, text=True).stdout)
            (mine,) = asked(modules, weights([home], key), [command])
            assert mine["actions"] == theirs["actions"]
            np.testing.assert_allclose([step["p"] for step in mine["steps"]], theirs["probabilities"], atol=1e-4)
            np.testing.assert_allclose([step["attention"] for step in mine["steps"]], theirs["attention"], atol=1e-4)


@pytest.mark.parametrize("attention", [False, True])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("cell", ["srn", "lstm", "gru"])
def test_any_cell_and_any_number_of_layers(
    modules: Any, cell: Any, layers: int, attention: bool, tmp_path: Path
) -> None:
    encoding = Encoding.of(dataset("scan").examples())
    random, known = Random(layers), dataset("scan").examples()
    commands = [example.command for example in random.sample(known, 20)]
    network = seq2seq(
        jax.random.key(layers), 12, words=len(encoding.words), actions=len(encoding.actions), cell=cell, layers=layers,
        attention=attention,
    )  # fmt: skip
    network = jax.tree.map(lambda x: 3 * x if hasattr(x, "shape") else x, network)  # untrained ones are shy
    stack = jax.tree.map(lambda x: x[None] if hasattr(x, "shape") else x, network)
    file = tmp_path / "weights"
    file.write_bytes(dump_weights(network))
    rows = encoding.commands(commands)
    for length in (None, [random.randint(0, 9) for _ in commands]):
        told = {} if length is None else {"lengths": np.array(length, np.int32)}
        expected = engine.answers(stack, rows, cap=encoding.answer_time, **told)[0]
        mine = asked(modules, file, commands, length=length)
        for answer, row in zip(mine, expected, strict=True):
            assert tuple(answer["actions"]) == encoding.actions.sequence(row.tolist())
        scores = np.exp(engine.scores(stack, rows, expected)[0])
        for n, answer in enumerate(mine):
            steps = np.arange(len(answer["steps"]))
            np.testing.assert_allclose(
                [s["p"] for s in answer["steps"]], scores[n, steps, expected[n, steps]], atol=1e-4
            )
            assert all((step["attention"] is not None) == attention for step in answer["steps"])
            assert all(abs(sum(step["chances"]) - 1) < 1e-9 for step in answer["steps"])
            assert all(step["p2"] <= step["p"] for step in answer["steps"]) or length is not None


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("cell", ["srn", "lstm", "gru"])
def test_states_and_their_nearest_are_pythons(modules: Any, cell: Any, layers: int, tmp_path: Path) -> None:
    encoding = Encoding.of(dataset("scan").examples())
    commands = [example.command for example in Random(layers).sample(dataset("scan").examples(), 40)]
    network = seq2seq(
        jax.random.key(7), 12, words=len(encoding.words), actions=len(encoding.actions), cell=cell, layers=layers
    )
    file = tmp_path / "weights"
    file.write_bytes(dump_weights(network))
    stack = jax.tree.map(lambda x: x[None] if hasattr(x, "shape") else x, network)
    expected = engine.encodings(stack, encoding.commands(commands))["final"][0]
    modules.served["weights"] = file
    program = """async ([vocabulary, commands]) => {
      const { Network } = await import("/network.js"), map = await import("/map.js");
      const rows = await map.states(new Network(await (await fetch("/weights")).arrayBuffer(), vocabulary), commands);
      const axes = map.components(rows), flat = rows.map(row => map.project(row, axes));
      return { rows: rows.map(row => [...row]), near: commands.map((_, n) => map.nearest(rows, n)), flat };
    }"""
    mine = modules.evaluate(program, [vocabulary("scan"), commands])
    np.testing.assert_allclose(mine["rows"], expected, atol=1e-4)
    rows = np.array(mine["rows"])
    long = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = long @ long.T
    np.fill_diagonal(cosines, -2)
    for n, near in enumerate(mine["near"]):
        np.testing.assert_allclose([cosine for _, cosine in near], np.sort(cosines[n])[::-1][:5], atol=1e-12)
        assert all(abs(cosines[n, other] - cosine) < 1e-12 for other, cosine in near)
    flat, centred = np.array(mine["flat"]), rows - rows.mean(axis=0)
    spread = np.linalg.svd(centred, compute_uv=False)[:2]  # no two directions have more of the variance
    np.testing.assert_allclose(np.linalg.norm(flat, axis=0), spread, rtol=1e-3)


@pytest.mark.results
def test_states_of_a_shipped_network_are_pythons(modules: Any) -> None:
    key = KEYS[0]
    home = next(path for path in ledgers(SHIPPED) if weights([path], key))
    commands = ["jump", "walk around left twice and look", "turn opposite right thrice after run"]
    modules.served["weights"] = weights([home], key)
    mine = modules.evaluate(
        """async ([vocabulary, commands]) => {
          const { Network } = await import("/network.js");
          const network = new Network(await (await fetch("/weights")).arrayBuffer(), vocabulary);
          return commands.map(one => [...network.state(one.split(" "))]);
        }""",
        [vocabulary("scan"), commands],
    )
    fitted = TrainedModel(home, key)._fitted
    np.testing.assert_allclose(mine, fitted.states(0, commands)["final"], atol=1e-4)


def test_half_precision_is_numpys(modules: Any, tmp_path: Path) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    file = tmp_path / "weights"
    file.write_bytes(save({"a": every}))
    modules.served["weights"] = file
    mine = modules.evaluate(
        """async () => {
          const { tensors } = await import("/network.js");
          const numbers = tensors(await (await fetch("/weights")).arrayBuffer()).a.data;
          return [...numbers].map(x => Number.isNaN(x) ? "nan" : String(x));
        }"""
    )
    theirs = every.astype(np.float32)
    assert [np.float32(x) for x in mine] == pytest.approx(list(theirs), nan_ok=True, rel=0, abs=0)


def test_weights_of_another_kind_are_refused(modules: Any, tmp_path: Path) -> None:
    tensors = load_file(weights(ledgers(SHIPPED), KEYS[0]))
    for wrong in (
        tensors | {".stack": np.zeros(3, np.float32)},
        {name: array for name, array in tensors.items() if name != ".w_output"},
        tensors | {".words": tensors[".words"][:9]},
        tensors | {".words": tensors[".words"].astype(np.float64)},
    ):
        file = tmp_path / "weights"
        file.write_bytes(save(wrong))
        with pytest.raises(Exception, match=r"paper's networks|reads F32 and F16"):
            asked(modules, file, ["jump"])


def test_a_word_that_it_never_saw_is_refused(modules: Any) -> None:
    with pytest.raises(Exception, match="never saw the word “dax”"):
        asked(modules, weights(ledgers(SHIPPED), KEYS[0]), ["dax twice"])
