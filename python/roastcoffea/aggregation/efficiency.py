"""How well the cores were used."""

from roastcoffea.legacy.totals import calculate_efficiency_metrics

__all__ = ["calculate_efficiency_metrics"]
