"""What the page says of a network is of the runs that the comparison takes, and of no others."""

from dataclasses import replace
from pathlib import Path

import pytest

from daxlab.ledger import Ledger, Run, Writer
from daxlab.ledger.spec import Spec
from daxlab.paper import NETWORKS
from daxlab.paper.experiments import OVERALL, SPLITS
from daxlab.report.comparison import tried
from daxlab.report.facts import Facts

CLIPPED = replace(NETWORKS[OVERALL], clip=1.0)


def run(split: str, seed: int, accuracy: float | None) -> Run:
    """A run of which only the numbers are known; its split is named, not made."""
    spec = Spec("jump", seed, NETWORKS[OVERALL]).facts() | {"split": {"name": split, "digest": split}}
    if accuracy is None:
        return Run(spec=spec, status="failed", failed_at=7)
    return Run(spec=spec, metrics={"accuracy": accuracy})


@pytest.mark.parametrize(
    ("released", "ours", "said"),
    [((90.0, 92.0), (50.0,), [90.0, 92.0]), ((), (50.0,), [50.0]), ((None,), (50.0,), []), ((90.0, None), (), [90.0])],
    ids=["both draws", "ours only", "the release's failed", "one failed"],
)
def test_text_and_table_take_the_same_draw(
    tmp_path: Path, released: tuple[float | None, ...], ours: tuple[float, ...], said: list[float]
) -> None:
    pairs = zip(SPLITS["simple"], (released, ours), strict=True)
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([run(split, seed, value) for split, values in pairs for seed, value in enumerate(values)])
    with Ledger(tmp_path / "runs.db") as ledger:
        facts = Facts(ledger)
        row, compared = facts.row(OVERALL, *SPLITS["simple"]), facts.compared["exp1.overall"]
    assert (row["accuracies"] if row else []) == compared.runs == said
    if row:
        assert (row["mean"], row["split"]) == (compared.mean, compared.split)


def test_another_protocol_is_the_same_tried_again_and_another_language_is_not(tmp_path: Path) -> None:
    specs = {language: Spec("jump", 0, CLIPPED, language) for language in ("scan", "scan-dax")}
    for language, spec in specs.items():
        with Writer(tmp_path / f"{language}.db") as writer:
            writer.add([Run(spec=spec.facts(), metrics={"accuracy": 7.0})])
    said = {}
    for language in specs:
        with Ledger(tmp_path / f"{language}.db") as ledger:
            facts = Facts(ledger)
            said[language] = tried(facts, facts.compared["exp3.jump.overall"])
    _, (how, mean, verdict, _) = said["scan"]
    assert (how, mean, verdict) == ("with clip 1", "7.00", "")
    assert said["scan-dax"] == []


@pytest.mark.parametrize(("accuracies", "said"), [((7.0, 7.1), "differs"), ((0.0, 1.0), "undecided")])
def test_what_was_tried_has_its_verdict(tmp_path: Path, accuracies: tuple[float, ...], said: str) -> None:
    """The paper has 0.08."""
    with Writer(tmp_path / "runs.db") as writer:
        for seed, accuracy in enumerate(accuracies):
            spec = Spec("jump", seed, CLIPPED).facts()
            writer.add([Run(spec=spec, metrics={"accuracy": accuracy})])
    with Ledger(tmp_path / "runs.db") as ledger:
        facts = Facts(ledger)
        _, (_, _, verdict, strip) = tried(facts, facts.compared["exp3.jump.overall"])
    assert (verdict, strip.runs, strip.paper) == (said, list(accuracies), [0.08])


def test_an_experiment_that_was_repeated_in_a_ledger_beside_this_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    for name, accuracy in (("runs.db", 50.0), ("again/second.db", 7.0)):
        with Writer(tmp_path / name) as writer:
            writer.add([Run(spec=Spec("jump", 0, NETWORKS[OVERALL]).facts(), metrics={"accuracy": accuracy})])
    with Ledger(tmp_path / "runs.db") as ledger:
        facts = Facts(ledger)
        _, (how, mean, _, _) = tried(facts, facts.compared["exp3.jump.overall"])
    assert (how, mean) == ("once more (second)", "7.00")
