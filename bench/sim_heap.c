/* A binary heap of keys and values, and arrays that grow. */
#include <stdio.h>
#include <stdlib.h>

#include "base/room.h"
#include "sim.h"

static void *or_give_up(void *memory)
{
    if (memory)
        return memory;
    fputs("roast-simulate: out of memory\n", stderr);
    exit(1);
}

void *sim_room(void *array, size_t count, size_t *capacity, size_t size)
{
    return or_give_up(with_room(array, count, capacity, size));
}

void *sim_rows(size_t count, size_t size)
{
    return or_give_up(calloc(count + 1, size));
}

static void sift_up(sim_entry *entries, size_t at)
{
    sim_entry moved = entries[at];
    for (; at && moved.key < entries[(at - 1) / 2].key; at = (at - 1) / 2)
        entries[at] = entries[(at - 1) / 2];
    entries[at] = moved;
}

static void sift_down(sim_entry *entries, size_t count, size_t at)
{
    sim_entry moved = entries[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && entries[child + 1].key < entries[child].key)
            child++;
        if (moved.key <= entries[child].key)
            break;
        entries[at] = entries[child];
    }
    entries[at] = moved;
}

void sim_heap_push(sim_heap *heap, double key, uint64_t value)
{
    heap->entries = sim_room(heap->entries, heap->count, &heap->capacity, sizeof *heap->entries);
    heap->entries[heap->count] = (sim_entry){key, value};
    sift_up(heap->entries, heap->count++);
}

static sim_entry take_out(sim_heap *heap, size_t at)
{
    sim_entry taken = heap->entries[at];
    heap->entries[at] = heap->entries[--heap->count];
    if (at < heap->count) {
        sift_down(heap->entries, heap->count, at);
        sift_up(heap->entries, at);
    }
    return taken;
}

sim_entry sim_heap_pop(sim_heap *heap)
{
    return take_out(heap, 0);
}

void sim_heap_remove(sim_heap *heap, uint64_t value)
{
    for (size_t i = 0; i < heap->count; i++)
        if (heap->entries[i].value == value) {
            take_out(heap, i);
            return;
        }
}

void sim_heap_release(sim_heap *heap)
{
    free(heap->entries);
    *heap = (sim_heap){0};
}
