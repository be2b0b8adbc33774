/* An arena: a list of blocks, each twice as large as the one before up to a limit. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGNMENT = alignof(max_align_t) };

struct arena_block {
    arena_block *older;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

static arena_block *add_block(arena *a, size_t wanted)
{
    size_t size = a->newest ? a->newest->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    if (size < wanted)
        size = wanted;
    arena_block *block = malloc(sizeof *block + size);
    if (!block)
        return NULL;
    block->older = a->newest;
    block->used = 0;
    block->size = size;
    a->newest = block;
    return block;
}

void *arena_bytes(arena *a, size_t len)
{
    if (len > SIZE_MAX / 2)
        return NULL;
    len = (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    arena_block *block = a->newest;
    if (!block || block->size - block->used < len)
        block = add_block(a, len);
    if (!block)
        return NULL;
    void *memory = block->data + block->used;
    block->used += len;
    return memory;
}

void *arena_alloc(arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *memory = arena_bytes(a, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

roast_str arena_str(arena *a, roast_str s)
{
    if (str_absent(s))
        return s;
    char *copy = arena_alloc(a, s.len + 1, 1);
    if (!copy)
        return str_none();
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return (roast_str){copy, s.len};
}

bool arena_str_failed(roast_str copy, roast_str original)
{
    return str_absent(copy) && !str_absent(original);
}

void arena_release(arena *a)
{
    while (a->newest) {
        arena_block *older = a->newest->older;
        free(a->newest);
        a->newest = older;
    }
}
