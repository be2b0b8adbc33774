"""Settings of this process: where run files go, and how often the sampler looks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["configure", "settings"]


@dataclass
class Settings:
    """See ``configure``."""

    run_folder: Path | None = None
    sampler_hz: float = 10.0


settings = Settings()


def configure(*, run_folder: str | os.PathLike | None = None, sampler_hz: float | None = None) -> None:
    """Set what is the same for all collectors of this process; what is not given stays.

    Parameters
    ----------
    run_folder : path, optional
        Where run files go that are given no place (default: ``roastcoffea/runs`` in the user's cache directory).
    sampler_hz : float, optional
        How often the sampler of a worker looks at its memory and CPU, per second (default: 10; 0: never).
    """
    if run_folder is not None:
        settings.run_folder = Path(run_folder)
    if sampler_hz is not None:
        settings.sampler_hz = float(sampler_hz)
