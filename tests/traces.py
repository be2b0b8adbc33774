"""What we leave on a cluster, for the tests that say: nothing."""

from __future__ import annotations


def traces(client):
    """Everything on a cluster that has our name."""

    def on_scheduler(dask_scheduler):
        spaces = [dask_scheduler.plugins, dask_scheduler.worker_plugins, dask_scheduler._broker._topics]
        spaces.append(dask_scheduler.task_metadata)
        return [str(name) for space in spaces for name in space if "roastcoffea" in str(name)]

    def on_worker(dask_worker):
        return [name for name in dask_worker.plugins if "roastcoffea" in name]

    found = [name for names in client.run(on_worker).values() for name in names]
    return client.run_on_scheduler(on_scheduler) + found + [topic for topic in client._event_handlers if "roastcoffea" in topic]
