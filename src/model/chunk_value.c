/* A chunk record under the names of the catalogue: a table for what is one field in another unit, a switch for what is
 * made of two. */
#include "model/chunk_value.h"

#include <stddef.h>

#include "base/str.h"

typedef enum field_unit { AS_INT, AS_TEXT, AS_SECONDS, AS_MEBIBYTES, AS_GIGABYTES } field_unit;

static const struct chunk_field {
    metric_id metric;
    field_unit unit;
    size_t offset;
} fields[] = {
    {M_chunk_dataset, AS_TEXT, offsetof(roast_chunk, dataset)},
    {M_chunk_file, AS_TEXT, offsetof(roast_chunk, file)},
    {M_chunk_treename, AS_TEXT, offsetof(roast_chunk, treename)},
    {M_chunk_uuid, AS_TEXT, offsetof(roast_chunk, uuid)},
    {M_chunk_entry_start, AS_INT, offsetof(roast_chunk, entry_start)},
    {M_chunk_entry_stop, AS_INT, offsetof(roast_chunk, entry_stop)},
    {M_chunk_num_events, AS_INT, offsetof(roast_chunk, events)},
    {M_chunk_attempt, AS_INT, offsetof(roast_chunk, attempt)},
    {M_chunk_worker, AS_TEXT, offsetof(roast_chunk, worker)},
    {M_chunk_pid, AS_INT, offsetof(roast_chunk, pid)},
    {M_chunk_thread, AS_INT, offsetof(roast_chunk, thread)},
    {M_chunk_t_start, AS_SECONDS, offsetof(roast_chunk, t_start_ns)},
    {M_chunk_duration, AS_SECONDS, offsetof(roast_chunk, duration_ns)},
    {M_chunk_open_seconds, AS_SECONDS, offsetof(roast_chunk, open_ns)},
    {M_chunk_events_seconds, AS_SECONDS, offsetof(roast_chunk, events_ns)},
    {M_chunk_return_seconds, AS_SECONDS, offsetof(roast_chunk, return_ns)},
    {M_chunk_cpu_seconds, AS_SECONDS, offsetof(roast_chunk, cpu_ns)},
    {M_chunk_run_delay_seconds, AS_SECONDS, offsetof(roast_chunk, run_delay_ns)},
    {M_chunk_mem_before_mb, AS_MEBIBYTES, offsetof(roast_chunk, rss_before)},
    {M_chunk_mem_after_mb, AS_MEBIBYTES, offsetof(roast_chunk, rss_after)},
    {M_chunk_mem_peak_mb, AS_MEBIBYTES, offsetof(roast_chunk, rss_peak)},
    {M_chunk_memory_start_gb, AS_GIGABYTES, offsetof(roast_chunk, rss_before)},
    {M_chunk_memory_end_gb, AS_GIGABYTES, offsetof(roast_chunk, rss_after)},
    {M_chunk_bytes_read, AS_INT, offsetof(roast_chunk, bytes_read)},
    {M_chunk_read_requests, AS_INT, offsetof(roast_chunk, read_requests)},
    {M_chunk_voluntary_switches, AS_INT, offsetof(roast_chunk, voluntary_switches)},
    {M_chunk_involuntary_switches, AS_INT, offsetof(roast_chunk, involuntary_switches)},
    {M_chunk_page_faults, AS_INT, offsetof(roast_chunk, page_faults)},
    {M_chunk_error_type, AS_TEXT, offsetof(roast_chunk, error_type)},
    {M_chunk_error, AS_TEXT, offsetof(roast_chunk, error)},
};

static roast_value nothing(void)
{
    return (roast_value){.kind = ROAST_NOTHING};
}

static roast_value real(double value)
{
    return (roast_value){.kind = ROAST_REAL, .as.real = value};
}

static roast_value in_unit(int64_t value, field_unit unit)
{
    if (value == ROAST_ABSENT)
        return nothing();
    switch (unit) {
    case AS_SECONDS:
    case AS_GIGABYTES:
        return real((double)value / 1e9);
    case AS_MEBIBYTES:
        return real((double)value / 1048576.0);
    default:
        return (roast_value){.kind = ROAST_INT, .as.integer = value};
    }
}

static roast_value sum(int64_t a, int64_t b, field_unit unit)
{
    int64_t result;
    bool known = a != ROAST_ABSENT && b != ROAST_ABSENT && !__builtin_add_overflow(a, b, &result);
    return known ? in_unit(result, unit) : nothing();
}

static roast_value difference(int64_t a, int64_t b, field_unit unit)
{
    int64_t result;
    bool known = a != ROAST_ABSENT && b != ROAST_ABSENT && !__builtin_sub_overflow(a, b, &result);
    return known ? in_unit(result, unit) : nothing();
}

static roast_value computed(const roast_chunk *chunk, metric_id metric)
{
    switch ((int)metric) {
    case M_chunk_t_end:
        return sum(chunk->t_start_ns, chunk->duration_ns, AS_SECONDS);
    case M_chunk_noncpu_seconds:
        return difference(chunk->duration_ns, chunk->cpu_ns, AS_SECONDS);
    case M_chunk_mem_delta_mb:
        return difference(chunk->rss_after, chunk->rss_before, AS_MEBIBYTES);
    case M_chunk_memory_delta_gb:
        return difference(chunk->rss_after, chunk->rss_before, AS_GIGABYTES);
    case M_chunk_mem_peak_shared:
        return chunk->rss_peak == ROAST_ABSENT ? nothing() : in_unit(chunk->peak_shared, AS_INT);
    case M_chunk_num_branches_accessed:
        return chunk->branches ? in_unit((int64_t)chunk->n_branches, AS_INT) : nothing();
    default:
        return nothing();
    }
}

roast_value chunk_value(const roast_chunk *chunk, metric_id metric)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].metric != metric)
            continue;
        const char *at = (const char *)chunk + fields[i].offset;
        if (fields[i].unit != AS_TEXT)
            return in_unit(*(const int64_t *)(const void *)at, fields[i].unit);
        roast_str text = *(const roast_str *)(const void *)at;
        return str_absent(text) ? nothing() : (roast_value){.kind = ROAST_TEXT, .as.text = text};
    }
    return computed(chunk, metric);
}
