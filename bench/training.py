"""One run of the paper's overall-best network on one core: ours against eager PyTorch, on the same presentations.

    python bench/training.py [--quick]   # with torch installed (pip install torch), the baselines too

Each figure stands beside its limit or as a ratio; `floor` is the time to stream the weights through the core once per
time step, forward and back, and Adam's arrays once per update, at the bandwidth measured here for arrays of that size.
"""

import json
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CORE = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})  # before JAX counts its threads
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="daxlab-bench-")  # compilation from cold

import numpy as np  # noqa: E402

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "training.json"
QUICK = "--quick" in sys.argv  # a second's trial: does it still run?
UPDATES = 400 if QUICK else 1_000
REPEATS = 1 if QUICK else 3  # the least of which counts, for us and for them: what else the machine does only adds
HIDDEN = 8 if QUICK else 200


def bandwidth(size: int) -> float:
    """Bytes a second of reading an array of so many bytes, over and over."""
    array = np.ones(size // 4, np.float32)
    best = min(_timed(lambda: [array.dot(array) for _ in range(50)]) for _ in range(5))
    return 50 * size / best


def _timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ours() -> dict[str, float]:
    """Milliseconds an update, seconds to the first one (from cold, and with the cache), decoding, memory."""
    import jax

    from daxlab import engine
    from daxlab.engine import update
    from daxlab.engine.device import on_device

    on_device("cpu")
    stack, one_update = _stack(UPDATES), _stack(1)
    first = []
    for _ in range(2):  # from cold, then with JAX's persistent cache
        jax.clear_caches()
        update._compiled.clear()
        first.append(_timed(lambda: engine.train(one_update, sample=0)))
    per_update = float("inf")
    for _ in range(REPEATS):
        marks: list[float] = []
        done = engine.train(stack, on_progress=lambda *_: marks.append(time.perf_counter()), sample=0)  # noqa: B023
        per_update = min(per_update, (marks[-1] - marks[0]) / (UPDATES - engine.WINDOW))
    examples = (*stack.members[0].split.train, *stack.members[0].split.test)[: 200 if QUICK else None]
    commands = stack.encoding.commands([e.command for e in examples])
    targets = stack.encoding.answers([e.actions for e in examples])
    lengths = np.sum(targets != 0, axis=-1) - 1  # a trained network's answers are about this long
    ask = lambda: engine.answers(done.networks, commands, cap=stack.encoding.answer_time, lengths=lengths)  # noqa: E731
    ask()
    weights = sum(x.nbytes for x in jax.tree.leaves(engine.unstack(done.networks, 0)) if hasattr(x, "nbytes"))
    return {
        "ms_per_update": 1000 * per_update,
        "first_update_cold_s": first[0],
        "first_update_cached_s": first[1],
        "decode_20910_s": _timed(ask),
        "peak_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "weights_MB": weights / 1e6,
    }


def _stack(updates: int) -> Any:
    from daxlab.learners import RNN
    from daxlab.learners.trainees import stack_of
    from daxlab.ledger.spec import Spec

    return stack_of([Spec("simple", 0, RNN(hidden=HIDDEN, updates=updates)).job()])


def presented() -> list[tuple[list[str], tuple[str, ...]]]:
    """The commands that these updates present, in their order."""
    from daxlab.engine.draws import draw

    stack = _stack(UPDATES)
    drawn = draw(stack.protocol, stack.seeds, stack.tables, 0, 400)
    coding = stack.encoding
    return [
        (list(coding.words.sequence(command.tolist())), coding.actions.sequence(actions.tolist()))
        for command, actions in zip(drawn.commands[:, 0], drawn.actions[:, 0], strict=True)
    ]


def eager() -> dict[str, float]:
    """Milliseconds an update of the two PyTorch loops, where torch is installed."""
    try:
        import eager as baseline
    except ImportError:
        return {}
    shape: dict[str, Any] = {"hidden": HIDDEN, "layers": 2, "dropout": 0.5}
    pairs = presented()
    return {
        style: 1000 * min(baseline.seconds_per_update(style, pairs, **shape) for _ in range(REPEATS))
        for style in baseline.LOSSES
    }


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    found, loops = ours(), eager()
    pairs = presented()
    steps = float(np.mean([len(command) + len(actions) + 2 for command, actions in pairs]))
    rate = bandwidth(int(found["weights_MB"] * 1e6))
    # Half of the weights are the encoder's: a step of either reads its half, forward and back; Adam touches 7 arrays.
    floor = 1000 * found["weights_MB"] * 1e6 * (steps * 2 / 2 + 7) / rate
    rows: dict[str, tuple[float, float | None]] = {
        "LSTM 2x200, dropout 0.5, ms an update": (found["ms_per_update"], None),
        "  over the floor of streaming the weights": (found["ms_per_update"] / floor, None),
        "first update from cold, s": (found["first_update_cold_s"], 15.0),
        "first update with the cache, s": (found["first_update_cached_s"], 5.0),
        "decoding 20,910 commands, s": (found["decode_20910_s"], 20.0),
        "peak memory, MB": (found["peak_MB"], 1500.0),
    }
    for style, took in loops.items():
        rows[f"eager PyTorch, {style}, ms an update"] = (took, None)
        rows[f"  ours is faster by a factor of ({style})"] = (took / found["ms_per_update"], None)
    for what, (measured, limit) in rows.items():
        print(f"{what:48} {measured:9.2f}" + (f"   limit {limit:g}, ratio {measured / limit:.2f}" if limit else ""))
    if not loops:
        print("install torch for the eager baselines: pip install torch")
    machine = {"cpu": _cpu(), "cores used": 1, "python": platform.python_version(), "system": platform.platform()}
    if not loops or QUICK:  # what was measured with the baselines stays
        return
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "floor_ms": floor, "bandwidth_GB_s": rate / 1e9, **found, "eager_ms": loops}
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.processor())


if __name__ == "__main__":
    main()
