/* Points on a grid of places, found by hashing: memory grows with the places that are taken. */
#include "analysis/density.h"

#include <stdlib.h>

static uint64_t step_of(double value, double low, double high, uint32_t steps)
{
    double position = high > low ? (value - low) / (high - low) * (double)steps : 0;
    return position <= 0 ? 0 : position >= (double)steps ? steps - 1 : (uint64_t)position;
}

bool density_add(density *d, uint32_t group, double x, double y)
{
    uint64_t column = step_of(x, d->x_low, d->x_high, d->across), row = step_of(y, d->y_low, d->y_high, d->down);
    uint32_t *slot = u64map_at(&d->seen, (uint64_t)group << 32 | row << 16 | column);
    if (!slot)
        return false;
    if (!*slot) {
        *slot = (uint32_t)d->count + 1;
        if (d->count == d->capacity) {
            size_t capacity = d->capacity ? d->capacity * 2 : 256;
            density_place *places = realloc(d->places, capacity * sizeof *places);
            if (!places)
                return false;
            d->places = places;
            d->capacity = capacity;
        }
        d->places[d->count++] = (density_place){.group = group};
    }
    density_place *place = &d->places[*slot - 1];
    place->count++;
    place->x += (x - place->x) / place->count;
    place->y += (y - place->y) / place->count;
    return true;
}

static int compare_places(const void *left, const void *right)
{
    const density_place *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

void density_sort(density *d)
{
    if (d->count)
        qsort(d->places, d->count, sizeof *d->places, compare_places);
}

void density_release(density *d)
{
    u64map_release(&d->seen);
    free(d->places);
    d->places = NULL;
    d->count = d->capacity = 0;
}
