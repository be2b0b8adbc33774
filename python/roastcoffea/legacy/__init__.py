"""What exists only because of roastcoffea 0.1.x: its functions on dicts, and its data as a run in memory.

The old import paths (``roastcoffea.aggregation``, …) lead here. Metrics come from the one analysis: totals and
activities become a run in memory, whose metrics are picked under the names of 0.1.x. Lists of numbers, of chunks and of
samples, are averaged by the analysis's own formulas without one: a run has whole nanoseconds and bytes, and these
answers are as exact as the numbers given.
"""
