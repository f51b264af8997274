"""daxlab: a laboratory for compositional generalisation.

>>> import daxlab
>>> scan = daxlab.language("scan")
>>> scan.translate("jump twice")
('I_JUMP', 'I_JUMP')
>>> split = daxlab.split("jump")
>>> len(split.train), len(split.test), split.presentations
(13204, 7706, 14670)
"""

from daxlab.datasets import language, split
from daxlab.datasets.pairs import Pairs
from daxlab.datasets.rules import Split
from daxlab.errors import InputError
from daxlab.languages import Example, Language, Tree

__all__ = ["Example", "InputError", "Language", "Pairs", "Split", "Tree", "language", "split"]
__version__ = "0.1.0.dev0"
