"""Functions for runs without a Runner, each with a fault. Workers import this module too."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
from distributed import get_worker
from roastcoffea import track_metrics

USUAL = 0.05  # seconds of a task; it sleeps, so that how busy the machine is does not matter


def usual(number: int) -> int:
    time.sleep(USUAL)
    return number


def slow_on(worker: str, number: int) -> int:
    """Takes five times as long on one worker."""
    time.sleep(USUAL * (5 if get_worker().address == worker else 1))
    return number


def long_if(which: int, number: int) -> int:
    time.sleep(3 if number == which else USUAL)
    return number


@track_metrics
def decorated(events: list[int]) -> int:
    time.sleep(4 * USUAL)
    return len(events)


def nothing(number: int) -> int:
    return number


def fails_once(marks: str, number: int) -> int:
    """Every fourth fails the first time, after a while."""
    mark = Path(marks, str(number))
    if number % 4 == 0 and not mark.exists():
        mark.touch()
        time.sleep(2 * USUAL)
        raise ConnectionError("try again")
    return usual(number)


def dies_once(marks: str, which: int, number: int) -> int:
    mark = Path(marks, "dead")
    if number == which and not mark.exists():
        mark.touch()
        time.sleep(USUAL)
        os.kill(os.getpid(), signal.SIGKILL)
    return usual(number)


def large(number: int) -> np.ndarray:
    return np.random.default_rng(number).random(2_500_000)  # 20 MB that cannot be packed


def mean_of(array: np.ndarray) -> float:
    return float(array.mean())
