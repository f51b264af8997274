"""Learners that are networks: many of one shape are stacked and trained by one compiled program (daxlab.engine).

`NetworkLearner` is the base of the kinds that come with daxlab. A class in a file of one's own need only be a
`daxlab.networks.Network` with a static method `start(key, *, words, actions, …)`; its further parameters become the
learner's fields, beside those that say how it is trained. JAX is not imported here, but in trainees.py.
"""

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from daxlab.datasets import Dataset, Split
from daxlab.errors import InputError
from daxlab.extras import Missing, imported
from daxlab.learners.core import Context, Job, Learner
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.settings import setting

if TYPE_CHECKING:
    from daxlab.encoding import Encoding
    from daxlab.learners.trainees import Trainees


@dataclass(frozen=True, kw_only=True)
class NetworkLearner(Learner, Protocol):
    """A network that the engine trains. Its fields are those of the network, `dropout`, and those of the protocol.

    A kind declares its own fields; where it is trained otherwise than the paper's networks, it gives a field of the
    protocol another default: `clip: float = usual(NetworkLearner, "clip", 0.1)`.
    """

    semantics: ClassVar[int] = SEMANTICS
    uses_jax: ClassVar[bool] = True
    _own: ClassVar[tuple[str, ...]] = ()  # the fields that `_start` takes

    dropout: float = setting(0.0, "the share of units dropped in training", least=0, below=1)

    @staticmethod
    def _start(key: Any, *, words: int, actions: int, **own: Any) -> Any:
        """The network with its start values, for vocabularies of these sizes.

        `prepared`: what `prepared` returned, if it did not return None.
        """
        raise NotImplementedError

    def prepared(self, split: Split, encoding: "Encoding") -> Any:
        """What the network is given at its start, computed from the training examples: a pytree of arrays, or None.

        The arrays' shapes depend on the encoding alone; a split without examples gives empty tables.
        """
        return None

    def network(self, words: int, actions: int) -> Callable[..., Any]:
        """The same as a function of the key and, where there is something, of what is prepared."""
        return partial(self._start, words=words, actions=actions, **{name: getattr(self, name) for name in self._own})

    @property
    def together(self) -> Any:
        """Runs may differ in dropout, unless the network takes it for something of its own."""
        return self if "dropout" in self._own else replace(self, dropout=0.0)

    @property
    def protocol(self) -> Protocol:
        """How it is trained, by the fields that are the protocol's."""
        return Protocol(**{part.name: getattr(self, part.name) for part in fields(Protocol)})

    def fit(self, jobs: Sequence[Job], context: Context) -> "Trainees | None":
        """Train all jobs at once; resumes from the context's checkpoint."""
        return _trainees().fit(self, jobs, context)  # type: ignore[no-any-return]

    def parameters(self, dataset: Dataset) -> int | None:
        with suppress(Missing):  # only JAX can tell
            return _trainees().parameters(self, dataset)  # type: ignore[no-any-return]
        return None

    def load(self, path: Path, dataset: Dataset) -> "Trainees":
        return _trainees().load(self, path, dataset)  # type: ignore[no-any-return]


def _trainees() -> Any:
    """The module that trains and asks networks, which imports JAX."""
    with imported():
        from daxlab.learners import trainees
    return trainees


def learner_of(network: Any, name: str) -> type[NetworkLearner]:
    """A learner whose fields are the parameters of the network's `start`, then `dropout` and the protocol's."""
    start = getattr(network, "start", None)
    if not callable(start):
        raise InputError(f"{name} breaks the contract: it needs a static method start(key, *, words, actions, …)")
    if inspect.isabstract(network):
        raise InputError(f"{name} breaks the contract: it needs {', '.join(sorted(network.__abstractmethods__))}")
    try:
        parameters = dict(inspect.signature(start, eval_str=True).parameters)
    except NameError as error:
        raise InputError(f"{name}: an annotation of start cannot be read ({error})") from None
    for argument in ("key", "words", "actions"):
        if parameters.pop(argument, None) is None:
            needs = f"takes no {argument!r}; it needs key, words, actions"
            raise InputError(f"{name} breaks the contract: its start {needs}")
    return make_dataclass(
        network.__name__,
        [_as_field(parameter, name) for parameter in parameters.values()],
        bases=(NetworkLearner,),
        frozen=True,
        namespace={
            "_start": staticmethod(start),
            "_own": tuple(parameters),
            "__doc__": network.__doc__,
            "exceptions": getattr(network, "exceptions", {}),
        },
    )


def _as_field(parameter: inspect.Parameter, name: str) -> tuple[str, Any, Any]:
    if parameter.default is inspect.Parameter.empty:
        raise InputError(f"{name} breaks the contract: the parameter {parameter.name!r} of start needs a default")
    kind = type(parameter.default) if parameter.annotation is inspect.Parameter.empty else parameter.annotation
    return parameter.name, kind, field(default=parameter.default)
