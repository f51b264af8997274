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
"""

from typing import TYPE_CHECKING, Any

from daxlab.datasets import Dataset, Split, dataset, language, split
from daxlab.errors import InputError
from daxlab.languages import Example, Language, Tree

if TYPE_CHECKING:
    from daxlab.ledger.folder import load

__all__ = ["Dataset", "Example", "InputError", "Language", "Split", "Tree", "dataset", "language", "load", "split"]
__version__ = "0.1.0.dev0"


def __getattr__(name: str) -> Any:
    """`load` needs the learners, which those who only want data do not wait for."""
    if name == "load":
        from daxlab.ledger.folder import load

        return load
    raise AttributeError(f"module 'daxlab' has no attribute {name!r}")
