"""The help of every command."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from daxlab.cli import app
from daxlab.cli.help import FEW, HOW, LEDGER, PANELS, WHAT, WHERE


def commands(of: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group, with the words that call it."""
    yield names, of
    for name, command in getattr(of, "commands", {}).items():
        yield from commands(command, *names, name)


COMMANDS = dict(commands(typer.main.get_command(app)))
VERBS = [names for names, command in COMMANDS.items() if not hasattr(command, "commands")]


def test_the_version_is_shown(daxlab) -> None:
    assert daxlab("--version").stdout.startswith("daxlab ")


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_option_has_a_help_text(names: tuple[str, ...]) -> None:
    assert COMMANDS[names].help or not names
    assert not [param.name for param in COMMANDS[names].params if not param.help]


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_help_shows_no_types_of_python_and_names_commands(daxlab, names: tuple[str, ...]) -> None:
    done = daxlab(*names, "--help")
    assert done.returncode == 0
    assert not re.search(r"<\w|list\[", done.stdout)
    assert all(name in done.stdout for name in getattr(COMMANDS[names], "commands", ()))


@pytest.mark.parametrize("names", VERBS, ids=" ".join)
def test_every_command_has_an_example_of_itself(names: tuple[str, ...]) -> None:
    lines = COMMANDS[names].help.splitlines()
    assert [line for line in lines if line.startswith(f"Example: daxlab {' '.join(names)}")]


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_many_options_stand_in_panels_and_a_few_in_one(names: tuple[str, ...]) -> None:
    command = COMMANDS[names]
    options = [param for param in command.get_params(typer.Context(command)) if param.param_type_name == "option"]
    panels = [option.rich_help_panel for option in options]
    assert set(panels) == {None} if len(options) <= FEW else set(panels) <= set(PANELS)


def test_what_trains_says_what_how_where_and_into_which_ledger(daxlab) -> None:
    shown = daxlab("train", "--help").stdout
    places = [shown.index(f"─ {panel} ─") for panel in (WHAT, HOW, WHERE, LEDGER)]
    assert places == sorted(places)
    assert "DAXLAB_LEDGER" in shown
