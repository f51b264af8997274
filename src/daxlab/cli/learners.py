"""`daxlab learners`: what can be trained."""

import json
from dataclasses import fields
from typing import Annotated, Any

import typer

from daxlab import learners
from daxlab.cli.options import JsonOption
from daxlab.learners.core import written


def list_learners(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LEARNER]", help="One of them, or a class of your own: path/to/file.py:Name."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what can be trained: its fields with their defaults, what it is told about the task, where it comes from.

    Example: daxlab learners rnn
    """
    found = [_about(name) for name in names or learners.KINDS]
    if as_json:
        print(json.dumps(found, indent=1))
        return
    from daxlab.cli.terminal import table

    for one in found:
        print(f"{one['learner']}: {one['about']}")
        print(f"  told: {one['told']}" + (f"; from: {one['origin']}" if one["origin"] else ""))
        rows = [[f"  {name}", written(part["default"]), part["help"]] for name, part in one["fields"].items()]
        if rows:
            print()
            table(["  field", "default", ""], rows)
        print()
    print("A class of your own is a learner too: daxlab train path/to/file.py:Name (docs: CONTRIBUTING.md).")


def _about(name: str) -> dict[str, Any]:
    kind = learners.find(name)
    return {
        "learner": name,
        "about": (kind.__doc__ or "").strip().splitlines()[0] if kind.__doc__ else "",
        "told": kind.told,
        "origin": kind.origin,
        "fields": {one.name: {"default": one.default, "help": one.metadata.get("help", "")} for one in fields(kind)},
    }
