"""A browser, and the page's own modules in it, from an address that leads nowhere else."""

import mimetypes
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

STATIC = Path(str(files("daxlab.web") / "static"))
AT = "http://page.test/"


@pytest.fixture(scope="module")
def modules(chromium: Any) -> Iterator[Any]:
    """A browser's page at `AT`, where `import("/network.js")` works, and "/weights/…" is a file of `served`."""
    served: dict[str, Path] = {}

    def answer(route: Any) -> None:
        name = route.request.url.removeprefix(AT)
        path = served.get(name, STATIC / name)
        if not name:
            return route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return route.fulfill(body=path.read_bytes(), content_type=kind)

    page = chromium.new_page()
    page.route("**/*", answer)
    page.goto(AT)
    page.served = served
    yield page
    page.close()
