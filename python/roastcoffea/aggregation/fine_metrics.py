"""The activities of Dask's spans."""

from roastcoffea.legacy.totals import parse_fine_metrics

__all__ = ["parse_fine_metrics"]
