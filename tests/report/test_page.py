"""The page as HTML: the same bytes every time, nothing from outside, nothing ahead of the ledger."""

import csv
import re
import shutil
from html import unescape
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import pytest

from daxlab.ledger import Ledger, Run, Writer
from daxlab.ledger.spec import Spec
from daxlab.paper.claims import CLAIMS, claims
from daxlab.paper.comparison import compare
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL
from daxlab.paper.runs import Runs
from daxlab.paper.targets import stated
from daxlab.report.drawing import PALETTE
from daxlab.report.page import page, prose

from .conftest import RESULTS
from .made_up import run, sentences, without_networks


def plain(html: str) -> str:
    """What is read, without the figures."""
    return re.sub(r"<[^>]+>", "", re.sub(r"(?s)<(svg|script|style)\b.*?</\1>", "", html))


def test_the_same_ledger_gives_the_same_bytes(html: str, ledger: Path) -> None:
    with Ledger(ledger) as known:
        assert page(known) == html


def test_no_two_elements_share_an_id_and_every_reference_is_met(html: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    referred = re.findall(r'href="#([^"]+)"', html) + re.findall(r"url\(#([^)]+)\)", html)
    assert set(referred) <= set(ids)


def test_nothing_is_named_that_lies_outside(html: str) -> None:
    addresses = set(re.findall(r"""https?://[^\s"'<)]+""", html))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in html and "@font-face" not in html


def test_an_empty_ledger_shows_nothing_and_says_what_to_do(empty_html: str) -> None:
    said = plain(empty_html)
    assert "no finished run" in said
    assert all(f"daxlab {command}" in said for command in ("train", "reproduce all", "report"))
    assert not re.search(r"<(figure|table|section|details)", empty_html)
    assert not re.search(r"\b(higher|lower|rises|falls|mean of)\b", said)


def test_what_is_not_measured_is_said_once_with_the_commands_that_measure_it(html: str) -> None:
    (table,) = re.findall(r'(?s)<div class="table" id="absent-table">.*?</table>', html)
    assert "Not measured" not in plain(html.replace(table, ""))
    for experiment in ("simple", "size", "jump", "translation"):
        assert re.search(rf"<code>daxlab reproduce [a-z -]*{experiment}", table)


def test_everything_but_the_summary_is_folded(html: str) -> None:
    assert "<details open" not in html
    for section in re.findall(r"(?s)<section.*?</section>", html)[1:]:
        sight = section[: section.find("<details")]
        assert sight.count("<figure") <= 1
    assert all(title in html for title in ("Every split", "How it was made"))


def quickstart(path: Path, shares: dict[str, float]) -> str:
    """The page of one run of the paper's best network on jump on each split."""
    with Writer(path) as writer:
        writer.add([run(Spec(split, 0, NETWORKS[BEST["jump"]]), share) for split, share in shares.items()])
    with Ledger(path) as known:
        return page(known)


def test_runs_of_another_network_than_the_overall_best_stand_beside_the_paper_s_best(tmp_path: Path) -> None:
    shares = {"simple": 0.99, "turn-left": 0.9, "length": 0.1, "jump": 0.0}
    written = quickstart(tmp_path / "runs.db", shares)
    (drawn,) = re.findall(r'(?s)<figure id="contrast-overall">.*?</figure>', written)
    assert "not measured" not in drawn
    (table,) = re.findall(r'(?s)<div class="table" id="beside-the-paper">.*?</table>', written)
    cell = r'.*?class="right">([\d.<>]+)<'
    rows = re.findall(rf'(?s)<th scope="row">([a-z-]+)<small>{cell}{cell}', table)
    assert [(split, paper) for split, _, paper in rows] == [(split, f"{stated(split):g}") for split in shares]
    assert all(abs(float(mean) - 100 * shares[split]) < 0.02 for split, mean, _ in rows)


def test_a_claim_about_the_best_of_many_networks_needs_more_than_one(tmp_path: Path) -> None:
    written = quickstart(tmp_path / "runs.db", {"simple": 0.99, "turn-left": 0.9, "length": 0.1, "jump": 0.0})
    assert claims_list(written) == ""


def test_every_part_of_a_full_ledger_has_its_figure(html: str) -> None:
    found = set(re.findall(r'<figure id="([^"]+)"', html))
    assert found >= {"contrast-overall", "contrast-best", "size-curve", "few-shot-curve", "primitives-lines"}
    assert found >= {"length-by-actions-overall-best", "length-by-words-exp2-best"}
    assert found >= {"constructions-turn-left", "attention-few-jump-8-0"}
    for kind in ("learning", "by-length", "templates", "confusion"):
        assert f"{kind}-turn-left-0" in found
    assert 'id="nearest-table"' in html and 'id="neighbours-table"' in html and 'id="wrong-answers-table"' in html


def test_a_ledger_without_the_papers_runs_has_its_own_splits_and_no_chapters_of_the_paper(other_html: str) -> None:
    said = plain(other_html)
    assert "Experiment 1" not in said and "180 architectures" not in said
    assert re.findall(r'<details class="part" id="(split-[^"]+)"', other_html) == ["split-test-cogs"]


def test_one_s_own_learners_come_first_by_splits_with_a_figure(other_html: str) -> None:
    (table,) = re.findall(r'(?s)<div class="table" id="learned-table">.*?</table>', other_html)
    assert re.findall(r'<th scope="col"[^>]*>([^<]+)</th>', table) == ["learner", "test (cogs)", "test (cogs): gen"]
    assert re.findall(r'<th scope="row">([^<]+)</th>', table) == ["memory, forgets 5", "memory, forgets 3"]
    assert 0 < other_html.index('<figure id="learned"') < other_html.index("<details")


def test_accuracy_by_category_is_shown_for_every_test_set_best_first(other_html: str) -> None:
    tables = set(re.findall(r'<div class="table" id="([^"]+)"', other_html))
    assert tables >= {f"categories-test-cogs-{n}-{test}" for n in (0, 1) for test in ("main", "gen")}
    found = set(re.findall(r'<figure id="([^"]+)"', other_html))
    assert found and not any(name.startswith(("templates", "attention", "learning")) for name in found)
    table = re.search(r'(?s)id="categories-test-cogs-0-gen".*?</table>', other_html)
    assert table
    rows = re.findall(r'(?s)<th scope="row">([^<]+)</th><td[^>]*>([\d.]+).*?"right">(\d+)</td>', table[0])
    assert [len(re.findall("<circle", strip)) for strip in re.findall(r"(?s)<svg.*?</svg>", table[0])] == [3] * 3
    assert {(name, count) for name, _, count in rows} == {
        ("subj_to_obj", "16"),
        ("active_to_passive", "16"),
        ("cp_recursion", "16"),
    }
    assert rows[-1][0] == "cp_recursion" and float(rows[-1][1]) == 0
    means = [float(mean) for _, mean, _ in rows]
    assert means == sorted(means, reverse=True)


def test_every_learner_is_tabled_on_every_test_set_with_every_run(other_html: str) -> None:
    table = re.search(r'(?s)id="learners-test-cogs".*?</table>', other_html)
    assert table
    names = re.findall(r'<th scope="row">([^<]+)<small>([^<]+)</small>', table[0])
    assert set(names) == {(f"memory, forgets {n}", test) for n in (3, 5) for test in ("test", "gen")}
    assert [len(re.findall("<circle", strip)) for strip in re.findall(r"(?s)<svg.*?</svg>", table[0])] == [3] * 4
    assert "oracle length" not in table[0]


def test_what_differs_stands_as_dots_beside_the_paper_s_figure_and_so_does_what_was_tried(
    html: str, ledger: Path
) -> None:
    with Ledger(ledger) as known:
        differing = [row for row in compare(known) if row.verdict == "differs"]
    (table,) = re.findall(r'(?s)<div class="table" id="differing">.*?</table>', html)
    rows = re.findall(r'(?s)<tr><th scope="row">(.*?)</th>(.*?)</tr>', table)
    assert len(rows) == len(differing) > 0
    for (_, cells), row in zip(rows, differing, strict=True):
        if row.unit is None and row.runs:
            assert cells.count("<circle") == len(row.runs) and "the paper: " in cells
    assert "with clip 1" in plain(html)


def claims_list(html: str) -> str:
    found = re.search(r'(?s)<div class="findings" id="claims">.*?</div>', html)
    return found[0] if found else ""


def test_claims_come_first_with_their_verdicts_in_words_and_links_into_the_page(html: str, ledger: Path) -> None:
    with Ledger(ledger) as known:
        every = claims(Runs(known))
    listed = claims_list(html)
    assert 0 < html.index(listed) < html.index('<details class="part"')
    shown = re.findall(r'<span class="verdict (\w+)">([^<]+)</span> <span>(.*?)</span>', listed)
    wanted = [(claim.claim, claim.verdict) for claim in every if claim.measured]
    assert [(unescape(said), verdict) for _, verdict, said in shown] == wanted
    assert {(colour, verdict) for colour, verdict, _ in shown} <= {
        *(("good", "holds"), ("bad", "does not hold"), ("open", "undecided"))
    }
    assert set(re.findall(r'href="#([^"]+)"', listed)) >= {"experiment-2", "few-shot"}
    assert 5 < len(wanted) < len(every)
    assert "need more runs" in plain(html)


@pytest.mark.parametrize("split", ["simple", "length", "turn-left", "jump"])
def test_a_ledger_of_one_split_has_the_claims_that_it_speaks_to_and_their_parts_of_the_page(
    split: str, tmp_path: Path
) -> None:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([run(Spec(split, seed, NETWORKS[OVERALL]), 0.5) for seed in range(3)])
    with Ledger(tmp_path / "runs.db") as known:
        written = page(known)
    own = {"simple": "random", "length": "length", "turn-left": "turn-left", "jump": "jump"}[split]
    said = {claim.id: claim.sentence for claim in CLAIMS}
    assert said[own] in unescape(claims_list(written))
    assert all(said[other] not in unescape(claims_list(written)) for other in {"few", "sparse", "daxy"})
    anchors = re.findall(r'href="#([^"]+)"', claims_list(written))
    assert anchors and set(anchors) <= set(re.findall(r'\bid="([^"]+)"', written))
    assert "need more runs" in plain(written)


def test_only_a_ledger_with_runs_of_the_paper_s_has_claims(other_html: str, empty_html: str) -> None:
    assert all("claims" not in plain(html).lower() for html in (other_html, empty_html))


@pytest.mark.results
def test_every_anchor_of_a_claim_is_a_part_of_the_page_of_the_shipped_results(shipped: str) -> None:
    assert {claim.anchor for claim in CLAIMS} <= set(re.findall(r'\bid="([^"]+)"', shipped))


def test_every_csv_is_a_table(html: str) -> None:
    files = re.findall(r'href="data:text/csv;charset=utf-8,([^"]+)"', html)
    assert len(files) > 20
    for content in files:
        head, *rows = csv.reader(StringIO(unquote(content)))
        assert rows
        assert all(len(row) in (1, len(head)) for row in rows)


def luminance(color: str) -> float:
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("side", [0, 1])
def test_every_colour_of_text_can_be_read(side: int) -> None:
    for name in ("ink", "muted", "ours", "other", "third", "paper", "good", "bad"):
        for ground in ("page", "panel"):
            pair = sorted((luminance(PALETTE[name][side]), luminance(PALETTE[ground][side])))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (name, ground)


def test_text_is_escaped_before_it_is_marked() -> None:
    assert prose("a <b> & `c` *d*\ne\nf") == (
        "a &lt;b&gt; &amp; <code>c</code> <em>d</em><small>e</small><small>f</small>"
    )
    assert prose("[a *b*](#c-1)") == '<a href="#c-1">a <em>b</em></a>'
    assert "<a" not in prose("[a](https://elsewhere)") + prose('[a](#"onclick)')


@pytest.mark.results
def test_the_page_of_the_shipped_results_has_every_mean_of_the_comparison(shipped: str) -> None:
    with Ledger(RESULTS) as known:
        said, rows = plain(shipped), compare(known)
    means = [
        f"{row.mean:.2f}".replace("-", "−")
        for row in rows
        if row.runs and row.mean is not None and row.verdict in ("agrees", "differs", "undecided")
    ]
    assert len(means) > 10
    assert all(mean in said for mean in means)


def test_runs_without_predictions_or_accuracy_still_make_a_page(tmp_path: Path) -> None:
    with Writer(tmp_path / "bare.db") as writer:
        facts = [Spec(split, 0, NETWORKS[OVERALL]).facts() for split in ("length", "jump", "turn-left", "simple")]
        writer.add([Run(spec=one, metrics={"accuracy": 12.5}) for one in facts])
        writer.add([Run(spec=Spec("jump", 1, NETWORKS[OVERALL]).facts())])
    with Ledger(tmp_path / "bare.db") as known:
        said = plain(page(known))
    assert "12.50one run" in said
    assert "one run, answers of no" not in said and "one run, without answers" in said


def test_runs_on_a_folder_that_is_gone_keep_their_accuracies(tmp_path: Path) -> None:
    folder = sentences(tmp_path / "cogs")
    ledger = without_networks(tmp_path / "runs.db", folder)
    shutil.rmtree(folder)
    with Ledger(ledger) as known:
        said = plain(page(known))
    assert "not on this machine" in said
    assert "66.67" in said and "53.47" in said
