"""roast compare over runs of growing size: the time must grow in proportion, whatever the statistics behind it."""

from __future__ import annotations

import pathlib

from common import Context, Line, measure, measure_json, median, say, seconds_text
from core import WORKERS, exponent


def make_pair(context: Context, chunks: int) -> list[pathlib.Path]:
    """The same chunks on two days, the second with slower storage."""
    paths = []
    for day, slow in ((1, "1"), (2, "1.3")):
        path = context.work / f"compare-{chunks}-{day}.roast"
        shape = {"seed": 5, "luck": day, "slow-wait": slow, "chunks": chunks, "workers": WORKERS[chunks], "samples": 60,
                 "files": min(chunks // 100, 1000), "output": path}  # fmt: skip
        options = [text for name, value in shape.items() for text in (f"--{name}", str(value))]
        made = measure_json([context.tool("roast-synth"), *options, "--no-truth", "--measure-write"])
        say(f"bench: made {chunks:,} chunks in {made['wall']:.1f} s")
        paths.append(path)
    return paths


def run(context: Context) -> list[Line]:
    sizes = [size for size in WORKERS if size <= 100_000 or not context.quick]
    pairs = {chunks: make_pair(context, chunks) for chunks in sizes}
    compared = {chunks: [] for chunks in sizes}
    for _ in range(context.repeat):
        for chunks in sizes:
            compared[chunks].append(measure([context.tool("roast"), "compare", *map(str, pairs[chunks]), "--json"]))
    seconds = {chunks: median(one.seconds for one in compared[chunks]) for chunks in sizes}
    for chunks in sizes:
        memory = median(one.peak_bytes for one in compared[chunks])
        say(f"bench: roast compare of {chunks:,} chunks: {seconds[chunks]:.3f} s, {memory / 1e6:.1f} MB")
    for paths in pairs.values():
        for path in paths:
            path.unlink()
    return [
        Line(f"time of compare over {sizes[0]:,} to {sizes[-1]:,} chunks, exponent",
             " ".join(seconds_text(seconds[chunks]) for chunks in sizes), "",
             exponent(sizes, list(seconds.values())), 1.15, at_most=True),
    ]  # fmt: skip
