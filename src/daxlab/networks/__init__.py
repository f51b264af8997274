"""Networks as Equinox modules, and their contract with the engine. Knows nothing of data or disk."""

from daxlab.extras import imported

with imported():
    from daxlab.networks.cells import CELLS as CELLS
    from daxlab.networks.conformance import check_network as check_network, check_shapes as check_shapes
    from daxlab.networks.contract import (
        Attends as Attends,
        Encodes as Encodes,
        Network as Network,
        has_attention as has_attention,
    )
    from daxlab.networks.dropout import masks as masks
    from daxlab.networks.seq2seq import Seq2Seq as Seq2Seq, seq2seq as seq2seq
