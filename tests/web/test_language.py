"""language.js is Python's languages: every command, its derivation, and what may come next."""

import json
from random import Random
from typing import Any

import pytest

from daxlab import language
from daxlab.languages import Language
from daxlab.languages.grammar import read
from daxlab.languages.parser import END, CommandError
from daxlab.web.content import language_facts

TREES = """async ([declared, commands]) => {
  const { Language } = await import("/language.js"), language = new Language(declared);
  return commands.map(command => JSON.stringify(language.tree(command)));
}"""
NEXT = """async ([declared, texts]) => {
  const { Language } = await import("/language.js"), language = new Language(declared);
  return texts.map(text => language.next(text));
}"""
REFUSED = """async ([declared, texts]) => {
  const { Language, CommandError } = await import("/language.js"), language = new Language(declared);
  return texts.map(text => {
    try { language.tree(text); return null; } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return [error.place, error.expected];
    }
  });
}"""
MOST = 3000  # commands at a time

NESTED = """
recursion 2
grammar:
  S -> U
  S -> not S
  S -> S or U
  U -> constructor
  U -> __proto__
meaning:
  x, y in any
  [[not x]] = NOT [[x]]
  [[x or y]] = [[x]] [[y]]
  [[constructor]] = A
  [[__proto__]] = B
"""


@pytest.mark.parametrize("name", ["scan", "synthetic-french", pytest.param("scan-dax", marks=pytest.mark.slow)])
def test_every_command_has_the_same_derivation(modules: Any, name: str) -> None:
    known = language(name)
    commands = [example.command for example in known.commands()]
    facts = language_facts(known)
    for start in range(0, len(commands), MOST):
        some = commands[start : start + MOST]
        trees = modules.evaluate(TREES, [facts, some])
        assert [json.loads(tree) for tree in trees] == [known.tree(command).to_dict() for command in some]


def test_a_grammar_that_nests_and_has_strange_words(modules: Any) -> None:
    known = Language("nested", "paper", read(NESTED, "nested", {}))
    facts = language_facts(known)
    texts = [" ".join(words) for words in _random_words(known, 300)]
    mine = modules.evaluate(REFUSED, [facts, texts])
    for text, refused in zip(texts, mine, strict=True):
        try:
            known.tree(text)
        except CommandError:
            assert refused is not None, text
        else:
            assert refused is None, text


@pytest.mark.parametrize("name", ["scan", "synthetic-french"])
def test_it_completes_with_the_words_that_python_expects(modules: Any, name: str) -> None:
    """A word that cannot stand somewhere is refused by both, at one place, with the same words possible there."""
    known = language(name)
    texts = [" ".join(words) for words in _random_words(known, 400)]
    mine = modules.evaluate(REFUSED, [language_facts(known), texts])
    refusals = 0
    for text, refused in zip(texts, mine, strict=True):
        try:
            known.tree(text)
        except CommandError as error:
            if not error.expected:  # too long
                continue
            refusals += 1
            place, expected = refused
            at = len(text[: error.start].split())
            assert place == at + ("cannot end" in error.what)
            assert {END if word is None else word for word in expected} == set(error.expected), text
        else:
            assert refused is None
    assert refusals > 100


def test_a_line_is_completed_until_it_ends(modules: Any) -> None:
    facts = language_facts(language("scan"))
    start, jump, opposite, whole, wrong = modules.evaluate(
        NEXT, [facts, ["", "jump", "turn opposite", "walk twice and run thrice", "twice jump"]]
    )
    assert set(start) == {"walk", "look", "run", "jump", "turn"}
    assert set(jump) == {"left", "right", "around", "opposite", "twice", "thrice", "and", "after", None}
    assert set(opposite) == {"left", "right"}
    assert whole == [None]
    assert wrong == []


def _random_words(known: Language, times: int) -> list[list[str]]:
    """Beginnings of commands, some of which go on with any word."""
    random, commands = Random(1), [e.command.split() for e in known.commands()]
    texts = []
    for _ in range(times):
        words = random.choice(commands)
        words = words[: random.randint(1, len(words))]
        texts.append([*words, *random.choices(known.words, k=random.randint(0, 2))])
    return texts
