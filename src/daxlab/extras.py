"""What `pip install daxlab` leaves out because it is large: which packages, and the line that adds them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from daxlab.errors import InputError

# From a package to the extra that has it, and to what it is for.
PACKAGES = {
    **dict.fromkeys(("jax", "jaxlib", "equinox"), ("train", "JAX, which trains and asks networks,")),
    "sacrebleu": ("train", "sacreBLEU, which scores translations,"),
    "ray": ("ray", "Ray, which trains on a cluster,"),
    "inspect_ai": ("inspect", "Inspect AI, which asks language models,"),
}


class Missing(InputError, ImportError):
    """A package of an extra is not installed. The message has the line to type."""

    def __init__(self, package: str) -> None:
        extra, what = PACKAGES[package]
        super().__init__(f'{what} is not installed: pip install "daxlab[{extra}]"')


@contextmanager
def imported() -> Iterator[None]:
    """Around imports: a package of an extra that is not installed is Missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if missing := missing_package(error):
            raise Missing(missing) from None
        raise


def missing_package(error: BaseException) -> str | None:
    """The package of an extra that an import did not find, if that is what was wrong."""
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    return package if package in PACKAGES else None


def require(package: str) -> None:
    """Missing, if this package is not installed; it is not loaded."""
    if find_spec(package) is None:
        raise Missing(package)
