"""A processor that the decorator of the released 0.1.2 measures, which our collector does not need. Workers import it too."""

from __future__ import annotations

import awkward as ak
import nano
from roastcoffea_released import track_metrics


class Both(nano.Plain):
    _roastcoffea_collect_metrics = True  # of the class: our collector takes the instance's away while it measures

    @track_metrics
    def process(self, events):
        for _ in range(100):
            ak.sum(events.Jet.pt > 50)
        return nano.measure(events)
