"""Tab-separated text: two columns, and perhaps a third. An error names the line and says what a line should have."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import IO

from daxlab.errors import InputError

MOST_BYTES = 10_000_000  # of a line


def rows(file: IO[bytes], called: str, first: str, second: str) -> Iterator[list[str]]:
    """The fields of each line; only this line is held in memory. `first` and `second` say what the columns are."""
    for number, line in enumerate(iter(lambda: file.readline(MOST_BYTES + 1), b""), 1):
        content = line.removeprefix(BOM_UTF8) if number == 1 else line
        try:
            fields = content.decode().rstrip("\r\n").split("\t")
            problem = _problem(fields, first, second)
        except UnicodeDecodeError as error:
            byte = f"byte 0x{content[error.start]:02x} at position {error.start + 1}"
            problem = f"not UTF-8 ({byte}); save the file as UTF-8"
        if len(line) > MOST_BYTES:
            problem = f"longer than {MOST_BYTES:,} bytes"
        if problem:
            raise InputError(f"{called}, line {number}: {problem}")
        yield fields


def _problem(fields: list[str], first: str, second: str) -> str:
    missing = [name for name, field in zip((first, second), fields, strict=False) if not field.strip()]
    if "\r" in "\t".join(fields):
        return "a carriage return within the line; save the file with line ends of Unix or Windows"
    if not any(field.strip() for field in fields):
        problem = "the line is empty"
    elif len(fields) not in (2, 3):
        problem = f"{len(fields)} column{'s' * (len(fields) > 1)} between tabs, not two or three"
    elif missing:
        problem = f"{missing[0]} is missing"
    else:
        return ""
    return f"{problem}; every line has {first}, a tab and {second}"
