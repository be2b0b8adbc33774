/* A chunk record under the names of the catalogue: roast_records.def says which field a metric shows, and what is made
 * of two is computed here. */
#include "model/chunk_value.h"

/* The place of the field that a metric shows, from 1. */
static const unsigned char places[METRIC_COUNT] = {
#define SHOWN_worker(name, shown)
#define SHOWN_sample(name, shown)
#define SHOWN_worker_count(name, shown)
#define SHOWN_branch(name, shown)
#define SHOWN_file(name, shown)
#define SHOWN_section(name, shown)
#define SHOWN_task(name, shown)
#define SHOWN_activity(name, shown)
#define SHOWN_work(name, shown)
#define SHOWN_chunk(name, shown) [M_chunk_##shown] = FIELD_chunk_##name + 1,
#define ROAST_RECORD(record, help)
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help) SHOWN_##record(name, shown)
#define ROAST_HIDDEN(record, kind, name, key, base, column, detail, help)
#define ROAST_RECORD_END(record)
#include <roast_records.def>
};

const record_field *chunk_field(metric_id metric)
{
    return places[metric] ? &record_specs[RECORD_chunk].fields[places[metric] - 1] : NULL;
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t result;
    bool known = a != ROAST_ABSENT && b != ROAST_ABSENT && !__builtin_add_overflow(a, b, &result);
    return known ? result : ROAST_ABSENT;
}

static int64_t difference(int64_t a, int64_t b)
{
    int64_t result;
    bool known = a != ROAST_ABSENT && b != ROAST_ABSENT && !__builtin_sub_overflow(a, b, &result);
    return known ? result : ROAST_ABSENT;
}

/* Gigabytes are 1e9 bytes, as seconds are 1e9 nanoseconds. */
static roast_value gigabytes(int64_t bytes)
{
    return in_shown_unit(KIND_SPAN, bytes);
}

bool chunk_nanoseconds(const roast_chunk *chunk, metric_id metric, int64_t *ns)
{
    const record_field *field = chunk_field(metric);
    if (metric == M_chunk_t_end)
        *ns = sum(chunk->t_start_ns, chunk->duration_ns);
    else if (metric == M_chunk_noncpu_seconds)
        *ns = difference(chunk->duration_ns, chunk->cpu_ns);
    else if (field && kind_is_time(field->kind))
        *ns = *field_int(field, chunk);
    else
        return false;
    return true;
}

roast_value chunk_value(const roast_chunk *chunk, metric_id metric)
{
    const roast_value nothing = {.kind = ROAST_NOTHING};
    const record_field *field = chunk_field(metric);
    int64_t ns;
    if (chunk_nanoseconds(chunk, metric, &ns))
        return in_shown_unit(KIND_SPAN, ns);
    switch ((int)metric) {
    case M_chunk_mem_delta_mb:
        return in_shown_unit(KIND_MEMORY, difference(chunk->rss_after, chunk->rss_before));
    case M_chunk_memory_start_gb:
        return gigabytes(chunk->rss_before);
    case M_chunk_memory_end_gb:
        return gigabytes(chunk->rss_after);
    case M_chunk_memory_delta_gb:
        return gigabytes(difference(chunk->rss_after, chunk->rss_before));
    case M_chunk_mem_peak_shared:
        return chunk->rss_peak == ROAST_ABSENT ? nothing : in_shown_unit(KIND_INT, chunk->peak_shared);
    case M_chunk_num_branches_accessed:
        return chunk->branches ? in_shown_unit(KIND_INT, (int64_t)chunk->n_branches) : nothing;
    default:
        return field ? field_value(field, chunk) : nothing;
    }
}
