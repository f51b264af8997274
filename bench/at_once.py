"""What groups of runs cost that train at the same time on one card, each in a process of its own.

    python bench/at_once.py [--runs 60] [--out results/bench/at_once.json]

All are compiled at once; then companies of them train together for a few seconds. The card is shared by NVIDIA's
multi-process service (daxlab.sweep.card), as in a sweep.
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

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "at_once.json"
SECONDS = 4.0
WIDTHS = (25, 50, 100)
LSTM, GRU, LARGE = (
    [("lstm", 1, n, True) for n in WIDTHS],
    [("gru", 2, n, False) for n in WIDTHS],
    ("lstm", 2, 200, False),
)
MEMBERS = [*LSTM, *GRU, LARGE, ("srn", 2, 200, True)]
COMPANIES = [*([one] for one in MEMBERS), LSTM, GRU, [LSTM[-1], GRU[-1]], LSTM + GRU, MEMBERS[-2:], [*LSTM, LARGE]]


def serve(pipe: Connection, member: tuple[str, int, int, bool], runs: int) -> None:
    """One group: says what it took to compile, then trains whenever it is asked to; answers with seconds an update."""
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import numpy as np

    from daxlab.engine import update
    from daxlab.engine.train import WINDOW, draw_chunk, make_program, run_inputs, start_state
    from daxlab.sweep import Architecture, Spec
    from daxlab.sweep.worker import engine_group

    began = time.perf_counter()
    group = engine_group([Spec("simple", seed, Architecture(*member, 0.5)) for seed in range(runs)])
    arrays, static = eqx.partition(group.start(), eqx.is_array)
    program, (rates, keys) = make_program(group, static), run_inputs(group)
    shown, state = draw_chunk(group, program, 0), start_state(arrays)
    run = update.compiled(program, state, shown, rates, keys, jnp.int32(0))
    state, losses = run(state, shown, rates, keys, jnp.int32(WINDOW))
    jax.block_until_ready(losses)
    pipe.send(time.perf_counter() - began)
    while pipe.recv():
        until, times = time.perf_counter() + SECONDS, [time.perf_counter()]
        while times[-1] < until:
            state, losses = run(state, shown, rates, keys, jnp.int32(WINDOW))
            jax.block_until_ready(losses)
            times.append(time.perf_counter())
        pipe.send((float(np.median(np.diff(times))) / WINDOW, str(jax.devices()[0].device_kind), jax.__version__))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    from daxlab.cli.options import device_named
    from daxlab.sweep import card

    if device_named("auto") != "gpu":
        print("bench/at_once.py: there is no GPU here that JAX can use, so there is nothing to measure")
        return
    os.environ |= {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "3"}
    context = multiprocessing.get_context("spawn")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, card.shared(Path(folder)) as environment:
        if environment is None:
            print("bench/at_once.py: this card cannot be shared (there is no multi-process service)")
            return
        os.environ |= environment
        pipes, crew = {}, []
        for member in MEMBERS:
            pipes[member], theirs = context.Pipe()
            crew.append(context.Process(target=serve, args=(theirs, member, asked.runs), daemon=True))
            crew[-1].start()
        compiled = [pipes[member].recv() for member in MEMBERS]
        print(f"{len(crew)} programs compiled at once: {max(compiled):.0f} s", flush=True)
        rows, kind = [], ("", "")
        for company in COMPANIES:
            for member in company:
                pipes[member].send(True)
            found = [pipes[member].recv() for member in company]
            kind = found[0][1:]
            rows.append({"groups": company, "runs": asked.runs, "ms": [1000 * ms for ms, *_ in found]})
            print(
                " + ".join(
                    f"{c} {n}x{h}{' attention' * a} {ms:.2f}"
                    for (c, n, h, a), ms in zip(company, rows[-1]["ms"], strict=True)
                ),
                flush=True,
            )
        for process in crew:
            process.kill()
    machine = {
        "device": f"{kind[0]}, jax {kind[1]}",
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps({"machine": machine, "compiled_s": compiled, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
