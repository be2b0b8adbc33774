"""Runs whose work are tasks: what recording and summarising 100,000 of them cost, against as many chunks.

A task is told less of than a chunk, but keeps its key and is compared with others of its kind: it should cost no more."""

from __future__ import annotations

import pathlib

from common import Context, Line, measure, measure_json, median, say, seconds_text, size_text

SHAPE = ["--seed", "5", "--chunks", "100000", "--workers", "100", "--samples", "3600", "--files", "1000", "--no-report",
         "--no-truth", "--measure-write"]  # fmt: skip
KINDS = {"tasks": ["--only-tasks"], "chunks": ["--tasks"]}  # with a Runner there are tasks, too


def run(context: Context) -> list[Line]:
    runs = {kind: context.work / f"only-{kind}.roast" for kind in KINDS}
    wrote = {kind: [] for kind in KINDS}
    shown = {kind: [] for kind in KINDS}
    for _ in range(context.repeat):
        for kind, options in KINDS.items():
            command = [context.tool("roast-synth"), *SHAPE, *options, "-o", str(runs[kind])]
            wrote[kind].append(measure_json(command)["write_seconds"])
            shown[kind].append(measure([context.tool("roast"), "show", str(runs[kind])]))
    write = {kind: median(wrote[kind]) for kind in KINDS}
    show = {kind: median(one.seconds for one in shown[kind]) for kind in KINDS}
    memory = {kind: median(one.peak_bytes for one in shown[kind]) for kind in KINDS}
    size = {kind: pathlib.Path(runs[kind]).stat().st_size for kind in KINDS}
    say(f"bench: 100,000 tasks: {size_text(size['tasks'])}, show {seconds_text(show['tasks'])}, {size_text(memory['tasks'])}")

    def line(what: str, values: dict, text) -> Line:
        return Line(f"100,000 tasks against chunks, {what}", text(values["tasks"]), text(values["chunks"]),
                    values["tasks"] / values["chunks"], 1, at_most=True)  # fmt: skip

    return [line("write", write, seconds_text), line("file size", size, size_text), line("show", show, seconds_text),
            line("peak memory, show", memory, size_text)]  # fmt: skip
