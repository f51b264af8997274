"""`daxlab runs`: list, show, curve, answers, export, delete, merge."""

import csv
import json
import shutil
from pathlib import Path

import polars
import pytest

from daxlab.learners import RNN
from daxlab.ledger import Ledger, Run, Writer
from daxlab.sweep import Spec, weights_of

SHIPPED = "the results that come with daxlab"
FIRST = RNN("lstm", 1, 50)


def run(split: str, seed: int, learner: RNN, accuracy: float = 50.0, **more) -> Run:
    curve = {"update": [10_000, 20_000], "train_accuracy": [50, 100], "loss": [1.0, float("nan")]}
    return Run(spec=Spec(split, seed, learner).facts(), metrics={"accuracy": accuracy}, curve=curve, **more)


def made_up() -> list[Run]:
    """Three seeds on jump and one on length, of two networks; and one more, clipped otherwise."""
    learners = (FIRST, RNN("gru", 2, 100))
    places = [*(("jump", seed) for seed in range(3)), ("length", 0)]
    runs = [run(split, seed, learner) for learner in learners for split, seed in places]
    return [*runs, run("jump", 0, RNN("gru", 2, 100, clip=1.0), artefacts={"greedy": b"answers"})]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add(made_up())
    return tmp_path / "runs.db"


@pytest.fixture
def first() -> str:
    """The key of a run."""
    return run("jump", 0, FIRST).key


def listed(daxlab, ledger: Path, *where: str) -> list[dict]:
    filters = [word for one in where for word in ("-w", one)]
    return json.loads(daxlab("runs", "list", *filters, "--ledger", ledger, "--json").stdout)


def test_runs_by_itself_lists_the_runs(daxlab, ledger: Path) -> None:
    assert "9 of 9 runs" in daxlab("runs", "--ledger", ledger).stdout


def test_filters_take_columns_and_any_field_of_the_learner(daxlab, ledger: Path) -> None:
    rows = listed(daxlab, ledger, "split=jump", "cell=lstm", "hidden=50", "attention=false")
    assert sorted(row["seed"] for row in rows) == [0, 1, 2]
    assert {row["label"] for row in rows} == {str(FIRST)}
    assert {row["fields"]["hidden"] for row in rows} == {50}
    assert len(listed(daxlab, ledger, "clip=1")) == len(listed(daxlab, ledger, "protocol.clip=1")) == 1
    assert len(listed(daxlab, ledger, "dataset=scan")) == len(listed(daxlab, ledger, "learner=rnn")) == 9


def test_a_filter_takes_several_values_and_names_the_one_that_no_run_has(daxlab, ledger: Path) -> None:
    assert len(listed(daxlab, ledger, "hidden=50,100")) == 9
    assert {row["seed"] for row in listed(daxlab, ledger, "seed=0,2", "split=jump")} == {0, 2}
    told = daxlab("runs", "list", "-w", "hidden=50,60", "--ledger", ledger)
    assert "no run has hidden=60: there are 50, 100\n" in told.stderr and "4 of 4 runs" in told.stdout


def test_runs_are_sorted_and_what_has_no_value_comes_last(daxlab, ledger: Path) -> None:
    with Writer(ledger) as writer:
        writer.add([Run(spec=Spec("jump", 8, FIRST).facts(), status="failed", failed_at=3, reason="it is not finite")])
        writer.add([run("jump", 9, FIRST, accuracy=70.0), run("jump", 10, FIRST, accuracy=20.0)])
    ask = ("runs", "list", "-w", "split=jump", "-w", "hidden=50", "--ledger", ledger, "--sort", "accuracy")
    values = [row["accuracy"] for row in json.loads(daxlab(*ask, "--json").stdout)]
    assert values == [20.0, 50.0, 50.0, 50.0, 70.0, None]
    best = json.loads(daxlab(*ask, "--reverse", "--json", "--limit", "2").stdout)
    assert [row["accuracy"] for row in best] == [70.0, 50.0]
    assert "failed: it is not finite" in daxlab(*ask).stdout


def test_any_column_or_field_can_be_shown(daxlab, ledger: Path) -> None:
    ask = ("runs", "list", "-w", "split=length", "--ledger", ledger, "--columns", "cell,hidden,accuracy")
    heading, *rows = (line.split() for line in daxlab(*ask).stdout.split("\n\n")[0].splitlines())
    assert heading == ["cell", "hidden", "accuracy"]
    assert rows == [["gru", "100", "50.00"], ["lstm", "50", "50.00"]]


def test_replicates_are_a_line_with_their_mean_and_its_interval(daxlab, ledger: Path) -> None:
    from daxlab.analysis.intervals import of_accuracies

    ask = ("runs", "list", "--group", "--ledger", ledger)
    groups = {(row["split"], row["label"]): row for row in json.loads(daxlab(*ask, "--json").stdout)}
    jump = groups["jump", str(FIRST)]
    assert (len(groups), jump["runs"], jump["mean"]) == (5, 3, 50.0)
    assert tuple(jump["interval"]) == of_accuracies([50.0] * 3)
    assert groups["length", str(FIRST)]["interval"] is None
    assert "5 of 5 lines" in daxlab(*ask).stdout


def test_what_runs_have_is_shown_and_filtered_by(daxlab, trained: Path, ledger: Path, tmp_path: Path) -> None:
    assert [row["has"] for row in listed(daxlab, trained)] == [["model", "answers"]] * 2
    shutil.copy(trained, tmp_path / "bare.db")  # without the weights beside it
    assert [row["has"] for row in listed(daxlab, tmp_path / "bare.db")] == [["answers"]] * 2
    for where, flag, count in ((trained, "--with-model", 2), (tmp_path / "bare.db", "--with-model", 0)):
        assert len(json.loads(daxlab("runs", "list", flag, "--json", "--ledger", where).stdout)) == count
    (kept,) = json.loads(daxlab("runs", "list", "--with-answers", "--json", "--ledger", ledger).stdout)
    assert kept["fields"]["clip"] == 1.0


def test_a_narrow_terminal_gets_fewer_columns_and_whole_names(daxlab, ledger: Path, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    shown = daxlab("runs", "list", "--ledger", ledger).stdout
    assert max(map(len, shown.splitlines()[:10])) <= 60
    assert "Not shown in 60 columns: " in shown
    assert run("jump", 0, FIRST).key[:12] in shown
    monkeypatch.delenv("COLUMNS")
    assert "Not shown" not in daxlab("runs", "list", "--ledger", ledger).stdout


def test_a_run_is_shown_with_what_can_be_asked_of_it(daxlab, trained: Path) -> None:
    key = listed(daxlab, trained, "seed=1")[0]["key"]
    shown = daxlab("runs", "show", key[:9], "--ledger", trained).stdout
    assert f"daxlab predict {key[:8]} " in shown and f"daxlab runs answers {key[:8]} " in shown
    again = next(line for line in shown.splitlines() if line.startswith("  daxlab train rnn --split jump"))
    assert (
        "--seed 1 " in again
        and "--set hidden=8" in again
        and f"--data {listed(daxlab, trained)[0]['dataset']}" in again
    )


def test_the_command_that_trains_a_run_again_trains_that_run(
    daxlab, trained: Path, tmp_path: Path, trains_here
) -> None:
    (key,) = (row["key"] for row in listed(daxlab, trained, "seed=1"))
    shown = daxlab("runs", "show", key, "--ledger", trained).stdout
    again = next(line for line in shown.splitlines() if line.startswith("  daxlab train"))
    done = daxlab(*again.split()[1:], "--device", "cpu", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [row["key"] for row in listed(daxlab, tmp_path / "new.db")] == [key]


def test_the_environment_names_the_ledger_that_is_read_and_written(
    daxlab, ledger: Path, first: str, tmp_path: Path, monkeypatch
) -> None:
    shutil.copy(ledger, tmp_path / "other.db")
    monkeypatch.setenv("DAXLAB_LEDGER", str(ledger))
    assert "9 of 9 runs" in daxlab("runs", cwd=tmp_path).stdout
    assert "1 run deleted" in daxlab("runs", "delete", first, "--yes", cwd=tmp_path).stdout
    assert "8 of 8 runs" in daxlab("runs", cwd=tmp_path).stdout
    assert "1 added" in daxlab("runs", "merge", tmp_path / "other.db", cwd=tmp_path).stdout
    assert "9 done" in daxlab("sweep", "status", cwd=tmp_path).stdout
    assert not (tmp_path / "daxlab.db").exists()


def test_a_limit_gives_the_latest_runs(daxlab, ledger: Path) -> None:
    assert "3 of 9 runs" in daxlab("runs", "list", "--limit", "3", "--ledger", ledger).stdout
    assert len(json.loads(daxlab("runs", "list", "--json", "--limit", "2", "--ledger", ledger).stdout)) == 2


def test_the_dataset_is_shown_where_it_is_not_scan(daxlab, ledger: Path, trained: Path) -> None:
    assert "dataset" not in daxlab("runs", "list", "--ledger", ledger).stdout
    assert "dataset" in daxlab("runs", "list", "--ledger", trained).stdout


def test_where_no_run_matches_a_filter_the_values_that_runs_have_are_named(daxlab, ledger: Path) -> None:
    asked = ("dataset=scam", "hidden=30", "split=jumps", "cell=lstm")
    words = [word for one in asked for word in ("-w", one)]
    told = daxlab("runs", "list", *words, "--ledger", ledger).stderr
    assert "no run has dataset=scam: did you mean 'scan'?\n" in told
    assert "no run has hidden=30: there are 50, 100\n" in told
    assert "no run has split=jumps: did you mean 'jump'?" in told
    assert "cell=" not in told


def test_without_a_ledger_of_one_s_own_the_shipped_runs_are_shown_and_that_is_said(
    daxlab, ledger: Path, tmp_path: Path
) -> None:
    assert SHIPPED in daxlab("runs", "list", cwd=tmp_path).stderr
    ledger.rename(tmp_path / "daxlab.db")
    assert SHIPPED not in daxlab("runs", "list", cwd=tmp_path).stderr
    only_there = daxlab("runs", "show", "9485894f", "--json", cwd=tmp_path)  # the README's
    assert SHIPPED in only_there.stderr and json.loads(only_there.stdout)["spec"]["split"]["name"] == "jump"


def test_the_ledger_option_belongs_after_the_command(daxlab, ledger: Path) -> None:
    early = daxlab("runs", "--ledger", ledger, "show", "36b51a")
    assert (early.returncode, "put --ledger after show" in early.stderr) == (2, True)


def test_show_and_curve_take_any_unique_beginning_of_a_key(daxlab, ledger: Path, first: str) -> None:
    shown = json.loads(daxlab("runs", "show", first[:10], "--json", "--ledger", ledger).stdout)
    assert (shown["key"], shown["spec"]["split"]["name"]) == (first, "jump")
    curve = json.loads(daxlab("runs", "curve", first[:10], "--json", "--ledger", ledger).stdout)[first]
    assert (curve["update"], curve["loss"]) == ([10_000, 20_000], [1.0, None])
    drawn = daxlab("runs", "curve", first[:10], "--ledger", ledger).stdout
    assert "train_accuracy  ▅█  50.00 … 100.00" in drawn  # on a scale of 0 to 100


def test_export_writes_tables_and_ledgers(daxlab, ledger: Path, tmp_path: Path) -> None:
    for name in ("jump.csv", "jump.jsonl", "jump.parquet", "jump.db"):
        done = daxlab("runs", "export", tmp_path / name, "-w", "split=jump", "--ledger", ledger)
        assert done.returncode == 0, done.stderr
    table = list(csv.DictReader((tmp_path / "jump.csv").open()))
    assert len(table) == 7
    assert polars.read_parquet(tmp_path / "jump.parquet").height == 7
    assert len((tmp_path / "jump.jsonl").read_text().splitlines()) == 7
    assert "7 of 7 runs" in daxlab("runs", "list", "--ledger", tmp_path / "jump.db").stdout


def test_answers_are_written_for_other_programs_and_score_gives_the_ledger_s_accuracy(
    daxlab, trained: Path, tiny: Path, tmp_path: Path
) -> None:
    accuracies = {row["key"]: row["accuracy"] for row in listed(daxlab, trained)}
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        done = daxlab("runs", "answers", *accuracies, "--to", tmp_path / name, "--ledger", trained)
        assert done.returncode == 0, done.stderr
    first = polars.read_ndjson(tmp_path / "a.jsonl")
    texts = first.with_columns(polars.col("right", "ended").cast(str)).to_dicts()
    assert first.columns == ["run", "split", "command", "target", "answer", "right", "ended"]
    assert first.equals(polars.read_parquet(tmp_path / "a.parquet"))
    assert list(csv.DictReader((tmp_path / "a.csv").open())) == texts
    assert first["right"].to_list() == (first["target"] == first["answer"]).to_list()
    assert list(dict.fromkeys(first["run"])) == list(accuracies)
    for key, accuracy in accuracies.items():
        daxlab("runs", "answers", key, "--to", tmp_path / "b.jsonl", "--ledger", trained)
        score = daxlab("score", tmp_path / "b.jsonl", "--split", "jump", "--data", tiny, "--json")
        assert json.loads(score.stdout)["accuracy"] == accuracy
    both = daxlab("score", tmp_path / "a.jsonl", "--split", "jump", "--data", tiny)
    assert (both.returncode, "answered more often than asked" in both.stderr) == (2, True)


def test_answers_that_are_not_kept_are_said_to_be_elsewhere(daxlab, ledger: Path, first: str, tmp_path: Path) -> None:
    done = daxlab("runs", "answers", first, "--to", tmp_path / "a.jsonl", "--ledger", ledger)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"has no answers of run {first[:12]}: take them from where it was trained" in done.stderr
    assert not (tmp_path / "a.jsonl").exists()


def test_an_export_of_figures_only_leaves_out_answers_and_weights(daxlab, trained: Path, tmp_path: Path) -> None:
    daxlab("runs", "export", tmp_path / "light.db", "--figures-only", "--ledger", trained)
    with Ledger(trained) as whole, Ledger(tmp_path / "light.db") as light:
        (name, *_) = whole.select()
        assert [one.artefact(name, "greedy") is not None for one in (whole, light)] == [True, False]
        assert light.run(name).metrics == whole.run(name).metrics
        assert light.run(name).curve == whole.run(name).curve
    assert not (tmp_path / "light.db.weights").exists()


def test_delete_asks_first_and_merge_brings_back(daxlab, ledger: Path, first: str, tmp_path: Path) -> None:
    shutil.copy(ledger, tmp_path / "other.db")
    assert daxlab("runs", "delete", first, "--ledger", ledger).returncode == 1
    assert "1 run deleted" in daxlab("runs", "delete", first, "--yes", "--ledger", ledger).stdout
    merged = daxlab("runs", "merge", tmp_path / "other.db", "--ledger", ledger)
    assert (merged.returncode, merged.stdout.count("1 added, 8 the same, 0 differ")) == (0, 1)


def test_weights_are_merged_exported_and_deleted_with_their_runs(daxlab, trained: Path, tmp_path: Path) -> None:
    mine, ship = tmp_path / "mine.db", tmp_path / "ship.db"
    daxlab("runs", "merge", trained, "--ledger", mine)
    (key,) = (row["key"] for row in listed(daxlab, mine, "seed=0"))
    assert "WALK" in daxlab("predict", key, "walk", "--ledger", mine).stdout
    daxlab("runs", "export", ship, "-w", "seed=0", "--ledger", mine)
    assert list(weights_of(ship, "").parent.iterdir()) == [weights_of(ship, key)]
    daxlab("runs", "delete", key, "--yes", "--ledger", mine)
    assert not weights_of(mine, key).exists()


def test_a_merge_keeps_ours_and_exits_1_where_answers_differ(daxlab, tmp_path: Path) -> None:
    ours, theirs = (run("jump", 0, FIRST, artefacts={"greedy": answers}) for answers in (b"one", b"two"))
    for name, one in (("ours.db", ours), ("theirs.db", theirs)):
        with Writer(tmp_path / name) as writer:
            writer.add([one])
    merged = daxlab("runs", "merge", tmp_path / "theirs.db", "--ledger", tmp_path / "ours.db")
    assert (merged.returncode, "ours stay" in merged.stdout) == (1, True)
    with Ledger(tmp_path / "ours.db") as ledger:
        assert ledger.artefact(ours.key, "greedy") == b"one"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"device": "cpu"}, {"device": "NVIDIA H200"}),
        ({"device": "cpu", "processor": "one kind"}, {"device": "cpu", "processor": "another kind"}),
        ({"device": "cpu", "processor": "one kind"}, {"device": "cpu"}),  # of which earlier versions told nothing
    ],
)
def test_runs_that_differ_because_they_were_trained_on_another_device_are_no_error(
    daxlab, tmp_path: Path, ours: dict, theirs: dict
) -> None:
    for name, origin in (("ours.db", ours), ("theirs.db", theirs)):
        with Writer(tmp_path / name) as writer:
            writer.add([run("jump", 0, FIRST, artefacts={"greedy": name.encode()}, origin=origin)])
    merged = daxlab("runs", "merge", tmp_path / "theirs.db", "--ledger", tmp_path / "ours.db")
    assert (merged.returncode, "because another device trained" in merged.stdout) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["show", "zzz"], "not a run's key"),
        (["list", "-w", "key=xyz"], "give all of its 64 hexadecimal digits"),
        (["list", "-w", "seed=[1,[2]]"], "takes a name or a number"),
        (["list", "-w", "seed=99999999999999999999999"], "takes a name or a number"),
        (["delete", "abcd", "--yes"], "there is no ledger at daxlab.db"),
        (["show", "000000"], "no run begins with"),
        (["list", "-w", "hiden=50"], "runs have no column 'hiden'; did you mean 'hidden'?"),
        (["list", "-w", "split"], "write COLUMN=VALUE"),
        (["list", "--sort", "acuracy"], "runs have no column 'acuracy'; did you mean 'accuracy'?"),
        (["list", "--columns", "run,hiden"], "runs have no column 'hiden'; did you mean 'hidden'?"),
        (["export", "x.txt"], "end its name in .csv, .jsonl or .parquet"),
        (["answers", "9485894f", "--to", "x.txt"], "end its name in .csv, .jsonl or .parquet"),
        (["list", "--ledger", "none.db"], "there is no ledger at none.db"),
        (["merge", "none.db"], "there is no ledger at none.db"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(daxlab, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = daxlab("runs", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
