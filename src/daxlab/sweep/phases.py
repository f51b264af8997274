"""The phases of a group in its worker: told to the driver as they come, and timed, for the estimates of later groups.

XLA's compiling is timed apart: what it has compiled once is read from a cache on disk the next time. Knows nothing of
what is trained.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from threading import get_ident
from time import monotonic
from typing import NamedTuple

from daxlab.sweep.task import Entered, Phase, Progress, Report

TOLD_EVERY = 0.5  # seconds between two words on how much is scored
COMPILED = "/jax/core/compile/backend_compile_duration"  # an event of JAX
CACHED = 0.5  # seconds: what takes XLA so long is kept on disk (engine/device.py)

_programs = set[str]()  # that this process has run
_seconds_compiling = dict[int, float]()  # by thread, since `time_compiling`


class _Mark(NamedTuple):
    """A moment of training."""

    step: int
    at: float  # seconds since the group was taken up, waiting and compiling not counted


class Phases:
    """The phases of one group. It belongs to the thread that trains. `program`: what a process starts once."""

    def __init__(self, group: str, program: str, report: Report, began: float, resumes: bool) -> None:
        self._group, self._report, self._resumes = group, report, resumes
        self._fresh = program not in _programs
        _programs.add(program)
        self._began, self._compiled = began, _seconds_compiling.get(get_ident(), 0.0)
        self._told, self._marks, self._scoring = 0.0, list[_Mark](), 0.0

    def enter(self, phase: Phase) -> None:
        """Another phase begins."""
        if phase == "training":
            self._marks = [_Mark(0, self._now())]
        if phase == "scoring":
            self._scoring = self._now()
        self._report(Entered(self._group, phase))

    def step(self, done: int, losses: Sequence[float]) -> bool | None:
        """So many steps are done. False: stop here."""
        if self._marks and done > self._marks[-1].step:
            self._marks.append(_Mark(done, self._now()))
        return self._report(Progress(self._group, done, tuple(losses)))

    def scored(self, done: int, of: int) -> None:
        """So many answers are there."""
        if monotonic() - self._told >= TOLD_EVERY:
            self._told = monotonic()
            self._report(Entered(self._group, "scoring", done, of))

    @contextmanager
    def awaited(self, turn: AbstractContextManager[object]) -> Iterator[None]:
        """A turn that the group waits for."""
        self.enter("waiting")
        began = monotonic()
        with turn:
            self._began += monotonic() - began
            yield

    def timing(self, steps: int) -> dict[str, float]:
        """What the group took, of so many steps in all, in seconds: before the first step (once for each process), a
        step, after the last one, and what XLA compiled for the cache on disk."""
        marks = self._marks[1:] if self._resumes and len(self._marks) > 1 else self._marks
        start, total = self._marks[0].at if self._marks else self._scoring, self._now()
        measured = marks[:-1] if len(marks) > 2 else marks  # the last steps end with a point of the learning curve
        done = measured[-1].step - measured[0].step if measured else 0
        each = (measured[-1].at - measured[0].at) / done if done else (self._scoring - start) / steps
        trained = marks[-1].step - marks[0].step if done else steps
        return {
            "start_seconds": start,
            "step_seconds": each,
            "end_seconds": max(total - start - each * trained, 0.0),
            "compile_seconds": self._compiling(),
            "fresh": int(self._fresh),
        }

    def _now(self) -> float:
        return monotonic() - self._began - self._compiling()

    def _compiling(self) -> float:
        return _seconds_compiling.get(get_ident(), 0.0) - self._compiled


@cache
def time_compiling() -> None:
    """Time what XLA compiles from now on. Imports JAX."""
    from jax import monitoring

    def add(event: str, duration_secs: float, **_: str | int) -> None:
        if event == COMPILED and duration_secs >= CACHED:
            _seconds_compiling[get_ident()] = _seconds_compiling.get(get_ident(), 0.0) + duration_secs

    monitoring.register_event_duration_secs_listener(add)
