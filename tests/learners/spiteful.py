"""Learners that do what no learner should. `Good` is what they would be otherwise: a look-up table."""

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import time


class Good:
    def fit(self, train, *, seed):
        self.known = dict(train)

    def predict(self, commands):
        return [self.known.get(command, "NO") for command in commands]


class CrashesInInit(Good):
    def __init__(self):
        raise RuntimeError("not made")


class CrashesInFit(Good):
    def fit(self, train, *, seed):
        raise RuntimeError("not fitted")


class CrashesInPredict(Good):
    def predict(self, commands):
        raise RuntimeError("not predicted")


class Exits(Good):
    def fit(self, train, *, seed):
        print("no GPU: goodbye", file=sys.stderr)
        sys.exit(0)


class Segfaults(Good):
    def fit(self, train, *, seed):
        ctypes.string_at(0)


class Hangs(Good):
    def fit(self, train, *, seed):
        print("waiting for the licence", file=sys.stderr)
        time.sleep(1000)


class HangsIgnoringTerm(Good):
    def fit(self, train, *, seed):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)


class LeavesChild(Good):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        subprocess.Popen(["sleep", "1000"], start_new_session=True)


class LeavesChildWithoutEnvironment(Good):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        subprocess.Popen(["/bin/sleep", "1000"], env={}, cwd=os.environ["DAXLAB_TEST"])


class Talks(Good):
    def fit(self, train, *, seed):
        super().fit(train, seed=seed)
        for _ in range(100):
            os.write(1, b"x" * 1_000_000)


class ClosesStdout(Good):
    def predict(self, commands):
        print("noise that is still in the buffer")
        os.close(1)
        return super().predict(commands)


class TooFew(Good):
    def predict(self, commands):
        return super().predict(commands)[1:]


class TooMany(Good):
    def predict(self, commands):
        return [*super().predict(commands), "NO"]


class SaysNone(Good):
    def predict(self, commands):
        return [None for _ in commands]


class SaysIntegers(Good):
    def predict(self, commands):
        return [3 for _ in commands]


class SaysHalfACharacter(Good):
    def predict(self, commands):
        return ["\ud800" for _ in commands]


def same(answer):
    return answer


class StartsProcesses(Good):
    def predict(self, commands):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            return pool.map(same, super().predict(commands))


class EatsMemory(Good):
    def fit(self, train, *, seed):
        print("loading the corpus", file=sys.stderr)
        eaten = []
        while True:
            eaten.append(bytes(10_000_000))
            eaten[-1] = bytearray(b"x" * 10_000_000)  # resident, not only asked for


class IgnoresItsSeed(Good):
    def fit(self, train, *, seed):
        super().fit(sorted(train), seed=0)


class NoPredict:
    def fit(self, train, *, seed):
        pass


class Complains(Good):
    def fit(self, train, *, seed):
        for _ in range(100):
            os.write(2, b"x" * 1_000_000)
        raise RuntimeError("said at last")
