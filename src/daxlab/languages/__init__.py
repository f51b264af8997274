"""Languages with meanings: grammars are read from text, enumerated, parsed and interpreted."""

from daxlab.languages.derivation import Example as Example, Examples as Examples, Tree as Tree
from daxlab.languages.grammar import GrammarError as GrammarError
from daxlab.languages.language import Language as Language, language as language
