"""Derivations by enumeration: all trees up to a length of source, put together from below, without a parser."""

from collections import defaultdict
from itertools import product

from hypothesis import strategies as st

from daxlab.learners.induction.derivations import Tree
from daxlab.learners.induction.rules import Rule

LONGEST = 4  # words of a source
SLOT = Rule((1,), (1,))  # a slot that stands for itself, as a word would


def every_tree(rules: list[Rule]) -> dict[tuple, list[Tree]]:
    """All derivations by these rules, by their source. A source is longer than what fills its slots."""
    trees: dict[tuple, list[Tree]] = defaultdict(list)
    for size in range(LONGEST + 1):
        shorter = {source: list(some) for source, some in trees.items()}
        for rule in rules:
            names = [symbol for symbol in rule.source if isinstance(symbol, int) and rule != SLOT]
            for sources in product(shorter, repeat=len(names)):
                whole = put(rule.source, dict(zip(names, sources, strict=True))) if names else rule.source
                if len(whole) == size:
                    trees[whole] += [Tree(rule, parts) for parts in product(*(shorter[source] for source in sources))]
    return trees


def put(phrase: tuple, parts: dict) -> tuple:
    """A phrase with its slots filled."""
    return tuple(inner for symbol in phrase for inner in parts.get(symbol, (symbol,)))


def meaning(tree: Tree) -> tuple:
    """The target of a derivation, whatever symbols it has."""
    if not tree.parts:
        return tree.rule.target
    return put(tree.rule.target, {n: meaning(part) for n, part in enumerate(tree.parts, 1)})


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """A rule over two words and two actions, with up to two slots."""
    count = draw(st.integers(0, 2))
    source = draw(st.lists(st.sampled_from("ab"), min_size=1 if count < 2 else 0, max_size=2))
    for slot in range(count):
        source.insert(draw(st.integers(0, len(source))), slot)
    target = draw(st.lists(st.sampled_from("xy"), max_size=2))
    for slot in range(count):
        for _ in range(draw(st.integers(1, 2))):
            target.insert(draw(st.integers(0, len(target))), slot)
    order = [symbol for symbol in source if isinstance(symbol, int)]
    names = {slot: n for n, slot in enumerate(order, 1)}
    return Rule(*(tuple(names.get(symbol, symbol) for symbol in side) for side in (source, target)))


GRAMMARS = st.lists(rules(), min_size=1, max_size=4, unique=True)
