"""``coffea_metrics``: the former name of roastcoffea, for scripts that were written for it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import roastcoffea

__all__ = list(roastcoffea.__all__)


def __getattr__(name: str) -> Any:
    return getattr(roastcoffea, name)


class _SameModule(MetaPathFinder, Loader):
    """``coffea_metrics.x`` is ``roastcoffea.x``: the same module, not a copy."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.startswith(f"{__name__}.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module("roastcoffea" + spec.name[len(__name__) :])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = module.__spec__.loader_state  # which the import system has just replaced


sys.meta_path.append(_SameModule())
