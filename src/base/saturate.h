/* Sums of what a damaged file makes absurd: they stop at the largest number there is. */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <roast.h>

/* Below it stops at -INT64_MAX: one less is ROAST_ABSENT. */
static inline void saturated_add(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum) || *sum == ROAST_ABSENT)
        *sum = value < 0 ? -INT64_MAX : INT64_MAX;
}

#endif
