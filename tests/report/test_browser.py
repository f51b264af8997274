"""The page in a real browser, from disk, with the network off."""

import csv
import re
from collections.abc import Iterator
from functools import partial
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.slow

WIDTHS = {"phone": 375, "desk": 1280}


@pytest.fixture(scope="module")
def address(html: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


def _outside(asked: str, complaints: list[str]) -> None:
    if not asked.startswith("data:"):
        complaints.append(f"asked for {asked[:80]}")


@pytest.fixture
def opened(chromium: Any, address: str) -> Iterator[Any]:
    """Opens the page with all its folds; complains afterwards if the browser did, or if anything else was asked for."""
    complaints: list[str] = []
    contexts = []

    def open_page(width: int = 1280, scheme: str = "light", folds: bool = True) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda request: request.url != address and complaints.append(f"asked for {request.url[:80]}")
        )
        page.goto(address)
        if folds:
            page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def closed(opened: Any) -> Any:
    """Opens the page as it is, with its folds closed."""
    return partial(opened, folds=False)


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_every_figure_is_visible_and_inside_the_page(opened: Any, width: int) -> None:
    page = opened(width)
    boxes = page.eval_on_selector_all(
        "figure svg",
        "all => all.map(one => { const box = one.getBoundingClientRect(); return [one.closest('figure').id, box.left,"
        " box.right, box.width, box.height, getComputedStyle(one).visibility] })",
    )
    assert len(boxes) == page.locator("figure").count() > 20
    for name, left, right, wide, high, visibility in boxes:
        assert wide > 250 and high > 30, name
        assert left >= 0 and right <= width, name
        assert visibility == "visible", name


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_the_page_never_scrolls_sideways(opened: Any, width: int) -> None:
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # A wide table scrolls in its own box, and the box can be reached by keyboard.
    assert page.eval_on_selector_all(".scroll", "all => all.every(one => one.tabIndex === 0)")


@pytest.mark.parametrize(("width", "least"), [(390, 11), (1280, 12)], ids=["phone", "desk"])
def test_letters_of_figures_are_readable(opened: Any, width: int, least: float) -> None:
    page = opened(width)
    sizes = page.eval_on_selector_all(
        "figure svg text",
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize)"
        " * one.ownerSVGElement.getBoundingClientRect().width / one.ownerSVGElement.viewBox.baseVal.width)",
    )
    assert min(sizes) >= least


def test_on_a_phone_no_cell_of_a_wide_table_is_out_of_sight(opened: Any) -> None:
    page = opened(390)
    sides = page.eval_on_selector_all(
        ".stack :is(tbody th, td)",
        "all => all.map(one => one.getBoundingClientRect()).map(box => [box.left, box.right])",
    )
    assert len(sides) > 100
    assert all(left >= 0 and right <= 390 for left, right in sides)


HIDDEN = "all => all.filter(one => !one.checkVisibility()).map(one => one.id)"


def test_a_link_opens_all_that_its_part_is_folded_into_and_one_button_opens_everything(closed: Any) -> None:
    page = closed()
    for name in ("learning-turn-left-0", "comparison", "neighbours-table"):
        assert not page.locator(f"#{name}").is_visible()
        page.evaluate("name => { location.hash = name; }", name)
        page.wait_for_function("name => document.getElementById(name).checkVisibility()", arg=name)
    page.get_by_role("button", name="Open all").click()
    assert page.eval_on_selector_all("figure, .table, h3, h4, h5", HIDDEN) == []
    page.get_by_role("button", name="Close all").click()
    assert not page.locator("#learning-turn-left-0").is_visible()


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_contents_stay_in_sight_and_say_where_one_is(closed: Any, width: int) -> None:
    page = closed(width)
    page.evaluate("window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    page.wait_for_function("document.querySelector('nav [aria-current]').textContent === 'How it was made'")
    assert 0 <= page.locator("nav").bounding_box()["y"] < 20


def test_a_mark_that_is_pointed_at_says_what_it_is(closed: Any) -> None:
    page = closed()
    assert not page.locator("#tip").is_visible()
    mark = page.locator("#contrast-overall .tips circle").first
    said = mark.locator("title").text_content()
    assert re.match(r"[\d.<>]+%", said)
    mark.hover(force=True)
    assert page.locator("#tip").is_visible()
    assert "%" in page.locator("#tip").inner_text()


def test_without_scripts_folds_open(chromium: Any, address: str) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(address)
    assert not page.locator("#size-curve").is_visible()
    page.locator("#sizes > summary").click()
    assert page.locator("#size-curve").is_visible()
    assert not page.locator("#unfold").is_visible()
    context.close()


def bottoms(chromium: Any, html: str, path: Path) -> dict[str, float]:
    """Where the page, its first figure and its claims end, on a desk and before anything is opened."""
    path.write_text(html, encoding="utf-8")
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    places = {"page": "body", "figure": "#contrast-overall svg", "claims": "#claims > ul"}
    found = {name: page.locator(place).bounding_box() for name, place in places.items()}
    context.close()
    return {name: box["y"] + box["height"] for name, box in found.items()}


@pytest.mark.results
def test_the_shipped_results_are_one_screen_of_claims_with_a_figure_and_ten_at_most(
    chromium: Any, shipped: str, tmp_path: Path
) -> None:
    found = bottoms(chromium, shipped, tmp_path / "report.html")
    assert max(found["figure"], found["claims"]) <= 900
    assert found["page"] <= 10 * 900


def test_a_page_is_ten_screens_at_most_before_anything_is_opened(chromium: Any, html: str, tmp_path: Path) -> None:
    assert bottoms(chromium, html, tmp_path / "report.html")["page"] <= 10 * 900


COLOURS = """() => [['body', 'backgroundColor'], ['figure svg text', 'fill'], ['.verdict', 'color'],
  ['.strip circle', 'fill']].map(([which, what]) => getComputedStyle(document.querySelector(which))[what])"""


def test_dark_and_light_differ_by_scheme_and_by_the_button_and_nothing_is_stored(opened: Any) -> None:
    light, dark = (opened(scheme=scheme) for scheme in ("light", "dark"))
    by_scheme = [page.evaluate(COLOURS) for page in (light, dark)]
    assert all(a != b for a, b in zip(*by_scheme, strict=True))
    button = light.get_by_role("button", name="Switch between light and dark")
    button.focus()
    light.keyboard.press("Enter")
    assert light.evaluate(COLOURS) == by_scheme[1]
    light.keyboard.press("Enter")
    assert light.evaluate(COLOURS) == by_scheme[0]
    assert light.evaluate("document.cookie") == ""


def test_print_is_light_and_without_buttons(opened: Any) -> None:
    light, dark = opened(), opened(scheme="dark")
    dark.emulate_media(media="print", color_scheme="dark")
    assert dark.evaluate(COLOURS) == light.evaluate(COLOURS)
    assert not dark.locator("#theme").is_visible()
    assert not dark.locator(".get").first.is_visible()


SAVED = """link => { link.addEventListener('click', event => event.preventDefault(), { once: true });
  link.click(); return link.href; }"""


def test_every_figure_can_be_saved_as_svg_and_its_data_as_csv(opened: Any) -> None:
    page = opened()
    for figure in page.locator("figure").all():
        name = figure.get_attribute("id")
        svg, data = (figure.get_by_text(kind, exact=True) for kind in ("SVG", "CSV"))
        assert (svg.get_attribute("download"), data.get_attribute("download")) == (f"{name}.svg", f"{name}.csv")
        text = content(svg.evaluate(SAVED))
        assert ElementTree.fromstring(text).get("viewBox")
        assert "var(" not in text
        head, *rows = csv.reader(StringIO(content(data.get_attribute("href"))))
        assert rows and all(len(row) == len(head) for row in rows), name


def content(address: str) -> str:
    assert address.startswith("data:")
    return unquote(address.partition(",")[2])


def test_a_click_saves_a_file(opened: Any, tmp_path: Path) -> None:
    page = opened()
    for kind in ("SVG", "CSV"):
        with page.expect_download() as waiting:
            page.locator("#contrast-overall").get_by_text(kind, exact=True).click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
    assert ElementTree.parse(tmp_path / "contrast-overall.svg").getroot().get("viewBox")
    assert len(list(csv.reader((tmp_path / "contrast-overall.csv").open(encoding="utf-8")))) > 1


def test_headings_are_in_order_and_figures_have_words(opened: Any) -> None:
    page = opened()
    levels = page.eval_on_selector_all("h1, h2, h3, h4, h5, h6", "all => all.map(one => +one.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    labels = page.eval_on_selector_all(
        "svg", "all => all.map(one => [one.getAttribute('role'), one.getAttribute('aria-label')])"
    )
    assert all(role == "img" and re.search(r"\w", label or "") for role, label in labels)


def test_the_keyboard_comes_to_the_text_first(opened: Any) -> None:
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main"
