/* Open addressing, at most half full. Keys are hashes already or are mixed here. */
#include "base/u64map.h"

#include <stdlib.h>

static size_t first_slot(uint64_t key, size_t capacity)
{
    key ^= key >> 32; /* keys made of two numbers differ in their upper half only */
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (capacity - 1);
}

static size_t find_slot(const u64map *map, uint64_t key)
{
    size_t slot = first_slot(key, map->capacity);
    while (map->values[slot] && map->keys[slot] != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static bool grow(u64map *map)
{
    u64map larger = {.count = map->count, .capacity = map->capacity ? map->capacity * 2 : 256};
    larger.keys = malloc(larger.capacity * sizeof *larger.keys);
    larger.values = calloc(larger.capacity, sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        u64map_release(&larger);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (!map->values[i])
            continue;
        size_t slot = find_slot(&larger, map->keys[i]);
        larger.keys[slot] = map->keys[i];
        larger.values[slot] = map->values[i];
    }
    u64map_release(map);
    *map = larger;
    return true;
}

uint32_t *u64map_at(u64map *map, uint64_t key)
{
    if (map->count >= map->capacity / 2 && !grow(map))
        return NULL;
    size_t slot = find_slot(map, key);
    if (!map->values[slot]) {
        map->keys[slot] = key;
        map->count++;
    }
    return &map->values[slot];
}

uint32_t *u64map_find(u64map *map, uint64_t key)
{
    if (!map->count)
        return NULL;
    uint32_t *value = &map->values[find_slot(map, key)];
    return *value ? value : NULL;
}

void u64map_release(u64map *map)
{
    free(map->keys);
    free(map->values);
    *map = (u64map){0};
}
