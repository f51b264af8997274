"""The ledger: runs are facts, kept once, whole or not at all."""

import csv
import json
import math
import os
import random
import resource  # noqa: F401  for the processes that test_store starts
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from daxlab.errors import InputError
from daxlab.learners import name_and_fields
from daxlab.ledger import (
    Group,
    Ledger,
    Run,
    Writer,
    canonical,
    export,
    is_written,
    key,
    merge,
    pack_answers,
    pack_arrays,
    pack_likelihoods,
    unpack_answers,
    unpack_arrays,
    unpack_likelihoods,
    write_table,
)
from daxlab.ledger.files import network_disk

RESULTS = Path(__file__).parents[2] / "results"
TARGETS = [("JUMP",), ("JUMP", "JUMP"), ("LTURN", "WALK"), ("RUN", "RUN", "RUN")]


def spec(seed=0, split="jump", cell="lstm", **network):
    network = {"cell": cell, "layers": 2, "hidden": 200, "attention": False, "dropout": 0.5, **network}
    return {
        "language": "scan:ab12",
        "split": {"name": split, "digest": f"digest of {split}"},
        "network": network,
        "protocol": {"updates": 100000, "clip": 5.0, "teacher_forcing": 0.5},
        "seed": seed,
        "semantics": 1,
    }


def run(seed=0, accuracy=50.0, answers=TARGETS, **more):
    where = {name: more.pop(name) for name in ("split", "cell", "hidden", "attention") if name in more}
    return Run(
        spec=spec(seed, **where),
        metrics={"accuracy": accuracy, "train_accuracy": 100.0, "loss": 0.25},
        curve={"update": [10000, 20000], "loss": [2.5, 0.5]},
        timing={"seconds": 4.5, "compile": 1.25},
        origin={"jax": "0.8", "device": "one card", "git": "abc"},
        finished=1.7e9,
        artefacts={"greedy": pack_answers(answers, TARGETS)},
        **more,
    )


def foreign(seed=0, kind="dream", fields=()):
    """A run of a learner that nobody here knows."""
    facts = {name: part for name, part in spec(seed).items() if name not in ("network", "protocol")}
    return Run(spec=facts | {"learner": {"kind": kind, **dict(fields)}}, metrics={"accuracy": 100.0})


def failed(seed=0, update=123):
    return Run(spec=spec(seed), status="failed", failed_at=update, reason="the loss is not finite")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.db"


def child(code, *arguments, **options):
    """A second process that has the names of this file at hand."""
    text = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom test_store import *\n{code}"
    return subprocess.Popen(
        [sys.executable, "-c", text, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


# -- keys


def test_a_key_does_not_depend_on_the_order_of_names_or_on_writing_one_as_a_fraction():
    one = spec() | {"protocol": {"updates": 100000, "clip": 5}}
    other = dict(reversed(list(spec().items()))) | {"protocol": {"clip": 5.0, "updates": 100000.0}}
    assert key(one) == key(other)
    assert len(key(one)) == 64


def test_whatever_differs_in_a_spec_differs_in_its_key():
    specs = [spec(), spec(1), spec(split="length"), spec(cell="gru"), spec(dropout=0.1), spec(attention=True)]
    assert len({key(s) for s in specs}) == len(specs)


def test_a_run_is_determined_by_content_not_by_names():
    renamed = spec() | {"split": {"name": "leap", "digest": spec()["split"]["digest"]}}
    assert key(renamed) == key(spec())
    assert key(spec() | {"split": {"name": spec()["split"]["name"], "digest": "another"}}) != key(spec())


def test_the_key_of_a_spec_never_changes():
    assert key(spec()) == GOLDEN


GOLDEN = "9f0379f25efd3877712ea285e6fb7f2d0fb4fbfbe6835bbe6cdaeeea69a88048"


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_spec_with_nan_or_infinity_is_refused(value):
    with pytest.raises(ValueError):
        canonical({"clip": value})


# -- artefacts

words = st.sampled_from(["JUMP", "WALK", "LTURN", "dax"])
sentences = st.lists(words, max_size=6).map(tuple)


@given(st.lists(st.tuples(sentences, sentences), max_size=20))
def test_answers_are_restored_from_their_differences_to_the_targets(pairs):
    answers, targets = [answer for answer, _ in pairs], [target for _, target in pairs]
    assert unpack_answers(pack_answers(answers, targets), targets) == answers


@given(st.integers(1, 700), st.integers(250, 70000))
def test_answers_may_use_many_words_and_lie_far_apart(length, commands):
    targets = [("W0",)] * commands
    answers = [*targets[:-1], tuple(f"W{n}" for n in range(length))]
    assert unpack_answers(pack_answers(answers, targets), targets) == answers


def test_right_answers_take_almost_no_space():
    targets = [("JUMP",) * (n % 40 + 1) for n in range(5000)]
    assert len(pack_answers(targets, targets)) < 250


def test_answers_are_not_unpacked_with_another_test_set():
    with pytest.raises(InputError, match="another test set"):
        unpack_answers(pack_answers(TARGETS, TARGETS), TARGETS[:-1])


logs = st.floats(-500, 0) | st.just(-math.inf)


@given(st.lists(st.tuples(logs, logs)))
def test_likelihoods_are_kept_to_a_thousandth_and_search_errors_exactly(pairs):
    own, target = [a for a, _ in pairs], [b for _, b in pairs]
    kept_own, kept_target = unpack_likelihoods(pack_likelihoods(own, target))
    assert kept_own == pytest.approx(own, abs=0.001)
    assert kept_target == pytest.approx(target, abs=0.0021)
    for before, after in zip(pairs, zip(kept_own, kept_target, strict=True), strict=True):
        assert (before[0] < before[1], before[0] == before[1]) == (after[0] < after[1], after[0] == after[1])


def test_arrays_come_back_in_shape_and_type():
    numpy = pytest.importorskip("numpy")
    states = {
        "run twice": numpy.arange(6, dtype="float32").reshape(2, 3),
        "jump": numpy.arange(4.0)[::2],
        "turn left": numpy.arange(12, dtype="int64").reshape(3, 4).T,
        "": numpy.zeros(0, "float32"),
    }
    back = unpack_arrays(pack_arrays(states))
    assert list(back) == list(states)
    for command, state in states.items():
        numpy.testing.assert_array_equal(numpy.asarray(back[command]), state)
        assert numpy.asarray(back[command]).dtype == state.dtype


# -- a run in and out

numbers = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(codec="utf-8"), max_size=8)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | names,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(names, inside, max_size=3),
    max_leaves=8,
)


@st.composite
def runs(draw):
    bad = draw(st.booleans())
    parts = draw(st.dictionaries(names.filter(lambda name: name not in spec()), plain, max_size=3))
    facts = {**spec(draw(st.integers(-(2**63), 2**63 - 1)), draw(names)), **parts}
    facts["network"] |= draw(st.dictionaries(names, plain, max_size=3))
    return Run(
        spec=facts,
        status="failed" if bad else "done",
        failed_at=draw(st.integers(0, 10**6)) if bad else None,
        reason=draw(names) if bad else None,
        metrics=draw(st.dictionaries(st.sampled_from(["accuracy", "oracle_accuracy"]) | names, numbers)),
        curve=draw(st.dictionaries(names, st.lists(numbers, max_size=4), max_size=3)),
        timing=draw(st.dictionaries(st.just("seconds") | names, numbers, max_size=3)),
        origin=draw(st.dictionaries(names, names, max_size=3)),
        finished=draw(numbers),
        artefacts=draw(st.dictionaries(names, st.binary(max_size=50), max_size=3)),
    )


@settings(max_examples=60)
@given(runs())
def test_any_run_is_read_as_it_was_written(one):
    with tempfile.TemporaryDirectory() as folder, Writer(Path(folder) / "runs.db") as writer:
        assert writer.add([one]) == [one.key]
        assert writer.ledger.run(one.key) == one
        writer.ledger.check()


def test_a_loss_that_is_not_finite_is_read_as_nan(path):
    with Writer(path) as writer:
        writer.add([Run(spec=spec(), curve={"loss": [1.0, math.inf, math.nan]})])
        assert [math.isnan(x) for x in writer.ledger.run(key(spec())).curve["loss"]] == [False, True, True]


def test_a_run_is_in_the_ledger_once(path):
    with Writer(path) as writer:
        assert writer.add([run(0), run(1)]) == [run(0).key, run(1).key]
        assert writer.add([run(1, accuracy=0.0), run(2)]) == [run(2).key]
        assert writer.ledger.count() == 3
        assert writer.ledger.run(run(1).key).metrics["accuracy"] == 50


def test_a_failed_run_is_not_lacking_unless_it_is_to_be_retried(path):
    with Writer(path) as writer:
        writer.add([failed(0), run(1)])
        both = [run(0).key, run(1).key, run(2).key]
        assert writer.ledger.lacking(both) == both[2:]
        assert writer.ledger.lacking(both, retry_failed=True) == [both[0], both[2]]
        assert writer.add([run(0)]) == []
        assert writer.add([failed(1)]) == []


def test_runs_are_added_together_or_not_at_all(path):
    with Writer(path) as writer:
        with pytest.raises(ValueError, match="not recorded"):
            writer.add([run(0), run(1), run(2, group="0" * 64)])
        assert writer.ledger.count() == 0


# -- groups


def test_a_group_is_done_when_its_last_run_is_added(path):
    group = Group(members=[spec(3), spec(1), spec(2)], plan={"width": 200})
    with Writer(path) as writer:
        writer.record([group])
        assert (writer.ledger.groups()[0].status, pending(writer.ledger)) == ("planned", 3)
        writer.begin(group.key, {"device": "gpu"})
        writer.progress({group.key: 5000})
        (now,) = writer.ledger.groups("running")
        assert (now.key, now.keys, now.plan, now.updates) == (group.key, group.keys, {"width": 200}, 5000)
        writer.add([run(1, group=group.key), run(2, group=group.key)])
        assert pending(writer.ledger) == 1
        writer.add([failed(3)])
        assert (writer.ledger.groups()[0].status, pending(writer.ledger)) == ("done", 0)
        assert writer.ledger.status() == {"done": 2, "failed": 1, "writing": True}
        assert writer.ledger.run(run(1).key).group == group.key


def test_a_group_is_its_members_in_their_order_and_its_plan():
    groups = [
        Group(members=[spec(0), spec(1)]),
        Group(members=[spec(1), spec(0)]),
        Group(members=[spec(0)]),
        Group(members=[spec(0), spec(1)], plan={"width": 400}),
    ]
    assert len({group.key for group in groups}) == 4
    assert Group(members=[spec(0)], executor={"device": "cpu"}).key == groups[2].key


def test_a_group_left_running_by_a_killed_writer_is_planned_again(path):
    group = Group(members=[spec(0), spec(1)])
    with Writer(path) as writer:
        writer.record([group])
        writer.begin(group.key, {})
    with Writer(path) as writer:
        writer.record([group])
        assert [g.key for g in writer.ledger.groups("planned")] == [group.key]


def test_no_run_is_planned_twice_unless_its_group_is_dropped(path):
    whole = Group(members=[spec(0), spec(1)])
    halves = [Group(members=[spec(0)]), Group(members=[spec(1)])]
    with Writer(path) as writer:
        writer.record([whole])
        with pytest.raises(ValueError, match="drop that first"):
            writer.record(halves)
        assert writer.ledger.live_group(key(spec(1))) == whole.key
        writer.drop(whole.key)
        writer.record(halves)
        assert writer.ledger.live_group(key(spec(1))) == halves[1].key
        assert pending(writer.ledger) == 2


# -- finding


def test_a_run_is_found_by_any_unique_beginning_of_its_key(path):
    with Writer(path) as writer:
        writer.add([run(seed) for seed in range(40)])
        for name in writer.ledger.select():
            enough = next(
                n for n in range(1, 64) if sum(other.startswith(name[:n]) for other in writer.ledger.select()) == 1
            )
            assert writer.ledger.find(name[:enough]) == writer.ledger.find(name.upper()) == name
            if enough > 1:
                with pytest.raises(InputError, match="more than one run"):
                    writer.ledger.find(name[: enough - 1])


def test_a_prefix_without_a_run_names_the_nearest_run(path):
    with Writer(path) as writer:
        with pytest.raises(InputError, match="no runs yet"):
            writer.ledger.find("abc")
        writer.add([run(seed) for seed in range(3)])
        nearest = max(writer.ledger.select())
        with pytest.raises(InputError, match=f"none of the 3 in .*nearest: {nearest[:12]}"):
            writer.ledger.find("f" * 20)
        for text in ("", "jump", "ab cd", "0" * 65):
            with pytest.raises(InputError, match="not a run's key"):
                writer.ledger.find(text)


# -- questions


@pytest.fixture
def book(path):
    with Writer(path) as writer:
        for split, cell in (("jump", "lstm"), ("jump", "gru"), ("length", "lstm"), ("length", "gru")):
            writer.add([run(seed, split=split, cell=cell, accuracy=10.0 * seed) for seed in range(3)])
        writer.add([failed(9)])
        yield writer


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ({}, 13),
        ({"split": "jump"}, 7),
        ({"split": "jump", "cell": "gru"}, 3),
        ({"cell": ["gru", "lstm"], "seed": [0, 9]}, 5),
        ({"status": "failed"}, 1),
        ({"attention": False, "dropout": 0.5, "hidden": 200, "layers": 2, "updates": 100000}, 13),
        ({"protocol.teacher_forcing": 0.5}, 13),
        ({"protocol.clip": 1}, 0),
        ({"clip": 5, "network.hidden": 200}, 13),
        ({"protocol.absent": None}, 13),
        ({"absent": 1}, 0),
        ({"x'; drop table runs": 1, 'a"b': 2}, 0),
        ({"hidden": 2**70}, 0),
        ({"learner": "rnn", "label": "LSTM 2x200, dropout 0.5"}, 7),
        ({"dataset": "scan:ab12", "language": "scan:ab12", "semantics": 1}, 13),
        ({"split.digest": "digest of jump"}, 7),
        ({"accuracy": None}, 1),
        ({"cell": []}, 0),
        ({"key": run(0, split="jump").key}, 1),
        ({"key": run(0, split="jump").key[:7]}, 0),
        ({"group": "none"}, 0),
    ],
)
def test_runs_are_filtered_by_column_field_or_path(book, where, count):
    assert book.ledger.count(where) == len(book.ledger.select(where)) == len(book.ledger.rows(where)) == count
    assert len(book.ledger.curves(where)) == count


def test_the_columns_of_a_ledger_are_the_fixed_ones_and_the_fields_of_its_learners(book):
    book.add([foreign(fields={"depth": 2})])
    assert {"key", "dataset", "split", "learner", "label", "seed", "hidden", "clip", "depth"} <= set(
        book.ledger.columns()
    )
    assert book.ledger.values("cell") == [None, "gru", "lstm"]
    assert book.ledger.values("attention") == [None, False]
    assert book.ledger.values("status") == ["done", "failed"]


ODD = {
    "depth": 2,
    "rate": 0.5,
    "on": True,
    "words": ["a", "b"],
    "é": {"x": None},
    "seed": 7,
    'a"b': 1,
    "deep.er": 2**70,
}


@pytest.mark.parametrize("kind", ["dream", {"name": "dream", "digest": "9f"}])
def test_a_learner_of_an_unknown_kind_is_kept_with_its_fields(path, tmp_path, kind):
    dream = foreign(3, kind, ODD)
    assert name_and_fields(dream.spec) == ("dream", ODD)
    with Writer(path) as writer:
        writer.add([dream, run(0)])
        assert writer.ledger.run(dream.key) == dream
        row = writer.ledger.rows({"learner": "dream"})[0]
        assert (row["fields"], row["seed"], row["label"].split(",")[0]) == (ODD, 3, "dream")
        for where in ({"depth": 2}, {"rate": [0.5, 1]}, {"on": True}, {"words": '["a","b"]'}, {"learner.depth": 2}):
            assert writer.ledger.select(where) == [dream.key]
        assert writer.ledger.select({"é": {"x": None}}) == [dream.key]
        assert {row["learner"]: row["fields"].get("updates") for row in writer.ledger.best()} == {
            "rnn": 100000, "dream": None}  # fmt: skip
        for name in ("a.csv", "a.parquet", "a.db"):
            (export if name == "a.db" else write_table)(writer.ledger, tmp_path / name)
        with Writer(tmp_path / "ours.db") as ours:
            assert merge(ours, tmp_path / "a.db").added == 2
            assert ours.ledger.run(dream.key) == dream


def test_a_run_needs_a_kind_of_learner():
    with pytest.raises(ValueError, match="kind"):
        foreign(kind=5)


def test_rows_are_latest_first_and_say_how_to_repeat_a_run(book):
    row, *others = book.ledger.rows(limit=5)
    assert (row["status"], row["failed_at"], row["reason"]) == ("failed", 123, "the loss is not finite")
    assert (others[0]["dataset"], others[0]["split"], others[0]["seed"]) == ("scan:ab12", "length", 2)
    assert (others[0]["learner"], others[0]["label"]) == ("rnn", "GRU 2x200, dropout 0.5")
    assert others[0]["fields"] == spec(cell="gru")["network"] | spec()["protocol"]
    assert key(others[0]["spec"]) == others[0]["key"]
    assert others[0]["origin"]["jax"] == "0.8"
    assert len(others) == 4


def test_accuracies_are_grouped_by_setting(book):
    rows = book.ledger.accuracies()
    assert len(rows) == 4
    jump = next(row for row in rows if (row["split"], row["fields"]["cell"]) == ("jump", "lstm"))
    assert (sorted(jump["accuracies"]), jump["failed"]) == ([0, 10, 20], 1)
    (only,) = book.ledger.accuracies({"split": "jump", "cell": "gru", "seed": 2})
    assert (only["seeds"], only["accuracies"]) == ([2], [20])


def test_learning_curves(book):
    assert book.ledger.curves({"seed": 9}) == {failed(9).key: {}}
    assert book.ledger.curves({"key": run(0).key}) == {run(0).key: {"update": [10000, 20000], "loss": [2.5, 0.5]}}


def test_a_deleted_run_leaves_nothing_behind(book):
    assert book.delete([run(0).key, run(1).key, "0" * 64]) == 2
    assert book.ledger.count() == 11
    assert book.ledger.artefact(run(0).key, "greedy") is None
    assert book.db.execute("select count(*) from artefacts").fetchone() == (10,)
    assert book.add([run(0)]) == [run(0).key]


def test_a_deleted_run_can_be_trained_again_in_its_group(path):
    group = Group(members=[spec(0), spec(1)])
    with Writer(path) as writer:
        writer.record([group])
        writer.add([run(0, group=group.key), run(1, group=group.key)])
        writer.delete([run(0).key])
        assert [g.keys for g in writer.ledger.groups()] == [group.keys]
        writer.delete([run(1).key])
        assert writer.ledger.groups() == []


def test_a_table_has_a_typed_column_for_each_field_of_a_learner(book, tmp_path):
    polars = pytest.importorskip("polars")
    assert write_table(book.ledger, tmp_path / "a.csv", {"split": "jump"}) == 7
    assert write_table(book.ledger, tmp_path / "a.parquet", {"split": "jump"}) == 7
    with (tmp_path / "a.csv").open() as file:
        table = list(csv.DictReader(file))
    frame = polars.read_parquet(tmp_path / "a.parquet")
    assert [row["key"] for row in table] == frame["key"].to_list() == book.ledger.select({"split": "jump"})
    assert key(json.loads(table[1]["spec"])) == table[1]["key"]
    assert frame["accuracy"].sum() == 60
    kinds = {"seed": int, "hidden": int, "dropout": float, "attention": bool, "cell": str, "failed_at": int}
    assert {name: frame.schema[name].to_python() for name in kinds} == kinds
    assert table[1]["hidden"] == "200"
    with pytest.raises(InputError, match=r"\.csv, \.jsonl or \.parquet"):
        write_table(book.ledger, tmp_path / "a.xls")
    with pytest.raises(InputError, match="No such file"):
        write_table(book.ledger, tmp_path / "absent" / "a.csv")
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


# -- merging


def contents(ledger):
    return {name: ledger.run(name) for name in ledger.select()}


def test_a_merge_adds_lacking_runs_and_names_those_that_differ(tmp_path):
    group = Group(members=[spec(1), spec(2)], plan={"width": 200})
    with Writer(tmp_path / "theirs.db") as theirs:
        theirs.record([group])
        theirs.add([run(0), run(1, group=group.key), run(2, group=group.key), run(3), run(4, accuracy=1.0)])
    with Writer(tmp_path / "ours.db") as ours:
        ours.add([run(0), run(3, answers=[("WALK",)] * 4), failed(4), run(5)])
        done = merge(ours, tmp_path / "theirs.db")
        assert (done.added, done.same, sorted(done.differ)) == (2, 1, sorted([run(3).key, run(4).key]))
        assert ours.ledger.run(run(1).key) == run(1, group=group.key)
        assert ours.ledger.run(run(3).key) == run(3, answers=[("WALK",)] * 4)
        assert ours.ledger.run(run(4).key) == failed(4)
        assert [g.keys for g in ours.ledger.groups("done")] == [group.keys]
        ours.ledger.check()


def test_a_merged_run_keeps_its_label_though_its_learner_cannot_be_loaded_here(tmp_path):
    with Writer(tmp_path / "theirs.db") as theirs:
        theirs.add([foreign(kind={"name": "dream.py:Dream", "digest": "9f"})])
        theirs.db.execute("update settings set label = 'a dream'")
    with Writer(tmp_path / "ours.db") as ours:
        merge(ours, tmp_path / "theirs.db")
        assert [row["label"] for row in ours.ledger.rows()] == ["a dream"]


def test_an_incomplete_group_is_dropped_by_a_merge(tmp_path):
    group = Group(members=[spec(1), spec(2)])
    with Writer(tmp_path / "theirs.db") as theirs:
        theirs.record([group])
        theirs.add([run(1, group=group.key)])
    with Writer(tmp_path / "ours.db") as ours:
        merge(ours, tmp_path / "theirs.db")
        assert pending(ours.ledger) == 0
        ours.record([group])  # but one can
        assert pending(ours.ledger) == 1


def test_a_group_that_a_filtered_export_cut_is_dropped_by_a_merge(tmp_path):
    group = Group(members=[spec(1), spec(2)])
    with Writer(tmp_path / "all.db") as writer:
        writer.record([group])
        writer.add([run(1, group=group.key), run(2, group=group.key)])
        export(writer.ledger, tmp_path / "some.db", {"seed": 1})
    with Writer(tmp_path / "ours.db") as ours:
        merge(ours, tmp_path / "some.db")
        assert [group.status for group in ours.ledger.groups()] == ["dropped"]
        assert merge(ours, tmp_path / "all.db").added == 1
        assert ours.ledger.run(run(2).key) == run(2, group=group.key)


def test_a_merge_completes_a_recorded_group(tmp_path):
    group = Group(members=[spec(1), spec(2)])
    for name, seed in (("a", 1), ("b", 2)):
        with Writer(tmp_path / name) as writer:
            writer.record([group])
            writer.add([run(seed, group=group.key)])
    with Writer(tmp_path / "a") as ours:
        assert merge(ours, tmp_path / "b").added == 1
        assert [group.status for group in ours.ledger.groups()] == ["done"]


def test_a_merge_from_a_damaged_ledger_changes_nothing(tmp_path):
    other = tmp_path / "theirs.db"
    with Writer(other) as theirs:
        theirs.add([run(seed, answers=[("WALK",) * seed] * 4) for seed in range(60)])
    whole = other.read_bytes()
    other.write_bytes(whole[: len(whole) // 2] + bytes(8192) + whole[len(whole) // 2 + 8192 :])
    with Writer(tmp_path / "ours.db") as ours:
        ours.add([run(100)])
        with pytest.raises(InputError, match="damaged"):
            merge(ours, other)
        assert ours.ledger.select() == [run(100).key]
        ours.ledger.check()
        other.write_bytes(whole)
        assert merge(ours, other).added == 60


@settings(max_examples=15)
@given(st.sets(st.integers(0, 30), max_size=8), st.sets(st.integers(0, 30), max_size=8))
def test_merging_is_idempotent_and_of_disjoint_ledgers_commutative(one, other):
    other -= one
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = []
        for seeds, theirs in ((one, other), (other, one)):
            for part, members in (("theirs", theirs), ("ours", seeds)):
                (folder / part).unlink(missing_ok=True)
                with Writer(folder / part) as writer:
                    writer.add([run(seed) for seed in members])
            with Writer(folder / "ours") as writer:
                merge(writer, folder / "theirs")
                once = contents(writer.ledger)
                again = merge(writer, folder / "theirs")
                assert (again.added, again.same, again.differ) == (0, len(theirs), [])
                assert contents(writer.ledger) == once
            found.append(once)
        assert found[0] == found[1] == {run(seed).key: run(seed) for seed in one | other}


# -- exports


def test_an_export_is_a_single_file(book, tmp_path):
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "results.db"
    export(book.ledger, target)
    export(book.ledger, target)
    assert target.read_bytes()[18:20] == b"\1\1"
    with Ledger(target) as copy:
        assert contents(copy) == contents(book.ledger)
        copy.check()
    assert list(target.parent.iterdir()) == [target]


def test_an_export_can_choose_runs_and_artefacts(book, tmp_path):
    export(book.ledger, tmp_path / "some.db", {"split": "length"}, artefacts=["oracle"])
    with Ledger(tmp_path / "some.db") as copy:
        assert copy.count() == 6
        assert not copy.run(copy.select()[0]).artefacts
        copy.check()
        with Writer(tmp_path / "new.db") as writer:
            assert merge(writer, tmp_path / "some.db").added == 6


def test_an_export_replaces_only_an_earlier_export(book, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, this is not a ledger.")
    for target in (letter, book.path, tmp_path, tmp_path / "absent" / "a.db"):
        with pytest.raises(InputError):
            export(book.ledger, target)
    assert letter.read_text().startswith("Dear")
    assert book.ledger.count() == 13


def test_an_export_does_not_replace_a_working_ledger(book, tmp_path):
    """What a writer left beside it would be read into the export."""
    target = tmp_path / "other.db"
    writer = child(WRITES, target)
    writer.stdout.readline()
    for _ in range(2):
        with pytest.raises(InputError, match="is a working ledger, not an export"):
            export(book.ledger, target)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    with Ledger(target) as left:
        left.check()


@pytest.mark.parametrize("name", ["out.db", "out.csv"])
def test_an_export_removes_what_a_killed_one_left(book, tmp_path, name):
    drafts = [
        tmp_path / f".{draft}" for draft in (f"{name}.0123abcd", f"{name}.4567cdef", f"{name}.other", "b.0123abcd")
    ]
    for draft in drafts:
        draft.touch()
        if draft != drafts[1]:  # which may be another process's that is still written
            os.utime(draft, (0, 0))
    (export if name == "out.db" else write_table)(book.ledger, tmp_path / name)
    assert [draft for draft in drafts if draft.exists()] == drafts[1:]


def test_any_number_of_keys_can_be_filtered_by(book):
    book.db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 10)
    keys = [*book.ledger.select(), *(run(seed).key for seed in range(1000, 1100))]
    assert {row["key"] for row in book.ledger.rows({"key": keys})} == set(book.ledger.select())
    assert book.ledger.rows({"key": []}) == []


READ = "with Ledger(sys.argv[1]) as ledger: print(len(ledger.rows()), ledger.run(ledger.select()[0]).status)"


def test_exports_and_closed_ledgers_open_in_a_read_only_folder(book):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        export(book.ledger, folder / "export.db")
        with Writer(folder / "working.db") as writer:
            writer.add([run(0)])
        code = "import os; os.getuid() or os.setuid(65534)\n"  # root could write anywhere
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        try:
            for file, said in (("export.db", "13 failed"), ("working.db", "1 done")):
                out, err = child(code + READ, folder / file).communicate()
                assert out.strip() == said, err
            code += "try: Writer(sys.argv[1])\nexcept InputError as error: print(error)"
            out, err = child(code, folder / "export.db").communicate()
            assert "cannot be opened" in out, err
        finally:
            folder.chmod(0o755)


# -- many processes, and what goes wrong


def test_a_second_reader_in_the_process_of_the_writer_keeps_its_locks(path):
    """POSIX drops a process's locks on a file when it closes any descriptor of it."""
    with Writer(path) as writer:
        writer.add([run(0)])
        Ledger(path).close()
        assert is_written(path)
        other = f"import sqlite3; db = sqlite3.connect({str(path)!r}); db.execute('select * from runs'); db.close()"
        subprocess.run([sys.executable, "-c", other], check=True)  # it would be the last to leave, and clear up
        assert Path(f"{path}-wal").exists()
        writer.add([run(1)])
        with Ledger(path) as seen:
            assert seen.count() == 2


def test_readers_see_commits_while_a_writer_is_open(path):
    reads = "ledger = Ledger(sys.argv[1])\nfor line in sys.stdin: print(ledger.count(), flush=True)"
    with Writer(path) as writer:
        writer.add([run(0)])
        reader = child(reads, path, stdin=subprocess.PIPE)

        def count():
            reader.stdin.write("\n")
            reader.stdin.flush()
            return int(reader.stdout.readline())

        assert count() == 1
        with writer.transaction() as db:
            db.execute("delete from runs")
            assert count() == 1
            db.execute("insert into meta values ('a', 'b')")
        assert count() == 0
        writer.add([run(seed) for seed in range(50)])
        assert count() == 50
        reader.communicate()


def test_a_second_writer_is_refused_and_told_who_writes(path):
    tries = "try: Writer(sys.argv[1])\nexcept InputError as error: print(error)"
    link = path.with_name("link.db")
    link.symlink_to(path)
    with Writer(path):
        started = time.monotonic()
        for way in (path, link):
            with pytest.raises(InputError, match=f"another process .process {os.getpid()} "):
                Writer(way)
        assert time.monotonic() - started < 5
        out, err = child(tries, path).communicate()
        assert f"process {os.getpid()} " in out, err
        with Ledger(path) as ledger:
            assert ledger.status()["writing"]
    with Ledger(path) as ledger:
        assert not ledger.status()["writing"]
    Writer(path).close()


WRITES = """
random.seed(0)
with Writer(sys.argv[1]) as writer:
    start = writer.ledger.count()
    print("open", flush=True)
    for seed in range(start, start + 100000):
        group = Group(members=[spec(seed)])
        writer.record([group])
        writer.begin(group.key, {})
        artefacts = {kind: random.randbytes(9000) for kind in "ab"}
        writer.add([Run(spec=spec(seed), group=group.key, artefacts=artefacts)])
"""


@pytest.mark.slow
def test_kill_9_leaves_complete_runs_only(path):
    chance = random.Random(1)
    before = 0
    for _ in range(6):
        writer = child(WRITES, path)
        if chance.random() < 0.8:
            writer.stdout.readline()
        time.sleep(chance.uniform(0, 0.3))
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        if not path.exists():
            continue
        if before:
            with Ledger(path) as reader:  # which may not repair anything, and need not
                assert reader.count() >= before
                assert not reader.status()["writing"]
        with Writer(path) as left:
            left.ledger.check()
            count = left.ledger.count()
            assert count >= before
            before = count
            for name in left.ledger.select():
                assert sorted(left.ledger.run(name).artefacts) == ["a", "b"]
            groups = Counter(group.status for group in left.ledger.groups())
            assert groups["done"] == count
            assert pending(left.ledger) == groups.total() - count <= 1
    assert before > 10


FILLS = """
writer = Writer(sys.argv[1])
writer.add([run(0)])
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    for seed in range(1, 1000):
        writer.add([Run(spec=spec(seed), artefacts={"greedy": random.randbytes(50_000)})])
except InputError as error:
    print(error)
    print(seed, writer.ledger.count())
writer.close()
"""


def test_a_full_disk_is_reported_and_loses_nothing(path):
    out, err = child(FILLS, path).communicate()
    said, counts = out.strip().splitlines()
    assert "full" in said, err
    tried, stored = map(int, counts.split())
    assert stored == tried > 1
    with Writer(path) as writer:
        writer.ledger.check()
        assert writer.ledger.count() == stored
        writer.add([run(5000)])


def test_an_export_to_a_full_disk_keeps_the_earlier_one(book, tmp_path):
    export(book.ledger, tmp_path / "out.db")
    code = """
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try: export(Ledger(sys.argv[1]), sys.argv[2])
except InputError as error: print(error)
"""
    book.delete([run(0).key])
    out, err = child(code, book.path, tmp_path / "out.db").communicate()
    assert "full" in out, err
    with Ledger(tmp_path / "out.db") as earlier:
        assert earlier.count() == 13
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_table_on_a_full_disk_is_reported(book, tmp_path, name):
    export(book.ledger, tmp_path / "plain.db")  # which is read without a file beside it
    code = """
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
try: write_table(Ledger(sys.argv[1]), sys.argv[2])
except InputError as error: print(error)
"""
    out, err = child(code, tmp_path / "plain.db", tmp_path / name).communicate()
    assert "cannot write" in out, err
    assert not list(tmp_path.glob(f"*{name}*"))


ENDS = """
with Writer(sys.argv[1]) as writer:
    half = int(sys.argv[2])
    runs = [Run(spec=spec(seed), artefacts={"a": random.randbytes(20_000)}) for seed in range(2 * half)]
    writer.add(runs[:half])
    print("added", flush=True)
    sys.stdin.readline()
    writer.add(runs[half:])
print("closed", flush=True)
"""


def test_a_reader_stays_right_while_its_process_opens_the_ledger_again(path):
    """A file that is opened and closed takes the locks of its process along."""
    first = child(ENDS, path, 50, stdin=subprocess.PIPE)
    first.stdout.readline()
    with Ledger(path) as ledger:
        assert ledger.count() == 50
        Ledger(path).close()
        first.communicate("\n")
        child(ENDS, path, 200, stdin=subprocess.PIPE).communicate("\n")
        assert ledger.count() == 400
        ledger.check()


def test_a_merge_is_complete_though_the_other_writer_closes_meanwhile(path, tmp_path, monkeypatch):
    theirs = child(ENDS, tmp_path / "theirs.db", 300, stdin=subprocess.PIPE)
    theirs.stdout.readline()
    add = Writer.add

    def pause(writer, runs):
        theirs.stdin.write("\n")
        theirs.stdin.flush()
        assert theirs.stdout.readline() == "closed\n"
        return add(writer, runs)

    monkeypatch.setattr(Writer, "add", pause)
    with Writer(path) as ours:
        assert merge(ours, tmp_path / "theirs.db").added == 300
        ours.ledger.check()
    theirs.communicate()


def pending(ledger):
    return sum(row["lacking"] for row in ledger.under_way())


def damaged(path, how):
    if how == "directory":
        path.mkdir()
    elif how == "text":
        path.write_text("once upon a time\n" * 100)
    elif how == "other":
        with sqlite3.connect(path) as db:
            db.execute("create table recipes (name)")
        db.close()
    else:
        with Writer(path) as writer:
            writer.add([run(seed) for seed in range(50)])
        if how == "newer":
            with sqlite3.connect(path) as db:
                db.execute("pragma user_version = 999")
            db.close()
        elif how == "truncated":
            os.truncate(path, path.stat().st_size // 2)
        elif how == "header":
            with path.open("rb+") as file:
                file.seek(16)
                file.write(bytes(80))
        elif how == "scrambled":
            with path.open("rb+") as file:
                file.seek(4096)
                file.write(random.Random(0).randbytes(path.stat().st_size - 4096))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("directory", "is a directory"),
        ("text", "not an SQLite file"),
        ("other", "some other SQLite file"),
        ("newer", "upgrade daxlab"),
        ("truncated", "damaged"),
        ("header", "damaged"),
        ("scrambled", "damaged"),
    ],
)
def test_a_damaged_file_gets_one_sentence_and_is_not_changed(path, how, said):
    damaged(path, how)
    before = None if path.is_dir() else path.read_bytes()
    for way in (Ledger, Writer):
        with pytest.raises(InputError, match=said) as error, way(path) as opened:
            getattr(opened, "ledger", opened).rows()
        assert "\n" not in str(error.value)
    if before is not None:
        assert path.read_bytes()[100:] == before[100:]


def test_a_damaged_artefact_is_named(path):
    with Writer(path) as writer:
        writer.add([run(0)])
        writer.db.execute("update artefacts set payload = x'00'")
        for question in (writer.ledger.check, lambda: writer.ledger.run(run(0).key)):
            with pytest.raises(InputError, match=f"the greedy of run {run(0).key[:12]}"):
                question()


def test_a_missing_or_empty_file_is_not_a_ledger(tmp_path):
    with pytest.raises(InputError, match="no ledger at"):
        Ledger(tmp_path / "absent.db")
    with pytest.raises(InputError, match="no folder"):
        Writer(tmp_path / "absent" / "runs.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(InputError, match="is empty"):
        Ledger(tmp_path / "empty.db")
    Writer(tmp_path / "empty.db").close()
    Ledger(tmp_path / "empty.db").close()


MOUNTS = r"""
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/me/scratch xfs rw 0 0
//nas/my\040share /mnt/my\040share cifs rw 0 0
me@host:/ /mnt/far fuse.sshfs rw 0 0
/dev/sdc1 /mnt/near fuseblk rw 0 0
old:/x /data nfs rw 0 0
/dev/sdd1 /data btrfs rw 0 0
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/var/runs.db", None),
        ("/home/me/runs.db", "nfs4"),
        ("/home/me/scratch/runs.db", None),
        ("/homes/runs.db", None),
        ("/mnt/my share/runs.db", "cifs"),
        ("/mnt/far/runs.db", "fuse.sshfs"),
        ("/mnt/near/runs.db", None),
        ("/data/runs.db", None),
    ],
)
def test_a_network_disk_is_recognised_by_its_mount(place, kind):
    assert network_disk(Path(place), MOUNTS) == kind


def test_on_a_network_disk_only_exports_are_opened(book, tmp_path, monkeypatch):
    export(book.ledger, tmp_path / "export.db")
    monkeypatch.setattr("daxlab.ledger.files.network_disk", lambda path, mounts: "nfs4")
    with pytest.raises(InputError, match=r"network disk .nfs4.*keep the working ledger"):
        Writer(tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
    with pytest.raises(InputError, match="export it"):
        Ledger(book.path)
    with Ledger(tmp_path / "export.db") as ledger:
        assert ledger.count() == 13


# -- older formats


@pytest.mark.parametrize("name", ["search.db", "translation-cpu.db"])  # many settings; every kind of artefact
def test_a_ledger_of_an_older_format_is_read_as_it_is_and_upgraded_by_a_writer(tmp_path, name):
    shutil.copy(RESULTS / "again" / name, tmp_path / "new.db")
    Writer(tmp_path / "new.db").close()
    filters = [{"hidden": 100}, {"attention": True}, {"protocol.clip": 5}, {"cell": ["gru", "srn"], "split": "jump"}]
    filters += [{"label": "LSTM 1x100, attention, dropout 0.1"}, {"dataset": "scan"}, {"split.name": "jump"}]
    with Ledger(RESULTS / "again" / name) as old, Ledger(tmp_path / "new.db") as new:
        assert [ledger.query("pragma user_version") for ledger in (old, new)] == [[(2,)], [(3,)]]
        assert old.rows() == new.rows()
        assert contents(old) == contents(new)  # specs, metrics, curves and artefacts
        for where in filters:
            assert old.select(where) == new.select(where)
            assert old.select(where) or name != "search.db"
        for ask in (
            Ledger.accuracies,
            Ledger.columns,
            Ledger.groups,
            Ledger.best,
            lambda ledger: ledger.values("hidden"),
        ):
            assert ask(old) == ask(new)
        new.check()


@pytest.mark.parametrize(
    "path", [RESULTS / "lengths.db", *sorted((RESULTS / "again").glob("*.db"))], ids=lambda p: p.stem
)
def test_ledgers_of_older_formats_can_be_merged_exported_and_written(tmp_path, path):
    with Ledger(path) as old:
        export(old, tmp_path / "export.db", {"seed": [0, 1]}, artefacts=["greedy"])
        export(old, tmp_path / "all.db")
        with Writer(tmp_path / "merged.db") as merged, Ledger(tmp_path / "all.db") as copy:
            assert merge(merged, path).added == old.count()
            assert merge(merged, tmp_path / "export.db").differ == []
            assert contents(merged.ledger) == contents(copy) == contents(old)
            assert merged.ledger.accuracies({"seed": 0}) == old.accuracies({"seed": 0})
            assert copy.query("pragma user_version") == [(3,)]
            merged.ledger.check()
            copy.check()


def test_an_unreadable_setting_does_not_stop_an_upgrade(tmp_path):
    shutil.copy(RESULTS / "again" / "gru-cpu.db", tmp_path / "old.db")
    with sqlite3.connect(tmp_path / "old.db") as db:
        db.execute("update settings set spec = '{' where id = 1")
    db.close()
    with Writer(tmp_path / "old.db") as writer:
        bad = [writer.ledger.find(key.hex()) for (key,) in writer.db.execute("select key from runs where setting = 1")]
        with pytest.raises(InputError, match=r"the spec of run .*; delete that run .'daxlab runs delete"):
            writer.ledger.rows()
        writer.delete(bad)  # as the error says
        assert len(writer.ledger.rows()) == 13 - len(bad) > 0
