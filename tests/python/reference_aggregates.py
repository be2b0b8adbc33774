"""Runs in a Python with some roastcoffea, ours or 0.1.2: reads pickled calls from stdin, answers with their results."""

import importlib
import math
import pickle
import sys
import warnings

warnings.simplefilter("ignore")
results = []
for module, name, arguments in pickle.load(sys.stdin.buffer):
    function = getattr(importlib.import_module(f"roastcoffea.aggregation.{module}"), name)
    if name == "MetricsAggregator":
        function = function("dask").aggregate
    result = function(*arguments)
    results.append(float(result) if isinstance(result, (int, float)) and not math.isnan(result) else result)
pickle.dump(results, sys.stdout.buffer)
