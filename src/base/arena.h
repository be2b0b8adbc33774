/* An arena: memory that is handed out in order and freed all at once. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <roast.h>

typedef struct arena_block arena_block;

/* Zero-initialised is empty and ready. */
typedef struct arena {
    arena_block *newest;
} arena;

/* Zeroed memory for count things of size, aligned for any of them; NULL if there is none. Zero bytes give a
 * pointer that is not NULL. */
void *arena_alloc(arena *a, size_t count, size_t size);
/* The same for len bytes that the caller is about to overwrite: they are not zeroed. */
void *arena_bytes(arena *a, size_t len);
/* A copy that ends in a NUL (not counted in len). Absent stays absent; failing gives an absent one too, so check
 * with arena_str_failed where it matters. */
roast_str arena_str(arena *a, roast_str s);
bool arena_str_failed(roast_str copy, roast_str original);
void arena_release(arena *a);

#endif
