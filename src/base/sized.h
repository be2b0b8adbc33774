/* Structs that cross the border of the library begin with their size, so that a program and a library of different
 * versions understand each other: what the other does not know keeps its default. New fields come last. */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stddef.h>
#include <string.h>

/* What both sides know, from one to the other; to keeps its own size. */
static inline void sized_copy(void *to, size_t to_size, const void *from, size_t from_size)
{
    size_t known = to_size < from_size ? to_size : from_size;
    if (known > sizeof(size_t))
        memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t), known - sizeof(size_t));
}

#endif
