"""`daxlab learners`: what can be trained."""

import json
from dataclasses import fields
from typing import Annotated, Any

import typer

from daxlab import learners
from daxlab.cli.options import JsonOption
from daxlab.cli.terminal import table
from daxlab.learners.core import written


def list_learners(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="LEARNER", help="One of them, or a class of your own: path/to/file.py:Name."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what can be trained: its fields with their defaults, what it is told about the task, where it comes from.

    Example: daxlab learners rnn
    """
    kinds = [_about(name) for name in names or learners.KINDS]
    if as_json:
        print(json.dumps(kinds, indent=1))
        return
    for kind in kinds:
        print(f"{kind['learner']}: {kind['about']}")
        print(f"  told: {kind['told']}" + (f"; from: {kind['origin']}" if kind["origin"] else ""))
        if kind["fields"]:
            print()
            lines = [[f"  {name}", written(field["default"]), field["help"]] for name, field in kind["fields"].items()]
            table(["  field", "default", ""], lines)
        print()
    print("A class of your own is a learner too: daxlab train path/to/file.py:Name (docs: CONTRIBUTING.md).")


def _about(name: str) -> dict[str, Any]:
    kind = learners.find(name)
    about = (kind.__doc__ or "").strip().partition("\n")[0]
    settings = {
        field.name: {"default": field.default, "help": field.metadata.get("help", "")} for field in fields(kind)
    }
    return {"learner": name, "about": about, "told": kind.told, "origin": kind.origin, "fields": settings}
