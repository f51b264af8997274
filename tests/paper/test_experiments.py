"""The paper's experiments: which networks, which splits, how many runs."""

import pytest

from daxlab import InputError
from daxlab.datasets import dataset
from daxlab.paper import EXPERIMENTS, NETWORKS, specs, targets
from daxlab.protocol import Protocol

MAIN = {"simple", "length", "turn-left", "jump"}


def test_the_networks_are_those_the_paper_names() -> None:
    assert {name: str(network) for name, network in NETWORKS.items()} == {
        "overall-best": "LSTM 2x200, dropout 0.5",
        "exp1-best": "LSTM 2x200, dropout 0",
        "exp2-best": "GRU 1x50, attention, dropout 0.5",
        "exp3-turn-left-best": "GRU 1x100, attention, dropout 0.1",
        "exp3-jump-best": "LSTM 1x100, attention, dropout 0.1",
    }


@pytest.mark.parametrize("release", [True, False])
def test_all_is_195_runs_and_their_names_are_splits(release: bool) -> None:
    everything = specs(["all"], release=release)
    assert len(everything) == len(set(everything)) == 195
    # 5 networks on 4 splits, 2 without over-sampling, 7 sizes, 6 numbers of shots, 4 more primitives: 39 of 5 runs
    counts = {name: len(specs([name], release=release)) for name in EXPERIMENTS}
    assert counts == {
        **{"simple": 25, "size": 40, "length": 25, "turn-left": 30, "jump": 30},
        **{"few-shot": 30, "primitives": 30, "translation": 0},  # no pairs, no runs
    }
    assert len(specs(["all"], release=release, pairs="built-in")) == 195 + 25
    assert {spec.split for spec in everything} <= set(dataset("scan").split_names())
    assert {spec.learner.protocol for spec in everything} == {Protocol()}


def test_every_best_network_learns_every_main_split() -> None:
    found = {(spec.split, str(spec.learner)) for spec in specs(list(MAIN), 1)}
    assert {(split, str(network)) for split in MAIN for network in NETWORKS.values()} <= found
    assert len(found) == 22


def test_a_few_shot_run_has_its_own_draw_and_the_seed_that_goes_with_it() -> None:
    for release, prefix in ((False, "few-jump-8-rep"), (True, "addprim_complex_jump_num8_rep")):
        found = [(spec.split[-1], spec.seed) for spec in specs(["few-shot"], 5, release) if prefix in spec.split]
        assert found == [("1", 0), ("2", 1), ("3", 2), ("4", 3), ("5", 4)]
    assert {spec.learner for spec in specs(["few-shot"])} == {NETWORKS["exp3-jump-best"]}
    released = [spec for spec in specs(["few-shot"], 7, release=True) if "num1_" in spec.split]
    assert [(spec.split[-4:], spec.seed) for spec in released[5:]] == [("rep1", 5), ("rep2", 6)]  # it has five draws


def test_size_ends_with_simple_and_only_random_splits_are_the_release_s() -> None:
    assert specs(["size"], 1)[-1] == specs(["simple"], 1)[0]
    drawn = {spec.split for spec in specs(["all"], 1, release=True) if spec.split.startswith("release/")}
    assert len(drawn) == 1 + 7 + 6
    assert not [spec for spec in specs(["all"], 1) if spec.split.startswith("release/")]


def test_a_name_that_is_none_is_refused_with_advice() -> None:
    with pytest.raises(InputError, match="did you mean 'few-shot'"):
        specs(["fewshot"])
    with pytest.raises(InputError, match="runs must be at least 1"):
        specs(["jump"], 0)


def test_every_figure_of_the_paper_has_an_id_of_its_own() -> None:
    ids = [target.id for target in targets()]
    assert len(ids) == len(set(ids)) == 41
    stated = {target.id: str(target) for target in targets()}
    assert stated["exp1.size.1"] == "about 5"
    assert stated["exp1.srn-best"] == "< 1.5"
    assert stated["exp1.srn-attention-range"] == "18.4 to 94"
