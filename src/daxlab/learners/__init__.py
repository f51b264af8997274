"""What can be trained: the contract (core.py), names (registry.py), and one file for each kind.

    rnn.py       the paper's recurrent networks
    network.py   any Equinox network
    trainees.py  networks that the engine trains and asks
    grammar.py   rules instead of a network; induction/ finds them
    program.py   somebody's program, in a process of its own (process.py), which is met in files (program_files.py);
                 runner.py is all of daxlab that runs there
    take_home.py answers to a folder of tasks, made elsewhere
    source.py    what somebody's file says and which files it needs, by reading it
    checks.py    what a learner has to keep; network_checks.py of a network

Knows nothing of ledgers or of scheduling. JAX is imported only when something is fitted.
"""

from daxlab.learners.core import (
    NO_ANSWER as NO_ANSWER,
    Answered as Answered,
    Context as Context,
    Failure as Failure,
    Fitted as Fitted,
    Job as Job,
    Learner as Learner,
    Model as Model,
    Prediction as Prediction,
)
from daxlab.learners.program import Program as Program
from daxlab.learners.registry import (
    DEFAULT as DEFAULT,
    KINDS as KINDS,
    find as find,
    from_text as from_text,
    label as label,
    make as make,
    name_and_fields as name_and_fields,
    name_and_variant as name_and_variant,
    of as of,
    still_here as still_here,
)
from daxlab.learners.rnn import RNN as RNN
from daxlab.settings import defaults as defaults, setting as setting
