"""What parses is a command; what does not gets an error that points at the place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daxlab import Language, language
from daxlab.languages.parser import CommandError

SCAN = language("scan")
commands = st.sampled_from(SCAN.commands())
words = st.one_of(st.sampled_from(SCAN.words), st.text(min_size=1, max_size=8))


@given(commands)
def test_the_leaves_of_the_tree_spell_the_command(example) -> None:
    tree = SCAN.tree(example.command)
    assert " ".join(tree.leaves) == example.command
    assert tree.actions == example.actions


@given(commands)
def test_the_tree_as_drawn_and_as_data_has_every_word(example) -> None:
    tree = SCAN.tree(example.command)

    def leaves(node) -> list[str]:
        return [node] if isinstance(node, str) else [leaf for part in node["parts"] for leaf in leaves(part)]

    assert leaves(tree.to_dict()) == example.command.split()
    drawn = [line.split("─ ")[-1] for line in str(tree).splitlines()]
    assert [line for line in drawn if "→" not in line] == example.command.split()


@st.composite
def mutated(draw) -> str:
    """A command with words swapped, dropped, doubled or put in."""
    parts = draw(commands).command.split()
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(parts)))
        parts[place : place + draw(st.integers(0, 2))] = draw(st.lists(words, max_size=2))
    return draw(st.sampled_from([" ", "  ", "\t"])).join(parts)


@given(st.one_of(mutated(), st.text(), st.binary().map(lambda b: b.decode("utf-8", "surrogateescape"))))
def test_any_text_is_a_command_or_gets_an_error_that_points_inside_it(text: str) -> None:
    known = {example.command: example.actions for example in SCAN.commands()}
    try:
        assert SCAN.translate(text) == known[" ".join(text.split())]
    except CommandError as error:
        assert " ".join(text.split()) not in known
        assert not text.strip() or 0 <= error.start < error.end <= len(text)
        assert not text.strip() or text[error.start : error.end].strip() == text[error.start : error.end]
        assert all(line.isprintable() for line in str(error).split("\n"))


@given(commands, st.data())
def test_what_the_error_says_could_stand_there_really_could(example, data) -> None:
    parts = example.command.split()
    place = data.draw(st.integers(0, len(parts) - 1))
    parts[place] = data.draw(st.sampled_from(SCAN.words))
    with_error = " ".join(parts)
    try:
        SCAN.translate(with_error)
    except CommandError as error:
        before = with_error[: error.start] if "cannot stand" in error.what else with_error + " "
        starts = [known.command + " " for known in SCAN.commands()]
        could = {known[len(before) :].split(" ")[0] or "the end" for known in starts if known.startswith(before)}
        assert could == set(error.expected)


def test_an_unknown_word_is_named_with_its_place_and_the_nearest_known_word(scan: Language) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate("walk and jupm twice")
    assert "'jupm' (word 3)" in str(caught.value)
    assert "'jump'" in str(caught.value)
    assert str(caught.value).splitlines()[1:] == ["  walk and jupm twice", "           ^^^^"]


def test_a_break_in_the_grammar_has_a_caret_and_what_could_stand_there(scan: Language) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate("jump twice left")
    assert str(caught.value).splitlines() == [
        "'left' cannot stand here (word 3)",
        "  jump twice left",
        "             ^^^^",
        "  what could: and, after, the end",
    ]


def test_a_command_that_stops_too_soon_says_what_could_follow(scan: Language) -> None:
    with pytest.raises(CommandError, match="cannot stop after 'around'") as caught:
        scan.translate("jump around")
    assert caught.value.expected == ("left", "right")


def test_the_caret_stands_under_wide_and_unprintable_characters(scan: Language) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate("walk and 跳\x07 twice")
    shown, carets = str(caught.value).splitlines()[1:]
    assert shown == "  walk and 跳\\x07 twice"
    assert carets == "           ^^^^^^"  # two columns for the ideogram, four for the escape


@pytest.mark.parametrize("line", ["walk " * 2_000_000, "x" * 10_000_000, "walk and " + "x" * 10_000_000])
def test_a_line_of_ten_megabytes_gets_a_short_answer(scan: Language, line: str) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate(line)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\u00a0"])
def test_nothing_is_no_command(scan: Language, text: str) -> None:
    with pytest.raises(CommandError, match="empty; try 'walk'"):
        scan.translate(text)
