"""Several workers on one card at once, by NVIDIA's multi-process service (MPS).

A small network's update is mostly launches, and kernels of one program wait for each other; those of several do not
(bench/at_once.py measures what it gains). Without the service a card only switches between processes, which is slower
than turns. It comes with the driver; it is started for a sweep and ends with it. Knows nothing of JAX.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

CONTROL = "nvidia-cuda-mps-control"
PIPES = "CUDA_MPS_PIPE_DIRECTORY"
WORKERS = 6  # so many fill a card (bench/at_once.py)
# It says when the service is there, and waits for our end, whatever that is, to end it too.
SERVICE = f"timeout 30 {CONTROL} -d >&2 </dev/null && echo ready && read _; echo quit -t 10 | timeout 30 {CONTROL} >&2"
STARTS = "import ctypes, sys; sys.exit(ctypes.CDLL('libcuda.so.1').cuInit(0))"


def is_here() -> bool:
    """Whether this machine has a card."""
    return Path("/dev/dxg").exists() or any(Path("/dev").glob("nvidia[0-9]*"))  # dxg: of Linux within Windows


def can_be_shared() -> bool:
    """Whether this machine seems to have the service."""
    return PIPES in os.environ or shutil.which(CONTROL) is not None


@contextmanager
def shared(folder: Path) -> Iterator[Mapping[str, str] | None]:
    """The environment in which processes share the card; None where they cannot. `folder`: for the service's pipes."""
    if PIPES in os.environ:  # it was started for us
        yield {} if _starts({}) else None
        return
    if not can_be_shared():
        yield None
        return
    environment = {PIPES: str(folder), "CUDA_MPS_LOG_DIRECTORY": str(folder)}
    keeper = subprocess.Popen(
        ["sh", "-c", SERVICE],
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # Ctrl-C goes to all of our session, and the keeper must outlive it
    )
    assert keeper.stdin and keeper.stdout
    try:
        ready = keeper.stdout.readline() == "ready\n" and _starts(environment)
        yield environment if ready else None
    finally:
        keeper.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            keeper.wait(15)


def _starts(environment: Mapping[str, str]) -> bool:
    """Whether CUDA starts for a process of this environment."""
    trial, beside = [sys.executable, "-c", STARTS], os.environ | environment
    try:
        return not subprocess.run(trial, env=beside, capture_output=True, timeout=60, check=False).returncode
    except subprocess.TimeoutExpired:
        return False
