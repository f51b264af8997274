"""Ledgers made by hand: runs whose answers, and so the answers to every question about them, are known."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from daxlab import split
from daxlab.learners import RNN
from daxlab.ledger import Ledger, Run, Writer, pack_answers, pack_likelihoods
from daxlab.ledger.spec import Spec

Answers = Mapping[str, str]  # actions by command; commands that are not named are answered right

TINY = """
grammar:
  C -> S and S
  C -> S
  S -> V twice
  S -> V
  V -> U left
  V -> U
  U -> walk
  U -> jump

meaning:
  x, x1, x2 in any
  u in U

  [[walk]] = WALK
  [[jump]] = JUMP
  [[u left]] = LTURN [[u]]
  [[x twice]] = [[x]] [[x]]
  [[x1 and x2]] = [[x1]] [[x2]]
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A language of 72 commands, by the name that a spec has for it."""
    path = tmp_path_factory.mktemp("languages") / "tiny.grammar"
    path.write_text(TINY)
    return str(path)


def run_of(
    name: str,
    seed: int = 0,
    greedy: Answers | None = None,
    oracle: Answers | None = None,
    likelihoods: Mapping[str, tuple[float, float]] | None = None,
    *,
    language: str = "scan",
    artefacts: Mapping[str, bytes] | None = None,
    metrics: Mapping[str, float] | None = None,
    **fields: Any,
) -> Run:
    """A run on a split that exists, with these answers; likelihoods are (own, target) by command, else (-1, -1)."""
    spec = Spec(name, seed, RNN(**fields), language)
    test = split(name, language).test
    targets = [example.actions for example in test]
    given = [
        [tuple(some[e.command].split()) if e.command in some else e.actions for e in test]
        for some in (greedy or {}, oracle or {})
    ]
    pairs = [(likelihoods or {}).get(example.command, (-1.0, -1.0)) for example in test]
    packed = {"greedy": pack_answers(given[0], targets), "oracle": pack_answers(given[1], targets)}
    packed["likelihoods"] = pack_likelihoods([own for own, _ in pairs], [target for _, target in pairs])
    right = 100 * (sum(map(tuple.__eq__, given[0], targets)) / len(targets))
    return Run(
        spec=spec.facts(),
        metrics={"accuracy": right, "train_accuracy": 100.0} if metrics is None else metrics,
        artefacts={**packed, **(artefacts or {})},
    )


def metric_of(name: str, accuracy: float, seed: int = 0, **network: Any) -> Run:
    """A run of which only its accuracy is known; the release itself need not be here."""
    spec = Spec("jump", seed, RNN(**network)).facts()
    spec["split"] = {"name": name, "digest": f"of {name}"}
    return Run(spec=spec, metrics={"accuracy": accuracy, "train_accuracy": 99.0, "oracle_accuracy": accuracy})


def failed_run(name: str, seed: int = 0, **network: Any) -> Run:
    spec = Spec(name, seed, RNN(**network)).facts()
    return Run(spec=spec, status="failed", failed_at=7, reason="its loss was no longer finite")


@pytest.fixture
def trained() -> Callable[..., Run]:
    return run_of


@pytest.fixture
def measured() -> Callable[..., Run]:
    return metric_of


@pytest.fixture
def failed() -> Callable[..., Run]:
    return failed_run


@pytest.fixture
def ledger_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Ledger]]:
    """A ledger with these runs, open for reading."""
    opened: list[Ledger] = []

    def made(*runs: Run) -> Ledger:
        path: Path = tmp_path_factory.mktemp("ledger") / "runs.db"
        with Writer(path) as writer:
            writer.add(runs)
        opened.append(Ledger(path))
        return opened[-1]

    yield made
    for ledger in opened:
        ledger.close()
