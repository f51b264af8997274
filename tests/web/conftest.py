"""A browser, and the page's own modules in it, from an address that leads nowhere else."""

import mimetypes
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
STATIC = Path(str(files("daxlab.web") / "static"))
AT = "http://page.test/"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by playwright; without it the test is skipped."""
    path = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if path is None:
        pytest.skip("there is no Chromium on this machine; on Debian: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


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
