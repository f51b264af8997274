"""daxlab: a laboratory for compositional generalisation.

>>> import daxlab
>>> scan = daxlab.language("scan")
>>> scan.translate("jump twice")
('I_JUMP', 'I_JUMP')
>>> split = daxlab.split("jump")
>>> len(split.train), len(split.test), split.presentations
(13204, 7706, 14670)
>>> daxlab.dataset("built-in").split_names()
['translation', 'daxy-1000', 'daxy-100', 'daxy-10', 'daxy-1']
>>> daxlab.load("9485894f").predict("jump twice")
jump twice → I_JUMP ✗ should be I_JUMP I_JUMP
>>> len(daxlab.runs(split="jump", learner="rnn").frame()) > 100
True

`dir(daxlab)` is the table of contents.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from daxlab.datasets import Dataset, Split, dataset, language, split
from daxlab.errors import InputError
from daxlab.languages import Example, Language, Tree

if TYPE_CHECKING:
    from daxlab import plot
    from daxlab.api.comparison import Comparison, compare
    from daxlab.api.find import load, runs
    from daxlab.api.run import Run
    from daxlab.api.runs import Runs
    from daxlab.api.training import train
    from daxlab.learners import Learner

__all__ = [
    "Comparison",
    "Dataset",
    "Example",
    "InputError",
    "Language",
    "Learner",
    "Run",
    "Runs",
    "Split",
    "Tree",
    "compare",
    "dataset",
    "language",
    "load",
    "plot",
    "runs",
    "split",
    "train",
]
__version__ = "0.1.0.dev0"

# What those who only want data do not wait for.
LATER = {"Comparison": "api.comparison", "compare": "api.comparison", "Run": "api.run", "Learner": "learners"}
LATER |= {"Runs": "api.runs", "load": "api.find", "runs": "api.find", "train": "api.training", "plot": ""}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'daxlab' has no attribute {name!r}")
    if not LATER[name]:
        return import_module(f"daxlab.{name}")
    globals()[name] = value = getattr(import_module(f"daxlab.{LATER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
