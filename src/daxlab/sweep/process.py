"""A worker's process, whichever executor started it: made ready before JAX starts; then a task, and what became of it.

Whatever goes wrong in a task is an event too. Knows nothing of how tasks come here and where events go.
"""

import os
import signal
import traceback
from contextlib import nullcontext

from daxlab.errors import InputError
from daxlab.sweep.task import Broken, Finished, Report, Stopped, Task, TooLarge, Turn

OUT_OF_MEMORY = ("RESOURCE_EXHAUSTED", "Out of memory", "out of memory")
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"


def prepare(device: str, workers: int = 1) -> None:
    """Before JAX starts: on a CPU it gets one thread, because there is a worker for every core; on a card of so many
    workers its part of the memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the driver, which tells us to stop
    if device == "cpu":
        flags = os.environ.get("XLA_FLAGS", "")
        if ONE_THREAD not in flags:
            os.environ["XLA_FLAGS"] = f"{flags} {ONE_THREAD}"
        os.environ["PJRT_NPROC"] = "1"
    elif workers > 1:
        asked = os.environ.pop("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.9")  # its older name; XLA refuses both at once
        os.environ["XLA_CLIENT_MEM_FRACTION"] = str(float(os.environ.get("XLA_CLIENT_MEM_FRACTION", asked)) / workers)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def outcome(
    task: Task, device: str, report: Report, turn: Turn = nullcontext, at_once: int = 1
) -> Finished | Stopped | TooLarge | Broken:
    """Trains a group, and says what became of it. `at_once`: so many workers use the card at the same time."""
    try:
        from daxlab.sweep import compiled, worker  # JAX is loaded here, where it is used

        compiled.remember()
        worker.on_device(device)
        return worker.work(task, report, turn, at_once) or Stopped(task.group)
    except InputError as error:
        return Broken(task.group, str(error), mendable=True)
    except (BrokenPipeError, ConnectionResetError):  # nobody listens any more
        raise
    except Exception as error:
        if out_of_memory(error):
            return TooLarge(task.group, next(iter(str(error).splitlines()), type(error).__name__))
        return Broken(task.group, traceback.format_exc(), mendable=False)


def out_of_memory(error: Exception) -> bool:
    """Whether an error is XLA's, or Python's, for want of memory."""
    return isinstance(error, MemoryError) or any(mark in str(error) for mark in OUT_OF_MEMORY)
