"""Records of Every Eval Ever: they are what its schema asks for, and say what the ledger says."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from jsonschema import Draft7Validator

from daxlab import InputError
from daxlab.analysis.accuracy import settings
from daxlab.analysis.every_eval_ever import records, samples
from daxlab.ledger import Ledger

from .every_eval_ever import PATH, RECORD, SAMPLE


def valid(path: str, record: dict) -> bool:
    """Whether Every Eval Ever takes it: by the schema, and by the rules of its validator that a schema cannot say."""
    Draft7Validator(RECORD).validate(json.loads(json.dumps(record, allow_nan=False)))
    within = [
        result["metric_config"]["min_score"] <= result["score_details"]["score"] <= result["metric_config"]["max_score"]
        for result in record["evaluation_results"]
    ]
    names = [result["evaluation_result_id"] for result in record["evaluation_results"]]
    in_its_folder = f"/{record['model_info']['id']}/" in path
    return (
        all(within)
        and len(set(names)) == len(names) > 0
        and in_its_folder
        and bool(re.fullmatch(rf"{PATH}\.json", path))
    )


def test_every_record_of_a_search_is_valid_and_has_the_means_that_the_ledger_has(searched: Path) -> None:
    with Ledger(searched) as ledger:
        made = dict(records(ledger, {"hidden": [25, 400]}, "A Lab", 1.5))
        rows = settings(ledger, {"hidden": [25, 400]})
    assert all(valid(path, record) for path, record in made.items())
    assert len(made) == rows["network"].n_unique() == 72
    scores = {
        (record["model_info"]["name"], result["evaluation_name"]): result["score_details"]["score"]
        for record in made.values()
        for result in record["evaluation_results"]
    }
    assert scores == {
        (row["network"], f"scan.{row['split']}"): pytest.approx(row["mean"] / 100) for row in rows.to_dicts()
    }


def test_a_record_names_its_runs_how_many_failed_and_how_sure_it_is(ledger_of, trained, failed) -> None:
    runs = [trained("turn-left", seed, greedy={"turn left twice": ""}) for seed in range(2)]
    ((path, record),) = records(ledger_of(*runs, failed("turn-left", 2)), None, "my-lab", 1.5)
    (result,) = record["evaluation_results"]
    score = result["score_details"]
    assert valid(path, record)
    assert (record["model_info"]["developer"], record["retrieved_timestamp"]) == ("my-lab", "1.5")
    assert json.loads(score["details"]["runs"]) == [run.key for run in runs]
    assert (score["details"]["failed_runs"], score["uncertainty"]["num_samples"]) == ("1", 2)
    interval = score["uncertainty"]["confidence_interval"]
    assert 0 <= interval["lower"] <= score["score"] <= interval["upper"] <= 1
    assert result["source_data"]["url"] == ["https://github.com/brendenlake/SCAN"]
    assert result["source_data"]["additional_details"]["split_sha256"] == runs[0].spec["split"]["digest"]


def test_further_test_sets_are_results_of_their_own_and_a_single_run_has_no_interval(ledger_of, trained, tiny) -> None:
    run = trained("jump", language=tiny, metrics={"accuracy": 50.0, "accuracy.gen": 25.0})
    ((path, record),) = records(ledger_of(run), None, "my-lab", 1.5)
    results = {result["evaluation_name"]: result for result in record["evaluation_results"]}
    assert valid(path, record)
    assert {name: result["score_details"]["score"] for name, result in results.items()} == {
        "tiny.grammar.jump": 0.5,
        "tiny.grammar.jump.gen": 0.25,
    }
    assert all("uncertainty" not in result["score_details"] for result in results.values())
    assert {result["source_data"]["source_type"] for result in results.values()} == {"other"}


def test_a_record_is_called_by_its_runs_so_that_it_replaces_itself(ledger_of, trained) -> None:
    one, two = trained("turn-left", 0), trained("turn-left", 1)
    ((first, _),), ((again, _),) = (records(ledger_of(one), None, "my-lab", now) for now in (1.0, 2.0))
    ((other, _),) = records(ledger_of(one, two), None, "my-lab", 1.0)
    assert first == again != other


def test_the_command_writes_a_file_for_each_learner(daxlab, searched: Path, tmp_path: Path) -> None:
    where = ("--where", "cell=gru", "--where", "hidden=25", "--ledger", searched)
    done = daxlab("runs", "export", tmp_path / "eee", "--format", "every-eval-ever", *where)
    paths = [Path(line) for line in done.stdout.splitlines()]
    assert len(paths) == 12
    assert all(valid(str(path.relative_to(tmp_path / "eee")), json.loads(path.read_text())) for path in paths)
    for wrong in (("--format", "eee"), ("--format", "every-eval-ever", "--where", "hidden=7")):
        done = daxlab("runs", "export", tmp_path / "none", *wrong, "--ledger", searched)
        assert done.returncode == 2
    assert not (tmp_path / "none").exists()


def test_samples_are_valid_and_their_mean_is_the_score_of_their_result(
    daxlab, ledger_of, trained, tmp_path: Path
) -> None:
    runs = [trained("turn-left", seed, greedy={"turn left twice": ""} if seed else {}) for seed in range(2)]
    ledger = ledger_of(*runs, trained("length", 0, greedy={"jump": "I_WALK"}))
    words = ("--format", "every-eval-ever", "--samples", "--organization", "my-lab", "--ledger", ledger.path)
    done = daxlab("runs", "export", tmp_path, *words)
    beside, place = [Path(line) for line in done.stdout.splitlines()]
    record, content = json.loads(place.read_text()), beside.read_bytes()
    assert valid(str(place.relative_to(tmp_path)), record)
    detailed = record["detailed_evaluation_results"]
    assert tmp_path / detailed["file_path"] == beside == place.with_name(f"{place.stem}_samples.jsonl")
    assert detailed["checksum"] == hashlib.sha256(content).hexdigest()
    rows = [json.loads(line) for line in content.decode().splitlines()]
    assert len(rows) == detailed["total_rows"] == 2 * 1_208 + 3_920
    validator = Draft7Validator(SAMPLE)
    for row in rows:
        validator.validate(row)
        assert (row["evaluation_id"], row["model_id"]) == (record["evaluation_id"], record["model_info"]["id"])
        assert row["evaluation"]["is_correct"] == (row["output"]["raw"] == row["input"]["reference"])
    for result in record["evaluation_results"]:
        own = [row["evaluation"]["score"] for row in rows if row["evaluation_name"] == result["evaluation_name"]]
        assert fmean(own) == pytest.approx(result["score_details"]["score"])
    asked = Counter((row["evaluation_result_id"], row["sample_id"], row["metadata"]["run"]) for row in rows)
    assert set(asked.values()) == {1}
    by_command = {row["sample_hash"] for row in rows if row["input"]["raw"] == "turn left twice"}
    assert len(by_command) == 1  # of both runs: what was asked and what is right


def test_samples_that_the_ledger_lacks_are_not_made_up(ledger_of, measured) -> None:
    ledger = ledger_of(measured("jump", 50.0))
    ((_, record),) = records(ledger, None, "my-lab", 1.5)
    with pytest.raises(InputError):
        list(samples(ledger, record))


@pytest.mark.parametrize("organization", ["", "///", "data"])
def test_an_organization_that_can_be_no_folder_is_refused(ledger_of, trained, organization: str) -> None:
    with pytest.raises(InputError, match="letters or digits"):
        list(records(ledger_of(trained("turn-left")), None, organization, 1.5))
