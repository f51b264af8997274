"""How fast the ground floor is: enumerating, starting, translating a stream. `make bench` runs it.

Each figure stands beside what it must not exceed (or fall short of), as a ratio: below 1 is good.
"""

import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from daxlab import language

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "language.json"
DAXLAB = [sys.executable, "-m", "daxlab"]
QUICK = "--quick" in sys.argv  # a second's trial: does it still run?
VERBS = 2 if QUICK else 10  # on top of SCAN's four: over 200,000 commands
STREAMED = 1_000 if QUICK else 200_000


def cpu(command: list[str]) -> float:
    """Seconds of CPU that a command takes; the least of three, the first two warming the caches."""
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def enumerating() -> float:
    code = (
        "import time, daxlab; start = time.process_time(); daxlab.language('scan').commands();"
        "print(time.process_time() - start)"
    )
    run = [sys.executable, "-c", code]
    return min(float(subprocess.run(run, capture_output=True, check=True).stdout) for _ in range(5))


def streaming() -> tuple[int, float]:
    """Commands in a language of our own, and how many of them `daxlab translate -` does a second on one core."""
    with tempfile.TemporaryDirectory() as folder:
        grammar = Path(folder) / "many.grammar"
        verbs = [f"verb{n}" for n in range(VERBS)]
        rules = "".join(f"  U -> {verb}\n" for verb in verbs)
        meanings = "".join(f"  [[{verb}]] = {verb.upper()}\n" for verb in verbs)
        grammar.write_text(f"extends scan\ngrammar:\n{rules}meaning:\n{meanings}")
        many = language(str(grammar))
        chosen = random.Random(0).sample(many.commands(), STREAMED)
        commands = Path(folder) / "commands.txt"
        commands.write_text("".join(f"{example.command}\n" for example in chosen))
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        start = time.perf_counter()
        with commands.open() as stdin:
            command = [*DAXLAB, "translate", "-", "--language", str(grammar)]
            answers = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True).stdout
        rate = STREAMED / (time.perf_counter() - start)
        assert answers.splitlines() == [" ".join(example.actions) for example in chosen]
        return len(many.commands()), rate


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    bare = cpu([sys.executable, "-c", "pass"])
    size, rate = streaming()
    rows = [
        ("enumerate SCAN with meanings, s of CPU", enumerating(), 0.1),
        ("import daxlab, s of CPU beyond Python's", cpu([sys.executable, "-c", "import daxlab"]) - bare, 0.3),
        ("daxlab --help, s of CPU beyond Python's", cpu([*DAXLAB, "--help"]) - bare, 0.3),
        (f"translate a stream, µs a command ({size:,} possible)", 1e6 / rate, 50.0),
    ]
    for what, measured, limit in rows:
        print(f"{what:58} {measured:8.3f}   limit {limit:6.1f}   ratio {measured / limit:.2f}")
    print(f"that is {rate:,.0f} commands a second on one core, start included")
    machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
    if QUICK:
        return
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    measured_rows = [{"what": what, "measured": measured, "limit": limit} for what, measured, limit in rows]
    RESULTS.write_text(json.dumps({"machine": machine, "rows": measured_rows}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
