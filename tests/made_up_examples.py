"""Random examples and splits, for properties of datasets."""

from hypothesis import strategies as st

from daxlab import Example, Split

TOKENS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5).filter(
    lambda token: token.split() == [token] and not token.startswith("\ufeff")
)
SENTENCES = st.lists(TOKENS, min_size=1, max_size=4)
NAMES = st.text("abcxyz_-09", min_size=1, max_size=6).filter(lambda name: name != "train")


def examples(categories: st.SearchStrategy[str]) -> st.SearchStrategy[Example]:
    """Examples with categories of that kind."""
    return st.builds(lambda command, actions, category: Example(" ".join(command), tuple(actions), category),
                     SENTENCES, SENTENCES, categories)  # fmt: skip


@st.composite
def splits(draw: st.DrawFn) -> Split:
    """A split with several test sets, with or without categories. Test sets may repeat an example."""
    some = examples(TOKENS if draw(st.booleans()) else st.just(""))
    train = draw(st.dictionaries(some, st.integers(1, 3), min_size=1, max_size=4))
    tests = draw(st.dictionaries(NAMES, st.lists(some, min_size=1, max_size=4).map(tuple), min_size=1, max_size=3))
    first, *others = tests
    order = [first, *sorted(others, key=lambda name: (name != "test", name))]
    return Split(first, "file", tuple(train), tuple(train.values()), {name: tests[name] for name in order})
