"""The front matter of a card: what Hugging Face reads at the top of a README.md. Knows nothing of datasets or runs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def card(front: Mapping[str, Any], text: str) -> bytes:
    """A README.md: the front matter as YAML, then the text."""
    return "\n".join(["---", *_lines(front), "---", "", text]).encode()


def _lines(value: Any) -> list[str]:
    """A value as lines of YAML; text and numbers are written as in JSON, which YAML contains.

    >>> _lines({"tags": ["scan"], "value": 0.5})
    ['tags:', '  - "scan"', 'value: 0.5']
    """
    if isinstance(value, Mapping):
        entries = [(f"{name}:", part) for name, part in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        entries = [("-", part) for part in value]
    else:
        return [json.dumps(value, ensure_ascii=False)]
    written: list[str] = []
    for mark, part in entries:
        first, *rest = lines = _lines(part)
        if mark == "-" or not isinstance(part, Mapping | list | tuple):
            written += [f"{mark} {first}", *(f"  {line}" for line in rest)]
        else:
            written += [mark, *(f"  {line}" for line in lines)]
    return written
