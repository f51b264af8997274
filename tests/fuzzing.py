"""How many cases the fuzzers and the kill tests try: a part in `make test-slow`, all of them in `make fuzz`."""

import os

import pytest
from _pytest.mark import ParameterSet

ALL = os.environ.get("DAXLAB_FUZZ") == "all"


def parts(size: int, of: int) -> list[ParameterSet]:
    """The seeds of the cases, `size` of them in each test: the first part, or with DAXLAB_FUZZ=all every part."""
    seeds = [range(start, min(start + size, of)) for start in range(0, of if ALL else size, size)]
    marks = (pytest.mark.slow, pytest.mark.fuzz)
    return [pytest.param(part, id=f"{part.start}-{part.stop}", marks=marks) for part in seeds]
