"""Where things lie beside a ledger, whatever links lead to it."""

from pathlib import Path


def checkpoints(ledger: Path) -> Path:
    """The folder of a ledger's checkpoints."""
    return Path(f"{ledger.resolve()}.checkpoints")


def checkpoint(folder: Path, group: str) -> Path:
    """A group's checkpoint."""
    return folder / f"{group}.safetensors"


def weights_of(ledger: Path, name: str) -> Path:
    """The final weights of a run."""
    return Path(f"{ledger.resolve()}.weights") / f"{name}.safetensors"
