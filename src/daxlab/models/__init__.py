"""Networks as Equinox modules, and the contract between them and the engine. Knows nothing of data, training or disk."""

from daxlab.models.cells import CELLS, CellName
from daxlab.models.conformance import check_network
from daxlab.models.contract import Attends, Encodes, Network, Widens
from daxlab.models.dropout import masks
from daxlab.models.seq2seq import Seq2Seq, seq2seq

__all__ = [
    "CELLS",
    "Attends",
    "CellName",
    "Encodes",
    "Network",
    "Seq2Seq",
    "Widens",
    "check_network",
    "masks",
    "seq2seq",
]
