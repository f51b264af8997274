"""Where JAX computes, and where its compiled programs are kept."""

import os
from contextlib import suppress

import jax

from daxlab.datasets.source import cache as user_cache
from daxlab.errors import InputError


def on_device(device: str) -> None:
    """Start JAX on this device. Compiled programs are kept in the user's cache, unless JAX has been told of another:
    only the first start waits for XLA."""
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        folder = user_cache() / "compiled"
        with suppress(OSError):  # if the cache cannot be written, every start compiles
            folder.mkdir(parents=True, exist_ok=True)
            jax.config.update("jax_compilation_cache_dir", str(folder))
            jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)  # many small programs add up
    # Beside a GPU the CPU stays available, for the draws.
    jax.config.update("jax_platforms", "cpu" if device == "cpu" else "cuda,cpu")
    try:
        platform = jax.devices()[0].platform
    except (RuntimeError, AssertionError):  # JAX has no platform of that name
        platform = "none"
    if device == "gpu" and platform != "gpu":
        raise InputError(
            'there is no GPU here that JAX can use: pip install "daxlab[gpu]" on a machine that has one, '
            "or use --device cpu"
        )
