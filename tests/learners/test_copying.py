"""The learners of copying and of new words: what they are given at their start, and the contract."""

import equinox as eqx
import jax
import numpy as np
import pytest

from daxlab import InputError, learners
from daxlab.datasets import Split, dataset, split
from daxlab.encoding import Encoding
from daxlab.languages import Example
from daxlab.learners import RNN, Job
from daxlab.learners.checks import checks_of
from daxlab.learners.copying import Copying
from daxlab.learners.new_words import NewWords, new_and_like
from daxlab.learners.trainees import stack_of
from daxlab.paper.published import of
from daxlab.symbols import EOS

SCAN = dataset("scan")
ENCODING = Encoding.of(SCAN.examples())
TINY = {"hidden": 4, "updates": 20}
NOTHING = (set(), {"walk", "look", "run", "jump"}), (set(), {"I_WALK", "I_LOOK", "I_RUN", "I_JUMP"})


def started(learner, name):
    return stack_of([Job(learner, SCAN, split(name), 3)]).start()


def test_the_lexicon_is_a_table_of_the_vocabularies():
    table = Copying().prepared(split("jump"), ENCODING)
    words, actions = ENCODING.words.symbols, ENCODING.actions.symbols[EOS:]
    entries = {(words[w], actions[a]) for w, a in np.argwhere(table)}
    assert entries >= {("jump", "I_JUMP"), ("left", "I_TURN_LEFT"), ("<EOS>", "<EOS>")} and len(entries) == 7


@pytest.mark.parametrize("lexicon", ["pairs", "pmi", "none"])
def test_only_a_lexicon_that_is_trained_is_a_parameter(lexicon):
    for trained in (False, True) if lexicon != "none" else (False,):
        network = started(Copying(**TINY, lexicon=lexicon, trained=trained), "jump")
        assert eqx.is_inexact_array(network.lexicon) == (trained or lexicon == "none")
        assert network.lexicon.any()


def test_the_control_knows_nothing_and_learns_it():
    table = started(Copying(**TINY, lexicon="none"), "jump").lexicon
    assert (table == table[..., :1]).all()
    with pytest.raises(InputError, match="is always trained"):
        Copying(lexicon="none", trained=True)


def test_only_jump_is_a_new_word():
    assert new_and_like(split("jump")) == (
        ({"jump"}, {"walk", "look", "run"}),
        ({"I_JUMP"}, {"I_WALK", "I_LOOK", "I_RUN"}),
    )
    for name in ("length", "turn-left", "template-around-right", "few-jump-8-rep1", "filler-0"):
        assert new_and_like(split(name)) == NOTHING
    assert new_and_like(split("simple"))[0][0] == set()


def test_an_action_that_other_commands_have_is_not_placed_anew():
    rows = [("dax", "A"), ("lug", "B"), ("lug twice", "B B"), ("wif", "B"), ("zup", "A B")]
    train = tuple(Example(command, tuple(actions.split())) for command, actions in rows)
    (new, like), (new_actions, like_actions) = new_and_like(Split("", "rule", train, (1,) * len(train), {}))
    assert (new, like) == ({"dax", "wif", "zup"}, {"lug"})
    assert (new_actions, like_actions) == ({"A"}, {"B"})


def test_a_new_word_starts_amid_those_that_it_is_like():
    fields = {"cell": "lstm", "layers": 1, "attention": True, "dropout": 0.1, **TINY}
    paper, own = started(RNN(**fields), "jump"), started(NewWords(**TINY), "jump")
    words, actions = ENCODING.words.symbols.index, ENCODING.actions.symbols.index
    others = [words(word) for word in ("walk", "look", "run")]
    np.testing.assert_allclose(own.words[0, words("jump")], paper.words[0, others].mean(axis=0), rtol=1e-6)
    others = [actions(action) - 2 for action in ("I_WALK", "I_LOOK", "I_RUN")]
    np.testing.assert_allclose(
        own.w_output[0, actions("I_JUMP") - 2], paper.w_output[0, others].mean(axis=0), rtol=1e-5
    )
    np.testing.assert_allclose(own.b_output[0, actions("I_JUMP") - 2], paper.b_output[0, others].mean(), rtol=1e-5)
    same = [np.all(a == b, axis=-1) for a, b in zip(jax.tree.leaves(own), jax.tree.leaves(paper), strict=True)]
    assert sum(np.size(rows) - np.sum(rows) for rows in same) == 4  # the two embeddings, the softmax's row and its bias


def test_without_new_words_it_is_the_papers_network():
    fields = {"cell": "lstm", "layers": 1, "attention": True, "dropout": 0.1, **TINY}
    paper, own = started(RNN(**fields), "simple"), started(NewWords(**TINY), "simple")
    assert all((a == b).all() for a, b in zip(jax.tree.leaves(own), jax.tree.leaves(paper), strict=True))


def test_what_was_published_of_each_lexicon_stands_beside_it():
    figures = {lexicon: of(Copying(lexicon=lexicon).published, "jump") for lexicon in ("pairs", "pmi")}
    assert {lexicon: figure.mean for lexicon, figure in figures.items()} == {"pairs": 91.7, "pmi": 95.5}
    assert of(Copying().published, "mcd1").mean == 12.5
    assert not Copying(lexicon="none").published and not Copying(trained=True).published


def test_their_labels_say_what_they_are():
    assert str(Copying(lexicon="pmi")) == "copy, lexicon pmi"
    assert str(NewWords()) == "new-words, LSTM 1x100, attention, dropout 0.1"
    assert learners.label(NewWords().facts()) == str(NewWords())
    assert str(learners.make("copy", {"size": "published"})) == "copy published"


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner", [Copying(hidden=16), Copying(hidden=16, lexicon="none"), NewWords(hidden=16)], ids=str
)
def test_they_keep_the_contract(learner):
    for check in checks_of(learner):
        found = check(learner)
        assert found.verdict != "broken", found.seen
