"""What a part of the search costs on one card by two plans: one group after the other, and all groups at once.

    python bench/at_once.py [--runs 60] [--out results/bench/at_once.json] [--quick]

Three kinds of network of three widths, each a group of its own. Every group is a process; they share the card by
NVIDIA's multi-process service (gpu_sharing.py), as in a sweep. At once, a plan takes as long as its slowest group; in
turn, as long as all of them together.
"""

import argparse
import json
import multiprocessing
import os
import platform
import time
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from daxlab.sweep import gpu_sharing

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "at_once.json"
UPDATES = 4_000
KINDS = [("lstm", 1, True), ("gru", 2, False), ("srn", 2, True)]
Member = tuple[str, int, bool, int]
GROUPS: list[Member] = [(*kind, width) for kind in KINDS for width in (25, 50, 100)]


def serve(pipe: Connection, member: Member, runs: int) -> None:
    """One group: says what it took to compile; whenever it is asked to, trains and says how long that took."""
    import jax
    import jax.numpy as jnp

    from daxlab.engine import WINDOW, update
    from daxlab.engine.train import draw_chunk, prepare
    from daxlab.learners import RNN
    from daxlab.learners.trainees import stack_of
    from daxlab.ledger.spec import Spec

    began = time.perf_counter()
    cell, layers, attention, hidden = member
    network = RNN(cell=cell, layers=layers, hidden=hidden, attention=attention)  # type: ignore[arg-type]
    group = stack_of([Spec("simple", seed, network).job() for seed in range(runs)])
    program, state, rates, keys = prepare(group)
    shown = draw_chunk(group, program, 0)
    run = update.compiled(program, state, shown, rates, keys, jnp.int32(0))
    state, losses = run(state, shown, rates, keys, jnp.int32(WINDOW))
    jax.block_until_ready(losses)
    pipe.send((time.perf_counter() - began, f"{jax.devices()[0].device_kind}, jax {jax.__version__}"))
    while pipe.recv():
        began = time.perf_counter()
        for _ in range(0, UPDATES, WINDOW):
            state, losses = run(state, shown, rates, keys, jnp.int32(WINDOW))
            jax.block_until_ready(losses)
        pipe.send(time.perf_counter() - began)


def together(pipes: dict[Member, Connection], company: list[Member]) -> list[float]:
    """Milliseconds an update that each of a company took, while all of them trained."""
    for member in company:
        pipes[member].send(True)
    return [1000 * pipes[member].recv() / UPDATES for member in company]


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true", help="Only see whether it can start.")
    asked = parser.parse_args()
    from daxlab.sweep.local import device_named

    if device_named("auto") != "gpu":
        print("bench/at_once.py: there is no GPU here that JAX can use, so there is nothing to measure")
        return
    os.environ |= {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "3"}
    context = multiprocessing.get_context("spawn")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, gpu_sharing.shared(Path(folder)) as environment:
        if environment is None:
            print("bench/at_once.py: this card cannot be shared (there is no multi-process service)")
            return
        os.environ |= environment
        pipes: dict[Member, Connection] = {}
        crew: list[Any] = []
        for member in GROUPS:
            pipes[member], theirs = context.Pipe()
            crew.append(context.Process(target=serve, args=(theirs, member, asked.runs), daemon=True))
            crew[-1].start()
            theirs.close()  # so that a process that dies is found out
        compiled, (device, *_) = zip(*(pipe.recv() for pipe in pipes.values()), strict=True)
        print(f"{len(crew)} programs compiled at once: {max(compiled):.0f} s", flush=True)
        alone = {member: together(pipes, [member])[0] for member in pipes}
        both = together(pipes, GROUPS)
        rows: list[dict[str, Any]] = [{"plan": "in turn", "each_ms": [*alone.values()], "ms": sum(alone.values())}]
        rows += [{"plan": "at once", "each_ms": both, "ms": max(both)}]
        for process in crew:
            process.kill()
    for row in rows:
        print(f"{row['plan']}: {row['ms']:.2f} ms an update of all {asked.runs * len(GROUPS)} runs", flush=True)
    machine = {"device": device, "python": platform.python_version(), "system": platform.platform()}
    each = [
        {"group": member, "ms": ms, "compiled_s": s} for (member, ms), s in zip(alone.items(), compiled, strict=True)
    ]
    found = {"machine": machine, "runs": asked.runs, "updates": UPDATES, "alone": each, "plans": rows}
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
