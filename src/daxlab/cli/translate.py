"""`daxlab translate`: from commands to actions, one or a stream of them."""

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Annotated

import typer

from daxlab.cli.completion import one_of
from daxlab.cli.options import DataOption
from daxlab.datasets import language
from daxlab.errors import InputError
from daxlab.languages import Language
from daxlab.languages.language import shipped

MOST_BYTES = 1_000_000  # of a line


def translate(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="The command; or - to read commands from standard input, one a line."),
    ],
    tree: Annotated[bool, typer.Option("--tree", help="Show how the meaning is derived.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print actions and tree as JSON, an object for each command.")
    ] = False,
    names: Annotated[
        str,
        typer.Option(
            metavar="release|paper",
            help="Write I_JUMP, I_TURN_LEFT (release) or JUMP, LTURN (paper).",
            autocompletion=one_of("release", "paper"),
        ),
    ] = "release",
    language_name: DataOption = "scan",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="With -: print an empty line for a bad command, and go on.")
    ] = False,
) -> None:
    """Print the actions that a command means.

    Example: daxlab translate "jump around left after jump twice" --tree
    """
    lang = language(language_name, names)

    def answer(text: str) -> str:
        if not (tree or as_json):
            return " ".join(lang.translate(text))
        derivation = lang.tree(text)
        if not as_json:
            return f"{derivation}\n"  # an empty line between trees
        return json.dumps({"command": text, "actions": list(derivation.actions), "tree": derivation.to_dict()})

    if command != ["-"]:
        text = " ".join(command)
        try:
            print(answer(text))
        except InputError as error:
            raise InputError(f"{error}{known_elsewhere(text, lang)}") from None
    elif not _stream(sys.stdin.buffer, answer, keep_going, as_json):
        raise typer.Exit(2)


def known_elsewhere(text: str, lang: Language | None) -> str:
    """Which language that comes with daxlab knows the words that this one does not, and what the text means there."""
    unknown = {word for word in text.split() if lang is None or word not in lang.words}
    for name in shipped():
        other = language(name)
        if there := sorted(unknown & set(other.words)):
            with suppress(InputError):
                meaning = " ".join(other.translate(text))
                return f"\n{name} knows it: 'daxlab translate \"{text}\" --language {name}' prints {meaning}"
            return f"\n{name} knows {', '.join(map(repr, there))}: 'daxlab translate --language {name}'"
    return ""


def _stream(lines: Iterable[bytes], answer: Callable[[str], str], keep_going: bool, as_json: bool) -> bool:
    """Answer each line before the next one is read; whether all were commands."""
    number, good = 0, True
    for number, line in enumerate(lines, 1):
        try:
            out = answer(_decoded(line))
        except InputError as error:
            if not keep_going:
                raise InputError(f"line {number}: {error}") from None
            print(f"daxlab: line {number}: {error}", file=sys.stderr)
            out, good = json.dumps({"line": number, "error": str(error)}) if as_json else "", False
        print(out, flush=True)
    if not number:
        raise InputError("no commands on standard input; give one a line")
    return good


def _decoded(line: bytes) -> str:
    if len(line) > MOST_BYTES:
        raise InputError(f"longer than {MOST_BYTES:,} bytes, which no command is")
    try:
        return line.decode("utf-8-sig").rstrip("\r\n")  # without a byte-order mark
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte 0x{line[error.start]:02x} at position {error.start + 1}") from None
