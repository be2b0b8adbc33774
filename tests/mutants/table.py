"""The mutants that are written by hand: a file, a piece of it that is there once, and what it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    file: str
    before: str
    after: str
    title: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.title or f'{self.before.strip()}  →  {self.after.strip()}'}"

    @property
    def layer(self) -> str:
        parts = self.file.split("/")
        return parts[1] if parts[0] == "src" else parts[0]

    def fits(self, root: Path) -> bool:
        path = root / self.file
        return path.exists() and path.read_text(encoding="utf-8").count(self.before) == 1

    def applied_to(self, text: str) -> str:
        return text.replace(self.before, self.after)


MUTANTS = [
    Mutant(*row)
    for row in (
        ("src/model/facts.c", "!str_absent(chunk->error_type) ||", "!str_absent(chunk->error_type) &&"),
        ("src/model/facts.c", "    saturated_add(&sum, or_zero(chunk->open_ns));\n", ""),
        ("src/model/facts.c", "    saturated_add(&sum, or_zero(chunk->return_ns));\n", ""),
        ("src/model/facts.c", "chunk->entry_stop, chunk->round};", "chunk->entry_stop, 0};"),
        ("src/model/facts.c", "chunk->dataset.len, seed);", "0, seed);"),
        ("src/model/facts.c", "    if (worker->host.len)\n        return worker->host;\n", ""),
        ("src/model/facts.c", "return host.len ? host : worker->address;", "return worker->address;"),
        ("src/model/facts.c", "__builtin_sub_overflow(t_ns, worker", "__builtin_add_overflow(t_ns, worker"),
        ("src/model/branch_set.c", "!str_equal(names[distinct - 1], names[i])", "true"),
        ("src/model/branch_set.c", "sum += XXH3", "sum = XXH3"),
        ("src/model/branch_set.c", 'STR("AuxDyn")), STR("Aux"))', 'STR("AuxDyn")), STR("AuxDyn"))'),
        (
            "src/model/chunk_value.c",
            "difference(chunk->duration_ns, chunk->cpu_ns",
            "difference(chunk->cpu_ns, chunk->duration_ns",
        ),
        ("src/model/chunk_value.c", "sum(chunk->t_start_ns, chunk->duration_ns", "sum(chunk->t_start_ns, chunk->cpu_ns"),
        ("src/base/secrets.c", "tells && tells->chosen ? name : parameter", "parameter"),
        ("src/base/secrets.c", "        to = s->last_at;\n", "        to = host;\n"),
        ("src/base/secrets.c", "is_quote(before) ? before : ", ""),
        ("src/base/secrets.c", "        found->to = s->url_end;\n", "        found->to += 0;\n"),
        ("src/base/secrets.c", "s->at = s->taken = found->to;", "s->at = found->to;"),
        ("src/analysis/statistics.c", "(double)(m->count - 1)", "(double)m->count"),
        ("src/analysis/statistics.c", "m->min < value ? m->min : value", "m->min > value ? m->min : value"),
        ("src/analysis/statistics.c", "percent / 100.0 * (double)(count - 1)", "percent / 100.0 * (double)count"),
        ("src/analysis/statistics.c", "(t->last_value + value) / 2", "t->last_value"),
        ("src/analysis/statistics.c", "fit->xy += dx * (y - fit->mean_y)", "fit->xy += dx * dy"),
        ("src/analysis/presence.c", "now.cores += steps[i].cores;\n        }\n        out", "}\n        out"),
        ("src/analysis/slots.c", "start_ns + TOLERANCE_NS", "start_ns"),
        ("src/analysis/slots.c", "s->last_end_ns > best->last_end_ns)", "s->last_end_ns < best->last_end_ns)"),
        ("src/analysis/slots.c", "    table->misfits++;\n", ""),
        (
            "src/analysis/efficiency.c",
            "M_run_core_efficiency, ratio(process, core_seconds)",
            "M_run_core_efficiency, ratio(process, elapsed)",
        ),
        ("src/analysis/workflow.c", "ratio(bytes * 8 / 1e9, elapsed)", "ratio(bytes / 1e9, elapsed)"),
        ("src/analysis/workflow.c", "ratio_of(t->seconds, t->chunks)", "ratio_of(t->chunks, t->seconds)"),
        (
            "src/analysis/workflow.c",
            '{"$.entries", &t->events},\n                {"$.duration"',
            '{"$.entries", &t->bytes},\n                {"$.duration"',
        ),
        ("src/analysis/chunks.c", "    tally->failed += failed;\n", ""),
        ("src/analysis/chunks.c", "chunk->attempt == 2 && !", "chunk->attempt == 2 && "),
        ("src/analysis/chunks.c", "duration * 1e6 / events :", "duration * 1e3 / events :"),
        ("src/analysis/chunks.c", "double limit = 3 *", "double limit = 2 *"),
        ("src/analysis/chunks.c", "{M_run_chunk_duration_p05, M_run_chunk_duration_p50,", "{M_run_chunk_duration_p50, M_run_chunk_duration_p05,"),
        (
            "src/analysis/chunks.c",
            "const roast_str parts[] = {chunk->error_type, chunk->dataset, chunk->file, chunk->worker};",
            "const roast_str parts[] = {chunk->error_type, chunk->dataset, chunk->file, chunk->file};",
        ),
        (
            "src/analysis/sections.c",
            "section->duration_ns > tally->max_duration_ns",
            "section->duration_ns < tally->max_duration_ns",
        ),
        (
            "src/analysis/sections.c",
            "add_measured(&tally->bytes, section->bytes)",
            "add_measured(&tally->bytes, section->count)",
        ),
        ("src/analysis/sections.c", "moments_min(&tally->mem_delta)", "moments_max(&tally->mem_delta)"),
        ("src/analysis/density.c", "place->count++;", "place->count = 1;"),
        ("src/analysis/reduce.c", "y > r->greatest.y", "y >= r->least.y"),
        ("src/analysis/ledger.c", "!retry && start_ns > l->last_first_start_ns", "start_ns > l->last_first_start_ns"),
        ("src/analysis/ledger.c", "out->failed ? LEDGER_FAILED : LEDGER_LOST", "out->failed ? LEDGER_LOST : LEDGER_FAILED"),
        ("src/analysis/ledger.c", "task->stop_ns <= l->first_start_ns ?", "task->stop_ns > l->first_start_ns ?"),
        (
            "src/analysis/ledger.c",
            "idle->tail += seconds_between(turn, to) - busy_after",
            "idle->tail += seconds_between(turn, to)",
        ),
        ("src/analysis/ledger.c", "    idle->lost += lost;\n", ""),
        ("src/analysis/completeness.c", "chunk->failures < row->record.attempt - 1;", "chunk->failures < row->record.attempt;"),
        ("src/analysis/completeness.c", "        c->failed[*place - 1].done = true;\n", "        c->failed[*place - 1].done = false;\n"),
        ("src/analysis/completeness.c", ".events = range - chunk->events,", ".events = range,"),
        ("src/analysis/completeness.c", "DEATHS_OF_A_CHUNK = 3 }", "DEATHS_OF_A_CHUNK = 4 }"),
        ("src/analysis/completeness.c", "return attempts > 1 ? ", "return attempts > 0 ? "),
        ("src/analysis/completeness.c", "if (killed || error_is_transient", "if (error_is_transient"),
        ("src/analysis/completeness.c", "!missing && tally->chunks && tally->recovered == tally->chunks", "!missing && tally->recovered"),
        ("src/analysis/completeness.c", "nature_of_group(t, group, true);", "nature_of_group(t, group, false);"),
        ("src/analysis/completeness.c", "a->files[chunk->file].chunks == 0}", "a->files[chunk->file].chunks != 0}"),
        ("src/analysis/completeness.c", "        if (chunk->done)\n            continue;\n", ""),
        ("src/analysis/completeness.c", "tally_part(all, part, !*known);", "tally_part(all, part, true);"),
        ("src/analysis/completeness.c", "t->chunks += part->start != ROAST_ABSENT && !part->shortened;", "t->chunks += part->start != ROAST_ABSENT;"),
        ("src/analysis/completeness.c", "(double)(a->all.chunks + all->chunks);", "(double)a->all.chunks;"),
        ("src/analysis/completeness.c", "    if (any || asked)\n        summary_set_int", "    if (any)\n        summary_set_int"),
        ("src/analysis/completeness.c", "    if (!runner_told(a))\n        expect_recorded", "    if (runner_told(a))\n        expect_recorded"),
        ("src/view/missing.c", "if (!is_whole_file(s, i) || str_absent", "if (str_absent"),
        ("src/view/missing.c", "return rows_of(s) > 0;", "return rows_of(s) > 1;"),
        ("src/view/missing.c", "        events += fmax(cell_real(s, M_missing_events, i), 0);", "        events = fmax(cell_real(s, M_missing_events, i), 0);"),
        ("src/analysis/inference.c", "n + 1 - ties / (n * (n - 1))", "n + 1"),
        ("src/analysis/inference.c", "(uint32_t)(i + 1 + end)", "(uint32_t)(i + end)"),
        ("src/analysis/inference.c", "out->p_greater = count_y ? upper : lower;", "out->p_greater = count_y ? lower : upper;"),
        ("src/analysis/inference.c", "(double)count * ((double)count + 1) / 2", "(double)count * ((double)count - 1) / 2"),
        ("src/analysis/replay.c", "seconds += work_seconds(&more) - overhead_of(p, &more);", "seconds += work_seconds(&more);"),
        (
            "src/analysis/replay.c",
            "(a->recomputed && change->no_losses);",
            "(a->recomputed && change->no_failures);",
        ),
        ("src/analysis/replay.c", "arrives + (p->change->no_start ? 0 : r->start_delay[w])", "arrives"),
        ("src/analysis/replay.c", "p.end + fmax(after, 0)", "p.end"),
        (
            "src/analysis/branches.c",
            "        tally->read = true;\n",
            "        tally->read = false;\n",
        ),
        ("src/analysis/branches.c", "if (!is_first_of_place(pass, i))\n", "if (false)\n"),
        ("src/record/unpack.c", "read_step(&u->at, 1024, &rss)", "read_step(&u->at, 1000, &rss)"),
        ("src/record/unpack.c", "sample.cpu = (double)tenths / 10;", "sample.cpu = (double)tenths;"),
        ("src/record/unpack.c", "version > PACKED_VERSION", "version > PACKED_VERSION + 1"),
        ("src/record/unpack.c", "u.at.failed || cursor_left(&u.at)", "u.at.failed"),
        ("src/run/seal.c", "RUN_SEAL_BYTES, number + 1);", "RUN_SEAL_BYTES, 1);"),
        ("src/run/seal.c", "first_broken = at + i + 1;", "first_broken = at + i;"),
        ("src/run/seal.c", "if (file->pages < file->header_pages ||", "if ("),
        ("src/run/writer.c", "    buf_char(&key, '\\0');\n    buf_str(&key, tree);\n", ""),
        (
            "src/run/writer.c",
            "if (count == 0)\n        w->empty_branch_set = set;\n",
            "if (count == 1)\n        w->empty_branch_set = set;\n",
        ),
        ("src/run/writer.c", "    w->branch_set_named[set - 1] = true;\n", ""),
        ("src/run/writer.c", ".id = ++w->n_workers}", ".id = w->n_workers++}"),
        ("src/run/locate.c", "|| *c == '#' ||", "||"),
        ("src/run/locate.c", '        buf_text(uri, "./");\n', '        buf_text(uri, "//");\n'),
        ("src/run/locate.c", "user_version\") < RUN_VERSION", "user_version\") > RUN_VERSION"),
    )
]
