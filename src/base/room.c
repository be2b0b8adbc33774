/* Arrays that grow by doubling. */
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_AT_FIRST = 64, ARENA_ROOM_AT_FIRST = 16 };

void *with_room(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t larger = *capacity ? *capacity * 2 : ROOM_AT_FIRST;
    void *grown = realloc(array, larger * size);
    if (grown)
        *capacity = larger;
    return grown;
}

void *arena_grow(arena *memory, const void *array, size_t count, size_t capacity, size_t size)
{
    void *grown = arena_alloc(memory, capacity, size);
    if (grown && count > 0)
        memcpy(grown, array, count * size);
    return grown;
}

void *arena_with_room(arena *memory, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t larger = *capacity ? *capacity * 2 : ARENA_ROOM_AT_FIRST;
    void *grown = arena_grow(memory, array, count, larger, size);
    if (grown)
        *capacity = larger;
    return grown;
}

void *grow_before_last(void *array, size_t before, size_t count, size_t size, const void *fresh)
{
    if (array && count <= before)
        return array;
    char *grown = realloc(array, (count + 1) * size);
    if (!grown)
        return NULL;
    if (array)
        memcpy(grown + count * size, grown + before * size, size);
    for (size_t i = array ? before : 0; i < count + !array; i++)
        memcpy(grown + i * size, fresh, size);
    return grown;
}
