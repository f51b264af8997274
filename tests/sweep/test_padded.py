"""Networks of several widths in one group are what each is alone, and can be taken out of it again."""

from pathlib import Path

import equinox as eqx
import jax
import numpy as np
import pytest

from daxlab.encoding import Encoding
from daxlab.engine import weights
from daxlab.languages import language
from daxlab.protocol import Protocol
from daxlab.runs import Ledger, unpack_arrays
from daxlab.runs.trained import TrainedNetwork
from daxlab.sweep import Architecture, Spec, driver, sweep, weights_of
from daxlab.sweep.grouping import grouped
from daxlab.sweep.worker import network_maker

WIDTHS = (4, 9)


@pytest.fixture(scope="module")
def both(tiny: Path, tmp_path_factory) -> tuple[list[Spec], Path, Path]:
    """The same runs, each alone and all in one group."""
    folder = tmp_path_factory.mktemp("padded")
    specs = [
        Spec(split, seed, Architecture("gru", 1, width, True, dropout), Protocol(updates=60), str(tiny))
        for seed, (width, split, dropout) in enumerate(zip(WIDTHS, ("jump", "simple"), (0.5, 0.1), strict=True))
    ]
    sweep(specs, folder / "alone.db")
    with pytest.MonkeyPatch.context() as patch:  # as on a card
        patch.setattr(driver, "grouped", lambda facts, device, at_once: grouped(facts, "gpu"))
        sweep(specs, folder / "together.db")
    return specs, folder / "alone.db", folder / "together.db"


def test_a_padded_group_is_one_group_the_widest_first(both) -> None:
    _, _, together = both
    with Ledger(together) as ledger:
        (group,) = ledger.groups("done")
    assert [member["network"]["hidden"] for member in group.members] == [9, 4]


def test_after_some_updates_a_padded_run_is_the_run_alone_to_rounding(both) -> None:
    specs, alone, together = both
    with Ledger(alone) as one, Ledger(together) as other:
        keys = one.select()
        assert set(keys) == set(other.select())
        for key in keys:
            first, second = one.run(key), other.run(key)
            assert first.metrics == pytest.approx(second.metrics)
            np.testing.assert_allclose(first.curve["loss"], second.curve["loss"], rtol=1e-4)
            for name, near in unpack_arrays(first.artefacts["neighbours"]).items():
                if name == "cosines":
                    padded = unpack_arrays(second.artefacts["neighbours"])[name]
                    np.testing.assert_allclose(np.asarray(near), np.asarray(padded), atol=1e-4)
    encoding = Encoding.of(language(specs[0].language).commands())
    for key in keys:
        make = network_maker(TrainedNetwork(alone, key).spec.architecture, encoding)
        lone, padded = (weights.load(weights_of(path, key), make) for path in (alone, together))
        widened = jax.tree.leaves(eqx.filter(lone.widen(9), eqx.is_array))
        for leaf, same in zip(widened, jax.tree.leaves(eqx.filter(padded, eqx.is_array)), strict=True):
            np.testing.assert_allclose(leaf, same, atol=1e-4)


def test_the_weights_of_a_padded_run_load_and_answer_like_those_of_the_run_alone(both) -> None:
    specs, alone, together = both
    for key in driver._by_key(specs)[0]:
        one, other = TrainedNetwork(alone, key), TrainedNetwork(together, key)
        assert other.spec.architecture.hidden in WIDTHS
        first, second = one.predict("walk twice and run"), other.predict("walk twice and run")
        assert first.actions == second.actions
        assert first.probabilities == pytest.approx(second.probabilities, abs=1e-4)
        assert one.evaluate(one.spec.content()).accuracy == other.evaluate(other.spec.content()).accuracy
