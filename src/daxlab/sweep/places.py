"""Where things lie beside a ledger."""

from pathlib import Path


def checkpoints(ledger: Path) -> Path:
    """The folder of a ledger's checkpoints."""
    return ledger.with_name(f"{ledger.name}.checkpoints")


def checkpoint(folder: Path, group: str) -> Path:
    """A group's checkpoint."""
    return folder / f"{group}.safetensors"


def weights_of(ledger: Path, name: str) -> Path:
    """The final weights of a run."""
    return ledger.with_name(f"{ledger.name}.weights") / f"{name}.safetensors"
