"""Lexicons from training examples: which action a word translates to. Two of Akyürek and Andreas's (2021) rules.

An example counts as a set of words and a set of actions: neither order nor number matters. Where several actions are as
good, the first in alphabetical order is taken. Knows nothing of vocabularies' numbers or of networks.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from daxlab.datasets import Split

MOST_CLAIMS = 3  # an action that belongs to more words than these belongs to none
Pairs = list[tuple[frozenset[str], frozenset[str], int]]  # words, actions, presentations
Lexicon = Mapping[str, str]


def by_pairs(split: Split) -> Lexicon:
    """A word translates to an action that is in every answer to a command with the word.

    If up to three words claim an action, and just one of them is in every command whose answer has it, it is that
    word's alone.
    """
    pairs = _pairs(split)
    words_of, claims = _always((actions, words) for words, actions, _ in pairs), defaultdict[str, set[str]](set)
    for word, always in _always((words, actions) for words, actions, _ in pairs).items():
        for action in always:
            claims[action].add(word)
    lexicon: dict[str, str] = {}
    for action, claiming in sorted(claims.items()):
        needed = claiming & words_of[action]
        if len(claiming) <= MOST_CLAIMS:
            for word in needed if len(needed) == 1 else claiming:
                lexicon.setdefault(word, action)
    return lexicon


def by_pmi(split: Split) -> Lexicon:
    """Every word translates to the action with which its pointwise mutual information is greatest."""
    together, alone = Counter[tuple[str, str]](), Counter[str]()
    for words, actions, weight in _pairs(split):
        alone.update(dict.fromkeys(actions, weight))
        together.update(dict.fromkeys(((word, action) for word in words for action in actions), weight))
    best: dict[str, tuple[Fraction, str]] = {}
    for (word, action), count in sorted(together.items()):
        information = Fraction(count, alone[action])  # p(x, y) / p(x) p(y), but for what is the same for all y
        if word not in best or information > best[word][0]:
            best[word] = information, action
    return {word: action for word, (_, action) in best.items()}


def empty(split: Split) -> Lexicon:
    """No word has a translation."""
    return {}


LEXICONS: dict[str, Callable[[Split], Lexicon]] = {"pairs": by_pairs, "pmi": by_pmi, "none": empty}


def _pairs(split: Split) -> Pairs:
    rows = zip(split.train, split.weights, strict=True)
    return [(frozenset(e.command.split()), frozenset(e.actions), weight) for e, weight in rows]


def _always(rows: Iterable[tuple[frozenset[str], frozenset[str]]]) -> dict[str, frozenset[str]]:
    """For every symbol of the left sides, the symbols that are in all right sides beside it."""
    always: dict[str, frozenset[str]] = {}
    for left, right in rows:
        always |= {symbol: always.get(symbol, right) & right for symbol in left}
    return always
