import os
from pathlib import Path

import jax

from daxlab.engine.device import on_device


def test_compiled_programs_are_kept_where_the_user_says(nowhere: Path) -> None:
    on_device("cpu")
    assert jax.config.jax_compilation_cache_dir == os.environ["JAX_COMPILATION_CACHE_DIR"]
    assert not nowhere.exists()
