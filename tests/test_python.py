"""`import daxlab`: runs that are trained, found, loaded, asked and compared in Python."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import nbclient
import nbformat
import polars as pl
import pytest

import daxlab as package
from daxlab import InputError
from daxlab.learners import RNN
from daxlab.ledger import Ledger, Writer
from daxlab.ledger.folder import write_folder

SMALL = {"layers": 1, "hidden": 8, "attention": True, "dropout": 0.1, "updates": 200}
OPTIONS = ("--layers", "1", "--hidden", "8", "--attention", "--dropout", "0.1", "--updates", "200")
ROOT = Path(__file__).parents[1]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of one's own, without a ledger."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAXLAB_LEDGER", raising=False)
    return tmp_path


# -- what there is


def test_the_table_of_contents_is_all_there_and_has_examples() -> None:
    assert dir(package) == sorted(package.__all__)
    for name in dir(package):
        assert getattr(package, name).__doc__, name
    with pytest.raises(AttributeError):
        package.trian  # noqa: B018


# -- training


@pytest.mark.usefixtures("trains_here")
def test_what_python_trains_the_command_line_finds_and_the_reverse(daxlab, tiny: Path, here: Path) -> None:
    runs = package.train("jump", data=tiny, runs=2, progress=False, **SMALL)
    told = json.loads(daxlab("train", "--split", "jump", "--data", tiny, *OPTIONS, "--runs", "3", "--json").stdout)
    assert [run["id"] for run in told["runs"]][:2] == runs.keys
    again = package.train("jump", data=tiny, runs=3, progress=False, **SMALL)
    assert again.keys == [run["id"] for run in told["runs"]]
    assert again.accuracies == [run["accuracy"] for run in told["runs"]]
    assert (again.accuracy.mean, again.accuracy.low) == (told["mean"], told["low"])
    listed = json.loads(daxlab("runs", "list", "--json").stdout)
    assert {run["key"] for run in listed} == set(package.runs().keys) == set(again.keys)


def test_runs_that_the_ledger_has_are_not_trained_again(tiny: Path, trained: Path, monkeypatch) -> None:
    monkeypatch.setattr("daxlab.sweep.driver.execute", None)  # whoever trains calls it
    learner = RNN("lstm", 1, 8, attention=True, dropout=0.1, updates=2_000)
    runs = package.train("jump", learner, data=str(tiny), runs=2, ledger=trained)
    assert [run.seed for run in runs] == [0, 1]
    again = package.train("jump", RNN, data=str(tiny), runs=2, ledger=str(trained), **asdict(learner))
    assert again.keys == runs.keys


@pytest.mark.usefixtures("trains_here")
def test_a_class_in_a_file_is_trained_by_its_name_as_a_class_and_as_an_object(here: Path, monkeypatch) -> None:
    source = Path(__file__).parent / "everywhere"
    (here / "memory.py").write_text((source / "memory.py").read_text())
    (here / "colours").mkdir()
    for file in (source / "colours").iterdir():
        (here / "colours" / file.name).write_bytes(file.read_bytes())
    monkeypatch.syspath_prepend(here)
    from memory import Memory

    options = {"data": "colours", "test": "gen", "runs": 1, "progress": False}
    (by_name,) = package.train(learner="memory.py:Memory", **options)
    (by_class,) = package.train(learner=Memory, **options)
    (by_object,) = package.train(learner=Memory(), **options)
    assert by_name.key == by_class.key == by_object.key
    assert by_class.predict("say blue twice").actions == by_name.predict("say blue twice").actions


def test_a_class_of_a_notebook_is_told_to_go_into_a_file(here: Path, monkeypatch) -> None:
    typed = type("Typed", (RNN,), {"__module__": "__main__"})
    with pytest.raises(InputError, match="write Typed into a file of its own"):
        package.train("jump", typed)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"hiden": 100}, "'hiden'.*did you mean 'hidden'"),
        ({"run": 2}, "did you mean 'runs'"),
        ({"learner": "rn"}, "did you mean 'rnn'"),
        ({"split": "jmp"}, "did you mean 'jump'"),
        ({"split": ()}, "say what to train on"),
        ({"data": "scam"}, "did you mean 'scan'"),
        ({"hidden": "wide"}, "hidden takes a whole number"),
        ({"runs": 0}, "runs must be between"),
        ({"device": "tpu"}, "a device is auto, cpu or gpu"),
        ({"ledger": "shipped"}, "stay as they are"),
        ({"ledger": ROOT / "results/runs.db"}, "stay as they are"),
    ],
)
def test_what_cannot_be_trained_is_one_sentence_and_leaves_nothing_behind(here: Path, words, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        package.train(**{"split": "jump", **words})
    assert list(here.iterdir()) == []


@pytest.mark.usefixtures("trains_here")
def test_a_budget_keeps_what_is_done_and_the_same_call_goes_on(tiny: Path, here: Path) -> None:
    with pytest.warns(UserWarning, match="the same call goes on"):
        stopped = package.train("jump", data=tiny, runs=2, budget=0, progress=False, **SMALL)
    assert len(stopped) == 0
    assert len(package.train("jump", data=tiny, runs=2, progress=False, **SMALL)) == 2


def test_ctrl_c_is_an_interrupt_that_loses_nothing(tiny: Path, here: Path, monkeypatch) -> None:
    import signal

    from executors import in_process

    def interrupted(tasks, device, workers, stop):
        yield from in_process(tasks[:1], stop)
        signal.raise_signal(signal.SIGINT)
        assert stop()

    monkeypatch.setattr("daxlab.sweep.driver.execute", interrupted)
    with pytest.raises(KeyboardInterrupt, match="the same call goes on"):
        package.train("jump", data=tiny, runs=2, progress=False, **SMALL)
    assert [run.seed for run in package.runs()] == [0]


@pytest.mark.usefixtures("trains_here")
def test_progress_is_that_of_the_command_line_on_standard_error(tiny: Path, here: Path, capsys, monkeypatch) -> None:
    for name in ("FIRST_LINE", "LINE_EVERY"):
        monkeypatch.setattr(f"daxlab.watching.{name}", 0.01)
    package.train("jump", data=tiny, runs=2, **SMALL | {"updates": 600})
    said = capsys.readouterr()
    plan, *lines = said.err.splitlines()
    assert "2 runs in " in plan and "CPU core" in plan
    assert said.out == "" and lines and all(" of 2 runs trained" in line for line in lines)
    assert any(" training (" in line for line in lines)
    package.train("jump", data=tiny, runs=2, **SMALL | {"updates": 600})  # the ledger has it
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("trains_here")
def test_in_a_notebook_progress_is_one_output_that_changes_and_is_gone_in_the_end(
    tiny: Path, here: Path, capsys, monkeypatch
) -> None:
    shown = []

    def display(content, raw, display_id):
        shown.append(content)
        return SimpleNamespace(update=lambda content, raw: shown.append(content))

    monkeypatch.setattr("daxlab.api.progress._is_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr("daxlab.api.progress.EVERY", 0.01)
    monkeypatch.setattr("daxlab.watching.LOOK_EVERY", 0.01)
    package.train("jump", data=tiny, runs=2, **SMALL | {"updates": 600})
    first, *pictures, last = [content["text/plain"] for content in shown]
    assert first == last == ""
    assert all("jump, seed" in picture or " runs" in picture for picture in pictures)
    assert any("training" in picture and "loss" in picture for picture in pictures)
    assert all("<pre" in content["text/html"] for content in shown[1:-1])
    assert capsys.readouterr().out == ""
    package.train("jump", data=tiny, runs=2, **SMALL | {"updates": 600})  # the ledger has it
    assert shown[-1] is shown[0] and len(shown) == 2 + len(pictures)


@pytest.mark.slow
def test_a_notebook_shows_how_far_training_is(tiny: Path, here: Path) -> None:
    cell = f"import daxlab; daxlab.train('jump', data={str(tiny)!r}, runs=1, layers=1, hidden=4, updates=2000)"
    book, updates = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)]), []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, *arguments):
            if message["msg_type"] == "update_display_data":
                updates.append(message["content"]["data"])
            return super().process_message(message, *arguments)

    Client(book, timeout=300, resources={"metadata": {"path": str(here)}}).execute()
    outputs = book.cells[0].outputs
    picture, runs = (output for output in outputs if output.output_type != "stream")
    assert {output.name for output in outputs if output.output_type == "stream"} == {"stderr"}
    assert any("jump, seed 0" in data["text/html"] for data in updates)
    assert picture.data["text/html"] == updates[-1]["text/html"] == ""
    assert "1 run" in runs.data["text/plain"]


def test_whoever_trains_what_the_shipped_results_have_is_told(here: Path, capsys, monkeypatch) -> None:
    def nobody(tasks, device, workers, stop):
        raise InputError("nobody trains here")

    monkeypatch.setattr("daxlab.sweep.driver.execute", nobody)
    for clip, told in ((5, True), (4, False)):
        with pytest.raises(InputError, match="nobody trains here"):
            package.train("jump", cell="gru", layers=1, hidden=50, attention=True, dropout=0.5, clip=clip, runs=2)
        assert ("daxlab.runs(ledger='shipped')" in capsys.readouterr().err) == told


@pytest.mark.slow
def test_a_script_without_a_guard_trains_once(tiny: Path, here: Path) -> None:
    """Workers are processes of their own, which do not run the script again."""
    script = f"""
import daxlab
print("begins")
runs = daxlab.train("jump", data={str(tiny)!r}, runs=1, layers=1, hidden=4, updates=5)
print(len(runs), runs[0].predict("walk").command)
"""
    (here / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "begins\n1 walk\n"), done.stderr


# -- finding and loading


def test_a_frame_has_every_run_and_every_field(trained: Path) -> None:
    runs = package.runs(trained)
    frame = runs.frame()
    with Ledger(trained) as ledger:
        rows = {row["key"]: row for row in ledger.rows()}
    assert set(frame["key"]) == set(rows) and frame.height == len(rows)
    for row in frame.iter_rows(named=True):
        assert row["accuracy"] == rows[row["key"]]["accuracy"]
        assert {name: row[name] for name in rows[row["key"]]["fields"]} == rows[row["key"]]["fields"]


def test_of_the_shipped_results_a_frame_has_every_run_too() -> None:
    runs = package.runs(ledger="shipped")
    with Ledger(ROOT / "results/runs.db") as ledger:
        assert set(runs.frame()["key"]) == set(ledger.select()) and len(runs) == ledger.count()


def test_filters_are_those_of_the_command_line(daxlab, searched: Path) -> None:
    told = daxlab("runs", "list", "-w", "cell=gru", "-w", "hidden=25", "--ledger", searched, "--json").stdout
    keys = {row["key"] for row in json.loads(told)}
    assert keys and set(package.runs(searched, cell="gru", hidden=25).keys) == keys
    assert set(package.runs(searched, cell="gru").where(hidden=25).keys) == keys
    assert set(package.runs(searched)[:].where(cell="gru", hidden=[25]).keys) == keys
    both = package.runs(searched, hidden=[25, 50])
    assert {run.fields["hidden"] for run in both} == {25, 50}


def test_an_unknown_filter_and_a_value_that_no_run_has_name_the_nearest(trained: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'hidden'"):
        package.runs(trained, hiden=8)
    none = package.runs(trained, split="jmp")
    assert len(none) == 0 and none.frame().height == 0 and "did you mean 'jump'" in repr(none)
    with pytest.raises(InputError, match="did you mean 'jump'"):
        none.accuracy  # noqa: B018


def test_only_replicates_have_one_accuracy(searched: Path) -> None:
    runs = package.runs(searched, split="jump", cell="gru")
    with pytest.raises(InputError, match="hidden"):
        runs.accuracy  # noqa: B018
    label = runs[0].label
    some = runs.where(label=label)
    (row,) = some.summary().to_dicts()
    assert (some.accuracy.mean, some.accuracy.low, some.accuracy.high) == (row["mean"], row["low"], row["high"])
    assert float(some.accuracy) == pytest.approx(pl.Series(some.accuracies).mean())
    assert some.median.accuracy == sorted(some.accuracies)[(len(some) - 1) // 2]


def test_a_run_is_loaded_by_its_key_a_folder_and_itself(trained: Path, tmp_path: Path) -> None:
    run = package.runs(trained)[0]
    write_folder(trained, run.key, tmp_path / "model")
    by_key = package.load(run.key[:10], ledger=str(trained))
    for same in (by_key, package.load(run), package.load(tmp_path / "model"), package.load(str(tmp_path / "model"))):
        assert (same.key, same.split, same.seed, same.fields) == (run.key, run.split, run.seed, run.fields)
        assert (same.accuracy, same.label) == (run.accuracy, run.label)
        assert same.predict("jump twice").actions == run.predict("jump twice").actions
        assert same.evaluate() == pytest.approx(run.accuracy)


def test_the_shipped_network_answers_in_an_empty_folder(here: Path) -> None:
    answer = package.load("9485894f").predict("jump twice")
    assert (answer.actions, answer.right, answer.targets) == (("I_JUMP",), False, (("I_JUMP", "I_JUMP"),))
    assert package.load("9485894f").predict("walk twice").right
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("run", "complaint"),
    [
        ("ffffffffffffffff", "no run begins with"),
        ("no-such-folder", r"there is no such folder.*daxlab\.runs\(\)"),
        (Path("9485894f"), "there is no such folder"),
        ("", "no run's key"),
    ],
)
def test_a_wrong_run_says_what_to_do(here: Path, run, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        package.load(run)


# -- asking


def test_answers_of_the_ledger_are_those_of_the_model(trained: Path) -> None:
    run = package.runs(trained)[0]
    kept, asked = run.answers(), run.answers(run.dataset.split(run.split))
    assert kept.select(asked.columns).equals(asked)
    assert 100 * kept["right"].mean() == pytest.approx(run.accuracy)
    assert run.evaluate(oracle_length=True) == pytest.approx(run.oracle_accuracy)
    assert run.errors().height == (~kept["right"]).sum()
    with pytest.raises(InputError, match="no test set"):
        run.evaluate(test="gen")


def test_errors_by_any_name_count_the_same_wrong_answers(trained: Path) -> None:
    runs = package.runs(trained)
    wrong = runs.errors().height
    assert runs.errors("end")["wrong"].sum() == runs.errors("search")["wrong"].sum() == wrong
    assert runs.errors("position")["count"].sum() == wrong
    assert sum(run.errors().height for run in runs) == wrong
    with pytest.raises(InputError, match="did you mean 'length'"):
        runs.errors("lenght")


def test_attention_to_a_command_sums_to_one_at_every_step(trained: Path) -> None:
    run = package.runs(trained)[0]
    frame = run.attention("walk twice")
    assert frame["word"].unique(maintain_order=True).to_list() == ["walk", "twice", "end"]
    assert frame.group_by("step").agg(pl.col("weight").sum())["weight"].to_list() == pytest.approx([1, 1, 1], abs=1e-5)
    with pytest.raises(InputError, match="no attention"):
        package.runs(ledger="shipped", learner="grammar").askable[0].attention("walk")


def test_a_run_without_weights_says_so_and_how_to_have_them(daxlab, trained: Path, tmp_path: Path) -> None:
    daxlab("runs", "export", tmp_path / "light.db", "--figures-only", "--ledger", trained)
    kept, light = package.runs(trained), package.runs(tmp_path / "light.db")
    assert len(kept.askable) == len(kept) and len(light.askable) == 0
    assert kept[0].askable and not light[0].askable
    assert light.accuracies == kept.accuracies
    with pytest.raises(InputError, match="were not kept"):
        light[0].predict("walk")


def test_runs_without_answers_are_told_apart_from_those_that_have_them(daxlab, trained: Path, tmp_path: Path) -> None:
    daxlab("runs", "export", tmp_path / "light.db", "--figures-only", "--ledger", trained)
    kept, light = package.runs(trained), package.runs(tmp_path / "light.db")
    assert (kept.answered.keys, light.answered.keys) == (kept.keys, [])
    with pytest.raises(InputError, match="no answers"):
        light.errors()


def test_what_can_be_asked_of_the_shipped_results_answers() -> None:
    runs = package.runs(ledger="shipped").askable
    with Ledger(ROOT / "results/runs.db") as ledger:
        recorded = {key for key in ledger.select({"learner": "grammar"}) if ledger.artefact(key, "record")}
    weights = {path.stem for path in (ROOT / "results/runs.db.weights").iterdir()}
    assert set(runs.keys) == weights | recorded


def test_a_failed_run_has_no_accuracy_and_says_why(trained: Path, tmp_path: Path) -> None:
    from daxlab.ledger import Run

    with Ledger(trained) as ledger:
        spec = dict(ledger.run(ledger.select()[0]).spec)
    with Writer(tmp_path / "failed.db") as writer:
        writer.add([Run(spec=spec, status="failed", failed_at=7, reason="loss")])
    (run,) = package.runs(tmp_path / "failed.db")
    assert run.accuracy is None and "failed at step 7" in repr(run) and not run.askable
    with pytest.raises(InputError, match="failed"):
        package.runs(tmp_path / "failed.db").accuracy  # noqa: B018


# -- comparing


def test_compare_is_the_comparison_of_the_command_line(daxlab, searched: Path) -> None:
    told = json.loads(
        daxlab(
            *("compare", "--a", "hidden=25", "--b", "hidden=50", "--where", "split=jump", "--where", "cell=gru"),
            *("--ledger", searched, "--json"),
        ).stdout
    )
    by_filters = package.compare({"hidden": 25}, {"hidden": 50}, ledger=searched, split="jump", cell="gru")
    a, b = (package.runs(searched, hidden=hidden, split="jump", cell="gru") for hidden in (25, 50))
    for both in (by_filters, package.compare(a, b), package.compare(a[:], b[:]), package.compare(a, b[:])):
        rows = both.frame().filter(pl.col("learner_a").is_not_null(), pl.col("learner_b").is_not_null()).to_dicts()
        assert len(rows) == len(told["compared"]) > 1
        for row, its in zip(rows, told["compared"], strict=True):
            assert row == {name: its[name] for name in row}
        assert both.over_learners().to_dicts() == told["over_learners"]


def test_runs_of_two_ledgers_are_compared(trained: Path, daxlab, tmp_path: Path) -> None:
    """One's own repeat of runs against theirs: not different at all."""
    daxlab("runs", "merge", trained, "--ledger", tmp_path / "copy.db")
    both = package.compare(package.runs(trained), package.runs(tmp_path / "copy.db"))
    assert both.difference[0] == 0 and both.difference[1] <= 0 <= both.difference[2]
    commands = both.commands()
    assert commands["difference"].to_list() == [0.0] * commands.height
    with pytest.raises(InputError, match="on both sides"):
        package.compare(package.runs(trained), package.runs(trained)[:1])
    with pytest.raises(InputError, match="what is compared are runs"):
        package.compare("jump", "length")


# -- how things are shown


def test_everything_that_a_cell_may_show_is_short(trained: Path) -> None:
    from daxlab.ledger.trained import TrainedModel
    from daxlab.sweep import Spec, plan_sweep

    jump, runs = package.split("jump"), package.runs(ledger="shipped")
    spec = Spec("jump", 0)
    with Ledger(trained) as ledger:
        run, group = ledger.run(ledger.select()[0]), ledger.groups()[0]
        model = TrainedModel(trained, run.key)
        things = [jump, package.dataset("scan"), package.language("scan"), package.language("scan").grammar, group]
        things += [run, ledger, spec.job(), model, model._fitted, model.predict("walk"), runs, runs[0], runs[:3]]
        things += [plan_sweep([spec], trained, "cpu"), model.evaluate(model.dataset.split("jump"))]
        assert [repr(thing) for thing in things if len(repr(thing)) > 200 or "\n" in repr(thing)] == []
    for thing in (
        runs,
        runs[0],
        jump.train,
        package.language("scan").commands(),
        package.compare(runs[:5], runs[5:10]),
    ):
        assert len(thing._repr_html_()) < 10_000


def test_html_of_names_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a<b>").mkdir()
    (tmp_path / "a<b>" / "train.tsv").write_text("x <y>\tX\n")
    (tmp_path / "a<b>" / "gen.tsv").write_text("x\tX\n")
    assert "<y>" not in package.dataset(str(tmp_path / "a<b>")).split("gen").train._repr_html_()
