"""Compiled programs are kept between processes, in the user's cache, so that only the first start waits for XLA."""

import jax

from daxlab.datasets.source import cache


def remember() -> None:
    """Turns on JAX's persistent compilation cache."""
    folder = cache() / "compiled"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # a home that cannot be written: every start compiles
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
