"""The protocol, for the rest of the engine."""

from daxlab.protocol import Protocol

__all__ = ["Protocol"]
