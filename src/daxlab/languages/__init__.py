"""Languages with meanings: grammars are read from text, enumerated, parsed and interpreted."""

from daxlab.languages.derivation import Example, Tree
from daxlab.languages.grammar import Grammar, GrammarError, Rule
from daxlab.languages.language import Language, language

__all__ = ["Example", "Grammar", "GrammarError", "Language", "Rule", "Tree", "language"]
