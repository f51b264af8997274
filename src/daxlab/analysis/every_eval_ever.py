"""Learners' results as records in the schema of Every Eval Ever (evaleval/every_eval_ever), which collects evaluations
of whatever system. Writes no file.

A record is one learner, with a result for each test set it was scored on. Its samples are the answers one by one.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import polars as pl

from daxlab import __version__
from daxlab.analysis.accuracy import by_test_set, settings
from daxlab.analysis.answers import answers
from daxlab.analysis.replicates import Row, Where
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.learners import name_and_fields
from daxlab.learners.take_home import TakeHome
from daxlab.ledger import Ledger

Record = dict[str, Any]
SCHEMA_VERSION = "0.3.0"
NAME = "every-eval-ever"
INTERVAL = "posterior of a beta-binomial model of the runs, each of which has a seed of its own"


def records(ledger: Ledger, where: Where | None, organization: str, now: float) -> Iterator[tuple[str, Record]]:
    """Each learner's record, with the path that it has among others: data/daxlab/ORGANIZATION/LEARNER/UUID.json.

    `organization`: who trained the learners and answers for the figures. `now`: seconds since 1970.
    """
    if _slug(organization) in ("", "data"):  # it names a folder, and this name is taken
        raise InputError(f"an organization has a name of letters or digits, such as my-lab, not {organization!r}")
    learners = defaultdict[tuple[str, str | None], list[Row]](list)
    for setting in settings(ledger, where).iter_rows(named=True):
        if setting["mean"] is not None:
            learners[setting["network"], setting["protocol"]].append(setting)
    for (network, protocol), of_splits in learners.items():
        name = ", ".join(filter(None, (network, protocol)))
        record = _record(ledger, name, of_splits, organization, now)
        folder = record["model_info"]["id"]
        yield f"data/daxlab/{folder}/{_uuid(record['evaluation_id'])}.json", record


def samples(ledger: Ledger, record: Record) -> Iterator[Record]:
    """Every answer of a record's runs: run after run for each of its results, in the order of the test set."""
    for result in record["evaluation_results"]:
        details = result["score_details"]["details"]
        for row in ledger.rows({"key": json.loads(details["runs"])}):
            frame = answers(ledger, row["key"], details.get("test_set"))
            texts = frame.select(pl.col("command"), pl.col("target", "answer").list.join(" "), pl.col("right"))
            for number, sample in enumerate(texts.iter_rows(), 1):
                run = {"run": row["key"], "seed": str(row["seed"])}
                yield _sample(record, result, number, *sample) | {"metadata": run}


def with_samples(record: Record, path: str, checksum: str, rows: int) -> Record:
    """The record with a reference to the file of its samples; `path`: where the record is."""
    file = {"format": "jsonl", "file_path": samples_path(path), "hash_algorithm": "sha256"}
    return record | {"detailed_evaluation_results": {**file, "checksum": checksum, "total_rows": rows}}


def samples_path(path: str) -> str:
    """Where the samples of the record at a path are."""
    return f"{path.removesuffix('.json')}_samples.jsonl"


def _sample(record: Record, result: Record, number: int, command: str, target: str, answer: str, right: bool) -> Record:
    asked = {"raw": command, "reference": [target]}
    content = json.dumps(asked, sort_keys=True, separators=(",", ":"))  # as every tool there writes it to be hashed
    extracted = {"turn_idx": 0, "source": "output.raw", "extracted_value": answer}
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": record["evaluation_id"],
        "model_id": record["model_info"]["id"],
        "evaluation_name": result["evaluation_name"],
        "evaluation_result_id": result["evaluation_result_id"],
        "sample_id": str(number),
        "sample_hash": sha256(content.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": asked,
        "output": {"raw": [answer]},
        "answer_attribution": [{**extracted, "extraction_method": "exact_match", "is_terminal": True}],
        "evaluation": {"score": float(right), "is_correct": right},
    }


def _record(ledger: Ledger, name: str, of_splits: list[Row], organization: str, now: float) -> Record:
    keys = [key for setting in of_splits for key in setting["keys"]]
    rows = ledger.rows({"key": keys})
    kind, fields = name_and_fields(rows[0]["spec"])
    versions = sorted({row["origin"].get("daxlab", __version__) for row in rows})
    model, finished = f"{_slug(organization)}/{_slug(name)}", repr(max(row["finished"] for row in rows))
    content = sha256(json.dumps(sorted(keys)).encode()).hexdigest()[:12]
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"daxlab/{model}/{finished}-{content}",
        "evaluation_timestamp": finished,
        "retrieved_timestamp": repr(now),
        "source_metadata": {
            "source_name": "daxlab",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other" if kind == TakeHome.kind else "first_party",
        },
        "eval_library": {"name": "daxlab", "version": ", ".join(versions)},
        "model_info": {
            "name": name,
            "id": model,
            "developer": organization,
            "additional_details": {
                "deployment_type": "self_deployed",
                "model_availability": "unknown",
                "learner": kind,
                "fields": json.dumps(fields, sort_keys=True),
            },
        },
        "evaluation_results": [result for setting in of_splits for result in _results(ledger, setting)],
    }


def _results(ledger: Ledger, setting: Row) -> Iterator[Record]:
    """A result for the main test set of a split, and for each further one."""
    (row,) = ledger.rows({"key": setting["keys"][0]})
    source = _source(row)
    figures_by_test: dict[str, Row] = {"": setting, **by_test_set(ledger, setting["keys"])}
    for test, figures in figures_by_test.items():
        name = ".".join(filter(None, (source["dataset_name"], _slug(setting["split"]), test)))
        details = {
            "accuracies": json.dumps([round(accuracy / 100, 6) for accuracy in figures["accuracies"]]),
            "runs": json.dumps(setting["keys"]),
            "failed_runs": str(setting["failed"]),
            **({"test_set": test} if test else {}),
        }
        score: dict[str, Any] = {"score": figures["mean"] / 100, "details": details}
        if figures["low"] is not None:
            interval = {"lower": figures["low"] / 100, "upper": figures["high"] / 100, "confidence_level": 0.95}
            score["uncertainty"] = {
                "standard_error": {"value": figures["sem"] / 100, "method": "over runs"},
                "confidence_interval": interval | {"method": INTERVAL},
                "num_samples": figures["runs"],
            }
        yield {
            "evaluation_result_id": name,
            "evaluation_name": name,
            "source_data": source,
            "metric_config": METRIC,
            "score_details": score,
        }


METRIC = {
    "evaluation_description": "Share of the test commands whose whole answer is right; mean over runs",
    "metric_id": "exact-match",
    "metric_name": "exact match",
    "metric_kind": "accuracy",
    "metric_unit": "proportion",
    "lower_is_better": False,
    "score_type": "continuous",
    "min_score": 0.0,
    "max_score": 1.0,
}


def _source(row: Row) -> Record:
    """Where the data is from: its address, if it was published."""
    details = {"split": row["split"], "split_sha256": row["spec"]["split"]["digest"]}
    named = {"dataset_name": _slug(Path(row["dataset"]).name), "additional_details": details}
    with suppress(InputError):  # a file that is no longer there
        if address := dataset(row["dataset"]).source:
            return {"source_type": "url", "url": [address], **named}
    return {"source_type": "other", **named}


def _slug(name: str) -> str:
    """A name as a part of a path.

    >>> _slug("LSTM 1x100, attention, dropout 0.1")
    'LSTM-1x100-attention-dropout-0.1'
    """
    return re.sub(r"[^\w.]+", "-", name).strip("-.")[:100]


def _uuid(name: str) -> UUID:
    """A UUID of version 4 that a name determines, so that the same record replaces itself."""
    return UUID(bytes=sha256(name.encode()).digest()[:16], version=4)
