/* Storage by server. */
#include "analysis/storage.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"
#include "model/facts.h"

/* The number of a server, with a tally of its own; INTERN_NONE if memory is out. */
static uint32_t server_number(storage_sums *sums, roast_str name)
{
    uint32_t number = intern_add(&sums->names, name, NULL);
    if (number == INTERN_NONE || number < sums->n_servers)
        return number;
    server_tally *servers = with_room(sums->servers, sums->n_servers, &sums->capacity, sizeof *servers);
    if (!servers)
        return INTERN_NONE;
    sums->servers = servers;
    servers[sums->n_servers++] = (server_tally){.bytes_read = ROAST_ABSENT};
    return number;
}

bool storage_fit(storage_sums *sums, const roast_run *run)
{
    size_t files = run_files(run);
    uint32_t *of_file = realloc(sums->of_file, (files + 1) * sizeof *of_file);
    if (!of_file)
        return false;
    sums->of_file = of_file;
    for (; sums->n_files < files; sums->n_files++) {
        of_file[sums->n_files] = server_number(sums, file_server(run_file(run, (uint32_t)sums->n_files)->url));
        if (of_file[sums->n_files] == INTERN_NONE)
            return false;
    }
    return true;
}

/* Time in process() in which a chunk neither computed nor lacked a core: it waited for what it reads, or for a lock. */
static int64_t waiting_ns(const roast_chunk *chunk)
{
    if (chunk->duration_ns == ROAST_ABSENT || chunk->cpu_ns == ROAST_ABSENT)
        return ROAST_ABSENT;
    int64_t waiting = 0;
    saturated_add(&waiting, chunk->duration_ns);
    saturated_add(&waiting, -chunk->cpu_ns);
    saturated_add(&waiting, -or_zero(chunk->run_delay_ns));
    return waiting > 0 ? waiting : 0;
}

static void add_success(server_tally *tally, const roast_chunk *chunk)
{
    int64_t waiting = waiting_ns(chunk);
    tally->chunks++;
    add_measured(&tally->bytes_read, chunk->bytes_read);
    if (chunk->bytes_read == ROAST_ABSENT)
        return;
    if (waiting != ROAST_ABSENT) {
        saturated_add(&tally->reading_bytes, chunk->bytes_read);
        saturated_add(&tally->reading_ns, waiting);
    }
    if (chunk->read_requests != ROAST_ABSENT) {
        saturated_add(&tally->requested_bytes, chunk->bytes_read);
        saturated_add(&tally->n_requests, chunk->read_requests);
    }
}

bool storage_add(storage_sums *sums, const run_chunk *row, const ledger_attempt *attempt)
{
    const roast_chunk *chunk = &row->record;
    uint32_t number = row->file < sums->n_files ? sums->of_file[row->file] : server_number(sums, STR("unknown"));
    if (number == INTERN_NONE)
        return false;
    server_tally *tally = &sums->servers[number];
    tally->failed += attempt->failed;
    if (!attempt->failed && !attempt->recomputed)
        add_success(tally, chunk);
    return chunk->open_ns == ROAST_ABSENT || number_list_add(&tally->open_seconds, clock_seconds(chunk->open_ns));
}

void storage_release(storage_sums *sums)
{
    for (size_t i = 0; i < sums->n_servers; i++)
        number_list_release(&sums->servers[i].open_seconds);
    intern_release(&sums->names);
    free(sums->servers);
    free(sums->of_file);
}

static void fill_row(roast_summary *summary, size_t row, roast_str name, const server_tally *tally)
{
    const number_list *open = &tally->open_seconds;
    summary_cell_text(summary, M_storage_server, row, name);
    summary_cell_int(summary, M_storage_num_chunks, row, tally->chunks);
    summary_cell_int(summary, M_storage_failed, row, tally->failed);
    summary_cell_int(summary, M_storage_bytes_read, row, tally->bytes_read);
    summary_cell_real(summary, M_storage_read_rate_mbps, row,
                      ratio((double)tally->reading_bytes / 1e6, clock_seconds(tally->reading_ns)));
    summary_cell_real(summary, M_storage_open_seconds_p50, row, percentile(open->values, open->count, 50));
    summary_cell_real(summary, M_storage_open_seconds_p95, row, percentile(open->values, open->count, 95));
    summary_cell_real(summary, M_storage_requests_per_mb, row,
                      ratio((double)tally->n_requests, (double)tally->requested_bytes / 1e6));
}

static bool was_read(const server_tally *tally)
{
    return tally->chunks + tally->failed > 0;
}

roast_code analyse_storage(analysis *a, roast_error *err)
{
    const storage_sums *sums = &a->storage;
    size_t rows = 0, row = 0;
    for (size_t i = 0; i < sums->n_servers; i++)
        rows += was_read(&sums->servers[i]);
    if (!summary_add_rows(a->summary, ROAST_SCOPE_STORAGE, rows))
        return fail_memory(err);
    for (size_t i = 0; i < sums->n_servers; i++)
        if (was_read(&sums->servers[i]))
            fill_row(a->summary, row++, sums->names.strings[i], &sums->servers[i]);
    return ROAST_OK;
}
