"""Training many runs at once, and asking what they learned. Knows nothing of the ledger; prints nothing."""

from daxlab.extras import imported

with imported():
    from daxlab.engine.checkpoint import (
        Damaged as Damaged,
        dump_weights as dump_weights,
        load_weights as load_weights,
    )
    from daxlab.engine.decode import (
        answers as answers,
        attentions as attentions,
        encodings as encodings,
        ended as ended,
        log_likelihoods as log_likelihoods,
        right as right,
        scores as scores,
    )
    from daxlab.engine.evaluate import (
        evaluate as evaluate,
        likelihoods as likelihoods,
        sample_accuracy as sample_accuracy,
    )
    from daxlab.engine.stack import Member as Member, Stack as Stack, subset as subset, unstack as unstack
    from daxlab.engine.train import Trained as Trained, memory_needed as memory_needed, train as train
    from daxlab.engine.update import WINDOW as WINDOW
