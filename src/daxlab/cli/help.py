"""A Typer whose help is read easily: the options of a long command in panels, flags and arguments without a type."""

import re
from collections.abc import Callable
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

WHAT, HOW, WHERE, LEDGER, REST = PANELS = "What", "How", "Where", "Ledger", "Other options"
LANGUAGE, TRAIN = "The language and its data", "Train and ask"
COMPARE, OWN, RUNS = "Compare and report", "Bring your own", "The ledger"
FEW = 10  # options, which need no panels


def laid_out(params: list[Any]) -> list[Any]:
    """The parameters of a command as its help shows them: many options in panels, a few in one."""
    arguments = [param for param in params if isinstance(param, TyperArgument)]
    options = [param for param in params if param not in arguments]
    for argument in arguments:
        vars(argument)["display_type_rich"] = lambda ctx: None  # Typer would say list[str]
    for option in options:
        if option.is_flag and option.metavar is None:
            option.metavar = ""  # it would say bool
        option.rich_help_panel = (option.rich_help_panel or REST) if len(options) > FEW else None
    places = {panel: place for place, panel in enumerate(PANELS)}
    return [*arguments, *sorted(options, key=lambda option: places.get(option.rich_help_panel, 0))]


def flowing(text: str | None) -> str | None:
    """A help text whose paragraphs fill the terminal's width; each example begins a line."""
    if text is None:
        return None
    return re.sub(r"(?<=[^\n])\n(?!\n|Example:)", " ", cleandoc(text))


class Command(TyperCommand):
    """A command with such help."""

    def __init__(self, name: str | None, **how: Any) -> None:
        super().__init__(name, **how)
        self.help = flowing(self.help)

    def get_params(self, ctx: Any) -> list[Any]:
        return laid_out(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands with such help."""

    def get_params(self, ctx: Any) -> list[Any]:
        return laid_out(super().get_params(ctx))


class App(typer.Typer):
    """Commands with such help."""

    def __init__(self, **how: Any) -> None:
        super().__init__(cls=Group, **how)

    def command(self, name: str | None = None, **how: Any) -> Callable[[Any], Any]:
        return super().command(name, cls=Command, **how)
