/* Many points reduced for the eye: those that fall on one place become one point with a weight. A point that is alone
 * stays exactly where it is, so no outlier is lost. */
#ifndef ANALYSIS_DENSITY_H
#define ANALYSIS_DENSITY_H

#include "base/u64map.h"

typedef struct density_place {
    uint32_t group; /* a colour */
    uint32_t count;
    double x, y; /* the mean of its points */
} density_place;

/* Start with the limits and the number of places each way; the rest zero. */
typedef struct density {
    double x_low, x_high, y_low, y_high;
    uint32_t across, down; /* at most 65535 */
    u64map seen;           /* place + 1 */
    density_place *places;
    size_t count, capacity;
} density;

bool density_add(density *d, uint32_t group, double x, double y); /* false if memory is out; group below 65536 */
/* From left to right: marks that are written as steps from one to the next are short then. Nothing is added after. */
void density_sort(density *d);
void density_release(density *d);

#endif
