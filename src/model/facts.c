/* What a record means. */
#include "model/facts.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "base/saturate.h"
#include "base/str.h"

bool chunk_failed(const roast_chunk *chunk)
{
    return !str_absent(chunk->error_type) || !str_absent(chunk->error);
}

int64_t chunk_busy_ns(const roast_chunk *chunk)
{
    int64_t sum = or_zero(chunk->duration_ns);
    saturated_add(&sum, or_zero(chunk->open_ns));
    saturated_add(&sum, or_zero(chunk->events_ns));
    saturated_add(&sum, or_zero(chunk->return_ns));
    return sum;
}

uint64_t chunk_identity(const roast_chunk *chunk)
{
    int64_t range[] = {chunk->entry_start, chunk->entry_stop, chunk->round};
    uint64_t seed = XXH3_64bits(range, sizeof range);
    seed = XXH3_64bits_withSeed(chunk->dataset.ptr, chunk->dataset.len, seed);
    seed = XXH3_64bits_withSeed(chunk->treename.ptr, chunk->treename.len, seed);
    return XXH3_64bits_withSeed(chunk->file.ptr, chunk->file.len, seed);
}

uint64_t chunk_identity_across_runs(const roast_chunk *chunk, uint32_t file, uint32_t dataset)
{
    int64_t parts[] = {file, dataset, chunk->entry_start, chunk->entry_stop};
    return XXH3_64bits(parts, sizeof parts);
}

bool chunk_is_named(const roast_chunk *chunk)
{
    return !str_absent(chunk->file) && chunk->entry_start != ROAST_ABSENT;
}

roast_str address_host(roast_str address)
{
    const char *start = address.len ? memmem(address.ptr, address.len, "://", 3) : NULL;
    if (!start)
        return str_none();
    start += 3;
    size_t length = address.len - (size_t)(start - address.ptr);
    const char *colon = memrchr(start, ':', length);
    return (roast_str){start, colon ? (size_t)(colon - start) : length};
}

roast_str worker_host(const roast_worker *worker)
{
    if (worker->host.len)
        return worker->host;
    roast_str host = address_host(worker->address);
    return host.len ? host : worker->address;
}

bool worker_not_measured(const roast_worker *worker)
{
    return worker->probe == 0;
}

int64_t to_client_clock(const roast_worker *worker, int64_t t_ns)
{
    if (t_ns == ROAST_ABSENT || !worker || worker->clock_offset_ns == ROAST_ABSENT)
        return t_ns;
    int64_t ours;
    return __builtin_sub_overflow(t_ns, worker->clock_offset_ns, &ours) ? ROAST_ABSENT : ours;
}

int64_t or_zero(int64_t value)
{
    return value == ROAST_ABSENT ? 0 : value;
}

double as_real(int64_t value)
{
    return value == ROAST_ABSENT ? (double)NAN : (double)value;
}
