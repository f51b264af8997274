"""daxlab where JAX and all else that its extras have is not installed: `python without_jax.py < commands.json`.

Each command is a list of words; what it prints, and how it would exit, comes back as JSON. A worker's process begins
with this file too, so that it has no JAX either.
"""

import io
import json
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout

LACKING = ("equinox", "inspect_ai", "jax", "jaxlib", "optax", "ray", "sacrebleu")

if __name__ in ("__main__", "__mp_main__"):  # the tests' own process, which looks for doctests here, keeps its JAX
    sys.modules.update(dict.fromkeys(LACKING))  # an import of None is a ModuleNotFoundError


def run(words: list[str]) -> tuple[int, str, str]:
    """The exit code of a command, and what it prints."""
    from daxlab.cli import main

    sys.argv, code = ["daxlab", *words], 0
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception:
            code = 1
            traceback.print_exc()
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    results = [run(words) for words in json.load(sys.stdin)]
    json.dump(results, sys.stdout)
