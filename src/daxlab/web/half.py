"""Weights in half precision: half the bytes to send. Knows safetensors, nothing of networks."""

from safetensors import SafetensorError
from safetensors.numpy import load, save

from daxlab.errors import InputError


def narrowed(content: bytes) -> bytes:
    """A safetensors file whose float32 arrays are float16; an error if it is damaged."""
    try:
        arrays = load(content)
    except SafetensorError as error:
        raise InputError(f"these weights are damaged: {error}") from None
    return save({name: x.astype("float16") if x.dtype == "float32" else x for name, x in arrays.items()})
