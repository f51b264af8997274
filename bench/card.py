"""How the cost of an update grows with the number of runs and with their width, on one card.

    python bench/card.py [--runs 1 5 20 64 512] [--hidden 25 100 200 400] [--out results/bench/card.json] [--quick]

LSTM of two layers, dropout 0.5, on the simple split. Every configuration is compiled in a process of its own, all at
once, and then timed alone. `floor` is the time to stream the weights through the card once per time step, forward and
back, and Adam's arrays once per update, at the bandwidth that a copy reaches here; no presentation is counted padded.
"""

import argparse
import json
import multiprocessing
import os
import platform
import queue
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "card.json"
PATIENCE = 500  # seconds for all to be compiled
ENOUGH = 3.0  # seconds of updates to be timed


def measure(hidden: int, runs: int, compiled: Any, alone: Any, found: Any) -> None:
    """One configuration: compiled beside the others, timed alone."""
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import numpy as np

    from daxlab.engine import WINDOW, answers, update
    from daxlab.engine.train import draw_chunk, prepare
    from daxlab.learners import RNN
    from daxlab.learners.trainees import stack_of
    from daxlab.ledger.spec import Spec

    began = time.perf_counter()
    group = stack_of([Spec("simple", seed, RNN(hidden=hidden)).job() for seed in range(runs)])
    program, state, rates, keys = prepare(group)
    shown = draw_chunk(group, program, 0)
    run = update.compiled(program, state, shown, rates, keys, jnp.int32(0))
    took = time.perf_counter() - began
    compiled.wait(PATIENCE)
    with alone:
        times = list[float]()
        for _ in range(4):
            count = min(WINDOW, max(5, int(ENOUGH / times[0]))) if times else 5  # the first few warm up
            began = time.perf_counter()
            state, losses = run(state, shown, rates, keys, jnp.int32(count))
            jax.block_until_ready(losses)
            times.append((time.perf_counter() - began) / count)
        lengths = np.sum(np.asarray(shown.commands) != 0, -1) + np.sum(np.asarray(shown.actions) != 0, -1)
        weights = sum(leaf.nbytes for leaf in jax.tree.leaves(state.arrays))
        floor = weights * (lengths.mean() + 7) / _bandwidth()  # half the weights are the encoder's; Adam: 7 arrays
        row: dict[str, Any] = {
            "hidden": hidden,
            "runs": runs,
            "ms": 1000 * float(np.median(times[1:])),
            "floor_ms": 1000 * float(floor),
            "weights_GB": weights / 1e9,
            "compiled_beside_others_s": took,
        }
        if (hidden, runs) == (200, 1):
            networks, split = eqx.combine(state.arrays, program.static), group.members[0].split
            examples = split.train + split.test
            commands = group.encoding.commands([example.command for example in examples])
            ask = lambda: answers(  # noqa: E731
                networks,
                commands,
                cap=group.encoding.answer_time,
                lengths=np.array([len(example.actions) for example in examples], np.int32),
            )
            ask()
            began = time.perf_counter()
            ask()
            row["decode_20910_s"] = time.perf_counter() - began
        found.put(row)


def _bandwidth() -> float:
    """Bytes a second of a copy: read and written."""
    import jax
    import jax.numpy as jnp

    size = 2**30 if jax.default_backend() == "gpu" else 2**24
    array, copy = jnp.ones(size // 4), jax.jit(lambda x: x + 1)
    jax.block_until_ready(copy(array))
    began = time.perf_counter()
    for _ in range(20):
        array = copy(array)
    jax.block_until_ready(array)
    return float(20 * 2 * array.nbytes / (time.perf_counter() - began))


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", type=int, nargs="+", default=[1, 5, 20, 64, 512])
    parser.add_argument("--hidden", type=int, nargs="+", default=[25, 100, 200, 400])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true", help="A second's trial on whatever device there is.")
    asked = parser.parse_args()
    from daxlab.sweep.local import device_named  # slow to load

    if asked.quick:
        asked.runs, asked.hidden = [1], [5]
    elif device_named("auto") != "gpu":
        print("bench/card.py: there is no GPU here that JAX can use, so there is nothing to measure")
        return
    os.environ |= {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "3"}
    context = multiprocessing.get_context("spawn")
    places = [(hidden, runs) for hidden in asked.hidden for runs in asked.runs]
    shared = (context.Barrier(len(places)), context.Lock(), context.Queue())
    crew = [context.Process(target=measure, args=(*place, *shared)) for place in places]
    for process in crew:
        process.start()
    rows: list[dict[str, Any]] = []
    while len(rows) < len(crew) and any(process.is_alive() for process in crew):
        try:
            rows.append(shared[2].get(timeout=1))
        except queue.Empty:
            continue
        print(json.dumps(rows[-1]), flush=True)
    rows.sort(key=lambda row: (row["hidden"], row["runs"]))
    show(rows)
    machine = {"device": _device(), "python": platform.python_version(), "system": platform.platform()}
    if asked.quick:
        return
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


def show(rows: list[dict[str, Any]]) -> None:
    """Milliseconds an update, of all runs and of one, and how far from the floor."""
    print("hidden  runs  ms an update  ms a run  over the floor")
    for row in rows:
        print(
            f"{row['hidden']:6} {row['runs']:5} {row['ms']:13.2f} {row['ms'] / row['runs']:9.3f}"
            f" {row['ms'] / row['floor_ms']:15.1f}"
        )
        if "decode_20910_s" in row:
            print(f"       decoding 20,910 commands: {row['decode_20910_s']:.2f} s (limit 1)")


def _device() -> str:
    import jax

    return f"{jax.devices()[0].device_kind}, jax {jax.__version__}"


if __name__ == "__main__":
    main()
