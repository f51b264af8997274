"""Milliseconds per update of groups of R runs, on SCAN's lengths, on whatever device JAX finds.

    python bench/engine.py --cell lstm --layers 2 --hidden 200 --dropout 0.5 --runs 1 5 20 --json FILE

The examples are made up: words and actions at random, of SCAN's lengths (counted from its grammar), because only
lengths matter for time. Compilation, peak memory and greedy decoding are reported beside.
"""

import argparse
import json
import platform
import resource
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from daxlab.encoding import Encoding
from daxlab.engine import Group, Run, answer_cap, answers
from daxlab.engine.train import WINDOW, draw_chunk, make_program, run_inputs, start_state
from daxlab.engine.update import chunk
from daxlab.models import CELLS, seq2seq


class Example(NamedTuple):
    command: str
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Split:
    train: tuple[Example, ...]
    weights: tuple[int, ...]
    test: tuple[Example, ...]


@dataclass(frozen=True)
class Measured:
    runs: int
    ms_per_update: float
    ms_per_update_and_run: float
    first_update_s: float  # start values, draws, tracing and compilation included
    peak_mb: float
    decode_20910_s: float | None


def scan_lengths() -> list[tuple[int, int]]:
    """(words, actions) of SCAN's 20,910 commands, from its grammar."""
    verbs = [(1, 1)] * 4  # U
    turns = [(2, 1)] * 2 + [(2, 2)] * 8  # turn left; U left
    opposite = [(3, 2)] * 2 + [(3, 3)] * 8
    around = [(3, 4)] * 2 + [(3, 8)] * 8
    v = verbs + turns + opposite + around
    s = v + [(w + 1, a * n) for w, a in v for n in (2, 3)]
    return s + [(w1 + w2 + 1, a1 + a2) for w1, a1 in s for w2, a2 in s for _ in range(2)]


def made_up() -> Split:
    rng = np.random.default_rng(0)
    words, actions = [f"w{i:02}" for i in range(13)], [f"A{i}" for i in range(6)]
    examples = tuple(
        Example(" ".join(rng.choice(words, w)), tuple(rng.choice(actions, a).tolist())) for w, a in scan_lengths()
    )
    return Split(examples, (1,) * len(examples), examples)


def measure(group: Group, chunks: int, decode: bool) -> Measured:
    began = time.perf_counter()
    arrays, static = eqx.partition(group.start(), eqx.is_array)
    program, (rates, keys) = make_program(group, static), run_inputs(group)
    state, losses = chunk(program, start_state(arrays), draw_chunk(group, program, 0), rates, keys, jnp.int32(1))
    jax.block_until_ready(losses)
    first = time.perf_counter() - began
    times = []
    for index in range(chunks):
        began = time.perf_counter()
        shown = draw_chunk(group, program, index * WINDOW)
        state, losses = chunk(program, state, shown, rates, keys, jnp.int32(WINDOW))
        jax.block_until_ready(losses)
        times.append((time.perf_counter() - began) / WINDOW * 1e3)
    seconds = None
    if decode:
        test, networks = group.runs[0].split.test, eqx.combine(state.arrays, static)
        commands = group.encoding.commands([e.command for e in test])
        lengths = np.array([len(e.actions) for e in test], np.int32)  # answers as long as a trained network's
        ask = partial(answers, networks, cap=answer_cap(group))
        ask(commands, lengths=lengths)  # compiles
        began = time.perf_counter()
        ask(commands, lengths=lengths)
        seconds = time.perf_counter() - began
    median, runs = float(np.median(times)), len(group.runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if jax.default_backend() != "cpu":
        peak = jax.local_devices()[0].memory_stats()["peak_bytes_in_use"] / 2**20
    return Measured(runs, median, median / runs, first, peak, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cell", choices=list(CELLS), default="lstm")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=200)
    parser.add_argument("--attention", action="store_true")
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--runs", type=int, nargs="+", default=[1])
    parser.add_argument("--chunks", type=int, default=5, help=f"of {WINDOW} updates")
    parser.add_argument("--decode", action="store_true", help="also decode 20,910 commands")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    split = made_up()
    encoding = Encoding.of(split.train)
    make = partial(
        seq2seq,
        words=len(encoding.words),
        actions=len(encoding.actions),
        cell=asked.cell,
        layers=asked.layers,
        attention=asked.attention,
    )
    rows = []
    for runs in asked.runs:
        group = Group(tuple(Run(s, split, asked.hidden, asked.dropout) for s in range(runs)), make, encoding)
        rows.append(measure(group, asked.chunks, asked.decode))
        print(json.dumps(asdict(rows[-1])), flush=True)
    if asked.json:
        network = {k: getattr(asked, k) for k in ("cell", "layers", "hidden", "attention", "dropout")}
        device = {"kind": jax.devices()[0].device_kind, "machine": platform.machine(), "jax": jax.__version__}
        asked.json.write_text(json.dumps(network | {"device": device, "rows": list(map(asdict, rows))}, indent=1))


if __name__ == "__main__":
    main()
