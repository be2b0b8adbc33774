/* Arrays that grow by doubling, in memory of their own or of an arena. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include "base/arena.h"

/* The array of count things, with room for one more. NULL if memory is out, and then array is as it was. */
void *with_room(void *array, size_t count, size_t *capacity, size_t size);
/* The same, of an arena: what is new is zero. */
void *arena_with_room(arena *memory, void *array, size_t count, size_t *capacity, size_t size);
/* A copy of count things in memory for capacity of them: the rest is zero. NULL if memory is out. */
void *arena_grow(arena *memory, const void *array, size_t count, size_t capacity, size_t size);

/* The array with room for count things and one more, where there were before things and one more (array NULL: none).
 * The last stands for what belongs to none of them and stays the last; what is new is like fresh. NULL if memory is
 * out, and then array is as it was. */
void *grow_before_last(void *array, size_t before, size_t count, size_t size, const void *fresh);

#endif
