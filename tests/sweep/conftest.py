"""A language small enough to learn and examine in a moment."""

from pathlib import Path

import pytest

TINY = """
grammar:
  C -> S and S
  C -> S
  S -> U twice
  S -> U
  U -> walk
  U -> run
  U -> jump
meaning:
  x, x1, x2 in any
  [[x1 and x2]] = [[x1]] [[x2]]
  [[x twice]] = [[x]] [[x]]
  [[walk]] = WALK
  [[run]] = RUN
  [[jump]] = JUMP
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("language") / "tiny.grammar"
    path.write_text(TINY)
    return path
