"""Grammars that users write: what they can declare, and the errors for mistakes."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from daxlab import InputError, Language, language
from daxlab.languages import GrammarError
from daxlab.languages.parser import CommandError

NESTED = """
recursion {recursion}
grammar:
  C -> C and S     # left-recursive
  C -> S
  S -> ( C ) twice
  S -> walk
  S -> run
meaning:
  x, x1, x2 in any
  [[x1 and x2]] = [[x1]] [[x2]]
  [[( x ) twice]] = [[x]] [[x]]
  [[walk]] = W
  [[run]] = R
"""
AMBIGUOUS = """
recursion 2
grammar:
  C -> C {and_} C
  C -> walk
  C -> run
meaning:
  x1, x2 in any
  [[x1 {and_} x2]] = {meaning}
  [[walk]] = W
  [[run]] = R
"""


@pytest.fixture
def load(tmp_path: Path):
    def load_text(text: str, **names: str) -> Language:
        path = tmp_path / "own.grammar"
        path.write_text(text)
        return language(str(path), **names)

    return load_text


@given(recursion=st.integers(1, 2), pick=st.randoms(use_true_random=False))
def test_a_recursive_language_is_finite_and_parses(tmp_path_factory, recursion: int, pick) -> None:
    path = tmp_path_factory.mktemp("grammar") / "nested.grammar"
    path.write_text(NESTED.format(recursion=recursion))
    nested = language(str(path))
    assert len(nested.commands()) == {1: 12, 2: 182}[recursion]
    for example in pick.sample(nested.commands(), 10):
        assert nested.translate(example.command) == example.actions
        assert " ".join(nested.tree(example.command).leaves) == example.command


def test_recursion_is_bounded_by_the_declaration(load) -> None:
    nested = load(NESTED.format(recursion=1))
    assert nested.translate("walk and run") == ("W", "R")
    deeper = "walk and run and run"
    assert deeper not in {example.command for example in nested.commands()}
    with pytest.raises(CommandError, match="more deeply than this grammar's 'recursion'"):
        nested.translate(deeper)
    with pytest.raises(CommandError):
        nested.translate(" and ".join(["walk"] * 100_000))


def test_a_grammar_that_is_not_lalr_is_parsed_too(load) -> None:
    harmless = load(AMBIGUOUS.format(and_="and", meaning="[[x1]] [[x2]]"))
    assert harmless.translate("walk and run and walk") == ("W", "R", "W")
    assert all(harmless.translate(example.command) == example.actions for example in harmless.commands())
    with pytest.raises(CommandError, match="unexpected word") as caught:
        harmless.translate("walk walk")
    assert set(caught.value.expected) == {"and", "the end"}


def test_an_ambiguous_command_is_refused(load) -> None:
    doubtful = load(AMBIGUOUS.format(and_="before", meaning="[[x1]] [[x2]] [[x2]]"))
    with pytest.raises(CommandError, match="more than one meaning"):
        doubtful.translate("walk before run before walk")
    with pytest.raises(InputError, match="more than one meaning"):
        doubtful.commands()


def test_a_language_extends_another(load) -> None:
    hop = load("extends scan\ngrammar:\n U -> hop\nmeaning:\n [[hop]] = HOP\n")
    assert hop.translate("hop left twice") == ("I_TURN_LEFT", "HOP", "I_TURN_LEFT", "HOP")


def test_a_file_called_scan_grammar_is_not_scan(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scan.grammar").write_text("grammar:\n C -> hop\nmeaning:\n [[hop]] = HOP\n")
    assert language("scan.grammar").translate("hop") == ("HOP",)
    assert len(language("scan").commands()) == 20_910


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rules"),
        ("grammar:\n C walk", "line 2: expected a rule"),
        ("grammar:\n C -> walk", "line 2: no meaning for 'walk'"),
        ("nonsense\n", "line 1: expected 'extends NAME'"),
        ("extends scna\n", "line 1: no language is called 'scna'"),
        ("grammar:\n C -> walk\nmeaning:\n [[walk]]", "line 4: expected a meaning"),
        ("grammar:\n C -> walk\nmeaning:\n walk = W", "line 4: the left side"),
        ("grammar:\n C -> walk\nmeaning:\n [[walk]] = [[run]]", r"line 4: \[\[run\]\] is neither"),
        ("grammar:\n C -> walk\nmeaning:\n [[walk]] = [[walk]]", "line 4: .* refers to itself"),
        ("grammar:\n C -> walk\nmeaning:\n [[walk]] = W\n [[walk]] = V", "line 5: .* already has a meaning"),
        ("grammar:\n C -> walk\n C -> walk\nmeaning:\n [[walk]] = W", "line 3: .* twice"),
        ("grammar:\n C -> D\n D -> C\n", "can be rewritten as itself"),
        ("grammar:\n C -> C a\nmeaning:\n x in any\n [[x a]] = A", "never end"),
        ("grammar:\n C -> C a\n C -> a\nmeaning:\n x in any\n [[x a]] = A\n [[a]] = A", "add a line 'recursion N'"),
        ("grammar:\n C -> a\n D -> b\nmeaning:\n [[a]] = A\n [[b]] = B", "no command contains the category D"),
        ("grammar:\n C -> D[1] a D[2]\n D -> b\nmeaning:\n [[b]] = B", "D has no rule with 2 parts"),
        ("recursion 51\n", "line 1: .* at most 50 times"),
        (f"recursion {'9' * 5000}\n", "line 1: .* at most 50 times"),
        ("grammar:\n C -> a\nmeaning:\n [[a]] = A\n [[b]] = B", r"line 5: no rule builds a phrase .* \[\[b\]\]"),
        ("grammar:\n C -> a\nmeaning:\n z in NONE\n [[a]] = A", "in NONE, which is no category"),
        ("extends scan\ngrammar:\n U -> u\nmeaning:\n [[u]] = UU", "no meaning for 'u'|both a word and a variable"),
        ("grammar:\n C -> a\nmeaning:\n [[a]] = A\nnames x:\n B = b", "no command means B"),
        ("grammar:\n C -> a\nmeaning:\n [[a]] = A\nnames x:\n A = b c", "'b c' is not one word"),
        ("grammar:\n C -> a\n C -> b\nmeaning:\n [[a]] = A\n [[b]] = B\nnames x:\n A = c\n B = c", "the same name"),
    ],
)
def test_the_error_for_a_mistake_names_the_line(load, text: str, message: str) -> None:
    with pytest.raises(GrammarError, match=message):
        load(text)


def test_a_language_that_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'scan-dax'"):
        language("scan-dx")
    with pytest.raises(InputError, match="is not a grammar"):
        language(str(tmp_path))
    with pytest.raises(InputError, match="No such file"):
        language(str(tmp_path / "none.grammar"))
    (tmp_path / "bytes.grammar").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        language(str(tmp_path / "bytes.grammar"))
    with pytest.raises(InputError, match="no names called 'french'"):
        language("scan", names="french")


@pytest.mark.parametrize("recursion", [4, 7, 50])
def test_a_language_too_large_to_list_says_so_and_still_translates(load, recursion: int) -> None:
    vast = load(NESTED.format(recursion=recursion))
    with pytest.raises(InputError, match="too large to list"):
        vast.commands()
    assert vast.translate("( walk and run ) twice and walk") == ("W", "R", "W", "R", "W")
    with pytest.raises(CommandError):
        vast.translate("walk and " * 1_000_000)


def test_a_command_that_is_too_long_is_not_called_incomplete(load) -> None:
    very = load("recursion 20\ngrammar:\n C -> very C\n C -> walk\nmeaning:\n x in any\n"
                    " [[very x]] = [[x]] [[x]]\n [[walk]] = W")  # fmt: skip
    assert len(very.translate("very very walk")) == 4
    with pytest.raises(CommandError, match="no command has more than 21 words"):
        very.translate("very " * 30 + "walk")


def test_a_grammar_with_many_derivations_of_a_command_is_quick(load) -> None:
    harmless = load(AMBIGUOUS.format(and_="and", meaning="[[x1]] [[x2]]").replace("recursion 2", "recursion 30"))
    assert harmless.translate(" and ".join(["walk"] * 20)) == ("W",) * 20
    assert len(harmless.tree(" and ".join(["walk"] * 20)).leaves) == 39


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "bom.grammar").write_text("grammar:\n C -> hop\nmeaning:\n [[hop]] = HOP\n", encoding="utf-8-sig")
    assert language(str(tmp_path / "bom.grammar")).translate("hop") == ("HOP",)
