"""`daxlab translate`: from commands to actions, one or a stream of them."""

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import Annotated, BinaryIO

import typer

from daxlab.cli.options import LanguageOption
from daxlab.datasets import language
from daxlab.errors import InputError
from daxlab.languages import Language

MOST_CHARACTERS = 1_000_000  # of a line; longer ones are refused without being held in memory


def translate(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND", help="The command, or - for standard input, one command a line.")
    ],
    tree: Annotated[bool, typer.Option("--tree", help="Show how the command is derived.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Actions and tree as JSON, one object a command.")] = False,
    names: Annotated[
        str, typer.Option(metavar="release|paper", help="Write I_JUMP, I_TURN_LEFT (release) or JUMP, LTURN (paper).")
    ] = "release",
    language_name: LanguageOption = "scan",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="On a stream: leave an empty line for a bad command, and go on.")
    ] = False,
) -> None:
    """Print the actions that a command denotes.

    Example: daxlab translate "jump around left after jump twice" --tree
    """
    lang = language(language_name, names)
    render = _as_json if as_json else _as_tree if tree else _as_actions
    if command != ["-"]:
        print(render(lang, " ".join(command)))
    elif not _stream(sys.stdin.buffer, lambda text: render(lang, text), keep_going, as_json):
        raise typer.Exit(2)


def _as_actions(lang: Language, text: str) -> str:
    return " ".join(lang.translate(text))


def _as_tree(lang: Language, text: str) -> str:
    return str(lang.tree(text)) + "\n"


def _as_json(lang: Language, text: str) -> str:
    derivation = lang.tree(text)
    return json.dumps({"command": text, "actions": list(derivation.actions), "tree": derivation.to_dict()})


def _stream(file: BinaryIO, render: Callable[[str], str], keep_going: bool, as_json: bool) -> bool:
    """An answer for each line, as soon as it is known (trees have an empty line between); whether all were commands."""
    number, good = 0, True
    for number, line in enumerate(_lines(file), 1):
        try:
            out = render(_decoded(line))
        except InputError as error:
            if not keep_going:
                raise InputError(f"line {number}: {error}") from None
            print(f"daxlab: line {number}: {error}", file=sys.stderr)
            out, good = json.dumps({"line": number, "error": str(error)}) if as_json else "", False
        sys.stdout.write(out + "\n")
        sys.stdout.flush()
    if not number:
        raise InputError("no commands on standard input; give one a line")
    return good


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines, of each no more than a bit over the longest allowed; without a byte-order mark."""
    if file.peek(3)[:3] == BOM_UTF8:  # type: ignore[attr-defined]
        file.read(3)
    while line := file.readline(MOST_CHARACTERS + 2):
        yield line
        while len(line) == MOST_CHARACTERS + 2 and not line.endswith(b"\n"):
            line = file.readline(MOST_CHARACTERS + 2)  # the rest of a line that will be refused


def _decoded(line: bytes) -> str:
    if len(line.rstrip(b"\r\n")) > MOST_CHARACTERS:
        raise InputError(f"longer than {MOST_CHARACTERS:,} characters, which no command is")
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte 0x{line[error.start]:02x} at position {error.start + 1}") from None
