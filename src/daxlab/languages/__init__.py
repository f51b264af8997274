"""Languages with meaning: grammars declared as data, enumerated, parsed and interpreted.

Not called `language`, because `daxlab.language` is the function that gives one.
"""

from daxlab.languages.derivation import Example, Tree
from daxlab.languages.grammar import Grammar, GrammarError, Rule
from daxlab.languages.language import Language, language

__all__ = ["Example", "Grammar", "GrammarError", "Language", "Rule", "Tree", "language"]
