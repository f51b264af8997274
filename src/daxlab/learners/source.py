"""What a Python file says, as far as reading tells: what a name in it stands for, which files it needs, and the digest
of all these. The file is somebody's, and nothing of it is run.

Knows nothing of learners.
"""

import ast
import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple

Node = ast.ClassDef | ast.FunctionDef | ast.Lambda


class Definition(NamedTuple):
    """Where a class or a function is written down."""

    path: Path
    node: Node


def digest(path: Path) -> str:
    """The sha256 of a file; if it is Python and imports others from beside it, of it and them."""
    own, *others = needed(path.resolve())
    if not others:
        return _sha256(own)
    contents = sorted((file.relative_to(own.parent).as_posix(), _sha256(file)) for file in others)
    return sha256(json.dumps([_sha256(own), contents]).encode()).hexdigest()


def needed(path: Path) -> list[Path]:
    """A file, those that it imports from beside it (its folder, and packages there), and those that these import."""
    files = [path]
    for file in files:  # it grows meanwhile
        for module in _modules(file, path.parent) if file.suffix == ".py" else ():
            if module not in files and module.is_relative_to(path.parent) and module.is_file():
                files.append(module)
    return files


def _modules(file: Path, folder: Path) -> Iterator[Path]:
    """The files that a file imports, if they are there. `folder`: where Python looks for modules."""
    for node in (node for statement in statements(file) for node in ast.walk(statement)):
        for up, name in _imports(node):
            places = [folder, *file.parents]  # two dots before a name: one folder up
            for part in name.split(".") if up < len(places) else ():
                places[up] /= part
                yield from (places[up].with_suffix(".py"), places[up] / "__init__.py")


def _imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a statement imports, of modules or of something in them; and the number of dots before each."""
    if isinstance(node, ast.Import):
        yield from ((0, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from ((node.level, _dotted(node.module or "", alias.name)) for alias in node.names)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def statements(path: Path) -> list[ast.stmt]:
    """The statements of a file; none if it cannot be read, or is of another Python."""
    with suppress(OSError, SyntaxError, ValueError):
        return ast.parse(path.read_bytes()).body
    return []


def definition(path: Path, name: str, waiting: frozenset[tuple[Path, str]] = frozenset()) -> Definition | str | None:
    """The definition of a name such as `Mine` or `networks.Network`, in a file or in one beside it; the whole name of
    what is imported from elsewhere; None if reading does not tell. `waiting`: names that stand for this one."""
    first, _, rest = name.partition(".")
    bound = [binding for statement in statements(path) for binding in _bindings(statement)]
    meaning = next((meaning for own, meaning in reversed(bound) if own == first), None)
    if meaning is None or (path, name) in waiting:
        return None
    waiting |= {(path, name)}
    if isinstance(meaning, Node):
        return None if rest else Definition(path, meaning)
    if isinstance(meaning, ast.expr):
        return definition(path, _dotted(ast.unparse(meaning), rest), waiting)
    parts = _dotted(meaning, rest).split(".")
    for size in range(len(parts) - 1, 0, -1):
        if (beside := path.parent.joinpath(*parts[:size]).with_suffix(".py")).is_file():
            return definition(beside, ".".join(parts[size:]), waiting)
    return ".".join(parts)


def _bindings(statement: ast.stmt) -> Iterator[tuple[str, Node | ast.expr | str]]:
    """The names that a statement gives a meaning: a class or a function, an expression, what is imported."""
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            yield name, statement
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.ImportFrom(module=module, names=names):
            yield from ((alias.asname or alias.name, _dotted(module or "", alias.name)) for alias in names)
        case ast.Import(names=names):
            for alias in names:
                first = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (first, first)


def _dotted(*parts: str) -> str:
    return ".".join(filter(None, parts))


def ancestry(path: Path, name: str) -> tuple[list[Definition], set[str]]:
    """A class and those that it inherits from, as far as they are in files beside it, the nearest first; and what of
    them is imported from elsewhere."""
    classes, elsewhere, names = list[Definition](), set[str](), [(path, name)]
    for place, word in names:  # it grows meanwhile
        found = definition(place, word)
        if isinstance(found, str):
            elsewhere.add(found)
        elif found and isinstance(found.node, ast.ClassDef):
            classes.append(found)
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in found.node.bases]
            names += [pair for base in bases if (pair := (found.path, ast.unparse(base))) not in names]
    return classes, elsewhere


def attribute(path: Path, name: str, wanted: str) -> Any:
    """The value of a class's attribute that is written down as a literal; None if there is none."""
    for found in ancestry(path, name)[0]:
        for statement in found.node.body if isinstance(found.node, ast.ClassDef) else ():
            match statement:
                case ast.Assign(targets=[ast.Name(id=own)], value=value) if own == wanted:
                    with suppress(ValueError):
                        return ast.literal_eval(value)
    return None
