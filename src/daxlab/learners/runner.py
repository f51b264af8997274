"""Runs somebody's class or function in a process of its own.

`python runner.py FILE NAME TRAIN COMMANDS ANSWERS SEED DEV`, under any Python from 3.7 on. It imports the standard
library alone, and nothing else of daxlab: the environment is the learner's. Further arguments, NAME=VALUE, are what the
class is made with.
"""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from typing import Any


def main(file: str, name: str, train: str, commands: str, answers: str, seed: str, dev: str, *settings: str) -> None:
    """Train a class on the training examples, or take a function as it is; write its answers to the commands.

    If there are examples for validation, a class whose `fit` takes `dev` gets them.
    """
    examples, held_out = ([(row["command"], row["actions"]) for row in _rows(path)] for path in (train, dev))
    questions = [row["command"] for row in _rows(commands)]
    learner = _named(Path(file), name)
    if isinstance(learner, type):
        model: Any = learner(**dict(map(_setting, settings)))
        more = {"dev": held_out} if held_out and _takes_dev(model.fit) else {}
        model.fit(examples, seed=int(seed), **more)
        replies = list(model.predict(questions[:]))
    else:
        replies = list(learner(questions[:]))
    sys.stdout = None  # if the learner has closed it, Python would not exit with 0
    with Path(answers).open("w", encoding="utf-8") as out:
        for answer in replies:
            row = {"answer": answer} if isinstance(answer, str) else {"not text": repr(answer)[:200]}
            out.write(json.dumps(row) + "\n")


def _takes_dev(fit: Any) -> bool:
    parameters = signature(fit).parameters.values()
    return any(each.name == "dev" or each.kind == each.VAR_KEYWORD for each in parameters)


def _rows(path: str) -> list[Any]:
    with Path(path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _named(path: Path, name: str) -> Any:
    """What the file calls so. The file finds its neighbours as if it were run itself, and none of daxlab's.

    It is imported by its own name, by which processes that it starts find it too.
    """
    if sys.path and Path(sys.path[0]).resolve() == Path(__file__).resolve().parent:
        del sys.path[0]
    sys.path.insert(0, str(path.resolve().parent))
    called = path.stem if path.stem not in sys.modules else "learner"
    spec = spec_from_file_location(called, str(path))
    if spec is None or spec.loader is None:
        sys.exit(f"{path} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[called] = module  # dataclasses and pickle look there
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        sys.exit(f"{path} has no class or function {name!r}")
    return getattr(module, name)


def _setting(text: str) -> tuple[str, Any]:
    """The value is read as JSON where it is (5, true), else as text."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


if __name__ == "__main__":
    main(*sys.argv[1:])
