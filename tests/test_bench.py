"""Every bench still runs, if only for a moment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["language", "training", "card", "at_once"])
def test_a_bench_runs(name: str, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in (BENCH.parent / "results" / "bench").iterdir()}
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, str(BENCH / f"{name}.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert {path: path.read_bytes() for path in before} == before  # a trial is not a result
