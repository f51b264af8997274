"""What version 0.3.0 of the schema of Every Eval Ever asks of a record, as a JSON Schema of our own.

The names, types and values are those of every_eval_ever/eval_types.py and of validator/validation_core.py in
https://github.com/evaleval/every_eval_ever (commits 09496fc and 076ff86); the words and their arrangement are not.
Left out is what no record of ours has: judges, agents, levels, generation settings, samples.
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
    {"evaluation_timestamp": TEXT},
    closed=True,
)
PATH = (
    r"data/[\w.-]+/[\w.-]+/[\w.-]+/"
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json"
)
