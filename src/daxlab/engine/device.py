"""Where JAX computes, and where its compiled programs are kept."""

import jax

from daxlab.datasets.source import cache as user_cache
from daxlab.errors import InputError


def on_device(device: str) -> None:
    """Start JAX on this device, with its compilation cache."""
    enable_compilation_cache()
    # Beside a card the CPU is kept at hand, for the draws.
    jax.config.update("jax_platforms", "cpu" if device == "cpu" else "cuda,cpu")
    try:
        found = jax.devices()[0].platform
    except (RuntimeError, AssertionError):  # JAX's, where a platform of that name cannot be had
        found = "none"
    if device == "gpu" and found != "gpu":
        raise InputError(
            "there is no GPU here that JAX can use: install daxlab[gpu] on a machine that has one, or use --device cpu"
        )


def enable_compilation_cache() -> None:
    """Keep compiled programs in the user's cache, so that only the first start waits for XLA."""
    folder = user_cache() / "compiled"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # a home that cannot be written: every start compiles
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
