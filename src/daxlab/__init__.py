"""daxlab: a laboratory for compositional generalisation.

>>> import daxlab
>>> scan = daxlab.language("scan")
>>> scan.translate("jump twice")
('I_JUMP', 'I_JUMP')
>>> split = daxlab.split("jump")
>>> len(split.train), len(split.test), split.presentations
(13204, 7706, 14670)
>>> daxlab.dataset("scan").probes()[3]
Example(command='jump', actions=('I_JUMP',), category='')
"""

from daxlab.datasets import Dataset, Split, dataset, language, split
from daxlab.errors import InputError
from daxlab.languages import Example, Language, Tree

__all__ = ["Dataset", "Example", "InputError", "Language", "Split", "Tree", "dataset", "language", "split"]
__version__ = "0.1.0.dev0"
