"""Runs inside a Python that has a roastcoffea, ours or 0.1.2: what the scheduler spends on a look at 2,000 workers.

The scheduler is a real one that listens to nobody, with workers as their heartbeats leave them. Prints one line of JSON:
milliseconds of CPU per tick, with what is sent to the client packed as it would be sent."""

from __future__ import annotations

import asyncio
import json
import time

from distributed.core import Status
from distributed.protocol import dumps
from distributed.scheduler import Scheduler, WorkerState, heartbeat_interval

WORKERS, TICKS = 2000, 40

#: What a heartbeat of a worker carries.
METRICS = {
    "task_counts": {"executing": 1, "memory": 20},
    "bandwidth": {"total": 1e8, "workers": {}, "types": {}},
    "digests_total_since_heartbeat": {},
    "managed_bytes": 123456789,
    "spilled_bytes": {"memory": 0, "disk": 0},
    "transfer": {"incoming_bytes": 0, "incoming_count": 0},
    "event_loop_interval": 0.02,
    "cpu": 98.5,
    "memory": 1234567890,
    "host_net_io": {"read_bps": 1e6, "write_bps": 1e5},
    "host_disk_io": {"read_bps": 1e6, "write_bps": 1e5},
    "num_fds": 40,
}


class Connection:
    """To a client: packs what it is given, as a connection does."""

    def send(self, *messages: dict) -> None:
        dumps(list(messages))

    def closed(self) -> bool:
        return False


def make_scheduler() -> Scheduler:
    scheduler = Scheduler(dashboard=False)
    for number in range(WORKERS):
        address = f"tcp://10.0.{number // 250}.{number % 250}:40000"
        worker = WorkerState(
            address=address, status=Status.running, pid=number, name=number, nthreads=4, memory_limit=8_000_000_000,
            local_directory="/tmp", nanny=None, server_id=f"worker-{number}", scheduler=scheduler,
        )  # fmt: skip
        worker.metrics = {**METRICS, "time": time.time()}
        scheduler.workers[address] = worker
    return scheduler


def heartbeats(scheduler: Scheduler, turn: int) -> None:
    """Those that come within a second: with so many workers each sends one in several."""
    workers = list(scheduler.workers.values())
    apart = round(heartbeat_interval(len(workers)))
    for worker in workers[turn % apart :: apart]:
        worker.last_seen = time.time()
        worker.metrics = {**worker.metrics, "time": worker.last_seen}


async def ours(scheduler: Scheduler):
    from roastcoffea.backends._plugins import SchedulerTracker

    tracker = SchedulerTracker("bench", "client")
    await tracker.start(scheduler)
    scheduler.plugins[tracker.name] = tracker
    scheduler.client_comms["client"] = Connection()
    scheduler._broker.subscribe(tracker.name, "client")
    tracker.track(3600)

    async def tick() -> None:
        tracker.tick()

    return tick


async def theirs(scheduler: Scheduler):
    from roastcoffea.backends.dask import _start_tracking_on_scheduler

    _start_tracking_on_scheduler(scheduler, interval=0)

    async def tick() -> None:
        await asyncio.sleep(0)  # its own task takes its turn

    return tick


async def main() -> None:
    scheduler = make_scheduler()
    try:
        import roastcoffea._core  # noqa: F401
    except ImportError:
        tick = await theirs(scheduler)
    else:
        tick = await ours(scheduler)
    await tick()  # the first sees all workers
    spent = []
    for turn in range(TICKS):
        heartbeats(scheduler, turn)
        begun = time.process_time()
        await tick()
        spent.append(time.process_time() - begun)
    spent.sort()
    print(json.dumps({"tick_ms": spent[len(spent) // 2] * 1e3}))


asyncio.run(main())
