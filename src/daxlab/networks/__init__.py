"""Networks as Equinox modules, and their contract with the engine. Knows nothing of data or disk."""

from daxlab.networks.cells import CELLS, CellName
from daxlab.networks.conformance import check_network, check_shapes
from daxlab.networks.contract import Attends, Encodes, Network
from daxlab.networks.dropout import masks
from daxlab.networks.seq2seq import Seq2Seq, seq2seq

__all__ = [
    "CELLS",
    "Attends",
    "CellName",
    "Encodes",
    "Network",
    "Seq2Seq",
    "check_network",
    "check_shapes",
    "masks",
    "seq2seq",
]
