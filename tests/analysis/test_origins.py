"""Where runs were made and what they took, on a ledger counted by hand."""

from pathlib import Path

import pytest

from daxlab.analysis.origins import devices, versions
from daxlab.ledger import Ledger, Run, Writer

CARD = {"device": "NVIDIA H200", "platform": "gpu", "jax": "0.11"}


def run(seed: int, origin: dict[str, str], seconds: float | None = None, failed: bool = False) -> Run:
    return Run(
        spec={"language": "scan", "split": {"name": "jump"}, "seed": seed},
        origin=origin,
        timing={} if seconds is None else {"seconds": seconds},
        status="failed" if failed else "done",
        failed_at=3 if failed else None,
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([run(0, CARD, 10), run(1, CARD, 5.5), run(2, CARD | {"jax": "0.12"}, 1, failed=True)])
        writer.add([run(3, {"device": "cpu", "platform": "cpu"}, 100), run(4, {})])
    return tmp_path / "runs.db"


def test_time_is_summed_by_device(ledger: Path) -> None:
    with Ledger(ledger) as known:
        rows = {row.pop("device"): row for row in devices(versions(known)).to_dicts()}
    assert rows["NVIDIA H200"] == {"platform": "gpu", "runs": 3, "failed": 1, "untimed": 0, "seconds": 16.5}
    assert rows["cpu"] == {"platform": "cpu", "runs": 1, "failed": 0, "untimed": 0, "seconds": 100}
    assert (rows[None]["runs"], rows[None]["untimed"]) == (1, 1)


def test_versions_are_told_apart(ledger: Path) -> None:
    with Ledger(ledger) as known:
        rows = versions(known).filter(device="NVIDIA H200").to_dicts()
    assert [(row["jax"], row["runs"]) for row in rows] == [("0.11", 2), ("0.12", 1)]


def test_an_empty_ledger_took_nothing(tmp_path: Path) -> None:
    with Writer(tmp_path / "runs.db") as writer:
        made = versions(writer.ledger)
    assert made.is_empty() and devices(made).is_empty()
