"""Blocks as Markdown: text, tables, headings. Figures are left out; what they show, tables and sentences say too."""

from collections.abc import Iterator, Sequence
from textwrap import indent

from daxlab.report.blocks import Block, Cell, Faint, Fold, Note, Section, Strip, Table, Text


def markdown(title: str, opening: Sequence[Block], sections: Sequence[Section]) -> str:
    """A document of sections."""
    parts = [f"# {title}", *_blocks(opening, 2)]
    for section in sections:
        parts += [f"## {section.title}", *_blocks(section.blocks, 3)]
    return "\n\n".join(parts) + "\n"


def _blocks(blocks: Sequence[Block], level: int) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Text):
            yield block.text
        elif isinstance(block, Table):
            yield from _table(block)
        elif isinstance(block, Fold):
            yield f"{'#' * level} {block.title} ({block.about})"
            yield from _blocks(block.blocks, level + 1)


def _table(table: Table) -> Iterator[str]:
    """The rows that are no notes, without drawn columns; grey ones in italics. Then the notes, each a paragraph."""
    rows = [row for row in table.rows if len(row) > 1]
    kept = [n for n in range(len(table.head)) if not any(isinstance(row[n], Strip) for row in rows)]
    rule = ["--:" if n in table.right else "---" for n in kept]
    lines = [[table.head[n] for n in kept], rule]
    lines += [[_cell(row[n], isinstance(row[0], Faint)) for n in kept] for row in rows]
    if table.caption:
        yield table.caption
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    yield from (indent(row[0], "    ") for row in table.rows if isinstance(row[0], Note))


def _cell(cell: Cell, faint: bool) -> str:
    """A cell on one line; nothing in it ends the cell."""
    said = str(cell).replace("|", "\\|").replace("\n", "; ").strip()
    return f"*{said}*" if faint and said not in ("", "–") else said
