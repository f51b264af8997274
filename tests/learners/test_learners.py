"""A learner is a frozen description: its fields are checked, determine it, and can be given as text."""

import pickle
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, strategies as st

from daxlab import InputError, dataset, learners
from daxlab.learners import RNN, Learner, defaults, setting, trainees
from daxlab.ledger import key
from daxlab.ledger.spec import Spec
from daxlab.paper.runs import filters
from daxlab.settings import written
from daxlab.sweep.grid import parse

NETWORKS = st.builds(
    RNN,
    cell=st.sampled_from(("srn", "lstm", "gru")),
    layers=st.integers(1, 3),
    hidden=st.integers(1, 500),
    attention=st.booleans(),
    dropout=st.sampled_from((0, 0.1, 0.5)),
    updates=st.integers(1, 10**6),
    clip=st.sampled_from((1, 5.0, 1e6)),
    teacher_forcing=st.sampled_from((0, 0.5, 1)),
    shared_lengths=st.booleans(),
    clip_separately=st.booleans(),
)


@given(NETWORKS)
def test_a_learner_is_found_again_from_its_facts_from_text_and_from_a_pickle(network: RNN) -> None:
    assert learners.of(network.facts()) == network
    texts = {name: written(value) for name, value in vars(network).items()}
    assert learners.from_text("rnn", texts) == network
    assert pickle.loads(pickle.dumps(network)) == network
    assert hash(pickle.loads(pickle.dumps(network))) == hash(network)


@given(NETWORKS, NETWORKS)
def test_learners_have_one_key_exactly_if_they_are_equal(one: RNN, other: RNN) -> None:
    assert (key(one.facts()) == key(other.facts())) == (one == other)


@given(NETWORKS)
def test_a_label_names_what_differs_from_the_papers_protocol(network: RNN) -> None:
    label = str(network)
    assert learners.label(network.facts()) == label
    assert label.startswith(f"{network.cell.upper()} {network.layers}x{network.hidden}")
    assert ("attention" in label) == network.attention
    assert ("clip" in label) == (network.clip != 5 or network.clip_separately)
    assert ("updates" in label) == (network.updates != 100_000)


def test_the_default_learner_is_the_papers_overall_best() -> None:
    assert str(learners.make(learners.DEFAULT)) == "LSTM 2x200, dropout 0.5"


def test_a_field_that_was_added_later_changes_no_key_until_it_is_used() -> None:
    plain, separate = RNN(), RNN(clip_separately=True)
    assert "clip_separately" not in plain.facts()["protocol"]
    assert separate.facts()["protocol"]["clip_separately"] is True
    assert filters(plain, plain.protocol)["clip_separately"] is None  # runs that have no such entry are found


def test_runs_recorded_before_learners_had_kinds_keep_their_keys() -> None:
    """The facts of a run of the paper's networks are what they always were."""
    facts = Spec("jump", 0, RNN("lstm", 1, 100, True, dropout=0.1)).facts()
    assert set(facts) == {"language", "split", "network", "protocol", "seed", "semantics"}
    assert key(facts) == "9485894fac4f61d75597d7c970a85d7f4dc7d2b6e2fa136895fd1e4ce038bb6c"  # shipped, with its weights


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"hiden": "5"}, "has no field 'hiden'; did you mean 'hidden'"),
        ({"hidden": "wide"}, "hidden takes a whole number, not 'wide'"),
        ({"hidden": "0"}, "hidden must be at least 1"),
        ({"hidden": "2.5"}, "hidden takes a whole number"),
        ({"attention": "maybe"}, "attention takes true or false"),
        ({"cell": "lstn"}, "cell is one of srn, lstm, gru, not 'lstn'"),
        ({"dropout": "1"}, "dropout must be at least 0 and below 1"),
        ({"dropout": "nan"}, "dropout must be"),
        ({"teacher_forcing": "2"}, "teacher_forcing must be at least 0 and at most 1"),
        ({"updates": "0"}, "updates must be at least 1"),
        ({"clip": "-1"}, "clip must be above 0"),
    ],
)
def test_a_bad_setting_is_one_sentence(settings: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        learners.from_text("rnn", settings)


@pytest.mark.parametrize("name", ["rn", "lstm", "nowhere.py:Mine"])
def test_an_unknown_learner_is_one_sentence(name: str) -> None:
    with pytest.raises(InputError, match=r"did you mean 'rnn'|there are rnn|cannot read the learner nowhere\.py"):
        learners.find(name)


@dataclass(frozen=True)
class Odd(Learner):
    """Has fields of every type."""

    kind = "odd"
    name: str = setting("a", "a name")
    share: float = setting(0.5, "a share", least=0, most=1)


def test_a_whole_number_is_taken_for_a_float_and_bounds_hold() -> None:
    assert Odd(share=1).share == 1.0 and isinstance(Odd(share=1).share, float)
    with pytest.raises(InputError, match="share must be at least 0 and at most 1, not 2"):
        Odd(share=2)
    with pytest.raises(InputError, match="share takes a number, not True"):
        Odd(share=True)
    assert defaults(Odd) == {"name": "a", "share": 0.5}
    assert str(replace(Odd(), share=0.25)) == "odd, share 0.25"


@dataclass(frozen=True)
class Sized(Learner):
    """A learner with a named size."""

    kind = "sized"
    named_sizes = {"small": {"depth": 2, "width": 4}, "tiny": {"depth": 1}}  # noqa: RUF012
    depth: int = setting(6, "layers")
    width: int = setting(512, "units")


def test_a_named_size_stands_for_its_fields_and_given_fields_take_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(learners.KINDS, "sized", Sized)
    small = learners.from_text("sized", {"size": "small"})
    assert small == Sized(2, 4) and str(small) == "sized small" and small.facts() == Sized(2, 4).facts()
    assert learners.from_text("sized", {"width": "512", "size": "small"}) == Sized(2, 512)
    assert learners.make("sized", {"size": "default", "depth": 3}) == Sized(3, 512)
    assert str(Sized(1, 4)) == "sized tiny, width 4" and str(Sized()) == "sized"
    assert {spec.learner for spec in parse({"learner": "sized", "split": "jump", "size": ["default", "small"]})} == {
        Sized(), small
    }  # fmt: skip
    with pytest.raises(InputError, match="size is one of default, small, tiny, not 'large'"):
        learners.from_text("sized", {"size": "large"})
    with pytest.raises(InputError, match="no field 'size'"):
        learners.make("rnn", {"size": "small"})


@pytest.mark.parametrize("cell", ["srn", "lstm", "gru"])
@pytest.mark.parametrize("attention", [False, True])
@pytest.mark.parametrize("layers", [1, 3])
def test_the_parameters_of_the_papers_networks_are_those_that_jax_counts(cell, attention, layers) -> None:
    network, data = RNN(cell, layers, 7, attention), dataset("scan")
    assert network.parameters(data) == trainees.parameters(network, data)
