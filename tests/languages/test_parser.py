"""Commands parse; any other text gets an error that marks the place."""

import pytest
from hypothesis import given, strategies as st

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
def test_every_word_is_in_the_printed_tree_and_in_its_dictionary(example) -> None:
    tree = SCAN.tree(example.command)

    def leaves(node) -> list[str]:
        return [node] if isinstance(node, str) else [leaf for part in node["parts"] for leaf in leaves(part)]

    assert leaves(tree.to_dict()) == example.command.split()
    drawn = [line.split("─ ")[-1] for line in str(tree).splitlines()]
    assert [line for line in drawn if "→" not in line] == example.command.split()


@st.composite
def mutated(draw) -> str:
    """A command with some words replaced, dropped or inserted."""
    parts = draw(commands).command.split()
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(parts)))
        parts[place : place + draw(st.integers(0, 2))] = draw(st.lists(words, max_size=2))
    return draw(st.sampled_from([" ", "  ", "\t"])).join(parts)


@given(st.one_of(mutated(), st.text(), st.binary().map(lambda b: b.decode("utf-8", "surrogateescape"))))
def test_any_text_is_a_command_or_gets_an_error_that_marks_a_place_in_it(text: str) -> None:
    meanings = {example.command: example.actions for example in SCAN.commands()}
    try:
        assert SCAN.translate(text) == meanings[" ".join(text.split())]
    except CommandError as error:
        assert " ".join(text.split()) not in meanings
        assert not text.strip() or 0 <= error.start < error.end <= len(text)
        assert not text.strip() or text[error.start : error.end].strip() == text[error.start : error.end]
        assert all(line.isprintable() for line in str(error).split("\n"))


@given(commands, st.data())
def test_the_words_that_an_error_calls_possible_are_exactly_those(example, data) -> None:
    parts = example.command.split()
    place = data.draw(st.integers(0, len(parts) - 1))
    parts[place] = data.draw(st.sampled_from(SCAN.words))
    with_error = " ".join(parts)
    try:
        SCAN.translate(with_error)
    except CommandError as error:
        before = with_error[: error.start] if "unexpected word" in error.what else with_error + " "
        all_commands = [command.command + " " for command in SCAN.commands()]
        following = [command[len(before) :] for command in all_commands if command.startswith(before)]
        assert {rest.split(" ")[0] or "the end" for rest in following} == set(error.expected)


def test_the_error_for_an_unknown_word_has_its_place_and_the_nearest_word(scan: Language) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate("walk and jupm twice")
    assert "'jupm' (word 3)" in str(caught.value)
    assert "'jump'" in str(caught.value)
    assert str(caught.value).splitlines()[1:] == ["  walk and jupm twice", "           ^^^^"]


def test_a_syntax_error_has_carets_and_the_possible_words(scan: Language) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate("jump twice left")
    assert str(caught.value).splitlines() == [
        "unexpected word 'left' (word 3)",
        "  jump twice left",
        "             ^^^^",
        "  possible here: and, after, the end",
    ]


def test_the_error_for_an_incomplete_command_says_what_can_follow(scan: Language) -> None:
    with pytest.raises(CommandError, match="cannot end after 'around'") as caught:
        scan.translate("jump around")
    assert caught.value.expected == ("left", "right")


def test_the_carets_are_aligned_under_wide_and_unprintable_characters(scan: Language) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate("walk and 跳\x07 twice")
    shown, carets = str(caught.value).splitlines()[1:]
    assert shown == "  walk and 跳\\x07 twice"
    assert carets == "           ^^^^^^"  # two columns for the ideogram, four for the escape


@pytest.mark.parametrize("line", ["walk " * 2_000_000, "x" * 10_000_000, "walk and " + "x" * 10_000_000])
def test_the_error_for_ten_megabytes_is_short(scan: Language, line: str) -> None:
    with pytest.raises(CommandError) as caught:
        scan.translate(line)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\u00a0"])
def test_an_empty_text_is_not_a_command(scan: Language, text: str) -> None:
    with pytest.raises(CommandError, match="empty; try 'walk'"):
        scan.translate(text)
