/* One array by name, and one of entries that are chained. Clearing costs as much as was added. */
#include "analysis/name_readers.h"

#include <stdlib.h>

bool name_readers_init(name_readers *o, const roast_run *run)
{
    *o = (name_readers){.first = calloc(run_names(run) + 1, sizeof *o->first)};
    return o->first != NULL;
}

static bool reserve(name_readers *o, size_t more)
{
    if (o->count + more + 1 <= o->capacity)
        return true;
    size_t capacity = 2 * o->capacity + more + 1;
    name_reader *entries = realloc(o->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    o->entries = entries;
    o->capacity = capacity;
    return true;
}

bool name_readers_add(name_readers *o, const roast_run *run, uint32_t set, uint32_t owner)
{
    size_t count;
    const uint32_t *names = run_branch_set(run, set, &count);
    if (!reserve(o, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (names[i] == RUN_UNKNOWN)
            continue;
        uint32_t last = o->first[names[i]];
        if (last && o->entries[last].owner == owner)
            continue;
        o->n_names += !last;
        o->entries[++o->count] = (name_reader){owner, names[i], last};
        o->first[names[i]] = (uint32_t)o->count;
    }
    return true;
}

void name_readers_clear(name_readers *o)
{
    for (size_t i = 1; i <= o->count; i++)
        o->first[o->entries[i].name] = 0;
    o->count = o->n_names = 0;
}

void name_readers_release(name_readers *o)
{
    free(o->first);
    free(o->entries);
    *o = (name_readers){0};
}
