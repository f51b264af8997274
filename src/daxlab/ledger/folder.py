"""A run as a folder to publish: its weights or its record, a config.json, and a README.md that is a model card."""

import json
from pathlib import Path
from typing import Any

from daxlab import __version__
from daxlab.atomic import atomic_write
from daxlab.card import card
from daxlab.datasets import dataset
from daxlab.encoding import Encoding
from daxlab.errors import InputError
from daxlab.learners import label, name_and_fields
from daxlab.ledger.artefacts import unpack_record
from daxlab.ledger.files import weights_of
from daxlab.ledger.ledger import Ledger
from daxlab.ledger.records import Run, key
from daxlab.ledger.spec import Spec
from daxlab.ledger.trained import Askable

WEIGHTS, RECORD, CONFIG, CARD = "model.safetensors", "model.json", "config.json", "README.md"
MAIN = {"accuracy": "exact match", "oracle_accuracy": "exact match, told the right number of actions"}


class ExportedModel(Askable):
    """The model that a folder holds."""

    def __init__(self, folder: Path, data: str | None) -> None:
        path = folder / CONFIG
        try:
            config = json.loads(path.read_bytes())
            facts, self.key = config["spec"], config["key"]
            self.facts, self.metrics = dict(facts), dict(config.get("metrics", {}))  # of earlier versions, none
            if key(facts) != self.key:
                raise InputError(f"{path} was changed: its spec is not that of run {self.key[:12]}; export it again")
            self.spec = Spec.of(facts, whole=False, data=data)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}; 'daxlab runs folder' writes it") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{path} is not one that 'daxlab runs folder' wrote; export the run again") from None
        self.dataset = dataset(self.spec.data)
        if (folder / RECORD).exists():
            record = unpack_record((folder / RECORD).read_bytes())
            self._fitted = self.spec.learner.restore(record, self.dataset)
        else:
            self._fitted = self.spec.learner.load(folder / WEIGHTS, self.dataset)


def load(folder: str | Path, data: str | None = None) -> ExportedModel:
    """The model in a folder that `daxlab runs folder` wrote: `predict(command)`, `evaluate(split)`.

    `data`: where its dataset is now, if that is a file or a folder that was moved.
    """
    return ExportedModel(Path(folder), data)


def write_folder(ledger: Path, prefix: str, folder: Path) -> list[Path]:
    """Write a run into a folder; an error if neither its weights nor a record were kept."""
    with Ledger(ledger) as known:
        run = known.run(prefix)
    weights, record = weights_of(ledger, run.key), run.artefacts.get("record")
    if record is None and not weights.exists():
        advice = "'daxlab train' and 'daxlab sweep run --keep-weights' keep them"
        raise InputError(f"run {run.key[:12]} has no weights to export: there is no {weights}; {advice}")
    contents = {
        WEIGHTS if record is None else RECORD: weights.read_bytes() if record is None else record,
        CONFIG: (json.dumps(_config(run), indent=2, ensure_ascii=False) + "\n").encode(),
        CARD: model_card(run),
    }
    for name, content in contents.items():
        atomic_write(folder / name, content)
    return [folder / name for name in contents]


def _config(run: Run) -> dict[str, Any]:
    """All that `load` needs (the spec, by content), and the same in plain words for other programs."""
    kind, fields = name_and_fields(run.spec)
    spec = Spec.of(run.spec, whole=False)
    encoding = Encoding.of(dataset(spec.data).examples())
    return {
        "library_name": "daxlab",
        "daxlab_version": __version__,
        "key": run.key,
        "kind": kind,
        "fields": fields,
        "dataset": spec.data,
        "split": spec.split,
        "seed": spec.seed,
        "vocabulary": {"words": encoding.words.symbols, "actions": encoding.actions.symbols},
        "metrics": run.metrics,
        "spec": run.spec,
    }


def model_card(run: Run) -> bytes:
    """A card with what was measured of the run, and nothing else."""
    data, split, learner = run.spec["language"]["name"], run.spec["split"]["name"], label(run.spec)
    name = f"{learner} on {data} {split}, seed {run.spec['seed']}"
    sides = {"test": {part: called for part, called in MAIN.items() if part in run.metrics}}
    sides |= {"train": {"train_accuracy": MAIN["accuracy"]}} if "train_accuracy" in run.metrics else {}
    others = [part for part in run.metrics if part.startswith("accuracy.")]
    sides |= {part.partition(".")[2]: {part: MAIN["accuracy"]} for part in others}
    results = [
        {
            "task": {"type": "text2text-generation"},
            "dataset": {"type": data, "name": data, "config": split, "split": side},
            "metrics": [
                {"type": "exact_match", "name": called, "value": run.metrics[part]} for part, called in parts.items()
            ],
        }
        for side, parts in sides.items()
        if parts
    ]
    front = {"library_name": "daxlab", "tags": ["compositional-generalization", "daxlab"]}
    rows = [
        f"| {side} | {called} | {run.metrics[part]:.2f}% |"
        for side, parts in sides.items()
        for part, called in parts.items()
    ]
    text = f"""# {name}

A model trained with daxlab: {learner}, on the split `{split}` of the dataset `{data}`, with seed {run.spec["seed"]}.

| examples | measure | |
|---|---|--:|
{chr(10).join(rows)}

Exact match is the percentage of commands whose whole answer is right. This is one run; another seed differs.

```python
import daxlab

model = daxlab.load("path/to/this/folder")
print(model.predict({_example(run)!r}).actions)
```

`config.json` has every field of the learner. Run `{run.key}`.
"""
    return card(front | ({"model-index": [{"name": name, "results": results}]} if results else {}), text)


def _example(run: Run) -> str:
    """A command that the model knows the words of."""
    return Spec.of(run.spec, whole=False).content().train[0].command
