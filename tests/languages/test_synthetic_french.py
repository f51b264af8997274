"""The synthetic English-French grammar: adjectives agree with the subject, "ne … pas" surrounds the verb."""

import pytest

from daxlab.languages import GrammarError, language
from daxlab.languages.grammar import read


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("i am tired .", "je suis fatigue ."),
        ("she is tired .", "elle est fatiguee ."),
        ("they re tired .", "ils sont fatigues ."),
        ("he is not very happy .", "il n est pas tres heureux ."),
        ("she s not too old .", "elle n est pas trop vieille ."),
        ("we are so sad .", "nous sommes si tristes ."),
        ("you re not jealous .", "tu n es pas jaloux ."),
    ],
)
def test_a_sentence_has_its_french_translation(english: str, french: str) -> None:
    assert " ".join(language("synthetic-french").translate(english)) == french


def test_sentences_parse_to_the_meanings_they_were_built_with() -> None:
    french = language("synthetic-french")
    commands = french.commands()
    assert len(commands) == 12 * 2 * 4 * 34
    assert all(french.translate(example.command) == example.actions for example in commands[::97])


FORMS = """
grammar:
  C -> he A
  C -> she F
  A -> tall
  F -> tall
meaning:
  x in any
  [[he x]] = il [[x]]
  [[she x]] = elle [[x]]
"""


@pytest.mark.parametrize(
    ("meanings", "message"),
    [
        ("  [[tall]] in F = grande\n  [[tall]] in F = haute\n", r"\[\[tall\]\] in F already has a meaning"),
        ("  [[tall]] = grand\n  [[tall]] in G = grande\n", "there is no rule G -> tall for this meaning"),
        ("  [[tall]] = grand\n  [[tall]] in F = [[tall]] e\n", "written out, without"),
        ("  [[tall]] in F = grande\n", "no meaning for 'tall'"),
    ],
)
def test_the_error_for_a_wrong_meaning_in_a_category(meanings: str, message: str) -> None:
    with pytest.raises(GrammarError, match=message):
        read(FORMS + meanings, "forms", {})


def test_a_word_can_have_a_different_meaning_in_another_category() -> None:
    grammar = read(FORMS + "  [[tall]] = grand\n  [[tall]] in F = grande\n", "forms", {})
    assert [rule.meaning for rule in (*grammar.rules["A"], *grammar.rules["F"])] == [("grand",), ("grande",)]
