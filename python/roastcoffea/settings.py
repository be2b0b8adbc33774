"""Settings of this process: where run files go, how often the sampler looks, what file metadata may cost."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["configure", "settings"]


@dataclass
class Settings:
    """See ``configure``."""

    run_folder: Path | None = None
    sampler_hz: float = 10.0
    file_metadata: Literal["local", "remote"] = "local"


settings = Settings()


def configure(
    *,
    run_folder: str | os.PathLike[str] | None = None,
    sampler_hz: float | None = None,
    file_metadata: Literal["local", "remote"] | None = None,
) -> None:
    """Set what is the same for all collectors of this process; what is not given stays.

    Parameters
    ----------
    run_folder : path, optional
        Where run files go that are given no place (default: ``roastcoffea/runs`` in the user's cache directory).
    sampler_hz : float, optional
        How often the sampler of a worker looks at its memory and CPU, per second (default: 10; 0: never).
    file_metadata : {'local', 'remote'}, optional
        'remote' lets workers read the metadata of files that are far away once more, natively, which tells of clusters
        and of the algorithm that was really used (default: 'local', what uproot has read of them already).
    """
    if file_metadata is not None:
        if file_metadata not in ("local", "remote"):
            raise ValueError(f"file_metadata is 'local' or 'remote', not {file_metadata!r}")
        settings.file_metadata = file_metadata
    if run_folder is not None:
        settings.run_folder = Path(run_folder)
    if sampler_hz is not None:
        settings.sampler_hz = float(sampler_hz)
