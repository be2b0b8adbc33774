/* A hash map from 64-bit keys to counts, for "seen before?" and "how often?". */
#ifndef BASE_U64MAP_H
#define BASE_U64MAP_H

#include <roast.h>

/* Zero-initialised is empty and ready. */
typedef struct u64map {
    uint64_t *keys;
    uint32_t *values; /* 0 marks a free slot, so stored values start at 1 */
    size_t count, capacity;
} u64map;

/* A pointer to the value of key, which is 0 if the key is new. The caller must make it at least 1 before the next
 * call. Valid until then. NULL if memory is out. */
uint32_t *u64map_at(u64map *map, uint64_t key);

/* The same for a key that is there; NULL if it is not. */
uint32_t *u64map_find(u64map *map, uint64_t key);
void u64map_release(u64map *map);

#endif
