"""A sweep file declares axes; the sweep is their product, each run once."""

from math import prod
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from daxlab import InputError
from daxlab.learners import RNN
from daxlab.ledger import key
from daxlab.ledger.spec import all_facts
from daxlab.protocol import Protocol
from daxlab.sweep import Spec
from daxlab.sweep.grid import parse, part, read

SPECS = Path(__file__).parents[2] / "specs"
AXES = {
    "cell": ["srn", "lstm", "gru"],
    "layers": [1, 2, 3],
    "hidden": [5, 25, 50],
    "attention": [False, True],
    "dropout": [0, 0.1, 0.5],
    "split": ["simple", "length", "jump"],
    "seeds": [0, 1, 7],
}
PROTOCOL = {"updates": [10, 20], "teacher_forcing": [0, 0.5, 1], "clip": [5, 1e6], "self_fed_loss_ends": ["own"]}


def axes_from(known: dict[str, list]) -> st.SearchStrategy[dict[str, list]]:
    return st.fixed_dictionaries(
        {}, optional={name: st.lists(st.sampled_from(some), min_size=1, unique=True) for name, some in known.items()}
    )


@settings(max_examples=30)
@given(axes_from(AXES), axes_from(PROTOCOL))
def test_a_grid_is_the_product_of_its_axes_and_every_run_has_its_own_key(axes, protocol) -> None:
    axes.setdefault("split", ["jump"])
    specs = parse(axes | {"protocol": protocol})
    seeds = len(axes.get("seeds", range(5)))
    sizes = [len(values) for name, values in (axes | protocol).items() if name != "seeds"]
    assert len(specs) == seeds * prod(sizes)
    assert len({key(facts) for facts in all_facts(specs)}) == len(specs)
    backwards = parse(dict(reversed((axes | {"protocol": protocol}).items())))
    assert set(backwards) == set(specs)


def test_what_is_left_out_is_the_paper_s() -> None:
    assert parse({"split": "jump"}) == [Spec("jump", seed) for seed in range(5)]


def test_fields_may_stand_in_a_table_called_protocol_or_with_the_others() -> None:
    assert parse({"split": "jump", "clip": 1}) == parse({"split": "jump", "protocol": {"clip": 1}})


def test_tables_are_united_and_override_what_stands_above_them() -> None:
    above = {"split": "jump", "seeds": [3], "protocol": {"updates": 10, "clip": 1}}
    tables = [{"hidden": [5, 6]}, {"hidden": 6}, {"hidden": 6, "protocol": {"clip": 2}}]
    assert parse(above | {"sweep": tables}) == [
        Spec("jump", 3, RNN(hidden=5, updates=10, clip=1)),
        Spec("jump", 3, RNN(hidden=6, updates=10, clip=1)),
        Spec("jump", 3, RNN(hidden=6, updates=10, clip=2)),
    ]


def test_axes_given_as_text_replace_those_of_the_file() -> None:
    declared = {"split": "jump", "hidden": [5, 6], "seeds": 2}
    more = ["hidden=7", "attention=true,false", "seeds=3", "split=length"]
    assert set(parse(declared, more)) == set(
        parse({"split": "length", "hidden": 7, "attention": [True, False], "seeds": 3})
    )
    assert parse({}, ["split=jump", "seeds=4,9"]) == parse({"split": "jump", "seeds": [4, 9]})


@settings(max_examples=30)
@given(axes_from(AXES), st.data())
def test_a_part_of_a_grid_is_the_grid_of_a_part_of_its_axes(axes, data) -> None:
    axes.setdefault("split", ["jump"])
    some = {name: data.draw(st.lists(st.sampled_from(there), min_size=1, max_size=3)) for name, there in axes.items()}
    only = [
        f"{name}={','.join(map(str, values))}".replace("True", "true").replace("False", "false")
        for name, values in some.items()
    ]
    assert set(part(parse(axes), only)) == set(parse(axes | some))


def test_an_axis_of_a_part_may_be_repeated() -> None:
    specs = parse({"split": "jump", "hidden": [25, 50, 100], "protocol": {"clip": [1, 5]}})
    assert part(specs, ["hidden=25", "hidden=50"]) == part(specs, ["hidden=25,50"])
    assert part(specs, ["protocol.clip=5"]) == part(specs, ["clip=5"]) == [s for s in specs if s.learner.clip == 5]


def test_a_part_is_never_empty() -> None:
    specs = parse({"split": "jump", "sweep": [{"cell": "srn", "hidden": 25}, {"cell": "gru", "hidden": [50]}]})
    with pytest.raises(InputError, match=r"there hidden is 25, 50$"):
        part(specs, ["cell=srn", "hidden=7"])
    with pytest.raises(InputError, match="no run of the sweep is all of cell=srn and hidden=50"):
        part(specs, ["cell=srn", "hidden=50"])


@pytest.mark.parametrize(
    ("only", "complaint"),
    [
        ("hidden", "takes an axis and values"),
        ("hidden=wide", "there hidden is 25, 50"),
        ("attention=maybe", "there attention is false"),
        ("hiden=25", "did you mean 'hidden'"),
        ("hidden=25,7", "there hidden is 25, 50"),
        ("seeds=first", "there seeds is 0, 1, 2, 3, 4"),
    ],
)
def test_an_impossible_part_is_an_error_that_says_what_there_is(only: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        part(parse({"split": "jump", "hidden": [25, 50]}), [only])


def test_the_facts_of_many_specs_are_the_facts_of_each() -> None:
    specs = parse({"split": ["jump", "length"], "hidden": [5, 6], "seeds": 2})
    assert all_facts(specs) == [spec.facts() for spec in specs]


def test_the_papers_search_is_its_180_architectures_on_four_experiments_with_five_replicates() -> None:
    specs = read(SPECS / "paper-search.toml")
    assert len(specs) == 3600
    assert len({spec.learner for spec in specs}) == 180
    assert {spec.split for spec in specs} == {"simple", "length", "jump", "turn-left"}
    assert {spec.seed for spec in specs} == set(range(5))
    assert {spec.learner.protocol for spec in specs} == {Protocol()}


def test_the_ablations_change_one_thing_at_a_time_on_two_networks() -> None:
    specs = read(SPECS / "ablations.toml")
    small, best = RNN("lstm", 1, 100, attention=True, dropout=0.1), RNN()
    changed = {
        (part, getattr(spec.learner.protocol, part))
        for spec in specs
        for part in Protocol.__dataclass_fields__
        if getattr(spec.learner.protocol, part) != getattr(Protocol(), part)
    }
    assert changed == {
        *(("teacher_forcing", 0.0), ("teacher_forcing", 1.0)),
        *(("self_fed_loss_ends", "target"), ("clip", 1e6)),
    }
    for network in (small, best):
        own = {
            (spec.split, spec.learner.protocol) for spec in specs if spec.learner.architecture == network.architecture
        }
        assert {split for split, protocol in own if protocol == Protocol()} == {
            *("simple", "length", "jump", "turn-left", "jump-once", "turn-left-once")
        }
        assert len(own) == 6 + 4 * 4
    assert len(specs) == 2 * 22 * 5


@pytest.mark.parametrize(
    ("declared", "complaint"),
    [
        ({"split": "jmp"}, "did you mean 'jump'"),
        ({"split": "jump", "hiden": 5}, "no axis is called 'hiden'; did you mean 'hidden'?"),
        ({"split": "jump", "protocol": {"clips": 5}}, "did you mean 'clip'"),
        ({"split": "jump", "protocol": 5}, "protocol is a table"),
        ({"split": "jump", "cell": "lstn"}, "cell is one of srn, lstm, gru, not 'lstn'"),
        ({"split": "jump", "hidden": "25"}, "hidden takes a whole number, not '25'"),
        ({"split": "jump", "hidden": [25, 2.5]}, "hidden takes a whole number"),
        ({"split": "jump", "hidden": []}, "hidden takes a value or a list of values"),
        ({"split": "jump", "hidden": [[25]]}, "hidden takes a value or a list of values"),
        ({"split": "jump", "attention": 1}, "attention takes true or false"),
        ({"split": "jump", "layers": True}, "layers takes a whole number"),
        ({"split": "jump", "dropout": 1.5}, "dropout must be at least 0 and below 1"),
        ({"split": "jump", "seeds": 0}, "seeds are a count of 1 to"),
        ({"split": "jump", "seeds": [1, -1]}, "a seed is a whole number"),
        ({"split": "jump", "seeds": "all"}, "seeds takes whole numbers"),
        ({"split": 5}, "split takes names"),
        (
            {"split": "jump", "protocol": {"teacher_forcing": [0, 2]}},
            "teacher_forcing must be at least 0 and at most 1",
        ),
        ({"split": "jump", "data": "scam"}, "did you mean 'scan'"),
        ({"split": "jump", "learner": "rn"}, "did you mean 'rnn'"),
        ({"split": "jump", "seeds": 4_000_000_000}, "a sweep has at most 1,000,000"),
        ({"hidden": 5}, "no split is given"),
        ({"split": "jump", "sweep": {"hidden": 5}}, r"a \[\[sweep\]\] of its own"),
    ],
)
def test_a_bad_declaration_is_an_error_that_says_what_to_mend(declared, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse(declared)


def test_an_unknown_axis_on_the_command_line_gets_the_nearest_name() -> None:
    for axis, name in {"splt=jump": "split", "hiden=25": "hidden"}.items():
        with pytest.raises(InputError, match=f"no axis is called .*; did you mean '{name}'"):
            parse({}, ["split=jump", axis])


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the sweep file .*missing\.toml: No such file"):
        read(tmp_path / "missing.toml")
    (tmp_path / "bad.toml").write_text("cell = [")
    with pytest.raises(InputError, match=r"bad\.toml is not TOML"):
        read(tmp_path / "bad.toml")
    (tmp_path / "odd.toml").write_text("split = 'jump'\ncel = 'gru'")
    with pytest.raises(InputError, match=r"odd\.toml: no axis is called 'cel'; did you mean 'cell'"):
        read(tmp_path / "odd.toml")
    for content in ("a = " + "[" * 5000, "a = " + "9" * 5000, b"split = '\xff'"):
        (tmp_path / "mutated.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError, match=r"mutated\.toml"):
            read(tmp_path / "mutated.toml")
