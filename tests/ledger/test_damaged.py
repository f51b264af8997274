"""Damaged ledgers: whatever is wrong with a file, each call works or raises an InputError of one sentence."""

import contextlib
import random
import shutil
import sqlite3
import traceback
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from test_store import TARGETS, failed, run, spec

from daxlab.errors import InputError
from daxlab.ledger import (
    Group,
    Ledger,
    Run,
    Writer,
    export,
    is_written,
    merge,
    pack_answers,
    pack_arrays,
    pack_likelihoods,
    unpack_answers,
    unpack_arrays,
    unpack_likelihoods,
    write_table,
)
from fuzzing import parts

OLD = Path(__file__).parents[2] / "results" / "again" / "gru-cpu.db"  # of format 2
TABLES = ("meta", "settings", "origins", "groups", "members", "runs", "details", "artefacts")
FOREIGN = (
    *(None, -1, 7, 2**62, 1.5, float("inf"), "", "x", b"", b"\x00\xff", bytes(32), "\ud7ff", "[]", "{}", "null", "5"),
    *("[[]]", '{"a":', '{"a": "b"}', '{"a": [1, "b"]}', '{"a": [null]}', "[" * 5000, '"text"', "nan", "1e999", "Inf"),
    *('{"split": {"name": 5}}', '{"language": 5, "split": 5, "network": 5}', '{"learner": 5}', '{"learner": {}}'),
)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Two ledgers to damage: one of this format with all there is in it, and one of an older format."""
    new = tmp_path_factory.mktemp("good") / "new.db"
    groups = [Group(members=[spec(seed), spec(seed + 1)], plan={"device": "cpu"}) for seed in (0, 20)]
    arrays = {
        "likelihoods": pack_likelihoods([-1.0] * 4, [-2.0] * 4),
        "neighbours": pack_arrays({"places": memoryview(b"abcd")}),
    }
    with Writer(new) as writer:
        writer.record(groups)
        writer.add([run(seed, group=groups[0].key) for seed in (0, 1)])
        writer.add([run(seed, split="length", answers=[("WALK",)] * 4) for seed in (2, 3)])
        writer.add([failed(9), Run(spec=spec(4), metrics={"accuracy": 1, "bleu": 2.5}, artefacts=arrays)])
        writer.begin(groups[1].key, {"device": "cpu"})
        writer.progress({groups[1].key: 5000}, {"began": {"since": 1.5}})
    return new, OLD


def loosen(db, table):
    """The same rows without types and constraints, so that anything may be written."""
    db.execute(f"create table loose as select * from {table}")
    db.execute("pragma legacy_alter_table = on")
    db.execute(f"drop table {table}")
    db.execute(f"alter table loose rename to {table}")


def damage(path, chance):
    """One random damage; returns what it is."""
    how = chance.choice(("bits", "bits", "bytes", "zeros", "cut", "drop", "value", "value", "value", "value", "header"))
    if how in ("bits", "bytes", "zeros", "cut"):
        content = bytearray(path.read_bytes())
        if how == "cut":
            content = content[: chance.randrange(len(content))]
        elif how == "zeros":
            start = chance.randrange(len(content))
            content[start : start + 2000] = bytes(len(content[start : start + 2000]))
        for _ in range(chance.choice((1, 5, 50)) if how in ("bits", "bytes") else 0):
            # Half of them in the first page, which has the header and the schema.
            place = chance.randrange(chance.choice((4096, len(content))))
            content[place] = content[place] ^ 1 << chance.randrange(8) if how == "bits" else chance.randrange(256)
        path.write_bytes(content)
        return how
    db = sqlite3.connect(path, isolation_level=None)
    try:
        table = chance.choice(TABLES)
        names = [name for _, name, *_ in db.execute(f"pragma table_info({table})")]
        name = chance.choice(names)
        if how == "drop":
            view = "drop view rows"
            what = chance.choice((f"drop table {table}", f"delete from {table}", view, f"rename {table}.{name}"))
            db.execute("drop view if exists rows" if what == view else "pragma legacy_alter_table = on")
            db.execute(f"alter table {table} rename column {name} to strange" if what.startswith("rename") else what)
            return what
        if how == "header":
            what = (
                f"{chance.choice(('user_version', 'application_id'))} = {chance.choice((-5, 0, 1, 2, 3, 4, 2**31 - 1))}"
            )
            db.execute(f"pragma {what}")
            return what
        value = chance.choice(FOREIGN)
        if chance.random() < 0.5:
            loosen(db, table)
        some = chance.choice(("", f" where rowid = (select max(rowid) from {table})"))
        try:
            db.execute(f"update or ignore {table} set {name} = ?{some}", (value,))
        except sqlite3.Error:
            db.execute("pragma ignore_check_constraints = on")
            db.execute(f"update or ignore {table} set {name} = ?", (value,))
        return f"{table}.{name} = {value!r:.40}{some}"
    except (sqlite3.Error, UnicodeError):  # an earlier damage was too much
        return "nothing"
    finally:
        db.close()


def unpack(ledger, key):
    for kind, content in ledger.run(key).artefacts.items():
        if kind in ("greedy", "oracle"):
            unpack_answers(content, TARGETS)
        elif kind == "likelihoods":
            unpack_likelihoods(content)
        else:
            unpack_arrays(content)


def reading(path, folder):
    """Calls of a reader, by name."""
    ledger = Ledger(path)
    yield "close", lambda: None
    keys: list[str] = []
    yield "select", lambda: keys.extend(ledger.select())
    for name in ("status", "count", "rows", "accuracies", "columns", "curves", "groups", "check"):
        yield name, getattr(ledger, name)
    for where in ({"hidden": 100}, {"split.digest": "x"}, {"label": "x", "status": "done"}, {"group": "00" * 32}):
        yield f"rows {where}", lambda where=where: ledger.rows(where)
    for column in ("hidden", "split", "seed", "semantics", "accuracy"):
        yield f"values {column}", lambda column=column: ledger.values(column)
    yield "find", lambda: ledger.find("ab")
    for key in keys[:8]:
        yield "run", lambda key=key: unpack(ledger, key)
        yield "artefact", lambda key=key: ledger.artefact(key, "greedy")
        yield "live group", lambda key=key: ledger.live_group(key)
    yield "lacking", lambda: ledger.lacking(["ab" * 32])
    yield "best", ledger.best
    yield "under way", ledger.under_way
    yield "note", lambda: ledger.note("began")
    for row in ledger.query("select hex(key) from groups limit 3"):
        yield "group", lambda row=row: ledger.group(row[0])
    yield "export", lambda: export(ledger, folder / "export.db")
    yield "export some", lambda: export(ledger, folder / "some.db", {"hidden": 200}, artefacts=["greedy"])
    yield "csv", lambda: write_table(ledger, folder / "rows.csv")
    yield "parquet", lambda: write_table(ledger, folder / "rows.parquet")
    ledger.close()


def merging(path, folder, good):
    with Writer(folder / "ours.db") as ours:
        merge(ours, good)
        merge(ours, path)


def writing(path, good):
    """Calls of a writer, by name."""
    writer = Writer(path)
    group = Group(members=[spec(100), spec(101)])
    yield "record", lambda: writer.record([group])
    yield "begin", lambda: writer.begin(group.key, {})
    yield "progress", lambda: writer.progress({group.key: 5}, {"began": 1})
    yield "add", lambda: writer.add([run(100, group=group.key), run(0), run(55)])
    yield "merge into it", lambda: merge(writer, good)
    yield "delete", lambda: writer.delete([run(0).key, run(100).key])
    yield "drop", lambda: writer.drop(group.key)
    yield "check", writer.ledger.check
    writer.close()


def problems(path, folder, good):
    """What goes wrong with a damaged ledger other than by an InputError of one line that names a file."""
    read, written = folder / "read.db", folder / "written.db"
    for copy in (read, written):
        shutil.copy(path, copy)

    def steps():
        yield "is it written", lambda: is_written(read)
        yield from reading(read, folder)
        yield "merge from it", lambda: merging(read, folder, good)

    for calls in (steps(), writing(written, good)):
        name = "open"
        try:
            for name, call in calls:
                try:
                    call()
                except ValueError as error:
                    if "not recorded" not in str(error):  # where an earlier call failed, this is right
                        raise
                except InputError as error:
                    if "\n" in str(error) or (".db" not in str(error) and "artefact" not in str(error)):
                        yield f"{name}: {error}"
        except InputError as error:
            if "\n" in str(error) or ".db" not in str(error):
                yield f"{name}: {error}"
        except Exception:
            yield f"{name}: {traceback.format_exc()}"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("drop table members", "no such table: .*members"),
        ("alter table runs rename column accuracy to precision", "no such column: accuracy"),
        ("delete from origins", "table runs refers to rows that are missing"),
        ("delete from details", "the metrics of run"),
        ("update details set curve = '{\"loss\": 5}'", "the curve of run"),
        ("update runs set accuracy = 'high'", "the accuracy of run"),
        ("update runs set accuracy = 9e999", "the accuracy of run"),
        ("update settings set dataset = null", "the dataset of run"),
        ("update origins set origin = '{\"device\": NaN}' where id = 1", "the origin of run"),
        ("update runs set key = x'00' where seed = 9", "the key of a run"),
        ("update settings set fields = '['", "the fields of run"),
        ("update settings set spec = '5'", "the spec of run"),
        ("update origins set origin = x'ff' where id = 1", "the origin of run"),
        ("update groups set plan = '[]'", "the plan of group"),
        ("delete from members", "group .* needs at least one member"),
        ("update artefacts set payload = 'text'", "the (greedy|likelihoods|neighbours) of run"),
        ("pragma user_version = -5", "no format -5"),
    ],
)
def test_a_damage_is_named(good, tmp_path, sql, said):
    path = tmp_path / "damaged.db"
    shutil.copy(good[0], path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(sql)
    with pytest.raises(InputError, match=rf"{path} is damaged.*{said}.*use a copy"), Ledger(path) as ledger:
        ledger.check()
    assert list(problems(path, tmp_path, good[0])) == []


@given(st.binary(max_size=80), st.integers(0, 400), st.sampled_from(["answers", "likelihoods", "arrays", "nothing"]))
def test_malformed_artefacts_raise_input_errors_only(noise, place, kind):
    content = {
        "answers": pack_answers([("WALK",)] * 4, TARGETS),
        "likelihoods": pack_likelihoods([-1.0] * 4, [-2.0] * 4),
        "arrays": pack_arrays({"places": memoryview(b"abcd")}),
        "nothing": b"",
    }[kind]
    content = content[:place] + noise + content[place + len(noise) :]
    for unpack in (
        lambda: unpack_answers(content, TARGETS),
        lambda: unpack_likelihoods(content),
        lambda: unpack_arrays(content),
    ):
        with contextlib.suppress(InputError):
            unpack()


@pytest.mark.parametrize("seeds", parts(500, of=500))
def test_damaged_ledgers_raise_input_errors_only(good, tmp_path, seeds):
    for seed in seeds:
        chance = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        path, source = folder / "damaged.db", chance.choice(good)
        shutil.copy(source, path)
        path.chmod(0o644)
        how = [damage(path, chance) for _ in range(chance.choice((1, 1, 1, 2)))]
        found = list(problems(path, folder, good[0]))
        assert not found, f"mutant {seed} of {source.name}: {how}\n" + "\n".join(found)
        shutil.rmtree(folder)
