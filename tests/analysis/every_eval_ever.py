"""What version 0.3.0 of the schema of Every Eval Ever asks of a record and of its samples, as JSON Schemas of our own.

The names, types, values and patterns are those of these files of https://github.com/evaleval/every_eval_ever; the words
and their arrangement are not:

    every_eval_ever/schemas/eval.schema.json, "version": "0.3.0", as the fork j-chim/every_eval_ever has it at fe53016;
    every_eval_ever/schemas/instance_level_eval.schema.json, of samples, at 21b3d1a;
    every_eval_ever/validator/validation_core.py, what holds beyond the schemas, at 076ff86.

Left out is what no record of ours has: judges, levels, generation settings, agents, Hugging Face's datasets.
"""


def having(required: dict, optional: dict | None = None, *, closed: bool = False) -> dict:
    """An object with these properties; a closed one has no others."""
    properties = required | (optional or {})
    return {"type": "object", "required": [*required], "properties": properties, "additionalProperties": not closed}


TEXT, NUMBER = {"type": "string"}, {"type": "number"}
DETAILS = {"type": "object", "additionalProperties": TEXT}
SOURCES = [
    having({"dataset_name": TEXT, "source_type": {"const": "other"}}, {"additional_details": DETAILS}),
    having(
        {
            "dataset_name": TEXT,
            "source_type": {"const": "url"},
            "url": {"type": "array", "items": TEXT, "minItems": 1},
        },
        {"additional_details": DETAILS},
    ),
]
METRIC = having(
    {"lower_is_better": {"type": "boolean"}, "score_type": {"const": "continuous"}}
    | {"min_score": NUMBER, "max_score": NUMBER},
    dict.fromkeys(("evaluation_description", "metric_id", "metric_name", "metric_kind", "metric_unit"), TEXT),
)
INTERVAL = having(
    {"lower": NUMBER, "upper": NUMBER},
    {"confidence_level": {"type": "number", "minimum": 0, "maximum": 1}, "method": TEXT},
)
UNCERTAINTY = having(
    {},
    {"standard_error": having({"value": NUMBER}, {"method": TEXT}), "confidence_interval": INTERVAL}
    | {"standard_deviation": NUMBER, "num_samples": {"type": "integer"}},
)
RESULT = having(
    {"evaluation_name": TEXT, "source_data": {"oneOf": SOURCES}, "metric_config": METRIC}
    | {"score_details": having({"score": NUMBER}, {"details": DETAILS, "uncertainty": UNCERTAINTY})},
    {"evaluation_result_id": TEXT, "evaluation_timestamp": TEXT},
)
DEPLOYMENT = having(
    {
        "deployment_type": {"enum": ["self_deployed", "externally_managed", "unknown"]},
        "model_availability": {"enum": ["open_weights", "closed_weights", "unknown"]},
    }
)
MODEL = having(
    {"name": TEXT, "id": {"type": "string", "pattern": "^[^/]+/[^/]+$"}}
    | {"additional_details": {"allOf": [DETAILS, DEPLOYMENT]}},
    {"developer": TEXT, "inference_platform": TEXT},
)
REPORTER = having(
    {
        "source_type": {"enum": ["documentation", "evaluation_run"]},
        "source_organization_name": TEXT,
        "evaluator_relationship": {"enum": ["first_party", "third_party", "collaborative", "other"]},
    },
    {"source_name": TEXT, "additional_details": DETAILS},
)
PATH = (
    r"data/[^/]+/[^/]+/[^/]+/"
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)
DETAILED = having(
    {"format": {"const": "jsonl"}, "file_path": {"type": "string", "pattern": rf"^{PATH}_samples\.jsonl$"}},
    {"hash_algorithm": {"enum": ["sha256", "md5"]}, "checksum": TEXT, "total_rows": {"type": "integer"}},
)
RECORD = having(
    {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": TEXT,
        "retrieved_timestamp": TEXT,
        "source_metadata": REPORTER,
        "eval_library": having({"name": TEXT, "version": TEXT}, {"additional_details": DETAILS}),
        "model_info": MODEL,
        "evaluation_results": {"type": "array", "items": RESULT},
    },
    {"evaluation_timestamp": TEXT, "detailed_evaluation_results": DETAILED},
    closed=True,
)
TEXTS = {"type": "array", "items": TEXT}
EXTRACTED = having(
    {"turn_idx": {"type": "integer", "minimum": 0}, "source": TEXT, "extracted_value": TEXT}
    | {"extraction_method": TEXT, "is_terminal": {"type": "boolean"}}
)
SAMPLE = having(
    dict.fromkeys(("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"), TEXT)
    | {
        "interaction_type": {"const": "single_turn"},  # which needs an output and has no messages
        "input": having({"raw": TEXT, "reference": TEXTS}),
        "output": having({"raw": TEXTS}),
        "answer_attribution": {"type": "array", "items": EXTRACTED},
        "evaluation": having({"score": NUMBER, "is_correct": {"type": "boolean"}}),
    },
    {"evaluation_result_id": TEXT, "sample_hash": TEXT, "metadata": DETAILS},
    closed=True,
)
