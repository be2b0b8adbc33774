/* Structs that cross the border of the library begin with their size, so that a program and a library of different
 * versions understand each other: what the other does not know keeps its default. New fields come last. In options size
 * may be left 0, which stands for the first version of the struct. */
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

/* Options of a caller over our defaults; given may be NULL. last is the last field of the first version. */
#define SIZED_OPTIONS(own, given, last)                                                                                \
    sized_options(own, sizeof *(own), given, (size_t)((const char *)(&(own)->last + 1) - (const char *)(own)))

static inline void sized_options(void *own, size_t own_size, const void *given, size_t first_size)
{
    size_t size = given ? *(const size_t *)given : 0;
    if (given)
        sized_copy(own, own_size, given, size ? size : first_size);
}

#endif
