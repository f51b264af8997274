"""Where things lie beside a ledger, whatever links lead to it."""

from pathlib import Path


def checkpoints(ledger: Path) -> Path:
    """The folder of a ledger's checkpoints."""
    return _beside(ledger, "checkpoints")


def checkpoint(folder: Path, group: str) -> Path:
    """A group's checkpoint."""
    return folder / f"{group}.safetensors"


def weights_of(ledger: Path, name: str) -> Path:
    """The final weights of a run."""
    return _beside(ledger, "weights") / f"{name}.safetensors"


def _beside(ledger: Path, kind: str) -> Path:
    real = ledger.resolve() if ledger.is_symlink() else ledger
    return real.with_name(f"{real.name}.{kind}")
