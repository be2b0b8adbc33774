/* Interning with open addressing; the table holds at most half as many strings as slots. */
#include "base/intern.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/str.h"

static uint32_t *slot_of(const intern *table, roast_str s, uint64_t hash)
{
    uint32_t mask = table->capacity - 1;
    for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &table->slots[i];
        if (!*slot || (table->hashes[*slot - 1] == hash && str_equal(table->strings[*slot - 1], s)))
            return slot;
    }
}

static bool grow(intern *table)
{
    if (table->capacity > UINT32_MAX / 4)
        return false;
    uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
    roast_str *strings = realloc(table->strings, capacity / 2 * sizeof *strings);
    if (!strings)
        return false;
    table->strings = strings;
    uint64_t *hashes = realloc(table->hashes, capacity / 2 * sizeof *hashes);
    if (!hashes)
        return false;
    table->hashes = hashes;
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++)
        *slot_of(table, table->strings[i], table->hashes[i]) = i + 1;
    return true;
}

uint32_t intern_add(intern *table, roast_str s, bool *added)
{
    if (added)
        *added = false;
    if (table->count >= table->capacity / 2 && !grow(table))
        return INTERN_NONE;
    uint64_t hash = XXH3_64bits(s.ptr, s.len);
    uint32_t *slot = slot_of(table, s, hash);
    if (*slot)
        return *slot - 1;
    roast_str copy = arena_str(&table->memory, s.ptr ? s : STR(""));
    if (str_absent(copy))
        return INTERN_NONE;
    table->strings[table->count] = copy;
    table->hashes[table->count] = hash;
    *slot = ++table->count;
    if (added)
        *added = true;
    return table->count - 1;
}

uint32_t intern_find(const intern *table, roast_str s)
{
    if (!table->capacity)
        return INTERN_NONE;
    uint32_t slot = *slot_of(table, s, XXH3_64bits(s.ptr, s.len));
    return slot ? slot - 1 : INTERN_NONE;
}

void intern_release(intern *table)
{
    arena_release(&table->memory);
    free(table->strings);
    free(table->slots);
    free(table->hashes);
    *table = (intern){0};
}
